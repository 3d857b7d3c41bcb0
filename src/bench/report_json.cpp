#include <nlohmann/json.hpp>

#include "bench/report.hpp"

namespace halfbyte {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kBenchSchema = "halfbyte.bench/1";
constexpr Unit kUnits[] = {Unit::fma_f32, Unit::fma_f16, Unit::dot_i8, Unit::matrix_f16, Unit::matrix_i8};

ordered_json row_json(const BenchRow& row) {
  ordered_json out{{"case", row.id},
                   {"model", row.model},
                   {"layer", row.layer},
                   {"count", row.count},
                   {"group", row.group},
                   {"M", row.work.M},
                   {"K", row.work.K},
                   {"N", row.work.N},
                   {"bits", row.work.bits},
                   {"block_size", row.work.block_size},
                   {"dtype", row.dtype},
                   {"accuracy_level", row.accuracy_level},
                   {"zero_points", row.zero_points},
                   {"bias", row.bias},
                   {"flops", row.work.flops},
                   {"weight_bytes", row.work.weight_bytes},
                   {"activation_bytes", row.work.activation_bytes},
                   {"variant", row.variant},
                   {"tunables", row.tunables},
                   {"chosen", row.chosen},
                   {"tuned", row.tuned}};
  if (!row.why.empty()) out["why"] = row.why;
  if (row.measured()) {
    const Summary& s = row.seconds;
    out["us"] = s.median * 1e6;
    out["us_low"] = s.low * 1e6;
    out["us_high"] = s.high * 1e6;
    out["us_min"] = s.min * 1e6;
    out["us_max"] = s.max * 1e6;
    out["spread"] = s.spread();
    out["samples"] = s.count;
    out["repetitions"] = row.repetitions;
    out["enough_clock_steps"] = row.enough_steps;
    out["slowest_round"] = row.slowest_round;
    out["tflops"] = row.flops_per_second() * 1e-12;
    out["weight_gbps"] = row.weight_bytes_per_second() * 1e-9;
  }
  out["unit"] = name(row.unit);
  if (row.limit)
    out["limit"] = {{"kind", row.limit->kind}, {"peak", row.limit->peak}, {"us", row.limit->seconds * 1e6}};
  if (const auto share = row.share()) out["share"] = *share;
  out["passes"] = row.passes;
  if (row.prepack_passes > 0)
    out["prepack"] = {{"passes", row.prepack_passes}, {"bytes", row.packed_bytes}, {"timed", false}};
  out["weight_sets"] = row.weight_sets;
  out["rotated_bytes"] = row.rotated_bytes;
  if (row.checked) out["check"] = {{"pass", row.right}, {"error", row.error}, {"bound", row.bound}};
  if (!row.ties.empty()) out["ties"] = row.ties;
  if (row.other) {
    out["other"] = {{"us", row.other->seconds * 1e6}, {"note", row.other->note}};
    if (row.measured()) out["other"]["ratio"] = row.other->seconds / row.seconds.median;
  }
  return out;
}

ordered_json sums_json(const BenchReport& report) {
  ordered_json out = ordered_json::array();
  for (const ModelSum& sum : model_sums(report)) {
    ordered_json item{{"model", sum.model},
                      {"dtype", sum.dtype},
                      {"M", sum.M},
                      {"layers", sum.layers},
                      {"us", sum.seconds * 1e6},
                      {"tokens_per_second", sum.tokens_per_second()},
                      {"weight_bytes", sum.weight_bytes},
                      {"head_for_last_token_only", sum.last_token_only}};
    if (sum.limit_seconds > 0) item["share"] = sum.limit_seconds / sum.seconds;
    if (sum.other_seconds > 0) item["other_ratio"] = sum.other_seconds / sum.seconds;
    out.push_back(std::move(item));
  }
  return out;
}

// The functions below throw json::exception on values of the wrong type.
Summary read_summary(const json& in) {
  Summary s;
  s.count = in.at("samples");
  s.median = in.at("us").get<double>() * 1e-6;
  s.low = in.value("us_low", s.median * 1e6) * 1e-6;
  s.high = in.value("us_high", s.median * 1e6) * 1e-6;
  s.min = in.value("us_min", s.low * 1e6) * 1e-6;
  s.max = in.value("us_max", s.high * 1e6) * 1e-6;
  return s;
}

Unit read_unit(const std::string& text) {
  for (const Unit unit : kUnits) {
    if (name(unit) == text) return unit;
  }
  return Unit::fma_f32;
}

BenchRow read_row(const json& in) {
  BenchRow row;
  row.id = in.at("case");
  row.model = in.value("model", "");
  row.layer = in.value("layer", "");
  row.count = in.value("count", 1.0);
  row.group = in.value("group", "");
  row.dtype = in.value("dtype", "");
  row.accuracy_level = in.value("accuracy_level", int64_t{0});
  row.zero_points = in.value("zero_points", false);
  row.bias = in.value("bias", false);
  row.work = {in.at("M"),
              in.at("N"),
              in.at("K"),
              in.value("bits", 0.0),
              in.value("block_size", 0.0),
              in.at("flops"),
              in.at("weight_bytes"),
              in.at("activation_bytes")};
  row.variant = in.at("variant");
  for (const auto& [key, value] : in.value("tunables", json::object()).items()) row.tunables[key] = value.get<double>();
  row.chosen = in.value("chosen", false);
  row.tuned = in.value("tuned", false);
  row.why = in.value("why", "");
  if (in.contains("us")) row.seconds = read_summary(in);
  row.repetitions = in.value("repetitions", int64_t{0});
  row.enough_steps = in.value("enough_clock_steps", true);
  row.slowest_round = in.value("slowest_round", 1.0);
  row.unit = read_unit(in.value("unit", ""));
  if (in.contains("limit")) {
    const json& limit = in.at("limit");
    row.limit = Limit{limit.at("kind"), limit.at("peak"), limit.at("us").get<double>() * 1e-6};
  }
  row.passes = in.value("passes", 0);
  if (in.contains("prepack")) {
    row.prepack_passes = in.at("prepack").at("passes");
    row.packed_bytes = in.at("prepack").at("bytes");
  }
  row.weight_sets = in.value("weight_sets", uint64_t{0});
  row.rotated_bytes = in.value("rotated_bytes", uint64_t{0});
  if (in.contains("check")) {
    row.checked = true;
    row.right = in.at("check").at("pass");
    row.error = in.at("check").value("error", 0.0);
    row.bound = in.at("check").value("bound", 0.0);
  }
  row.ties = in.value("ties", std::vector<std::string>{});
  if (in.contains("other"))
    row.other = OtherTime{in.at("other").at("us").get<double>() * 1e-6, in.at("other").value("note", "")};
  return row;
}

Result<Hash128> read_hash(const std::string& text, const std::string& file) {
  const bool hex = text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!hex)
    return fail(ErrorCode::parse, std::format("\"{}\" is not a package hash of 32 hexadecimal digits", text), {file});
  return Hash128{std::stoull(text.substr(0, 16), nullptr, 16), std::stoull(text.substr(16), nullptr, 16)};
}

}  // namespace

