#include "plan/shader_facts.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <vector>

#include "expr/expr.hpp"
#include "plan/wgsl_tokens.hpp"

namespace halfbyte {
namespace {

using Tokens = std::vector<std::string_view>;

struct Layout {
  uint64_t size = 0, align = 1;
};

// What no device has, and far from where products of these leave 64 bits: a text that says more is taken as unknown.
constexpr uint64_t kMost = uint64_t{1} << 40;

uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

std::optional<uint64_t> product_of(uint64_t a, uint64_t b) {
  uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) || result > kMost ? std::nullopt : std::optional(result);
}

// Reads types and constant expressions out of the token list. Every function leaves `at` behind what it read and returns nothing
// when it meets something that it does not know.
class Reader {
 public:
  explicit Reader(std::string_view wgsl) : tokens_(wgsl_tokens(wgsl)) { collect_declarations(); }

  std::optional<std::array<uint64_t, 3>> workgroup_size() {
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i] != "workgroup_size" || i == 0 || tokens_[i - 1] != "@") continue;
      at_ = i + 2;
      std::array<uint64_t, 3> size{1, 1, 1};
      for (size_t axis = 0; axis < 3; ++axis) {
        if (peek() == ")") break;
        const auto value = sum();
        if (!value) return std::nullopt;
        size[axis] = *value;
        if (peek() == ",") ++at_;
      }
      return size;
    }
    return std::nullopt;
  }

  std::optional<uint64_t> workgroup_bytes() {
    uint64_t total = 0;
    for (size_t i = 0; i + 5 < tokens_.size(); ++i) {
      if (tokens_[i] != "var" || tokens_[i + 1] != "<" || tokens_[i + 2] != "workgroup") continue;
      at_ = i + 6;  // var < workgroup > name :
      const auto layout = type(0);
      if (!layout) return std::nullopt;
      total += round_up(layout->size, 16);
      if (total > kMost) return std::nullopt;
    }
    return total;
  }

 private:
  void collect_declarations() {
    for (size_t i = 0; i + 3 < tokens_.size(); ++i) {
      if (tokens_[i] == "alias") aliases_[tokens_[i + 1]] = i + 3;
      if (tokens_[i] != "const") continue;
      size_t j = i + 2;
      if (tokens_[j] == ":") j += 2;  // const N: u32 = ...
      if (j < tokens_.size() && tokens_[j] == "=") constants_.try_emplace(tokens_[i + 1], j + 1);
    }
  }

  std::string_view peek() const { return at_ < tokens_.size() ? tokens_[at_] : std::string_view{}; }
  bool accept(std::string_view token) { return peek() == token ? (++at_, true) : false; }

  std::optional<uint64_t> sum() {
    auto left = product();
    while (left && (peek() == "+" || peek() == "-")) {
      const bool plus = tokens_[at_++] == "+";
      const auto right = product();
      if (!right || (!plus && *right > *left)) return std::nullopt;
      left = plus ? *left + *right : *left - *right;
      if (*left > kMost) return std::nullopt;
    }
    return left;
  }

  std::optional<uint64_t> product() {
    auto left = primary();
    while (left && (peek() == "*" || peek() == "/" || peek() == "%")) {
      const std::string_view op = tokens_[at_++];
      const auto right = primary();
      if (!right || (op != "*" && *right == 0)) return std::nullopt;
      left = op == "*" ? product_of(*left, *right) : std::optional(op == "/" ? *left / *right : *left % *right);
    }
    return left;
  }

  std::optional<uint64_t> primary() {
    if (++steps_ > kMaxSteps) return std::nullopt;
    if (accept("(")) {
      if (++depth_ > 32) return std::nullopt;  // the reading ends here, so nothing counts it down again
      const auto value = sum();
      --depth_;
      return value && accept(")") ? value : std::nullopt;
    }
    const std::string_view token = peek();
    if (token.empty()) return std::nullopt;
    ++at_;
    if (token[0] >= '0' && token[0] <= '9') {
      uint64_t value = 0;
      const auto [end, ec] = std::from_chars(token.data(), token.data() + token.size(), value);
      const std::string_view rest(end, token.data() + token.size());
      const bool known = ec == std::errc{} && value <= kMost && (rest.empty() || rest == "u" || rest == "i");
      return known ? std::optional(value) : std::nullopt;
    }
    const auto it = constants_.find(token);
    if (it == constants_.end() || ++depth_ > 32) return std::nullopt;
    const size_t back = at_;
    at_ = it->second;
    const auto value = sum();
    const bool whole = peek() == ";";
    at_ = back;
    --depth_;
    return whole ? value : std::nullopt;
  }

  static std::optional<Layout> scalar(std::string_view name) {
    if (name == "f32" || name == "u32" || name == "i32" || name == "bool") return Layout{4, 4};
    if (name == "f16") return Layout{2, 2};
    return std::nullopt;
  }

  static std::optional<Layout> vector(uint64_t n, const Layout& element) {
    return Layout{n * element.size, (n == 3 ? 4 : n) * element.size};
  }

  std::optional<Layout> type(int depth) {
    const std::string_view name = peek();
    if (name.empty() || depth > 16 || ++steps_ > kMaxSteps) return std::nullopt;
    ++at_;
    if (const auto layout = scalar(name)) return layout;
    if (name.starts_with("vec") && name.size() >= 4 && name[3] >= '2' && name[3] <= '4')
      return vector_type(name, depth);
    if (name == "atomic" && accept("<")) {
      const auto inner = type(depth + 1);
      return accept(">") ? inner : std::nullopt;
    }
    if (name == "array" && accept("<")) {
      const auto element = type(depth + 1);
      if (!element || !accept(",")) return std::nullopt;
      const auto count = sum();
      accept(",");
      if (!count || !accept(">")) return std::nullopt;
      const auto size = product_of(*count, round_up(element->size, element->align));
      return size ? std::optional(Layout{*size, element->align}) : std::nullopt;
    }
    const auto alias = aliases_.find(name);
    if (alias == aliases_.end()) return std::nullopt;
    const size_t back = at_;
    at_ = alias->second;
    const auto layout = type(depth + 1);
    at_ = back;
    return layout;
  }

  std::optional<Layout> vector_type(std::string_view name, int depth) {
    const auto n = static_cast<uint64_t>(name[3] - '0');
    if (name.size() == 4) {
      if (!accept("<")) return std::nullopt;
      const auto element = type(depth + 1);
      return element && accept(">") ? vector(n, *element) : std::nullopt;
    }
    if (name.size() != 5) return std::nullopt;
    switch (name[4]) {
      case 'f':
      case 'u':
      case 'i': return vector(n, {4, 4});
      case 'h': return vector(n, {2, 2});
      default: return std::nullopt;
    }
  }

  Tokens tokens_;
  std::map<std::string_view, size_t> constants_, aliases_;  // name -> token where its value begins
  // Constants of constants and aliases of aliases name exponentially many others.
  static constexpr size_t kMaxSteps = 100'000;
  size_t at_ = 0, steps_ = 0;
  int depth_ = 0;
};

