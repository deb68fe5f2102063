// Sums of f_i(x) G_ij f_j(z), with constants in G that need not be rational.
#pragma once

#include <optional>
#include <vector>

#include "kernel/expr.hpp"

namespace mercer::proof {

using algebra::Expr;

struct FeatureGram {
  std::vector<Expr> features;        // functions of x
  std::vector<std::vector<Expr>> G;  // symmetric
  Expr rest;                         // the terms that are not of that form
};

// nullopt where G is not symmetric or too large.
std::optional<FeatureGram> feature_gram(const Expr& e);

// The signs of the pivots of G; nullopt where one cannot be told, or a pivot is 0 with something
// beside it. Where they are known, they count the positive and negative directions (inertia).
struct Inertia {
  std::size_t positive = 0;
  std::size_t negative = 0;
};
std::optional<Inertia> inertia(std::vector<std::vector<Expr>> G);

}  // namespace mercer::proof
