#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>
#include <mercer/random_features.hpp>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "scale/spectrum.hpp"

namespace mercer {

namespace {

// How many frequencies each term gets: by its mass, one at least.
std::vector<std::size_t> shares(const std::vector<double>& masses, std::size_t count) {
  double total = 0;
  for (const double m : masses) total += m;
  std::vector<std::size_t> result;
  std::size_t used = 0;
  for (const double m : masses) {
    result.push_back(
        std::max<std::size_t>(1, static_cast<std::size_t>(m / total * static_cast<double>(count))));
    used += result.back();
  }
  for (std::size_t i = 0; used < count; i = (i + 1) % result.size(), ++used) ++result[i];
  return result;
}

}  // namespace

RandomFeatures random_features(const Kernel& k, std::size_t dimension,
                               const RandomFeatureOptions& options) {
  if (!k.open_parameters().empty())
    throw Error(k.text() + " has an open parameter: give it a value first");
  if (k.has_named_columns())
    throw Error(k.text() + " names columns, but the points have no names: use with_columns");
  scale::Spectrum s = scale::spectrum_of(k.expression(), dimension, options.orthogonal);
  scale::Draws draws(options.seed);
  RandomFeatures f;
  f.cas = Kernel::parse("cos(x.z) + sin(x.z)");
  std::vector<double> omegas;
  double constant = 0;
  std::vector<scale::Spectrum::Term*> terms;
  std::vector<double> masses;
  for (auto& term : s.terms) {
    if (term.factors.empty()) {
      constant += term.mass;
    } else if (term.mass > 0) {
      terms.push_back(&term);
      masses.push_back(term.mass);
    }
  }
  if (constant > 0) {
    omegas.resize(dimension);
    f.amplitudes.push_back(std::sqrt(constant));
  }
  if (terms.empty() && constant == 0) throw Error(k.text() + " is 0: there are no features");
  const std::size_t left = options.count - std::min(options.count, f.size());
  if (left < terms.size())
    throw Error(fmt::format("{} features are too few for {}: at least {}", options.count, k.text(),
                            terms.size() + f.size()));
  // Of a single ω the mean is k(x, z) all the same: sin(ω·(x + z)) is odd in it.
  const bool single = left < 2 * terms.size();
  const std::size_t pairs = single ? terms.size() : left / 2;
  const auto counts = terms.empty() ? std::vector<std::size_t>() : shares(masses, pairs);
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const double each = masses[t] / static_cast<double>(counts[t]);
    f.spread += (single ? 4 : 1) * masses[t] * each;
    for (std::size_t i = 0; i < counts[t]; ++i) {
      std::vector<double> omega(dimension);
      for (auto& factor : terms[t]->factors) factor->draw(draws, omega);
      omegas.insert(omegas.end(), omega.begin(), omega.end());
      if (single) {
        f.amplitudes.push_back(std::sqrt(each));
        continue;
      }
      for (double& v : omega) v = -v;
      omegas.insert(omegas.end(), omega.begin(), omega.end());
      f.amplitudes.insert(f.amplitudes.end(), 2, std::sqrt(each / 2));
    }
  }
  if (options.orthogonal) f.spread = -1;
  f.frequencies = Points::own(std::move(omegas), f.size(), dimension);
  return f;
}

Points RandomFeatures::map(const Points& x, const GramOptions& gram) const {
  GramOptions how = gram;
  how.storage = GramOptions::Storage::recomputed;
  std::vector<double> values(x.rows() * size());
  Gram(cas, x, frequencies, how).block(Rows::all(), Rows::all(), values.data(), size());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < size(); ++j) values[i * size() + j] *= amplitudes[j];
  return Points::own(std::move(values), x.rows(), size());
}

namespace {

Points sample_for_error(const Points& x, std::uint64_t seed) {
  constexpr std::size_t most = 300;
  return x.select(x.rows() <= most ? Rows::all().of(x.rows())
                                   : RandomNumbers(seed).sample(x.rows(), most));
}

// φ beside k, on all pairs.
FeatureError compared(const Kernel& k, const Points& some, const Points& phi) {
  const std::size_t n = some.rows();
  GramOptions exact;
  exact.precision = GramOptions::Precision::float64;
  std::vector<double> K(n * n);
  Gram(k, some, exact).block(Rows::all(), Rows::all(), K.data(), n);
  std::vector<double> near(n * n);
  Gram(linear(), phi, exact).block(Rows::all(), Rows::all(), near.data(), n);
  FeatureError e;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double off = std::abs(K[i * n + j] - near[i * n + j]);
      e.largest = std::max(e.largest, off);
      e.mean_square += off * off;
      ++e.pairs;
    }
  if (e.pairs > 0) e.mean_square = std::sqrt(e.mean_square / static_cast<double>(e.pairs));
  return e;
}

}  // namespace

FeatureError feature_error(const Kernel& k, const RandomFeatures& features, const Points& x,
                           std::uint64_t seed) {
  const Points some = sample_for_error(x, seed);
  FeatureError e = compared(k, some, features.map(some));
  e.bound =
      features.spread < 0
          ? -1
          : std::sqrt(2 * features.spread *
                      std::log(200.0 * static_cast<double>(std::max<std::size_t>(e.pairs, 1))));
  return e;
}

FeatureError feature_error(const Kernel& k, const Sketch& sketch, const Points& x,
                           std::uint64_t seed) {
  const Points some = sample_for_error(x, seed);
  FeatureError e = compared(k, some, sketch.map(some));
  e.of_mean_square = true;
  // The mean over pairs of Σ_t variance_t k_t(x,x) k_t(z,z).
  const auto norms = sketch.norms(some);
  const std::size_t terms = sketch.terms.size();
  double mean = 0;
  for (std::size_t t = 0; t < terms; ++t) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < some.rows(); ++i) {
      const double v = norms[i * terms + t];
      sum += v;
      squares += v * v;
    }
    if (e.pairs > 0)
      mean += sketch.terms[t].variance * (sum * sum - squares) / 2 / static_cast<double>(e.pairs);
  }
  e.bound = 10 * std::sqrt(std::max(0.0, mean));
  return e;
}

}  // namespace mercer
