// Feature maps as text.
#include <algorithm>
#include <mercer/error.hpp>
#include <mercer/features.hpp>

#include "feature/list.hpp"
#include "feature/text.hpp"
#include "kernel/form.hpp"
#include "kernel/transform.hpp"

namespace mercer {

using algebra::Expr;

FeatureMap FeatureMap::parse(std::string_view text, std::optional<std::uint32_t> dimension) {
  const std::vector<Expr> functions = feature::parse_list(text, dimension, {});
  FeatureMap map;
  const bool as_number = std::ranges::any_of(functions, [](const Expr& e) { return e->as_number; });
  for (const auto& e : functions) map.dimension = std::max(map.dimension, e->least_dimension);
  if (dimension) map.dimension = *dimension;
  if (as_number && map.dimension > 1)
    throw Error("the map uses x as a number, which needs dimension 1, and also coordinate " +
                std::to_string(map.dimension));
  for (const auto& f : functions) {
    if (!dimension && !as_number && algebra::depends_on_dimension(f))
      throw Error("the map runs over all coordinates of x: say how many there are (--dim D)");
    map.coordinates.emplace_back(as_number ? algebra::in_dimension_one(f) : f);
  }
  return map;
}

std::string FeatureMap::text(std::size_t i) const {
  return feature::coordinate_text(coordinates.at(i).expression());
}

std::string FeatureMap::text() const {
  std::string result = "[";
  for (std::size_t i = 0; i < coordinates.size(); ++i) result += (i > 0 ? ", " : "") + text(i);
  return result + "]";
}

}  // namespace mercer
