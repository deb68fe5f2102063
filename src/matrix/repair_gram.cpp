#include <cmath>
#include <mercer/error.hpp>
#include <mercer/gram_matrix.hpp>
#include <vector>

#include "base/text.hpp"
#include "matrix/dense.hpp"
#include "matrix/nearest_gram.hpp"

namespace mercer {

namespace matrix {

Eigen::MatrixXd clipped(const Eigen::MatrixXd& S, double floor) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(S);
  const Eigen::MatrixXd& V = eigen.eigenvectors();
  const Eigen::MatrixXd product =
      V * eigen.eigenvalues().cwiseMax(floor).asDiagonal() * V.transpose();
  return 0.5 * (product + product.transpose());
}

}  // namespace matrix

namespace {

using matrix::view;

// A zero on the diagonal leaves zeros in its row and column; the rest is Newton's.
Eigen::MatrixXd with_diagonal(const Eigen::MatrixXd& S, const Eigen::VectorXd& diagonal,
                              RepairedGram& report) {
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < diagonal.size(); ++i)
    if (diagonal(i) > 0) rows.push_back(i);
  Eigen::MatrixXd X = Eigen::MatrixXd::Zero(S.rows(), S.cols());
  if (rows.empty()) return X;
  const auto nearest = matrix::nearest_with_diagonal(S(rows, rows), diagonal(rows));
  report.rounds = nearest.rounds;
  report.converged = nearest.converged;
  X(rows, rows) = nearest.X;
  return X;
}

// A positive semidefinite matrix scaled from both sides so that its diagonal is right: it stays
// positive semidefinite.
Eigen::MatrixXd scaled_to(Eigen::MatrixXd X, const Eigen::VectorXd& diagonal) {
  Eigen::VectorXd scale(diagonal.size());
  for (Eigen::Index i = 0; i < diagonal.size(); ++i)
    scale(i) = X(i, i) > 0 ? std::sqrt(diagonal(i) / X(i, i)) : 0;
  const Eigen::MatrixXd scaled = scale.asDiagonal() * X * scale.asDiagonal();
  X = 0.5 * (scaled + scaled.transpose());
  X.diagonal() = diagonal;
  return X;
}

void refuse_negative(const Eigen::VectorXd& diagonal) {
  for (Eigen::Index i = 0; i < diagonal.size(); ++i)
    if (diagonal(i) < 0)
      throw Error("row " + std::to_string(i + 1) + " has " + shortest(diagonal(i)) +
                  " on the diagonal, and no Gram matrix has a negative entry there; `clip` does "
                  "not keep the diagonal");
}

void measure(RepairedGram& report, const Matrix& K) {
  const Eigen::MatrixXd change = view(report.K) - view(K);
  report.moved = change.norm();
  const double size = view(K).norm();
  report.relative = size > 0 ? report.moved / size : 0;
  Eigen::Index row = 0;
  Eigen::Index column = 0;
  report.largest_change = change.cwiseAbs().maxCoeff(&row, &column);
  report.row = static_cast<std::size_t>(std::min(row, column));
  report.column = static_cast<std::size_t>(std::max(row, column));
}

Eigen::MatrixXd repaired(const Eigen::MatrixXd& S, GramRepair how, const GramCheck& check,
                         double floor, RepairedGram& report) {
  switch (how) {
    case GramRepair::clip:
      return matrix::clipped(S, floor);
    case GramRepair::shift: {
      Eigen::MatrixXd X = S;
      X.diagonal().array() += std::max(-check.smallest_eigenvalue, 0.0) + floor;
      return X;
    }
    case GramRepair::nearest:
      break;
  }
  const Eigen::VectorXd diagonal = S.diagonal();
  refuse_negative(diagonal);
  return scaled_to(matrix::clipped(with_diagonal(S, diagonal, report), floor), diagonal);
}

}  // namespace

RepairedGram repair_gram(const Matrix& K, GramRepair how) {
  const GramCheck check = check_gram(K);
  RepairedGram report;
  report.K = K;
  if (!check.is_gram()) {
    const Eigen::MatrixXd S = matrix::symmetric_part(K);
    view(report.K) = S;
    // Rounding of the result may cost what the repair has gained; then a little more is added.
    const double unit = matrix::rounding_bound(
        S.rows(), std::max(check.largest_eigenvalue, -check.smallest_eigenvalue));
    double floor = 0;
    for (int attempt = 0; attempt < 20 && !check_gram(report.K).is_gram(); ++attempt) {
      view(report.K) = repaired(S, how, check, floor, report);
      floor = floor == 0 ? unit : 2 * floor;
    }
    if (!check_gram(report.K).is_gram())
      throw Error(
          "the repaired matrix is still not a Gram matrix to within rounding; the entries "
          "differ too much in size");
  }
  measure(report, K);
  return report;
}

}  // namespace mercer
