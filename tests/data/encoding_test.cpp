// Encodings: what they make of training data, and of data that come later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mercer/encoding.hpp>
#include <mercer/error.hpp>
#include <mercer/matrix.hpp>

#include "support/folder.hpp"
#include "support/random.hpp"

namespace {

using mercer::Encoding;
using mercer::EncodingOptions;
using mercer::EncodingReport;
using mercer::Frame;
using mercer::Missing;
using mercer::Scaling;
using mercer::Table;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string a_few_people =
    "age,colour,class\n"
    "30,red,yes\n"
    "?,blue,no\n"
    "50,,yes\n"
    "40,red,no\n";

Frame frame(const std::string& text, const mercer::ReadOptions& options = {}) {
  return mercer::parse_frame(text, "a.csv", options);
}

Encoding fit(const std::string& text, Missing missing, Scaling scaling = Scaling::none) {
  return Encoding::fit(frame(text), {.missing = missing, .scaling = scaling});
}

std::vector<double> values(const Table& t) { return mercer::dense(t.points).values; }

TEST(Encoding, OneCoordinatePerLevel) {
  const std::string text = "n,c,y\n1,b,u\n2,a,v\n3,b,u\n";
  const Encoding e = fit(text, Missing::error);
  const Table t = e.apply(frame(text));
  EXPECT_THAT(t.names, ElementsAre("n", "c=a", "c=b"));
  EXPECT_THAT(t.source_names(), ElementsAre("n", "c", "c"));
  EXPECT_THAT(values(t), ElementsAre(1, 0, 1, 2, 1, 0, 3, 0, 1));
  // read_table does the same.
  EXPECT_EQ(values(mercer::parse_table(text, "a.csv")), values(t));
}

TEST(Encoding, NoTwoCoordinatesHaveOneName) {
  const Table t = mercer::parse_table("c,c=b,n,c=b (2),y\na,1,2,5,u\nb,3,4,6,v\n", "a.csv");
  EXPECT_THAT(t.names, ElementsAre("c=a", "c=b (3)", "c=b", "n", "c=b (2)"));
}

TEST(Encoding, DropMeanIndicator) {
  EncodingReport report;
  const Encoding drop = fit(a_few_people, Missing::drop);
  const Table dropped = drop.apply(frame(a_few_people), &report);
  EXPECT_THAT(dropped.names, ElementsAre("age", "colour=red"));  // blue went with its row
  EXPECT_THAT(values(dropped), ElementsAre(30, 1, 40, 1));
  EXPECT_THAT(dropped.labels.text(1), "no");
  EXPECT_THAT(report.dropped, ElementsAre(1, 2));

  const Table mean = fit(a_few_people, Missing::mean).apply(frame(a_few_people), &report);
  EXPECT_THAT(mean.names, ElementsAre("age", "colour=blue", "colour=red"));
  EXPECT_THAT(values(mean), ElementsAre(30, 0, 1, 40, 1, 0, 50, 0, 1, 40, 0, 1));
  EXPECT_EQ(report.filled, 2U);

  const Table both = fit(a_few_people, Missing::indicator).apply(frame(a_few_people));
  EXPECT_THAT(both.names,
              ElementsAre("age", "age missing", "colour=blue", "colour=red", "colour missing"));
  EXPECT_THAT(values(both),
              ElementsAre(30, 0, 0, 1, 0, 40, 1, 1, 0, 0, 50, 0, 0, 0, 1, 40, 0, 0, 1, 0));
  EXPECT_THROW(fit(a_few_people, Missing::error), mercer::Error);
  mercer::ReadOptions none;
  none.labels = mercer::ReadOptions::Labels::none;
  EXPECT_EQ(drop.apply(frame(a_few_people, none)).rows(), 2U);
  EXPECT_THROW(fit("a,y\n?,1\n?,2\n", Missing::drop), mercer::Error);
}

TEST(Encoding, Scales) {
  const std::string text = "a,c,k,y\n1,u,5,1\n3,v,5,2\n";
  EXPECT_THAT(values(fit(text, Missing::error, Scaling::standard).apply(frame(text))),
              ElementsAre(-1, 1, 0, 0, 1, 0, 1, 0));
  EXPECT_THAT(values(fit(text, Missing::error, Scaling::minmax).apply(frame(text))),
              ElementsAre(0, 1, 0, 0, 1, 0, 1, 0));
  // Later data by the numbers of training.
  EXPECT_EQ(
      values(fit(text, Missing::error, Scaling::minmax).apply(frame("a,c,k,y\n5,u,6,1\n")))[0], 2);
}

TEST(Encoding, StandardHasMeanZeroAndDeviationOne) {
  Random random(1);
  std::vector<double> numbers(300);
  for (double& v : numbers) v = random.uniform(-3, 9);
  Table t;
  t.points = mercer::Points::own(numbers, 100, 3);
  EncodingOptions options;
  options.scaling = Scaling::standard;
  const Encoding e = Encoding::fit(t, options);
  const mercer::Matrix m = mercer::dense(e.apply(t).points);
  for (std::size_t j = 0; j < 3; ++j) {
    double sum = 0;
    double square = 0;
    for (std::size_t i = 0; i < 100; ++i) {
      sum += m(i, j);
      square += m(i, j) * m(i, j);
    }
    EXPECT_NEAR(sum, 0, 1e-12);
    EXPECT_NEAR(square, 100, 1e-10);
  }
}

// Squares of such numbers are no doubles; their deviations are.
TEST(Encoding, ScalesHugeAndTinyNumbers) {
  for (const std::string power : {"e300", "e-300", "e0"}) {
    const std::string text = "a,y\n1" + power + ",u\n4" + power + ",v\n7" + power + ",u\n";
    const Table t = fit(text, Missing::error, Scaling::standard).apply(frame(text));
    EXPECT_NEAR(t.points(0, 0), -std::sqrt(1.5), 1e-12) << power;
    EXPECT_NEAR(t.points(1, 0), 0, 1e-12) << power;
    EXPECT_NEAR(t.points(2, 0), std::sqrt(1.5), 1e-12) << power;
  }
  // Sparse points are divided only.
  const Table s = mercer::parse_table("1 1:3e300 4:1\n1 2:1\n-1 1:-3e300 2:1\n", "s.libsvm");
  const Encoding e = Encoding::fit(s, {.scaling = Scaling::standard});
  EXPECT_NEAR(e.apply(s).points(0, 0), std::sqrt(1.5), 1e-12);
  EXPECT_EQ(e.scales[2], 1);  // nobody has column 3
}

// Sparse points as they are, unless most of them is there and columns vanish beside others.
TEST(Encoding, ScalesSparsePointsOfUnevenColumns) {
  Random random(5);
  const auto scaled = [&](const std::vector<double>& sizes, double share) {
    std::string text;
    for (int i = 0; i < 300; ++i) {
      text += i % 2 == 0 ? "1" : "-1";
      for (std::size_t j = 0; j < sizes.size(); ++j)
        if (random.uniform(0, 1) < share)
          text +=
              " " + std::to_string(j + 1) + ":" + std::to_string(sizes[j] * random.uniform(-1, 1));
      text += "\n";
    }
    const Table t = mercer::parse_table(text, "s.libsvm");
    const Encoding e = Encoding::fit(
        t, {.scaling = Scaling::standard, .scale_sparse = mercer::ScaleSparse::if_uneven});
    EXPECT_EQ(e.scales.empty(), e.options.scaling == Scaling::none);
    EXPECT_EQ(Encoding::parse(e.text()), e);
    return e.options.scaling == Scaling::standard;
  };
  EXPECT_TRUE(scaled({1000, 1, 2000, 5}, 1));
  EXPECT_TRUE(scaled({1000, 1, 2000, 5}, 0.7));
  EXPECT_FALSE(scaled({1000, 1, 2000, 5}, 0.3));          // counts of words
  EXPECT_FALSE(scaled({1, 0.2, 3, 0.5}, 1));              // as LIBSVM's tools scale them
  EXPECT_FALSE(scaled({1, 1, 1, 1, 1, 1, 1, 0.001}, 1));  // one that hardly varies
  EXPECT_FALSE(scaled({0, 0, 0, 1}, 1));                  // constant
}

TEST(Encoding, RefusesToScaleWhatIsTooFarApart) {
  const std::string text = "a,b,y\n1,1e308,u\n2,-1e308,v\n";
  for (const Scaling how : {Scaling::standard, Scaling::minmax}) {
    try {
      fit(text, Missing::error, how);
      FAIL();
    } catch (const mercer::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("column 'b' reaches from -1e+308 to 1e+308"));
    }
  }
}

