#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/nystrom.hpp>
#include <mercer/ridge.hpp>
#include <mercer/sketch.hpp>
#include <mercer/svm.hpp>
#include <mutex>

#include "base/random.hpp"
#include "comm/comm.hpp"
#include "scale/basis.hpp"
#include "scale/centres.hpp"
#include "scale/precondition.hpp"
#include "scale/solve.hpp"
#include "support/plain_learners.hpp"

namespace mercer {
namespace {

using Choice = NystromOptions::Choice;
using Loss = NystromOptions::Loss;
using testing::plain_gram;
using testing::plain_solve;
using testing::points_of;
using testing::random_matrix;

constexpr std::array roster{"rbf(0.3)",         "laplacian(0.2)",   "matern(2.5, 2)",
                            "rq(1, 2)",         "poly(2, 1, 0.5)",  "linear + 1",
                            "rbf(0.3)*poly(2)", "periodic(5, 1.5)", "rbf(0.2)[1,2] + 0.5*linear",
                            "exp(x.z/4)"};

GramOptions exact() {
  GramOptions o;
  o.precision = GramOptions::Precision::float64;
  return o;
}

// K_nm, one value after the other.
Matrix plain_between(const Kernel& k, const Matrix& x, const Matrix& z) {
  Matrix K = Matrix::zeros(x.rows, z.rows);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < z.rows; ++j) K(i, j) = k(x.row(i), z.row(j));
  return K;
}

Matrix times(const Matrix& A, const Matrix& B) {
  Matrix C = Matrix::zeros(A.rows, B.columns);
  for (std::size_t i = 0; i < A.rows; ++i)
    for (std::size_t k = 0; k < A.columns; ++k)
      for (std::size_t j = 0; j < B.columns; ++j) C(i, j) += A(i, k) * B(k, j);
  return C;
}

// The system as it is written: (K_nmᵀ C K_nm + λ K_mm) α = K_nmᵀ C y.
Matrix plain_nystrom(const Matrix& between, const Matrix& within, const Matrix& y, double lambda,
                     const std::vector<double>& weights) {
  Matrix A = within;
  for (double& v : A.values) v *= lambda;
  Matrix b = Matrix::zeros(within.rows, y.columns);
  for (std::size_t i = 0; i < between.rows; ++i) {
    const double c = weights.empty() ? 1.0 : weights[i];
    for (std::size_t j = 0; j < between.columns; ++j) {
      for (std::size_t l = 0; l < between.columns; ++l)
        A(j, l) += c * between(i, j) * between(i, l);
      for (std::size_t l = 0; l < y.columns; ++l) b(j, l) += c * between(i, j) * y(i, l);
    }
  }
  return plain_solve(std::move(A), std::move(b));
}

void expect_near(const Matrix& a, const Matrix& b, double relative, const std::string& what) {
  double size = 0;
  for (const double v : b.values) size = std::max(size, std::abs(v));
  ASSERT_EQ(a.values.size(), b.values.size()) << what;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    ASSERT_NEAR(a.values[i], b.values[i], relative * size) << what << ' ' << i;
}

Matrix targets(const Matrix& x, std::size_t columns) {
  Matrix y = Matrix::zeros(x.rows, columns);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t c = 0; c < columns; ++c)
      y(i, c) = std::sin(static_cast<double>(c + 1) * x(i, 0)) + 0.3 * x(i, 1) * x(i, 2);
  return y;
}

TEST(Nystrom, SolvesTheSystemAsItIsWritten) {
  const Matrix x = random_matrix(400, 3, 1);
  const Matrix y = targets(x, 2);
  const Matrix centres = random_matrix(15, 3, 3);
  std::vector<double> weights(400);
  RandomNumbers random(4);
  for (double& w : weights) w = random.uniform() * 3;
  weights[7] = 0;
  for (const char* text : roster) {
    const Kernel k = Kernel::parse(text);
    const Matrix Knm = plain_between(k, x, centres);
    for (const auto& c : {std::vector<double>(), weights})
      for (const double lambda : {10.0, 0.01}) {
        NystromOptions o{.choice = Choice::given, .given = points_of(centres), .lambda = lambda};
        o.weights = c;
        o.tolerance = 1e-12;
        for (const auto& gram : {exact(), GramOptions{}}) {
          o.gram = gram;
          const Nystrom r = nystrom(k, points_of(x), y, o);
          // Where centres are combinations of others, α is not unique, but f is.
          Matrix used = Matrix::zeros(r.centres.rows(), 3);
          for (std::size_t i = 0; i < used.rows; ++i)
            r.centres.row(i, std::span(used.values).subspan(3 * i, 3));
          const Matrix truth =
              plain_nystrom(plain_between(k, x, used), plain_gram(k, used), y, lambda, c);
          const bool doubles = gram.precision == GramOptions::Precision::float64;
          if (doubles) {
            EXPECT_TRUE(r.converged) << text << ' ' << r.residual;
          }
          EXPECT_EQ(r.left_out + r.centres.rows(), 15U);
          expect_near(times(plain_between(k, x, used), r.alpha),
                      times(plain_between(k, x, used), truth), doubles ? 1e-7 : 2e-4,
                      std::string(text) + (doubles ? " double" : " float"));
          EXPECT_EQ(r.left_out > 0,
                    std::string(text) == "linear + 1" || std::string(text) == "poly(2, 1, 0.5)")
              << text << r.left_out;
        }
      }
  }
}

