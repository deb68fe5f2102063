// Packed files are what they pack, and damaged ones are told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/matrix.hpp>

#include "data/gzip.hpp"
#include "support/folder.hpp"
#include "support/random.hpp"

namespace {

using mercer::Table;
using testing::HasSubstr;

std::string packed(const std::string& text) {
  std::string result;
  mercer::data::Packer packer([&](std::string_view bytes) { result += bytes; });
  packer.write(text);
  packer.finish();
  return result;
}

std::string gzip_mistake(const std::string& content) {
  try {
    mercer::parse_table(content, "a.gz");
  } catch (const mercer::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Gzip, ThereAndBack) {
  Random random(1);
  for (const std::size_t size : {0U, 1U, 1000U, 3000000U}) {
    std::string text(size, ' ');
    for (char& c : text) c = static_cast<char>(random.below(size > 1000 ? 4 : 256));
    EXPECT_EQ(mercer::data::gunzip(packed(text), "a").view(), text);
    // Members one after the other are one file.
    EXPECT_EQ(mercer::data::gunzip(packed(text) + packed(text), "a").view(), text + text);
  }
}

TEST(Gzip, DamageIsTold) {
  const std::string whole = packed("1,2,a\n3,4,b\n");
  EXPECT_EQ(mercer::parse_table(whole, "a").rows(), 2U);
  for (std::size_t length = 2; length < whole.size(); ++length)
    EXPECT_THAT(gzip_mistake(whole.substr(0, length)), HasSubstr("the gzip data end early"))
        << length;
  std::string bad = whole;
  bad[bad.size() - 6] = static_cast<char>(bad[bad.size() - 6] ^ 1);
  EXPECT_THAT(gzip_mistake(bad), HasSubstr("the gzip data are damaged"));
  EXPECT_THAT(gzip_mistake(whole + "more"), HasSubstr("something else after the gzip data"));
  EXPECT_THAT(gzip_mistake(packed("")), HasSubstr("the file is empty"));
}

class GzipFiles : public FolderTest {};

TEST_F(GzipFiles, EveryFormatPackedEqualsPlain) {
  Table t;
  t.points = mercer::Points::own(std::vector<double>{1, 0, 2.5, 0, 0, -3e-7}, 2, 3);
  t.labels.numbers = {1, -1};
  for (const std::string ending : {"libsvm", "csv", "tsv", "npy"}) {
    mercer::write_table(path("a." + ending), t);
    mercer::write_table(path("b." + ending + ".gz"), t);
    EXPECT_EQ(bytes(path("b." + ending + ".gz")).substr(0, 2), "\x1f\x8b");
    EXPECT_EQ(mercer::data::gunzip(bytes(path("b." + ending + ".gz")), "b").view(),
              bytes(path("a." + ending)));
    const Table plain = mercer::read_table(path("a." + ending));
    const Table unpacked = mercer::read_table(path("b." + ending + ".gz"));
    EXPECT_EQ(mercer::dense(plain.points).values, mercer::dense(t.points).values) << ending;
    EXPECT_EQ(mercer::dense(unpacked.points).values, mercer::dense(t.points).values) << ending;
    EXPECT_EQ(unpacked.labels.numbers, t.labels.numbers);
  }
}

}  // namespace
