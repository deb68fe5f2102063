#include <cmath>
#include <mercer/error.hpp>
#include <mercer/gram_matrix.hpp>

#include "base/text.hpp"
#include "matrix/dense.hpp"

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

// Projections onto the two convex sets, in turn: positive semidefinite, and with the diagonal.
// Dykstra's correction makes the limit the nearest point of both, not just a common one.
Eigen::MatrixXd with_diagonal(const Eigen::MatrixXd& S, const Eigen::VectorXd& diagonal,
                              RepairedGram& report) {
  constexpr int most_rounds = 2000;
  constexpr double tolerance = 1e-10;
  Eigen::MatrixXd Y = S;
  Eigen::MatrixXd correction = Eigen::MatrixXd::Zero(S.rows(), S.cols());
  Eigen::MatrixXd X = S;
  report.converged = false;
  for (report.rounds = 1; report.rounds <= most_rounds; ++report.rounds) {
    const Eigen::MatrixXd R = Y - correction;
    X = matrix::clipped(R, 0);
    correction = X - R;
    const Eigen::MatrixXd before = Y;
    Y = X;
    Y.diagonal() = diagonal;
    const double size = Y.norm();
    if ((Y - X).norm() <= tolerance * size || (Y - before).norm() <= tolerance * size * 1e-2) {
      report.converged = true;
      break;
    }
  }
  report.rounds = std::min(report.rounds, most_rounds);
  return Y;
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

void measure(RepairedGram& report, const Table& K) {
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

RepairedGram repair_gram(const Table& K, GramRepair how) {
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
