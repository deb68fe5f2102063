// Columns of numbers and of categories, with holes; and large files of numbers against a plain
// reader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/frame.hpp>
#include <mercer/matrix.hpp>

#include "support/plain_reader.hpp"
#include "support/random.hpp"

namespace {

using mercer::Frame;
using mercer::ReadOptions;
using mercer::Table;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string people =
    "age,colour,size,class\n"
    "30,red,1.5,yes\n"
    "?,blue,2.5,no\n"
    "50,,3.5,yes\n"
    "40,red,NA,no\n";

Frame read(const std::string& text, const ReadOptions& options = {}, bool mixed = false) {
  return mercer::parse_frame(text, "a.csv", options, mixed);
}

std::string frame_mistake(const std::string& text, const ReadOptions& options = {}) {
  try {
    mercer::parse_table(text, "a.csv", options);
  } catch (const mercer::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Frame, NumbersCategoriesAndHoles) {
  const Frame f = read(people);
  ASSERT_EQ(f.columns.size(), 3U);
  EXPECT_EQ(f.rows, 4U);
  EXPECT_EQ(f.columns[0].name, "age");
  EXPECT_FALSE(f.columns[0].categorical);
  EXPECT_EQ(f.columns[0].missing, 1U);
  EXPECT_EQ(f.columns[0].first_missing.line, 3U);
  EXPECT_EQ(f.columns[0].first_missing.column, 1U);
  EXPECT_TRUE(std::isnan(f.columns[0].numbers[1]));
  EXPECT_THAT(f.columns[1].levels, ElementsAre("blue", "red"));
  EXPECT_THAT(f.columns[1].codes, ElementsAre(1, 0, -1, 1));
  EXPECT_EQ(f.columns[1].first_missing.line, 4U);
  EXPECT_EQ(f.columns[1].first_missing.column, 4U);
  EXPECT_THAT(f.labels.classes, ElementsAre("no", "yes"));
}

TEST(Frame, HolesAreAnErrorAtTheFirstOfTheFile) {
  EXPECT_EQ(frame_mistake(people),
            "a.csv:3:1: column 'age': a value is missing; fill it in, or say what to do (--missing "
            "drop, mean or indicator)");
  EXPECT_THAT(frame_mistake("a,b,y\n1,?,n\n?,2,n\n"), HasSubstr("a.csv:2:3: column 'b'"));
}

TEST(Frame, AColumnIsNotHalfNumbers) {
  EXPECT_EQ(frame_mistake("a,b,y\n1,5,n\n2,six,n\n3,7,y\n"),
            "a.csv:3:3: column 2 ('b'): 'six' is not a number, and 2 cells of this column are; "
            "correct it, or read all of them as categories (--categorical b)");
  ReadOptions options;
  options.categories = {"b"};
  EXPECT_THAT(read("a,b,y\n1,5,n\n2,six,n\n3,7,y\n", options).columns[1].levels,
              ElementsAre("5", "7", "six"));
  EXPECT_THAT(read("a,b,y\n1,5,n\n2,six,n\n3,7,y\n", {}, true).columns[1].levels,
              ElementsAre("5", "7", "six"));
  // Numbers in foreign dress are no categories.
  EXPECT_THAT(frame_mistake("a;y\n2,5;n\n3,25;y\n"), HasSubstr("write decimals with a point"));
  EXPECT_THAT(frame_mistake("a,y\n$5,n\n$6,y\n"), HasSubstr("a.csv:2:1"));
}

TEST(Frame, NamesAreToldFromCategories) {
  EXPECT_TRUE(read("outlook,wind,play\nsunny,weak,no\nrain,strong,yes\n").named);
  EXPECT_EQ(read("sunny,weak,no\nrain,weak,yes\n").rows, 2U);
  EXPECT_TRUE(read(",a,y\n0,1,n\n1,2,y\n").named);  // the index of a data frame
}

TEST(Frame, ColumnsChosen) {
  ReadOptions options;
  options.ignore = {"age"};
  options.weight = "size";
  options.labels = ReadOptions::Labels::column;
  options.label = "class";
  const Frame f = read("age,colour,size,class\n30,red,1.5,yes\nx,blue,2,no\n", options);
  ASSERT_EQ(f.columns.size(), 1U);
  EXPECT_THAT(f.weights, ElementsAre(1.5, 2));
  options.weight = "class";
  EXPECT_THROW(read(people, options), mercer::Error);
  options.weight = "width";
  EXPECT_THROW(read(people, options), mercer::Error);
  options = {};
  options.weight = "1";
  EXPECT_THAT(frame_mistake("-1,2,a\n", options), HasSubstr("the weight -1 is negative"));
  EXPECT_THAT(frame_mistake("1,2,a\n?,3,b\n", options),
              HasSubstr("2:1: column 1: the weight is missing"));
}

std::string random_numbers(Random& random, std::size_t rows, std::size_t columns) {
  std::string text;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      std::array<char, 40> cell{};
      std::snprintf(cell.data(), cell.size(), random.one_in(2) ? "%.3f" : "%.17g",
                    random.uniform(-100, 100));
      text += cell.data();
      text += j + 1 == columns ? '\n' : ',';
    }
  return text;
}

TEST(Columns, LargeFilesAgreeWithAPlainReaderOnAnyNumberOfThreads) {
  Random random(5);
  std::string text = random_numbers(random, 20000, 5);
  const auto plain = plain_csv(text);
  for (const unsigned threads : {1U, 2U, 4U, 16U}) {
    ReadOptions options;
    options.threads = threads;
    const Table t = mercer::parse_table(text, "a.csv", options);
    ASSERT_EQ(t.rows(), plain.size());
    for (std::size_t i = 0; i < t.rows(); ++i) {
      for (std::size_t j = 0; j < 4; ++j) ASSERT_EQ(t.points(i, j), plain[i][j]);
      ASSERT_EQ(t.labels.numbers[i], plain[i][4]);
    }
  }
  // The first of several mistakes is told.
  std::size_t at = text.size() / 3;
  for (const char* bad : {"1,2,3\n", "1,2,inf,4,5\n", "\n"}) {
    at = text.find('\n', at) + 1;
    text.insert(at, bad);
    at += text.size() / 4;
  }
  ReadOptions one;
  one.threads = 1;
  const std::string told = frame_mistake(text, one);
  EXPECT_THAT(told, HasSubstr("3 cells in this line, 5 in the first"));
  for (const unsigned threads : {2U, 4U, 16U}) {
    ReadOptions many;
    many.threads = threads;
    EXPECT_EQ(frame_mistake(text, many), told);
  }
}

TEST(Columns, QuotedLineEndsStayTogether) {
  std::string text = "name,x,y\n";
  for (int i = 0; i < 30000; ++i) text += "\"a\nb\"," + std::to_string(i) + ",\"1\"\n";
  ReadOptions options;
  options.threads = 8;
  const Frame f = read(text, options);
  EXPECT_EQ(f.rows, 30000U);
  EXPECT_THAT(f.columns[0].levels, ElementsAre("a\nb"));
  EXPECT_EQ(f.columns[1].numbers[29999], 29999);
}

TEST(Columns, FloatsAreNotMadeInfinite) {
  mercer::ReadOptions options;
  options.scalar = mercer::Points::Scalar::float32;
  for (const std::string text : {"1,2,u\n3,1e200,v\n", "a,2,u\nb,1e200,v\n"}) {
    try {
      mercer::parse_table(text, "a.csv", options);
      FAIL();
    } catch (const mercer::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("1e+200 is out of the range of a float"));
    }
  }
}

TEST(Columns, FloatsWhenAskedFor) {
  ReadOptions options;
  options.scalar = mercer::Points::Scalar::float32;
  const Table t = mercer::parse_table("0.1,2,a\n3,4,b\n", "a.csv", options);
  EXPECT_EQ(t.points.values<float>()[0], 0.1F);
}

}  // namespace
