// A few features of a polynomial kernel: TensorSketch (Pham and Pagh, 2013).
//
// A count sketch of a vector a throws its entries, each with a random sign, into D buckets:
//     C(a)_b = Σ_{i: h(i) = b} s(i) a_i,        E C(a)·C(b) = a·b.
// Of a product of inner products, (a_1·b_1) … (a_q·b_q), it is known without writing out the
// tensor: with hashes and signs of its own for each factor,
//     φ = C_1(a_1) * … * C_q(a_q)       (a cyclic convolution, by fast Fourier transforms)
// is the count sketch of a_1 ⊗ … ⊗ a_q with h(i_1, …, i_q) = h_1(i_1) + … + h_q(i_q) mod D, and
//     E φ(x)·φ(z) = k(x, z),      Var φ(x)·φ(z) <= (2 + 3^q)/D k(x,x) k(z,z)
// (Avron, Nguyen and Woodruff, 2014; for q = 1 it is 2/D).
//
// What is sketched: kernels that are sums of products of inner products with coefficients >= 0,
//     linear, on some columns or all, with or without a constant: a = [√γ x, √c]
//     powers of these, as poly(3): the same factor several times
//     k_1 k_2             the factors of both, multiplied out where they are sums
//     c_1 k_1 + c_2 k_2   features of both, side by side: each has a share of D
// Where the tensor of a term has no more entries than its share, each gets a bucket of its own:
// these features are exact.
//
//     Sketch s = sketch(poly(3), 18, {.count = 2000});
//     Points phi = s.map(x);
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/kernel.hpp>
#include <mercer/points.hpp>
#include <vector>

namespace mercer {

struct SketchOptions {
  std::size_t count = 2000;  // features, at most
  std::uint64_t seed = 0;
};

struct Sketch {
  std::size_t dimension = 0;  // of x
  // Column j of x goes into bucket[j], times weight[j], which has the sign in it; the last one of
  // both is the constant 1.
  struct Factor {
    std::vector<std::uint32_t> bucket;
    std::vector<double> weight;
    bool operator==(const Factor&) const = default;
  };
  struct Term {
    std::size_t size = 0;  // its features
    double amplitude = 1;  // what they are multiplied by
    double variance = 0;   // of φ·φ, at most, over k(x,x) k(z,z); 0: it is exact
    std::vector<Factor> factors;
    bool operator==(const Term&) const = default;
  };
  std::vector<Term> terms;
  bool operator==(const Sketch&) const = default;

  [[nodiscard]] std::size_t size() const;
  // Throws Error where the parts do not fit together.
  void check() const;
  // φ(x_1), …, φ(x_n), dense, in doubles.
  [[nodiscard]] Points map(const Points& x, unsigned threads = 0) const;
  // The same, row by row into memory with so many numbers from row to row.
  void map(const Points& x, double* out, std::size_t stride, unsigned threads = 0) const;
  void map(const Points& x, float* out, std::size_t stride, unsigned threads = 0) const;
  // Σ over terms of variance k_t(x,x) k_t(z,z), which bounds that of φ(x)·φ(z).
  [[nodiscard]] std::vector<double> norms(const Points& x) const;  // n × terms: k_t(x,x)
};

// Throws Error where k has a part that is no product of inner products: which, and what would do.
Sketch sketch(const Kernel& k, std::size_t dimension, const SketchOptions& options = {});

}  // namespace mercer
