#include "gpu/dawn_native.hpp"

#include <dawn/dawn_proc_table.h>
#include <dawn/native/DawnNative.h>

#if defined(__linux__)
#include <elf.h>
#include <link.h>
#endif

#include <algorithm>
#include <cstring>
#include <deque>
#include <format>
#include <mutex>
#include <utility>

#include "gpu/living.hpp"

namespace halfbyte::gpu {
namespace {

constexpr size_t kKeptMessages = 16;

// Dawn's logging callback outlives every handle we could tie state to, so the messages are the process's.
struct Messages {
  std::mutex mutex;
  std::deque<std::string> last;
};
Messages& messages() {
  static Messages* const instance = new Messages;  // never destroyed: Dawn's threads may outlive our statics
  return *instance;
}

void keep_message(wgpu::LoggingType, wgpu::StringView text) {
  Messages& all = messages();
  const std::scoped_lock lock(all.mutex);
  all.last.emplace_back(std::string_view(text));
  if (all.last.size() > kKeptMessages) all.last.pop_front();
}

std::vector<const char*> c_strings(std::span<const std::string> texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

// A toggles descriptor together with the pointer arrays it needs.
struct ToggleChain {
  std::vector<std::string> enabled_names, disabled_names;
  std::vector<const char*> enabled, disabled;
  wgpu::DawnTogglesDescriptor descriptor;

  explicit ToggleChain(const Toggles& toggles) : enabled_names(toggles.enabled), disabled_names(toggles.disabled) {
    enabled = c_strings(enabled_names);
    disabled = c_strings(disabled_names);
    descriptor.enabledToggleCount = enabled.size();
    descriptor.enabledToggles = enabled.data();
    descriptor.disabledToggleCount = disabled.size();
    descriptor.disabledToggles = disabled.data();
  }
  ToggleChain(const ToggleChain&) = delete;
  ToggleChain& operator=(const ToggleChain&) = delete;
};

// Dawn asks twice for each blob, on the same thread: first for its size, then for its bytes. The file may change or vanish in
// between, so it is read once and kept for the second call.
struct CacheState {
  std::shared_ptr<BlobCache> cache;

  size_t load(std::span<const std::byte> key, std::byte* value, size_t value_size) {
    thread_local std::vector<std::byte> pending;
    if (value == nullptr) {
      pending = cache->load(key).value_or(std::vector<std::byte>{});
      return pending.size();
    }
    const std::vector<std::byte> blob = std::exchange(pending, {});
    if (blob.size() > value_size) return 0;
    std::memcpy(value, blob.data(), blob.size());
    return blob.size();
  }
};

#if defined(__linux__)
// The first NT_GNU_BUILD_ID note in [begin, begin + size), as hex; empty when there is none.
std::string build_id(uintptr_t begin, size_t size) {
  const uintptr_t end = begin + size;
  const auto aligned = [](size_t bytes) { return (bytes + 3) / 4 * 4; };
  while (begin + sizeof(ElfW(Nhdr)) <= end) {
    const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(begin);
    const uintptr_t description = begin + sizeof(*note) + aligned(note->n_namesz);
    if (note->n_type == NT_GNU_BUILD_ID && description + note->n_descsz <= end) {
      std::string hex;
      for (size_t i = 0; i < note->n_descsz; ++i)
        hex += std::format("{:02x}", reinterpret_cast<const uint8_t*>(description)[i]);
      return hex;
    }
    begin = description + aligned(note->n_descsz);
  }
  return {};
}
#endif

size_t load_blob(size_t key_size, const uint8_t* key, size_t value_size, uint8_t* value, void* state, void*) {
  const std::shared_ptr<CacheState> living = Living<CacheState>::find(state);
  return living ? living->load({reinterpret_cast<const std::byte*>(key), key_size}, reinterpret_cast<std::byte*>(value),
                               value_size)
                : 0;
}

void store_blob(size_t key_size, const uint8_t* key, size_t value_size, const uint8_t* value, void* state, void*) {
  const std::shared_ptr<CacheState> living = Living<CacheState>::find(state);
  if (!living) return;
  living->cache->store({reinterpret_cast<const std::byte*>(key), key_size},
                       {reinterpret_cast<const std::byte*>(value), value_size});
}

}  // namespace

Toggles default_toggles(bool robustness) {
  Toggles toggles{{"allow_unsafe_apis", "vulkan_enable_f16_on_nvidia", "use_vulkan_memory_model"},
                  {"timestamp_quantization"}};
  if (!robustness) toggles.enabled.push_back("disable_robustness");
  return toggles;
}

wgpu::Instance create_instance() {
  // allow_unsafe_apis is an instance toggle too: without it experimental WGSL features are not offered.
  const ToggleChain toggles(Toggles{{"allow_unsafe_apis"}, {}});
  dawn::native::DawnInstanceDescriptor logging;
  logging.SetLoggingCallback(keep_message);
  logging.nextInChain = &toggles.descriptor;
  const wgpu::InstanceFeatureName features[] = {wgpu::InstanceFeatureName::TimedWaitAny,
                                                wgpu::InstanceFeatureName::MultipleDevicesPerAdapter};
  wgpu::InstanceDescriptor descriptor;
  descriptor.nextInChain = &logging;
  descriptor.requiredFeatureCount = std::size(features);
  descriptor.requiredFeatures = features;
  return wgpu::CreateInstance(&descriptor);
}

std::vector<std::string> recent_messages() {
  Messages& all = messages();
  const std::scoped_lock lock(all.mutex);
  return {all.last.begin(), all.last.end()};
}

std::vector<wgpu::Adapter> enumerate_adapters(const wgpu::Instance& instance, wgpu::BackendType backend,
                                              wgpu::FeatureLevel level, const Toggles& toggles) {
  const ToggleChain chain(toggles);
  wgpu::RequestAdapterOptions options;
  options.nextInChain = &chain.descriptor;
  options.featureLevel = level;
  options.backendType = backend;
  const dawn::native::Instance native(reinterpret_cast<dawn::native::InstanceBase*>(instance.Get()));
  std::vector<wgpu::Adapter> adapters;
  for (const dawn::native::Adapter& adapter : native.EnumerateAdapters(&options)) adapters.emplace_back(adapter.Get());
  return adapters;
}

std::vector<std::string> toggles_in_use(const wgpu::Device& device) {
  const std::vector<const char*> names = dawn::native::GetTogglesUsed(device.Get());
  return {names.begin(), names.end()};
}

std::string webgpu_build() {
#if defined(__linux__)
  struct Search {
    uintptr_t inside;
    std::string id;
  };
  // Dawn tells its version to nobody, but the linker gave the library an identity, which lies in memory.
  Search search{reinterpret_cast<uintptr_t>(dawn::native::GetProcs().createInstance), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        const std::span headers(info->dlpi_phdr, info->dlpi_phnum);
        const bool ours = std::ranges::any_of(headers, [&](const auto& h) {
          const uintptr_t begin = info->dlpi_addr + h.p_vaddr;
          return h.p_type == PT_LOAD && wanted.inside >= begin && wanted.inside < begin + h.p_memsz;
        });
        if (!ours) return 0;
        for (const auto& h : headers) {
          if (h.p_type == PT_NOTE && wanted.id.empty()) wanted.id = build_id(info->dlpi_addr + h.p_vaddr, h.p_memsz);
        }
        return 1;
      },
      &search);
  if (!search.id.empty()) return "dawn " + search.id;
#endif
  return "dawn";
}

bool is_lost(const wgpu::Device& device) { return dawn::native::IsDeviceLost(device.Get()); }

struct DeviceChain::Impl {
  ToggleChain toggles;
  std::string isolation_key;
  std::shared_ptr<CacheState> state;
  // The C struct: the C++ one's setters do not compile in the Dawn of 2026-09 (no CArgConverter for them).
  WGPUDawnCacheDeviceDescriptor cache = WGPU_DAWN_CACHE_DEVICE_DESCRIPTOR_INIT;

