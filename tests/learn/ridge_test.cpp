#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mercer/error.hpp>
#include <mercer/features.hpp>
#include <mercer/ridge.hpp>
#include <mercer/stop.hpp>

#include "base/random.hpp"
#include "comm/agree.hpp"
#include "learn/ridge_ranks.hpp"
#include "scale/message.hpp"
#include "support/plain_learners.hpp"

namespace mercer {
namespace {

using testing::plain_gram;
using testing::plain_solve;
using testing::points_of;
using testing::random_matrix;

// (K + λ C⁻¹)⁻¹ y, where c_i = 0 means α_i = 0.
Matrix plain_ridge(const Matrix& K, const Matrix& y, double lambda,
                   const std::vector<double>& weights = {}) {
  Matrix A = K;
  Matrix b = y;
  for (std::size_t i = 0; i < K.rows; ++i) {
    const double c = weights.empty() ? 1.0 : weights[i];
    if (c > 0) {
      A(i, i) += lambda / c;
      continue;
    }
    for (std::size_t j = 0; j < K.rows; ++j) A(i, j) = i == j ? 1 : 0;
    for (std::size_t j = 0; j < y.columns; ++j) b(i, j) = 0;
  }
  return plain_solve(std::move(A), std::move(b));
}

void expect_near(const Matrix& a, const Matrix& b, double relative) {
  double size = 0;
  for (const double v : b.values) size = std::max(size, std::abs(v));
  ASSERT_EQ(a.values.size(), b.values.size());
  for (std::size_t i = 0; i < a.values.size(); ++i)
    ASSERT_NEAR(a.values[i], b.values[i], relative * size) << i;
}

// What ScaLAPACK does, plainly: dealt out in blocks of 7 to a grid, and factored by rank 0 alone.
class PlainSystem final : public comm::DenseSystem {
 public:
  PlainSystem(const comm::Comm& comm, std::size_t n) : comm_(comm), n_(n) {
    const std::size_t across = comm.ranks() % 2 == 0 ? 2 : 1;
    const auto dealt = [&](std::size_t me, std::size_t ranks) {
      std::vector<std::size_t> mine;
      for (std::size_t i = 0; i < n; ++i)
        if (i / 7 % ranks == me) mine.push_back(i);
      return mine;
    };
    rows_ = dealt(comm.rank() / across, comm.ranks() / across);
    columns_ = dealt(comm.rank() % across, across);
    part_.assign(rows_.size() * columns_.size(), 1e300);
  }
  [[nodiscard]] const std::vector<std::size_t>& rows() const override { return rows_; }
  [[nodiscard]] const std::vector<std::size_t>& columns() const override { return columns_; }
  [[nodiscard]] double* part() override { return part_.data(); }
  bool factor() override {
    const auto all =
        comm::gather(comm_, scale::Message().put(rows_).put(columns_).put(part_).bytes());
    bool good = true;
    if (comm_.rank() == 0) {
      A_ = Matrix::zeros(n_, n_);
      for (const auto& text : all) {
        scale::MessageReader reader(text);
        const auto r = reader.get_all<std::size_t>();
        const auto c = reader.get_all<std::size_t>();
        const auto v = reader.get_all<double>();
        for (std::size_t j = 0; j < c.size(); ++j)
          for (std::size_t i = 0; i < r.size(); ++i)
            if (r[i] >= c[j]) A_(r[i], c[j]) = A_(c[j], r[i]) = v[j * r.size() + i];
      }
      for (std::size_t i = 0; i < n_; ++i) good = good && A_(i, i) > 0;
    }
    comm::broadcast(comm_, std::as_writable_bytes(std::span(&good, 1)));
    return good;
  }
  void solve(std::span<double> B, std::size_t width) override {
    Matrix b{n_, width, {B.begin(), B.end()}, {}};
    if (comm_.rank() == 0) b = plain_solve(A_, b);
    std::ranges::copy(b.values, B.begin());
    comm::broadcast(comm_, std::as_writable_bytes(B));
  }
  [[nodiscard]] std::string name() const override { return "plain"; }

