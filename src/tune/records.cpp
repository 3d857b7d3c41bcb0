#include "tune/records.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "manifest/json.hpp"

namespace halfbyte {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kSchema = "halfbyte.tuning/1";

ordered_json device_json(const DeviceKey& key) {
  return {{"adapter", key.adapter}, {"vendor", key.vendor}, {"architecture", key.architecture},
          {"backend", key.backend}, {"driver", key.driver}, {"webgpu", key.webgpu}};
}

ordered_json point_json(const TunedPoint& point) {
  ordered_json out{{"M", point.M}, {"complete", point.complete}};
  out["default"] = {{"variant", point.default_variant}, {"us", point.default_seconds * 1e6}};
  out["candidates"] = ordered_json::array();
  for (const MeasuredCandidate& m : point.measured) {
    out["candidates"].push_back({{"variant", m.candidate.variant},
                                 {"tunables", m.candidate.tunables},
                                 {"us", m.seconds * 1e6},
                                 {"spread", m.spread}});
  }
  out["ties"] = point.ties;
  out["failed"] = point.failed;
  return out;
}

// The functions below throw json::exception on values of the wrong type.
int64_t read_rows(const json& in) {
  // The library takes any number for an integer, cut to what fits.
  if (!in.is_number_integer() || in < 0 || in > (int64_t{1} << 53))
    throw json::type_error::create(302, "\"M\" must be a whole number, 0 or more", &in);
  return in.get<int64_t>();
}

TunedPoint read_point(const json& in) {
  TunedPoint point;
  point.M = read_rows(in.at("M"));
  point.complete = in.at("complete");
  point.default_variant = in.at("default").at("variant");
  point.default_seconds = in.at("default").at("us").get<double>() * 1e-6;
  for (const json& item : in.at("candidates")) {
    MeasuredCandidate measured;
    measured.candidate.variant = item.at("variant");
    for (const auto& [name, value] : item.at("tunables").items())
      measured.candidate.tunables[name] = value.get<double>();
    measured.seconds = item.at("us").get<double>() * 1e-6;
    measured.spread = item.at("spread");
    if (measured.seconds > 0) point.measured.push_back(std::move(measured));
  }
  point.ties = in.value("ties", std::vector<std::string>{});
  point.failed = in.value("failed", std::vector<std::string>{});
  return point;
}

Result<Hash128> read_hash(const std::string& text, const std::string& file) {
  const bool hex = text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!hex)
    return fail(ErrorCode::parse, std::format("\"{}\" is not a package hash of 32 hexadecimal digits", text), {file});
  return Hash128{std::stoull(text.substr(0, 16), nullptr, 16), std::stoull(text.substr(16), nullptr, 16)};
}

Result<RecordKey> read_key(const json& in, const std::string& file) {
  const json& device = in.at("device");
  RecordKey key;
  key.device = {device.at("adapter"), device.at("vendor"), device.at("architecture"),
                device.at("backend"), device.at("driver"), device.at("webgpu")};
  key.package = in.at("package");
  HB_TRY(key.package_hash, read_hash(in.at("package_hash"), file));
  return key;
}

}  // namespace

std::optional<TunedPoint> make_point(const Tuner& tuner, int64_t M) {
  const TunerResult result = tuner.result();
  if (!result.winner) return std::nullopt;
  TunedPoint point;
  point.M = M;
  point.complete = result.complete;
  for (const TunerCandidate& c : tuner.candidates()) {
    if (c.failed()) {
      point.failed.push_back(std::format("{}: {}", c.candidate.label(), c.why));
    } else if (!c.rounds.empty()) {
      const Summary summary = c.summary();
      point.measured.push_back({c.candidate, summary.median, summary.spread()});
    }
  }
  // The winner first, also where another one's median is lower after a single outlier among few rounds.
  const Candidate& winner = tuner.candidates()[*result.winner].candidate;
  std::ranges::stable_sort(point.measured, [&](const MeasuredCandidate& a, const MeasuredCandidate& b) {
    if ((a.candidate == winner) != (b.candidate == winner)) return a.candidate == winner;
    return a.seconds < b.seconds;
  });
  const TunerCandidate& own = tuner.candidates().front();
  point.default_variant = own.candidate.variant;
  if (!own.failed()) point.default_seconds = own.summary().median;
  for (const size_t tie : result.ties) point.ties.push_back(tuner.candidates()[tie].candidate.label());
  return point;
}

