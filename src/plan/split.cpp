#include "plan/split.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "select/semantics.hpp"

namespace halfbyte {
namespace {

constexpr uint64_t kMostParts = 1024;
constexpr uint32_t kPlaceThreads = 256;
constexpr uint64_t kPlaceVersion = 1;  // part of the identity of the program place_columns() writes

uint64_t bytes_of(const TensorDesc& desc) {
  return static_cast<uint64_t>(element_count(desc.shape).value_or(0)) * byte_size(desc.dtype);
}

uint64_t limit_of(const DeviceProfile& profile, std::string_view limit, uint64_t otherwise) {
  const auto value = profile.limit(limit);
  return value && *value >= 1 ? static_cast<uint64_t>(*value) : otherwise;
}

// The present inputs that have a row for each column of the result.
std::vector<std::string> weights_of(const MatmulSemantics& s, const Problem& problem) {
  std::vector<std::string> keys;
  for (const std::string& key : {s.codes, s.scales, s.zero_points, s.bias})
    if (!key.empty() && problem.inputs.contains(key)) keys.push_back(key);
  return keys;
}

class Splitter {
 public:
  Splitter(const Package& package, const DeviceProfile& profile, const Problem& problem, const SelectOptions& options)
      : package_(package), profile_(profile), problem_(problem), options_(options) {}

  // One plan with the passes of every part.
  Result<Plan> run() {
    HB_TRY(const uint64_t first, first_width(static_cast<uint64_t>(INT64_MAX)));
    std::optional<Error> why;
    SelectOptions remaining = options_;
    while (true) {
      auto choice = part_choice(first, remaining);
      if (!choice) return fail(why ? *why : choice.error());
      // A packed layout may be larger than the operator's own: fewer rows then.
      for (uint64_t width = first; width >= step_; width = width / 2 / step_ * step_) {
        auto plan = assemble(*choice, width);
        if (plan) return plan;
        if (!why) why = plan.error();
        if (plan.error().code != ErrorCode::limit) break;
      }
      if (!options_.variant.empty()) return fail(*why);
      remaining.exclude.push_back(*choice);
    }
  }

  // A plan for each part, by the variant that is asked for.
  Result<std::vector<Plan>> columns(uint64_t most_columns) {
    HB_TRY(const uint64_t width, first_width(most_columns));
    HB_TRY(const std::vector<Part> parts, parts_of(options_.variant, width));
    std::vector<Plan> plans;
    for (size_t i = 0; i < parts.size(); ++i) {
      Plan& plan = plans.emplace_back(without_passes(parts[i].plan));
      append(plan, parts[i], std::format(".{}", i));
      if (!plan.prepack_passes.empty())
        plan.prepack_key = Hasher().add(parts[i].plan.prepack_key).add(parts[i].first).finish();
      HB_CHECK(check_limits(plan, profile_));
    }
    return plans;
  }

 private:
  struct Part {
    Plan plan;  // as if these columns were all
    uint64_t first = 0, columns = 0;
  };

  // Looks at the problem; the width that parts may have.
  Result<uint64_t> first_width(uint64_t most_columns) {
    HB_TRY(semantics_, matmul_semantics(package_, problem_));
    HB_TRY(outputs_, output_descs(package_, problem_));
    weights_ = weights_of(semantics_, problem_);
    HB_CHECK(measure_rows());
    const uint64_t width = widest(most_columns);
    if (width == 0)
      return fail(ErrorCode::limit,
                  std::format("{} rows of N already exceed maxStorageBufferBindingSize, which is {}", step_, limit_));
    return width;
  }

