#include <algorithm>

#include "base/aligned.hpp"
#include "choose/answers.hpp"
#include "numeric/cholesky.hpp"

namespace mercer::choose {

// Each fold's system from the same values: (K + λ C⁻¹) α = y among the others.
std::vector<Answers> ridge_answers(const Sample& sample, const learn::Targets& targets,
                                   const AnswerOptions& options, const double* values,
                                   std::size_t stride) {
  const std::size_t n = sample.rows();
  const std::size_t width = sample.y.columns;
  const numeric::How how{options.train.gram.threads, options.train.gram.instructions};
  std::vector<Answers> all;
  for (const double lambda : options.prices) {
    Matrix f = Matrix::zeros(n, width);
    bool solved = true;
    for (std::size_t fold = 0; fold + 1 < sample.folds.size() && solved; ++fold) {
      const std::size_t begin = sample.folds[fold];
      const std::size_t end = sample.folds[fold + 1];
      std::vector<std::size_t> train;
      for (std::size_t i = 0; i < n; ++i)
        if ((i < begin || i >= end) && (sample.weights.empty() || sample.weights[i] > 0))
          train.push_back(i);
      const std::size_t m = train.size();
      Aligned<double> A(m * m);
      std::vector<double> alpha(m * width);
      for (std::size_t i = 0; i < m; ++i) {
        const double* row = values + train[i] * stride;
        for (std::size_t j = 0; j <= i; ++j) A[i * m + j] = row[train[j]];
        A[i * m + i] += lambda / (sample.weights.empty() ? 1.0 : sample.weights[train[i]]);
        for (std::size_t c = 0; c < width; ++c) alpha[i * width + c] = sample.y(train[i], c);
      }
      solved = numeric::cholesky(A.data(), m, m, how) == m;
      if (!solved) break;
      numeric::solve_cholesky(A.data(), m, m, alpha.data(), width, width, how);
      for (std::size_t i = begin; i < end; ++i) {
        const double* row = values + i * stride;
        for (std::size_t j = 0; j < m; ++j)
          for (std::size_t c = 0; c < width; ++c) f(i, c) += row[train[j]] * alpha[j * width + c];
      }
    }
    Answers a;
    a.solved = solved;
    a.converged = solved;
    a.support = n;
    if (targets.task == Model::Task::regression) {
      a.numbers = std::move(f.values);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        const auto row = f.row(i);
        a.classes.push_back(
            width == 1 ? (row[0] > 0 ? 1 : 0)
                       : static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin()));
      }
      a.merits = std::move(f);
    }
    all.push_back(std::move(a));
  }
  return all;
}

}  // namespace mercer::choose
