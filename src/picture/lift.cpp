#include "picture/lift.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>
#include <mercer/mapped.hpp>
#include <mercer/matrix.hpp>
#include <mercer/svm.hpp>
#include <numeric>

#include "numeric/eigen.hpp"

namespace mercer::picture {

namespace {

using Triple = std::array<double, 3>;

void set_features(Lift& l, const FeatureMap& map, const std::vector<std::size_t>& which,
                  const Points& x, unsigned threads) {
  FeatureMap three{{}, map.dimension};
  for (std::size_t k = 0; k < 3; ++k) {
    three.coordinates.push_back(map.coordinates[which[k] - 1]);
    l.names[k] = map.text(which[k] - 1);
  }
  const Points phi = mapped(three, x, threads);
  for (std::size_t i = 0; i < phi.rows(); ++i)
    l.points.push_back({phi(i, 0), phi(i, 1), phi(i, 2)});
}

// The three directions of feature space in which the images φ(x_i) vary most: eigenvectors of the
// centred Gram matrix, each times the root of its eigenvalue.
void set_components(Lift& l, const Kernel& k, const Points& x, unsigned threads) {
  const std::size_t n = x.rows();
  if (n < 4) throw Error("three components need four points or more");
  GramOptions how;
  how.precision = GramOptions::Precision::float64;
  how.threads = threads;
  const Gram gram(k, x, how);
  std::vector<double> K(n * n);
  gram.block(Rows::all(), Rows::all(), K.data(), n);
  std::vector<double> means(n);
  double all = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::span row(K.data() + i * n, n);
    means[i] = std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(n);
    all += means[i] / static_cast<double>(n);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) K[i * n + j] += all - means[i] - means[j];
  const numeric::Eigen e = numeric::eigen(K.data(), n, {threads, {}});
  // Where k is no kernel, some are negative; shares are of all sizes together.
  const double total = std::accumulate(e.values.begin(), e.values.end(), 0.0,
                                       [](double sum, double v) { return sum + std::abs(v); });
  if (!(e.values[n - 3] > total * 1e-12))
    throw Error("the images of the points under φ of " + k.text() +
                " lie in a plane: there are no three directions to show");
  l.points.assign(n, Triple{});
  constexpr std::array<const char*, 3> which{"first", "second", "third"};
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t at = n - 1 - c;
    const double* u = e.vectors.data() + at * n;
    const double sign =
        *std::max_element(u, u + n, [](double a, double b) { return std::abs(a) < std::abs(b); }) <
                0
            ? -1
            : 1;
    for (std::size_t i = 0; i < n; ++i) l.points[i][c] = sign * u[i] * std::sqrt(e.values[at]);
    l.names[c] = fmt::format("{} component ({:.0f} %)", which[c], 100 * e.values[at] / total);
  }
}

void set_kernel(Lift& l, const Kernel& k, const std::vector<std::size_t>& chosen, const Points& x,
                unsigned threads) {
  constexpr std::size_t most = 10'000;
  const auto d = static_cast<std::uint32_t>(x.columns());
  l.title = "The lift by φ of " + k.text();
  // Thousands take long to write out: only where somebody may have asked for one of them.
  const Features f = features(k, d, {.coordinates = chosen.empty() ? 3 : most});
  const bool finite = f.kind == Features::Kind::finite;
  if (chosen.empty() && !(finite && f.count == "3")) {
    set_components(l, k, x, threads);
    l.note =
        "three kernel principal components, with their shares of the variance in feature space";
    return;
  }
  const std::size_t there = f.map.coordinates.size();
  if (there < 3)
    throw Error(k.text() + " has no three features that can be written out; leave out --features");
  const std::vector<std::size_t> which =
      chosen.empty() ? std::vector<std::size_t>{1, 2, 3} : chosen;
  for (const std::size_t j : which)
    if (j < 1 || j > there)
      throw Error(
          fmt::format("--features: {} is none of the {} features of {}; `mercer features` "
                      "lists them",
                      j, there, k.text()));
  set_features(l, f.map, which, x, threads);
  if (f.count != "3")
    l.note = fmt::format("features {}, {}, {} of {}{}", which[0], which[1], which[2],
                         finite ? f.count : "infinitely many",
                         finite ? "" : ", from the beginning of the series");
}

