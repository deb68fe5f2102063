#include "scale/precondition.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <numeric>

#include "base/aligned.hpp"
#include "base/parallel.hpp"
#include "numeric/cholesky.hpp"

namespace mercer::scale {

using numeric::Part;
using numeric::View;

namespace {

constexpr std::size_t width = Triangle::width;

// An entry of Sᵀ S in floats is off by some 1e-7 of its share of the trace, and all m of them
// together by a few times that.
bool exact_enough(double lambda, double trace) { return lambda >= 1e-7 * trace; }

double total(const std::vector<double>& D, std::size_t count) {
  return std::accumulate(D.begin(), D.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
}

Triangle triangle_for(Factor& factor, bool apart) {
  double* above = apart ? nullptr : factor.above();
  return above == nullptr ? Triangle(factor.size())
                          : Triangle(factor.size(), above, factor.stride());
}

}  // namespace

Preconditioner::Preconditioner(Factor& factor, const numeric::How& how, bool apart)
    : factor_(factor), how_(how), m_(factor.size()), t_(triangle_for(factor, apart)) {}

void Preconditioner::clear(const Sample& sample) {
  t_.clear();
  right_ = sample.y.rows > 0 ? Matrix::zeros(m_, sample.y.columns) : Matrix();
  sums_.assign(m_, 0.0);
}

void Preconditioner::prepare(const Sample& sample, const std::vector<double>& D, double lambda,
                             In numbers) {
  if (numbers == In::floats && !sample.of_centres()) {
    if (recall(sample, D, lambda) && factor(lambda)) return;
    clear(sample);
    if (add_floats(sample, D, lambda)) {
      keep(sample, D);
      if (factor(lambda)) return;
    }
  }
  clear(sample);
  add_doubles(sample, D);
  if (!factor(lambda)) throw Error("the preconditioner has no factor: use a larger lambda");
}

void Preconditioner::keep(const Sample& sample, const std::vector<double>& D) {
  if (!keeps_) return;
  kept_ = {&sample, D, {}};
  t_.for_all([&](const double* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) kept_.values.push_back(static_cast<float>(from[i]));
  });
}

bool Preconditioner::recall(const Sample& sample, const std::vector<double>& D, double lambda) {
  if (kept_.sample != &sample || kept_.D != D) return false;
  const float* from = kept_.values.data();
  t_.for_all([&](double* to, std::size_t count) {
    std::copy_n(from, count, to);
    from += count;
  });
  return exact_enough(lambda, t_.trace());
}

void Preconditioner::add_doubles(const Sample& sample, const std::vector<double>& D) {
  const std::size_t rows = sample.of_centres() ? m_ : sample.points.rows();
  std::vector<double> some(width * m_);
  for (std::size_t begin = 0; begin < rows; begin += width) {
    const std::size_t now = std::min(width, rows - begin);
    if (sample.of_centres()) {
      factor_.scaled_rows(begin, begin + now, D, some.data());
    } else {
      const Matrix K = sample.basis->values(sample.points.part(begin, begin + now), sample.gram);
      Matrix turned = Matrix::zeros(m_, now);
      // Line by line of K.
      constexpr std::size_t line = cache_line / sizeof(double);
      const auto for_lines = [&](const auto& f) {
        parallel_for((m_ + line - 1) / line, how_.threads, [&](std::size_t task) {
          const std::size_t end = std::min(m_, (task + 1) * line);
          for (std::size_t r = 0; r < now; ++r)
            for (std::size_t j = task * line; j < end; ++j) f(r, j);
        });
      };
      for_lines(
          [&](std::size_t r, std::size_t j) { turned(j, r) = std::sqrt(D[begin + r]) * K(r, j); });
      factor_.lower(turned);
      for_lines([&](std::size_t r, std::size_t j) { some[r * m_ + j] = turned(j, r); });
    }
    for (std::size_t r = 0; r < now; ++r) {
      const double root = std::sqrt(D[begin + r]);
      for (std::size_t j = 0; j < m_; ++j) sums_[j] += root * some[r * m_ + j];
      for (std::size_t j = 0; j < m_ && right_.rows > 0; ++j)
        for (std::size_t c = 0; c < right_.columns; ++c)
          right_(j, c) += root * some[r * m_ + j] * sample.y(begin + r, c);
    }
    const View<double> S{some.data(), now, m_, m_, 1};
    for (std::size_t k = 0; k * width < m_; ++k) {
      const View<double> here = S.part(0, k * width, now, t_.block(k));
      numeric::multiply_add(here.transposed(), here, 1.0, t_.corner(k), width, Part::lower, how_);
      if (t_.behind(k) > 0)
        numeric::multiply_add(here.transposed(), S.part(0, (k + 1) * width, now, t_.behind(k)), 1.0,
                              t_.right(k), t_.stride(), Part::all, how_);
    }
  }
}

bool Preconditioner::add_floats(const Sample& sample, const std::vector<double>& D, double lambda) {
  SampleRows rows{.points = sample.points, .roots = {}, .L = factor_.in_floats()};
  rows.roots.reserve(D.size());
  for (const double d : D) rows.roots.push_back(static_cast<float>(std::sqrt(d)));
  double squares = 0;
  rows.width = right_.columns;
  for (std::size_t i = 0; i < sample.y.values.size(); ++i) {
    const double d = D[i / rows.width];
    rows.targets.push_back(static_cast<float>(std::sqrt(d) * sample.y.values[i]));
    squares += d * sample.y.values[i] * sample.y.values[i];
  }
  // The first rows tell what all will come to.
  add_sample(rows, 0, 1, *sample.basis, sample.gram, how_, t_, right_);
  const double done = total(D, std::min(rows.together, D.size()));
  const double trace = done > 0 ? t_.trace() * total(D, D.size()) / done : 0;
  if (!exact_enough(lambda, trace)) return false;
  rows.unit = unit_for(trace);
  round_to(rows.unit, t_);
  rows.target_unit = unit_for(std::sqrt(trace * squares));
  for (double& v : right_.values) v = numeric::rounded_to(rows.target_unit, v);
  if (sample.add_others) {
    sample.add_others(rows, t_, right_);
  } else {
    add_sample(rows, 1, rows.blocks(), *sample.basis, sample.gram, how_, t_, right_);
  }
  return true;
}

bool Preconditioner::factor(double lambda) {
  // λ may be lost in the rounding of the rest: a preconditioner need not be exact.
  const double price = std::max(lambda, 1e-15 * t_.trace());
  const std::size_t blocks = t_.blocks();
  for (std::size_t i = 0; i < m_; ++i) t_.corner(i / width)[i % width * width + i % width] += price;
  // Cholesky's factor, by rows of Aᵀ.
  for (std::size_t k = 0; k < blocks; ++k) {
    const std::size_t now = t_.block(k);
    if (numeric::cholesky(t_.corner(k), now, width, how_) != now) return false;
    if (t_.behind(k) == 0) break;
    numeric::solve_lower(t_.corner(k), now, width, t_.right(k), t_.behind(k), t_.stride(), how_);
    const View<double> row{t_.right(k), now, t_.behind(k), t_.stride(), 1};
    for (std::size_t j = k + 1; j < blocks; ++j) {
      const std::size_t at = (j - k - 1) * width;
      const View<double> here = row.part(0, at, now, t_.block(j));
      numeric::multiply_add(here.transposed(), here, -1.0, t_.corner(j), width, Part::lower, how_);
      if (t_.behind(j) > 0)
        numeric::multiply_add(here.transposed(), row.part(0, at + width, now, t_.behind(j)), -1.0,
                              t_.right(j), t_.stride(), Part::all, how_);
    }
  }
  return true;
}

void Preconditioner::lower(Matrix& B) const {
  const std::size_t w = B.columns;
  for (std::size_t begin = 0, k = 0; begin < m_; begin += width, ++k) {
    double* here = B.values.data() + begin * w;
    const std::size_t now = t_.block(k);
    numeric::solve_lower(t_.corner(k), now, width, here, w, w, how_);
    if (begin + width < m_)
      numeric::multiply_add(
          View<double>{t_.right(k), now, m_ - begin - width, t_.stride(), 1}.transposed(),
          View<double>{here, now, w, w, 1}, -1.0, here + width * w, w, Part::all, how_);
  }
}

void Preconditioner::upper(Matrix& B) const {
  const std::size_t w = B.columns;
  for (std::size_t k = (m_ + width - 1) / width; k-- > 0;) {
    const std::size_t begin = k * width;
    double* here = B.values.data() + begin * w;
    const std::size_t now = t_.block(k);
    if (begin + width < m_)
      numeric::multiply_add(View<double>{t_.right(k), now, m_ - begin - width, t_.stride(), 1},
                            View<double>{here + width * w, m_ - begin - width, w, w, 1}, -1.0, here,
                            w, Part::all, how_);
    numeric::solve_upper(t_.corner(k), now, width, here, w, w, how_);
  }
}

}  // namespace mercer::scale
