#include "proof/refuter.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <random>

#include "kernel/evaluate.hpp"
#include "kernel/transform.hpp"
#include "proof/candidates.hpp"
#include "proof/polynomial_gram.hpp"

namespace mercer::proof {

namespace {

std::vector<std::string> texts(const Point& p) {
  std::vector<std::string> result;
  for (const auto& v : p) result.push_back(v.fraction_text());
  return result;
}

std::vector<double> doubles(const Point& p) {
  std::vector<double> result;
  for (const auto& v : p) result.push_back(v.to_double());
  return result;
}

Rational power_of_ten(int n) { return *power(Rational(10), n); }

}  // namespace

Refuter::Refuter(Expr e, Domain domain, std::uint32_t d, Clock::time_point deadline)
    : e_(std::move(e)), domain_(std::move(domain)), d_(d), deadline_(deadline) {}

std::optional<Witness> Refuter::certify(const std::vector<Point>& given,
                                        const std::vector<Rational>& coefficients) const {
  std::vector<Point> points;
  std::vector<Rational> a;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (coefficients[i].is_zero()) continue;
    if (!contains(domain_, given[i])) return std::nullopt;
    points.push_back(given[i]);
    a.push_back(coefficients[i]);
  }
  if (points.empty()) return std::nullopt;
  Witness w;
  w.dimension = d_;
  for (const auto& p : points) w.points.push_back(texts(p));
  w.coefficients = texts(a);

  // Exactly, where all values are rational.
  try {
    std::optional<Rational> total = Rational();
    for (std::size_t i = 0; total && i < points.size(); ++i)
      for (std::size_t j = 0; j < points.size(); ++j) {
        const auto k = exact_value(e_, points[i], points[j]);
        if (!k) {
          total.reset();
          break;
        }
        *total += a[i] * a[j] * *k;
      }
    if (total) {
      if (total->sign() >= 0) return std::nullopt;
      w.exact = true;
      w.value = w.bound = texts({*total})[0];
      return w;
    }
  } catch (const Error&) {
    // too large for exact arithmetic: balls will do
  }
  for (const long precision : {128L, 512L, 2048L}) {
    Ball total(Rational(), precision);
    bool good = true;
    for (std::size_t i = 0; good && i < points.size(); ++i)
      for (std::size_t j = 0; good && j < points.size(); ++j) {
        const auto k = ball_value(e_, points[i], points[j], precision);
        good = k.has_value();
        if (good) total = total + Ball(a[i] * a[j], precision) * *k;
      }
    if (!good) continue;
    if (total.is_negative()) {
      w.value = total.text();
      w.bound = total.upper_bound();
      return w;
    }
    if (!total.is_finite() || total.is_positive()) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Witness> Refuter::asymmetry() {
  if (algebra::equal(algebra::swap_sides(e_), e_)) return std::nullopt;
  const auto points = simple_points(domain_, d_, 12);
  for (std::size_t j = 0; j < points.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (late()) return std::nullopt;
      Witness w;
      w.dimension = d_;
      w.points = {texts(points[i]), texts(points[j])};
      const auto xz = exact_value(e_, points[i], points[j]);
      const auto zx = exact_value(e_, points[j], points[i]);
      if (xz && zx) {
        if (*xz == *zx) continue;
        w.exact = true;
        w.value_xz = texts({*xz})[0];
        w.value_zx = texts({*zx})[0];
        return w;
      }
      const auto ball_xz = ball_value(e_, points[i], points[j], 256);
      const auto ball_zx = ball_value(e_, points[j], points[i], 256);
      if (!ball_xz || !ball_zx || ball_xz->overlaps(*ball_zx)) continue;
      w.value_xz = ball_xz->text();
      w.value_zx = ball_zx->text();
      return w;
    }
  }
  return std::nullopt;
}

std::optional<Witness> Refuter::glance() {
  const auto simple = simple_points(domain_, d_, 14);
  for (const std::size_t n : {2UL, 5UL, 14UL}) {
    const auto few = static_cast<std::ptrdiff_t>(std::min(n, simple.size()));
    if (auto w = by_eigenvalue({simple.begin(), simple.begin() + few})) return w;
  }
  return std::nullopt;
}

std::optional<Witness> Refuter::quick() {
  const auto points = simple_points(domain_, d_, d_ == 1 ? 40 : 60);
  for (const auto& p : points) {
    if (late()) return std::nullopt;
    if (auto w = certify({p}, {1})) return w;
  }
  const std::size_t few = std::min<std::size_t>(points.size(), 10);
  for (std::size_t j = 0; j < few; ++j)
    for (std::size_t i = 0; i < j; ++i)
      for (const int b : {-1, 1, 2, -2}) {
        if (late()) return std::nullopt;
        if (auto w = certify({points[i], points[j]}, {1, b})) return w;
      }
  // Finite differences of order m at steps h: they see the m-th derivative of k along the diagonal.
  std::vector<Point> directions;
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(d_, 2); ++i) {
    Point u(d_);
    u[i] = 1;
    directions.push_back(u);
  }
  if (d_ > 1) directions.emplace_back(d_, Rational(1));
  const std::size_t centres = std::min<std::size_t>(points.size(), 3);
  for (int m = 1; m <= 8; ++m) {
    std::vector<Rational> binomials;
    for (int i = 0; i <= m; ++i) {
      Rational c = 1;
      for (int j = 0; j < i; ++j) c = c * Rational(m - j, j + 1);
      binomials.push_back(i % 2 == 0 ? c : -c);
    }
    for (std::size_t c = 0; c < centres; ++c)
      for (const auto& u : directions)
        for (const int digits : {0, -1, -2, -3, -5, -8, -12}) {
          if (late()) return std::nullopt;
          if (digits < -5 && m > 4) continue;
          const Rational h = power_of_ten(digits);
          std::vector<Point> line;
          for (int i = 0; i <= m; ++i) {
            Point p = points[c];
            for (std::uint32_t t = 0; t < d_; ++t) p[t] += Rational(i) * h * u[t];
            line.push_back(std::move(p));
          }
          if (auto w = certify(line, binomials)) return w;
        }
  }
  return std::nullopt;
}

