// et_vk.linear_q4gsw runs com.microsoft.MatMulNBits' templates, and a manifest's derived values belong to its templates: a rule that is
// changed in one manifest and not in the other chooses or sizes a kernel wrongly in the other. Those that differ on purpose are named here.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/test_result.hpp"
#include "io/files.hpp"

namespace halfbyte {
namespace {

using nlohmann::json;
using test::value;

json manifest_of(const std::string& package) {
  return json::parse(value(read_text(HALFBYTE_SOURCE_DIR "/kernels/" + package + "/manifest.json")));
}

// Both have K, N, bits and blockSize as derived values; MatMulNBits, whose public manifest we load unchanged, mostly writes the attributes.
std::string normalized(const json& rule) {
  std::string text = rule.is_string() ? rule.get<std::string>() : rule.dump();
  for (const auto& [attribute, derived] : {std::pair{R"(\battrs\.K\b)", "K"},
                                           {R"(\battrs\.N\b)", "N"},
                                           {R"(\battrs\.bits\b)", "bits"},
                                           {R"(\battrs\.block_size\b)", "blockSize"}})
    text = std::regex_replace(text, std::regex(attribute), derived);
  return text;
}

std::set<std::string> different(const json& ours, const json& theirs) {
  std::set<std::string> names;
  for (const auto& [name, rule] : ours.items())
    if (theirs.contains(name) && normalized(theirs.at(name)) != normalized(rule)) names.insert(name);
  return names;
}

TEST(SameRules, TwoPackagesOverTheSameTemplates) {
  const json nbits = manifest_of("com.microsoft.MatMulNBits"), q4gsw = manifest_of("et_vk.linear_q4gsw");
  const std::set<std::string> own{// the operators' numbers and layouts
                                  "K", "N", "bits", "blockSize", "kBlocks", "blobWords", "rowWords", "rowChunks",
                                  "codesPerWord", "codesPerHalf", "codeMask", "defaultZero", "defaultZeroInt", "bVec",
                                  "B_LEN", "SCALES_LEN", "problemValid",
                                  // a q4gsw's blocks always fit: no tail of K, no N below 1
                                  "registerTilePreferred", "fmaFits", "packedGemvValid"};
  EXPECT_EQ(different(nbits.at("derive"), q4gsw.at("derive")), own);
  EXPECT_EQ(different(nbits.at("tunables"), q4gsw.at("tunables")), std::set<std::string>());
}

}  // namespace
}  // namespace halfbyte
