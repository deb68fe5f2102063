#include "proof/distributed.hpp"

#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using Terms = std::vector<ProductTerm>;
constexpr std::size_t most_terms = 60;

std::optional<Terms> product_of(const Terms& a, const std::optional<Terms>& b) {
  if (!b || a.size() * b->size() > most_terms) return std::nullopt;
  Terms result;
  for (const auto& s : a)
    for (const auto& t : *b) {
      result.push_back({s.c * t.c, s.factors});
      auto& factors = result.back().factors;
      factors.insert(factors.end(), t.factors.begin(), t.factors.end());
    }
  return result;
}

}  // namespace

std::optional<std::vector<ProductTerm>> distributed(const Expr& e) {
  const Terms one{{1, {}}};
  if (e->op == Op::number) return Terms{{e->number, {}}};
  if (e->op == Op::sum && !is_difference(e)) {
    Terms all;
    if (!e->number.is_zero()) all.push_back({e->number, {}});
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      const auto part = distributed(e->args[i]);
      if (!part) return std::nullopt;
      for (const auto& t : *part) all.push_back({e->coefficients[i] * t.c, t.factors});
    }
    return all.size() <= most_terms ? std::optional(all) : std::nullopt;
  }
  if (e->op == Op::product) {
    std::optional<Terms> all = one;
    for (const auto& f : e->args)
      if (all) all = product_of(*all, distributed(f));
    return all;
  }
  if (e->op == Op::power && algebra::is_number(e->args[1]) && e->args[0]->op == Op::sum &&
      !is_difference(e->args[0])) {
    const auto n = e->args[1]->number.to_int();
    constexpr std::int64_t highest = 8;
    if (n && *n > 0 && *n <= highest) {
      std::optional<Terms> all = one;
      for (std::int64_t i = 0; all && i < *n; ++i) all = product_of(*all, distributed(e->args[0]));
      return all;
    }
  }
  return Terms{{1, {e}}};
}

}  // namespace mercer::proof
