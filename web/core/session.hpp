// What the page holds on to between calls of the core: handles of packages, profiles, plans, cases and tensors.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "plan/plan.hpp"
#include "verify/case.hpp"

namespace halfbyte::web {

using Json = nlohmann::ordered_json;
using Tensors = std::map<std::string, HostTensor, std::less<>>;

// Values under numbers; a number is never used twice, so a stale one is an error and not another value.
template <class T>
class Table {
 public:
  explicit Table(const char* kind) : kind_(kind) {}
  int add(T value) {
    values_.emplace(++last_, std::move(value));
    return last_;
  }
  Result<T*> get(int handle) {
    const auto it = values_.find(handle);
    if (it == values_.end())
      return fail(ErrorCode::invalid_argument,
                  std::format("there is no {} {}; it was freed, or never made", kind_, handle));
    return &it->second;
  }
  bool erase(int handle) { return values_.erase(handle) > 0; }
  size_t size() const { return values_.size(); }

 private:
  const char* kind_;
  std::map<int, T> values_;
  int last_ = 0;
};

struct CaseTensors {
  Case from;      // of a benchmark: empty
  CaseData data;  // of a benchmark: its inputs only
};

struct Session {
  Table<Package> packages{"package"};
  Table<DeviceProfile> profiles{"profile"};
  Table<Plan> plans{"plan"};
  Table<std::vector<Case>> cases{"list of cases"};
  Table<CaseTensors> tensors{"set of tensors"};
};

// One command: `request` has its name under "do". Errors: those of the function called; invalid_argument for an unknown command
// or an argument that is missing or of another type.
Result<Json> perform(Session& session, const Json& request);

Json to_json(const Error& error);
Json to_json(const Plan& plan);
Json to_json(const Problem& problem);  // a request, as parse_problems() reads it
Json to_json(const TensorDesc& desc);
// {"aT": {"dtype", "shape", "pointer", "bytes"}}: where the contents lie in the module's memory.
Json to_json(const Tensors& tensors);

}  // namespace halfbyte::web
