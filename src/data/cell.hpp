// What a cell of text says: a number, a missing value, something else.
#pragma once

#include <optional>
#include <string_view>

namespace mercer::data {

// Without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

// The whole text as a number, rounded correctly; a plus sign is allowed. "inf" and "nan" are read,
// and 1e999 is infinite.
std::optional<double> number_in(std::string_view text);

// "", "?", "NA", "NaN" and their like.
bool is_missing(std::string_view text);
// For a label only the unmistakable ones: "-" may be a class.
bool is_missing_label(std::string_view text);

}  // namespace mercer::data
