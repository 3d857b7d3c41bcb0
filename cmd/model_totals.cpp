#ifdef HALFBYTE_HAS_GPU
#include "model_totals.hpp"

#include <algorithm>
#include <map>
#include <print>

#include "bench/report.hpp"
#include "table.hpp"

namespace halfbyte::cmd {

std::vector<ModelTotal> model_totals(std::span<const LayerTime> layers, bool recorded) {
  const bool one_m = std::ranges::all_of(layers, [&](const LayerTime& l) { return l.rows == layers.front().rows; });
  std::map<int64_t, ModelTotal> by_m;
  std::map<int64_t, bool> without_limit;
  for (const LayerTime& layer : layers) {
    const int64_t at = recorded ? 0 : layer.rows;
    ModelTotal& total = by_m[at];
    if (!recorded || one_m) total.M = layer.rows;
    ++total.layers;
    total.weight_bytes += layer.run->work.weight_bytes;
    if (layer.run->seconds.count == 0) continue;  // nothing to do, in no time
    total.seconds += layer.run->seconds.median;
    if (layer.run->limit) {
      total.limit_seconds += layer.run->limit->seconds;
    } else {
      without_limit[at] = true;
    }
  }
  std::vector<ModelTotal> totals;
  for (auto& [at, total] : by_m) {
    if (without_limit[at]) total.limit_seconds = 0;
    totals.push_back(total);
  }
  return totals;
}

void print_totals(std::span<const ModelTotal> totals) {
  const bool limits = std::ranges::any_of(totals, [](const ModelTotal& t) { return t.limit_seconds > 0; });
  std::vector<std::string> headers{"all layers", ">M", ">GPU time", ">tokens/s", ">weights"};
  if (limits) headers.emplace_back(">of limit");
  Table table(headers);
  for (const ModelTotal& t : totals) {
    std::vector<std::string> cells{std::to_string(t.layers), t.M ? std::to_string(*t.M) : "as recorded",
                                   time_text(t.seconds), t.M ? std::format("{:.0f}", t.tokens_per_second()) : "-",
                                   human_bytes(t.weight_bytes)};
    if (limits) cells.push_back(t.limit_seconds > 0 ? std::format("{:.0f} %", 100 * t.limit_seconds / t.seconds) : "-");
    table.add(std::move(cells));
  }
  std::println("");
  table.print(stdout);
}

nlohmann::ordered_json totals_json(std::span<const ModelTotal> totals) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ModelTotal& t : totals) {
    nlohmann::ordered_json j{
        {"M", nullptr}, {"layers", t.layers}, {"seconds", t.seconds}, {"weight_bytes", t.weight_bytes}};
    if (t.M) {
      j["M"] = *t.M;
      j["tokens_per_second"] = t.tokens_per_second();
    }
    if (t.limit_seconds > 0) j["share"] = t.limit_seconds / t.seconds;
    list.push_back(std::move(j));
  }
  return list;
}

}  // namespace halfbyte::cmd
#endif
