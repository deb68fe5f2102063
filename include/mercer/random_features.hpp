// A few random features instead of a kernel: φ(x)·φ(z) is k(x, z) up to an error that falls with
// their number.
//
// Bochner: a continuous k(x - z) is a kernel if and only if it is the Fourier transform of a
// measure, k(x - z) = ∫ cos(ω·(x - z)) dμ(ω). The mean over frequencies ω_1, …, ω_D drawn from it
// is the sum over features of (Rahimi and Recht, 2007)
//     φ(x) = [cas(±ω_1·x), …, cas(±ω_D·x)] / √(2D),   cas(t) = cos(t) + sin(t),
// since cas(s) cas(t) + cas(-s) cas(-t) = 2 cos(s - t). Where μ is known, node by node:
//     exp(-γ|x-z|²)               normal, with variance 2γ
//     exp(-γ|x-z|_1)              Cauchy of scale γ in each coordinate, independently
//     exp(-γ|x-z|)                the rotation-invariant Cauchy: normal, over the size of another
//     matern                      Student's t with 2ν degrees of freedom
//     (1 + a|x-z|²)^(-α), …       the above at a random width, which is Gamma(α): rq, 1/(1+|x-z|²)
//     periodic                    multiples of the base frequency, each a difference of Poissons
//     exp(c k)                    the sum of a Poisson number of frequencies of k
//     cos(c (x_i - z_i))          c itself
//     prod(i, k(x_i - z_i))       of k in each coordinate, independently
//     a constant                  the frequency 0, one feature
//     c_1 k_1 + c_2 k_2           features of both, as many as their shares
//     k_1 k_2                     the sum of a frequency of each
// Orthogonal: directions of normal vectors are drawn orthogonal in groups of d, with the lengths of
// independent ones; the mean is the same and the error less (Yu and others, 2016).
//
//     RandomFeatures f = random_features(rbf(0.5), 18, {.count = 1000});
//     Points phi = f.map(x);
//
// In kernel form a rule in these features is Σ_j α_j cas(ω_j·x): the frequencies are its support.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/gram.hpp>
#include <mercer/kernel.hpp>
#include <mercer/points.hpp>
#include <mercer/sketch.hpp>
#include <string>
#include <vector>

namespace mercer {

struct RandomFeatureOptions {
  // Features, at most: two for each frequency (one where they are too few for that), one for the
  // constant.
  std::size_t count = 1000;
  bool orthogonal = false;
  std::uint64_t seed = 0;
};

struct RandomFeatures {
  Kernel cas = Kernel(0);          // of a frequency and a point
  Points frequencies;              // a row for each feature
  std::vector<double> amplitudes;  // φ_j(x) = amplitudes_j cas(ω_j, x)
  // With a chance of 99 % no pair of N has an error above √(2 spread log(200 N)) (Hoeffding).
  // Negative for orthogonal ones, whose frequencies are not independent.
  double spread = 0;

  [[nodiscard]] std::size_t size() const { return amplitudes.size(); }
  // φ(x_1), …, φ(x_n), dense, in doubles; precision, threads and instructions are those of `gram`.
  [[nodiscard]] Points map(const Points& x, const GramOptions& gram = {}) const;
};

// Throws Error where k has no spectral density that is known: what part of it, and what would do.
RandomFeatures random_features(const Kernel& k, std::size_t dimension,
                               const RandomFeatureOptions& options = {});

// On all pairs of up to 300 of the points.
struct FeatureError {
  double largest = 0;      // |φ(x)·φ(z) - k(x, z)|
  double mean_square = 0;  // its root
  std::size_t pairs = 0;
  double bound = 0;  // of the largest: see `spread`; negative: none is known
  // Of a sketch the bound is one of the root mean square instead: with a chance of 99 % it is at
  // most ten times the root of its mean (Markov), which the variances bound.
  bool of_mean_square = false;
};
FeatureError feature_error(const Kernel& k, const RandomFeatures& features, const Points& x,
                           std::uint64_t seed = 0);
FeatureError feature_error(const Kernel& k, const Sketch& sketch, const Points& x,
                           std::uint64_t seed = 0);

}  // namespace mercer
