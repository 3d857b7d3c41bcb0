#include "gpu/device.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "gpu/adapters.hpp"
#include "gpu/gpu_error.hpp"
#include "gpu/living.hpp"
#include "gpu/probe.hpp"

namespace halfbyte::gpu {

// Written by WebGPU's callbacks, from any thread. WebGPU's lost callback holds a reference, so that it lives until the device is lost even
// when the caller keeps a wgpu::Device longer than us.
struct Device::Callbacks {
  std::mutex mutex;
  bool lost = false;
  std::string lost_message;
  std::vector<std::string> uncaptured;
};

class Device::CountedCache final : public BlobCache {
 public:
  explicit CountedCache(std::shared_ptr<BlobCache> inner) : inner_(std::move(inner)) {}

  std::optional<std::vector<std::byte>> load(std::span<const std::byte> key) override {
    auto blob = inner_->load(key);
    ++(blob ? hits_ : misses_);
    if (blob) bytes_read_ += blob->size();
    return blob;
  }
  void store(std::span<const std::byte> key, std::span<const std::byte> value) override {
    inner_->store(key, value);
    ++stored_;
    bytes_written_ += value.size();
  }
  CacheStats stats() const { return {hits_, misses_, stored_, bytes_read_, bytes_written_}; }

 private:
  std::shared_ptr<BlobCache> inner_;
  std::atomic<uint64_t> hits_ = 0, misses_ = 0, stored_ = 0, bytes_read_ = 0, bytes_written_ = 0;
};

namespace {

constexpr size_t kKeptErrors = 16;

// Below these a core device cannot be opened; WebGPU's compatibility level can (its defaults are half of them).
bool below_core(const std::map<std::string, double>& limits) {
  return std::ranges::any_of(limits, [](const auto& entry) {
    const KnownLimit* limit = find_limit(entry.first);
    return limit->name.starts_with("maxComputeInvocations") || limit->name.starts_with("maxComputeWorkgroupSize")
               ? entry.second < limit->core_default
               : false;
  });
}

Result<wgpu::Limits> wanted_limits(const wgpu::Adapter& adapter, const std::map<std::string, double>& overrides) {
  wgpu::Limits limits;
  adapter.GetLimits(&limits);
  limits.nextInChain = nullptr;
  for (const auto& [limit_name, value] : overrides) {
    const KnownLimit* limit = find_limit(limit_name);
    const double has = limit->get(limits);
    if (limit->is_alignment ? value < has : value > has) {
      return fail(ErrorCode::invalid_argument,
                  std::format("limit {} cannot be set to {:.0f}: the adapter has {:.0f}", limit_name, value, has));
    }
    limit->set(limits, value);
  }
  return limits;
}

std::vector<wgpu::FeatureName> wanted_features(const wgpu::Adapter& adapter, const FeatureGroups& disabled,
                                               bool experimental, bool core) {
  std::vector<wgpu::FeatureName> features;
  for (const KnownFeature& feature : known_features()) {
    if (!adapter.HasFeature(feature.id) || hidden(feature, disabled)) continue;
    if (feature.experimental && !experimental) continue;
    if (feature.id == wgpu::FeatureName::CoreFeaturesAndLimits && !core) continue;
    features.push_back(feature.id);
  }
  return features;
}

// Programs compiled for another driver, or by another version of us, must never be found. Dawn adds its own version.
std::string isolation_key(const AdapterSummary& adapter, const Toggles& toggles) {
  std::string key =
      "halfbyte 1/" + adapter.backend + "/" + adapter.vendor + "/" + adapter.name + "/" + adapter.description;
  for (const std::string& toggle : toggles.enabled) key += "/+" + toggle;
  return key;
}

// A limit that a device hides, or gives as nonsense, counts as WebGPU's default, which every device has.
void fill_missing_limits(DeviceProfile& profile) {
  for (const KnownLimit& limit : known_limits()) {
    const std::optional<double> value = profile.limit(limit.name);
    if (!value || !(*value >= 1)) profile.limits[std::string(limit.name)] = limit.core_default;
  }
}

}  // namespace

struct DeviceBuilder {
  static Result<std::shared_ptr<Device>> open(const OpenOptions& options);
  static Result<void> create(Device& device, const FoundAdapter& found, const OpenOptions& options,
                             const Toggles& toggles, const wgpu::Limits& limits, bool experimental, bool core);
  static void finish(Device& device, const FeatureGroups& disabled, const std::map<std::string, double>& limits);
};

Result<void> DeviceBuilder::create(Device& device, const FoundAdapter& found, const OpenOptions& options,
                                   const Toggles& toggles, const wgpu::Limits& limits, bool experimental, bool core) {
  const auto features = wanted_features(found.adapter, options.disabled, experimental, core);
  if (options.cache && !device.cache_) device.cache_ = std::make_shared<Device::CountedCache>(options.cache);
  const DeviceChain chain(toggles, device.cache_, isolation_key(found.summary, toggles));
  auto callbacks = std::make_shared<Device::Callbacks>();

  wgpu::DeviceDescriptor descriptor;
  descriptor.nextInChain = chain.get();
  descriptor.label = "halfbyte";
  descriptor.requiredFeatureCount = features.size();
  descriptor.requiredFeatures = features.data();
  descriptor.requiredLimits = &limits;
  descriptor.SetUncapturedErrorCallback(
      [](const wgpu::Device&, wgpu::ErrorType, wgpu::StringView text, void* number) {
        const auto state = Living<Device::Callbacks>::find(number);
        if (!state) return;
        const std::scoped_lock lock(state->mutex);
        if (state->uncaptured.size() < kKeptErrors) state->uncaptured.emplace_back(std::string_view(text));
      },
      Living<Device::Callbacks>::add(callbacks));
  descriptor.SetDeviceLostCallback(
      wgpu::CallbackMode::AllowSpontaneous,
      [callbacks, cache = chain.cache_state()](const wgpu::Device&, wgpu::DeviceLostReason, wgpu::StringView text) {
        const std::scoped_lock lock(callbacks->mutex);
        if (!callbacks->lost) callbacks->lost_message = std::string_view(text);
        callbacks->lost = true;
      });

  // Here and below a callback owns what it writes: after a timeout or a lost device it comes when the function has long returned.
  struct Answer {
    wgpu::Device created;
    std::string message;
  };
  const auto answer = std::make_shared<Answer>();
  const wgpu::Future future =
      found.adapter.RequestDevice(&descriptor, wgpu::CallbackMode::WaitAnyOnly,
                                  [answer](wgpu::RequestDeviceStatus, wgpu::Device result, wgpu::StringView text) {
                                    answer->created = std::move(result);
                                    answer->message = std::string_view(text);
                                  });
  const auto timeout = std::chrono::duration_cast<std::chrono::nanoseconds>(options.timeout).count();
  if (device.instance_.WaitAny(future, static_cast<uint64_t>(timeout)) != wgpu::WaitStatus::Success) {
    return fail(ErrorCode::timeout, "creating a device on " + found.summary.name + " did not end in time");
  }
  wgpu::Device created = std::move(answer->created);
  if (!created)
    return fail(gpu_error(ErrorCode::gpu, "no device could be created on " + found.summary.name, answer->message));
  silence(created);
  device.device_ = std::move(created);
  device.callbacks_ = std::move(callbacks);
  device.cache_state_ = chain.cache_state();
  return {};
}

void DeviceBuilder::finish(Device& device, const FeatureGroups& disabled, const std::map<std::string, double>& limits) {
  device.queue_ = device.device_.GetQueue();
  device.profile_ = probe_profile(device.instance_, device.device_, disabled, limits);
  device.info_.webgpu = webgpu_build();
  device.info_.toggles = toggles_in_use(device.device_);
  device.info_.thread_safe = device.device_.HasFeature(wgpu::FeatureName::ImplicitDeviceSynchronization);
  wgpu::Limits own;
  device.device_.GetLimits(&own);
  for (const auto& [limit_name, value] : limits) {
    const double kept = find_limit(limit_name)->get(own);
    if (kept != value) {
      device.info_.remarks.push_back(
          std::format("limit {} is held to {:.0f} by halfbyte; WebGPU itself keeps {:.0f} on this device", limit_name,
                      value, kept));
    }
  }
}

Result<std::shared_ptr<Device>> DeviceBuilder::open(const OpenOptions& options) {
  HB_CHECK(check_limit_overrides(options.limits));
  const Toggles toggles = default_toggles(options.robustness);
  const bool core = !below_core(options.limits);
  const auto level = core ? wgpu::FeatureLevel::Core : wgpu::FeatureLevel::Compatibility;

  const std::shared_ptr<Device> device(new Device);
  device->instance_ = create_instance();
  if (!device->instance_) return fail(ErrorCode::gpu, "WebGPU could not be started");
  device->timeout_ = options.timeout;
  device->timed_wait_ = true;

  HB_TRY(const FoundAdapter found, pick_adapter(device->instance_, level, toggles, options.adapter));
  HB_TRY(const wgpu::Limits limits, wanted_limits(found.adapter, options.limits));
  device->info_.adapter = found.summary;
  Result<void> created = create(*device, found, options, toggles, limits, true, core);
  if (!created) {
    const Error first = created.error();
    created = create(*device, found, options, toggles, limits, false, core);
    if (!created) return fail(first);
    device->info_.remarks.push_back("opened without experimental features, since with them: " + first.message);
  }
  if (!core) device->info_.remarks.push_back("opened at WebGPU's compatibility level, for limits below the core ones");
  finish(*device, options.disabled, options.limits);
  if (options.alter_profile) options.alter_profile(device->profile_);
  fill_missing_limits(device->profile_);
  device->faults_ = options.faults;
  return device;
}

Result<std::shared_ptr<Device>> Device::open(const OpenOptions& options) { return DeviceBuilder::open(options); }

Result<std::shared_ptr<Device>> Device::adopt(const wgpu::Device& theirs, const FeatureGroups& disabled,
                                              const std::map<std::string, double>& limits,
                                              std::chrono::milliseconds timeout) {
  if (!theirs) return fail(ErrorCode::invalid_argument, "the device to adopt is null");
  HB_CHECK(check_limit_overrides(limits));
  const std::shared_ptr<Device> device(new Device);
  const wgpu::Adapter adapter = theirs.GetAdapter();
  device->device_ = theirs;
  device->instance_ = adapter.GetInstance();
  device->timeout_ = timeout;
  device->info_.adapter = summarize(adapter);
  device->info_.adapter.reason = "the caller's device";
  device->info_.adopted = true;
  DeviceBuilder::finish(*device, disabled, limits);
  if (!device->info_.thread_safe) {
    device->info_.remarks.push_back("the device has no implicit synchronization: use it from one thread at a time");
  }
  HB_CHECK(device->check());
  return device;
}

Device::~Device() = default;

CacheStats Device::cache_stats() const { return cache_ ? cache_->stats() : CacheStats{}; }

uint64_t Device::limit(std::string_view limit_name) const {
  const std::optional<double> value = profile_.limit(limit_name);
  if (value && *value >= 1 && *value < 0x1p63) return static_cast<uint64_t>(*value);
  const KnownLimit* known = find_limit(limit_name);
  return known ? static_cast<uint64_t>(known->core_default) : 0;
}

Error Device::lost_error() const {
  std::string message =
      "the device was lost; open a new one, and if one long dispatch caused it, run fewer rows at a time";
  if (!callbacks_) return {ErrorCode::device_lost, message, {}, {}};
  const std::scoped_lock lock(callbacks_->mutex);
  return gpu_error(ErrorCode::device_lost, message, callbacks_->lost_message);
}

Result<void> Device::check() const {
  // The lost callback may not have been delivered yet, and an adopted device has one of its owner's: ask the device itself.
  if (is_lost(device_)) return fail(lost_error());
  return {};
}

Result<void> Device::wait(wgpu::Future future, std::string_view what) const {
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + timeout_;
  auto pause = std::chrono::microseconds(20);
  while (faulty(FaultPoint::wait, what)) {
    HB_CHECK(check());
    if (steady_clock::now() >= deadline)
      return fail(ErrorCode::timeout, std::format("{} did not end within {} s", what, timeout_.count() / 1000.0));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  while (true) {
    // An adopted device's instance may not allow timed waits, so there it is asked again and again.
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - steady_clock::now()).count();
    const uint64_t patience = timed_wait_ && left > 0 ? static_cast<uint64_t>(left) : 0;
    const wgpu::WaitStatus status = instance_.WaitAny(future, patience);
    if (status == wgpu::WaitStatus::Success) return check();
    if (status == wgpu::WaitStatus::Error) return fail(ErrorCode::gpu, std::format("waiting for {} failed", what));
    HB_CHECK(check());
    if (steady_clock::now() >= deadline) {
      return fail(ErrorCode::timeout, std::format("{} did not end within {} s", what, timeout_.count() / 1000.0));
    }
    if (!timed_wait_) std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(1000));
  }
}

