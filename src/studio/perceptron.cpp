// The perceptron, one example at a time: on a mistake, y_i f(x_i) <= 0, α_i grows by one. Of more
// than two classes there is one for each against the rest.
#include <mercer/svm.hpp>

#include <algorithm>
#include <cmath>

#include "studio/frames.hpp"

namespace mercer::studio {

namespace {

constexpr std::size_t most_mistakes = 20'000;

// At most (R/γ)² mistakes, for the γ of any w that separates: here the widest one's.
Json bound_of(const Gram& K, const Matrix& y, double radius) {
  double mistakes = 0;
  double narrowest = 0;
  for (std::size_t c = 0; c < y.columns; ++c) {
    std::vector<double> signs(y.rows);
    for (std::size_t i = 0; i < y.rows; ++i) signs[i] = y(i, c);
    SvmOptions how;
    how.problem = SvmOptions::Problem::hard_margin;
    how.offset = false;
    how.threads = 1;
    how.seconds = 2;
    const Svm s = svm(K, signs, how);
    if (s.end == Svm::End::not_separable) return nullptr;
    std::vector<double> scores(y.rows);
    K.apply(s.coefficients, 1, scores);
    double square = 0;
    double least = scores[0] * signs[0];
    for (std::size_t i = 0; i < scores.size(); ++i) {
      square += s.coefficients[i] * scores[i];
      least = std::min(least, scores[i] * signs[i]);
    }
    if (!(least > 0) || !(square > 0)) return nullptr;
    const double margin = least / std::sqrt(square);
    mistakes += std::pow(radius / margin, 2);
    narrowest = c == 0 ? margin : std::min(narrowest, margin);
  }
  return {{"margin", narrowest}, {"mistakes", mistakes}};
}

class Perceptrons {
 public:
  Perceptrons(const Gram& K, const Matrix& y)
      : alpha(Matrix::zeros(y.rows, y.columns)), K_(K), y_(y), scores_(alpha), row_(y.rows) {}

  Matrix alpha;
  std::vector<std::size_t> by_pass;
  std::size_t mistakes = 0;
  std::size_t visits = 0;
  bool converged = false;
  std::vector<bool> mistaken;  // the last example: each of them
  double before = 0;           // y f of it, when its turn came, the least of them

  void visit_to(std::size_t last) {
    const std::size_t n = y_.rows;
    for (; visits < last && !ended(); ++visits) {
      const std::size_t i = visits % n;
      if (i == 0) by_pass.push_back(0);
      visit(i);
      converged = i + 1 == n && by_pass.back() == 0;
    }
  }
  [[nodiscard]] bool ended() const { return converged || mistakes >= most_mistakes; }

 private:
  void visit(std::size_t i) {
    const std::size_t n = y_.rows;
    mistaken.assign(y_.columns, false);
    bool row_is_known = false;
    for (std::size_t c = 0; c < y_.columns; ++c) {
      const double side = y_(i, c) * scores_(i, c);
      before = c == 0 ? side : std::min(before, side);
      if (side > 0) continue;
      mistaken[c] = true;
      ++alpha(i, c);
      ++mistakes;
      ++by_pass.back();
      if (!row_is_known) K_.block(Rows(i, i + 1), Rows::all(), row_.data(), n);
      row_is_known = true;
      for (std::size_t j = 0; j < n; ++j) scores_(j, c) += y_(i, c) * row_[j];
    }
  }

  const Gram& K_;
  const Matrix& y_;
  Matrix scores_;
  std::vector<double> row_;
};

}  // namespace

Json perceptron_at(const Work& work, std::size_t visits, bool with_bound) {
  const std::size_t n = work.problem.rows();
  GramOptions options = gram_options();
  options.precision = GramOptions::Precision::float64;
  const Gram K(*work.problem.kernel, work.problem.x, options);
  std::vector<double> diagonal(n);
  K.diagonal(diagonal);
  const double radius = std::sqrt(std::max(0.0, *std::ranges::max_element(diagonal)));

  Perceptrons p(K, work.y);
  p.visit_to(visits);
  Rule rule = Rule::zero(work);
  Json alpha = Json::array();
  for (std::size_t c = 0; c < work.y.columns; ++c) {
    alpha.push_back(Json::array());
    for (std::size_t i = 0; i < n; ++i) {
      rule.beta(i, c) = p.alpha(i, c) * work.y(i, c);
      alpha[c].push_back(p.alpha(i, c));
    }
  }
  Json frame = frame_of(work, rule, p.visits);
  frame["pass"] = p.visits == 0 ? 1 : (p.visits - 1) / n + 1;
  frame["next"] = p.visits % n;
  frame["alpha"] = std::move(alpha);
  frame["updates"] = p.mistakes;
  frame["by_pass"] = p.by_pass;
  frame["converged"] = p.converged;
  frame["ended"] = p.ended();
  frame["radius"] = radius;
  if (p.visits > 0) {
    const bool any = std::ranges::find(p.mistaken, true) != p.mistaken.end();
    frame["last"] = {{"example", (p.visits - 1) % n}, {"mistaken", any}, {"score", p.before}};
    Json classes = Json::array();
    for (std::size_t c = 0; c < p.mistaken.size(); ++c)
      if (p.mistaken[c]) classes.push_back(work.problem.classes[p.mistaken.size() == 1 ? 1 : c]);
    frame["last"]["classes"] = classes;
  }
  if (with_bound) {
    frame["bound"] = bound_of(K, work.y, radius);
    constexpr std::size_t many_passes = 300;
    p.visit_to(std::max(p.visits, many_passes * n));
    frame["total"] = p.visits;
  }
  return frame;
}

}  // namespace mercer::studio
