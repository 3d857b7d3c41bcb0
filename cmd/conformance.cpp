#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <print>

#include "command.hpp"
#include "io/files.hpp"
#include "io/writable.hpp"

namespace halfbyte::cmd::conformance_command {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> reports;
  std::string package, out;
};

// How one variant did on one device.
struct Outcome {
  int passed = 0, failed = 0;
  double worst = 0;      // largest error / bound among the runs that have a bound
  std::string worst_at;  // the case of it
  std::string why_not;   // when nothing ran
};

struct Report {
  std::string file, package, package_hash, adapter, backend, driver, webgpu;
  double seed = 0;
  std::vector<std::string> variants;  // in the order of their first mention
  std::map<std::string, Outcome> outcomes;
  std::vector<std::pair<std::string, std::string>> failures;       // "case by variant", why
  std::vector<std::pair<std::string, std::string>> skipped_cases;  // case, why

  Outcome& of(const std::string& variant) {
    if (!outcomes.contains(variant)) variants.push_back(variant);
    return outcomes[variant];
  }
  int count(int Outcome::* what) const {
    int sum = 0;
    for (const auto& [variant, outcome] : outcomes) sum += outcome.*what;
    return sum;
  }
};

// The members of one JSON object, with errors that name the file and the place.
class Reader {
 public:
  Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  std::string text(const char* key) {
    const auto it = json_.find(key);
    if (it != json_.end() && it->is_string()) return it->get<std::string>();
    return wrong(key, "a string"), "";
  }
  std::string text_or_nothing(const char* key) { return json_.contains(key) ? text(key) : ""; }
  double number(const char* key) {
    const auto it = json_.find(key);
    if (it != json_.end() && it->is_number()) return it->get<double>();
    return wrong(key, "a number"), 0;
  }
  bool truth(const char* key) {
    const auto it = json_.find(key);
    if (it != json_.end() && it->is_boolean()) return it->get<bool>();
    return wrong(key, "true or false"), false;
  }
  const Json& list(const char* key) {
    static const Json empty = Json::array();
    const auto it = json_.find(key);
    if (it != json_.end() && it->is_array()) return *it;
    return wrong(key, "a list"), empty;
  }
  Result<void> finish() const {
    if (error_.empty()) return {};
    return fail(ErrorCode::parse, error_);
  }

 private:
  void wrong(const char* key, const char* want) {
    if (error_.empty())
      error_ =
          std::format("{}: \"{}\" must be {}; a report is what `halfbyte verify --json` writes", where_, key, want);
  }
  const Json& json_;
  std::string where_, error_;
};

Result<void> add_row(Report& report, const Json& json, const std::string& where) {
  Reader row(json, where);
  const std::string test_case = row.text("case"), variant = row.text("variant");
  const bool pass = row.truth("pass");
  const double error = row.number("error"), bound = row.number("bound");
  const std::string why = row.text_or_nothing("why");
  HB_CHECK(row.finish());
  if (!pass) report.failures.emplace_back(variant.empty() ? test_case : test_case + " by " + variant, why);
  if (variant.empty()) return {};
  Outcome& outcome = report.of(variant);
  (pass ? outcome.passed : outcome.failed) += 1;
  if (bound > 0 && error / bound > outcome.worst) {
    outcome.worst = error / bound;
    outcome.worst_at = test_case;
  }
  return {};
}

Result<Report> read_report(const std::string& file) {
  HB_TRY(const std::string text, read_text(file));
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return fail(ErrorCode::parse, std::format("{} is not a JSON object", file));
  Reader head(json, file);
  Report report{.file = file,
                .package = head.text("package"),
                .package_hash = head.text("package_hash"),
                .adapter = head.text("adapter"),
                .backend = head.text("backend"),
                .driver = head.text("driver"),
                .webgpu = head.text("webgpu"),
                .seed = head.number("seed")};
  const Json &rows = head.list("rows"), &skips = head.list("skips");
  HB_CHECK(head.finish());
  for (size_t i = 0; i < rows.size(); ++i) HB_CHECK(add_row(report, rows[i], std::format("{}: row {}", file, i)));
  for (size_t i = 0; i < skips.size(); ++i) {
    Reader skip(skips[i], std::format("{}: skip {}", file, i));
    const std::string test_case = skip.text("case"), variant = skip.text("variant"), why = skip.text("why");
    HB_CHECK(skip.finish());
    if (variant.empty()) {
      report.skipped_cases.emplace_back(test_case, why);
    } else {
      report.of(variant).why_not = why;
    }
  }
  return report;
}

// In a cell of a Markdown table a bar would end the cell, and a newline the row.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find_first_of("|\n", at)) != std::string::npos; at += 2)
    text.replace(at, 1, text[at] == '|' ? "\\|" : "; ");
  return text;
}

// The manifest's order when the package is given, else that of first mention.
Result<std::vector<std::string>> variant_order(const Options& options, const std::vector<Report>& reports) {
  std::vector<std::string> variants;
  if (!options.package.empty()) {
    HB_TRY(const Package package, load_package(options.package));
    if (package.name() != reports.front().package)
      return fail(ErrorCode::invalid_argument,
                  std::format("the reports are of {}, but --package is {}", reports.front().package, package.name()));
    variants = package.variant_ids();
  }
  for (const Report& report : reports)
    for (const std::string& variant : report.variants)
      if (!std::ranges::contains(variants, variant)) variants.push_back(variant);
  return variants;
}

