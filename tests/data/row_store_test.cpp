#include "data/row_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <sstream>

#include "support/folder.hpp"
#include "support/random.hpp"

namespace mercer::data {
namespace {

class RowStoreFiles : public FolderTest {};

struct Case {
  std::string name;
  std::string content;
};

// More rows than a batch has, and than a first megabyte.
std::vector<Case> cases() {
  Random random(1);
  std::ostringstream csv;
  std::ostringstream libsvm;
  std::ostringstream words;
  csv << "a,b,w,c,y\n";
  for (int i = 0; i < 20000; ++i) {
    const double a = random.uniform(-3, 3);
    const double b = random.uniform(100, 101);
    csv << a << ',' << b << ',' << random.uniform(0, 2) << ",7," << a * b << '\n';
    libsvm << static_cast<int>(random.below(4)) - 1;
    for (int j = 1; j < 9; ++j)
      if (random.one_in(3))
        libsvm << ' ' << (j == 8 ? 8 + i / 100 : j) << ':' << random.uniform(-1, 1);
    libsvm << '\n';
    words << a << '\t' << b << '\t' << (a > 1 ? "much" : a > 0 ? "little" : "less") << '\n';
  }
  return {{"x.csv", csv.str()}, {"x.libsvm", libsvm.str()}, {"x.tsv", words.str()}};
}

TEST_F(RowStoreFiles, HoldsWhatIsReadAtOnce) {
  for (const auto& [name, content] : cases()) {
    const std::string at = file(name, content);
    ReadOptions reading;
    if (name == "x.csv") reading.weight = "w";
    for (const Scaling scaling : {Scaling::none, Scaling::standard, Scaling::minmax}) {
      EncodingOptions how;
      how.scaling = scaling;
      const EncodedTable whole = read_training(at, reading, how);
      const RowStore store(at, reading, how, path(""));
      const StoreFacts& facts = store.facts();
      ASSERT_EQ(facts.rows, whole.table.rows());
      EXPECT_EQ(facts.encoding, whole.encoding) << name;
      const Classes classes = classes_of(whole.table.labels);
      EXPECT_EQ(facts.numeric, !whole.table.labels.numbers.empty());
      if (name != "x.csv") {
        EXPECT_EQ(facts.classes, classes.names);
        EXPECT_EQ(facts.counts, classes.counts);
      } else {
        EXPECT_TRUE(facts.classes.empty());
      }
      for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, 20000},
                                       {8191, 12345},
                                       {19999, 20000},
                                       {500, 500}}) {
        const StoredRows rows = stored_rows(store.folder(), facts, begin, end);
        ASSERT_EQ(rows.points.rows(), end - begin);
        ASSERT_EQ(rows.points.columns(), whole.table.columns());
        EXPECT_EQ(rows.points.is_sparse(), name == "x.libsvm");
        std::vector<double> a(rows.points.columns());
        std::vector<double> b(rows.points.columns());
        for (std::size_t i = begin; i < end; i += 1 + (end - begin) / 500) {
          rows.points.row(i - begin, std::span(a));
          whole.table.points.row(i, std::span(b));
          ASSERT_EQ(a, b) << name << ' ' << i;  // to the last bit
          if (facts.numeric) {
            ASSERT_EQ(rows.numbers[i - begin], whole.table.labels.numbers[i]);
          }
          if (!facts.classes.empty()) {
            ASSERT_EQ(rows.codes[i - begin], classes.codes[i]);
          }
          ASSERT_EQ(rows.weights.empty(), whole.table.weights.empty());
          if (!rows.weights.empty()) {
            ASSERT_EQ(rows.weights[i - begin], whole.table.weights[i]);
          }
        }
      }
    }
  }
}

TEST_F(RowStoreFiles, LeavesNothingBehindAndSaysWhatIsWrong) {
  const auto says = [&](const std::string& content, const EncodingOptions& how = {}) {
    const std::string at = file("bad.csv", content);
    try {
      const RowStore store(at, {}, how, path(""));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  std::string rows = "a,b,y\n";
  for (int i = 0; i < 200000; ++i) rows += "1.5,2," + std::to_string(i % 7) + "\n";
  using ::testing::HasSubstr;
  EXPECT_THAT(says("a,b,y\n1,red,2\n2,blue,3\n"), HasSubstr("column `b` holds categories"));
  EXPECT_THAT(says(rows + "1.5,oops,3\n"), HasSubstr("bad.csv:200002:5"));
  EXPECT_THAT(says(rows + "1.5,2,red\n"), HasSubstr("numbers in some rows and text in others"));
  EXPECT_THAT(says("a,y\n1,2\n", {.missing = Missing::mean}), HasSubstr("refused or dropped"));
  EXPECT_EQ(says(rows), "nothing");
  EXPECT_EQ(files(), 1U);
  const std::string at = file("good.csv", rows);
  try {
    const RowStore store(at, {}, {}, path("there/is/none"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot be made"));
  }
}

}  // namespace
}  // namespace mercer::data
