// LIBSVM text against a plain reader, on any number of threads, and its mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/matrix.hpp>

#include "support/plain_reader.hpp"
#include "support/random.hpp"

namespace {

using mercer::Points;
using mercer::ReadOptions;
using mercer::Table;
using testing::ElementsAre;
using testing::HasSubstr;

Table read_libsvm_text(const std::string& text, const ReadOptions& options = {}) {
  return mercer::parse_table(text, "a.libsvm", options);
}

std::string libsvm_mistake(const std::string& text, const ReadOptions& options = {}) {
  try {
    read_libsvm_text(text, options);
  } catch (const mercer::Error& error) {
    return error.what();
  }
  return "no error";
}

std::string number(Random& random) {
  std::array<char, 60> text{};
  const double v = random.uniform(-1, 1) * std::pow(10.0, random.uniform(-30, 30));
  switch (random.below(6)) {
    case 0:
      return std::to_string(random.below(100));
    case 1:
      std::snprintf(text.data(), text.size(), "%.4f", random.uniform(-10, 10));
      break;
    case 2:
      std::snprintf(text.data(), text.size(), "%.25f", random.uniform(-10, 10));
      break;
    case 3:
      std::snprintf(text.data(), text.size(), "%.16e", v);
      break;
    case 4:
      std::snprintf(text.data(), text.size(), "%+.3g", v);
      break;
    default:
      std::snprintf(text.data(), text.size(), "%.17g", v);
  }
  return text.data();
}

// With everything that the format knows.
std::string random_file(Random& random, std::size_t rows, bool groups) {
  std::string text;
  for (std::size_t i = 0; i < rows; ++i) {
    if (random.one_in(20)) text += random.pick({"# a: comment\n", "\n", "  \n", "\r\n"});
    text += random.pick({"1", "-1", "+1", "2.5", "1e3"});
    if (groups) text += " qid:" + std::to_string(random.below(7));
    std::size_t index = 0;
    for (std::size_t k = random.below(12); k > 0; --k) {
      index += 1 + random.below(50);
      text += random.pick({" ", "  ", "\t"}) + std::to_string(index) + ":" + number(random);
    }
    text += random.pick({"", "", " ", " # x:1 2:3"});
    text += random.pick({"\n", "\n", "\r\n"});
  }
  return text;
}

void expect_same(const Table& t, const std::vector<PlainRow>& rows) {
  ASSERT_EQ(t.rows(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(t.labels.numbers[i], std::stod(rows[i].label));
    if (!t.groups.empty()) {
      EXPECT_EQ(t.groups[i], rows[i].group);
    }
    std::map<std::size_t, double> entries;
    for (auto e = t.points.offsets()[i]; e < t.points.offsets()[i + 1]; ++e)
      entries[static_cast<std::size_t>(t.points.indices()[e])] = t.points.values<double>()[e];
    EXPECT_EQ(entries, rows[i].entries) << i;
  }
}

void expect_identical(const Table& a, const Table& b) {
  ASSERT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.columns(), b.columns());
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.groups, b.groups);
  ASSERT_TRUE(std::ranges::equal(a.points.offsets(), b.points.offsets()));
  for (std::size_t e = 0; e < a.points.entries(); ++e) {
    ASSERT_EQ(a.points.indices()[e], b.points.indices()[e]);
    ASSERT_EQ(a.points.values<double>()[e], b.points.values<double>()[e]);
  }
}

TEST(Libsvm, ALine) {
  const Table t = read_libsvm_text("+1 1:0.5 3:-2\n-1 2:1e-3 # the rest\n");
  EXPECT_TRUE(t.points.is_sparse());
  EXPECT_EQ(t.columns(), 3U);
  EXPECT_THAT(t.labels.numbers, ElementsAre(1, -1));
  EXPECT_THAT(mercer::dense(t.points).values, ElementsAre(0.5, 0, -2, 0, 1e-3, 0));
}

TEST(Libsvm, AMarkOfUtf8IsNotPartOfTheLabel) {
  const std::string mark = "\xef\xbb\xbf";
  const std::string text = "1 qid:4 1:2\n-1 qid:4 1:3\n";
  for (const std::string& start : {mark, mark + "# comment\n", mark + "\n"}) {
    const Table t = read_libsvm_text(start + text);
    EXPECT_THAT(t.labels.numbers, ElementsAre(1, -1));
    EXPECT_THAT(t.groups, ElementsAre(4, 4));
  }
  EXPECT_THAT(libsvm_mistake(mark + "1 1:x\n"), HasSubstr("a.libsvm:1:5:"));
}

TEST(Libsvm, AgreesWithAPlainReader) {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    const std::string text = random_file(random, 1 + random.below(60), random.one_in(3));
    if (plain_libsvm(text).empty()) continue;
    ReadOptions options;
    options.format = mercer::FileFormat::libsvm;  // a file of labels alone could be anything
    expect_same(read_libsvm_text(text, options), plain_libsvm(text));
  }
}

TEST(Libsvm, FloatsAreRoundedOnce) {
  Random random(2);
  ReadOptions options;
  options.scalar = Points::Scalar::float32;
  for (int round = 0; round < 2000; ++round) {
    const std::string value = number(random);
    const float expected = std::strtof(value.c_str(), nullptr);
    if (!std::isfinite(expected)) continue;
    EXPECT_EQ(read_libsvm_text("1 1:" + value + "\n", options).points.values<float>()[0], expected)
        << value;
  }
}

