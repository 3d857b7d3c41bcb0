#ifdef HALFBYTE_HAS_GPU
#include "verify_quick.hpp"

#include <filesystem>
#include <print>

#include "gpu/measure_peaks.hpp"
#include "gpu/self_check.hpp"
#include "io/files.hpp"

namespace halfbyte::cmd {
namespace {

Result<void> keep(const gpu::SelfCheckRecord& record, const std::string& path, const Globals& globals) {
  if (path.empty()) {
    if (!globals.quiet) std::println(stderr, "remark: there is no cache folder, so the result is not remembered");
    return {};
  }
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  return write_file(path, to_json_text(record));
}

}  // namespace

Result<int> verify_quick(gpu::Kernel& kernel, std::span<const Case> cases, const std::string& json,
                         const Globals& globals) {
  const uint64_t seed = seed_or_fresh(globals);
  std::vector<Case> own;
  if (cases.empty()) {
    HB_TRY(own, gpu::self_check_cases(kernel.package(), kernel.device().profile()));
    cases = own;
  }
  HB_TRY(const gpu::SelfCheckReport report, gpu::self_check(kernel, cases, seed));
  const gpu::SelfCheckRecord record{gpu::device_key(kernel.device()),
                                    kernel.package().name(),
                                    kernel.package().hash(),
                                    seed,
                                    cases.size(),
                                    report.disabled};
  HB_CHECK(keep(record, gpu::self_check_path(record.device, kernel.package()), globals));
  if (!json.empty()) HB_CHECK(write_file(json, to_json_text(record)));

  int passed = 0, failed = 0;
  for (const gpu::SelfCheckRow& row : report.rows) {
    (row.pass ? passed : failed) += 1;
    if (!row.pass && row.variant.empty()) std::println("FAILED {}: no right variant is left: {}", row.case_id, row.why);
    if (!row.pass && !row.variant.empty()) std::println("FAILED {} by {}: {}", row.case_id, row.variant, row.why);
  }
  if (!globals.quiet) {
    for (const gpu::SelfCheckRow& row : report.rows)
      if (row.pass) std::println("right: {} by {}", row.case_id, row.variant);
    for (const std::string& text : report.unsupported) std::println("cannot run here: {}", text);
    for (const auto& [variant, why] : report.disabled) std::println("disabled on this device: {}", variant);
    std::println("{} on {}, seed {}, {:.2f} s", kernel.package().name(), kernel.device().info().adapter.name, seed,
                 report.seconds);
  }
  std::println("{} passed, {} failed, {} skipped", passed, failed, report.unsupported.size());
  return failed == 0 && passed > 0 ? 0 : 1;
}

void leave_out_failed(gpu::Kernel& kernel, const Globals& globals) {
  const auto failures = gpu::recorded_failures(kernel.device(), kernel.package());
  kernel.disable(failures);
  if (globals.quiet) return;
  for (const auto& [variant, why] : failures)
    std::println(stderr, "remark: {} is left out, since verify --quick found it wrong on this device ({})", variant,
                 why);
}

}  // namespace halfbyte::cmd
#endif
