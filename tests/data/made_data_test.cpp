// Made data have the shape that they are made for.
#include <gtest/gtest.h>

#include <cmath>
#include <mercer/error.hpp>
#include <mercer/made_data.hpp>

namespace {

using mercer::make_data;
using mercer::MakeOptions;
using mercer::Table;

MakeOptions exact(std::size_t rows) {
  MakeOptions options;
  options.rows = rows;
  options.noise = 0;
  return options;
}

TEST(MadeData, AllKindsAreBalancedAndRepeat) {
  for (const auto& kind : mercer::made_kinds()) {
    MakeOptions options;
    options.rows = 101;
    options.classes = kind.any_classes ? 3 : 2;
    options.dimension = kind.any_dimension ? 4 : 2;
    const Table t = make_data(kind.name, options);
    EXPECT_EQ(t.rows(), 101U);
    EXPECT_EQ(t.columns(), options.dimension);
    for (const auto count : mercer::classes_of(t.labels).counts)
      EXPECT_NEAR(static_cast<double>(count), 101.0 / static_cast<double>(options.classes), 1);
    const auto text = [](const Table& table) {
      return mercer::table_text(table, mercer::FileFormat::csv);
    };
    EXPECT_EQ(text(make_data(kind.name, options)), text(t));
    options.seed = 1;
    EXPECT_NE(text(make_data(kind.name, options)), text(t));
  }
}

TEST(MadeData, Shapes) {
  const Table x = make_data("xor", exact(50));
  const Table r = make_data("rings", exact(50));
  const Table e = make_data("ellipse", exact(50));
  const Table m = make_data("moons", exact(50));
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_GT(x.points(i, 0) * x.points(i, 1) * x.labels.numbers[i], 0);
    EXPECT_NEAR(std::hypot(r.points(i, 0), r.points(i, 1)), r.labels.numbers[i] > 0 ? 2 : 1, 1e-5);
    const double size = std::pow(e.points(i, 0) / 2, 2) + std::pow(e.points(i, 1), 2);
    EXPECT_EQ(size<1, e.labels.numbers[i]> 0);
    const bool upper = m.labels.numbers[i] < 0;
    EXPECT_NEAR(upper ? std::hypot(m.points(i, 0), m.points(i, 1))
                      : std::hypot(m.points(i, 0) - 1, m.points(i, 1) - 0.5),
                1, 1e-5);
  }
}

TEST(MadeData, Mistakes) {
  EXPECT_THROW(make_data("moon"), mercer::Error);
  MakeOptions options;
  options.classes = 3;
  EXPECT_THROW(make_data("moons", options), mercer::Error);
  options = {};
  options.dimension = 3;
  EXPECT_THROW(make_data("spirals", options), mercer::Error);
  options = {};
  options.noise = -1;
  EXPECT_THROW(make_data("xor", options), mercer::Error);
  options = {};
  options.rows = 1;
  EXPECT_THROW(make_data("xor", options), mercer::Error);
}

}  // namespace
