// Text files: what is read, and every mistake told with its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/matrix.hpp>

#include "support/random.hpp"

namespace {

using mercer::Error;
using mercer::Labels;
using mercer::ReadOptions;
using mercer::Table;
using testing::ElementsAre;
using testing::HasSubstr;

ReadOptions without_labels() {
  ReadOptions options;
  options.labels = ReadOptions::Labels::none;
  return options;
}

ReadOptions label(const std::string& column) {
  ReadOptions options;
  options.labels = ReadOptions::Labels::column;
  options.label = column;
  return options;
}

Table read(const std::string& text, const ReadOptions& options = {}) {
  return mercer::parse_table(text, "data.csv", options);
}

std::vector<double> values(const Table& t) { return mercer::dense(t.points).values; }

std::vector<std::string> labels(const Table& t) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < t.labels.size(); ++i) texts.push_back(t.labels.text(i));
  return texts;
}

std::string mistake(const std::string& text, const ReadOptions& options = {}) {
  try {
    read(text, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Text, LastColumnIsTheLabel) {
  const Table t = read("1,2,yes\n3,4.5,no\n");
  EXPECT_EQ(t.rows(), 2U);
  EXPECT_EQ(t.columns(), 2U);
  EXPECT_THAT(values(t), ElementsAre(1, 2, 3, 4.5));
  EXPECT_THAT(labels(t), ElementsAre("yes", "no"));
  EXPECT_TRUE(t.names.empty());
}

TEST(Text, NamesAreRecognised) {
  const Table t = read("age,height,class\n1,2,yes\n");
  EXPECT_THAT(t.names, ElementsAre("age", "height"));
  EXPECT_EQ(t.labels.name, "class");
  EXPECT_EQ(t.rows(), 1U);
  // Numbers are data, whatever stands in the label's place.
  EXPECT_EQ(read("1,2,class\n3,4,class\n").rows(), 2U);
  // By decree.
  ReadOptions options;
  options.header = true;
  EXPECT_THAT(read("2019,2020,y\n1,2,a\n", options).names, ElementsAre("2019", "2020"));
  options.header = false;
  EXPECT_THAT(
      mistake("a,b,y\n1,2,a\n", options),
      HasSubstr("data.csv:1:1: column 1: 'a' is not a number, and 1 cell of this column is"));
}

TEST(Text, TheLabelByNameOrNumber) {
  EXPECT_THAT(labels(read("y,a,b\nno,1,2\n", label("y"))), ElementsAre("no"));
  EXPECT_THAT(labels(read("no,1,2\nyes,3,4\n", label("1"))), ElementsAre("no", "yes"));
  EXPECT_THAT(values(read("1,x,2\n3,y,4\n", label("2"))), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(mistake("y,a,b\nno,1,2\n", label("z")), HasSubstr("no column 'z' for the label"));
  EXPECT_THAT(mistake("colour,a,b\nno,1,2\n", label("color")), HasSubstr("did you mean 'colour'?"));
  EXPECT_THAT(mistake("1,2\n", label("3")), HasSubstr("no column 3"));
  EXPECT_THAT(mistake("a,a,b\n1,2,3\n", label("a")), HasSubstr("two columns are named 'a'"));
}

TEST(Text, DelimitersQuotesAndLineEnds) {
  const auto expect_same = [](const std::string& text) {
    const Table t = read(text);
    EXPECT_THAT(values(t), ElementsAre(1, 2, 3, 4)) << text;
    EXPECT_THAT(labels(t), ElementsAre("a", "b")) << text;
  };
  expect_same("1,2,a\n3,4,b\n");
  expect_same("1;2;a\n3;4;b");
  expect_same("1\t2\ta\n3\t4\tb\n\n\n");
  expect_same("1,2,a\r\n3,4,b\r\n");
  expect_same(
      "\xef\xbb\xbf"
      "1, 2 ,a\n 3,+4, b \n");
  expect_same("\"1\",\"2\",\"a\"\n3,4,\"b\"\r\n");
  EXPECT_THAT(labels(read("1,\"a \"\"b\"\", c\nd\"\n2,x\n")), ElementsAre("a \"b\", c\nd", "x"));
  // What both of the first lines have as often; semicolons stand between decimals with commas.
  expect_same("a;b,c,y\n1,2,a\n3,4,b\n");
  expect_same("a\tb,c,y\n1,2,a\n3,4,b\n");
  EXPECT_EQ(read("a,b;c;y\n1;2;a\n").columns(), 2U);
  EXPECT_THAT(mistake("1,5;2;a\n3,5;4;b\n"), HasSubstr("'1,5'"));
  EXPECT_EQ(mistake("1,\"a\n\n\nb\"\n2,\n"),
            "data.csv:5:3: column 2: the label is missing; take the row out, or give it one");
}

TEST(Text, BlankLinesInFront) {
  for (const std::string start : {"\n", " \r\n\n", "\xef\xbb\xbf\n"}) {
    const Table t = read(start + "a,b,y\n1,2,u\n3,4,v\n");
    EXPECT_THAT(t.names, ElementsAre("a", "b"));
    EXPECT_EQ(t.rows(), 2U);
  }
  EXPECT_THAT(mistake("\n\n1,2\n3\n"), HasSubstr(":4:1: 1 cell in this line"));
}

TEST(Text, NumbersAreRoundedCorrectly) {
  const Table t =
      read("0.1,1e-320,-0,9007199254740993,1.7976931348623157e308,.5,2.\n", without_labels());
  EXPECT_THAT(values(t),
              ElementsAre(0.1, 1e-320, -0.0, 9007199254740992.0, 1.7976931348623157e308, 0.5, 2.0));
}

TEST(Text, MistakesNameThePlaceAndTheRemedy) {
  EXPECT_EQ(mistake(""), "data.csv: the file is empty");
  EXPECT_EQ(mistake("\n \n"), "data.csv: the file holds no data: nothing but blank lines");
  EXPECT_EQ(mistake("a,b,c\n"), "data.csv: there are names of columns, but no rows below them");
  EXPECT_EQ(mistake("1,2,a\n3,b\n"), "data.csv:2:1: 2 cells in this line, 3 in the first");
  EXPECT_EQ(mistake("1,2,a\n3\n"), "data.csv:2:1: 1 cell in this line, 3 in the first");
  EXPECT_EQ(
      mistake("u,v,y\n1,,a\n"),
      "data.csv:2:3: column 'v': a value is missing; fill it in, or say what to do (--missing "
      "drop, mean or indicator)");
  EXPECT_THAT(mistake("1,?,a\n"), HasSubstr("data.csv:1:3: column 2: a value is missing"));
  EXPECT_THAT(mistake("1,NaN,a\n"), HasSubstr("a value is missing"));
  EXPECT_THAT(mistake("1,inf,a\n"), HasSubstr("'inf' is not a finite number"));
  EXPECT_THAT(mistake("1,-Infinity,a\n"), HasSubstr("is not a finite number"));
  EXPECT_THAT(mistake("1,1e999,a\n"), HasSubstr("'1e999' is out of the range of a double"));
  EXPECT_THAT(mistake("1,2x,a\n3,4,b\n"), HasSubstr("1:3: column 2: '2x' is not a number, and"));
  EXPECT_THAT(mistake("1;2,5;a\n"), HasSubstr("write decimals with a point"));
  EXPECT_THAT(mistake("1,2,a\n\n3,4,b\n"), HasSubstr("data.csv:2:1: this line is empty"));
  EXPECT_THAT(mistake("1,2,\n"), HasSubstr("column 3: the label is missing"));
  EXPECT_THAT(mistake("1\n2\n"), HasSubstr("one column only, which would be the label"));
  EXPECT_THAT(mistake("1,\"a\n"), HasSubstr("data.csv:1:3: a quote that is never closed"));
  EXPECT_THAT(mistake("1,\"a\"b\n"), HasSubstr("text after a closing quote"));
  EXPECT_THAT(mistake(std::string("1,2\n3,\0", 7)), HasSubstr("data.csv:2:3: a control character"));
  EXPECT_THAT(mistake("1,a\r2,b\r"), HasSubstr("carriage return"));
  EXPECT_THAT(mistake("\x1f\x8b\x08"), HasSubstr("the gzip data end early"));
  EXPECT_THAT(mistake("PK\x03\x04"), HasSubstr("zip archive"));
}

TEST(Text, NumbersOnly) {
  ReadOptions options;
  options.numbers_only = true;
  EXPECT_THAT(mistake("1,2x,a\n", options), HasSubstr("column 2: '2x' is not a number; expected"));
  EXPECT_THAT(mistake("1;2,5;a\n", options), HasSubstr("write decimals with a point"));
  EXPECT_THAT(mistake("1,red,a\n", options), HasSubstr("'red' is not a number; expected one in"));
}

TEST(Text, RandomTablesComeBack) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const std::size_t rows = 1 + random.below(5);
    const std::size_t columns = 1 + random.below(4);
    const char delimiter = random.pick({',', ';', '\t'});
    std::string text;
    std::vector<double> numbers;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        numbers.push_back(random.uniform(-1, 1) * std::pow(10.0, random.uniform(-20, 20)));
        std::array<char, 40> cell{};
        std::snprintf(cell.data(), cell.size(), "%.17g", numbers.back());
        text += std::string(j == 0 ? "" : std::string(1, delimiter)) + cell.data();
      }
      text += random.pick({"\n", "\r\n"});
    }
    EXPECT_EQ(values(read(text, without_labels())), numbers) << text;
  }
}

