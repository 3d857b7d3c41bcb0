// Golden plans: the oracle's for a public manifest (../shared/compat, where it exists), and our own package's plans and WGSL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/test_result.hpp"
#include "io/files.hpp"
#include "io/profile_files.hpp"
#include "plan/plan.hpp"

namespace halfbyte {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kSource = HALFBYTE_SOURCE_DIR;
const fs::path kGolden = kSource / "tests" / "golden";

bool updating() {
  const char* text = std::getenv("HALFBYTE_UPDATE_GOLDEN");
  return text != nullptr && std::string(text) == "1";
}

using test::value;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> list;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) list.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

json plan_json(const Package& package, const DeviceProfile& profile, const Problem& problem) {
  const auto choice = select(package, profile, problem);
  if (!choice) return {{"error", choice.error().message}};
  const auto plan = make_plan(package, *choice);
  return plan ? json::parse(print(*plan)) : json{{"error", plan.error().to_string()}};
}

// Equal values; where the oracle has an error, any error will do.
bool same(const json& ours, const json& golden) {
  return golden.contains("error") ? ours.contains("error") : ours == golden;
}

TEST(Golden, PublicManifestPlansAsTheOracle) {
  const fs::path shared = kSource / ".." / "shared";
  if (!fs::exists(shared))
    GTEST_SKIP() << "there is no ../shared beside this checkout, so the oracle's plans are not here";
  const fs::path compat = shared / "compat";
  const Package package = value(load_package((compat / "com.microsoft.MatMulNBits" / "manifest.json").string()));
  const auto profiles = value(load_profiles((compat / "profiles").string()));
  const auto problems = value(parse_problems(value(read_text((compat / "requests.json").string())), "requests.json"));
  const auto golden = lines(value(read_text((compat / "golden" / "MatMulNBits.jsonl").string())));
  ASSERT_GT(golden.size(), 0U) << "the golden file is empty";
  ASSERT_EQ(golden.size(), profiles.size() * problems.size());
  size_t equal = 0, i = 0;
  for (const ProfileFile& file : profiles)
    for (const Problem& problem : problems) {
      const json expected = json::parse(golden[i++]);
      ASSERT_EQ(expected["profile"], file.stem);
      ASSERT_EQ(expected["request"], problem.id);
      const json ours = plan_json(package, file.profile, problem);
      if (same(ours, expected["plan"])) {
        ++equal;
      } else if (i - equal < 5) {
        ADD_FAILURE() << file.stem << " " << problem.id << "\n  ours   " << ours << "\n  golden " << expected["plan"];
      }
    }
  EXPECT_EQ(equal, golden.size());
  std::printf("%zu of %zu plans equal\n", equal, golden.size());
}

// Of each of our packages: the folder of its requests, plans and WGSL.
class OwnPackage : public ::testing::TestWithParam<std::pair<std::string, fs::path>> {
 protected:
  void SetUp() override {
    folder = GetParam().second;
    package = value(load_package((kSource / "kernels" / GetParam().first).string()));
    profiles = value(load_profiles((kSource / "profiles").string()));
    problems = value(parse_problems(value(read_text((folder / "requests.json").string())), "requests.json"));
  }
  fs::path folder;
  std::optional<Package> package;
  std::vector<ProfileFile> profiles;
  std::vector<Problem> problems;
};

TEST_P(OwnPackage, Plans) {
  std::string text;
  for (const ProfileFile& file : profiles)
    for (const Problem& problem : problems)
      text +=
          json{{"profile", file.stem}, {"request", problem.id}, {"plan", plan_json(*package, file.profile, problem)}}
              .dump() +
          "\n";
  const fs::path path = folder / "plans.jsonl";
  if (updating()) ASSERT_TRUE(write_file(path.string(), text));
  const auto ours = lines(text), golden = lines(value(read_text(path.string())));
  ASSERT_EQ(ours.size(), golden.size()) << "HALFBYTE_UPDATE_GOLDEN=1 writes the file anew";
  int shown = 0;
  for (size_t i = 0; i < ours.size(); ++i)
    if (ours[i] != golden[i] && ++shown <= 3)
      ADD_FAILURE() << "ours   " << ours[i] << "\ngolden " << golden[i]
                    << "\nHALFBYTE_UPDATE_GOLDEN=1 writes the file anew";
  EXPECT_EQ(shown, 0) << "plans differ";
}

// One text for each distinct program of two devices that lie far apart; a name that does not change with the text.
TEST_P(OwnPackage, Wgsl) {
  std::map<std::string, std::string> texts;
  std::map<Hash128, bool> seen;
  for (const ProfileFile& file : profiles) {
    if (file.stem != "nvidia-h200" && file.stem != "baseline-no-features") continue;
    for (const Problem& problem : problems) {
      const auto plan = plan_problem(*package, file.profile, problem);
      if (!plan) continue;  // Plans holds the error
      for (const auto* list : {&plan->prepack_passes, &plan->passes})
        for (const PassPlan& pass : *list) {
          if (!seen.emplace(pass.program, true).second) continue;
          const std::string stem = plan->variant + "." + pass.id;
          int number = 1;
          while (texts.contains(std::format("{}.{}.wgsl", stem, number))) ++number;
          texts[std::format("{}.{}.wgsl", stem, number)] =
              std::format("// {}, {}\n", file.stem, problem.id) + value(render(*package, pass));
        }
    }
  }
  const fs::path wgsl = folder / "wgsl";
  if (updating()) {
    fs::remove_all(wgsl);
    fs::create_directories(wgsl);
    for (const auto& [name, text] : texts) ASSERT_TRUE(write_file((wgsl / name).string(), text));
  }
  std::vector<std::string> names, files;
  for (const auto& [name, text] : texts) names.push_back(name);
  for (const auto& entry : fs::directory_iterator(wgsl)) files.push_back(entry.path().filename().string());
  EXPECT_THAT(files, ::testing::UnorderedElementsAreArray(names)) << "HALFBYTE_UPDATE_GOLDEN=1 writes the files anew";
  for (const auto& [name, text] : texts)
    if (fs::exists(wgsl / name)) EXPECT_EQ(value(read_text((wgsl / name).string())), text) << name;
}

// The cases of a device that cannot run something must say why, for every variant.
TEST_P(OwnPackage, EveryProfileRunsEverythingOrSaysWhy) {
  for (const ProfileFile& file : profiles)
    for (const Problem& problem : problems) {
      const auto plan = plan_problem(*package, file.profile, problem);
      if (plan) continue;
      EXPECT_TRUE(plan.error().code == ErrorCode::not_eligible || plan.error().code == ErrorCode::limit)
          << plan.error().to_string();
      if (plan.error().code == ErrorCode::not_eligible)
        EXPECT_EQ(plan.error().notes.size(), package->variant_ids().size());
    }
}

INSTANTIATE_TEST_SUITE_P(Golden, OwnPackage,
                         ::testing::Values(std::pair("com.microsoft.MatMulNBits", kGolden),
                                           std::pair("et_vk.linear_q4gsw", kGolden / "et_vk.linear_q4gsw")),
                         [](const auto& info) { return info.index == 0 ? "MatMulNBits" : "Q4gsw"; });

}  // namespace
}  // namespace halfbyte