TEST(Nystrom, WithAllPointsAsCentresItIsRidge) {
  const Matrix x = random_matrix(120, 3, 5);
  const Matrix y = targets(x, 1);
  for (const double lambda : {1.0, 0.01}) {
    const Matrix K = plain_gram(rbf(0.5), x);
    NystromOptions o{.centres = 1000, .lambda = lambda};
    o.gram = exact();
    o.tolerance = 1e-12;
    const Nystrom a = nystrom(rbf(0.5), points_of(x), y, o);
    RidgeOptions r{.lambda = lambda};
    r.gram = exact();
    const Ridge b = ridge(rbf(0.5), points_of(x), y, r);
    ASSERT_EQ(a.centres.rows(), 120U);
    expect_near(times(K, a.alpha), times(K, b.alpha), 1e-7, "m = n");
  }
}

// Σ c log(1 + exp(-y f)) + λ αᵀKα has no slope at the answer, and is nowhere smaller near it.
TEST(Nystrom, TheLogisticAnswerIsTheLeast) {
  const Matrix x = random_matrix(300, 3, 6);
  Matrix y = targets(x, 3);
  for (double& v : y.values) v = v > 0 ? 1 : -1;
  const Matrix centres = random_matrix(20, 3, 7);
  std::vector<double> weights(300);
  RandomNumbers random(8);
  for (double& w : weights) w = 0.5 + random.uniform();
  for (const char* text : {"rbf(0.3)", "rbf(0.3)*poly(2)", "laplacian(0.2)"})
    for (const double lambda : {3.0, 1e-3}) {
      const Kernel k = Kernel::parse(text);
      NystromOptions o{.choice = Choice::given, .given = points_of(centres)};
      o.loss = Loss::logistic;
      o.lambda = lambda;
      o.weights = weights;
      o.gram = exact();
      o.tolerance = 1e-9;
      const Nystrom r = nystrom(k, points_of(x), y, o);
      EXPECT_TRUE(r.converged) << text << r.residual;
      const Matrix K = plain_between(k, x, centres);
      const Matrix Kmm = plain_gram(k, centres);
      const Matrix f = times(K, r.alpha);
      const Matrix price = times(Kmm, r.alpha);
      for (std::size_t c = 0; c < 3; ++c) {
        double loss = 0;
        for (std::size_t j = 0; j < 20; ++j) {
          double slope = 2 * lambda * price(j, c);
          double size = std::abs(slope);
          for (std::size_t i = 0; i < 300; ++i) {
            const double g = weights[i] * y(i, c) * K(i, j) / (1 + std::exp(y(i, c) * f(i, c)));
            slope -= g;
            size += std::abs(g);
            if (j == 0) loss += weights[i] * std::log1p(std::exp(-y(i, c) * f(i, c)));
          }
          EXPECT_NEAR(slope, 0, 1e-6 * size) << text << ' ' << lambda;
        }
        EXPECT_GT(loss, 0);
      }
    }
}

TEST(Nystrom, EveryChoiceOfCentresIsTheSameForASeedAndAnyThreads) {
  const Matrix x = random_matrix(3000, 4, 9);
  const Matrix y = targets(x, 1);
  for (const Choice choice : {Choice::uniform, Choice::leverage, Choice::kmeans}) {
    NystromOptions o{.centres = 40, .choice = choice, .lambda = 0.1};
    const Nystrom first = nystrom(rbf(0.2), points_of(x), y, o);
    EXPECT_TRUE(first.converged);
    ASSERT_EQ(first.centres.rows(), 40U);
    for (const unsigned threads : {1U, 2U, 3U}) {
      o.gram.threads = threads;
      const Nystrom again = nystrom(rbf(0.2), points_of(x), y, o);
      EXPECT_EQ(again.alpha.values, first.alpha.values);
    }
    o.seed = 1;
    const Nystrom other = nystrom(rbf(0.2), points_of(x), y, o);
    EXPECT_NE(other.alpha.values, first.alpha.values);
  }
}

TEST(Nystrom, LeverageAndDistanceFindWhatIsRare) {
  // 2 points in 1000 lie apart: uniform centres miss them nearly always.
  Matrix x = random_matrix(4000, 2, 10);
  for (std::size_t i = 0; i < 4000; i += 500) x(i, 0) += 30;
  const Matrix y = random_matrix(4000, 1, 1);
  const auto far = [&](Choice choice) {
    NystromOptions o{.centres = 30, .choice = choice, .lambda = 1e-3};
    const Nystrom r = nystrom(rbf(0.5), points_of(x), y, o);
    std::size_t count = 0;
    for (std::size_t i = 0; i < r.centres.rows(); ++i) count += r.centres(i, 0) > 20 ? 1U : 0U;
    return count;
  };
  EXPECT_EQ(far(Choice::uniform), 0U);
  EXPECT_GE(far(Choice::leverage) + far(Choice::kmeans), 1U);
}

TEST(Nystrom, SamplesAreDifferentRowsInOrder) {
  for (const std::size_t n : {5UL, 100UL, 100000UL})
    for (const std::size_t count : {1UL, 5UL, 99UL}) {
      const auto rows = scale::sample_of(n, count, 3);
      EXPECT_EQ(rows.size(), std::min(n, count));
      EXPECT_TRUE(std::ranges::is_sorted(rows));
      EXPECT_EQ(std::ranges::adjacent_find(rows), rows.end());
      EXPECT_LT(rows.back(), n);
    }
}

