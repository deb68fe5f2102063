// Kernel values below the smallest normal float: right where they are all there is, 0 beside
// others.
#include <gtest/gtest.h>

#include <mercer/gram.hpp>

#include "support/random.hpp"

namespace {

using mercer::Gram;
using mercer::Kernel;
using mercer::Points;
using mercer::Rows;

// Where products of coordinates, or what is made of them, are below the smallest normal float,
// floats would make 0 of them.
TEST(TinyValues, AreComputedInDoublesWhereTheyAreAllThereIs) {
  Random random(6);
  const std::size_t n = 40;
  const std::size_t d = 3;
  struct Case {
    const char* text;
    double size;
  };
  for (const auto& [text, size] :
       {Case{"linear", 1e-20}, Case{"poly(2, c=0)", 1e-12}, Case{"rbf(1e40)", 1e-20},
        Case{"laplacian(1e39)", 1e-39}, Case{"intersection", 1e-39}, Case{"linear*rbf(1)", 1e-20},
        Case{"1e40*linear + 1", 1e-20}, Case{"matern(1.5)*linear", 1e-19}}) {
    std::vector<double> x(n * d);
    for (double& v : x) v = size * random.uniform(0.5, 1.5);
    const Kernel k = Kernel::parse(text, {.dimension = d});
    const Gram gram(k, Points::own(std::vector<double>(x), n, d));
    std::vector<double> values(n * n);
    gram.block(Rows::all(), Rows::all(), values.data(), n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const double exact = k(std::span(x).subspan(i * d, d), std::span(x).subspan(j * d, d));
        ASSERT_NEAR(values[i * n + j] / exact, 1, 2e-5) << text << ", " << gram.report().precision;
      }
  }
}

// Beside values of ordinary size they are 0, and floats will do.
TEST(TinyValues, AreZeroBesideOthers) {
  const std::vector<double> x{0, 0.5, 9.1, 18, 30};
  const std::size_t n = x.size();
  for (const char* text : {"rbf(1)", "rbf(0.5)*matern(1.5)", "laplacian(3)*matern(2.5)"}) {
    const Kernel k = Kernel::parse(text, {.dimension = 1});
    const Gram gram(k, Points::own(std::vector<double>(x), n, 1));
    EXPECT_EQ(gram.report().precision, "float32") << text;
    std::vector<float> values(n * n);
    gram.block(Rows::all(), Rows::all(), values.data(), n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const double exact = k(std::span(x).subspan(i, 1), std::span(x).subspan(j, 1));
        EXPECT_NEAR(static_cast<double>(values[i * n + j]), exact, 1e-5 * exact + 1e-36) << text;
      }
  }
}

}  // namespace