std::string to_json_text(const BenchReport& report) {
  ordered_json out{{"schema", kBenchSchema},
                   {"tool", report.tool},
                   {"measured_at", report.measured_at},
                   {"package", report.package},
                   {"package_hash", report.package_hash.hex()}};
  out["device"] = ordered_json::parse(to_json_text(report.device));
  out["clock"] = report.clock;
  out["cached"] = report.cached;
  out["rotate_bytes"] = report.rotate_bytes;
  out["seed"] = report.seed;
  out["other_runtime"] = report.other_runtime;
  out["remarks"] = report.remarks;
  out["model_sums"] = sums_json(report);
  out["results"] = ordered_json::array();
  for (const BenchRow& row : report.rows) out["results"].push_back(row_json(row));
  return out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<BenchReport> parse_bench_report(std::string_view json_text, const std::string& file) {
  try {
    const json in = json::parse(json_text);
    if (in.value("schema", "") != kBenchSchema)
      return fail(ErrorCode::parse, std::format("not a bench report: \"schema\" must be \"{}\"", kBenchSchema), {file});
    BenchReport report;
    report.tool = in.value("tool", "");
    report.measured_at = in.value("measured_at", "");
    report.package = in.at("package");
    HB_TRY(report.package_hash, read_hash(in.at("package_hash"), file));
    HB_TRY(report.device, parse_device_record(in.at("device").dump(), file));
    report.clock = in.value("clock", "");
    report.cached = in.value("cached", false);
    report.rotate_bytes = in.value("rotate_bytes", uint64_t{0});
    report.seed = in.value("seed", uint64_t{0});
    report.other_runtime = in.value("other_runtime", "");
    report.remarks = in.value("remarks", std::vector<std::string>{});
    for (const json& item : in.at("results")) report.rows.push_back(read_row(item));
    return report;
  } catch (const json::exception& error) {
    return fail(ErrorCode::parse, std::format("not a bench report: {}", error.what()), {file});
  }
}

}  // namespace halfbyte
