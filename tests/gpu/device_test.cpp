#include <gmock/gmock.h>

#include <thread>

#include "gpu/probe.hpp"
#include "hand_made.hpp"

namespace halfbyte::gpu::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

// A device as a caller makes it: no optional feature, default limits, its own callbacks.
struct TheirDevice {
  wgpu::Instance instance;
  wgpu::Adapter adapter;
  wgpu::Device device;
  std::vector<std::string> errors;
  bool lost = false;
};

std::unique_ptr<TheirDevice> make_their_device(std::vector<wgpu::FeatureName> features = {}) {
  auto made = std::make_unique<TheirDevice>();
  made->instance = wgpu::CreateInstance(nullptr);  // not even timed waits
  wgpu::RequestAdapterOptions options;
  options.backendType = wgpu::BackendType::Vulkan;
  made->instance.RequestAdapter(
      &options, wgpu::CallbackMode::AllowSpontaneous,
      [&](wgpu::RequestAdapterStatus, wgpu::Adapter adapter, wgpu::StringView) { made->adapter = std::move(adapter); });
  made->instance.ProcessEvents();
  if (!made->adapter) throw std::runtime_error("no Vulkan adapter");
  wgpu::DeviceDescriptor descriptor;
  descriptor.requiredFeatureCount = features.size();
  descriptor.requiredFeatures = features.data();
  descriptor.SetUncapturedErrorCallback([](const wgpu::Device&, wgpu::ErrorType, wgpu::StringView text,
                                           TheirDevice* self) { self->errors.emplace_back(std::string_view(text)); },
                                        made.get());
  descriptor.SetDeviceLostCallback(
      wgpu::CallbackMode::AllowSpontaneous,
      [](const wgpu::Device&, wgpu::DeviceLostReason, wgpu::StringView, TheirDevice* self) { self->lost = true; },
      made.get());
  made->device = made->adapter.CreateDevice(&descriptor);
  return made;
}

TEST(Adapters, ExactlyOneIsTheDefaultAndSaysWhy) {
  const auto adapters = value(list_adapters());
  ASSERT_FALSE(adapters.empty());
  EXPECT_EQ(std::ranges::count(adapters, true, &AdapterSummary::is_default), 1);
  for (const AdapterSummary& adapter : adapters) {
    EXPECT_FALSE(adapter.name.empty());
    EXPECT_FALSE(adapter.reason.empty());
    EXPECT_NE(adapter.backend, "null");
  }
}

TEST(Device, OpensByNamePartIndexAndBackend) {
  const auto adapters = value(list_adapters());
  const AdapterSummary& first = adapters.front();
  std::string part = first.name.substr(0, 4);
  std::ranges::transform(part, part.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const std::string& wanted : {part, std::string("0"), first.backend}) {
    OpenOptions options;
    options.adapter = wanted;
    EXPECT_EQ(value(Device::open(options))->info().adapter.name, first.name) << wanted;
  }
}

TEST(Device, UnknownAdapterIsAnErrorThatListsThoseThereAre) {
  OpenOptions options;
  options.adapter = "no such thing";
  const auto device = Device::open(options);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ErrorCode::not_found);
  EXPECT_THAT(device.error().message, HasSubstr("no such thing"));
  EXPECT_FALSE(device.error().notes.empty());
}

TEST(Device, AsksForWhatTheAdapterHasAndReportsToggles) {
  const auto& device = shared_runtime()->device();
  EXPECT_TRUE(device.info().thread_safe);
  EXPECT_FALSE(device.info().adopted);
  EXPECT_THAT(device.info().toggles, IsSupersetOf({"allow_unsafe_apis", "use_vulkan_memory_model"}));
  EXPECT_THAT(device.info().toggles, Not(Contains("timestamp_quantization")));
  EXPECT_THAT(device.info().toggles, Not(Contains("disable_robustness")));
  EXPECT_THAT(device.info().webgpu, HasSubstr("dawn"));
  // The adapter's own limits, not WebGPU's defaults.
  wgpu::Limits adapter;
  device.wgpu().GetAdapter().GetLimits(&adapter);
  EXPECT_EQ(device.limit("maxComputeInvocationsPerWorkgroup"), adapter.maxComputeInvocationsPerWorkgroup);
  EXPECT_EQ(device.limit("maxStorageBufferBindingSize"), adapter.maxStorageBufferBindingSize);
  EXPECT_EQ(device.limit("maxBufferSize"), adapter.maxBufferSize);
}