TEST(Signs, TheLaterClassIsPositive) {
  Labels t = read("1,-1\n2,+1\n3,-1\n").labels;
  EXPECT_THAT(mercer::signs_of(t).y, ElementsAre(-1, 1, -1));
  t = mercer::labels_of(std::vector<std::string>{"10", "9", "10"});
  EXPECT_EQ(mercer::signs_of(t).positive, "10");
  t = mercer::labels_of(std::vector<std::string>{"no", "yes", "no"});
  EXPECT_THAT(mercer::signs_of(t).y, ElementsAre(-1, 1, -1));
  EXPECT_THAT(mercer::signs_of(t, "no").y, ElementsAre(1, -1, 1));
  EXPECT_EQ(mercer::signs_of(t, "no").negative, "yes");
}

TEST(Signs, OneClassOrManyNeedARemedy) {
  Labels t = read("1,a\n2,a\n3,a\n").labels;
  EXPECT_THROW(mercer::signs_of(t), Error);
  t = mercer::labels_of(std::vector<std::string>{"a", "b", "c"});
  try {
    mercer::signs_of(t);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("3 classes: 'a', 'b', 'c'"));
    EXPECT_THAT(error.what(), HasSubstr("--positive"));
  }
  const auto signs = mercer::signs_of(t, "b");
  EXPECT_THAT(signs.y, ElementsAre(-1, 1, -1));
  EXPECT_EQ(signs.negative, "not b");
  EXPECT_THROW(mercer::signs_of(t, "d"), Error);
}

}  // namespace