TEST(Nystrom, LambdaIsChosenByWhatIsHeldOut) {
  const Matrix x = random_matrix(2000, 3, 11);
  Matrix y = targets(x, 1);
  RandomNumbers random(12);
  for (double& v : y.values) v += 0.3 * random.normal();
  const Nystrom r = nystrom(rbf(0.3), points_of(x), y, {.centres = 200});
  ASSERT_GE(r.path.size(), 3U);
  EXPECT_EQ(r.held_out, 400U);
  double least = 1e300;
  for (const auto& t : r.path) least = std::min(least, t.held_out);
  EXPECT_NEAR(least, 0.09, 0.03);  // the noise
  for (const auto& t : r.path) EXPECT_EQ(t.lambda == r.lambda, t.held_out == least);
  EXPECT_TRUE(r.converged);
}

// Rows over ranks: the same blocks, so the same values; only sums are in another order.
TEST(Nystrom, FeaturesHaveTheInnerProductsThatTheCentresExplain) {
  const Matrix x = random_matrix(60, 3, 21);
  const Matrix z = random_matrix(15, 3, 22);
  for (const char* text : roster)
    for (const Choice choice : {Choice::uniform, Choice::leverage, Choice::kmeans}) {
      const Kernel k = Kernel::parse(text);
      NystromOptions o;
      o.centres = 12;
      o.choice = choice;
      o.gram = exact();
      const NystromFeatures f = nystrom_features(k, points_of(x), o);
      ASSERT_EQ(f.rows.size(), f.size());
      EXPECT_EQ(f.size() + f.left_out, 12U);
      Matrix centres = Matrix::zeros(f.size(), 3);
      for (std::size_t i = 0; i < f.size(); ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          centres(i, j) = f.centres(i, j);
          EXPECT_EQ(centres(i, j), x(f.rows[i], j));
        }
      const Matrix Kmz = plain_between(k, centres, z);
      const Matrix solved = plain_solve(plain_gram(k, centres), Kmz);
      const Points phi = f.map(points_of(z), exact());
      const Points phi_c = f.map(f.centres, exact());
      for (std::size_t i = 0; i < z.rows; ++i) {
        for (std::size_t j = 0; j < z.rows; ++j) {
          double wanted = 0;
          double found = 0;
          for (std::size_t c = 0; c < f.size(); ++c) {
            wanted += Kmz(c, i) * solved(c, j);
            found += phi(i, c) * phi(j, c);
          }
          EXPECT_NEAR(found, wanted, 1e-6 * (1 + std::abs(wanted))) << text;
        }
        for (std::size_t j = 0; j < f.size(); ++j) {  // between a centre and any point: k itself
          double found = 0;
          for (std::size_t c = 0; c < f.size(); ++c) found += phi(i, c) * phi_c(j, c);
          EXPECT_NEAR(found, Kmz(j, i), 1e-6 * (1 + std::abs(Kmz(j, i)))) << text;
        }
      }
    }
}

TEST(Nystrom, RanksAgreeWithOne) {
  const std::size_t n = 12345;
  const Matrix x = random_matrix(n, 3, 13);
  Matrix y = targets(x, 2);
  for (const Loss loss : {Loss::squared, Loss::logistic}) {
    RandomNumbers random(18);
    if (loss == Loss::logistic)
      for (double& v : y.values) v = v + random.normal() > 0 ? 1 : -1;
    NystromOptions o{.centres = 40, .choice = Choice::leverage, .loss = loss};
    if (loss == Loss::logistic) o.lambda = 0.1;
    const Points all = points_of(x);
    const Nystrom one = nystrom(rbf(0.3), all, y, o);
    const std::size_t block = scale::block_rows(n, 3);
    for (const std::size_t ranks : {2UL, 5UL}) {
      std::optional<Nystrom> result;
      std::size_t most = 0;
      std::mutex mutex;
      comm::on_threads(ranks, [&](const comm::Comm& comm) {
        const auto share = scale::share_of(n, block, comm.rank(), ranks);
        scale::Examples mine{.points = all.part(share.begin, share.end),
                             .first = share.begin,
                             .all = n,
                             .columns = 2};
        mine.numbers = std::span(y.values).subspan(2 * share.begin, 2 * mine.rows());
        {
          const std::scoped_lock lock(mutex);
          most = std::max(most, mine.rows());
        }
        scale::Crew crew(comm, mine);
        if (comm.rank() != 0) return crew.serve();
        result = scale::nystrom(crew, rbf(0.3), o);
      });
      ASSERT_TRUE(result);
      EXPECT_LT(most, n);
      EXPECT_EQ(result->lambda, one.lambda);
      EXPECT_EQ(result->passes, one.passes);
      EXPECT_EQ(result->alpha.values, one.alpha.values);  // sums are rounded once
    }
  }
}

// In memory, cut off after some passes.
class Notes final : public scale::Journal {
 public:
  std::optional<std::vector<double>> find(std::size_t pass, std::uint64_t question,
                                          std::size_t count) override {
    if (pass > answers.size()) return std::nullopt;
    const auto& [asked, answer] = answers[pass - 1];
    if (asked != question || answer.size() != count) throw Error("another question");
    ++found;
    return answer;
  }
  void keep(std::size_t pass, std::uint64_t question, const std::vector<double>& answer) override {
    EXPECT_EQ(pass, answers.size() + 1);
    if (answers.size() == end) throw Error("killed");
    answers.emplace_back(question, answer);
  }