Result<void> within(const DeviceProfile& profile, std::string_view limit, uint64_t need, std::string_view what) {
  const std::optional<double> value = profile.limit(limit);
  if (!value || static_cast<double>(need) <= *value) return {};
  return fail(ErrorCode::limit, std::format("{} {} exceeds {}, which is {} on {}", what, need, limit,
                                            expr::format_number(*value), profile.name));
}

}  // namespace

ShaderFacts shader_facts(std::string_view wgsl) {
  Reader reader(wgsl);
  ShaderFacts facts;
  facts.workgroup_size = reader.workgroup_size();
  facts.workgroup_bytes = reader.workgroup_bytes();
  return facts;
}

Result<void> check_shader(const ShaderFacts& facts, const DeviceProfile& profile) {
  if (facts.workgroup_size) {
    const auto& s = *facts.workgroup_size;
    const auto slice = product_of(s[0], s[1]);
    const auto threads = slice ? product_of(*slice, s[2]) : std::nullopt;
    HB_CHECK(within(profile, "maxComputeInvocationsPerWorkgroup", threads.value_or(kMost),
                    std::format("the workgroup of {}x{}x{} =", s[0], s[1], s[2])));
    HB_CHECK(within(profile, "maxComputeWorkgroupSizeX", s[0], "the workgroup's x"));
    HB_CHECK(within(profile, "maxComputeWorkgroupSizeY", s[1], "the workgroup's y"));
    HB_CHECK(within(profile, "maxComputeWorkgroupSizeZ", s[2], "the workgroup's z"));
  }
  if (facts.workgroup_bytes)
    HB_CHECK(within(profile, "maxComputeWorkgroupStorageSize", *facts.workgroup_bytes, "workgroup memory of bytes"));
  return {};
}

}  // namespace halfbyte
