// Ways of a tile to memory, on every instruction set: as it is and the other way round, wherever a
// line of the cache begins there; and parts of parts of a Gram matrix.
#include <gtest/gtest.h>

#include <mercer/gram.hpp>

#include "base/aligned.hpp"
#include "gram/engine.hpp"
#include "gram/plan.hpp"
#include "support/random.hpp"

namespace {

using mercer::Aligned;
using mercer::Gram;
using mercer::Kernel;
using mercer::Points;
using mercer::Rows;
using mercer::gram::unit_columns;
using mercer::gram::unit_rows;

template <class T>
void ways_to_memory() {
  constexpr std::size_t stride = 80;
  constexpr T nothing = -7;
  Aligned<T> tile(unit_rows * unit_columns);
  for (std::size_t i = 0; i < tile.size(); ++i) tile[i] = static_cast<T>(i);
  Aligned<T> memory(stride * unit_columns + 16);
  for (const auto& engine : mercer::gram::engines<T>())
    for (std::size_t rows = 1; rows <= unit_rows; ++rows)
      for (const std::size_t columns : {1U, 3U, 16U, 37U, 63U, 64U})
        for (const std::size_t offset : {0U, 1U, 4U, 8U, 12U}) {
          const auto look = [&](const char* way, std::size_t lines, std::size_t length,
                                const auto& expected) {
            for (std::size_t i = 0; i < memory.size(); ++i) {
              const std::size_t line = i < offset ? lines : (i - offset) / stride;
              const std::size_t at = i < offset ? 0 : (i - offset) % stride;
              const T wanted = line < lines && at < length ? expected(line, at) : nothing;
              ASSERT_EQ(memory[i], wanted)
                  << engine.name << ", " << way << ": " << rows << " by " << columns << ", line "
                  << line << ", " << at << ", " << offset << " behind the beginning of a line";
            }
          };
          std::fill_n(memory.data(), memory.size(), nothing);
          engine.transpose(tile.data(), rows, columns, memory.data() + offset, stride);
          look("turned", columns, rows,
               [&](std::size_t c, std::size_t r) { return tile[r * unit_columns + c]; });
          std::fill_n(memory.data(), memory.size(), nothing);
          engine.copy(tile.data(), unit_columns, rows, columns, memory.data() + offset, stride);
          look("copied", rows, columns,
               [&](std::size_t r, std::size_t c) { return tile[r * unit_columns + c]; });
        }
}

TEST(TileWays, TilesAreCopiedAndTurnedToWherever) {
  ways_to_memory<float>();
  ways_to_memory<double>();
}

TEST(TileWays, APartOfAPartIsThatOfAll) {
  Random random(5);
  const std::size_t n = 300;
  const std::size_t d = 5;
  std::vector<double> x(n * d);
  for (double& v : x) v = random.uniform(-1, 1);
  const Gram all(Kernel::parse("rbf(2) + 0.5*poly(2)"), Points::own(std::move(x), n, d));
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < n; i += 3) some.push_back(n - 1 - i);
  const Gram part = all.part(some, 1);
  std::vector<std::size_t> few;
  for (std::size_t i = 7; i < some.size(); i += 2) few.push_back(i);
  const std::size_t m = few.size();
  std::vector<float> expected(m * m);
  part.block(few, few, expected.data(), m);
  const Gram of_part = all.part(some, 1).part(few, 1);  // whose own points nobody has asked for
  const Gram of_used = part.part(few, 1);
  for (const Gram* g : {&of_part, &of_used}) {
    ASSERT_EQ(g->rows(), m);
    std::vector<float> values(m * m);
    g->block(Rows::all(), Rows::all(), values.data(), m);
    EXPECT_EQ(values, expected);
    std::vector<double> diagonal(m);
    g->diagonal(diagonal);
    for (std::size_t i = 0; i < m; ++i)
      EXPECT_NEAR(diagonal[i], static_cast<double>(expected[i * m + i]), 1e-5);
  }
}

}  // namespace