std::optional<Witness> Refuter::polynomial() {
  const auto gram = polynomial_gram(e_, d_, domain_);
  if (!gram) return std::nullopt;
  const auto answer = definiteness(gram->G);
  if (!answer || answer->semidefinite) return std::nullopt;
  // Points whose monomials are independent, and Σ a_i m(x_i) = v for the negative direction v: then
  // Σ a_i a_j k(x_i, x_j) = vᵀGv.
  const std::size_t n = gram->monomials.size();
  const auto value = [&](const algebra::Monomial& m, const Point& p) {
    Rational v = 1;
    for (const auto& [index, exponent] : m) v = v * *power(p[index - 1], exponent);
    return v;
  };
  try {
    std::vector<Point> chosen;
    Matrix reduced;                  // echelon form of the chosen rows
    std::vector<std::size_t> leads;  // their leading columns
    Matrix rows;
    for (const auto& p : simple_points(domain_, d_, 40 * n + 100)) {
      if (chosen.size() == n || late()) break;
      std::vector<Rational> row;
      for (const auto& m : gram->monomials) row.push_back(value(m, p));
      std::vector<Rational> rest = row;
      for (std::size_t i = 0; i < reduced.size(); ++i) {
        const Rational ratio = rest[leads[i]];
        if (ratio.is_zero()) continue;
        for (std::size_t j = 0; j < n; ++j) rest[j] = rest[j] - ratio * reduced[i][j];
      }
      const auto lead = std::ranges::find_if(rest, [](const Rational& r) { return !r.is_zero(); });
      if (lead == rest.end()) continue;
      const Rational scale = *lead;
      leads.push_back(static_cast<std::size_t>(lead - rest.begin()));
      for (auto& r : rest) r = r / scale;
      reduced.push_back(rest);
      chosen.push_back(p);
      rows.push_back(std::move(row));
    }
    if (chosen.size() < n) return std::nullopt;
    // Solve rowsᵀ a = v.
    Matrix system(n, std::vector<Rational>(n + 1));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) system[i][j] = rows[j][i];
      system[i][n] = answer->direction[i];
    }
    for (std::size_t column = 0; column < n; ++column) {
      std::size_t pivot = column;
      while (pivot < n && system[pivot][column].is_zero()) ++pivot;
      if (pivot == n) return std::nullopt;
      std::swap(system[pivot], system[column]);
      for (std::size_t i = 0; i < n; ++i) {
        if (i == column || system[i][column].is_zero()) continue;
        const Rational ratio = system[i][column] / system[column][column];
        for (std::size_t j = column; j <= n; ++j)
          system[i][j] = system[i][j] - ratio * system[column][j];
      }
    }
    std::vector<Rational> a;
    for (std::size_t i = 0; i < n; ++i) a.push_back(system[i][n] / system[i][i]);
    return certify(chosen, a);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Fewer points and shorter coefficients, as long as the value stays negative.