TEST(Encoding, ZeroStaysZeroInSparsePoints) {
  const Table t = mercer::parse_table("1 1:4\n2 1:-2 2:3\n1 3:1\n", "a");
  EncodingOptions options;
  options.scaling = Scaling::minmax;
  const Encoding e = Encoding::fit(t, options);
  const Table scaled = e.apply(t);
  EXPECT_TRUE(scaled.points.is_sparse());
  EXPECT_THAT(values(scaled), ElementsAre(1, 0, 0, -0.5, 1, 0, 0, 0, 1));
  EncodingReport report;
  // Fewer columns are filled up, more are left out.
  EXPECT_EQ(e.apply(mercer::parse_table("1 1:4\n", "b"), &report).columns(), 3U);
  EXPECT_EQ(e.apply(mercer::parse_table("1 1:4 7:1\n", "b"), &report).columns(), 3U);
  EXPECT_EQ(report.ignored, 1U);
}

TEST(Encoding, AnOpenOneKeepsWhatIsNew) {
  Encoding e = Encoding::fit(mercer::parse_table("1 3:1\n", "a"));
  e.open = true;
  EncodingReport report;
  EXPECT_EQ(e.apply(mercer::parse_table("1 1:4\n", "b"), &report).columns(), 3U);
  const Table wide = e.apply(mercer::parse_table("1 1:4 7:1\n", "b"), &report);
  EXPECT_THAT(values(wide), ElementsAre(4, 0, 0, 0, 0, 0, 1));
  EXPECT_EQ(report.ignored, 0U);
  EXPECT_EQ(Encoding::parse(e.text()), e);
  const auto dense = [&](const char* text) {
    try {
      static_cast<void>(e.apply(mercer::parse_frame(text, "c.csv", {})));
    } catch (const mercer::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(dense("1,2,3,7\n"), "");
  EXPECT_THAT(dense("1,2,3,4,7\n"), HasSubstr("4 columns, expected the 3 that the model's"));
}

class EncodingFiles : public FolderTest {};

TEST_F(EncodingFiles, ColumnsAreMatchedByName) {
  const auto train = file("train.csv", "age,colour,class\n30,red,yes\n40,blue,no\n");
  const auto [table, e, _] = mercer::read_training(train, {}, {});
  EXPECT_EQ(e.label, "class");
  const auto same = file("same.csv", "id,colour,extra,age\n7,blue,x,40\n8,red,1,30\n");
  const Table t = mercer::read_encoded(same, e);
  EXPECT_THAT(values(t), ElementsAre(40, 1, 0, 30, 0, 1));
  EXPECT_TRUE(t.labels.empty());
  const auto with_label = file("label.csv", "class,colour,age\nno,blue,40\n");
  EXPECT_EQ(mercer::read_encoded(with_label, e).labels.text(0), "no");
  try {
    static_cast<void>(mercer::read_encoded(file("less.csv", "age,class\n30,yes\n"), e));
    FAIL();
  } catch (const mercer::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no column 'colour'"));
  }
  try {
    static_cast<void>(mercer::read_encoded(file("text.csv", "age,colour\n30,red\nold,red\n"), e));
    FAIL();
  } catch (const mercer::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("text.csv:3:1: column 1 ('age'): 'old' is not a number"));
  }
}

TEST_F(EncodingFiles, UnseenLevelsAreNoneOfTheKnown) {
  const auto train = file("train.csv", "zone,n,y\n1a,1,0\n2a,2,1\n");
  const auto trained = mercer::read_training(train, {}, {});
  EncodingReport report;
  const auto later = file("later.csv", "zone,n,y\n3,1,0\n2a,2,1\n3,3,1\n");
  const Table t = mercer::read_encoded(later, trained.encoding, {}, &report);
  EXPECT_THAT(values(t), ElementsAre(0, 0, 1, 0, 1, 2, 0, 0, 3));
  ASSERT_EQ(report.unseen.size(), 1U);
  EXPECT_EQ(report.unseen[0], (EncodingReport::Unseen{"zone", "3", 2}));
}

TEST_F(EncodingFiles, WithoutNamesByPlace) {
  const auto train = file("train.csv", "1,red,a\n2,blue,b\n3,red,a\n");
  const auto trained = mercer::read_training(train, {}, {});
  EXPECT_FALSE(trained.encoding.named);
  EXPECT_TRUE(
      mercer::read_encoded(file("b.csv", "5,red\n6,red\n"), trained.encoding).labels.empty());
  EXPECT_EQ(
      mercer::read_encoded(file("c.csv", "5,red,a\n6,red,b\n"), trained.encoding).labels.size(),
      2U);
  EXPECT_THROW(
      static_cast<void>(mercer::read_encoded(file("d.csv", "5,6,7,8\n"), trained.encoding)),
      mercer::Error);
}

// Where the label was not the last, a later file may be like the training data or like what was
// written since: neither is guessed.
TEST_F(EncodingFiles, WithoutNamesALabelThatWasNotTheLastIsAskedFor) {
  using mercer::ReadOptions;
  ReadOptions first;
  first.labels = ReadOptions::Labels::column;
  first.label = "1";
  ReadOptions last = first;
  last.label = "3";
  const Table table = mercer::parse_table("1,2,5\n3,5,6\n", "t");
  const std::string array = path("array.npy");
  mercer::write_table(array, table, {mercer::FileFormat::npy, false});
  for (const std::string& train :
       {file("t.csv", "5,1,2\n6,3,5\n"), file("n.csv", "y,u,v\n5,1,2\n6,3,5\n"), array}) {
    const Encoding e = mercer::read_training(train, first, {}).encoding;
    EXPECT_EQ(e.label_place, 1U);
    EXPECT_EQ(Encoding::parse(e.text()), e);
    const auto like = file("like.csv", "7,1,2\n8,3,5\n");
    const auto behind = file("behind.csv", "1,2,7\n3,5,8\n");
    for (const auto& later : {like, behind, array}) {
      try {
        static_cast<void>(mercer::read_encoded(later, e));
        ADD_FAILURE() << later;
      } catch (const mercer::Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("--label 1 if"));
        EXPECT_THAT(error.what(), testing::HasSubstr("--label 3 if"));
      }
    }
    for (const auto& [later, options] : {std::pair(like, first), std::pair(behind, last)}) {
      const Table t = mercer::read_encoded(later, e, options);
      EXPECT_THAT(values(t), ElementsAre(1, 2, 3, 5));
      EXPECT_THAT(t.labels.numbers, ElementsAre(7, 8));
    }
    const Table bare = mercer::read_encoded(file("bare.csv", "1,2\n3,5\n"), e);
    EXPECT_THAT(values(bare), ElementsAre(1, 2, 3, 5));
    EXPECT_TRUE(bare.labels.empty());
  }
  // The place is among the features: weights and what is ignored may come and go.
  ReadOptions third = last;
  third.weight = "1";
  third.ignore = {"2"};
  const auto weighted = file("w.csv", "1,9,5,1,2\n1,9,6,3,5\n");
  EXPECT_EQ(mercer::read_training(weighted, third, {}).encoding.label_place, 1U);
  ReadOptions behind = last;
  behind.ignore = {"4"};
  const auto longer = file("l.csv", "1,2,5,9\n3,5,6,9\n");
  EXPECT_EQ(mercer::read_training(longer, behind, {}).encoding.label_place, 0U);
}

