#include <cmath>
#include <mercer/error.hpp>
#include <mercer/features.hpp>
#include <mercer/properties.hpp>

#include "feature/check.hpp"
#include "feature/finder.hpp"
#include "feature/separate.hpp"
#include "kernel/defined.hpp"
#include "kernel/feature_space.hpp"
#include "kernel/transform.hpp"

namespace mercer {

namespace {

using algebra::Expr;
using Kind = Features::Kind;

std::string why_not_found(const Expr& e, bool infinite) {
  if (!algebra::is_constant(e) && (!e->uses_x || !e->uses_z))
    return "it is a function of one point only";
  if (infinite)
    return "no finite one exists, and no series is known here that gives an infinite one";
  return "no feature map was found";
}

Features nothing(const Expr& e, std::uint32_t d, const std::optional<std::string>& refusal) {
  Features result;
  if (refusal) {
    result.kind = Kind::none;
    result.reason = *refusal;
    return result;
  }
  using SpaceKind = Properties::FeatureSpace::Kind;
  result.known_infinite = algebra::feature_space_of(e, d).kind == SpaceKind::infinite;
  result.reason = why_not_found(e, result.known_infinite);
  return result;
}

bool is_minimal(const Expr& e, std::uint32_t d, const std::string& count) {
  const auto space = algebra::feature_space_of(e, d);
  return space.kind == Properties::FeatureSpace::Kind::exactly && space.count == count;
}

// Where the tail is finite on it, by interval arithmetic.
std::optional<double> on_unit_ball(const Expr& tail) {
  const Domain ball = Domain::parse("ball(1)");
  if (!algebra::conditions_on(tail, ball).empty()) return std::nullopt;
  const double high = algebra::range_on(tail, ball).high;
  return std::isfinite(high) ? std::optional(high) : std::nullopt;
}

void check_kind(const Expr& e) {
  if (e->has_open)
    throw Error("a kernel with open parameters has no features yet: give them values");
  if (e->has_opaque)
    throw Error("nothing is known of the features of a user's function or a precomputed matrix");
  if (e->has_names) throw Error("columns by name are not known here: select them by number");
}

// What can be written out; products over very many coordinates cannot.
std::vector<Expr> written_out(const feature::Found& found, std::size_t n, Features& result) {
  try {
    return found.family->first(n);
  } catch (const Error& error) {
    result.notes.emplace_back(error.what());
    return {};
  }
}

// 0*log(x): a part that is there for its domain only.
bool has_zero_coefficient(const Expr& e) {
  for (const auto& c : e->coefficients)
    if (c.is_zero()) return true;
  for (const auto& arg : e->args)
    if (has_zero_coefficient(arg)) return true;
  return false;
}

}  // namespace

const char* name_of(Features::Kind kind) {
  switch (kind) {
    case Features::Kind::finite:
      return "finite";
    case Features::Kind::infinite:
      return "infinite";
    case Features::Kind::none:
      return "none";
    case Features::Kind::unknown:
      break;
  }
  return "unknown";
}

Features features(const Kernel& k, std::uint32_t dimension, const FeatureOptions& options) {
  const Expr given = algebra::in_dimension(k.expression(), dimension);
  check_kind(given);
  if (options.terms == 0) throw Error("a series needs at least one term");
  constexpr std::uint64_t most_terms = 100;
  if (options.terms > most_terms)
    throw Error("a series is cut after at most " + std::to_string(most_terms) + " terms");
  if (has_zero_coefficient(given)) return nothing(given, dimension, std::nullopt);
  const Expr e = feature::with_counts(given, dimension);

  feature::Finder finder(dimension, options.terms);
  const auto found = finder.run(e);
  if (!found) return nothing(e, dimension, finder.refusal());

  Features result;
  result.kind = found->infinite ? Kind::infinite : Kind::finite;
  const algebra::Count count = found->family->count();
  result.count = count.text;
  result.map.dimension = dimension;
  result.notes = found->notes;
  const auto functions = written_out(*found, options.coordinates, result);
  for (const auto& f : functions) result.map.coordinates.emplace_back(f);
  result.complete = count.number && *count.number == functions.size();
  result.minimal = !found->infinite && is_minimal(e, dimension, result.count);
  if (found->infinite) {
    const Expr tail = feature::with_counts(found->tail, dimension);
    result.tail = Kernel(tail);
    result.tail_on_unit_ball = on_unit_ball(tail);
  }
  result.where = found->where;
  result.series = found->series;
  if (result.complete) result.check = feature::checked(e, dimension, functions, found->tail);
  return result;
}

}  // namespace mercer
