#include <cmath>

#include "bench/inputs.hpp"
#include "bench/statistics.hpp"
#include "manifest/manifest.hpp"
#include "plan/explanation.hpp"
#include "select/matmul_problem.hpp"
#include "session.hpp"

namespace halfbyte::web {
namespace {

// --- arguments ---------------------------------------------------------------------------------------------------------

std::unexpected<Error> wrong(const char* key, const char* what) {
  return fail(ErrorCode::invalid_argument, std::format("\"{}\" must be {}", key, what));
}

Result<std::string> text(const Json& request, const char* key, const char* otherwise = nullptr) {
  const auto it = request.find(key);
  if (it == request.end() && otherwise) return std::string(otherwise);
  if (it == request.end() || !it->is_string()) return wrong(key, "a string");
  return it->get<std::string>();
}

Result<double> number(const Json& request, const char* key) {
  const auto it = request.find(key);
  if (it == request.end() || !it->is_number()) return wrong(key, "a number");
  return it->get<double>();
}

Result<int64_t> integer(const Json& request, const char* key) {
  HB_TRY(const double value, number(request, key));
  if (!(std::fabs(value) <= 9007199254740992.0) || value != std::floor(value)) return wrong(key, "a whole number");
  return static_cast<int64_t>(value);
}

Result<bool> flag(const Json& request, const char* key, bool otherwise) {
  const auto it = request.find(key);
  if (it == request.end()) return otherwise;
  if (!it->is_boolean()) return wrong(key, "true or false");
  return it->get<bool>();
}

Result<std::vector<std::string>> texts(const Json& request, const char* key) {
  std::vector<std::string> list;
  const auto it = request.find(key);
  if (it == request.end()) return list;
  if (!it->is_array()) return wrong(key, "a list of strings");
  for (const Json& item : *it) {
    if (!item.is_string()) return wrong(key, "a list of strings");
    list.push_back(item.get<std::string>());
  }
  return list;
}

template <class T>
Result<T*> handle(Table<T>& table, const Json& request, const char* key) {
  HB_TRY(const int64_t value, integer(request, key));
  return table.get(static_cast<int>(value));
}

Result<Problem> problem_of(const Json& request) {
  const auto it = request.find("problem");
  if (it == request.end()) return wrong("problem", "a request (an object with attrs and inputs)");
  HB_TRY(std::vector<Problem> problems, parse_problems(it->dump(), "problem"));
  if (problems.size() != 1) return wrong("problem", "one request");
  return std::move(problems.front());
}

Result<SelectOptions> select_options(const Json& request) {
  SelectOptions options;
  HB_TRY(options.variant, text(request, "variant", ""));
  HB_TRY(options.prefer, texts(request, "prefer"));
  HB_TRY(options.exclude, texts(request, "exclude"));
  return options;
}

// --- packages and profiles ---------------------------------------------------------------------------------------------

Result<Json> load_package(Session& session, const Json& request) {
  HB_TRY(const std::string file, text(request, "file"));
  HB_TRY(const std::string manifest, text(request, "manifest"));
  std::map<std::string, std::string> templates;
  if (const auto it = request.find("templates"); it != request.end()) {
    if (!it->is_object()) return wrong("templates", "an object of texts");
    for (const auto& [name, content] : it->items()) {
      if (!content.is_string()) return wrong("templates", "an object of texts");
      templates[name] = content.get<std::string>();
    }
  }
  HB_TRY(Package package, Package::load(manifest, file, templates));
  Json json{{"name", package.name()}, {"hash", package.hash().hex()}, {"variants", package.variant_ids()}};
  json["computes"] = package.manifest().semantics.has_value();
  json["tensors"] = Json::array();
  for (const TensorSpec& t : package.manifest().tensors)
    json["tensors"].push_back({{"key", t.key}, {"onnx", t.onnx}, {"optional", t.optional}, {"output", t.is_output}});
  json["warnings"] = Json::array();
  for (const Error& warning : package.warnings()) json["warnings"].push_back(warning.to_string());
  json["package"] = session.packages.add(std::move(package));
  return json;
}

Result<Json> load_profile(Session& session, const Json& request) {
  HB_TRY(const std::string file, text(request, "file"));
  HB_TRY(const std::string content, text(request, "text"));
  HB_TRY(DeviceProfile profile, parse_profile(content, file));
  Json json{{"name", profile.name}, {"text", to_json_text(profile)}};
  json["profile"] = session.profiles.add(std::move(profile));
  return json;
}

Result<Json> unload(Session& session, const Json& request) {
  HB_TRY(const std::string kind, text(request, "kind"));
  HB_TRY(const int64_t value, integer(request, "handle"));
  const int id = static_cast<int>(value);
  if (kind == "package") return Json(session.packages.erase(id));
  if (kind == "profile") return Json(session.profiles.erase(id));
  if (kind == "plan") return Json(session.plans.erase(id));
  if (kind == "cases") return Json(session.cases.erase(id));
  if (kind == "tensors") return Json(session.tensors.erase(id));
  return wrong("kind", "package, profile, plan, cases or tensors");
}

// --- plans -------------------------------------------------------------------------------------------------------------

Result<Json> matmul(Session& session, const Json& request) {
  HB_TRY(const Package* package, handle(session.packages, request, "package"));
  MatmulCall call;
  HB_TRY(call.M, integer(request, "M"));
  HB_TRY(call.K, integer(request, "K"));
  HB_TRY(call.N, integer(request, "N"));
  HB_TRY(call.bits, integer(request, "bits"));
  HB_TRY(call.block_size, integer(request, "blockSize"));
  HB_TRY(const std::string dtype_name, text(request, "dtype"));
  const std::optional<DType> dtype = parse_dtype(dtype_name);
  if (!dtype || (*dtype != DType::float16 && *dtype != DType::float32))
    return fail(ErrorCode::invalid_argument,
                std::format("the dtype {} is unknown here, allowed are float16 and float32", dtype_name));
  call.dtype = *dtype;
  HB_TRY(call.zero_points, flag(request, "zeroPoints", false));
  HB_TRY(call.bias, flag(request, "bias", false));
  HB_TRY(call.constant_weights, flag(request, "constantWeights", true));
  if (request.contains("accuracyLevel")) {
    HB_TRY(call.accuracy_level, integer(request, "accuracyLevel"));
  }
  HB_TRY(const Problem problem, matmul_problem(*package, call));
  return to_json(problem);
}

Result<Json> plan(Session& session, const Json& request) {
  HB_TRY(const Package* package, handle(session.packages, request, "package"));
  HB_TRY(const DeviceProfile* profile, handle(session.profiles, request, "profile"));
  HB_TRY(const Problem problem, problem_of(request));
  HB_TRY(const SelectOptions options, select_options(request));
  HB_TRY(Plan made, plan_problem(*package, *profile, problem, options));
  Json json = to_json(made);
  json["plan"] = session.plans.add(std::move(made));
  return json;
}

Result<Json> render_pass(Session& session, const Json& request) {
  HB_TRY(const Package* package, handle(session.packages, request, "package"));
  HB_TRY(const Plan* made, handle(session.plans, request, "plan"));
  HB_TRY(const bool prepack, flag(request, "prepack", false));
  HB_TRY(const int64_t index, integer(request, "pass"));
  const std::vector<PassPlan>& list = prepack ? made->prepack_passes : made->passes;
  if (index < 0 || index >= static_cast<int64_t>(list.size())) return wrong("pass", "the index of a pass of the plan");
  HB_TRY(std::string wgsl, render(*package, list[static_cast<size_t>(index)]));
  return Json(std::move(wgsl));
}

// The WGSL of every pass as `halfbyte plan --wgsl` gives it: hashes of the texts, prepacking passes first.
Result<Json> shader_hashes(const Package& package, const Plan& made, std::map<Hash128, std::string>& known) {
  Json list = Json::array();
  for (const auto* passes : {&made.prepack_passes, &made.passes})
    for (const PassPlan& pass : *passes) {
      std::string& hash = known[pass.program];
      if (hash.empty()) {
        HB_TRY(const std::string wgsl, render(package, pass));
        hash = Hasher().add(wgsl).finish().hex();
      }
      list.push_back(hash);
    }
  return list;
}

// What `halfbyte plan --wgsl` prints, which knows no limits (the oracle of compat/golden does not): for tests.
Result<Json> plan_lines(Session& session, const Json& request) {
  HB_TRY(const Package* package, handle(session.packages, request, "package"));
  HB_TRY(const DeviceProfile* profile, handle(session.profiles, request, "profile"));
  HB_TRY(const std::string content, text(request, "requests"));
  HB_TRY(const std::vector<Problem> problems, parse_problems(content, "requests"));
  std::map<Hash128, std::string> known;
  Json lines = Json::array();
  for (const Problem& problem : problems) {
    Json line{{"id", problem.id}, {"wgsl", Json::array()}};
    const auto choice = select(*package, *profile, problem);
    const auto made = choice ? make_plan(*package, *choice) : fail(choice.error());
    if (made) {
      line["plan"] = print(*made);
      HB_TRY(line["wgsl"], shader_hashes(*package, *made, known));
    } else {
      line["error"] = choice ? made.error().to_string() : choice.error().message;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

Result<Json> explain_shape(Session& session, const Json& request) {
  HB_TRY(const Package* package, handle(session.packages, request, "package"));
  HB_TRY(const DeviceProfile* profile, handle(session.profiles, request, "profile"));
  HB_TRY(const Problem problem, problem_of(request));
  HB_TRY(const std::string variant, text(request, "variant", ""));
  HB_TRY(const bool wgsl, flag(request, "wgsl", false));
  HB_TRY(const Explanation explanation, explain_problem(*package, *profile, problem, variant));
  Shaders shaders;
  if (wgsl && explanation.plan) {
    HB_TRY(shaders, render_all(*package, *explanation.plan));
  }
  return Json{{"json", explanation_json(*package, *profile, problem, explanation, shaders)},
              {"whyNot", explanation.why_not}};
}

Result<Json> verdicts(Session& session, const Json& request) {
  HB_TRY(const Package* package, handle(session.packages, request, "package"));
  HB_TRY(const DeviceProfile* profile, handle(session.profiles, request, "profile"));
  HB_TRY(const Problem problem, problem_of(request));
  HB_TRY(const std::vector<VariantVerdict> all, explain(*package, *profile, problem));
  Json json = Json::array();
  for (const VariantVerdict& v : all)
    json.push_back({{"variant", v.variant}, {"verdict", name(v.verdict)}, {"why", v.why}});
  return json;
}

// --- cases and benchmarks ----------------------------------------------------------------------------------------------

Result<Json> load_cases(Session& session, const Json& request) {
  HB_TRY(const std::string file, text(request, "file"));
  HB_TRY(const std::string content, text(request, "text"));
  HB_TRY(std::vector<Case> cases, parse_cases(content, file));
  Json json;
  json["list"] = Json::array();
  for (const Case& c : cases)
    json["list"].push_back({{"id", c.problem.id}, {"fill", c.fill}, {"tolerance", c.tolerance}, {"note", c.note}});
  json["cases"] = session.cases.add(std::move(cases));
  return json;
}

Result<Json> make_case(Session& session, const Json& request) {
  HB_TRY(const Package* package, handle(session.packages, request, "package"));
  HB_TRY(const std::vector<Case>* cases, handle(session.cases, request, "cases"));
  HB_TRY(const int64_t index, integer(request, "index"));
  HB_TRY(const int64_t seed, integer(request, "seed"));
  if (index < 0 || index >= static_cast<int64_t>(cases->size())) return wrong("index", "the index of a case");
  if (seed < 0) return wrong("seed", "0 or more");
  const Case& c = (*cases)[static_cast<size_t>(index)];
  HB_TRY(CaseData data, make_case_data(*package, c, static_cast<uint64_t>(seed)));
  Json json{{"outputKey", data.output_key}, {"output", to_json(data.output)}, {"problem", to_json(data.problem)}};
  const int id = session.tensors.add({c, std::move(data)});
  HB_TRY(const CaseTensors* kept, session.tensors.get(id));
  json["inputs"] = to_json(kept->data.inputs);
  json["tensors"] = id;
  return json;
}

// JSON has no NaN and no infinity: null.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// `pointer`: the output's bytes, copied into the module's memory.
Result<Json> compare_output(Session& session, const Json& request) {
  HB_TRY(const CaseTensors* tensors, handle(session.tensors, request, "tensors"));
  HB_TRY(const int64_t pointer, integer(request, "pointer"));
  Numerics numerics;
  HB_TRY(numerics.accumulate, text(request, "accumulate"));
  HB_TRY(numerics.multiply, text(request, "multiply"));
  HB_TRY(numerics.activations, text(request, "activations"));
  HostTensor output = HostTensor::zeros(tensors->data.output.dtype, tensors->data.output.shape);
  const auto* bytes = reinterpret_cast<const std::byte*>(static_cast<uintptr_t>(pointer));
  output.data.assign(bytes, bytes + output.data.size());
  const Comparison c = compare(tensors->from, tensors->data, output, numerics);
  Json json{{"pass", c.pass}, {"error", finite(c.error)}, {"bound", finite(c.bound)}, {"why", c.why}};
  json["maxAbsError"] = finite(c.max_abs_error);
  json["worst"] = c.worst;
  json["got"] = finite(c.worst_got);
  json["expected"] = finite(c.worst_expected);
  json["nans"] = c.nans;
  return json;
}

Result<Json> bench_inputs(Session& session, const Json& request) {
  HB_TRY(const Package* package, handle(session.packages, request, "package"));
  HB_TRY(Problem problem, problem_of(request));
  HB_TRY(const int64_t seed, integer(request, "seed"));
  HB_TRY(problem, with_constant_weights(*package, std::move(problem)));
  CaseTensors made;
  HB_TRY(made.data.inputs, random_inputs(*package, problem, static_cast<uint64_t>(seed)));
  Json json{{"problem", to_json(problem)}};
  const int id = session.tensors.add(std::move(made));
  HB_TRY(const CaseTensors* kept, session.tensors.get(id));
  json["inputs"] = to_json(kept->data.inputs);
  json["tensors"] = id;
  return json;
}

Result<Json> statistics(Session&, const Json& request) {
  std::vector<double> samples;
  const auto it = request.find("samples");
  if (it == request.end() || !it->is_array()) return wrong("samples", "a list of numbers");
  for (const Json& item : *it) {
    if (!item.is_number()) return wrong("samples", "a list of numbers");
    samples.push_back(item.get<double>());
  }
  const Summary s = summarize(samples);
  return Json{{"count", s.count}, {"median", s.median}, {"low", s.low},
              {"high", s.high},   {"min", s.min},       {"max", s.max}};
}

using Command = Result<Json> (*)(Session&, const Json&);
constexpr std::pair<std::string_view, Command> kCommands[] = {
    {"loadPackage", load_package},
    {"loadProfile", load_profile},
    {"unload", unload},
    {"matmulProblem", matmul},
    {"plan", plan},
    {"render", render_pass},
    {"planLines", plan_lines},
    {"explain", explain_shape},
    {"verdicts", verdicts},
    {"loadCases", load_cases},
    {"makeCase", make_case},
    {"compare", compare_output},
    {"benchInputs", bench_inputs},
    {"statistics", statistics},
};

}  // namespace

Result<Json> perform(Session& session, const Json& request) {
  HB_TRY(const std::string name, text(request, "do"));
  for (const auto& [known, command] : kCommands)
    if (known == name) return command(session, request);
  return fail(ErrorCode::invalid_argument, std::format("there is no command \"{}\"", name));
}

}  // namespace halfbyte::web