Result<void> Device::scoped(std::string_view what, const std::function<void()>& body) const {
  HB_CHECK(check());
  constexpr wgpu::ErrorFilter kFilters[] = {wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory,
                                            wgpu::ErrorFilter::Validation};
  const auto first = std::make_shared<std::optional<Error>>();
  {
    const std::scoped_lock lock(scope_mutex_);
    for (const wgpu::ErrorFilter filter : kFilters) device_.PushErrorScope(filter);
    body();
    for (size_t i = 0; i < std::size(kFilters); ++i) {
      const auto popped = [first, name = std::string(what)](wgpu::PopErrorScopeStatus, wgpu::ErrorType type,
                                                            wgpu::StringView text) {
        if (type == wgpu::ErrorType::NoError || *first) return;
        const bool memory = type == wgpu::ErrorType::OutOfMemory;
        *first = gpu_error(memory ? ErrorCode::out_of_memory : ErrorCode::gpu, name, text);
      };
      const wgpu::Future future = device_.PopErrorScope(wgpu::CallbackMode::WaitAnyOnly, popped);
      // Complete already: Dawn knows an error when the call that made it returns.
      if (instance_.WaitAny(future, 0) != wgpu::WaitStatus::Success && !*first) {
        *first = Error{ErrorCode::gpu, std::format("{}: the error scope gave no answer", what), {}, {}};
      }
    }
  }
  HB_CHECK(check());
  if (*first) return fail(std::move(**first));
  return {};
}

