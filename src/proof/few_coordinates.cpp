#include "proof/few_coordinates.hpp"

#include <algorithm>
#include <mercer/error.hpp>
#include <set>

#include "kernel/transform.hpp"
#include "proof/candidates.hpp"

namespace mercer::proof {

using algebra::Columns;
using algebra::Op;
using algebra::Place;
using algebra::Range;
using algebra::Side;

namespace {

constexpr std::size_t most_named = 12;
constexpr std::uint32_t more = 3;  // of those that have no name

bool is_reduction(const Expr& e) {
  return e->op == Op::sum_over || e->op == Op::product_over || e->op == Op::symmetric_over;
}

// The coordinates named by number, into `named`; false where there are too many, or where numbers
// are not all that is used.
bool collect(const Expr& e, std::set<std::uint32_t>& named) {
  if (e->as_number || e->has_names || e->has_open || e->has_opaque) return false;
  if (e->op == Op::coordinate && e->place != Place::bound) {
    if (e->place != Place::fixed || !e->columns.all()) return false;
    named.insert(e->index);
  }
  if (is_reduction(e) && !e->columns.all())
    for (const auto& range : e->columns.ranges(1)) {
      if (range.last - range.first >= most_named) return false;
      for (std::uint32_t i = range.first; i <= range.last; ++i) named.insert(i);
    }
  if (named.size() > most_named) return false;
  return std::ranges::all_of(e->args, [&](const Expr& arg) { return collect(arg, named); });
}

}  // namespace

class Shrinking {
 public:
  explicit Shrinking(const FewCoordinates& few) : few_(few) {}

  // nullopt where a product or a set of coordinates sees the others.
  [[nodiscard]] std::optional<Expr> run(const Expr& e) const {
    if (e->op == Op::coordinate)
      return e->place == Place::bound ? e : algebra::coordinate(e->side, {}, place(e->index));
    if (e->args.empty()) return e;
    std::vector<Expr> args;
    for (const auto& arg : e->args) {
      const auto few = run(arg);
      if (!few) return std::nullopt;
      args.push_back(*few);
    }
    if (!is_reduction(e)) return algebra::with_args(*e, std::move(args));
    // Within another sum over coordinates the count would be of pairs.
    if (e->free_levels != 0 || algebra::has_reduction(args[0])) return std::nullopt;
    return e->columns.all() ? over_all(*e, args[0]) : over_some(*e, args[0]);
  }

 private:
  [[nodiscard]] std::uint32_t place(std::uint32_t index) const {
    return static_cast<std::uint32_t>(std::ranges::find(few_.at_, index) - few_.at_.begin()) + 1;
  }

  [[nodiscard]] std::optional<Expr> over_all(const algebra::Node& n, const Expr& body) const {
    const Expr other =
        algebra::substitute_bound(body, [&](Side) { return algebra::number(few_.o_); });
    if (n.op == Op::sum_over)
      return algebra::add(algebra::sum_over({}, body),
                          algebra::scale(Rational(std::int64_t{few_.d_} - few_.m_), other));
    if (n.op == Op::product_over)
      return algebra::is_number(other, 1) ? std::optional(algebra::product_over({}, body))
                                          : std::nullopt;
    return algebra::is_number(other, 0) ? std::optional(algebra::symmetric_over(n.degree, {}, body))
                                        : std::nullopt;
  }

  [[nodiscard]] std::optional<Expr> over_some(const algebra::Node& n, const Expr& body) const {
    std::vector<Range> ranges;
    for (const auto& range : n.columns.ranges(few_.d_))
      for (std::uint32_t i = range.first; i <= range.last; ++i)
        ranges.push_back({place(i), place(i)});
    const Columns columns = Columns::at(ranges);
    if (n.op == Op::sum_over) return algebra::sum_over(columns, body);
    if (n.op == Op::product_over) return algebra::product_over(columns, body);
    return algebra::symmetric_over(n.degree, columns, body);
  }

  const FewCoordinates& few_;
};

std::optional<FewCoordinates> FewCoordinates::of(const std::vector<Expr>& expressions,
                                                 const Domain& domain, std::uint32_t d) {
  std::set<std::uint32_t> named;
  for (const auto& e : expressions)
    if (!collect(e, named)) return std::nullopt;
  if (!named.empty() && *named.rbegin() > d) return std::nullopt;
  FewCoordinates few;
  few.d_ = d;
  for (std::uint32_t i = 1, added = 0; i <= d && added < more; ++i)
    if (named.insert(i).second) ++added;
  few.at_.assign(named.begin(), named.end());
  few.m_ = static_cast<std::uint32_t>(few.at_.size());
  const bool round = domain.kind() == Domain::Kind::ball || domain.kind() == Domain::Kind::sphere;
  if (!round) {
    const auto values = simple_values(domain);
    if (values.empty()) return std::nullopt;
    few.o_ = values[0];
  }
  for (const auto& e : expressions) {
    std::optional<Expr> shrunk;
    try {
      shrunk = Shrinking(few).run(e);
    } catch (const Error& error) {
      throw Error("undefined where a coordinate of x and of z is " + few.o_.text() +
                  " (a point of the domain " + domain.text() + "): " + error.what());
    }
    if (!shrunk) return std::nullopt;
    few.expressions_.push_back(*shrunk);
  }
  return few;
}

Point FewCoordinates::whole(const Point& few) const {
  Point p(d_, o_);
  for (std::size_t i = 0; i < few.size(); ++i) p[at_[i] - 1] = few[i];
  return p;
}

std::string FewCoordinates::others() const {
  std::string some;
  for (const auto i : at_) some += (some.empty() ? "" : ", ") + std::to_string(i);
  return "(coordinates " + some + "; the other coordinates are " + o_.text() + ")";
}

void FewCoordinates::check_writable(std::size_t points, const std::string& what) const {
  constexpr std::uint64_t most = 200'000;
  if (std::uint64_t{d_} * points <= most) return;
  throw Error(what + " in dimension " + std::to_string(d_) +
              ", but points of so many coordinates are too long to be written" +
              (at_.back() == m_
                   ? "; ask in a smaller dimension, such as --dim " + std::to_string(m_)
                   : "; name coordinates of smaller numbers"));
}

}  // namespace mercer::proof
