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
    for (const auto& [scaling, sparse] : {std::pair{Scaling::none, ScaleSparse::yes},
                                          {Scaling::standard, ScaleSparse::yes},
                                          {Scaling::standard, ScaleSparse::no},
                                          {Scaling::standard, ScaleSparse::if_uneven},
                                          {Scaling::minmax, ScaleSparse::yes}}) {
      EncodingOptions how;
      how.scaling = scaling;
      how.scale_sparse = sparse;
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

// The rows of a file cut into three, read by one or two stores, are those of the file.
TEST_F(RowStoreFiles, SeveralFilesAreOneTable) {
  for (const auto& [name, content] : cases()) {
    const bool header = name == "x.csv";
    const std::string head = header ? content.substr(0, content.find('\n') + 1) : "";
    std::vector<std::string> paths;
    std::size_t at = head.size();
    for (const std::size_t end : {content.size() / 5, content.size() / 2, content.size()}) {
      const std::size_t stop = end == content.size() ? end : content.find('\n', end) + 1;
      paths.push_back(
          file("part" + std::to_string(paths.size()) + name, head + content.substr(at, stop - at)));
      at = stop;
    }
    const std::string whole_path = file(name, content);
    ReadOptions reading;
    if (header) reading.weight = "w";
    for (const Scaling scaling : {Scaling::none, Scaling::standard, Scaling::minmax}) {
      EncodingOptions how;
      how.scaling = scaling;
      const RowStore whole(whole_path, reading, how, path(""));
      const Encoding columns = stored_columns(paths[0], reading, how);
      for (const std::size_t stores : {1UL, 2UL}) {
        std::vector<std::unique_ptr<RowStore>> all;
        std::vector<StoredFile> read;
        for (std::size_t s = 0; s < stores; ++s) {
          all.push_back(std::make_unique<RowStore>(path("")));
          for (std::size_t f = 3 * s / stores; f < 3 * (s + 1) / stores; ++f)
            read.push_back(all[s]->read(paths[f], reading, columns));
        }
        StoreFacts facts = facts_of(read, columns, how);
        std::vector<std::vector<double>> deviations;
        for (std::size_t s = 0; s < stores; ++s) {
          all[s]->finish(facts, 3 * s / stores);
          for (auto& d : all[s]->deviations(facts)) deviations.push_back(d);
        }
        if (scales_wanted(facts)) fit_scales(facts, deviations);
        for (auto& s : all) s->scale(facts);
        const StoreFacts& truth = whole.facts();
        EXPECT_EQ(facts.rows, truth.rows);
        EXPECT_EQ(facts.columns, truth.columns);
        EXPECT_EQ(facts.entries, truth.entries);
        EXPECT_EQ(facts.classes, truth.classes);
        EXPECT_EQ(facts.counts, truth.counts);
        EXPECT_EQ(facts.numeric, truth.numeric);
        const StoredRows expected = stored_rows(whole.folder(), truth, 0, truth.rows);
        std::size_t i = 0;
        for (std::size_t s = 0; s < stores; ++s) {
          std::size_t count = 0;
          for (std::size_t f = 3 * s / stores; f < 3 * (s + 1) / stores; ++f) count += read[f].rows;
          const StoredRows rows = stored_rows(all[s]->folder(), facts, 0, count);
          for (std::size_t k = 0; k < count; ++k, ++i) {
            if (k % 37 != 0) continue;
            for (std::size_t j = 0; j < facts.columns; ++j)
              ASSERT_NEAR(rows.points(k, j), expected.points(i, j), 1e-12)
                  << name << ' ' << i << ' ' << j;
            if (facts.numeric) {
              ASSERT_EQ(rows.numbers[k], expected.numbers[i]);
            }
            if (!facts.classes.empty()) {
              ASSERT_EQ(rows.codes[k], expected.codes[i]);
            }
            if (!rows.weights.empty()) {
              ASSERT_EQ(rows.weights[k], expected.weights[i]);
            }
          }
        }
        EXPECT_EQ(i, truth.rows);
      }
    }
  }
}

TEST_F(RowStoreFiles, FilesThatDoNotGoTogetherAreRefused) {
  const auto says = [&](const std::string& a, const std::string& b) {
    const std::string one = file("one", a);
    const std::string two = file("two", b);
    try {
      RowStore store(path(""));
      const Encoding columns = stored_columns(one, {}, {});
      std::vector<StoredFile> read{store.read(one, {}, columns)};
      read.push_back(store.read(two, {}, columns));
      facts_of(read, columns, {});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  using ::testing::HasSubstr;
  EXPECT_EQ(says("a,y\n1,2\n", "y,a\n3,4\n"), "nothing");  // by name
  EXPECT_THAT(says("a,b,y\n1,2,3\n", "a,y\n3,4\n"), HasSubstr("b"));
  EXPECT_THAT(says("a,y\n1,2\n", "a,y\n3,red\n"), HasSubstr("two: labels are text, but in"));
  EXPECT_THAT(says("a,y\n1,2\n", ""), HasSubstr("two"));
  EXPECT_EQ(files(), 2U);
}

TEST_F(RowStoreFiles, WhatAKilledOneLeftIsRemovedAndWhatIsInUseIsNot) {
  const RowStore living(path(""));
  std::filesystem::create_directory(path(".mercer-rows-abcdef"));
  const std::string lock = file(".mercer-rows-abcdef/lock", "");
  const std::string values = file(".mercer-rows-abcdef/values", "12345678");
  std::filesystem::create_directory(path(".mercer-rows-mine"));  // no lock: not one of these
  const RowStore other(path(""));
  EXPECT_FALSE(std::filesystem::exists(values));
  EXPECT_FALSE(std::filesystem::exists(lock));
  EXPECT_FALSE(std::filesystem::exists(path(".mercer-rows-abcdef")));
  EXPECT_TRUE(std::filesystem::exists(path(".mercer-rows-mine")));
  EXPECT_TRUE(std::filesystem::exists(living.folder() + "/values"));
  EXPECT_TRUE(std::filesystem::exists(other.folder() + "/values"));
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
