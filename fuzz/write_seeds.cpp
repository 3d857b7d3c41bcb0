// write_seeds FOLDER: every target's seeds as files FOLDER/TARGET/seed-N, and its words as FOLDER/TARGET.dict.
#include <filesystem>
#include <print>

#include "io/files.hpp"
#include "targets.hpp"

int main(int argc, char** argv) {
  using namespace halfbyte;
  if (argc != 2) {
    std::println(stderr, "usage: write_seeds FOLDER");
    return 2;
  }
  const std::string folder = argv[1];
  for (const fuzz::Target& target : fuzz::targets()) {
    const std::string own = folder + "/" + std::string(target.name);
    std::filesystem::create_directories(own);
    size_t number = 0;
    for (const std::string& seed : target.seeds())
      if (!write_file(std::format("{}/seed-{}", own, number++), seed)) return 1;
    std::string words;
    for (const std::string_view word : target.words) {
      words += '"';
      for (const char c : word) words += std::format("\\x{:02x}", static_cast<unsigned char>(c));
      words += "\"\n";
    }
    if (!write_file(own + ".dict", words)) return 1;
    std::println("{}", target.name);
  }
  return 0;
}
