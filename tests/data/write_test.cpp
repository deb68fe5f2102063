// What is written reads back the same, and nothing is left half-written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/matrix.hpp>

#include "support/folder.hpp"
#include "support/random.hpp"

namespace {

using mercer::FileFormat;
using mercer::Table;
namespace fs = std::filesystem;

class Write : public FolderTest {};

Table table(std::size_t rows, std::size_t columns, std::vector<double> values) {
  Table t;
  t.points = mercer::Points::own(std::move(values), rows, columns);
  return t;
}

Table random_table(Random& random) {
  const std::size_t rows = 1 + random.below(6);
  const std::size_t columns = 1 + random.below(5);
  std::vector<double> values(rows * columns);
  for (double& v : values) v = random.uniform(-1, 1) * std::pow(2.0, random.uniform(-600, 600));
  return table(rows, columns, values);
}

TEST_F(Write, NumbersComeBackBitForBit) {
  Random random(3);
  mercer::ReadOptions options;
  options.labels = mercer::ReadOptions::Labels::none;
  for (int round = 0; round < 50; ++round) {
    const Table t = random_table(random);
    for (const auto format : {FileFormat::csv, FileFormat::npy}) {
      mercer::write_table(path("t"), t, {format, false});
      const Table again = mercer::read_table(path("t"), options);
      EXPECT_EQ(again.rows(), t.rows());
      EXPECT_EQ(again.columns(), t.columns());
      EXPECT_EQ(mercer::dense(again.points).values, mercer::dense(t.points).values);
    }
  }
  EXPECT_EQ(files(), 1U);
}

TEST_F(Write, SparseTablesComeBack) {
  Random random(4);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> indices;
    std::vector<float> values;
    Table t;
    for (std::size_t i = 0; i < 1 + random.below(8); ++i) {
      for (std::int32_t j = 0; j < 6; ++j)
        if (random.one_in(3)) {
          indices.push_back(j);
          values.push_back(static_cast<float>(random.uniform(-1, 1)));
        }
      offsets.push_back(static_cast<std::int64_t>(values.size()));
      t.labels.numbers.push_back(random.uniform(-9, 9));
      t.groups.push_back(static_cast<std::int64_t>(random.below(4)));
    }
    t.points = mercer::Points::own(offsets, indices, values, 6);
    for (const std::string ending : {"libsvm", "libsvm.gz", "csv", "tsv.gz", "npy"}) {
      mercer::write_table(path("t." + ending), t);
      mercer::ReadOptions options;
      options.scalar = mercer::Points::Scalar::float32;
      options.columns = 6;
      if (ending.starts_with("libsvm")) options.format = FileFormat::libsvm;
      const Table again = mercer::read_table(path("t." + ending), options);
      EXPECT_EQ(mercer::dense(again.points).values, mercer::dense(t.points).values) << ending;
      if (ending != "npy") {  // whose labels are floats, too
        EXPECT_EQ(again.labels.numbers, t.labels.numbers) << ending;
      }
      if (ending.starts_with("libsvm")) {
        EXPECT_EQ(again.groups, t.groups);
      }
    }
  }
}

TEST_F(Write, ColumnsBeyondNumberAreForLibsvm) {
  const std::string text = "1 2147483647:3\n-1 1:1\n";
  const Table t = mercer::parse_table(text, "t.libsvm");
  EXPECT_EQ(mercer::table_text(t, FileFormat::libsvm), text);
  for (const FileFormat format : {FileFormat::csv, FileFormat::tsv, FileFormat::npy})
    EXPECT_THROW(mercer::table_text(t, format), mercer::Error);
}

TEST_F(Write, LibsvmNumbersClasses) {
  Table t = table(2, 1, {1, 2});
  t.labels = mercer::labels_of(std::vector<std::string>{"yes", "no"});
  EXPECT_EQ(mercer::table_text(t, FileFormat::libsvm), "1 1:1\n-1 1:2\n");
}

TEST_F(Write, NamesAndLabelsComeBack) {
  Table t = table(2, 2, {1, 2, 3, 4});
  t.names = {"a, b", "c \"d\""};
  t.labels = mercer::labels_of(std::vector<std::string>{"new\nline", "plain"});
  t.labels.name = "y";
  mercer::write_table(path("t.csv"), t, {FileFormat::csv, false});
  const Table again = mercer::read_table(path("t.csv"));
  EXPECT_EQ(again.names, t.names);
  EXPECT_EQ(again.labels, t.labels);
  EXPECT_THROW(mercer::write_table(path("t.npy"), t), mercer::Error);
}

TEST_F(Write, FailureLeavesTheOldFileAlone) {
  const Table t = table(1, 1, {7});
  EXPECT_THROW(mercer::write_table(path("no/such/folder.csv"), t, {FileFormat::csv, false}),
               mercer::Error);
  fs::create_directory(path("taken"));
  EXPECT_THROW(mercer::write_table(path("taken"), t, {FileFormat::csv, false}), mercer::Error);
  EXPECT_EQ(files(), 1U);
}

TEST_F(Write, LabelsOfTheirOwn) {
  std::ofstream(path("labels.txt")) << "a\nb\r\n\"c d\"\n";
  EXPECT_THAT(mercer::read_labels(path("labels.txt")).classes,
              testing::ElementsAre("a", "b", "c d"));
  const Table t = table(2, 1, {1, -1});
  mercer::write_table(path("labels.npy"), t);
  EXPECT_THAT(mercer::read_labels(path("labels.npy")).numbers, testing::ElementsAre(1, -1));
  std::ofstream(path("two.txt")) << "a,b\n";
  EXPECT_THROW(mercer::read_labels(path("two.txt")), mercer::Error);
}

TEST(Format, ByTheEnding) {
  EXPECT_EQ(mercer::written_as("a/b.csv").format, FileFormat::csv);
  EXPECT_EQ(mercer::written_as("b.npy").format, FileFormat::npy);
  EXPECT_EQ(mercer::written_as("b.libsvm.gz").format, FileFormat::libsvm);
  EXPECT_TRUE(mercer::written_as("b.tsv.gz").packed);
  EXPECT_THROW(mercer::written_as("b.json"), mercer::Error);
  EXPECT_THROW(mercer::written_as("b.gz"), mercer::Error);
  EXPECT_THROW(mercer::written_as("a.csv/b"), mercer::Error);
}

}  // namespace
