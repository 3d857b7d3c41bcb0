// std::to_chars of floating-point numbers, in place of libc++'s: its tables are 120 kB, and the C library's printf, which is linked
// anyway, is exact too. std::format calls these. Linked with --allow-multiple-definition, where the first one wins.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

using Result = std::to_chars_result;

Result copy(char* first, char* last, std::string_view text) {
  if (static_cast<size_t>(last - first) < text.size()) return {last, std::errc::value_too_large};
  std::memcpy(first, text.data(), text.size());
  return {first + text.size(), std::errc()};
}

// Hexadecimal digits go without printf's "0x".
std::string_view without_prefix(char* text) {
  if (char* prefix = std::strstr(text, "0x")) std::memmove(prefix, prefix + 2, std::strlen(prefix + 2) + 1);
  return text;
}

// A number with 308 digits before the point and a precision of std::format's own bound does not fit: the caller's room decides then.
Result print(char* first, char* last, double value, char conversion, int precision) {
  if (!std::isfinite(value))
    return copy(first, last, std::isnan(value) ? (std::signbit(value) ? "-nan" : "nan") : (value < 0 ? "-inf" : "inf"));
  const char format[] = {'%', '.', '*', conversion, 0};
  const int size = std::snprintf(nullptr, 0, format, precision, value);
  if (size < 0 || size > last - first) return {last, std::errc::value_too_large};
  char* text = static_cast<char*>(
      std::malloc(static_cast<size_t>(size) + 1));  // printf ends with a zero, for which there may be no room
  if (!text) return {last, std::errc::value_too_large};
  std::snprintf(text, static_cast<size_t>(size) + 1, format, precision, value);
  const Result result = copy(first, last, without_prefix(text));
  std::free(text);
  return result;
}

char conversion_of(std::chars_format format) {
  if (format == std::chars_format::hex) return 'a';
  if (format == std::chars_format::scientific) return 'e';
  return format == std::chars_format::fixed ? 'f' : 'g';
}

// The decimal number one unit of its last digit above; false when all its digits are nines.
bool step_up(char* text) {
  for (char* digit = std::strchr(text, 'e') - 1; digit >= text; --digit) {
    if (*digit == '.' || *digit == '-') continue;
    if (*digit != '9') {
      ++*digit;
      return true;
    }
    *digit = '0';
  }
  return false;
}

// The fewest digits that read as the same number again, as "d.ddde+xx"; returns how many follow the first. The nearest number
// of so many digits is tried, and the next one away from zero: at a power of two the neighbours above are twice as far as those below.
template <class T>
int shortest(T value, char (&text)[40]) {
  for (int digits = 0;; ++digits) {
    std::snprintf(text, sizeof text, "%.*e", digits, static_cast<double>(value));
    if (digits == 16 || static_cast<T>(std::strtod(text, nullptr)) == value) return digits;
    if (step_up(text) && static_cast<T>(std::strtod(text, nullptr)) == value) return digits;
  }
}

template <class T>
Result print_shortest(char* first, char* last, T value, std::chars_format format, bool plain) {
  if (!std::isfinite(value)) return print(first, last, value, 'g', 0);
  if (format == std::chars_format::hex) {
    char text[40];
    std::snprintf(text, sizeof text, "%a", static_cast<double>(value));
    return copy(first, last, without_prefix(text));
  }
  char text[40];
  const int digits = shortest(value, text);
  const int exponent = std::atoi(std::strchr(text, 'e') + 1);
  const int decimals = digits > exponent ? digits - exponent : 0;
  bool fixed = format == std::chars_format::fixed;
  if (plain) {  // whichever is shorter, fixed when they are equal
    const int scientific_size = 1 + (digits > 0 ? 1 + digits : 0) + (std::abs(exponent) < 100 ? 4 : 5);
    const int fixed_size = (exponent >= 0 ? exponent + 1 : 1) + (decimals > 0 ? 1 + decimals : 0);
    fixed = fixed_size <= scientific_size;
  } else if (format == std::chars_format::general) {
    fixed = exponent >= -4 && exponent < 6;
  }
  return fixed ? print(first, last, value, 'f', decimals) : copy(first, last, text);
}

}  // namespace

// Qualified, since libc++ declares them in an inline namespace of its own. NOLINTBEGIN(cert-dcl58-cpp)
using std::chars_format;
std::to_chars_result std::to_chars(char* first, char* last, float v) {
  return print_shortest(first, last, v, chars_format::general, true);
}
std::to_chars_result std::to_chars(char* first, char* last, float v, chars_format f) {
  return print_shortest(first, last, v, f, false);
}
std::to_chars_result std::to_chars(char* first, char* last, float v, chars_format f, int precision) {
  return print(first, last, static_cast<double>(v), conversion_of(f), precision < 0 ? 6 : precision);
}
std::to_chars_result std::to_chars(char* first, char* last, double v) {
  return print_shortest(first, last, v, chars_format::general, true);
}
std::to_chars_result std::to_chars(char* first, char* last, double v, chars_format f) {
  return print_shortest(first, last, v, f, false);
}
std::to_chars_result std::to_chars(char* first, char* last, double v, chars_format f, int precision) {
  return print(first, last, v, conversion_of(f), precision < 0 ? 6 : precision);
}
std::to_chars_result std::to_chars(char* first, char* last, long double v) {
  return print_shortest(first, last, static_cast<double>(v), chars_format::general, true);
}
std::to_chars_result std::to_chars(char* first, char* last, long double v, chars_format f) {
  return print_shortest(first, last, static_cast<double>(v), f, false);
}
std::to_chars_result std::to_chars(char* first, char* last, long double v, chars_format f, int precision) {
  return print(first, last, static_cast<double>(v), conversion_of(f), precision < 0 ? 6 : precision);
}
// NOLINTEND(cert-dcl58-cpp)