  std::vector<std::pair<std::uint64_t, std::vector<double>>> answers;
  std::size_t end = 1'000'000;
  std::size_t found = 0;
};

// Killed after any pass, by so many ranks, it goes on with others to the same answer.
TEST(Nystrom, GoesOnFromAJournal) {
  const std::size_t n = 9000;
  const Matrix x = random_matrix(n, 3, 19);
  Matrix y = targets(x, 2);
  const Points all = points_of(x);
  for (const Loss loss : {Loss::squared, Loss::logistic}) {
    if (loss == Loss::logistic)
      for (double& v : y.values) v = v > 0.3 ? 1 : -1;
    NystromOptions o{.centres = 20, .loss = loss};
    if (loss == Loss::logistic) o.lambda = 1.0;
    const auto run = [&](std::size_t ranks, Notes& notes) {
      std::optional<Nystrom> result;
      comm::on_threads(ranks, [&](const comm::Comm& comm) {
        const auto share = scale::share_of(n, scale::block_rows(n, 3), comm.rank(), ranks);
        scale::Examples mine{.points = all.part(share.begin, share.end),
                             .first = share.begin,
                             .all = n,
                             .columns = 2};
        mine.numbers = std::span(y.values).subspan(2 * share.begin, 2 * mine.rows());
        scale::Crew crew(comm, mine);
        if (comm.rank() != 0) return crew.serve();
        crew.use(notes);
        try {
          result = scale::nystrom(crew, rbf(0.3), o);
        } catch (const Error& error) {
          EXPECT_STREQ(error.what(), "killed");
        }
      });
      return result;
    };
    const Nystrom plain = nystrom(rbf(0.3), all, y, o);
    ASSERT_GT(plain.passes, 10U);
    Notes notes;
    for (std::size_t end = 0; end < plain.passes; end += 3) {
      notes.end = end;
      notes.found = 0;
      const std::size_t before = notes.answers.size();
      EXPECT_FALSE(run(end % 2 + 1, notes));
      EXPECT_EQ(notes.found, before);
      EXPECT_EQ(notes.answers.size(), end);
    }
    notes.end = 1'000'000;
    const auto result = run(3, notes);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->alpha.values, plain.alpha.values);
    EXPECT_EQ(result->passes, plain.passes);
    EXPECT_EQ(result->path.size(), plain.path.size());
    EXPECT_EQ(notes.answers.size(), plain.passes);
    // Of other data or another seed, the questions are others.
    o.seed = 1;
    notes.end = notes.answers.size();
    scale::Examples mine{.points = all, .first = 0, .all = n, .columns = 2};
    mine.numbers = y.values;
    scale::Crew crew(comm::alone(), mine);
    crew.use(notes);
    EXPECT_THROW(scale::nystrom(crew, rbf(0.3), o), Error);
  }
}

TEST(Nystrom, RowsHaveTheSameChecksumForAnyNumberOfRanksAndAnotherOneElse) {
  const std::size_t n = 9000;
  const Matrix x = random_matrix(n, 3, 20);
  const auto checksum = [&](std::size_t ranks, const Matrix& points, const Matrix& y,
                            const std::vector<double>& weights) {
    std::uint64_t result = 0;
    const Points all = points_of(points);
    comm::on_threads(ranks, [&](const comm::Comm& comm) {
      const auto share = scale::share_of(n, scale::block_rows(n, 3), comm.rank(), ranks);
      scale::Examples mine{
          .points = all.part(share.begin, share.end), .first = share.begin, .all = n};
      mine.numbers = std::span(y.values).subspan(share.begin, mine.rows());
      if (!weights.empty()) mine.weights = std::span(weights).subspan(share.begin, mine.rows());
      scale::Crew crew(comm, mine);
      if (comm.rank() != 0) return crew.serve();
      result = crew.checksum();
    });
    return result;
  };
  const Matrix y = targets(x, 1);
  const std::uint64_t one = checksum(1, x, y, {});
  for (const std::size_t ranks : {2UL, 3UL, 7UL}) EXPECT_EQ(checksum(ranks, x, y, {}), one);
  Matrix other = x;
  other(8999, 2) += 1e-12;
  EXPECT_NE(checksum(2, other, y, {}), one);
  other = y;
  other(1, 0) += 1e-12;
  EXPECT_NE(checksum(2, x, other, {}), one);
  std::vector<double> weights(n, 1.0);
  EXPECT_EQ(checksum(2, x, y, weights), one);
  weights[77] = 2;
  EXPECT_NE(checksum(2, x, y, weights), one);
}

