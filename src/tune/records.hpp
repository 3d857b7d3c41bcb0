// What tuning found, kept by adapter, driver, WebGPU implementation and kernel package: a record made under any other of them is not
// used. A file may hold many. JSON schema: docs/benchmarks.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "bench/device_record.hpp"
#include "tune/candidate.hpp"
#include "tune/tuner.hpp"

namespace halfbyte {

struct MeasuredCandidate {
  Candidate candidate;
  double seconds = 0;  // median
  double spread = 0;
};

// One problem at one number of rows.
struct TunedPoint {
  int64_t M = 0;
  std::vector<MeasuredCandidate> measured;  // verified ones, the winner first, then by time
  std::string default_variant;              // the manifest's own choice
  double default_seconds = 0;               // 0: it failed, or was not measured
  std::vector<std::string> ties;            // labels of those within noise of the first
  std::vector<std::string> failed;          // "label: why"
  bool complete = false;
};

struct RecordKey {
  DeviceKey device;
  std::string package;
  Hash128 package_hash;
  auto operator<=>(const RecordKey&) const = default;
};

// Of the tuner's state, `complete` or not. Empty when nothing was measured.
std::optional<TunedPoint> make_point(const Tuner& tuner, int64_t M);

class TuningRecords {
 public:
  static Result<TuningRecords> parse(std::string_view json_text, const std::string& file);
  std::string to_json_text() const;

  // Replaces what was known of that problem and M.
  void set(const RecordKey& key, const std::string& signature, TunedPoint point);
  // Empty when there is none; ascending M.
  const std::map<int64_t, TunedPoint>* find(const RecordKey& key, const std::string& signature) const;

  // The state of a tuner that was cut short; an empty state removes it.
  void set_unfinished(const RecordKey& key, const std::string& signature, int64_t M, std::string tuner_state);
  const std::string* unfinished(const RecordKey& key, const std::string& signature, int64_t M) const;

  // The key of records for a device of which only the profile is known: the one with its adapter and driver. Empty when there is none.
  std::optional<RecordKey> key_for(const AdapterInfo& adapter, const std::string& package, Hash128 package_hash) const;

  // A sentence when there are records for this package, but none under this key: what differs ("another driver: ...").
  std::string why_none(const RecordKey& key) const;
  bool empty() const { return entries_.empty(); }

 private:
  struct Problem {
    std::map<int64_t, TunedPoint> points;
    std::map<int64_t, std::string> unfinished;
  };
  std::map<RecordKey, std::map<std::string, Problem>> entries_;
};

}  // namespace halfbyte
