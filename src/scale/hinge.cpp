// The hinge loss: support vector machines on centres or features.
//
//     min  Σ_i c_i ξ_i + λ|w|²,     ξ_i = max(0, t_i),  t_i = 1 - y_i (w·φ(x_i) + b)
//
// With C = 1/(2λ) that is the soft margin of svm.hpp, over C. The corner of the hinge is rounded, a
// parabola over a width μ: h(t) = t²/(2μ) for 0 <= t <= μ, t - μ/2 beyond. That has Newton steps,
// solved like those of the logistic loss; only rows in the corner count in their systems. And any w
// and b give weights a_i = c_i h'(t_i) for the dual,
//     max  Σ a_i - |Σ a_i y_i φ(x_i)|²/(4λ)     with  0 <= a_i <= c_i,  Σ a_i y_i = 0
// (the last one only where there is an offset; then those of the heavier side are made smaller by a
// common factor until it holds): the gap between both is known after every pass over the data. What
// is due to the rounding, Σ c_i ξ_i - a_i t_i, falls with μ²; so μ is made smaller as soon as the
// rest of the gap is small beside that, until all of it is below the tolerance.
#include <algorithm>
#include <cmath>
#include <optional>

#include "scale/falkon.hpp"

namespace mercer::scale {

namespace {

double dot(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) sum += a.values[i] * b.values[i];
  return sum;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// A matrix over a row for the offsets: M⁻¹ and M⁻ᵀ with
//     M Mᵀ = [A Aᵀ, g; gᵀ, h],     M = [A, 0; lᵀ, δ],  l = A⁻¹ g,  δ² = h - l·l.
class Bordered {
 public:
  Bordered(const Preconditioner& A, double h, bool offset) : A_(A), offset_(offset) {
    if (!offset) return;
    const auto& g = A.sums();
    l_ = Matrix{g.size(), 1, g, {}};
    A.lower(l_);
    delta_ = std::sqrt(std::max(h - dot(l_, l_), 1e-12 * h));
  }
  void lower(Matrix& B, std::vector<double>& b) const {
    A_.lower(B);
    if (!offset_) return;
    for (std::size_t c = 0; c < b.size(); ++c) {
      for (std::size_t i = 0; i < B.rows; ++i) b[c] -= l_(i, 0) * B(i, c);
      b[c] /= delta_;
    }
  }
  void upper(Matrix& B, std::vector<double>& b) const {
    if (offset_)
      for (std::size_t c = 0; c < b.size(); ++c) {
        b[c] /= delta_;
        for (std::size_t i = 0; i < B.rows; ++i) B(i, c) -= l_(i, 0) * b[c];
      }
    A_.upper(B);
  }