Result<TuningRecords> TuningRecords::parse(std::string_view json_text, const std::string& file) {
  TuningRecords records;
  // Says where a text is no JSON, and refuses nesting that would overflow the stack when a state is written out again.
  HB_CHECK(JsonDocument::parse(json_text, file));
  try {
    const json in = json::parse(json_text);
    if (in.value("schema", "") != kSchema)
      return fail(ErrorCode::parse, std::format("not tuning records: \"schema\" must be \"{}\"", kSchema), {file});
    for (const json& entry : in.at("entries")) {
      HB_TRY(const RecordKey key, read_key(entry, file));
      for (const json& item : entry.at("problems")) {
        Problem& problem = records.entries_[key][item.at("problem").get<std::string>()];
        for (const json& p : item.at("points")) {
          TunedPoint point = read_point(p);
          problem.points[point.M] = std::move(point);
        }
        const json unfinished = item.value("unfinished", json::array());
        for (const json& u : unfinished) problem.unfinished[read_rows(u.at("M"))] = u.at("state").dump();
      }
    }
  } catch (const json::exception& error) {
    return fail(ErrorCode::parse, std::format("not tuning records: {}", error.what()), {file});
  }
  return records;
}

std::string TuningRecords::to_json_text() const {
  ordered_json out{{"schema", kSchema}, {"entries", ordered_json::array()}};
  for (const auto& [key, problems] : entries_) {
    ordered_json entry{
        {"device", device_json(key.device)}, {"package", key.package}, {"package_hash", key.package_hash.hex()}};
    entry["problems"] = ordered_json::array();
    for (const auto& [signature, problem] : problems) {
      ordered_json item{{"problem", signature}, {"points", ordered_json::array()}};
      for (const auto& [M, point] : problem.points) item["points"].push_back(point_json(point));
      if (!problem.unfinished.empty()) {
        item["unfinished"] = ordered_json::array();
        for (const auto& [M, state] : problem.unfinished)
          item["unfinished"].push_back({{"M", M}, {"state", ordered_json::parse(state, nullptr, false)}});
      }
      entry["problems"].push_back(std::move(item));
    }
    out["entries"].push_back(std::move(entry));
  }
  return out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

void TuningRecords::set(const RecordKey& key, const std::string& signature, TunedPoint point) {
  Problem& problem = entries_[key][signature];
  problem.unfinished.erase(point.M);
  problem.points[point.M] = std::move(point);
}

const std::map<int64_t, TunedPoint>* TuningRecords::find(const RecordKey& key, const std::string& signature) const {
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return nullptr;
  const auto problem = entry->second.find(signature);
  return problem == entry->second.end() || problem->second.points.empty() ? nullptr : &problem->second.points;
}

void TuningRecords::set_unfinished(const RecordKey& key, const std::string& signature, int64_t M,
                                   std::string tuner_state) {
  Problem& problem = entries_[key][signature];
  problem.unfinished.erase(M);
  if (!tuner_state.empty()) problem.unfinished[M] = std::move(tuner_state);
}

const std::string* TuningRecords::unfinished(const RecordKey& key, const std::string& signature, int64_t M) const {
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return nullptr;
  const auto problem = entry->second.find(signature);
  if (problem == entry->second.end()) return nullptr;
  const auto state = problem->second.unfinished.find(M);
  return state == problem->second.unfinished.end() ? nullptr : &state->second;
}

std::optional<RecordKey> TuningRecords::key_for(const AdapterInfo& adapter, const std::string& package,
                                                Hash128 package_hash) const {
  for (const auto& [key, problems] : entries_) {
    const DeviceKey known = device_key(adapter, key.device.backend, key.device.webgpu);
    if (key.device == known && key.package == package && key.package_hash == package_hash) return key;
  }
  return std::nullopt;
}

std::string TuningRecords::why_none(const RecordKey& key) const {
  if (entries_.contains(key)) return "";
  std::string why;
  for (const auto& [other, problems] : entries_) {
    if (other.package != key.package) continue;
    const auto differs = [&](const std::string& what, const std::string& theirs, const std::string& ours) {
      if (theirs != ours) why = std::format("the records are for {} {}, this is {}", what, theirs, ours);
      return theirs != ours;
    };
    if (differs("adapter", other.device.adapter, key.device.adapter)) continue;
    if (differs("backend", other.device.backend, key.device.backend)) continue;
    if (differs("driver", other.device.driver, key.device.driver)) return why;
    if (differs("WebGPU build", other.device.webgpu, key.device.webgpu)) return why;
    if (differs("package hash", other.package_hash.hex(), key.package_hash.hex())) return why;
  }
  return why;
}

}  // namespace halfbyte
