// The table against the function, at all scales.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gram/matern_table.hpp"
#include "kernel/matern.hpp"

namespace {

TEST(MaternTable, IsTheFunction) {
  for (const double nu : {0.1, 0.3, 0.8, 1.0, 1.75, 3.3, 7.0, 20.5, 80.0, 400.0}) {
    const mercer::gram::MaternTable table(nu);
    for (int step = 0; step < 108; ++step) {  // up to 700
      const double t = 1e-12 * std::pow(1.37, step);
      const double exact = mercer::algebra::matern_function(nu, t);
      // An exponent is rounded, and so much the more the larger it is.
      const double limit = 1e-14 * (5 - std::log(std::max(exact, 1e-300)));
      EXPECT_NEAR(table(t), exact, limit * exact + 1e-300) << "nu " << nu << " t " << t;
    }
    EXPECT_EQ(table(0), 1);
    EXPECT_EQ(table(1e9), 0);
    EXPECT_TRUE(std::isnan(table(-1)));
  }
}

// As many pieces as needed, and none where that were too many.
TEST(MaternTable, HasPiecesForVectors) {
  for (const double nu : {0.1, 0.3, 0.8, 1.0, 1.75, 3.3, 7.0, 20.3}) {
    const mercer::gram::MaternTable table(nu);
    EXPECT_FALSE(table.pieces<float>().empty()) << nu;
    EXPECT_FALSE(table.pieces<double>().empty()) << nu;
    EXPECT_LT(table(static_cast<double>(table.pieces<float>().zero)), 1.2e-38) << nu;
  }
  EXPECT_TRUE(mercer::gram::MaternTable(4000).pieces<float>().empty());
}

}  // namespace