std::optional<Witness> Refuter::shrunk(std::vector<Point> points, std::vector<double> a) const {
  const double largest =
      std::abs(*std::ranges::max_element(a, {}, [](double v) { return std::abs(v); }));
  for (const double unit : {1.0, 2.0, 3.0, 4.0, 5.0, 10.0, 100.0, 1e4, 1e6, 1e9, 1e12}) {
    std::vector<Rational> rounded;
    for (const double v : a)
      rounded.emplace_back(static_cast<std::int64_t>(std::llround(v / largest * unit)));
    if (auto w = certify(points, rounded)) return w;
    if (late()) break;
  }
  return std::nullopt;
}

std::optional<Witness> Refuter::by_eigenvalue(const std::vector<Point>& given) {
  std::vector<Point> points = given;
  std::optional<Witness> best;
  while (!points.empty() && !late()) {
    const auto n = static_cast<Eigen::Index>(points.size());
    Eigen::MatrixXd K(n, n);
    std::vector<std::vector<double>> at;
    for (const auto& p : points) at.push_back(doubles(p));
    try {
      for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j <= i; ++j)
          K(i, j) = K(j, i) = algebra::evaluate(e_, at[static_cast<std::size_t>(i)],
                                                at[static_cast<std::size_t>(j)]);
    } catch (const Error&) {
      return best;
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(K);
    if (solver.info() != Eigen::Success) return best;
    const double least = solver.eigenvalues()(0);
    if (points.size() == given.size() && (!smallest_ || least < *smallest_)) smallest_ = least;
    const double rounding = 1e-14 * static_cast<double>(n) * K.cwiseAbs().maxCoeff();
    if (least > -rounding) return best;
    const Eigen::VectorXd v = solver.eigenvectors().col(0);
    const auto w = shrunk(points, std::vector<double>(v.data(), v.data() + n));
    if (!w) return best;
    best = w;
    // Without the point that matters least.
    Eigen::Index out = 0;
    v.cwiseAbs().minCoeff(&out);
    points.erase(points.begin() + out);
  }
  return best;
}

std::optional<Witness> Refuter::thorough() {
  // Grids along a line, at several steps.
  const auto simple = simple_points(domain_, d_, 200);
  for (const std::size_t n : {3UL, 4UL, 6UL, 9UL}) {
    const std::size_t few = std::min(n, simple.size());
    if (auto w = by_eigenvalue({simple.begin(), simple.begin() + static_cast<std::ptrdiff_t>(few)}))
      return w;
  }
  std::vector<Point> centres(
      simple.begin(),
      simple.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(simple.size(), 3)));
  for (const std::int64_t n : {3, 5, 8, 12})
    for (const auto& h : {Rational(1), Rational(1, 2), Rational(1, 4), Rational(2), Rational(1, 10),
                          Rational(1, 100), Rational(3, 4), Rational(5)})
      for (const auto& centre : centres)
        for (std::uint32_t axis = 0; axis < std::min<std::uint32_t>(d_, 2); ++axis) {
          std::vector<Point> line;
          for (std::int64_t i = 0; i < n; ++i) {
            Point p = centre;
            p[axis] += h * Rational(i - n / 2);
            if (contains(domain_, p)) line.push_back(std::move(p));
          }
          if (line.size() > 1)
            if (auto w = by_eigenvalue(line)) return w;
          if (late()) return std::nullopt;
        }
  // Random sets of simple points.
  std::mt19937_64 random(20261115);
  const auto draw = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto many = simple_points(domain_, d_, 2000);
  for (int round = 0; round < 300 && !late() && many.size() > 1; ++round) {
    const std::size_t reach =
        std::min<std::size_t>(many.size(), 10 + static_cast<std::size_t>(round) * 8);
    std::vector<Point> set;
    const std::size_t n = 3 + draw(10);
    for (std::size_t i = 0; i < n; ++i) {
      const Point& p = many[draw(reach)];
      if (std::ranges::find(set, p) == set.end()) set.push_back(p);
    }
    if (auto w = by_eigenvalue(set)) return w;
  }
  return std::nullopt;
}

}  // namespace mercer::proof
