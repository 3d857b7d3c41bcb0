#include "session.hpp"

namespace halfbyte::web {
namespace {

const char* name(BindingKind kind) {
  switch (kind) {
    case BindingKind::argument: return "argument";
    case BindingKind::scratch: return "scratch";
    case BindingKind::prepacked: return "prepacked";
    case BindingKind::uniform: return "uniform";
  }
  return "uniform";
}

Json bindings(const PassPlan& pass) {
  Json list = Json::array();
  for (const PlanBinding& b : pass.bindings) {
    Json json{{"name", b.name},
              {"kind", name(b.kind)},
              {"source", b.source},
              {"write", b.kind != BindingKind::uniform && b.access == Access::read_write},
              {"elementType", b.element_type}};
    json["length"] = b.length ? Json(*b.length) : Json(nullptr);
    json["slice"] = b.slice ? Json{{"offset", b.slice->offset}, {"bytes", b.slice->bytes}} : Json(nullptr);
    json["uniform"] = Json::array();
    for (const std::byte byte : b.uniform_bytes) json["uniform"].push_back(static_cast<int>(byte));
    list.push_back(std::move(json));
  }
  return list;
}

Json passes(const std::vector<PassPlan>& passes) {
  Json list = Json::array();
  for (const PassPlan& pass : passes)
    list.push_back({{"id", pass.id},
                    {"shader", pass.shader},
                    {"label", pass.label},
                    {"program", pass.program.hex()},
                    {"dispatch", pass.dispatch},
                    {"bindings", bindings(pass)}});
  return list;
}

Json buffers(const std::vector<BufferPlan>& buffers) {
  Json list = Json::array();
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferPlan& b = buffers[i];
    list.push_back({{"id", b.id},
                    {"dtype", name(b.dtype)},
                    {"shape", b.shape},
                    {"bytes", b.byte_size},
                    {"slot", b.slot.value_or(i)}});
  }
  return list;
}

Json named(const std::vector<std::pair<std::string, TensorDesc>>& tensors) {
  Json list = Json::array();
  for (const auto& [key, desc] : tensors) {
    Json json = to_json(desc);
    json["key"] = key;
    json["bytes"] = static_cast<uint64_t>(element_count(desc.shape).value_or(0)) * byte_size(desc.dtype);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

Json to_json(const Error& error) {
  Json json{{"code", to_string(error.code)}, {"message", error.message}};
  json["where"] = {{"file", error.where.file}, {"line", error.where.line}, {"column", error.where.column}};
  json["notes"] = error.notes;
  json["text"] = error.to_string();
  return json;
}

Json to_json(const TensorDesc& desc) { return {{"dtype", name(desc.dtype)}, {"shape", desc.shape}}; }

Json to_json(const Plan& plan) {
  Json json{{"package", plan.package},
            {"variant", plan.variant},
            {"demoted", plan.demoted},
            {"empty", plan.empty},
            {"parts", plan.parts}};
  json["inputs"] = named(plan.inputs);
  json["outputs"] = named(plan.outputs);
  json["scratch"] = buffers(plan.scratch);
  json["passes"] = passes(plan.passes);
  json["prepacked"] = buffers(plan.prepacked);
  json["prepackPasses"] = passes(plan.prepack_passes);
  json["prepackKey"] = plan.prepack_key.hex();
  json["prepackedInputs"] = plan.prepacked_inputs;
  json["numerics"] = {{"accumulate", plan.numerics_accumulate},
                      {"multiply", plan.numerics_multiply},
                      {"activations", plan.numerics_activations}};
  return json;
}

Json to_json(const Problem& problem) {
  Json json{{"id", problem.id}};
  json["attrs"] = Json::object();
  for (const auto& [key, value] : problem.attrs) {
    if (const double* number = std::get_if<double>(&value)) {
      json["attrs"][key] = *number;
    } else {
      json["attrs"][key] = std::get<std::string>(value);
    }
  }
  json["inputs"] = Json::object();
  for (const auto& [key, desc] : problem.inputs) json["inputs"][key] = to_json(desc);
  json["tunables"] = problem.tunables.empty() ? Json(Json::object()) : Json(problem.tunables);
  json["constant"] = problem.constant;
  return json;
}

Json to_json(const Tensors& tensors) {
  Json json = Json::object();
  for (const auto& [key, tensor] : tensors) {
    json[key] = to_json(tensor.desc());
    json[key]["pointer"] = reinterpret_cast<uintptr_t>(tensor.data.data());
    json[key]["bytes"] = tensor.data.size();
  }
  return json;
}

}  // namespace halfbyte::web