void Device::submit(const wgpu::CommandBuffer& commands, std::string_view what) const {
  (void)faulty(FaultPoint::submit, what);
  queue_.Submit(1, &commands);
  (void)faulty(FaultPoint::submitted, what);
}

bool Device::faulty(FaultPoint point, std::string_view what) const {
  if (!faults_) return false;
  const Fault fault = faults_(point, what);
  if (fault == Fault::out_of_memory)
    inject_error(device_, wgpu::ErrorType::OutOfMemory, "no memory, as a test wants it");
  if (fault == Fault::validation) inject_error(device_, wgpu::ErrorType::Validation, "not valid, as a test wants it");
  if (fault == Fault::lose_device) lose(device_, "lost, as a test wants it");
  return fault == Fault::refuse || fault == Fault::never;
}

Result<void> Device::finish(std::string_view what) const {
  HB_CHECK(check());
  struct Answer {
    bool done = false;
    std::string message;
  };
  const auto answer = std::make_shared<Answer>();
  const wgpu::Future future = queue_.OnSubmittedWorkDone(
      wgpu::CallbackMode::WaitAnyOnly, [answer](wgpu::QueueWorkDoneStatus status, wgpu::StringView text) {
        answer->done = status == wgpu::QueueWorkDoneStatus::Success;
        answer->message = std::string_view(text);
      });
  HB_CHECK(wait(future, what));
  if (!answer->done) return fail(gpu_error(ErrorCode::gpu, std::format("{} failed", what), answer->message));
  return {};
}

std::vector<std::string> Device::take_uncaptured_errors() const {
  if (!callbacks_) return {};
  const std::scoped_lock lock(callbacks_->mutex);
  return std::exchange(callbacks_->uncaptured, {});
}

}  // namespace halfbyte::gpu
