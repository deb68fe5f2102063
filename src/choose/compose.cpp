#include "choose/compose.hpp"

#include <algorithm>
#include <map>

namespace mercer::choose {

std::vector<Kernel> sums_and_products(const Kernel& best, const std::vector<Kernel>& parts) {
  std::vector<Kernel> made;
  for (const Kernel& part : parts) {
    if (part.text() != best.text()) made.push_back(best + part);  // 2 k tells C or λ, no more
    made.push_back(best * part);
  }
  return made;
}

Sources sources_of(const Table& table) {
  Sources sources;
  const auto& names = table.source_names();
  std::map<std::string, std::size_t> place_of;
  for (std::size_t c = 0; c < table.columns(); ++c) {
    std::size_t place = sources.size();
    if (!names.empty()) place = place_of.emplace(names[c], place).first->second;
    if (place == sources.size()) sources.emplace_back();
    sources[place].push_back(static_cast<std::uint32_t>(c + 1));
  }
  return sources;
}

bool names_columns(const Kernel& kernel) {
  return kernel.has_named_columns() || kernel.least_dimension() > 1;
}

Kernel without(const Kernel& kernel, const Sources& sources, const std::vector<std::size_t>& left) {
  std::vector<std::uint32_t> kept;
  for (std::size_t s = 0; s < sources.size(); ++s)
    if (std::ranges::find(left, s) == left.end())
      kept.insert(kept.end(), sources[s].begin(), sources[s].end());
  std::ranges::sort(kept);
  return kernel.on(kept);
}

std::vector<Kernel> without_each(const Kernel& kernel, const Sources& sources) {
  std::vector<Kernel> made;
  for (std::size_t s = 0; s < sources.size(); ++s) made.push_back(without(kernel, sources, {s}));
  return made;
}

std::vector<Kernel> with_column_apart(const Kernel& best, const std::vector<Kernel>& parts,
                                      const Sources& sources) {
  std::vector<Kernel> made;
  for (const Kernel& part : parts)
    for (const auto& coordinates : sources) made.push_back(best + part.on(coordinates));
  return made;
}

}  // namespace mercer::choose