TEST(Device, RobustnessCanBeSwitchedOff) {
  OpenOptions options;
  options.robustness = false;
  EXPECT_THAT(value(Device::open(options))->info().toggles, Contains("disable_robustness"));
}

TEST(Device, HidesFeatures) {
  OpenOptions options;
  options.disabled = {FeatureGroup::subgroups, FeatureGroup::f16, FeatureGroup::int_dot, FeatureGroup::timestamps};
  const auto device = value(Device::open(options));
  EXPECT_THAT(device->profile().features, ElementsAre("core-features-and-limits"));
  EXPECT_TRUE(device->profile().subgroup_matrix_configs.empty());
  EXPECT_FALSE(device->profile().adapter.subgroup_min_size);
  EXPECT_THAT(device->profile().wgsl_language_features, Not(Contains("packed_4x8_integer_dot_product")));
  EXPECT_FALSE(device->has(wgpu::FeatureName::Subgroups));
  EXPECT_FALSE(device->has(wgpu::FeatureName::ShaderF16));
  // Hidden from shaders too, not only from the profile.
  const auto module = device->scoped("shader", [&] {
    wgpu::ShaderSourceWGSL text;
    text.code = "enable subgroups;\n@compute @workgroup_size(1) fn main() {}";
    wgpu::ShaderModuleDescriptor descriptor;
    descriptor.nextInChain = &text;
    (void)device->wgpu().CreateShaderModule(&descriptor);
  });
  EXPECT_FALSE(module);
}

TEST(Device, MatrixAloneCanBeHidden) {
  OpenOptions options;
  options.disabled = {FeatureGroup::matrix};
  const auto device = value(Device::open(options));
  EXPECT_TRUE(device->profile().subgroup_matrix_configs.empty());
  EXPECT_EQ(device->profile().has_feature("subgroups"), shared_runtime()->device().profile().has_feature("subgroups"));
}

TEST(Device, CompatibilityLimitsAreEnforcedByWebGpuItself) {
  OpenOptions options;
  options.limits = {
      {"maxComputeInvocationsPerWorkgroup", 128}, {"maxComputeWorkgroupSizeX", 128}, {"maxComputeWorkgroupSizeY", 128}};
  const auto runtime = Runtime::create(value(Device::open(options)));
  EXPECT_EQ(runtime->device().limit("maxComputeInvocationsPerWorkgroup"), 128U);
  HandMade made = scale_plan(10, 0);
  std::string wide = kScaleShader;
  wide.replace(wide.find("workgroup_size(64)"), 18, "workgroup_size(256)");
  made.plan.passes[0].program = Hasher().add(wide).finish();
  made.shaders["scale"] = wide;
  const auto call = made.prepare(runtime);
  const Result<void> compiled = call ? (*call)->wait() : fail(call.error());
  ASSERT_FALSE(compiled);
  EXPECT_THAT(compiled.error().to_string(), HasSubstr("128"));
  HB_ASSERT_OK(value(scale_plan(10, 0).prepare(runtime))->wait());
}

TEST(Device, LimitsThatWebGpuCannotLowerAreHeldByUs) {
  OpenOptions options;
  options.limits = {{"maxComputeWorkgroupsPerDimension", 1000}, {"maxStorageBufferBindingSize", 4096}};
  const auto runtime = Runtime::create(value(Device::open(options)));
  EXPECT_EQ(runtime->device().profile().limit("maxComputeWorkgroupsPerDimension"), 1000);
  EXPECT_EQ(runtime->device().info().remarks.size(), 2U);
  HB_ASSERT_OK(value(scale_plan(1024, 0).prepare(runtime))->wait());
  const auto large = scale_plan(1025, 0).prepare(runtime);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::limit);
  EXPECT_THAT(large.error().message, HasSubstr("maxStorageBufferBindingSize"));
  EXPECT_THAT(large.error().message, HasSubstr("4096"));
  EXPECT_THAT(large.error().message, HasSubstr("4100"));
  HandMade many = scale_plan(64, 0);
  many.plan.passes[0].dispatch = {1001, 1, 1};
  const auto wide = many.prepare(runtime);
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().code, ErrorCode::limit);
  EXPECT_THAT(wide.error().message, HasSubstr("maxComputeWorkgroupsPerDimension"));
}

