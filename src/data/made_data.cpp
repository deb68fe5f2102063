#include <array>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/made_data.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "data/place.hpp"

namespace mercer {

namespace {

constexpr double pi = std::numbers::pi;
using Point = std::vector<double>;

constexpr auto kinds = std::to_array<MadeKind>({
    {"moons", "two half circles that reach into each other", 0.1, false, false},
    {"rings", "classes on circles about the origin", 0.1, true, true},
    {"xor", "the sign of x1*x2: like corners, unlike neighbours", 0.0, true, false},
    {"spirals", "arms that wind about the origin", 0.05, false, true},
    {"ellipse", "inside and outside of an ellipse", 0.0, true, false},
    {"blobs", "a round cloud per class", 1.0, true, true},
});

// A direction in R^d, each equally likely, nearly.
Point direction(RandomNumbers& random, std::size_t d) {
  Point x(d);
  double norm = 0;
  while (norm < 0.1) {
    norm = 0;
    for (double& v : x) {
      v = random.normal();
      norm += v * v;
    }
    norm = std::sqrt(norm);
  }
  for (double& v : x) v /= norm;
  return x;
}

Point moon(RandomNumbers& random, std::size_t c) {
  const double t = pi * random.uniform();
  return c == 0 ? Point{std::cos(t), std::sin(t)} : Point{1 - std::cos(t), 0.5 - std::sin(t)};
}

Point ring(RandomNumbers& random, std::size_t c, std::size_t d) {
  Point x = direction(random, d);
  for (double& v : x) v *= static_cast<double>(c + 1);
  return x;
}

// Away from the axes, so that the classes do not touch.
Point corner(RandomNumbers& random, std::size_t c, std::size_t d) {
  Point x(d);
  bool positive = true;
  for (double& v : x) {
    v = 0.1 + 0.9 * random.uniform();
    if (random.below(2) == 0) {
      v = -v;
      positive = !positive;
    }
  }
  if (positive != (c == 1)) x.back() = -x.back();
  return x;
}

Point arm(RandomNumbers& random, std::size_t c, std::size_t classes) {
  const double t = std::sqrt(random.uniform());  // evenly along the arm, nearly
  const double angle = 3 * pi * t + 2 * pi * static_cast<double>(c) / static_cast<double>(classes);
  const double r = 0.1 + 0.9 * t;
  return {r * std::cos(angle), r * std::sin(angle)};
}

// x1²/4 + x2² + … is at most 0.8² inside and at least 1.2² outside.
Point about_ellipse(RandomNumbers& random, std::size_t c, std::size_t d) {
  Point x = direction(random, d);
  const double r = c == 1 ? 0.8 * std::sqrt(random.uniform()) : 1.2 + 0.6 * random.uniform();
  for (double& v : x) v *= r;
  x[0] *= 2;
  return x;
}

// Centers on a circle that is large enough for the clouds.
Point center(std::size_t c, std::size_t classes, std::size_t d) {
  Point x(d);
  const double angle = 2 * pi * static_cast<double>(c) / static_cast<double>(classes);
  const double r = std::max(3.0, static_cast<double>(classes));
  x[0] = r * std::cos(angle);
  if (d > 1) x[1] = r * std::sin(angle);
  return x;
}

Point point(std::string_view name, RandomNumbers& random, std::size_t c, const MakeOptions& o) {
  if (name == "moons") return moon(random, c);
  if (name == "rings") return ring(random, c, o.dimension);
  if (name == "xor") return corner(random, c, o.dimension);
  if (name == "spirals") return arm(random, c, o.classes);
  if (name == "ellipse") return about_ellipse(random, c, o.dimension);
  return center(c, o.classes, o.dimension);
}

const MadeKind& kind_named(std::string_view name) {
  std::vector<std::string_view> names;
  std::string list;
  for (const auto& kind : kinds) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
    list += (list.empty() ? "" : ", ") + std::string(kind.name);
  }
  const std::string guess = nearest(name, names);
  throw Error("there is no data set " + data::shown(name) + "; the sets are " + list +
              (guess.empty() ? "" : "; did you mean '" + guess + "'?"));
}

void check(const MadeKind& kind, const MakeOptions& options) {
  const std::string name(kind.name);
  if (options.dimension == 0 || (!kind.any_dimension && options.dimension != 2) ||
      (kind.any_dimension && name != "blobs" && options.dimension < 2))
    throw Error(name + " in R^" + std::to_string(options.dimension) + " are not made; expected " +
                (kind.any_dimension ? "2 dimensions or more" : "2 dimensions"));
  if (options.classes < 2 || (!kind.any_classes && options.classes != 2))
    throw Error(name + " with " + std::to_string(options.classes) +
                (options.classes == 1 ? " class" : " classes") + " are not made; expected " +
                (kind.any_classes ? "2 or more" : "2"));
  if (options.rows < options.classes)
    throw Error(std::to_string(options.rows) + " points for " + std::to_string(options.classes) +
                " classes: expected one of each at least");
  constexpr double most = 1e300;  // beyond, points are infinite
  if (options.noise && (!(*options.noise >= 0) || *options.noise > most))
    throw Error("the noise is " + shortest(*options.noise) + "; expected 0 or more, up to 1e300");
}

// Six decimals are enough for a picture, and hide the last digit of the sine, which depends on the
// system.
double rounded(double v) { return std::round(v * 1e6) / 1e6 + 0.0; }

}  // namespace

std::span<const MadeKind> made_kinds() { return kinds; }

Table make_data(std::string_view name, const MakeOptions& options) {
  const MadeKind& kind = kind_named(name);
  check(kind, options);
  const double noise = options.noise.value_or(kind.noise);
  RandomNumbers random(options.seed);
  std::vector<std::size_t> classes(options.rows);
  for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = i % options.classes;
  random.shuffle(classes);
  std::vector<double> values;
  Table table;
  for (const std::size_t c : classes) {
    for (const double v : point(name, random, c, options))
      values.push_back(rounded(v + noise * random.normal()));
    table.labels.numbers.push_back(options.classes == 2 ? (c == 0 ? -1.0 : 1.0)
                                                        : static_cast<double>(c + 1));
  }
  table.points = Points::own(std::move(values), options.rows, options.dimension);
  for (std::size_t j = 0; j < options.dimension; ++j)
    table.names.push_back("x" + std::to_string(j + 1));
  table.labels.name = "label";
  return table;
}

}  // namespace mercer