 private:
  const comm::Comm& comm_;
  std::size_t n_;
  std::vector<std::size_t> rows_;
  std::vector<std::size_t> columns_;
  std::vector<double> part_;
  Matrix A_;
};

TEST(Ridge, RanksSolveTheSystemTogether) {
  const Matrix x = random_matrix(150, 3, 31);
  const Matrix y = random_matrix(150, 2, 32);
  std::vector<double> weights(150);
  RandomNumbers random(33);
  for (double& w : weights) w = random.uniform() * 3;
  weights[5] = 0;
  for (const auto& c : {std::vector<double>(), weights})
    for (const std::size_t ranks : {1UL, 2UL, 3UL, 4UL, 30UL}) {  // 30: some have nothing
      const RidgeOptions options{.lambda = 0.1, .weights = c};
      std::vector<std::optional<Ridge>> results(2);
      comm::on_threads(ranks, [&](const comm::Comm& comm) {
        learn::RidgeRanks over(
            comm, [&](std::size_t n) { return std::make_unique<PlainSystem>(comm, n); }, 1);
        if (comm.rank() != 0) return over.serve();
        results[0] = over.solve(rbf(0.5), points_of(x), y, options);
        results[1] = over.solve(Kernel::parse("poly(2)"), points_of(x), y, options);
      });
      expect_near(results[0]->alpha, plain_ridge(plain_gram(rbf(0.5), x), y, 0.1, c), 1e-8);
      EXPECT_TRUE(results[0]->converged);
      EXPECT_LT(results[0]->residual, 1e-9);
      expect_near(results[1]->alpha,
                  plain_ridge(plain_gram(Kernel::parse("poly(2)"), x), y, 0.1, c), 1e-6);
    }
}

TEST(Ridge, RanksSayWhatIsWrongOnce) {
  const Matrix x = random_matrix(60, 2, 34);
  const Matrix y = random_matrix(60, 1, 35);
  const auto says = [&](const Kernel& k, const RidgeOptions& options) {
    std::vector<std::string> said(3);
    comm::on_threads(3, [&](const comm::Comm& comm) {
      try {
        learn::RidgeRanks over(
            comm, [&](std::size_t n) { return std::make_unique<PlainSystem>(comm, n); }, 1);
        if (comm.rank() == 0) {
          over.solve(k, points_of(x), y, options);
        } else {
          over.serve();
        }
      } catch (const comm::Over&) {
        said[comm.rank()] = "over";
      } catch (const Error& error) {
        said[comm.rank()] = error.what();
      }
    });
    for (const std::size_t r : {1UL, 2UL})
      EXPECT_TRUE(said[r].empty() || said[r] == "over") << said[r];
    return said[0];
  };
  using ::testing::HasSubstr;
  EXPECT_EQ(says(rbf(1), {}), "");
  EXPECT_THAT(says(Kernel::parse("-3*rbf(1)"), {}), HasSubstr("has no Cholesky factor"));
  EXPECT_THAT(says(Kernel::parse("sqrt(x1*z1)"), {}), HasSubstr("points "));
  EXPECT_THAT(says(rbf(1), {.lambda = -1}), HasSubstr("lambda"));
  EXPECT_THAT(says(rbf(1), {.leave_one_out = true}), HasSubstr("leave-one-out"));
  EXPECT_THAT(says(rbf(1), {.memory = 1000}), HasSubstr("--memory"));
}

using Solver = RidgeOptions::Solver;

TEST(Ridge, EverySolverSolvesTheSystem) {
  const Matrix x = random_matrix(150, 3, 1);
  const Matrix y = random_matrix(150, 2, 2);
  std::vector<double> weights(150);
  RandomNumbers random(3);
  for (double& w : weights) w = random.uniform() * 3;
  weights[5] = 0;
  const Matrix K = plain_gram(rbf(0.5), x);
  for (const auto& c : {std::vector<double>(), weights})
    for (const double lambda : {10.0, 0.1, 0.001}) {
      const Matrix truth = plain_ridge(K, y, lambda, c);
      for (const auto solver :
           {Solver::automatic, Solver::single_factor, Solver::double_factor, Solver::gradients}) {
        RidgeOptions options{.lambda = lambda, .solver = solver, .weights = c};
        options.gram.precision = GramOptions::Precision::float64;
        const Ridge r = ridge(rbf(0.5), points_of(x), y, options);
        EXPECT_TRUE(r.converged) << r.solver << ' ' << lambda << ' ' << r.residual;
        expect_near(r.alpha, truth, solver == Solver::gradients ? 1e-2 : 1e-6);
      }
    }
}

TEST(Ridge, WhereFloatsAreNotEnoughDoublesAre) {
  // Nearly singular, and hardly any ridge.
  const Matrix x = random_matrix(300, 1, 1);
  const Matrix y = random_matrix(300, 1, 2);
  const Ridge single = ridge(rbf(0.5), points_of(x), y,
                             {.lambda = 1e-8, .solver = Solver::single_factor, .tolerance = 1e-6});
  const Ridge r = ridge(rbf(0.5), points_of(x), y, {.lambda = 1e-8, .tolerance = 1e-6});
  EXPECT_TRUE(r.converged) << r.residual;
  EXPECT_LE(r.residual, 1e-6);
  EXPECT_NE(single.solver, "float factor, refined");
}

TEST(Ridge, LeaveOneOutIsTrainingWithoutIt) {
  const Matrix x = random_matrix(25, 2, 1);
  const Matrix y = random_matrix(25, 2, 2);
  std::vector<double> weights(25, 1.0);
  for (std::size_t i = 0; i < 25; ++i) weights[i] = 0.5 + 0.1 * static_cast<double>(i);
  const auto k = Kernel::parse("(1 + x.z)^2");
  const Matrix K = plain_gram(k, x);
  const Matrix phi = testing::images(k, x);
  for (const auto& c : {std::vector<double>(), weights}) {
    const RidgeOptions options{.lambda = 0.3, .leave_one_out = true, .weights = c};
    const Ridge r = ridge(k, points_of(x), y, options);
    const Ridge w = ridge(points_of(phi), y, options);
    for (std::size_t i = 0; i < 25; ++i) {
      auto without = c.empty() ? std::vector<double>(25, 1.0) : c;
      without[i] = 0;
      const Matrix alpha = plain_ridge(K, y, 0.3, without);
      for (std::size_t j = 0; j < 2; ++j) {
        double f_i = 0;
        for (std::size_t m = 0; m < 25; ++m) f_i += K(i, m) * alpha(m, j);
        EXPECT_NEAR(r.leave_one_out(i, j), y(i, j) - f_i, 1e-8);
        EXPECT_NEAR(w.leave_one_out(i, j), y(i, j) - f_i, 1e-8);
      }
    }
  }
}

TEST(Ridge, ExplicitFormHasTheSameW) {
  const Matrix x = random_matrix(40, 2, 1);
  const Matrix y = random_matrix(40, 3, 2);
  std::vector<double> weights(40);
  for (std::size_t i = 0; i < 40; ++i) weights[i] = static_cast<double>(i % 4);
  const auto k = Kernel::parse("(1 + x.z)^3");
  const Matrix phi = testing::images(k, x);
  for (const auto& c : {std::vector<double>(), weights}) {
    const Ridge r = ridge(k, points_of(x), y, {.lambda = 0.2, .weights = c});
    const Ridge w = ridge(points_of(phi), y, {.lambda = 0.2, .weights = c});
    for (std::size_t j = 0; j < phi.columns; ++j)
      for (std::size_t o = 0; o < 3; ++o) {
        double sum = 0;
        for (std::size_t i = 0; i < 40; ++i) sum += r.alpha(i, o) * phi(i, j);
        EXPECT_NEAR(w.w(j, o), sum, 1e-7);
      }
  }
}

TEST(Ridge, WhatIsNoKernelIsDiagnosed) {
  const Matrix x = random_matrix(50, 2, 1);
  const Matrix y = random_matrix(50, 1, 2);
  const auto k = Kernel::parse("tanh(x.z) - 0.5");
  for (const auto solver : {Solver::automatic, Solver::single_factor, Solver::double_factor}) {
    const Ridge r = ridge(k, points_of(x), y, {.lambda = 0.01, .solver = solver});
    EXPECT_FALSE(r.positive_definite);
    ASSERT_TRUE(r.least_eigenvalue);
    EXPECT_LT(*r.least_eigenvalue, -0.1);
    EXPECT_NE(r.message.find("not a kernel"), std::string::npos);
    expect_near(r.alpha, plain_ridge(plain_gram(k, x), y, 0.01), 1e-6);
  }
  const Ridge g = ridge(k, points_of(x), y, {.lambda = 0.01, .solver = Solver::gradients});
  EXPECT_FALSE(g.positive_definite);
}

TEST(Ridge, ALambdaBelowRoundingIsDiagnosed) {
  Matrix x = random_matrix(40, 1, 1);
  for (std::size_t i = 0; i < 20; ++i) x(i + 20, 0) = x(i, 0);  // each point twice
  const Matrix y = random_matrix(40, 1, 2);
  const Ridge r = ridge(rbf(1), points_of(x), y, {.lambda = 1e-300});
  EXPECT_TRUE(r.positive_definite);
  EXPECT_NE(r.message.find("lost in the rounding"), std::string::npos);
  for (const double a : r.alpha.values) EXPECT_TRUE(std::isfinite(a));
}

TEST(Ridge, AnObserverEndsGradients) {
  const Matrix x = random_matrix(400, 2, 1);
  const Matrix y = random_matrix(400, 1, 2);
  const Ridge r = ridge(rbf(20), points_of(x), y,
                        {.lambda = 1e-3,
                         .solver = Solver::gradients,
                         .landmarks = 2,
                         .observe = [](std::size_t i, double) { return i < 3; }});
  EXPECT_TRUE(r.interrupted);
  EXPECT_EQ(r.iterations, 3U);
  EXPECT_NE(r.message.find("interrupted"), std::string::npos);
}

TEST(Ridge, AStopEndsEverySolver) {
  const Matrix x = random_matrix(900, 2, 5);
  const Matrix y = random_matrix(900, 1, 6);
  Stop stop;
  const Stop::Heeded heeded(&stop);
  for (const auto solver : {Solver::single_factor, Solver::double_factor, Solver::gradients}) {
    const RidgeOptions o{.solver = solver};
    EXPECT_TRUE(ridge(rbf(1), points_of(x), y, o).converged);
  }
  stop.ask();
  for (const auto solver : {Solver::single_factor, Solver::double_factor, Solver::gradients}) {
    const RidgeOptions o{.solver = solver};
    EXPECT_THROW(ridge(rbf(1), points_of(x), y, o), Stopped);
  }
}

TEST(RidgePath, EachEntryIsARidgeRegression) {
  const Matrix x = random_matrix(60, 2, 1);
  Matrix y = random_matrix(60, 2, 2);
  for (std::size_t i = 0; i < 60; ++i) y(i, 0) = std::sin(x(i, 0)) + 0.2 * y(i, 0);
  const std::vector<double> lambdas{10, 1, 0.1, 0.01};
  const RidgePath path = ridge_path(rbf(1), points_of(x), y, lambdas);
  const Matrix K = plain_gram(rbf(1), x);
  double best = 1e300;
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    const Ridge r = ridge(rbf(1), points_of(x), y, {.lambda = lambdas[l], .leave_one_out = true});
    double training = 0;
    double left_out = 0;
    for (std::size_t i = 0; i < 60; ++i)
      for (std::size_t c = 0; c < 2; ++c) {
        double error = -y(i, c);
        for (std::size_t j = 0; j < 60; ++j) error += K(i, j) * r.alpha(j, c);
        training += error * error / 60;
        left_out += r.leave_one_out(i, c) * r.leave_one_out(i, c) / 60;
      }
    EXPECT_NEAR(path.entries[l].training, training, 1e-8 * training + 1e-12);
    EXPECT_NEAR(path.entries[l].leave_one_out, left_out, 1e-7 * left_out);
    if (left_out < best) {
      best = left_out;
      if (path.best == l) expect_near(path.alpha, r.alpha, 1e-6);
    }
  }
  for (std::size_t l = 1; l < lambdas.size(); ++l)
    EXPECT_GT(path.entries[l].freedom, path.entries[l - 1].freedom);
}

TEST(Ridge, MistakesOfTheUserAreNamed) {
  const Matrix x = random_matrix(5, 2, 1);
  const Matrix y = random_matrix(5, 1, 2);
  EXPECT_THROW(ridge(rbf(1), points_of(x), y, {.lambda = 0}), Error);
  EXPECT_THROW(ridge(rbf(1), points_of(x), y, {.lambda = -1}), Error);
  EXPECT_THROW(ridge(rbf(1), points_of(x), random_matrix(6, 1, 1)), Error);
  EXPECT_THROW(ridge(rbf(1), points_of(x), y, {.weights = {-1, 1, 1, 1, 1}}), Error);
  EXPECT_THROW(ridge_path(rbf(1), points_of(x), y, {}), Error);
}

}  // namespace
}  // namespace mercer
