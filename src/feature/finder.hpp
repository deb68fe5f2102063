// The search for φ: rules that see one node and the maps of its parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "feature/family.hpp"
#include "feature/series.hpp"

namespace mercer::feature {

// A map with φ(x)·φ(z) = k(x,z), or up to a tail where the map is cut off an infinite one.
struct Found {
  Found() = default;
  explicit Found(FamilyPtr functions) : family(std::move(functions)) {}

  FamilyPtr family;
  bool infinite = false;
  Expr tail;                        // infinite: |k(x,z) - φ(x)·φ(z)| <= tail(x,z) …
  std::vector<std::string> where;   // … under these conditions
  std::vector<std::string> series;  // that were cut
  std::vector<std::string> notes;
};

class Finder {
 public:
  // In dimension d; series are cut after so many terms.
  Finder(std::uint32_t d, std::uint64_t terms) : d_(d), terms_(terms) {}

  std::optional<Found> run(const Expr& e);

  // Why there is no φ at all, where that was proved of the expression last asked about.
  [[nodiscard]] const std::optional<std::string>& refusal() const { return refusal_; }

 private:
  std::optional<Found> any(const Expr& e);
  std::optional<Found> by_form(const Expr& e);
  std::optional<Found> polynomial(const Expr& e);
  std::optional<Found> dot_polynomial(const Expr& e);
  std::optional<Found> finite(const Expr& e);
  std::optional<Found> constant(const Expr& e) const;
  std::optional<Found> sum(const Expr& e);
  std::optional<Found> product(const Expr& e);
  std::optional<Found> power(const Expr& e);
  std::optional<Found> function(const Expr& e);
  std::optional<Found> exponential(const Expr& e);
  std::optional<Found> negative_logarithm(const Rational& c, const Expr& e);
  std::optional<Found> lowered_exponential(const Expr& e);
  std::optional<Found> normalized(const Expr& e);
  std::optional<Found> reduction(const Expr& e);
  std::optional<Found> series_of(const PowerSeries& series, const Expr& k);

  std::uint32_t d_;
  std::uint64_t terms_;
  int depth_ = 0;
  std::optional<std::string> refusal_;
};

}  // namespace mercer::feature
