// What is written reads back the same, and nothing is left half-written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mercer/data.hpp>
#include <mercer/error.hpp>

#include "support/random.hpp"

namespace {

using mercer::FileFormat;
using mercer::Table;
namespace fs = std::filesystem;

class Write : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("mercer_write_" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

 private:
  fs::path folder_;
};

Table random_table(Random& random) {
  Table t;
  t.rows = 1 + random.below(6);
  t.columns = 1 + random.below(5);
  for (std::size_t i = 0; i < t.rows * t.columns; ++i)
    t.values.push_back(random.uniform(-1, 1) * std::pow(2.0, random.uniform(-600, 600)));
  return t;
}

TEST_F(Write, NumbersComeBackBitForBit) {
  Random random(3);
  mercer::ReadOptions options;
  options.labels = mercer::ReadOptions::Labels::none;
  for (int round = 0; round < 50; ++round) {
    const Table t = random_table(random);
    for (const auto format : {FileFormat::csv, FileFormat::npy}) {
      mercer::write_table(path("t"), t, format);
      const Table again = mercer::read_table(path("t"), options);
      EXPECT_EQ(again.rows, t.rows);
      EXPECT_EQ(again.columns, t.columns);
      EXPECT_EQ(again.values, t.values);
    }
  }
  EXPECT_EQ(files(), 1U);
}

TEST_F(Write, NamesAndLabelsComeBack) {
  Table t;
  t.rows = 2;
  t.columns = 2;
  t.values = {1, 2, 3, 4};
  t.names = {"a, b", "c \"d\""};
  t.label_name = "y";
  t.labels = {"new\nline", "plain"};
  mercer::write_table(path("t.csv"), t, FileFormat::csv);
  const Table again = mercer::read_table(path("t.csv"));
  EXPECT_EQ(again.names, t.names);
  EXPECT_EQ(again.labels, t.labels);
  EXPECT_EQ(again.label_name, t.label_name);
  EXPECT_THROW(mercer::write_table(path("t.npy"), t, FileFormat::npy), mercer::Error);
}

TEST_F(Write, FailureLeavesTheOldFileAlone) {
  Table t;
  t.rows = t.columns = 1;
  t.values = {7};
  EXPECT_THROW(mercer::write_table(path("no/such/folder.csv"), t, FileFormat::csv), mercer::Error);
  fs::create_directory(path("taken"));
  EXPECT_THROW(mercer::write_table(path("taken"), t, FileFormat::csv), mercer::Error);
  EXPECT_EQ(files(), 1U);
}

TEST_F(Write, LabelsOfTheirOwn) {
  std::ofstream(path("labels.txt")) << "a\nb\r\n\"c d\"\n";
  EXPECT_THAT(mercer::read_labels(path("labels.txt")), testing::ElementsAre("a", "b", "c d"));
  Table t;
  t.rows = 2;
  t.columns = 1;
  t.values = {1, -1};
  mercer::write_table(path("labels.npy"), t, FileFormat::npy);
  EXPECT_THAT(mercer::read_labels(path("labels.npy")), testing::ElementsAre("1", "-1"));
  std::ofstream(path("two.txt")) << "a,b\n";
  EXPECT_THROW(mercer::read_labels(path("two.txt")), mercer::Error);
}

TEST(Format, ByTheEnding) {
  EXPECT_EQ(mercer::format_of("a/b.csv"), FileFormat::csv);
  EXPECT_EQ(mercer::format_of("b.npy"), FileFormat::npy);
  EXPECT_THROW(mercer::format_of("b.json"), mercer::Error);
  EXPECT_THROW(mercer::format_of("a.csv/b"), mercer::Error);
}

}  // namespace