 private:
  const Preconditioner& A_;
  bool offset_;
  Matrix l_;
  double delta_ = 1;
};

}  // namespace

// Where it is, and what a pass over the data says of it.
struct Falkon::Point {
  Matrix gamma;
  std::vector<double> b;
  Matrix r;                // less the gradient of the rounded objective, by γ
  std::vector<double> rb;  // and by b
  double objective = 0;    // the rounded one
  double hinge = 0;        // Σ c ξ
  double primal = 0;
  double dual = 0;
  double rounding = 0;  // its share of primal - dual
  [[nodiscard]] double gap() const { return primal - dual; }
};

Falkon::Point Falkon::hinge_at(Matrix gamma, std::vector<double> b, double lambda) {
  const bool offset = options_.offset;
  const auto sums = crew_.pass(Crew::Pass::hinge, from_gamma(gamma),
                               {.width = width_, .offsets = offset ? b : std::vector<double>{}});
  Point at;
  const double square = lambda * dot(gamma, gamma);
  at.objective = sums.tallies[0] + square;
  at.hinge = sums.tallies[1];
  at.primal = at.hinge + square;
  at.rounding = sums.tallies[2];
  // Σ a y φ, of both sides by themselves where there is an offset.
  Matrix both = sums.product;
  factor_.lower(both);
  at.r = Matrix::zeros(m_, w_);
  at.rb.assign(w_, 0.0);
  for (std::size_t c = 0; c < w_; ++c) {
    const double plus = sums.tallies[3 + c];
    const double minus = sums.tallies[3 + w_ + c];
    double of_plus = 1;
    double of_minus = 1;
    if (offset) {
      at.rb[c] = plus - minus;
      of_plus = plus > minus ? minus / plus : 1;
      of_minus = minus > plus ? plus / minus : 1;
    }
    double norm = 0;
    for (std::size_t i = 0; i < m_; ++i) {
      const double first = both(i, c);
      const double second = offset ? both(i, w_ + c) : 0;
      at.r(i, c) = first + second - 2 * lambda * gamma(i, c);
      const double v = of_plus * first + of_minus * second;
      norm += v * v;
    }
    // Of all multiples s a, s <= 1, the best one.
    const double sum = of_plus * plus + of_minus * minus;
    const double s = norm > 0 ? std::min(1.0, 2 * lambda * sum / norm) : 1.0;
    at.dual += s * sum - s * s * norm / (4 * lambda);
  }
  at.gamma = std::move(gamma);
  at.b = std::move(b);
  return at;
}

// A Newton step; false where none is good.
bool Falkon::hinge_step(Point& at, double lambda) {
  const double price = 2 * lambda;
  const bool offset = options_.offset;
  // Rows of the sample in the corner, whose y is the sign of f; where the sample is not all rows,
  // there are more of them in a wider one, and each counts less.
  const bool all = !sample_.of_centres() && sample_.points.rows() == crew_.rows();
  constexpr double wide = 0.1;
  const double width = all ? width_ : std::max(width_, wide);
  std::vector<double> D = sample_.D;
  const Matrix f = images(at.gamma);
  double h = 0;
  for (std::size_t s = 0; s < D.size(); ++s) {
    double share = 0;
    for (std::size_t c = 0; c < w_; ++c) {
      const double t = 1 - std::abs(f(s, c) + at.b[c]);
      if (t > 0 && t < width) share += 1 / static_cast<double>(w_);
    }
    D[s] *= std::max(share, 1e-6) / width;
    h += D[s];
  }
  prepare(D, price);
  // b has no price: where next to no row is in the corner, this one keeps the step finite.
  const double price_b = 1e-4 * price;
  const Bordered M(A_, h + price_b, offset);
  Matrix r = at.r;
  std::vector<double> rb = at.rb;
  M.lower(r, rb);
  const double start = dot(r, r) + dot(rb, rb);
  if (!(start > 0)) return false;
  constexpr double share = 0.1;  // of the residual that may be left
  Matrix p = r;
  std::vector<double> pb = rb;
  Matrix step = Matrix::zeros(m_, w_);
  std::vector<double> step_b(w_, 0.0);
  const Matrix here = from_gamma(at.gamma);
  double rr = start;
  for (std::size_t i = 0; i < options_.iterations && rr > share * share * start; ++i) {
    Matrix direction = p;
    std::vector<double> direction_b = pb;
    M.upper(direction, direction_b);
    Matrix V = Matrix::zeros(m_, 2 * w_);
    const Matrix a = from_gamma(direction);
    for (std::size_t j = 0; j < m_; ++j)
      for (std::size_t c = 0; c < w_; ++c) {
        V(j, c) = here(j, c);
        V(j, w_ + c) = a(j, c);
      }
    std::vector<double> offsets;
    if (offset) {
      offsets = at.b;
      offsets.insert(offsets.end(), direction_b.begin(), direction_b.end());
    }
    const auto sums = crew_.pass(Crew::Pass::corner, V, {.width = width_, .offsets = offsets});
    ++iterations;
    Matrix q = sums.product;
    factor_.lower(q);
    for (std::size_t e = 0; e < q.values.size(); ++e) q.values[e] += price * direction.values[e];
    std::vector<double> qb(w_, 0.0);
    if (offset)
      for (std::size_t c = 0; c < w_; ++c) qb[c] = sums.tallies[c] + price_b * direction_b[c];
    M.lower(q, qb);
    const double pq = dot(p, q) + dot(pb, qb);
    if (!(pq > 0)) break;
    const double by = rr / pq;
    for (std::size_t e = 0; e < r.values.size(); ++e) {
      step.values[e] += by * direction.values[e];
      r.values[e] -= by * q.values[e];
    }
    for (std::size_t c = 0; c < w_; ++c) {
      step_b[c] += by * direction_b[c];
      rb[c] -= by * qb[c];
    }
    const double next = dot(r, r) + dot(rb, rb);
    const double beta = next / rr;
    for (std::size_t e = 0; e < p.values.size(); ++e)
      p.values[e] = r.values[e] + beta * p.values[e];
    for (std::size_t c = 0; c < w_; ++c) pb[c] = rb[c] + beta * pb[c];
    rr = next;
    if (!tell(residual)) return false;
  }
  // The objective is convex: some part of the step is good. Along it the slope falls; where it has
  // become negative, the part was too large, and the next one is where a line through both has 0.
  const double slope = dot(at.r, step) + dot(at.rb, step_b);
  double part = 1;
  std::optional<Point> best;
  constexpr int tries = 30;
  for (int i = 0; i < tries; ++i) {
    Matrix gamma = at.gamma;
    std::vector<double> b = at.b;
    for (std::size_t e = 0; e < gamma.values.size(); ++e) gamma.values[e] += part * step.values[e];
    for (std::size_t c = 0; c < w_; ++c) b[c] += part * step_b[c];
    Point next = hinge_at(std::move(gamma), std::move(b), lambda);
    const double slope_next = dot(next.r, step) + dot(next.rb, step_b);
    const bool better = next.objective <= at.objective - 1e-4 * part * slope;
    if (better && (!best || next.objective < best->objective)) best = std::move(next);
    constexpr double flat = 0.3;
    if ((better && slope_next >= -flat * slope) || slope_next > 0) break;
    // Near the end rounding is larger than what is won.
    if (part * std::abs(slope) < 1e-13 * std::abs(at.objective)) break;
    part *= std::clamp(slope / (slope - slope_next), 0.05, 0.9);
  }
  if (!best) return false;
  at = std::move(*best);
  return true;
}

void Falkon::hinge(double lambda, double tolerance) {
  constexpr std::size_t steps_each = 4;  // there are several widths
  constexpr double least_width = 1e-8;
  // At w = 0 all rows are in a corner of this width.
  constexpr double widest = 2;
  width_ = width_ > 0 ? std::min(widest, 2 * width_) : widest;
  Point at = hinge_at(gamma_, b_, lambda);
  if (at_start_ == 0) at_start_ = at.hinge;
  while (true) {
    const double size = rough ? at_start_ : at.primal;
    residual = size > 0 ? at.gap() / size : 0;
    converged = residual <= tolerance;
    if (converged || newton_steps >= steps_each * options_.newton_steps || !tell(residual)) break;
    const double rest = at.gap() - at.rounding;
    constexpr double small = 0.25;
    bool narrower = rest <= small * at.rounding;
    if (!narrower) {
      ++newton_steps;
      if (!hinge_step(at, lambda)) {
        if (interrupted) break;
        narrower = true;
      }
    }
    if (!narrower) continue;
    if (width_ <= least_width) break;
    const double goal = 0.5 * tolerance * size;
    const double factor = at.rounding > 0 ? std::sqrt(goal / at.rounding) : 0.5;
    width_ *= std::clamp(factor, 0.25, 0.5);
    at = hinge_at(std::move(at.gamma), std::move(at.b), lambda);
  }
  gamma_ = std::move(at.gamma);
  b_ = std::move(at.b);
  loss = at.hinge;
  primal = at.primal;
  dual = at.dual;
}

}  // namespace mercer::scale
