#include "tensor/npy.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace halfbyte {
namespace {

struct Descr {
  std::string_view text;  // NumPy's array-interface type string
  DType dtype;
};
constexpr std::array kDescrs{Descr{"<f4", DType::float32}, Descr{"<f2", DType::float16}, Descr{"|u1", DType::uint8},
                             Descr{"|i1", DType::int8},    Descr{"<i4", DType::int32},   Descr{"<u4", DType::uint32},
                             Descr{"<i8", DType::int64},   Descr{"|b1", DType::bool8}};

// The header: a Python literal {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }. Only this much of Python is read.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  bool accept(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  std::optional<std::string_view> quoted() {
    skip_space();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return std::nullopt;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    const auto text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::optional<int64_t> number() {
    skip_space();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    accept("L");  // Python 2 wrote long integers so
    return value;
  }

  bool at_end() {
    skip_space();
    return rest_.empty();
  }

 private:
  void skip_space() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

struct Header {
  std::optional<std::string> descr;  // empty text: a list, that is a structured type
  std::optional<bool> fortran;
  std::optional<Shape> shape;
};

std::optional<Shape> read_tuple(HeaderReader& in) {
  if (!in.accept("(")) return std::nullopt;
  Shape shape;
  while (!in.accept(")")) {
    const auto d = in.number();
    if (!d || shape.size() == 32) return std::nullopt;  // NumPy's own limit
    shape.push_back(*d);
    if (in.accept(",")) continue;
    if (!in.accept(")")) return std::nullopt;
    break;
  }
  return shape;
}

std::optional<Header> read_header(std::string_view text) {
  HeaderReader in(text);
  Header header;
  if (!in.accept("{")) return std::nullopt;
  while (!in.accept("}")) {
    const auto key = in.quoted();
    if (!key || !in.accept(":")) return std::nullopt;
    if (*key == "descr") {
      if (in.accept("[")) return Header{"", false, Shape{}};  // fields: refused by the caller, nothing more is needed
      const auto descr = in.quoted();
      if (!descr) return std::nullopt;
      header.descr = std::string(*descr);
    } else if (*key == "fortran_order") {
      if (in.accept("True"))
        header.fortran = true;
      else if (in.accept("False"))
        header.fortran = false;
      else
        return std::nullopt;
    } else if (*key == "shape") {
      header.shape = read_tuple(in);
      if (!header.shape) return std::nullopt;
    } else {
      return std::nullopt;
    }
    if (!in.accept(",") && !in.accept("}"))
      return std::nullopt;
    else if (in.at_end())
      break;
  }
  if (!in.at_end() || !header.descr || !header.fortran || !header.shape) return std::nullopt;
  return header;
}

std::unexpected<Error> bad(ErrorCode code, const std::string& file, std::string what) {
  return fail(code, std::move(what), {file, 0, 0});
}

Result<DType> dtype_of(const std::string& descr, const std::string& file) {
  for (const Descr& known : kDescrs)
    if (descr == known.text || (known.text[0] == '|' && descr.substr(descr.empty() ? 0 : 1) == known.text.substr(1)))
      return known.dtype;
  const auto unsupported = [&](std::string_view what) {
    return bad(ErrorCode::unsupported, file, std::format("the array {}", what));
  };
  if (descr.empty())
    return unsupported("has a structured type; save one field, as float32, float16 or an integer type");
  if (descr == "|O") return unsupported("holds Python objects; save it as float32, float16 or an integer type");
  if (descr[0] == '>')
    return unsupported(std::format("is big-endian ('{}'); save array.astype(array.dtype.newbyteorder('<'))", descr));
  if (descr == "<f8") return unsupported("is float64, which no kernel takes; save array.astype('float32')");
  return unsupported(std::format("has type '{}'; supported are <f4 <f2 |u1 |i1 <i4 <u4 <i8 |b1", descr));
}

// Both orders are the same when at most one dimension is longer than 1.
bool order_matters(const Shape& shape) {
  int longer = 0;
  for (const int64_t d : shape) {
    if (d == 0) return false;
    longer += d > 1;
  }
  return longer > 1;
}

}  // namespace

std::vector<std::byte> encode_npy(const HostTensor& tensor) {
  std::string_view descr;
  for (const Descr& known : kDescrs)
    if (known.dtype == tensor.dtype) descr = known.text;
  std::string shape;
  for (const int64_t d : tensor.shape) shape += std::to_string(d) + (tensor.shape.size() == 1 ? "," : ", ");
  if (tensor.shape.size() > 1) shape.resize(shape.size() - 2);
  std::string header = std::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  header.append(64 - (10 + header.size() + 1) % 64, ' ');  // the data starts at a multiple of 64
  header += '\n';
  const std::array<unsigned char, 10> magic{0x93,
                                            'N',
                                            'U',
                                            'M',
                                            'P',
                                            'Y',
                                            1,
                                            0,
                                            static_cast<unsigned char>(header.size() & 255),
                                            static_cast<unsigned char>(header.size() >> 8)};
  std::vector<std::byte> bytes(magic.size() + header.size() + tensor.data.size());
  std::memcpy(bytes.data(), magic.data(), magic.size());
  std::memcpy(bytes.data() + magic.size(), header.data(), header.size());
  if (!tensor.data.empty())
    std::memcpy(bytes.data() + magic.size() + header.size(), tensor.data.data(), tensor.data.size());
  return bytes;
}

Result<HostTensor> decode_npy(std::span<const std::byte> bytes, const std::string& file) {
  const auto byte = [&](size_t i) { return static_cast<size_t>(std::to_integer<uint8_t>(bytes[i])); };
  if (bytes.size() < 10 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0)
    return bad(ErrorCode::parse, file,
               std::format("not a .npy file: {} bytes that do not begin with \\x93NUMPY", bytes.size()));
  const size_t version = byte(6);
  if (version < 1 || version > 3)
    return bad(ErrorCode::unsupported, file, std::format(".npy version {} is not known; 1, 2 and 3 are", version));
  const size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) return bad(ErrorCode::parse, file, "the .npy header is cut off");
  size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - start)
    return bad(ErrorCode::parse, file,
               std::format("the .npy header claims {} bytes but the file has {} after its start", length,
                           bytes.size() - start));
  const auto header = read_header({reinterpret_cast<const char*>(bytes.data()) + start, length});
  if (!header)
    return bad(ErrorCode::parse, file, "the .npy header is not {'descr': ..., 'fortran_order': ..., 'shape': (...)}");
  HB_TRY(const DType dtype, dtype_of(*header->descr, file));
  if (*header->fortran && order_matters(*header->shape))
    return bad(ErrorCode::unsupported, file, "the array is in Fortran order; save numpy.ascontiguousarray(array)");
  const auto count = element_count(*header->shape);
  const size_t have = bytes.size() - start - length;
  // Compared by division, so that a huge count cannot wrap around.
  if (!count || static_cast<uint64_t>(*count) != have / byte_size(dtype) || have % byte_size(dtype) != 0)
    return bad(ErrorCode::parse, file,
               std::format("shape {} of {} does not match the {} bytes of data", to_string(*header->shape), name(dtype),
                           have));
  HostTensor tensor{dtype, *header->shape, {}};
  tensor.data.assign(bytes.begin() + static_cast<std::ptrdiff_t>(start + length), bytes.end());
  return tensor;
}

}  // namespace halfbyte