  // Bytes of each weight's row, and the step between rows at which all of them may be bound.
  Result<void> measure_rows() {
    const bool by_rows = semantics_.scales_layout == "n_block" && semantics_.zero_points_layout == "n_block";
    if (!by_rows)
      return fail(ErrorCode::unsupported,
                  std::format("the scales of {} are not laid out row by row of N", package_.name()));
    const uint64_t alignment = limit_of(profile_, "minStorageBufferOffsetAlignment", 256);
    const auto n = static_cast<uint64_t>(semantics_.N);
    const auto add = [&](const std::string& key, uint64_t row) {
      row_bytes_[key] = row;
      step_ = std::lcm(step_, alignment / std::gcd(alignment, row));
    };
    for (const std::string& key : weights_) {
      const TensorDesc& desc = problem_.inputs.at(key);
      if (desc.shape.empty() || desc.shape[0] != semantics_.N)
        return fail(ErrorCode::unsupported, std::format("the input {} does not have N={} rows", key, semantics_.N));
      add(key, bytes_of(desc) / n);
    }
    const auto y = std::ranges::find(outputs_, semantics_.y, [](const auto& entry) { return entry.first; });
    if (y == outputs_.end() || y->second.shape.empty() || y->second.shape.back() != semantics_.N)
      return fail(ErrorCode::unsupported, std::format("{} does not end in N columns", semantics_.y));
    y_ = y->second;
    rows_ = static_cast<uint64_t>(element_count(y_.shape).value_or(0)) / n;
    add(semantics_.y, byte_size(y_.dtype));
    limit_ = limit_of(profile_, "maxStorageBufferBindingSize", uint64_t{1} << 27);
    return {};
  }

  // The most rows of N that fit a binding of every weight, a multiple of the step; spread evenly over as many parts as that takes.
  uint64_t widest(uint64_t most_columns) const {
    uint64_t most = std::min(static_cast<uint64_t>(semantics_.N), std::max(most_columns, step_));
    for (const std::string& key : weights_) most = std::min(most, limit_ / std::max<uint64_t>(row_bytes_.at(key), 1));
    most = most / step_ * step_;
    if (most == 0) return 0;
    const auto n = static_cast<uint64_t>(semantics_.N);
    const uint64_t parts = (n + most - 1) / most;
    return ((n + parts - 1) / parts + step_ - 1) / step_ * step_;
  }

  // The same problem with fewer columns, which adds up in the order of the whole.
  Result<Problem> part_problem(uint64_t columns) const {
    Problem part = problem_;
    for (const auto& [tunable, value] : hold_) part.tunables[tunable] = value;
    for (const std::string& key : weights_) part.inputs[key].shape[0] = static_cast<int64_t>(columns);
    HB_CHECK(set_columns(package_, part, semantics_.N, static_cast<int64_t>(columns)));
    return part;
  }

  Result<std::string> part_choice(uint64_t columns, const SelectOptions& options) const {
    HB_TRY(const Problem part, part_problem(std::min(columns, static_cast<uint64_t>(semantics_.N))));
    HB_TRY(const Choice choice, select(package_, profile_, part, options));
    return package_.variant_ids()[static_cast<size_t>(choice.variant)];
  }

  Result<Plan> part_plan(const std::string& variant, uint64_t columns) const {
    HB_TRY(const Problem part, part_problem(columns));
    HB_TRY(const Choice choice, select(package_, profile_, part, {.variant = variant, .prefer = {}, .exclude = {}}));
    HB_TRY(Plan plan, make_plan(package_, choice));
    HB_CHECK(check_limits(plan, profile_));
    return plan;
  }

  // What decides the order of sums in the whole, were it one call. Nothing where the variant cannot make it one.
  std::map<std::string, double, std::less<>> hold_of_whole(const std::string& variant) const {
    const auto choice = select(package_, profile_, problem_, {.variant = variant, .prefer = {}, .exclude = {}});
    if (!choice) return {};
    auto plan = make_plan(package_, *choice);
    return plan ? std::move(plan->hold) : decltype(Plan::hold){};
  }

  Result<std::vector<Part>> parts_of(const std::string& variant, uint64_t width) {
    const auto n = static_cast<uint64_t>(semantics_.N);
    if ((n + width - 1) / width > kMostParts)
      return fail(ErrorCode::limit,
                  std::format("the variant {}: more than {} parts of N would be needed", variant, kMostParts));
    hold_ = hold_of_whole(variant);
    HB_TRY(const Plan full, part_plan(variant, std::min(width, n)));
    std::vector<Part> parts;
    for (uint64_t at = 0; at < n; at += width) {
      const uint64_t columns = std::min(width, n - at);
      Part& part = parts.emplace_back(Part{full, at, columns});
      if (columns != std::min(width, n)) {
        HB_TRY(part.plan, part_plan(variant, columns));
      }
    }
    return parts;
  }

