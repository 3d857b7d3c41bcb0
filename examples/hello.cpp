// y = x W for a 64 x 2 matrix W in 4 bits: column 0 is all 0.25, column 1 all -0.5.
#include <halfbyte/halfbyte.hpp>
#include <print>

halfbyte::Result<void> hello() {
  using namespace halfbyte;
  HB_TRY(const Device device, Device::open());
  HB_TRY(const Kernel kernel, Kernel::load(device, "com.microsoft.MatMulNBits"));
  const std::vector<float> ones(64, 1), scales(4, 0.25F);
  HostTensor codes =
      HostTensor::zeros(DType::uint8, {2, 2, 16});  // [N][K / block_size][bytes]; value = (code - 8) * scale
  for (size_t i = 0; i < codes.data.size(); ++i) codes.data[i] = std::byte(i < 32 ? 0x99 : 0x66);
  HB_TRY(const HostTensors out, kernel.run({{"K", 64.0}, {"N", 2.0}, {"bits", 4.0}, {"block_size", 32.0}},
                                           {{"aT", HostTensor::from_floats(DType::float32, {1, 64}, ones)},
                                            {"bT", codes},
                                            {"scalesT", HostTensor::from_floats(DType::float32, {2, 2}, scales)}}));
  const std::vector<float> y = out.at("yT").to_floats();
  std::println("{}: y = {} (should be [16, -32])", device.name(), y);
  return {};
}

int main() {
  const auto done = hello();
  if (!done) std::println(stderr, "{}", done.error().to_string());
  return done ? 0 : 1;
}
