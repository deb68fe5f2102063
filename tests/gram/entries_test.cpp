// Points that are given by entries: of very different numbers of them, among points that share many
// of their coordinates or hardly any. Who else is in a tile decides how a value is summed, and
// shows in none of its bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mercer/gram.hpp>
#include <set>
#include <vector>

#include "support/random.hpp"

namespace {

using mercer::Gram;
using mercer::GramOptions;
using mercer::Kernel;
using mercer::Points;
using mercer::Rows;

constexpr std::size_t columns = 500'000;
constexpr std::int32_t shared = 3000;

struct Made {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<float> values;

  [[nodiscard]] std::size_t rows() const { return offsets.size() - 1; }
  [[nodiscard]] Points points() const { return Points::own(offsets, indices, values, columns); }

  // The number of row i at column j.
  [[nodiscard]] double at(std::size_t i, std::int32_t j) const {
    const auto begin = indices.begin() + offsets[i];
    const auto end = indices.begin() + offsets[i + 1];
    const auto found = std::lower_bound(begin, end, j);
    if (found == end || *found != j) return 0;
    return static_cast<double>(values[static_cast<std::size_t>(found - indices.begin())]);
  }
};

// As many entries as asked for, of a few columns that many points have, or of all of them.
Made made(Random& random, const std::vector<std::size_t>& counts, bool apart) {
  Made m;
  for (const std::size_t count : counts) {
    std::vector<std::int32_t> row(count);
    for (auto& j : row)
      j = static_cast<std::int32_t>(random.below(apart && !random.one_in(3) ? columns : shared));
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const auto j : row) {
      m.indices.push_back(j);
      m.values.push_back(static_cast<float>(random.uniform(0.1, 1)));
    }
    m.offsets.push_back(static_cast<std::int64_t>(m.values.size()));
  }
  return m;
}

// By the coordinates that one of both has, and the first; others change nothing.
double exact(const Kernel& k, const Made& x, std::size_t i, const Made& z, std::size_t j) {
  std::set<std::int32_t> used{0};
  used.insert(x.indices.begin() + x.offsets[i], x.indices.begin() + x.offsets[i + 1]);
  used.insert(z.indices.begin() + z.offsets[j], z.indices.begin() + z.offsets[j + 1]);
  std::vector<double> a;
  std::vector<double> b;
  for (const std::int32_t c : used) {
    a.push_back(x.at(i, c));
    b.push_back(z.at(j, c));
  }
  return k(a, b);
}

class Entries : public testing::TestWithParam<const char*> {};

TEST_P(Entries, MeetAllPointsOfATileOrThoseTheyShareAColumnWith) {
  Random random(31);
  const Kernel k = Kernel::parse(GetParam());
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < 67; ++i)
    counts.push_back(i % 11 == 3 ? 0 : i % 13 == 5 ? 900 : random.below(i < 40 ? 12 : 90));
  for (const bool apart : {false, true}) {
    const Made x = made(random, counts, apart);
    std::ranges::reverse(counts);
    const Made z = made(random, counts, apart);
    for (const auto& name : mercer::gram_instructions())
      for (const auto precision :
           {GramOptions::Precision::float32, GramOptions::Precision::float64}) {
        GramOptions options;
        options.instructions = name;
        options.precision = precision;
        const Gram K(k, x.points(), z.points(), options);
        ASSERT_EQ(K.report().layout, "sparse");
        const std::size_t n = z.rows();
        std::vector<double> all(x.rows() * n);
        K.block(Rows::all(), Rows::all(), all.data(), n);
        const double limit = K.report().precision == "float32" ? 1e-5 : 1e-12;
        for (std::size_t t = 0; t < 200; ++t) {
          const std::size_t i = t * 29 % x.rows();
          const std::size_t j = t * 41 % n;
          const double wanted = exact(k, x, i, z, j);
          EXPECT_NEAR(all[i * n + j], wanted, limit * (1 + std::abs(wanted)))
              << k << " " << name << " " << i << " " << j;
        }
        for (std::size_t i = 0; i < x.rows(); i += 13) {
          std::vector<double> alone(3);
          K.block(Rows(i, i + 1), Rows(20, 23), alone.data(), 3);
          for (std::size_t j = 0; j < 3; ++j)
            EXPECT_EQ(alone[j], all[i * n + 20 + j]) << k << " " << name << " " << i << " " << j;
        }
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Sums, Entries,
                         testing::Values("rbf(0.02)", "poly(2)", "cosine", "3*cosine + 1", "rq(1)",
                                         "laplacian(0.3)", "intersection",
                                         "prod(i, 1 + 0.1*x[i]*z[i])", "anova(2)",
                                         "exp(-0.1*sum(i, max(x[i], z[i])))"));

}  // namespace
