// Small services for text: numbers as short as they can be, UTF-8 columns, nearest names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

// The shortest decimal that reads back as this double, independent of the locale.
std::string shortest(double value);

// The number that it reads as when written with so many significant digits.
double with_digits(double value, int digits);

// "(1, 2.5)": a point for a message; long ones are shortened in the middle.
std::string point_text(std::span<const double> point);

// The number of characters (code points) in UTF-8 text.
std::size_t characters(std::string_view text);

// The length in bytes of the character that starts at text[0], 1 for a stray byte.
std::size_t character_length(std::string_view text);

// The known name nearest to a mistyped one (at most a third of its letters wrong); "" if none is.
std::string nearest(std::string_view given, std::span<const std::string_view> known);

// "1 row", "3 rows"; `many` where it is not `one` with an s.
std::string counted(std::size_t n, std::string_view one, std::string_view many = {});

// Text in double quotes with \" and \\ escaped.
std::string in_quotes(std::string_view text);

}  // namespace mercer