// As text without names: exactly the columns of the training data, or the label behind them.
TEST_F(EncodingFiles, ArraysByPlace) {
  const auto train = mercer::read_training(file("t.csv", "u,v,y\n1,2,5\n3,5,6\n"), {}, {});
  const Table table = mercer::parse_table("1,2,5\n3,5,6\n", "t");
  const std::string with = path("with.npy");
  mercer::write_table(with, table, {mercer::FileFormat::npy, false});
  EncodingReport report;
  const Table later = mercer::read_encoded(with, train.encoding, {}, &report);
  EXPECT_THAT(values(later), ElementsAre(1, 2, 3, 5));
  EXPECT_THAT(later.labels.numbers, ElementsAre(5, 6));
  EXPECT_TRUE(report.by_place);
  Table without = table;
  without.labels = {};
  mercer::write_table(path("without.npy"), without, {mercer::FileFormat::npy, false});
  const Table bare = mercer::read_encoded(path("without.npy"), train.encoding);
  EXPECT_THAT(values(bare), ElementsAre(1, 2, 3, 5));
  EXPECT_TRUE(bare.labels.empty());
}

TEST(Encoding, TextComesBack) {
  const auto back = [](const Encoding& e) {
    EXPECT_EQ(Encoding::parse(e.text()), e) << e.text();
    EXPECT_EQ(Encoding::parse(e.text()).text(), e.text());
  };
  for (const auto scaling : {Scaling::none, Scaling::standard, Scaling::minmax})
    for (const auto missing : {Missing::drop, Missing::mean, Missing::indicator})
      back(fit(a_few_people, missing, scaling));
  back(fit("\"a \"\"b\"\"\",\"c\\\nd\",y\n1.5,u v,1\n2,\"\n\\n\",2\n", Missing::error));
  back(Encoding::fit(mercer::parse_table("1 5:1\n", "a")));
  EXPECT_FALSE(fit(a_few_people, Missing::drop) == fit(a_few_people, Missing::mean));
  for (const char* bad : {"", "mercer-encoding 2\n", "mercer-encoding 1\nmissing maybe",
                          "mercer-encoding 1\nmissing error scaling none scalar float64 named yes "
                          "sparse no dimension 2\nnumber \"a\" 0\n",
                          "mercer-encoding 1\nmissing error scaling none scalar float64 named no "
                          "sparse no dimension 2 open\n"})
    EXPECT_THROW(static_cast<void>(Encoding::parse(bad)), mercer::Error) << bad;
}

TEST(Encoding, ManyLevelsMakeSparsePoints) {
  std::string text = "c,y\n";
  for (int i = 0; i < 200; ++i) text += "l" + std::to_string(i) + ",1\n";
  const Table t = mercer::parse_table(text, "a.csv");
  EXPECT_TRUE(t.points.is_sparse());
  EXPECT_EQ(t.columns(), 200U);
  EXPECT_EQ(t.points.entries(), 200U);
}

}  // namespace