  explicit Impl(const Toggles& wanted) : toggles(wanted) {}
};

DeviceChain::DeviceChain(const Toggles& toggles, std::shared_ptr<BlobCache> cache, const std::string& isolation_key)
    : impl_(std::make_unique<Impl>(toggles)) {
  if (!cache) return;
  impl_->isolation_key = isolation_key;
  impl_->state = std::make_shared<CacheState>();
  impl_->state->cache = std::move(cache);
  void* const number = Living<CacheState>::add(impl_->state);
  impl_->cache.isolationKey = {impl_->isolation_key.data(), impl_->isolation_key.size()};
  impl_->cache.dawnLoadCacheDataCallbackInfo.callback = load_blob;
  impl_->cache.dawnLoadCacheDataCallbackInfo.userdata1 = number;
  impl_->cache.dawnStoreCacheDataCallbackInfo.callback = store_blob;
  impl_->cache.dawnStoreCacheDataCallbackInfo.userdata1 = number;
  impl_->toggles.descriptor.nextInChain = reinterpret_cast<wgpu::ChainedStruct*>(&impl_->cache);
}

DeviceChain::~DeviceChain() = default;

const wgpu::ChainedStruct* DeviceChain::get() const { return &impl_->toggles.descriptor; }

std::shared_ptr<void> DeviceChain::cache_state() const { return impl_->state; }

void silence(const wgpu::Device& device) { device.SetLoggingCallback(keep_message); }

void inject_error(const wgpu::Device& device, wgpu::ErrorType type, std::string_view message) {
  device.InjectError(type, message);
}

void lose(const wgpu::Device& device, std::string_view message) {
  device.ForceLoss(wgpu::DeviceLostReason::Unknown, message);
}

}  // namespace halfbyte::gpu