// Files of any length: whoever has which, the answer is the same.
TEST(Nystrom, FilesOverRanksGiveTheSameAnswer) {
  const std::vector<std::size_t> ends{5000, 5001, 9999, 13000};
  const std::size_t n = ends.back();
  const Matrix x = random_matrix(n, 3, 21);
  const Matrix y = targets(x, 1);
  const Points all = points_of(x);
  NystromOptions o{.centres = 30, .lambda = 0.1};
  const auto run = [&](std::size_t ranks) {
    std::optional<Nystrom> result;
    comm::on_threads(ranks, [&](const comm::Comm& comm) {
      const std::size_t begin = ends.size() * comm.rank() / ranks;
      const std::size_t end = ends.size() * (comm.rank() + 1) / ranks;
      const std::size_t first = begin == 0 ? 0 : ends[begin - 1];
      scale::Examples mine{
          .points = all.part(first, end == 0 ? 0 : ends[end - 1]), .first = first, .all = n};
      for (std::size_t f = begin; f + 1 < end; ++f) mine.files.push_back(ends[f] - first);
      mine.numbers = std::span(y.values).subspan(first, mine.rows());
      scale::Crew crew(comm, mine);
      if (comm.rank() != 0) return crew.serve();
      result = scale::nystrom(crew, rbf(0.3), o);
    });
    return result->alpha;
  };
  const Matrix one = run(1);
  for (const std::size_t ranks : {2UL, 3UL, 4UL, 6UL}) EXPECT_EQ(run(ranks).values, one.values);
  expect_near(one, nystrom(rbf(0.3), all, y, o).alpha, 1e-3, "one file");
}

// Two classes that overlap, more of one than of the other.
Matrix signs(const Matrix& x, std::size_t columns) {
  Matrix y = Matrix::zeros(x.rows, columns);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t c = 0; c < columns; ++c)
      y(i, c) = x(i, 0) * x(i, 1) + 0.5 * x(i, c % x.columns) + 0.4 * x(i, 2) > 0.3 ? 1 : -1;
  return y;
}

TEST(Hinge, WithAllPointsAsCentresItIsTheSupportVectorMachine) {
  const Matrix x = random_matrix(100, 3, 21);
  const Matrix y = signs(x, 1);
  std::vector<double> weights(100);
  RandomNumbers random(4);
  for (double& w : weights) w = random.uniform() * 3;
  weights[7] = 0;
  const Matrix K = plain_gram(rbf(0.5), x);
  for (const double C : {0.1, 10.0})
    for (const bool offset : {true, false})
      for (const auto& c : {std::vector<double>(), weights}) {
        NystromOptions o{.centres = 1000, .loss = Loss::hinge};
        o.offset = offset;
        o.lambda = 1 / (2 * C);
        o.weights = c;
        o.gram = exact();
        o.tolerance = 1e-6;
        const Nystrom a = nystrom(rbf(0.5), points_of(x), y, o);
        EXPECT_TRUE(a.converged) << a.message;
        SvmOptions s{.C = C, .offset = offset, .tolerance = 1e-9, .weights = c};
        const Svm b = svm(Gram(rbf(0.5), points_of(x), exact()), y.values, s);
        EXPECT_LE(b.dual, a.primal * (1 + 1e-9));
        EXPECT_LE(a.dual, b.primal * (1 + 1e-9));
        EXPECT_NEAR(a.primal, b.dual, 3e-6 * a.primal);
        const Matrix f = times(K, a.alpha);
        for (std::size_t i = 0; i < 100; ++i) {
          double exactly = b.offset;
          for (std::size_t j = 0; j < 100; ++j) exactly += b.coefficients[j] * K(i, j);
          ASSERT_NEAR(f(i, 0) + a.offsets[0], exactly, 1e-2) << C << ' ' << offset;
        }
        if (!offset) {
          EXPECT_EQ(a.offsets[0], 0);
        }
      }
}

// What is said of the gap is true of the problem on the centres, whatever the tolerance: the best
// value, from a strict one, lies between both.
TEST(Hinge, TheGapHoldsTheOptimum) {
  const Matrix x = random_matrix(800, 3, 22);
  const Matrix y = signs(x, 2);
  for (const bool offset : {true, false}) {
    NystromOptions o{.centres = 40, .loss = Loss::hinge, .lambda = 0.5};
    o.offset = offset;
    o.tolerance = 1e-5;
    o.gram = exact();
    const Nystrom best = nystrom(rbf(0.4), points_of(x), y, o);
    EXPECT_TRUE(best.converged) << best.message;
    for (const double tolerance : {0.1, 1e-3}) {
      o.tolerance = tolerance;
      const Nystrom r = nystrom(rbf(0.4), points_of(x), y, o);
      EXPECT_TRUE(r.converged);
      EXPECT_LE(r.residual, tolerance);
      EXPECT_LE(r.primal - r.dual, r.residual * r.primal * (1 + 1e-9));
      EXPECT_LE(r.dual, best.primal);
      EXPECT_GE(r.primal, best.dual);
    }
  }
}

