#ifdef HALFBYTE_HAS_GPU
#include "device_measure.hpp"

#include <filesystem>
#include <print>

#include "bench/peaks.hpp"
#include "bench/report.hpp"
#include "gpu/measure_peaks.hpp"
#include "io/blob_store.hpp"
#include "io/files.hpp"
#include "io/kernel_path.hpp"
#include "table.hpp"

namespace halfbyte::cmd {
namespace {

Result<std::shared_ptr<gpu::Kernel>> peaks_kernel(const std::shared_ptr<gpu::Runtime>& runtime) {
  HB_TRY(const std::string folder, find_package(kPeaksPackage));
  HB_TRY(Package package, load_package(folder));
  return gpu::Kernel::create(runtime, std::move(package));
}

void keep(const DeviceRecord& record, const Globals& globals) {
  const std::string path = device_record_path(record.key);
  if (path.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  const auto written = write_file(path, to_json_text(record));
  if (!written && !globals.quiet)
    std::println(stderr, "remark: the device's record is not kept: {}", written.error().message);
}

}  // namespace

std::string device_record_path(const DeviceKey& key) {
  const std::string folder = cache_folder("devices");
  return folder.empty() ? "" : folder + "/" + key.hash().hex() + ".json";
}

Result<DeviceRecord> measure_device(const std::shared_ptr<gpu::Runtime>& runtime, const Globals& globals) {
  HB_TRY(const auto kernel, peaks_kernel(runtime));
  gpu::PeakOptions options = gpu::peak_options(runtime->device());
  options.seed = seed_or_fresh(globals);
  if (show_progress(globals))
    options.progress = [](const std::string& what) { progress_line("measuring this device: " + what); };
  HB_TRY(DeviceRecord record, gpu::measure_peaks(*kernel, options));
  progress_line("");
  keep(record, globals);
  return record;
}

std::optional<DeviceRecord> kept_device(const std::shared_ptr<gpu::Runtime>& runtime) {
  const DeviceKey key = gpu::device_key(runtime->device());
  const auto text = read_text(device_record_path(key));
  if (!text) return std::nullopt;
  const auto record = parse_device_record(*text, device_record_path(key));
  const auto kernel = peaks_kernel(runtime);
  if (!record || !kernel || record->key != key || record->package != (*kernel)->package().hash()) return std::nullopt;
  return *record;
}

Result<DeviceRecord> known_device(const std::shared_ptr<gpu::Runtime>& runtime, const Globals& globals) {
  if (auto record = kept_device(runtime)) return std::move(*record);
  return measure_device(runtime, globals);
}

void print_peaks(const DeviceRecord& record) {
  Table table({"peak", ">measured", ">spread", ""});
  for (const Peak& peak : record.peaks) {
    if (peak.value > 0) {
      table.add(
          {peak.id, value_text(peak), std::format("{:.1f} %", 100 * peak.spread), peak.checked ? "" : "not checked"});
    } else {
      table.add({peak.id, "-", "", peak.why});
    }
  }
  table.print(stdout);
  std::println("clock: {}", record.clock);
}

}  // namespace halfbyte::cmd
#endif
