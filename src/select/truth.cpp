#include "select/truth.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "data/cell.hpp"

namespace mercer::select {

ClassFinder::ClassFinder(const std::vector<std::string>& names) {
  for (std::size_t c = 0; c < names.size(); ++c) {
    numbers_.emplace(names[c], static_cast<std::int32_t>(c));
    if (const auto value = data::number_in(names[c]))
      numbers_.emplace(shortest(*value), static_cast<std::int32_t>(c));
  }
}

std::optional<std::int32_t> ClassFinder::operator()(const std::string& text) const {
  auto at = numbers_.find(text);
  if (at == numbers_.end())
    if (const auto value = data::number_in(text)) at = numbers_.find(shortest(*value));
  if (at == numbers_.end()) return std::nullopt;
  return at->second;
}

}  // namespace mercer::select
