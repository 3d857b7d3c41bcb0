#include <memory>
#include <print>

#include "command.hpp"
#include "io/files.hpp"
#include "io/writable.hpp"
#include "quant/q4gsw.hpp"
#include "quant/rtn.hpp"
#include "tensor/npy.hpp"

namespace halfbyte::cmd::convert_command {
namespace {

struct Options {
  std::string from, to, weight, scales, out_weight, out_scales;
  int64_t group_size = 32;
  bool k_n = false, half = false;
};

Result<HostTensor> read_npy(const std::string& path) {
  HB_TRY(const std::vector<std::byte> bytes, read_bytes(path));
  return decode_npy(bytes, path);
}

std::unexpected<Error> wrong_shape(const std::string& path, const HostTensor& t, std::string_view needs) {
  return fail(ErrorCode::invalid_argument,
              std::format("{} is {} {} but must be {}", path, name(t.dtype), to_string(t.shape), needs));
}

Result<Q4gswWeight> from_floats(const Options& options) {
  HB_TRY(const HostTensor weight, read_npy(options.weight));
  if (weight.shape.size() != 2 || (weight.dtype != DType::float32 && weight.dtype != DType::float16))
    return wrong_shape(options.weight, weight, options.k_n ? "a float matrix [K,N]" : "a float matrix [N,K]");
  const int64_t N = weight.shape[options.k_n ? 1 : 0], K = weight.shape[options.k_n ? 0 : 1];
  return quantize_q4gsw(N, K, options.group_size, weight.to_floats(), options.k_n ? WeightOrder::k_n : WeightOrder::n_k,
                        options.half ? DType::float16 : DType::float32);
}

// The sizes are in the tensors: B is [N, blocks, block_size/2], and K is whole blocks.
Result<Q4gswWeight> from_matmul_nbits(const Options& options) {
  HB_TRY(const HostTensor b, read_npy(options.weight));
  HB_TRY(const HostTensor scales, read_npy(options.scales));
  if (b.shape.size() != 3) return wrong_shape(options.weight, b, "uint8 [N,blocks,block_size/2]");
  const int64_t block = b.shape[2] * 2;
  return to_q4gsw({b.shape[0], b.shape[1] * block, 4, block}, b, scales);
}

Result<MatMulNBitsWeight> from_q4gsw(const Options& options) {
  Q4gswWeight weight;
  HB_TRY(weight.weight, read_npy(options.weight));
  HB_TRY(weight.scales, read_npy(options.scales));
  if (weight.weight.shape.size() != 2) return wrong_shape(options.weight, weight.weight, "uint8 [N,K/2]");
  if (weight.scales.shape.size() != 2 || weight.scales.shape[0] == 0)
    return wrong_shape(options.scales, weight.scales, "float32 or float16 [K/group_size,N padded]");
  weight.N = weight.weight.shape[0];
  weight.K = weight.weight.shape[1] * 2;
  weight.group_size = weight.K / weight.scales.shape[0];
  if (weight.K % weight.scales.shape[0] != 0)
    return wrong_shape(options.scales, weight.scales, std::format("[K/group_size,N padded] with K={}", weight.K));
  return to_matmul_nbits(weight);
}

Result<int> write(const Options& options, const Globals& globals, const HostTensor& weight, const HostTensor& scales) {
  HB_CHECK(write_file(options.out_weight, encode_npy(weight)));
  HB_CHECK(write_file(options.out_scales, encode_npy(scales)));
  if (!globals.quiet)
    std::println("{} {}{}, {} {}{}", options.out_weight, name(weight.dtype), to_string(weight.shape),
                 options.out_scales, name(scales.dtype), to_string(scales.shape));
  return 0;
}

Result<int> run(const Options& options, const Globals& globals) {
  if (options.from == options.to || (options.from == "float" && options.to == "matmulnbits"))
    return fail(
        ErrorCode::invalid_argument,
        std::format("there is no conversion from {} to {}: there are float to q4gsw, matmulnbits to q4gsw and q4gsw "
                    "to matmulnbits (quantize makes MatMulNBits models of float ones)",
                    options.from, options.to));
  if (options.from != "float" && options.scales.empty())
    return fail(ErrorCode::invalid_argument, std::format("a weight in the form {} needs --scales", options.from));
  for (const std::string& path : {options.out_weight, options.out_scales}) HB_CHECK(check_writable(path));
  if (options.to == "matmulnbits") {
    HB_TRY(const MatMulNBitsWeight made, from_q4gsw(options));
    return write(options, globals, made.b, made.scales);
  }
  HB_TRY(const Q4gswWeight made, options.from == "float" ? from_floats(options) : from_matmul_nbits(options));
  return write(options, globals, made.weight, made.scales);
}

Action add(CLI::App& sub, const Globals& globals) {
  auto o = std::make_shared<Options>();
  sub.add_option("FROM", o->from, "form of the weight: float, matmulnbits (4 bits, no zero points) or q4gsw")
      ->required()
      ->check(CLI::IsMember({"float", "matmulnbits", "q4gsw"}));
  sub.add_option("TO", o->to, "form to make: q4gsw or matmulnbits")
      ->required()
      ->check(CLI::IsMember({"q4gsw", "matmulnbits"}));
  sub.add_option("--weight", o->weight, "the weight, or its codes (.npy)")->required();
  sub.add_option("--scales", o->scales, "its scales (.npy)");
  sub.add_option("--out-weight", o->out_weight, "codes to write (.npy)")->required();
  sub.add_option("--out-scales", o->out_scales, "scales to write (.npy)")->required();
  sub.add_option("--group-size", o->group_size, "from float: weights along K that share a scale, 8 to 256")
      ->capture_default_str();
  sub.add_flag("--k-n", o->k_n, "from float: the weight is [K,N], not [N,K]");
  sub.add_flag("--f16-scales", o->half, "from float: scales as float16, not float32");
  return [o, &globals] { return run(*o, globals); };
}

const Registration registration{"convert", 85,
                                "pack a weight for et_vk.linear_q4gsw, or convert it from and to MatMulNBits' form",
                                "halfbyte convert float q4gsw --weight w.npy --group-size 32 --out-weight q.npy "
                                "--out-scales s.npy",
                                add};

}  // namespace
}  // namespace halfbyte::cmd::convert_command
