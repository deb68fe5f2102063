// The perceptron, one example at a time: on a mistake, y_i f(x_i) <= 0, α_i grows by one.
#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/svm.hpp>

#include "studio/answers.hpp"

namespace mercer::studio {

namespace {

// At most (R/γ)² mistakes, for the γ of any w that separates: here the widest one's.
Json bound_of(const Problem& p, const Gram& K, double radius) {
  SvmOptions how;
  how.problem = SvmOptions::Problem::hard_margin;
  how.offset = false;
  how.threads = 1;
  how.seconds = 2;
  const Svm s = svm(K, p.y, how);
  if (s.end == Svm::End::not_separable) return nullptr;
  std::vector<double> scores(p.rows());
  K.apply(s.coefficients, 1, scores);
  double square = 0;
  double least = scores[0] * p.y[0];
  for (std::size_t i = 0; i < scores.size(); ++i) {
    square += s.coefficients[i] * scores[i];
    least = std::min(least, scores[i] * p.y[i]);
  }
  if (!(least > 0) || !(square > 0)) return nullptr;
  const double margin = least / std::sqrt(square);
  return {{"margin", margin}, {"mistakes", std::pow(radius / margin, 2)}};
}

}  // namespace

Json perceptron_at(const Json& request) {
  const Problem p = problem_of(request);
  p.need_both();
  constexpr std::size_t most_visits = 2'000'000;
  constexpr std::size_t most_mistakes = 20'000;
  const std::size_t visits = count_in(request, "visits", 0, 0, most_visits);
  const std::size_t n = p.rows();
  GramOptions options = gram_options();
  options.precision = GramOptions::Precision::float64;
  const Gram K(*p.kernel, p.x, options);
  std::vector<double> diagonal(n);
  K.diagonal(diagonal);
  const double radius = std::sqrt(std::max(0.0, *std::ranges::max_element(diagonal)));

  std::vector<double> alpha(n);
  std::vector<double> scores(n);
  std::vector<double> row(n);
  std::vector<std::size_t> by_pass;
  std::size_t mistakes = 0;
  std::size_t visit = 0;
  bool converged = false;
  bool mistaken = false;
  double before = 0;  // y f of the last example, when its turn came
  for (; visit < visits && !converged && mistakes < most_mistakes; ++visit) {
    const std::size_t i = visit % n;
    if (i == 0) by_pass.push_back(0);
    before = p.y[i] * scores[i];
    mistaken = before <= 0;
    if (mistaken) {
      ++alpha[i];
      ++mistakes;
      ++by_pass.back();
      const std::size_t one = i;
      K.block(Rows(one, one + 1), Rows::all(), row.data(), n);
      for (std::size_t j = 0; j < n; ++j) scores[j] += p.y[i] * row[j];
    }
    converged = i + 1 == n && by_pass.back() == 0;
  }
  std::vector<double> beta(n);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    beta[i] = alpha[i] * p.y[i];
    if (p.y[i] * scores[i] <= 0) ++wrong;
  }
  Json json{{"visits", visit},
            {"pass", visit == 0 ? 1 : (visit - 1) / n + 1},
            {"next", visit % n},
            {"alpha", alpha},
            {"beta", beta},
            {"offset", 0},
            {"updates", mistakes},
            {"by_pass", by_pass},
            {"mistakes", wrong},
            {"converged", converged},
            {"ended", converged || mistakes >= most_mistakes},
            {"radius", radius},
            {"field", Field(p).of(beta, 0)}};
  if (visit > 0)
    json["last"] = {{"example", (visit - 1) % n}, {"mistaken", mistaken}, {"score", before}};
  if (request.contains("bound") && request["bound"] == true) json["bound"] = bound_of(p, K, radius);
  return json;
}

}  // namespace mercer::studio
