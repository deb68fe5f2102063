// Descriptions against plain computations, and suspicions each by a file that earns it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mercer/describe.hpp>

#include "support/folder.hpp"

namespace {

using mercer::DataSummary;
using mercer::Suspicion;
using Kind = Suspicion::Kind;
using testing::ElementsAre;
using testing::HasSubstr;

class Describe : public FolderTest {
 protected:
  [[nodiscard]] DataSummary of(const std::string& text) const {
    return mercer::describe(file("a.csv", text));
  }
};

std::vector<Kind> kinds(const DataSummary& s) {
  std::vector<Kind> result;
  for (const auto& suspicion : s.suspicions) result.push_back(suspicion.kind);
  return result;
}

TEST_F(Describe, NumbersOfAColumn) {
  const DataSummary s = of("a,b,y\n1,0,u\n4,2,v\n7,,u\n");
  EXPECT_EQ(s.rows, 3U);
  ASSERT_EQ(s.columns.size(), 2U);
  EXPECT_EQ(s.columns[0].least, 1);
  EXPECT_EQ(s.columns[0].largest, 7);
  EXPECT_DOUBLE_EQ(s.columns[0].mean, 4);
  EXPECT_DOUBLE_EQ(s.columns[0].deviation, std::sqrt(6));
  EXPECT_EQ(s.columns[1].zeros, 1U);
  EXPECT_EQ(s.missing, 1U);
  EXPECT_EQ(s.rows_with_missing, 1U);
  EXPECT_EQ(s.entries, 4U);
}

TEST_F(Describe, HugeAndTinyNumbers) {
  for (const std::string size : {"1e308", "1e-300"}) {
    const auto s = of("a,y\n" + size + ",u\n-" + size + ",v\n").columns[0];
    EXPECT_EQ(s.mean, 0);
    EXPECT_DOUBLE_EQ(s.deviation, std::stod(size));
  }
}

TEST_F(Describe, SparseColumnsCountTheirZeros) {
  const DataSummary s = of("1 1:3 4:1\n2 1:3\n1 1:3 2:6 4:2\n");
  EXPECT_TRUE(s.sparse);
  EXPECT_EQ(s.entries, 6U);
  EXPECT_DOUBLE_EQ(s.columns[1].mean, 2);
  EXPECT_DOUBLE_EQ(s.columns[1].deviation, std::sqrt(8));
  EXPECT_EQ(s.columns[1].least, 0);
  ASSERT_THAT(kinds(s), ElementsAre(Kind::constant));
  EXPECT_THAT(s.suspicions[0].columns, ElementsAre(0, 2));
}

TEST_F(Describe, Suspicions) {
  EXPECT_THAT(kinds(of("5,1,a\n5,3,b\n5,2,a\n")), ElementsAre(Kind::constant));
  EXPECT_THAT(kinds(of("2,1,2,a\n4,3,4,b\n0,2,0,a\n")), ElementsAre(Kind::duplicate));
  EXPECT_THAT(kinds(of("u,v,u,y\n2,1,5,a\n4,3,4,b\n0,2,6,a\n")), ElementsAre(Kind::same_name));
  EXPECT_THAT(kinds(of("1,1,a\n2,3,b\n3,0,a\n")), ElementsAre(Kind::id));
  EXPECT_THAT(kinds(of("3,1,a\n4,2000,b\n5.5,9000,a\n")), ElementsAre(Kind::scales));
  EXPECT_THAT(kinds(of("3,1,a\n5,2,a\n4,9,a\n")), ElementsAre(Kind::one_class));
  const DataSummary mixed = of("n,y\n3,a\n4,b\n4x,a\n");
  ASSERT_THAT(kinds(mixed), ElementsAre(Kind::number_as_text));
  EXPECT_THAT(mixed.suspicions[0].text, HasSubstr("2 numbers and 1 other cells, as '4x'"));
  EXPECT_THAT(kinds(of("n;y\n3,5;a\n4,5;b\n")), ElementsAre(Kind::number_as_text));
  std::string names = "n,k,y\n";
  std::string rare = "k,y\n";
  for (int i = 0; i < 60; ++i) {
    names += "n" + std::to_string(i) + "," + std::to_string(i * i % 7) + "," + "ab"[i % 2] + "\n";
    rare += std::to_string(i * i % 7) + "," + (i == 9 ? 'c' : "ab"[i % 2]) + "\n";
  }
  EXPECT_THAT(kinds(of(names)), ElementsAre(Kind::id));
  EXPECT_THAT(kinds(of(rare)), ElementsAre(Kind::rare_class));
}

}  // namespace
