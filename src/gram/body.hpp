// The bodies of reductions that have a fast form.
#pragma once

#include <optional>
#include <vector>

#include "gram/plan.hpp"

namespace mercer::gram {

// A body in x[i] and z[i] as a sum of terms whose sums over i are computed fast.
struct FastSum {
  struct Term {
    double coefficient = 1;
    Reduce kind = Reduce::dot;
    Expr x;  // the map of x[i], null for x[i] itself
    Expr z;
  };
  double constant = 0;
  std::vector<algebra::Term> alone;  // in x[i] alone or z[i] alone
  std::vector<Term> both;
};
// nullopt where some term has no such form. With `cancelling`, forms are taken too that lose what
// cancels: sin²(u) as (1 - cos(2u))/2, with cos(2u) from the addition theorem.
std::optional<FastSum> fast_sum(const Expr& body, bool cancelling);

// constant + factor x[i] z[i]
struct LinearInProduct {
  double constant = 0;
  double factor = 0;
};
std::optional<LinearInProduct> linear_in_product(const Expr& body);

}  // namespace mercer::gram