  // The whole call's plan before it has passes.
  Plan without_passes(const Plan& part) const {
    Plan plan;
    plan.package = part.package;
    plan.variant = part.variant;
    plan.demoted = part.demoted;
    plan.numerics_accumulate = part.numerics_accumulate;
    plan.numerics_multiply = part.numerics_multiply;
    plan.numerics_activations = part.numerics_activations;
    plan.prepacked_inputs = part.prepacked_inputs;
    plan.hold = part.hold;
    plan.outputs = outputs_;
    for (const auto& [key, desc] : part.inputs) plan.inputs.emplace_back(key, problem_.inputs.at(key));
    return plan;
  }

  Result<Plan> assemble(const std::string& variant, uint64_t width) {
    HB_TRY(const std::vector<Part> parts, parts_of(variant, width));
    Plan plan = without_passes(parts.front().plan);
    Hasher key;
    for (size_t i = 0; i < parts.size(); ++i) {
      append(plan, parts[i], std::format(".{}", i));
      key.add(parts[i].plan.prepack_key).add(parts[i].first);
    }
    plan.parts = parts.size();
    if (!plan.prepack_passes.empty()) plan.prepack_key = key.finish();
    HB_CHECK(check_limits(plan, profile_));
    return plan;
  }

  void append(Plan& plan, const Part& of, const std::string& suffix) const {
    const Plan& part = of.plan;
    const uint64_t first = of.first, columns = of.columns;
    for (size_t i = 0; i < part.scratch.size(); ++i) {
      BufferPlan buffer = part.scratch[i];
      buffer.id += suffix;
      buffer.slot = i;  // parts follow one another: they share memory
      plan.scratch.push_back(std::move(buffer));
    }
    for (BufferPlan buffer : part.prepacked) {
      buffer.id += suffix;
      plan.prepacked.push_back(std::move(buffer));
    }
    const std::string y_part = semantics_.y + suffix;
    if (rows_ > 1) {
      const uint64_t bytes = (rows_ * columns * byte_size(y_.dtype) + 3) / 4 * 4;
      const Shape shape{static_cast<int64_t>(rows_), static_cast<int64_t>(columns)};
      plan.scratch.push_back({y_part, y_.dtype, shape, bytes, part.scratch.size()});
    }
    const auto rebound = [&](PassPlan pass) {
      for (PlanBinding& b : pass.bindings) {
        if (b.kind == BindingKind::scratch || b.kind == BindingKind::prepacked) b.source += suffix;
        if (b.kind != BindingKind::argument || !row_bytes_.contains(b.source)) continue;
        if (b.source == semantics_.y && rows_ > 1) {
          b.kind = BindingKind::scratch;
          b.source = y_part;
          continue;
        }
        const uint64_t row = row_bytes_.at(b.source);
        b.slice = Slice{first * row, columns * row};
      }
      pass.id += suffix;
      return pass;
    };
    for (const PassPlan& pass : part.prepack_passes) plan.prepack_passes.push_back(rebound(pass));
    for (const PassPlan& pass : part.passes) plan.passes.push_back(rebound(pass));
    if (rows_ > 1) plan.passes.push_back(place_pass(part, y_part, first, columns, suffix));
  }

  // Columns [first, first + columns) of Y from the part that was computed in scratch memory.
  PassPlan place_pass(const Plan& part, const std::string& y_part, uint64_t first, uint64_t columns,
                      const std::string& suffix) const {
    // f16 tensors on a device without f16 are words of two.
    const bool half = y_.dtype == DType::float16;
    const bool words = half && !profile_.has_feature("shader-f16");
    PassPlan pass;
    pass.id = "place" + suffix;
    pass.shader = kPlaceColumns;
    PlanBinding from, to, params;
    from.name = "part";
    from.kind = BindingKind::scratch;
    from.source = y_part;
    to.name = "y";
    to.source = semantics_.y;
    to.access = Access::read_write;
    from.element_type = to.element_type = words ? "u32" : half ? "f16" : "f32";
    from.element_type_in_manifest = to.element_type_in_manifest = true;
    params.name = "params";
    params.kind = BindingKind::uniform;
    const auto n = static_cast<uint64_t>(semantics_.N);
    const uint64_t items = words ? (rows_ * n + 1) / 2 : rows_ * columns;
    const uint64_t groups = (items + kPlaceThreads - 1) / kPlaceThreads;
    const uint64_t fold = limit_of(profile_, "maxComputeWorkgroupsPerDimension", 65535);
    pass.dispatch = {static_cast<uint32_t>(std::min(groups, fold)), static_cast<uint32_t>((groups + fold - 1) / fold),
                     1};
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, uint64_t>>{
             {"items", items}, {"columns", columns}, {"first", first}, {"stride", n}})
      params.fields.push_back({name, "u32", static_cast<double>(value)});
    params.uniform_bytes.resize(16);
    for (size_t i = 0; i < params.fields.size(); ++i) {
      const auto value = static_cast<uint32_t>(params.fields[i].value);
      std::memcpy(params.uniform_bytes.data() + 4 * i, &value, 4);
    }
    pass.program = Hasher().add(kPlaceColumns).add(kPlaceVersion).add(from.element_type).finish();
    pass.label = std::format("{}/{}/place {}", part.package, part.variant, pass.program.hex().substr(0, 8));
    pass.parameters_json = "{}";
    pass.bindings = {std::move(from), std::move(to), std::move(params)};
    return pass;
  }

