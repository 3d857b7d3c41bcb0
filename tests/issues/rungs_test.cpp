// Issue 3: for every profile the project's package chooses at least as fast a family as the public manifest does.
#include <filesystem>

#include "field_case.hpp"
#include "io/files.hpp"

namespace halfbyte::issues {
namespace {

// Families in the order of their speed where both can run, by what limits them: each rung reuses what it has loaded more than the one below,
// or multiplies on faster units. One row at a time is a ladder of its own (0, 3, 4): nothing is reused there, and bandwidth decides.
int rung(const std::string& variant) {
  const std::pair<std::string_view, int> ladder[] = {
      {"gemv_packed", 5},      // whole cache lines for every lane; 16 f32 rows: 37 us on the H200, the fma tile 62
      {"gemv_rows", 5},        // A shared by a workgroup; 16 f32 rows from ONNX's layout: 33 us there
      {"gemv", 3},             // a column for each subgroup or workgroup
      {"sgmat", 7},            // matrix units, all of our forms
      {"prefill_sgmat", 7},    // the public f32 8x8x8 one
      {"prefill_dp4a", 6},     // int8 dot products: four a lane and cycle
      {"q4_dp4a_prefill", 6},  //
      {"prefill_tiled_reg_vec4", 5},    // register tile with vec4 loads; the public split-K form has this prefix, too
      {"prefill_tiled_reg_splitk", 5},  // ours
      {"prefill_fma", 5},               // ours, 8 or 16 rows a thread, split K or not
      {"prefill_tiled_reg", 4},         // register tile, scalar loads
      {"prefill_steel", 4},             // 4x4 register tile
      {"prefill_wide_tile", 3},         // A shared by a subgroup, one column a lane
      {"prefill_tiled", 2},             // 32x32, 2x2 a lane
      {"prefill_tile4x4", 1},           // 4x4 results a workgroup
  };
  for (const auto& [prefix, height] : ladder)
    if (variant.starts_with(prefix)) return height;
  for (const char* scalar : {"scalar", "default_zero", "zero_bias", "zero_only", "bias_only"})
    if (variant == scalar) return 0;
  ADD_FAILURE() << "the variant " << variant << " has no rung; give it one, by what limits it";
  return -1;
}

std::string chosen(const Package& package, const DeviceProfile& device, const Problem& problem) {
  const auto verdicts = explain(package, device, problem);
  if (!verdicts) return {};
  const auto winner = std::ranges::find(*verdicts, Verdict::chosen, &VariantVerdict::verdict);
  return winner == verdicts->end() ? std::string() : winner->variant;
}

TEST_F(FieldCase, Rungs_AtLeastAsFastAFamilyAsThePublicManifest) {
  const std::string path = source("../shared/compat/com.microsoft.MatMulNBits/manifest.json");
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "there is no ../shared beside this checkout, so no public manifest";
  const Package open = value(load_package(path));
  std::vector<Spec> specs = random_specs(60);
  for (const int64_t M : {1, 2, 5, 16, 48, 64, 128, 512})
    for (const auto& [K, N] :
         {std::pair<int64_t, int64_t>{4096, 4096}, {2560, 9728}, {896, 128}, {1024, 16}, {3072, 200}, {1000, 4096}})
      for (const int bits : {2, 4, 8})
        for (const int64_t block : {32, 128})
          for (const DType dtype : {DType::float32, DType::float16})
            for (const int level : {0, 4})
              specs.push_back({.M = M,
                               .N = N,
                               .K = K,
                               .bits = bits,
                               .block = block,
                               .zp = bits == 2,
                               .dtype = dtype,
                               .level = level});
  int compared = 0, shown = 0;
  for (const DeviceProfile& device : all_profiles())
    for (const Spec& spec : specs) {
      const Problem p = problem(spec);
      const std::string theirs = chosen(open, device, p), ours = chosen(package(), device, p);
      if (theirs.empty()) continue;
      ASSERT_FALSE(ours.empty()) << p.id << " on " << device.name << ": nothing runs, the public manifest chooses "
                                 << theirs;
      ++compared;
      if (rung(ours) < rung(theirs) && ++shown <= 20)
        ADD_FAILURE() << p.id << " on " << device.name << ": ours is " << ours << ", the public one " << theirs;
    }
  EXPECT_EQ(shown, 0);
  EXPECT_GT(compared, 3000);
}

}  // namespace
}  // namespace halfbyte::issues
