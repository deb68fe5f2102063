// What new features can I create? The least degree, then as few monomials as will do.
#include <algorithm>
#include <mercer/error.hpp>
#include <mercer/separable.hpp>

#include "separable/decide.hpp"
#include "separable/explicit_map.hpp"

namespace mercer {

using namespace separability;

namespace {

using Kind = Separability::Kind;
using Set = std::vector<std::size_t>;  // of monomials, by number, ascending

constexpr std::size_t most_monomials = 3000;
constexpr double most_sets = 400;

class Monomials {
 public:
  Monomials(const Matrix& table, std::span<const int> y, bool offset, Clock::time_point deadline)
      : table_(table), y_(y), offset_(offset), deadline_(deadline), points_(exact_points(table)) {}

  void up_to_degree(std::uint32_t n) {
    monomials_ = monomials_up_to(dimension(), n);
    map_ = map_of(monomials_, dimension());
    for (std::size_t j = coordinates_.size(); j < monomials_.size(); ++j)
      coordinates_.push_back(
          std::make_shared<const Coordinate>(map_.coordinates[j], table_, points_));
  }

  [[nodiscard]] std::uint32_t dimension() const {
    return static_cast<std::uint32_t>(table_.columns);
  }
  [[nodiscard]] Set all() const {
    Set set(coordinates_.size());
    for (std::size_t j = 0; j < set.size(); ++j) set[j] = j;
    return set;
  }
  [[nodiscard]] ExplicitMap map(const Set& set) const {
    ExplicitMap map;
    for (const auto j : set) {
      map.coordinates.push_back(map_.coordinates[j]);
      map.texts.push_back(map_.texts[j]);
    }
    return map;
  }
  [[nodiscard]] Separability under(const Set& set) const {
    Coordinates coordinates;
    for (const auto j : set) coordinates.push_back(coordinates_[j]);
    Separability answer = decide(points_, coordinates, y_, offset_, deadline_);
    name_features(answer, map(set));
    return answer;
  }
  [[nodiscard]] bool late() const { return Clock::now() > deadline_; }

 private:
  const Matrix& table_;
  std::span<const int> y_;
  bool offset_;
  Clock::time_point deadline_;
  std::vector<Point> points_;
  std::vector<algebra::Monomial> monomials_;
  ExplicitMap map_;
  Coordinates coordinates_;
};

struct Reduced {
  Set set;
  Separability answer;
  bool irreducible = false;
};

// Drops what can be dropped, in large pieces first, the high degrees first. With pieces of one, a
// round without a drop shows that nothing can be left out, provided that every answer was "no".
Reduced reduce(const Monomials& monomials, Reduced now) {
  std::size_t piece = std::max<std::size_t>(now.set.size() / 2, 1);
  while (true) {
    bool dropped = false;
    now.irreducible = piece == 1;
    for (std::size_t end = now.set.size(); end > 0 && now.set.size() > 1;) {
      if (monomials.late()) {
        now.irreducible = false;
        return now;
      }
      const std::size_t begin = end > piece ? end - piece : 0;
      Set rest = now.set;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(begin),
                 rest.begin() + static_cast<std::ptrdiff_t>(end));
      end = begin;
      if (rest.empty()) continue;
      auto answer = monomials.under(rest);
      if (answer.kind == Kind::undecided) now.irreducible = false;
      if (answer.kind != Kind::separable) continue;
      now.set = std::move(rest);
      now.answer = std::move(answer);
      dropped = true;
    }
    if (piece > 1) {
      piece = (piece + 1) / 2;
    } else if (!dropped || now.set.size() == 1) {
      return now;
    }
  }
}

double sets_up_to(std::size_t size, std::size_t of) {
  double total = 0;
  double count = 1;
  for (std::size_t k = 1; k <= size; ++k) {
    count = count * static_cast<double>(of - k + 1) / static_cast<double>(k);
    total += count;
  }
  return total;
}

// The next set of the same size in alphabetical order.
bool advance(Set& set, std::size_t of) {
  for (std::size_t i = set.size(); i-- > 0;) {
    if (set[i] + (set.size() - i) >= of) continue;
    ++set[i];
    for (std::size_t k = i + 1; k < set.size(); ++k) set[k] = set[k - 1] + 1;
    return true;
  }
  return false;
}

// Looks at all sets of at most this size where these are few, small ones and low degrees first;
// whether none was left open.
bool search_fewest(const Monomials& monomials, Reduced& now) {
  const std::size_t of = monomials.all().size();
  if (sets_up_to(now.set.size(), of) > most_sets) return false;
  for (std::size_t size = 1; size <= now.set.size(); ++size) {
    Set set(size);
    for (std::size_t k = 0; k < size; ++k) set[k] = k;
    do {
      if (monomials.late()) return false;
      auto answer = monomials.under(set);
      if (answer.kind == Kind::undecided) return false;
      if (answer.kind == Kind::separable) {
        now = {set, std::move(answer), true};
        return true;
      }
    } while (advance(set, of));
  }
  return true;
}

}  // namespace

SmallestMap smallest_map(const Matrix& table, std::span<const int> y,
                         const SmallestMapOptions& options) {
  refuse_too_large(table, table.columns);
  SmallestMap result;
  result.same = clash(table, y);
  if (!result.same.empty()) {
    result.kind = SmallestMap::Kind::impossible;
    return result;
  }
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(options.timeout));
  Monomials monomials(table, y, options.offset, deadline);
  for (std::uint32_t degree = 1; degree <= options.max_degree; ++degree) {
    result.degree = degree;
    result.monomials = count_monomials(monomials.dimension(), degree, most_monomials + 1);
    if (result.monomials > most_monomials) {
      result.separability = {};
      result.separability.reason = "there are more than " + std::to_string(most_monomials) +
                                   " monomials of degree " + std::to_string(degree);
      return result;
    }
    refuse_too_large(table, result.monomials);
    monomials.up_to_degree(degree);
    result.separability = monomials.under(monomials.all());
    if (result.separability.kind == Kind::undecided) return result;
    if (result.separability.kind == Kind::not_separable) continue;
    Reduced reduced = reduce(monomials, {monomials.all(), result.separability, false});
    result.fewest = search_fewest(monomials, reduced);
    result.kind = SmallestMap::Kind::found;
    result.irreducible = reduced.irreducible;
    result.map = map_text(monomials.map(reduced.set).texts);
    result.separability = std::move(reduced.answer);
    return result;
  }
  result.kind = SmallestMap::Kind::too_large;
  return result;
}

}  // namespace mercer