  const Package& package_;
  const DeviceProfile& profile_;
  const Problem& problem_;
  const SelectOptions& options_;
  MatmulSemantics semantics_;
  std::vector<std::pair<std::string, TensorDesc>> outputs_;
  std::vector<std::string> weights_;
  std::map<std::string, uint64_t> row_bytes_;
  std::map<std::string, double, std::less<>> hold_;
  TensorDesc y_;
  uint64_t rows_ = 0, step_ = 1, limit_ = 0;
};

}  // namespace

bool exceeds_binding(const Package& package, const DeviceProfile& profile, const Problem& problem) {
  const auto most = profile.limit("maxStorageBufferBindingSize");
  const auto semantics = matmul_semantics(package, problem);
  if (!most || !semantics) return false;
  return std::ranges::any_of(weights_of(*semantics, problem), [&](const std::string& key) {
    return static_cast<double>(bytes_of(problem.inputs.at(key))) > *most;
  });
}

Result<Plan> split_plan(const Package& package, const DeviceProfile& profile, const Problem& problem,
                        const SelectOptions& options) {
  return Splitter(package, profile, problem, options).run();
}

Result<std::vector<Plan>> plan_columns(const Package& package, const DeviceProfile& profile, const Problem& problem,
                                       const SelectOptions& options, uint64_t most_columns) {
  if (options.variant.empty())
    return fail(ErrorCode::invalid_argument,
                "a variant must be asked for, so that every part of N is computed by the same one");
  return Splitter(package, profile, problem, options).columns(most_columns);
}

std::string place_columns(const PassPlan& pass) {
  const std::string head = std::format(
      "@compute @workgroup_size({0})\n"
      "fn main(@builtin(workgroup_id) group : vec3u, @builtin(num_workgroups) groups : vec3u,\n"
      "        @builtin(local_invocation_index) lane : u32) {{\n"
      "  let i = (group.y * groups.x + group.x) * {0}u + lane;\n"
      "  if (i >= params.items) {{ return; }}\n",
      kPlaceThreads);
  if (pass.bindings.at(1).element_type != "u32") {
    return head +
           "  let row = i / params.columns;\n"
           "  y[row * params.stride + params.first + i - row * params.columns] = part[i];\n"
           "}\n";
  }
  // Two f16 a word of Y: a word may be shared with the next row or another part, whose half is kept. Odd tails read 0 past the end.
  return head +
         "  var word = y[i];\n"
         "  for (var h = 0u; h < 2u; h++) {\n"
         "    let at = 2u * i + h;\n"
         "    let row = at / params.stride;\n"
         "    let column = at - row * params.stride;\n"
         "    if (column < params.first || column >= params.first + params.columns) { continue; }\n"
         "    let source = row * params.columns + column - params.first;\n"
         "    if (source / 2u >= arrayLength(&part)) { continue; }\n"
         "    let half_word = (part[source / 2u] >> (16u * (source & 1u))) & 0xffffu;\n"
         "    word = (word & ~(0xffffu << (16u * h))) | (half_word << (16u * h));\n"
         "  }\n"
         "  y[i] = word;\n"
         "}\n";
}

}  // namespace halfbyte
