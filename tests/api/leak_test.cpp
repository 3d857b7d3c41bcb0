// So that leaks.sh sees LeakSanitizer work.
#include <gtest/gtest.h>

#include <cstdlib>

namespace halfbyte::testing {
namespace {

TEST(Leak, IsMadeOnPurpose) {
  if (std::getenv("HALFBYTE_TEST_LEAK") == nullptr) GTEST_SKIP() << "only for leaks.sh";
  void* volatile lost = std::malloc(1234);
  ASSERT_NE(lost, nullptr);
  lost = nullptr;
}

}  // namespace
}  // namespace halfbyte::testing
