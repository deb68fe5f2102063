// From points with a negative eigenvalue to a witness that a person can check: few points, short
// numbers, a value that is not tiny.
#pragma once

#include <optional>

#include "proof/witness_search/search.hpp"

namespace mercer::proof {

// What a witness costs its reader. `strength` is -Σ a_i a_j k(x_i,x_j) / Σ a_i² k(x_i,x_i).
double length_of(const Rational& r);
double length_of(const Point& p);
double weakness(double strength);
double cost_of(const Witness& w);

// Whole coefficients close to the given ones that keep the value negative; empty where none does
// beyond rounding.
struct ShortCoefficients {
  std::vector<Rational> a;
  double cost = 0;
};
ShortCoefficients short_coefficients(const Eigen::MatrixXd& K, const Eigen::VectorXd& v);

std::optional<Witness> shortened(Search& search, Sample sample);

}  // namespace mercer::proof
