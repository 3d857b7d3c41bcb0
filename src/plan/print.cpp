#include <nlohmann/json.hpp>

#include "manifest/manifest.hpp"
#include "plan/plan.hpp"

namespace halfbyte {
namespace {

using Json = nlohmann::ordered_json;

// Integers as integers, as Python's json module writes what the oracle computed.
Json number(double value) {
  if (value == static_cast<double>(static_cast<int64_t>(value))) return static_cast<int64_t>(value);
  return value;
}

Json tensor(DType dtype, const Shape& shape, bool shape_first) {
  Json json;
  if (shape_first) json["shape"] = shape;
  json["dtype"] = std::string(name(dtype));
  if (!shape_first) json["shape"] = shape;
  return json;
}

Json binding(const PlanBinding& b) {
  Json json;
  json["name"] = b.name;
  switch (b.kind) {
    case BindingKind::uniform:
      json["uniform"] = Json::array();
      for (const UniformField& field : b.fields)
        json["uniform"].push_back({{"name", field.name}, {"type", field.type}, {"value", number(field.value)}});
      return json;
    case BindingKind::argument: json["arg"] = b.source; break;
    case BindingKind::scratch: json["scratch"] = b.source; break;
    case BindingKind::prepacked: json["prepacked"] = b.source; break;
  }
  if (b.element_type_in_manifest) json["elementType"] = b.element_type;
  if (b.length) json["length"] = *b.length;
  if (b.slice) json["slice"] = {{"offset", b.slice->offset}, {"bytes", b.slice->bytes}};
  return json;
}

Json passes(const std::vector<PassPlan>& list) {
  Json json = Json::array();
  for (const PassPlan& pass : list) {
    Json bindings = Json::array();
    for (const PlanBinding& b : pass.bindings) bindings.push_back(binding(b));
    json.push_back(
        {{"id", pass.id}, {"shader", pass.shader}, {"bindings", std::move(bindings)}, {"dispatch", pass.dispatch}});
  }
  return json;
}

Json buffers(const std::vector<BufferPlan>& list) {
  Json json = Json::object();
  for (const BufferPlan& b : list) json[b.id] = tensor(b.dtype, b.shape, false);
  return json;
}

}  // namespace

std::string print(const Plan& plan) {
  Json json;
  json["variant"] = plan.variant;
  json["demoted"] = plan.demoted;
  json["outputs"] = Json::object();
  for (const auto& [key, desc] : plan.outputs) json["outputs"][key] = tensor(desc.dtype, desc.shape, true);
  json["scratch"] = buffers(plan.scratch);
  if (!plan.prepacked.empty()) {
    json["prepacked"] = buffers(plan.prepacked);
    json["prepackPasses"] = passes(plan.prepack_passes);
  }
  json["passes"] = passes(plan.passes);
  if (plan.parts != 1) json["parts"] = plan.parts;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace halfbyte