TEST(Hinge, AndSketchesAreTheSameForAnyNumberOfRanksAndAnyMemory) {
  const std::size_t n = 20000;
  const Matrix x = random_matrix(n, 3, 23);
  const Matrix y = signs(x, 2);
  const Points all = points_of(x);
  const Sketch sketched = sketch(poly(2), 3, {.count = 8});
  NystromOptions o{.centres = 25, .loss = Loss::hinge, .lambda = 5.0};
  o.offset = true;
  o.tolerance = 0.05;
  const auto learn = [&](scale::Crew& crew, bool centres, const NystromOptions& how) {
    return centres ? scale::nystrom(crew, rbf(0.3), how) : scale::in_sketch(crew, sketched, how);
  };
  for (const bool centres : {true, false}) {
    scale::Examples mine{.points = all, .first = 0, .all = n, .columns = 2};
    mine.numbers = y.values;
    scale::Crew alone(comm::alone(), mine);
    const Nystrom one = learn(alone, centres, o);
    EXPECT_TRUE(one.converged);
    NystromOptions little = o;
    little.gram.memory = 1000;
    little.gram.threads = 1;
    scale::Crew again(comm::alone(), mine);
    EXPECT_EQ(learn(again, centres, little).alpha.values, one.alpha.values);
    std::optional<Nystrom> result;
    comm::on_threads(3, [&](const comm::Comm& comm) {
      const auto share = scale::share_of(n, scale::block_rows(n, 3), comm.rank(), 3);
      scale::Examples part{
          .points = all.part(share.begin, share.end), .first = share.begin, .all = n, .columns = 2};
      part.numbers = std::span(y.values).subspan(2 * share.begin, 2 * part.rows());
      scale::Crew crew(comm, part);
      if (comm.rank() != 0) return crew.serve();
      result = learn(crew, centres, o);
    });
    ASSERT_TRUE(result);
    EXPECT_EQ(result->alpha.values, one.alpha.values);
    EXPECT_EQ(result->offsets, one.offsets);
    EXPECT_EQ(result->passes, one.passes);
  }
}

// An exact sketch is the kernel: ridge regression in it is that of the kernel.
TEST(Nystrom, InAnExactSketchItIsRidge) {
  const Matrix x = random_matrix(300, 3, 24);
  const Matrix y = targets(x, 2);
  scale::Examples mine{.points = points_of(x), .first = 0, .all = 300, .columns = 2};
  mine.numbers = y.values;
  scale::Crew crew(comm::alone(), mine);
  NystromOptions o{.lambda = 0.5};
  o.gram = exact();
  o.tolerance = 1e-12;
  const Sketch s = sketch(poly(2), 3, {.count = 100});
  const Nystrom a = scale::in_sketch(crew, s, o);
  RidgeOptions r{.lambda = 0.5};
  r.gram = exact();
  const Ridge b = ridge(poly(2), points_of(x), y, r);
  Matrix phi = Matrix::zeros(300, s.size());
  s.map(points_of(x), phi.values.data(), s.size());
  expect_near(times(phi, a.alpha), times(plain_gram(poly(2), x), b.alpha), 1e-7, "sketch");
}

// Both factors share one buffer, in blocks of 256: of more centres than that, and above 3000 the
// centres themselves are the sample.
TEST(Preconditioner, IsTheFactorOfWhatTheSampleKnows) {
  for (const bool of_centres : {false, true}) {
    const Matrix x = random_matrix(700, 4, 25);
    const Points points = points_of(x);
    const scale::Basis basis{rbf(0.1), points.part(0, 530), {}};
    scale::Factor factor(rbf(0.1), basis.centres, 1e-12, {});
    ASSERT_EQ(factor.size(), 530U);
    const Matrix ones{530, 1, std::vector<double>(530, 1.0), {}};
    const Matrix before = factor.product(ones);
    scale::Sample sample{of_centres ? Points() : points, &basis, exact(), {}};
    for (std::size_t i = 0; i < (of_centres ? 530U : 700U); ++i)
      sample.D.push_back(1 + static_cast<double>(i % 3));
    scale::Preconditioner A(factor, {});
    const double lambda = 0.7;
    A.prepare(sample, sample.D, lambda);
    // A Aᵀ v as it is written, then A⁻ᵀ A⁻¹ of that is v again.
    const Matrix v = random_matrix(530, 2, 26);
    Matrix u = v;
    factor.upper(u);
    Matrix f = of_centres
                   ? factor.product(u)
                   : times(plain_between(rbf(0.1), x,
                                         [&] {
                                           Matrix c = Matrix::zeros(530, 4);
                                           std::copy_n(x.values.begin(), 530 * 4, c.values.begin());
                                           return c;
                                         }()),
                           u);
    for (std::size_t s = 0; s < f.rows; ++s)
      for (std::size_t c = 0; c < 2; ++c) f(s, c) *= sample.D[s];
    Matrix back = Matrix::zeros(530, 2);
    const Matrix K = sample.basis->values(of_centres ? basis.centres : points, exact());
    for (std::size_t s = 0; s < f.rows; ++s)
      for (std::size_t j = 0; j < 530; ++j)
        for (std::size_t c = 0; c < 2; ++c) back(j, c) += K(s, j) * f(s, c);
    factor.lower(back);
    for (std::size_t i = 0; i < back.values.size(); ++i) back.values[i] += lambda * v.values[i];
    A.lower(back);
    A.upper(back);
    expect_near(back, v, 1e-6, of_centres ? "centres" : "rows");
    expect_near(factor.product(ones), before, 1e-14, "L is as it was");
  }
}

// In floats A is near to that of doubles; where λ is below their rounding it is that of doubles.
TEST(Preconditioner, InFloatsItIsNearToThatOfDoubles) {
  const Matrix x = random_matrix(1500, 4, 27);
  const Points points = points_of(x);
  const scale::Basis basis{rbf(0.3), points.part(0, 300), {}};
  scale::Factor factor(rbf(0.3), basis.centres, 1e-7, {});
  const std::size_t m = factor.size();
  const scale::Basis kept{rbf(0.3), basis.centres.select(factor.kept()), {}};
  scale::Sample sample{points, &kept, {}, {}};
  for (std::size_t i = 0; i < 1500; ++i) sample.D.push_back(1 + static_cast<double>(i % 3));
  for (const double lambda : {1.0, 1e-9}) {
    scale::Preconditioner exactly(factor, {}, true);
    exactly.prepare(sample, sample.D, lambda);
    scale::Preconditioner nearly(factor, {}, true);
    nearly.prepare(sample, sample.D, lambda, scale::Preconditioner::In::floats);
    const Matrix v = random_matrix(m, 2, 28);
    Matrix u = v;
    exactly.lower(u);
    exactly.upper(u);
    Matrix w = v;
    nearly.lower(w);
    nearly.upper(w);
    if (lambda == 1.0) {
      EXPECT_NE(u.values, w.values) << "floats were not used";
      expect_near(w, u, 1e-2, "in floats");
    } else {
      EXPECT_EQ(u.values, w.values) << "doubles were not used";
    }
  }
}