void set_plane(Lift& l, const Table& table, const LiftOptions& options) {
  const Signs signs = signs_of(table.labels, options.positive);
  const std::size_t n = l.points.size();
  // In units of each coordinate's spread, so that none is drowned by another.
  Triple mean{};
  Triple spread{};
  for (const auto& p : l.points)
    for (std::size_t c = 0; c < 3; ++c) mean[c] += p[c] / static_cast<double>(n);
  for (const auto& p : l.points)
    for (std::size_t c = 0; c < 3; ++c)
      spread[c] += (p[c] - mean[c]) * (p[c] - mean[c]) / static_cast<double>(n);
  for (double& s : spread) s = s > 0 ? std::sqrt(s) : 1;
  Matrix x = Matrix::zeros(n, 3);
  std::vector<double> y(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < 3; ++c) x(i, c) = (l.points[i][c] - mean[c]) / spread[c];
    y[i] = signs.y[i];
  }
  const Points scaled = Points::dense(x.values.data(), n, 3);
  GramOptions how;
  how.precision = GramOptions::Precision::float64;
  how.threads = options.threads;
  const Gram K(linear(), scaled, how);
  SvmOptions svm_options;
  svm_options.C = options.C;
  svm_options.threads = options.threads;
  svm_options.moves = 2'000'000;  // a plane that is nearly the best is good enough for the eye
  const Svm s = svm(K, y, svm_options);
  Lift::Surface plane{{}, s.offset};
  for (std::size_t c = 0; c < 3; ++c) {
    double w = 0;
    for (std::size_t i = 0; i < n; ++i) w += s.coefficients[i] * x(i, c);
    plane.w[c] = w / spread[c];
    plane.b -= plane.w[c] * mean[c];
  }
  std::size_t above = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto& p = l.points[i];
    const double f = plane.w[0] * p[0] + plane.w[1] * p[1] + plane.w[2] * p[2] + plane.b;
    if (f * y[i] <= 0) ++l.wrong;
    if (f > 0) ++above;
  }
  if (plane.w != Triple{} && above > 0 && above < n) l.plane = plane;
}

}  // namespace

Lift lift(const Table& whole, const LiftOptions& options) {
  if (whole.labels.empty()) throw Error("a lift is about classes, and the data have no labels");
  constexpr std::size_t most = 1500;
  std::vector<std::size_t> rows;
  const std::size_t count = std::min(whole.rows(), most);
  for (std::size_t i = 0; i < count; ++i) rows.push_back(i * whole.rows() / count);
  const Table table = count < whole.rows() ? whole.select(rows) : whole;
  Lift l;
  Classes classes = classes_of(table.labels);
  constexpr std::size_t most_classes = 50;
  if (classes.names.size() > most_classes)
    throw Error(fmt::format("the labels have {} values; a lift shows at most {} classes",
                            classes.names.size(), most_classes));
  if (options.map) {
    if (options.map->coordinates.size() != 3)
      throw Error(fmt::format("a lift has three coordinates, and the map has {}",
                              options.map->coordinates.size()));
    l.title = "The lift by φ(x) = " + options.map->text();
    set_features(l, *options.map, {1, 2, 3}, table.points, options.threads);
  } else {
    set_kernel(l, *options.kernel, options.features, table.points, options.threads);
  }
  for (const auto& p : l.points)
    if (!std::ranges::all_of(p, [](double v) { return std::isfinite(v); }))
      throw Error("a coordinate of φ is not finite");
  for (const auto code : classes.codes) l.classes.push_back(static_cast<std::size_t>(code));
  l.class_names = classes.names;
  const auto also = [&](const std::string& text) { l.note += (l.note.empty() ? "" : "; ") + text; };
  if (classes.names.size() == 2 || options.positive) {
    set_plane(l, table, options);
    also(!l.plane       ? "no plane: the best one has all points on one side"
         : l.wrong == 0 ? "the plane separates the classes"
                        : fmt::format("{} of {} points are on the wrong side of the plane", l.wrong,
                                      l.points.size()));
  } else {
    also("no plane: there are more than two classes");
  }
  if (count < whole.rows()) also(fmt::format("{} of {} rows", count, whole.rows()));
  return l;
}

}  // namespace mercer::picture
