#include "cli/kernel_notes.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>
#include <mercer/proof.hpp>
#include <optional>

#include "cli/more.hpp"
#include "kernel/form.hpp"

namespace mercer::cli {

namespace {

struct Place {
  std::size_t row = 0;
  std::size_t column = 0;
  double value = 0;
};

template <class T>
std::optional<Place> first_negative(const Points& x, const T* values) {
  for (std::size_t i = 0; i < x.rows(); ++i) {
    if (x.is_sparse()) {
      for (auto e = x.offsets()[i]; e < x.offsets()[i + 1]; ++e)
        if (values[e] < 0)
          return Place{i, static_cast<std::size_t>(x.indices()[e]), static_cast<double>(values[e])};
    } else {
      for (std::size_t j = 0; j < x.columns(); ++j)
        if (const T v = values[i * x.stride() + j]; v < 0)
          return Place{i, j, static_cast<double>(v)};
    }
  }
  return std::nullopt;
}

std::optional<Place> first_negative(const Points& x) {
  return x.scalar() == Points::Scalar::float32 ? first_negative(x, x.values<float>())
                                               : first_negative(x, x.values<double>());
}

struct Judgement {
  Verdict::Kind kind = Verdict::Kind::unknown;
  bool in_time = true;
};

// Unknown also where k has no value somewhere: the data may stay away from there.
Judgement judged(const Kernel& k, const char* domain, std::size_t dimension) {
  constexpr double seconds = 0.3;
  const auto start = std::chrono::steady_clock::now();
  Judgement j;
  try {
    j.kind = more()
                 .prove(k, {.domain = Domain::parse(domain),
                            .dimension = static_cast<std::uint32_t>(dimension),
                            .timeout = seconds})
                 .kind;
  } catch (const Error&) {
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  j.in_time = passed.count() < seconds;
  return j;
}

// What the values themselves show, on some of the rows.
std::string seen_on(const Kernel& k, const Points& x) {
  constexpr std::size_t most = 100;
  constexpr double rounding = 1e-6;  // far above that of doubles: a doubt has to be well founded
  const std::size_t n = std::min(most, x.rows());
  std::vector<double> K(n * n);
  try {
    GramOptions how;
    how.precision = GramOptions::Precision::float64;
    how.storage = GramOptions::Storage::recomputed;
    const Gram gram(k, x, x, how);  // of two sets of points: nothing is taken for symmetric
    gram.block(Rows(0, n), Rows(0, n), K.data(), n);
  } catch (const Error&) {
    return {};  // a value that does not exist is told by those who need it
  }
  const auto at = [&](std::size_t i, std::size_t j) { return K[i * n + j]; };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double size = std::max(std::abs(at(i, j)), std::abs(at(j, i)));
      if (std::abs(at(i, j) - at(j, i)) > rounding * size && size > 0)
        return fmt::format(
            "it is not symmetric: k(x,z) = {:.6g} and k(z,x) = {:.6g} for rows {} and {}", at(j, i),
            at(i, j), j + 1, i + 1);
    }
  for (std::size_t i = 0; i < n; ++i)
    if (at(i, i) < 0) return fmt::format("k(x,x) = {:.6g} < 0 for row {}", at(i, i), i + 1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (at(i, j) * at(i, j) > at(i, i) * at(j, j) * (1 + rounding) + rounding * rounding)
        return fmt::format("k(x,z)² > k(x,x) k(z,z) for rows {} and {}: {:.6g}² > {:.6g} · {:.6g}",
                           j + 1, i + 1, std::abs(at(i, j)), at(j, j), at(i, i));
  return {};
}

}  // namespace

std::vector<std::string> kernel_notes(const Kernel& k, const Points& x) {
  // Most are sums and products of the usual ones: the prover need not be loaded for these.
  if (x.rows() == 0 || algebra::kernel_on_reals_by_form(k.expression())) return {};
  const auto negative = first_negative(x);
  const std::string name = k.text();
  const auto [here, in_time] = judged(k, negative ? "R" : "R+", x.columns());
  if (here == Verdict::Kind::kernel) return {};
  // Where there was no time to know, on a busy machine perhaps, nothing is said against it.
  if (negative && (here == Verdict::Kind::not_a_kernel || in_time) &&
      judged(k, "R+", x.columns()).kind == Verdict::Kind::kernel)
    return {
        fmt::format("{} is a kernel where no coordinate is negative, and row {} has {:.4g} in "
                    "column {}; scaling by minmax takes numbers to 0 … 1",
                    name, negative->row + 1, negative->value, negative->column + 1)};
  const std::string seen = seen_on(k, x);
  if (!seen.empty()) return {name + " is not a kernel on these points: " + seen};
  if (here == Verdict::Kind::not_a_kernel)
    return {
        fmt::format("{} is not a kernel on {} (`mercer prove` shows points), though it may seem "
                    "one on some of these",
                    name, negative ? "R" : "R+")};
  return {};
}

}  // namespace mercer::cli
