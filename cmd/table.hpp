// A table of text for the terminal: columns as wide as they need to be.
#pragma once

#include <algorithm>
#include <cstdio>
#include <format>
#include <print>
#include <string>
#include <vector>

namespace halfbyte::cmd {

class Table {
 public:
  // A header that begins with '>' has its column set right.
  explicit Table(std::vector<std::string> headers) {
    for (std::string& header : headers) {
      right_.push_back(header.starts_with('>'));
      if (right_.back()) header.erase(0, 1);
      width_.push_back(glyphs(header));
    }
    rows_.push_back(std::move(headers));
  }

  // Precondition: as many cells as there are headers.
  void add(std::vector<std::string> cells) {
    for (size_t i = 0; i < cells.size(); ++i) width_[i] = std::max(width_[i], glyphs(cells[i]));
    rows_.push_back(std::move(cells));
  }

  void print(std::FILE* out) const {
    for (const auto& row : rows_) {
      std::string line;
      for (size_t i = 0; i < row.size(); ++i) {
        const std::string pad(width_[i] - glyphs(row[i]), ' ');
        line += (i == 0 ? "" : "  ") + (right_[i] ? pad + row[i] : row[i] + pad);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      std::println(out, "{}", line);
    }
  }

 private:
  // UTF-8 bytes that begin a character; good enough for the signs that tables here use.
  static size_t glyphs(const std::string& text) {
    return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
  }

  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> width_;
  std::vector<bool> right_;
};

// "10.8 MB"; powers of 1000, as disks and downloads are counted.
inline std::string human_bytes(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  return unit == 0 ? std::format("{:.0f} B", bytes)
                   : std::format("{:.{}f} {}", bytes, bytes < 100 ? 1 : 0, units[unit]);
}

}  // namespace halfbyte::cmd
