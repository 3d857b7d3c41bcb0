#include "gpu/adapters.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace halfbyte::gpu {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

int type_rank(wgpu::AdapterType type) {
  switch (type) {
    case wgpu::AdapterType::DiscreteGPU: return 0;
    case wgpu::AdapterType::IntegratedGPU: return 1;
    case wgpu::AdapterType::CPU: return 3;
    default: return 2;  // virtual GPUs are reported as unknown
  }
}

int backend_rank(wgpu::BackendType backend) {
  switch (backend) {
    case wgpu::BackendType::Vulkan:
    case wgpu::BackendType::Metal:
    case wgpu::BackendType::D3D12: return 0;
    case wgpu::BackendType::D3D11: return 1;
    default: return 2;
  }
}

std::tuple<int, int> rank(const wgpu::Adapter& adapter) {
  wgpu::AdapterInfo info;
  adapter.GetInfo(&info);
  return {type_rank(info.adapterType), backend_rank(info.backendType)};
}

std::string default_reason(const std::vector<FoundAdapter>& all, size_t best) {
  if (all.size() == 1) return "the only adapter";
  const std::string& type = all[best].summary.type;
  if (rank(all[best].adapter) == std::tuple(3, 0) || rank(all[best].adapter) == std::tuple(3, 2)) {
    return "a CPU, because no GPU was found";
  }
  const bool other_types = std::ranges::any_of(all, [&](const FoundAdapter& a) { return a.summary.type != type; });
  if (other_types) return "a " + type + " comes before all others here";
  return "the first of " + std::to_string(all.size()) + " of its kind";
}

void mark_default(std::vector<FoundAdapter>& all) {
  if (all.empty()) return;
  size_t best = 0;
  for (size_t i = 1; i < all.size(); ++i) {
    if (rank(all[i].adapter) < rank(all[best].adapter)) best = i;
  }
  for (size_t i = 0; i < all.size(); ++i) {
    AdapterSummary& summary = all[i].summary;
    summary.is_default = i == best;
    if (i == best) {
      summary.reason = default_reason(all, best);
    } else if (type_rank(wgpu::AdapterType::CPU) == std::get<0>(rank(all[i].adapter))) {
      summary.reason = "a CPU comes after every GPU";
    } else {
      summary.reason = "not before adapter " + std::to_string(best) + " (" + all[best].summary.type + ")";
    }
  }
}

bool matches(const AdapterSummary& summary, const std::string& wanted) {
  const std::string part = lower(wanted);
  if (parse_backend(part)) return summary.backend == part;
  int index = -1;
  const auto parsed = std::from_chars(part.data(), part.data() + part.size(), index);
  if (parsed.ec == std::errc{} && parsed.ptr == part.data() + part.size()) return summary.index == index;
  for (const std::string* text : {&summary.name, &summary.description, &summary.vendor, &summary.architecture}) {
    if (lower(*text).contains(part)) return true;
  }
  return false;
}

Error not_found(const std::vector<FoundAdapter>& all, const std::string& wanted) {
  Error error{ErrorCode::not_found, {}, {}, {}};
  if (all.empty()) {
    error.message = "no WebGPU adapter was found; install a Vulkan driver (mesa-vulkan-drivers has one for the CPU)";
    error.notes = recent_messages();
    return error;
  }
  error.message =
      std::format("no adapter matches '{}'; give part of a name, an index or a backend of those listed", wanted);
  for (const FoundAdapter& found : all) {
    const AdapterSummary& s = found.summary;
    error.notes.push_back(std::format("{}: {} ({}, {})", s.index, s.name, s.backend, s.type));
  }
  return error;
}

// Asking only for these keeps Dawn from loading libraries nobody wants; the Null backend is no adapter to choose.
constexpr wgpu::BackendType kNativeBackends[] = {
#if defined(_WIN32)
    wgpu::BackendType::D3D12,
    wgpu::BackendType::Vulkan,
    wgpu::BackendType::D3D11,
#elif defined(__APPLE__)
    wgpu::BackendType::Metal,
#else
    wgpu::BackendType::Vulkan,
    wgpu::BackendType::OpenGLES,
#endif
};

}  // namespace

AdapterSummary summarize(const wgpu::Adapter& adapter) {
  wgpu::AdapterInfo info;
  adapter.GetInfo(&info);
  AdapterSummary summary;
  summary.name = std::string_view(info.device);
  summary.vendor = std::string_view(info.vendor);
  summary.architecture = std::string_view(info.architecture);
  summary.description = std::string_view(info.description);
  summary.backend = name(info.backendType);
  summary.type = name(info.adapterType);
  return summary;
}

std::vector<FoundAdapter> find_adapters(const wgpu::Instance& instance, wgpu::FeatureLevel level,
                                        const Toggles& toggles) {
  std::vector<FoundAdapter> all;
  for (const wgpu::BackendType backend : kNativeBackends) {
    // OpenGL ES is a last resort: its adapters are mostly the same devices once more, at the compatibility level.
    if (backend == wgpu::BackendType::OpenGLES && !all.empty()) continue;
    for (wgpu::Adapter& adapter : enumerate_adapters(instance, backend, level, toggles)) {
      FoundAdapter found{std::move(adapter), {}};
      found.summary = summarize(found.adapter);
      found.summary.index = static_cast<int>(all.size());
      all.push_back(std::move(found));
    }
  }
  mark_default(all);
  return all;
}

Result<FoundAdapter> pick_adapter(const wgpu::Instance& instance, wgpu::FeatureLevel level, const Toggles& toggles,
                                  const std::string& wanted) {
  const auto backend = parse_backend(lower(wanted));
  if (backend == wgpu::BackendType::Null || backend == wgpu::BackendType::OpenGLES ||
      backend == wgpu::BackendType::OpenGL) {
    for (wgpu::Adapter& adapter : enumerate_adapters(instance, *backend, level, toggles)) {
      FoundAdapter found{std::move(adapter), {}};
      found.summary = summarize(found.adapter);
      found.summary.reason = "asked for";
      return found;
    }
  }
  const std::vector<FoundAdapter> all = find_adapters(instance, level, toggles);
  for (const FoundAdapter& found : all) {
    if (wanted.empty() ? found.summary.is_default : matches(found.summary, wanted)) {
      FoundAdapter result = found;
      if (!wanted.empty()) result.summary.reason = "asked for";
      return result;
    }
  }
  return fail(not_found(all, wanted));
}

Result<std::vector<AdapterSummary>> list_adapters() {
  const wgpu::Instance instance = create_instance();
  if (!instance) return fail(ErrorCode::gpu, "WebGPU could not be started");
  std::vector<AdapterSummary> summaries;
  for (FoundAdapter& found : find_adapters(instance, wgpu::FeatureLevel::Core, default_toggles(true))) {
    summaries.push_back(std::move(found.summary));
  }
  return summaries;
}

}  // namespace halfbyte::gpu
