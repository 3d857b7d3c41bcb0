#include "tensor/npy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tensor/test_seed.hpp"

namespace halfbyte {
namespace {

std::vector<std::byte> file(std::string_view header, std::string_view data, int version = 1, int64_t claimed = -1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(version);
  bytes += '\0';
  const auto length = static_cast<uint64_t>(claimed < 0 ? static_cast<int64_t>(header.size()) : claimed);
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(length >> (8 * i));
  bytes += header;
  bytes += data;
  std::vector<std::byte> out(bytes.size());
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

std::string refusal(const std::vector<std::byte>& bytes) {
  const auto tensor = decode_npy(bytes, "x.npy");
  return tensor ? "accepted" : tensor.error().to_string();
}

TEST(Npy, RandomTensorsComeBack) {
  std::mt19937_64 random(test_seed());
  for (const DType dtype : {DType::float32, DType::float16, DType::uint8, DType::int8, DType::int32, DType::uint32,
                            DType::int64, DType::bool8}) {
    for (size_t rank = 0; rank <= 5; ++rank) {
      Shape shape;
      for (size_t d = 0; d < rank; ++d) shape.push_back(static_cast<int64_t>(random() % 5));
      HostTensor tensor = HostTensor::zeros(dtype, shape);
      for (std::byte& b : tensor.data) b = static_cast<std::byte>(random());
      const auto bytes = encode_npy(tensor);
      EXPECT_EQ((bytes.size() - tensor.data.size()) % 64, 0u);
      const auto back = decode_npy(bytes, "x.npy");
      ASSERT_TRUE(back) << back.error().to_string();
      EXPECT_EQ(back->desc(), tensor.desc());
      EXPECT_EQ(back->data, tensor.data);
    }
  }
}

TEST(Npy, TheBytesThatNumpyWrites) {  // np.save of np.array([1, 2], '<f4'), NumPy 2.2
  const HostTensor tensor = HostTensor::from_floats(DType::float32, {2}, std::vector<float>{1, 2});
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  header.append(118 - 1 - header.size(), ' ');
  header += '\n';
  EXPECT_EQ(encode_npy(tensor), file(header, std::string_view("\0\0\x80\x3f\0\0\0\x40", 8)));
}

TEST(Npy, OtherWritersHeaders) {
  const std::string data(24, 'x');
  for (const int version : {1, 2, 3}) {
    const auto tensor =
        decode_npy(file("{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}", data, version), "x.npy");
    ASSERT_TRUE(tensor) << tensor.error().to_string();
    EXPECT_EQ(tensor->shape, (Shape{2, 3}));
  }
  EXPECT_TRUE(
      decode_npy(file("{\"descr\": \"<i8\", \"fortran_order\": False, \"shape\": (3L,), }   \n", data), "x.npy"));
  EXPECT_TRUE(decode_npy(file("{'descr':'<u1','fortran_order':False,'shape':(24,)}", data), "x.npy"));
  EXPECT_TRUE(
      decode_npy(file("{'descr': '<f4', 'fortran_order': True, 'shape': (6, 1), }", data), "x.npy"));  // one order
  EXPECT_TRUE(decode_npy(file("{'descr': '<f4', 'fortran_order': True, 'shape': (0, 5), }", ""), "x.npy"));
  EXPECT_TRUE(decode_npy(file("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", "abcd"), "x.npy"));
}

TEST(Npy, RefusalsSayWhatWouldBeRight) {
  const std::string data(24, 'x');
  EXPECT_EQ(refusal(file("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", data)),
            "x.npy: the array is float64, which no kernel takes; save array.astype('float32')");
  EXPECT_EQ(refusal(file("{'descr': '>f4', 'fortran_order': False, 'shape': (6,), }", data)),
            "x.npy: the array is big-endian ('>f4'); save array.astype(array.dtype.newbyteorder('<'))");
  EXPECT_EQ(refusal(file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", data)),
            "x.npy: the array is in Fortran order; save numpy.ascontiguousarray(array)");
  EXPECT_EQ(refusal(file("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", data)),
            "x.npy: the array holds Python objects; save it as float32, float16 or an integer type");
  EXPECT_NE(
      refusal(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }", data)).find("structured"),
      std::string::npos);
  EXPECT_NE(refusal(file("{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", data)).find("supported are <f4"),
            std::string::npos);
  EXPECT_EQ(refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': (7,), }", data)),
            "x.npy: shape [7] of float32 does not match the 24 bytes of data");
  EXPECT_NE(refusal(file("{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }", data)).find("does not match"),
            std::string::npos);
}

TEST(Npy, HostileHeaders) {
  const std::string data(24, 'x');
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_NE(refusal({}).find("not a .npy file"), std::string::npos);
  EXPECT_NE(refusal(file(good, data, 4)).find("version 4"), std::string::npos);
  EXPECT_NE(refusal(file(good, data, 2, 0xffffffff)).find("claims 4294967295 bytes"), std::string::npos);
  EXPECT_NE(refusal(file(good, data, 1, 9)).find("header is not"), std::string::npos);
  for (const char* shape :
       {"(9223372036854775807, 9223372036854775807)", "(4611686018427387904, 4)", "(4611686018427387910,)",
        "(18446744073709551616,)", "(-1,)", "(2, -3)", "(2 3)", "(2,", "2", "[6]", "(6,,)"}) {
    const auto text = std::string("{'descr': '<f4', 'fortran_order': False, 'shape': ") + shape + ", }";
    EXPECT_NE(refusal(file(text, data)), "accepted") << shape;
  }
  for (const char* text : {"", "{", "{}", "{'descr': '<f4'}", "{'descr': <f4, 'fortran_order': False, 'shape': (6,)}",
                           "{'descr': '<f4', 'fortran_order': 0, 'shape': (6,)}",
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)} x",
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'more': 1}", "{'descr': '"})
    EXPECT_NE(refusal(file(text, data)), "accepted") << text;
}

TEST(Npy, EveryTruncationAndEveryFlippedByteIsSafe) {
  const HostTensor tensor = HostTensor::from_floats(DType::float32, {2, 2}, std::vector<float>{1, 2, 3, 4});
  const auto bytes = encode_npy(tensor);
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(decode_npy({bytes.data(), n}, "x.npy")) << n;
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < 20000; ++i) {
    auto damaged = bytes;
    for (int j = 0; j < 3; ++j) damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    if (const auto seen = decode_npy(damaged, "x.npy")) {
      EXPECT_EQ(static_cast<size_t>(*element_count(seen->shape)) * byte_size(seen->dtype), seen->data.size());
    }
  }
}

}  // namespace
}  // namespace halfbyte
