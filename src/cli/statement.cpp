#include "cli/statement.hpp"

#include <algorithm>

#include "cli/values.hpp"

namespace mercer::cli {

void add_where(Command& command, Where& where, const std::string& any) {
  command
      .add_option("--over", where.domain,
                  "the set of the points: R, R+, R++, Z, N, [a,b], (a,b), {v1,v2}, ball(r), sphere")
      ->type_name("DOMAIN")
      ->capture_default_str();
  command.add_option("--dim", where.dimension, "the dimension; " + any + " if absent")
      ->check(whole_number(1, 0x7FFFFFFF))
      ->type_name("D");
}

std::string domain_text(const Where& where) { return Domain::parse(where.domain).text(); }

std::string scope(const Where& where, const std::vector<Kernel>& kernels) {
  const std::string on = " on " + domain_text(where);
  if (where.dimension) return on + " in dimension " + std::to_string(*where.dimension);
  std::uint32_t least = 1;
  for (const auto& k : kernels) {
    if (k.only_dimension_one()) return on + " in dimension 1";
    least = std::max(least, k.least_dimension());
  }
  return on + " in every dimension" + (least > 1 ? " from " + std::to_string(least) : "");
}

std::string point_text(const std::vector<std::string>& coordinates) {
  if (coordinates.size() == 1) return coordinates[0];
  // Nobody reads hundreds of zeros at the end.
  std::size_t shown = coordinates.size();
  while (shown > 1 && coordinates[shown - 2] == coordinates.back()) --shown;
  constexpr std::size_t bearable = 16;
  if (coordinates.size() - shown < bearable) shown = coordinates.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += (text.empty() ? "(" : ", ") + coordinates[i];
  if (shown < coordinates.size()) text += ", …, " + coordinates.back();
  return text + ")";
}

}  // namespace mercer::cli
