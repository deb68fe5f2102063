// Verdicts on random kernels never contradict numbers: a proved kernel has no negative eigenvalue,
// and a witness, recomputed in doubles from its text, is negative.
#include <gtest/gtest.h>

#include <cmath>
#include <mercer/mercer.hpp>
#include <mercer/proof.hpp>
#include <random>

#include "kernel/form.hpp"
#include "support/matrix.hpp"
#include "support/random.hpp"
#include "support/random_kernel.hpp"

namespace {

using mercer::Kernel;
using mercer::Verdict;

// Sums, differences and products of kernels and near-kernels, so that both answers are common.
std::string random_text(std::mt19937_64& random, int depth) {
  static const std::vector<std::string> leaves{
      "x.z",         "1",          "0.5",        "rbf(1)",  "rbf(0.5)",
      "exp(-|x-z|)", "|x-z|",      "x1*z1",      "x1*z2",   "(x.z+1)^2",
      "cosine",      "tanh(x.z)",  "min(x1,z1)", "|x|*|z|", "exp(x.z)",
      "laplacian",   "cos(x1-z1)", "(x.z)^2",    "|x-z|^2", "exp(-|x|^2)*exp(-|z|^2)"};
  const auto draw = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  if (depth == 0 || draw(4) == 0) return leaves[draw(leaves.size())];
  const std::string a = random_text(random, depth - 1);
  const std::string b = random_text(random, depth - 1);
  switch (draw(6)) {
    case 0:
      return "(" + a + ")*(" + b + ")";
    case 1:
      return "exp(" + a + ")";
    case 2:
      return "(" + a + ") - 0.5*(" + b + ")";
    case 3:
      return "1/(1 + " + a + ")";
    default:
      return "(" + a + ") + 0.3*(" + b + ")";
  }
}

double number(const std::string& fraction) {
  const auto bar = fraction.find('/');
  if (bar == std::string::npos) return std::stod(fraction);
  return std::stod(fraction.substr(0, bar)) / std::stod(fraction.substr(bar + 1));
}

std::vector<double> point(const std::vector<std::string>& coordinates) {
  std::vector<double> result;
  result.reserve(coordinates.size());
  for (const auto& c : coordinates) result.push_back(number(c));
  return result;
}

void check_witness(const Kernel& k, const mercer::Witness& w) {
  if (w.coefficients.empty()) {
    const auto x = point(w.points[0]);
    const auto z = point(w.points[1]);
    EXPECT_NE(k(x, z), k(z, x)) << k;
    return;
  }
  double total = 0;
  double scale = 0;
  for (std::size_t i = 0; i < w.points.size(); ++i)
    for (std::size_t j = 0; j < w.points.size(); ++j) {
      const double term = number(w.coefficients[i]) * number(w.coefficients[j]) *
                          k(point(w.points[i]), point(w.points[j]));
      total += term;
      scale += std::abs(term);
    }
  EXPECT_LT(total, 1e-12 * scale) << k;  // doubles cannot see tiny negative values
}

void check_eigenvalues(const Kernel& k, std::mt19937_64& random) {
  const std::uint32_t d = std::max<std::uint32_t>(k.least_dimension(), 2);
  std::vector<std::vector<double>> points(8, std::vector<double>(d));
  for (auto& p : points)
    for (double& v : p) v = static_cast<double>(random() % 4001) / 1000.0 - 2.0;
  Matrix K(points.size(), points.size());
  double largest = 0;
  try {
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t j = 0; j < points.size(); ++j) {
        K(i, j) = k(points[i], points[j]);
        largest = std::max(largest, std::abs(K(i, j)));
      }
  } catch (const mercer::EvaluationError&) {
    return;  // too large for doubles
  }
  EXPECT_GE(eigenvalues(K).front(), -1e-11 * static_cast<double>(points.size()) * largest) << k;
}

TEST(Soundness, RandomKernels) {
  std::mt19937_64 random(7);
  int proved = 0;
  int refuted = 0;
  for (int round = 0; round < 1500; ++round) {
    const Kernel k = Kernel::parse(random_text(random, 3));
    Verdict v;
    try {
      mercer::ProofOptions options;
      options.timeout = 0.2;
      v = mercer::prove(k, options);
    } catch (const mercer::Error&) {
      continue;  // undefined somewhere
    }
    if (v.kind == Verdict::Kind::kernel) {
      ++proved;
      for (int i = 0; i < 3; ++i) check_eigenvalues(k, random);
    } else if (v.kind == Verdict::Kind::not_a_kernel) {
      ++refuted;
      check_witness(k, *v.witness);
    }
  }
  EXPECT_GT(proved, 200);
  EXPECT_GT(refuted, 200);
}

// What training takes for a kernel without asking the prover.
TEST(Soundness, WhatTheFormShowsIsNotRefuted) {
  std::mt19937_64 random(8);
  Random other(8);
  int shown = 0;
  for (int round = 0; round < 6000; ++round) {
    RandomKernelOptions how;
    how.dimension = 2;
    how.size = 6;
    const std::string text =
        round % 2 == 0 ? random_text(random, 2) : random_kernel_text(other, how);
    try {
      const Kernel k = Kernel::parse(text, {.dimension = 2});
      if (!mercer::algebra::kernel_on_reals_by_form(k.expression())) continue;
      ++shown;
      check_eigenvalues(k, random);
      mercer::ProofOptions options;
      options.timeout = 0.05;
      options.dimension = 2;
      EXPECT_NE(mercer::prove(k, options).kind, Verdict::Kind::not_a_kernel) << text;
    } catch (const mercer::Error&) {
      continue;  // no value somewhere, or nowhere
    }
  }
  EXPECT_GT(shown, 300);
}

}  // namespace