TEST(Libsvm, TheSameOnAnyNumberOfThreads) {
  Random random(3);
  for (const bool groups : {false, true}) {
    std::string text = random_file(random, 30000, groups);
    ReadOptions one;
    one.threads = 1;
    const Table t = read_libsvm_text(text, one);
    expect_same(t, plain_libsvm(text));
    for (const unsigned threads : {2U, 3U, 4U, 16U}) {
      ReadOptions many;
      many.threads = threads;
      expect_identical(read_libsvm_text(text, many), t);
    }
    // Two mistakes: the first is told, wherever the text is cut.
    std::size_t at = text.size() / 3;
    for (const char* bad : {"1 1:x\n", "1 0:1\n"}) {
      at = text.find('\n', at) + 1;
      text.insert(at, bad);
      at += text.size() / 3;
    }
    const std::string told = libsvm_mistake(text, one);
    EXPECT_THAT(told, HasSubstr(groups ? "no qid in this line" : "'x' is not a number"));
    for (const unsigned threads : {2U, 4U, 16U}) {
      ReadOptions many;
      many.threads = threads;
      EXPECT_EQ(libsvm_mistake(text, many), told);
    }
  }
}

TEST(Libsvm, AMillionColumns) {
  const Table t = read_libsvm_text("1 1000000:1\n2 1:1 2147483647:5\n");
  EXPECT_EQ(t.columns(), 2147483647U);
  EXPECT_EQ(t.points(1, 2147483646), 5);
}

TEST(Libsvm, ColumnsLabelsAndBases) {
  ReadOptions options;
  options.columns = 10;
  EXPECT_EQ(read_libsvm_text("1 2:1\n", options).columns(), 10U);
  EXPECT_THAT(libsvm_mistake("1 11:1\n", options),
              HasSubstr("1:3: '11:1': the index is beyond 10"));
  options = {};
  options.zero_based = true;
  EXPECT_EQ(read_libsvm_text("1 0:7 2:1\n", options).points(0, 0), 7);
  options = {};
  options.labels = ReadOptions::Labels::none;
  EXPECT_TRUE(read_libsvm_text("1 1:2\n3 2:1\n", options).labels.empty());
  EXPECT_EQ(read_libsvm_text("1:2\n2:1\n", options).rows(), 2U);
  EXPECT_THAT(read_libsvm_text("yes 1:2\nno 1:3\n").labels.classes, ElementsAre("no", "yes"));
  EXPECT_EQ(read_libsvm_text("2\n3 1:1\n").points.entries(), 1U);
}

TEST(Libsvm, Mistakes) {
  struct Case {
    const char* text;
    const char* told;
  };
  for (const auto& [text, told] : std::initializer_list<Case>{
           {"1 1:1\n1 0:2\n", "a.libsvm:2:3: '0:2': indices begin at 1"},
           {"1 1:1 3:2 2:1\n", "a.libsvm:1:11: '2:1': indices ascend within a line; 3 stands"},
           {"1 1:1 1:2\n", "1:7: '1:2': this index was there already"},
           {"1 2147483648:1\n", "a.libsvm:1:3: '2147483648:1': the index is beyond 2147483647"},
           {"1 99999999999999999999:1\n", "the index is beyond 2147483647"},
           {"1 1:1 -3:1\n", "1:7: '-3:1': indices begin at 1"},
           {"1 1:nan\n", "a.libsvm:1:5: 'nan' is not a finite number"},
           {"1 1:1 2:inf\n", "a.libsvm:1:9: 'inf' is not a finite number"},
           {"1 1:1e999\n", "'1e999' is out of the range of a double"},
           {"1 1:2x\n", "a.libsvm:1:5: '2x' is not a number"},
           {"1 1:1 2:\n", "a.libsvm:1:9: the value is missing after the colon"},
           {"1 1:1 :3\n", "a.libsvm:1:7: ':3': the index is missing"},
           {"1 1:1 7\n", "a.libsvm:1:7: '7' found, expected index:value"},
           {"1:1 2:1\n", "a.libsvm:1:1: the label is missing"},
           {"inf 1:1\n", "'inf' is not a finite number; is it the label?"},
           {"1,2 1:1\n", "'1,2' are several labels"},
           {"1 qid:x 1:1\n", "a.libsvm:1:3: 'qid:x': expected a whole number"},
           {"1 qid:1 1:1\n1 1:1\n", "a.libsvm:2:3: no qid in this line"},
           {"1 1:1\n1 qid:1 1:1\n", "a.libsvm:2:3: a qid in this line"},
           {"1 qid:1 qid:2 1:1\n", "the qid stands after the label"},
           {"1 1:1\n\x01\x02 1:1\n", "a.libsvm:2:1: '\\x01\\x02' holds control characters"}})
    EXPECT_THAT(libsvm_mistake(text), HasSubstr(told)) << text;
}

TEST(Libsvm, IsToldFromTextInColumns) {
  EXPECT_TRUE(read_libsvm_text("# a comment\n\n3 7:1\n").points.is_sparse());
  EXPECT_FALSE(read_libsvm_text("12:30,4,a\n12:31,5,b\n").points.is_sparse());
  EXPECT_FALSE(read_libsvm_text("1\t2\ta\n3\t4\tb\n").points.is_sparse());
  EXPECT_FALSE(read_libsvm_text("2020-01-01 12:30,5,a\n2020-01-01 12:31,6,b\n").points.is_sparse());
}

}  // namespace