TEST(Device, BadLimitsAreErrors) {
  for (const auto& [name, number] :
       std::map<std::string, double>{{"maxSomething", 5}, {"maxBufferSize", 0}, {"maxBufferSize2", 1.5}}) {
    OpenOptions options;
    options.limits = {{name, number}};
    const auto device = Device::open(options);
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(device.error().message, HasSubstr(name));
  }
  OpenOptions options;
  options.limits = {{"maxComputeWorkgroupSizeX", 1e6}};
  const auto device = Device::open(options);
  ASSERT_FALSE(device);
  EXPECT_THAT(device.error().message, HasSubstr("the adapter has"));
}

TEST(Device, AdoptsAPlainDeviceAndLeavesItsCallbacksAlone) {
  const auto theirs = make_their_device();
  {
    const auto runtime = Runtime::create(value(Device::adopt(theirs->device)));
    EXPECT_TRUE(runtime->device().info().adopted);
    EXPECT_FALSE(runtime->device().profile().has_feature("shader-f16"));
    EXPECT_FALSE(runtime->device().profile().has_feature("timestamp-query"));
    EXPECT_EQ(runtime->device().limit("maxComputeInvocationsPerWorkgroup"), 256U);

    const auto call = value(scale_plan(8, 1).prepare(runtime));
    const wgpu::Buffer y = filled(runtime->device(), std::vector<float>(8, 0));
    const TensorBinding tensors[] = {{"x", filled(runtime->device(), {1, 2, 3, 4, 5, 6, 7, 8})},
                                     {"w", filled(runtime->device(), std::vector<float>(8, 2))},
                                     {"y", y}};
    HB_ASSERT_OK(run_once(*call, tensors));
    EXPECT_THAT(floats_of(value(read_buffer(runtime->device(), "y", y, 0, 32))),
                ElementsAre(3, 5, 7, 9, 11, 13, 15, 17));

    // Errors that our calls cause come back from the call; the owner's callback hears nothing of them.
    HandMade broken = scale_plan(8, 0);
    broken.shaders["scale"] = "not WGSL";
    broken.plan.passes[0].program = Hasher().add("not WGSL").finish();
    EXPECT_FALSE(broken.prepare(runtime));
    EXPECT_TRUE(theirs->errors.empty());
  }
  // We are gone; the device is still its owner's, and still reports to them.
  EXPECT_FALSE(theirs->lost);
  wgpu::BufferDescriptor bad;
  bad.size = 4;
  bad.usage = wgpu::BufferUsage::MapRead | wgpu::BufferUsage::MapWrite;
  (void)theirs->device.CreateBuffer(&bad);
  EXPECT_EQ(theirs->errors.size(), 1U);
}

TEST(Device, AdoptingALostOrNullDeviceFails) {
  EXPECT_EQ(Device::adopt(nullptr).error().code, ErrorCode::invalid_argument);
  const auto theirs = make_their_device();
  theirs->device.ForceLoss(wgpu::DeviceLostReason::Unknown, "gone");
  EXPECT_EQ(Device::adopt(theirs->device).error().code, ErrorCode::device_lost);
}

TEST(Device, NullBackendTakesEveryFeature) {
  OpenOptions options;
  options.adapter = "null";
  const auto device = value(Device::open(options));
  EXPECT_TRUE(device->profile().has_feature("shader-f16"));
  EXPECT_TRUE(device->profile().has_feature("subgroups"));
  EXPECT_TRUE(device->profile().has_feature("chromium-experimental-subgroup-matrix"));
}

TEST(Device, SubgroupMatricesNeedTheirFeature) {
  const DeviceProfile& profile = shared_runtime()->device().profile();
  EXPECT_EQ(profile.has_feature("chromium-experimental-subgroup-matrix"), !profile.subgroup_matrix_configs.empty());
}

TEST(Device, ManyInARow) {
  for (int i = 0; i < 20; ++i) {
    const auto runtime = Runtime::create(value(Device::open()));
    const auto call = value(scale_plan(4, 1).prepare(runtime));
    const wgpu::Buffer y = filled(runtime->device(), {0, 0, 0, 0});
    const TensorBinding tensors[] = {
        {"x", filled(runtime->device(), {1, 2, 3, 4})}, {"w", filled(runtime->device(), {1, 1, 1, 1})}, {"y", y}};
    HB_ASSERT_OK(run_once(*call, tensors));
    ASSERT_THAT(floats_of(value(read_buffer(runtime->device(), "y", y, 0, 16))), ElementsAre(2, 3, 4, 5));
  }
}

}  // namespace
}  // namespace halfbyte::gpu::testing