std::string devices_table(const std::vector<Report>& reports) {
  std::string text =
      "| device | driver | WebGPU | passed | failed | cases skipped | worst error / bound | package | seed |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  for (const Report& r : reports) {
    double worst = 0;
    for (const auto& [variant, outcome] : r.outcomes) worst = std::max(worst, outcome.worst);
    // A failure without a variant (a case that could not be made) counts too.
    text += std::format("| {} | {}, {} | {} | {} | {} | {} | {:.3f} | {} | {:.0f} |\n", cell(r.adapter),
                        cell(r.backend), cell(r.driver), cell(r.webgpu), r.count(&Outcome::passed), r.failures.size(),
                        r.skipped_cases.size(), worst, cell(r.package_hash.substr(0, 12)), r.seed);
  }
  return text;
}

std::string outcome_cell(const Report& report, const std::string& variant) {
  const auto it = report.outcomes.find(variant);
  if (it == report.outcomes.end()) return "not in the report";
  const Outcome& o = it->second;
  if (o.passed + o.failed == 0) return "skipped";
  std::string text = o.failed == 0 ? std::format("{} passed", o.passed)
                                   : std::format("**{} of {} failed**", o.failed, o.passed + o.failed);
  if (o.worst > 0) text += std::format(", {:.3f}", o.worst);
  return text;
}

std::string variants_table(const std::vector<Report>& reports, const std::vector<std::string>& variants) {
  std::string text = "| variant |", line = "|---|";
  for (const Report& report : reports) {
    text += std::format(" {} |", cell(report.adapter));
    line += "---|";
  }
  text += " where it did not run, why |\n" + line + "---|\n";
  for (const std::string& variant : variants) {
    text += std::format("| {} |", cell(variant));
    std::string why;
    bool ran = false;
    for (const Report& report : reports) {
      text += std::format(" {} |", outcome_cell(report, variant));
      const auto it = report.outcomes.find(variant);
      if (it != report.outcomes.end() && it->second.passed + it->second.failed > 0) {
        ran = true;
        continue;
      }
      why += std::format("{}{}: {}", why.empty() ? "" : "; ", report.adapter,
                         it == report.outcomes.end() ? "the report does not mention it" : it->second.why_not);
    }
    text += std::format(" {}{} |\n", ran ? "" : "**no device.** ", cell(why));
  }
  return text;
}

std::string lists(const std::vector<Report>& reports) {
  std::string failures, skips;
  for (const Report& report : reports) {
    for (const auto& [what, why] : report.failures)
      failures += std::format("- {} on {}: {}\n", what, report.adapter, cell(why));
    for (const auto& [what, why] : report.skipped_cases)
      skips += std::format("- {} on {}: {}\n", what, report.adapter, cell(why));
  }
  return std::format("\n## Failures\n{}\n## Cases that no variant can run on a device\n{}",
                     failures.empty() ? "None.\n" : failures, skips.empty() ? "None.\n" : skips);
}

std::string document(const Options& options, const std::vector<Report>& reports,
                     const std::vector<std::string>& variants) {
  std::string command = "halfbyte conformance";
  for (const std::string& file : options.reports) command += " " + file;
  if (!options.package.empty()) command += " --package " + options.package;
  return std::format(
      "# Conformance of {}\n\n"
      "Written by `{}`; do not edit. Each report is what `halfbyte verify PACKAGE --json REPORT` wrote on that "
      "device.\n\n"
      "A cell says how many cases the variant passed there, each forced and held to the double reference, and the "
      "largest error in units of its bound\n(docs/numerics.md; above 1 fails, no number: every case was exact).\n\n"
      "## Devices\n{}\n## Variants\n{}{}",
      reports.front().package, command, devices_table(reports), variants_table(reports, variants), lists(reports));
}

Result<int> run(const Options& options) {
  if (!options.out.empty()) HB_CHECK(check_writable(options.out));
  std::vector<Report> reports;
  for (const std::string& file : options.reports) {
    HB_TRY(Report report, read_report(file));
    if (!reports.empty() && report.package != reports.front().package)
      return fail(ErrorCode::invalid_argument,
                  std::format("{} is of {}, but {} is of {}; a table is of one package", file, report.package,
                              reports.front().file, reports.front().package));
    reports.push_back(std::move(report));
  }
  HB_TRY(const std::vector<std::string> variants, variant_order(options, reports));
  const std::string text = document(options, reports, variants);
  if (options.out.empty()) {
    std::print("{}", text);
  } else {
    HB_CHECK(write_file(options.out, text));
  }
  return std::ranges::all_of(reports, [](const Report& r) { return r.failures.empty(); }) ? 0 : 1;
}

Action add(CLI::App& sub, const Globals&) {
  auto o = std::make_shared<Options>();
  sub.add_option("reports", o->reports, "what `halfbyte verify --json` wrote, one file a device")->required();
  sub.add_option("--package", o->package, "list the variants in this package's order, all of them");
  sub.add_option("--out", o->out, "write the table here instead of on stdout");
  return [o] { return run(*o); };
}

const Registration registration{"conformance", 55, "which variant ran on which device, as a table in Markdown",
                                "halfbyte conformance lavapipe.json h200.json --out docs/conformance.md", add};

}  // namespace
}  // namespace halfbyte::cmd::conformance_command
