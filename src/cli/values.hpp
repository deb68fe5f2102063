// What values of options may be. Refused ones are told in the words of the other messages.
//
// CLI11 reads "-1" into an unsigned number as the largest one, and its ranges see only what became
// of it; these look at the text.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace mercer::cli {

Check whole_number(std::uint64_t least,
                   std::uint64_t most = std::uint64_t{std::numeric_limits<std::int64_t>::max()});
Check number_between(double least, double most);
// "512", "512M", "4G": becomes the number of MiB.
Check mebibytes();

Check not_empty();
Check one_of(const std::vector<std::string>& names);

}  // namespace mercer::cli