// Whoever adds up which rows, and whether they were added before, of another price.
TEST(Preconditioner, IsTheSameHoweverTheSampleIsSpread) {
  const Matrix x = random_matrix(3300, 3, 31);
  const scale::Basis basis{rbf(0.4), points_of(x).part(0, 290), {}};
  scale::Factor factor(rbf(0.4), basis.centres, 1e-7, {});
  const std::size_t m = factor.size();
  const scale::Basis kept{rbf(0.4), basis.centres.select(factor.kept()), {}};
  scale::Sample sample{points_of(x), &kept, {}, {}};
  for (std::size_t i = 0; i < 3300; ++i) sample.D.push_back(0.3 + static_cast<double>(i % 7));
  const auto through = [&](scale::Preconditioner& A) {
    Matrix v = random_matrix(m, 2, 28);
    A.lower(v);
    A.upper(v);
    return v;
  };
  using enum scale::Preconditioner::In;
  scale::Preconditioner alone(factor, {}, true);
  alone.prepare(sample, sample.D, 0.5, floats);
  const Matrix expected = through(alone);
  std::size_t calls = 0;
  sample.add_others = [&](const scale::SampleRows& rows, scale::Triangle& to, Matrix& right) {
    ++calls;
    ASSERT_GT(rows.blocks(), 4U);
    scale::Triangle others(m);
    others.clear();
    // Backwards, and half of it elsewhere.
    for (std::size_t b = rows.blocks(); b-- > 3;)
      scale::add_sample(rows, b, b + 1, kept, {}, {}, others, right);
    scale::add_sample(rows, 1, 3, kept, {}, {}, to, right);
    for (std::size_t k = 0; k < to.blocks(); ++k) {
      std::vector<double> values;
      others.for_block(k, [&](const double* from, std::size_t count) {
        values.insert(values.end(), from, from + count);
      });
      std::size_t at = 0;
      to.for_block(k, [&](double* here, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) here[i] += values[at++];
      });
    }
  };
  scale::Preconditioner spread(factor, {}, true);
  spread.keep_sums();
  spread.prepare(sample, sample.D, 0.5, floats);
  EXPECT_EQ(through(spread).values, expected.values);
  spread.prepare(sample, sample.D, 20, floats);
  EXPECT_EQ(calls, 1U);
  spread.prepare(sample, sample.D, 0.5, floats);
  EXPECT_EQ(calls, 1U);
  expect_near(through(spread), expected, 1e-3, "of sums that were kept");
  sample.D[0] = 2;
  spread.prepare(sample, sample.D, 0.5, floats);
  EXPECT_EQ(calls, 2U);
}

TEST(Nystrom, AMistakeOfAnyRankIsToldByTheFirst) {
  const std::size_t n = 20000;
  Matrix x = random_matrix(n, 1, 14);
  for (double& v : x.values) v = std::abs(v);
  x(17000, 0) = -5;
  const Matrix y = random_matrix(n, 1, 15);
  const Points all = points_of(x);
  const Kernel k = Kernel::parse("1 + sqrt(x*z)", {.dimension = 1});
  std::string what;
  comm::on_threads(3, [&](const comm::Comm& comm) {
    const auto share = scale::share_of(n, scale::block_rows(n, 1), comm.rank(), 3);
    scale::Examples mine{
        .points = all.part(share.begin, share.end), .first = share.begin, .all = n};
    mine.numbers = std::span(y.values).subspan(share.begin, mine.rows());
    scale::Crew crew(comm, mine);
    if (comm.rank() != 0) return crew.serve();
    try {
      scale::nystrom(crew, k, {.centres = 5, .lambda = 1.0});
    } catch (const EvaluationError& error) {
      what = error.what();
    }
  });
  EXPECT_TRUE(what.starts_with("row 17001 and centre 1: ")) << what;
}

// The loss is told from sums along the way, and no pass is spent on the end: from the answer of the
// sample on, a pass is an iteration.
TEST(Nystrom, TheLossNeedsNoPassOfItsOwn) {
  const Matrix x = random_matrix(1500, 3, 40);
  Matrix y = Matrix::zeros(1500, 2);
  for (std::size_t i = 0; i < y.rows; ++i) {
    y(i, 0) = std::sin(2 * x(i, 0)) + 0.3 * x(i, 1);
    y(i, 1) = i % 300 == 7 ? 5 : 0;  // of which the sample may know nothing
  }
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    const Nystrom r =
        nystrom(rbf(0.4), points_of(x), y, {.centres = 60, .lambda = 0.2, .tolerance = tolerance});
    ASSERT_TRUE(r.converged);
    EXPECT_EQ(r.passes, r.iterations + 1);
    Matrix used = Matrix::zeros(r.centres.rows(), 3);
    for (std::size_t i = 0; i < used.rows; ++i)
      r.centres.row(i, std::span(used.values).subspan(3 * i, 3));
    const Matrix K = plain_between(rbf(0.4), x, used);
    const Matrix f = times(K, r.alpha);
    double loss = 0;
    for (std::size_t i = 0; i < f.values.size(); ++i)
      loss += (f.values[i] - y.values[i]) * (f.values[i] - y.values[i]);
    EXPECT_NEAR(r.loss, loss, 1e-5 * loss);
  }
}

