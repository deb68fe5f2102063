#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/gram_matrix.hpp>

#include "base/text.hpp"
#include "matrix/dense.hpp"
#include "proof/definite.hpp"

namespace mercer {

namespace matrix {

double rounding_bound(Eigen::Index n, double largest_eigenvalue) {
  return static_cast<double>(n) * std::numeric_limits<double>::epsilon() *
         std::max(largest_eigenvalue, 0.0);
}

}  // namespace matrix

namespace {

using matrix::view;

constexpr std::size_t largest_exact = 40;       // for LDLᵀ
constexpr std::size_t largest_quadratic = 800;  // for one value aᵀKa

proof::Matrix rationals(const Matrix& K) {
  proof::Matrix G(K.rows, std::vector<Rational>(K.columns));
  for (std::size_t i = 0; i < K.rows; ++i)
    for (std::size_t j = 0; j < K.columns; ++j) G[i][j] = Rational::from_double(K(i, j));
  return G;
}

Rational quadratic_form(const proof::Matrix& G, const std::vector<Rational>& a) {
  Rational total;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].is_zero()) continue;
    Rational row;
    for (std::size_t j = 0; j < a.size(); ++j) row += G[i][j] * a[j];
    total += a[i] * row;
  }
  return total;
}

// The direction in as few decimals as keep aᵀKa < 0, and most of it.
void write_direction(GramCheck& check, const Matrix& K, const Eigen::VectorXd& v) {
  const Eigen::VectorXd a = v / v.cwiseAbs().maxCoeff() * (v.sum() < 0 ? -1.0 : 1.0);
  const double full = a.dot(view(K) * a);
  for (int places = 1; places <= 15; ++places) {
    const double unit = std::pow(10.0, places);
    Eigen::VectorXd shorter = a;
    for (double& entry : shorter) entry = std::round(entry * unit) / unit + 0.0;
    const double value = shorter.dot(view(K) * shorter);
    if (places < 15 && !(value < 0.9 * full)) continue;
    check.direction.assign(shorter.begin(), shorter.end());
    check.value = shortest(value);
    break;
  }
  if (K.rows > largest_quadratic) return;
  std::vector<Rational> rational;
  for (const double entry : check.direction) rational.push_back(Rational::from_double(entry));
  check.value = shortest(quadratic_form(rationals(K), rational).to_double());
}

// If Cholesky's method in floating point comes to its end for S - c I, with c beyond all its
// rounding errors, S is positive definite (S. M. Rump, "Verification of positive definiteness", BIT
// 46, 2006). Twice that leaves room for the decimals, which differ from the doubles in the last
// digit.
bool surely_definite(Eigen::MatrixXd S) {
  const auto n = static_cast<double>(S.rows());
  const double trace = S.trace();
  if (!(n < 1e6) || !(trace > 1e-280)) return false;
  S.diagonal().array() -= 8 * (n + 3) * std::numeric_limits<double>::epsilon() * trace;
  return S.diagonal().minCoeff() > 0 && S.llt().info() == Eigen::Success;
}

std::optional<bool> decide_exactly(const Matrix& K, const GramCheck& check) {
  if (check.asymmetry > 0 || !check.semidefinite) return false;
  if (surely_definite(view(K))) return true;
  if (K.rows > largest_exact) return std::nullopt;
  const auto definite = proof::definiteness(rationals(K));
  if (!definite) return std::nullopt;
  return definite->semidefinite;
}

}  // namespace

GramCheck check_gram(const Matrix& K) {
  if (K.rows != K.columns)
    throw Error("a Gram matrix is square; this one has " + std::to_string(K.rows) + " rows and " +
                std::to_string(K.columns) + " columns" +
                (K.columns == K.rows + 1 ? " (is one of them a label or a name?)" : ""));
  GramCheck check;
  const auto n = static_cast<Eigen::Index>(K.rows);
  for (std::size_t i = 0; i < K.rows; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (const double d = std::abs(K(i, j) - K(j, i)); d > check.asymmetry) {
        check.asymmetry = d;
        check.row = j;
        check.column = i;
      }
  const Eigen::MatrixXd S = matrix::symmetric_part(K);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(S);
  if (eigen.info() != Eigen::Success || !eigen.eigenvalues().allFinite())
    throw Error("the eigenvalues are out of the range of doubles; scale the matrix first");
  check.smallest_eigenvalue = eigen.eigenvalues()(0);
  check.largest_eigenvalue = eigen.eigenvalues()(n - 1);
  check.bound = matrix::rounding_bound(n, check.largest_eigenvalue);
  check.symmetric = check.asymmetry <= check.bound;
  check.semidefinite = check.smallest_eigenvalue >= -check.bound;
  for (const double value : eigen.eigenvalues())
    if (value < -check.bound) ++check.negative_eigenvalues;
  if (!check.semidefinite) write_direction(check, K, eigen.eigenvectors().col(0));
  check.exactly = decide_exactly(K, check);
  return check;
}

}  // namespace mercer