// Whatever the sums of a pass are rounded to: what is said to be the least is above it by the
// square of the tolerance, also where centres nearly depend on each other.
TEST(Nystrom, TheObjectiveIsAsLowAsTheToleranceSays) {
  const Matrix x = random_matrix(1200, 3, 41);
  const Matrix y = targets(x, 3);
  const Matrix centres{90, 3, {x.values.begin(), x.values.begin() + 270}, {}};
  for (const double gamma : {0.3, 1.0, 4.0})
    for (const double lambda : {1e-3, 1.0}) {
      NystromOptions o{.choice = Choice::given, .given = points_of(centres), .lambda = lambda};
      const Nystrom r = nystrom(rbf(gamma), points_of(x), y, o);
      EXPECT_TRUE(r.converged);
      o.given = r.centres;  // in doubles, fewer are left out
      o.gram = exact();
      o.tolerance = 1e-11;
      const Nystrom best = nystrom(rbf(gamma), points_of(x), y, o);
      const auto objective = [&](const Nystrom& answer) {
        Matrix used = Matrix::zeros(answer.centres.rows(), 3);
        for (std::size_t i = 0; i < used.rows; ++i)
          answer.centres.row(i, std::span(used.values).subspan(3 * i, 3));
        const Matrix f = times(plain_between(rbf(gamma), x, used), answer.alpha);
        const Matrix price = times(plain_gram(rbf(gamma), used), answer.alpha);
        double value = 0;
        for (std::size_t i = 0; i < f.values.size(); ++i)
          value += (f.values[i] - y.values[i]) * (f.values[i] - y.values[i]);
        for (std::size_t i = 0; i < price.values.size(); ++i)
          value += lambda * price.values[i] * answer.alpha.values[i];
        return value;
      };
      double squares = 0;
      for (const double v : y.values) squares += v * v;
      EXPECT_LT(objective(r) - objective(best), 1e-6 * squares) << gamma << ' ' << lambda;
    }
}

// Centres that nearly depend on each other, and a small price: sums of passes have to be exact.
TEST(Nystrom, ALooserToleranceTakesNoMorePasses) {
  const Matrix x = random_matrix(2000, 3, 42);
  const Matrix y = targets(x, 1);
  for (const double gamma : {0.003, 0.03}) {
    NystromOptions o{.centres = 150, .lambda = 1e-4};
    const Nystrom exact = nystrom(rbf(gamma), points_of(x), y, o);
    ASSERT_TRUE(exact.converged);
    for (const double tolerance : {1e-3, 3e-3, 1e-2}) {
      o.tolerance = tolerance;
      const Nystrom r = nystrom(rbf(gamma), points_of(x), y, o);
      EXPECT_TRUE(r.converged) << gamma << ' ' << tolerance;
      EXPECT_LE(r.passes, exact.passes) << gamma << ' ' << tolerance;
      EXPECT_LT(r.loss, 1.1 * exact.loss) << gamma << ' ' << tolerance;
    }
  }
}

TEST(Basis, ValuesAreKeptWhereTheirTilesFit) {
  constexpr double rows = 1e6;
  constexpr double coordinates = 100 * rows;
  // Ten centres take as much as 64.
  const auto keeps = [&](double centres, double memory) {
    return scale::keeps_values(rows, centres, coordinates, sizeof(float), memory);
  };
  EXPECT_FALSE(keeps(10, 8e8));
  EXPECT_EQ(keeps(10, 1.2e9), keeps(64, 1.2e9));
  EXPECT_TRUE(keeps(64, 1.2e9));
  EXPECT_FALSE(keeps(65, 1.2e9));
}

TEST(Nystrom, SaysWhatIsWrong) {
  const Matrix x = random_matrix(50, 2, 16);
  const Matrix y = random_matrix(50, 1, 17);
  const auto fails = [&](const Kernel& k, const Matrix& labels, const NystromOptions& o) {
    try {
      nystrom(k, points_of(x), labels, o);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(fails(Kernel::parse("-linear"), y, {.lambda = 1.0}), HasSubstr("is not a kernel"));
  EXPECT_THAT(fails(rbf(1), y, {.lambda = -1.0}), HasSubstr("lambda is a number > 0"));
  EXPECT_THAT(fails(rbf(1), y, {.loss = Loss::logistic}), HasSubstr("neither +1 nor -1"));
  EXPECT_THAT(fails(rbf(1), random_matrix(49, 1, 1), {}), HasSubstr("50 examples, but 49 labels"));
  EXPECT_THAT(fails(rbf(1), y, {.centres = 0}), HasSubstr("at least one centre"));
  EXPECT_THAT(fails(Kernel::parse("0*linear"), y, {.lambda = 1.0}), HasSubstr("nothing to learn"));
}

}  // namespace
}  // namespace mercer
