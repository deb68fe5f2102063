// A file in batches of any size is the file as a whole, and has the same mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mercer/error.hpp>
#include <mercer/matrix.hpp>
#include <mercer/table_stream.hpp>
#include <zlib.h>

#include "support/folder.hpp"
#include "support/random.hpp"

namespace {

using mercer::Encoding;
using mercer::EncodingReport;
using mercer::Missing;
using mercer::ReadOptions;
using mercer::Scaling;
using mercer::Table;
using mercer::TableStream;
using testing::HasSubstr;

std::string packed(const std::string& text) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// All that a file says, or the mistake.
struct Said {
  std::vector<double> points;
  std::vector<std::string> labels;
  std::vector<double> weights;
  std::vector<std::int64_t> groups;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t filled = 0;
  std::size_t ignored = 0;
  std::vector<std::size_t> dropped;
  std::vector<std::string> unseen;
  std::string error;

  bool operator==(const Said&) const = default;

  void add(const Table& t) {
    const auto more = dense(t.points).values;
    points.insert(points.end(), more.begin(), more.end());
    for (std::size_t i = 0; i < t.labels.size(); ++i) labels.push_back(t.labels.text(i));
    weights.insert(weights.end(), t.weights.begin(), t.weights.end());
    groups.insert(groups.end(), t.groups.begin(), t.groups.end());
    rows += t.rows();
    columns = t.columns();
  }
  void add(const EncodingReport& r) {
    filled = r.filled;
    ignored = r.ignored;
    dropped = r.dropped;
    for (const auto& u : r.unseen)
      unseen.push_back(u.column + "=" + u.level + " " + std::to_string(u.rows));
    std::sort(unseen.begin(), unseen.end());
  }
};

Said whole(const std::string& path, const Encoding& e, const ReadOptions& options) {
  Said said;
  try {
    EncodingReport report;
    said.add(read_encoded(path, e, options, &report));
    said.add(report);
  } catch (const mercer::Error& error) {
    said = {};
    said.error = error.what();
  }
  return said;
}

Said streamed(const std::string& path, const Encoding& e, const ReadOptions& options,
              std::size_t batch) {
  Said said;
  try {
    TableStream in(path, e, options);
    while (const auto table = in.next(batch)) {
      EXPECT_GT(table->rows(), 0U);
      EXPECT_LE(table->rows(), batch);
      said.add(*table);
    }
    EXPECT_FALSE(in.next(batch).has_value());
    said.add(in.report());
  } catch (const mercer::Error& error) {
    said = {};
    said.error = error.what();
  }
  return said;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

class TableStreamTest : public FolderTest {
 protected:
  void expect_same(const std::string& content, const Encoding& e, const ReadOptions& options = {}) {
    const std::string plain = file("data", content);
    const std::string gz = file("data.gz", packed(content));
    const Said expected = whole(plain, e, options);
    for (const std::size_t batch : {1U, 2U, 3U, 7U, 64U, 1000000U}) {
      const Said found = streamed(plain, e, options, batch);
      EXPECT_EQ(found.error, expected.error) << content.substr(0, 300);
      EXPECT_TRUE(found == expected) << "batch " << batch << ": " << content.substr(0, 300);
      Said unpacked = streamed(gz, e, options, batch);
      unpacked.error = replaced(unpacked.error, gz, plain);
      EXPECT_EQ(unpacked.error, expected.error);
      EXPECT_TRUE(unpacked == expected);
    }
  }

  Encoding fitted(const std::string& content, Missing missing = Missing::error,
                  Scaling scaling = Scaling::none) {
    return mercer::read_training(file("train", content), {},
                                 {.missing = missing, .scaling = scaling})
        .encoding;
  }
};

const std::string train = "age,colour,class\n30,red,yes\n20,blue,no\n50,green,yes\n";

TEST_F(TableStreamTest, TextInColumns) {
  const Encoding e = fitted(train, Missing::error, Scaling::standard);
  expect_same(train, e);
  expect_same("class,colour,other,age\nyes,red,x,1\nno,pink,y,2.5\nno,\"blu\"\"e\",z,3\n", e);
  expect_same("age,colour\n1,red\n2,blue", e);
  expect_same("age,colour\n1,red\n2,blue\n\n \n\n", e);
  expect_same("age;colour\r\n1;red\r\n2;blue\r\n", e);
  expect_same("age\tcolour\n1\t\"red\nline\"\n2\tblue\n\"3\"\tred\n", e);
  expect_same("\xef\xbb\xbf" + train, e);
}

TEST_F(TableStreamTest, MistakesInText) {
  const Encoding e = fitted(train);
  const std::string good = "age,colour,class\n1,red,yes\n2,blue,no\n3,red,no\n";
  for (const std::string bad :
       {"x,red,yes\n", "?,red,yes\n", "1,red\n", "1,red,yes,no\n", "\n1,red,yes\n",
        "1e999,red,no\n", "1,\"red,yes\n", "1,\"red\"x,yes\n", "1,red,\n", "1,,yes\n",
        "1,r\x01,yes\n", "1,red,yes\n\n\n4,red,no\n", "\"multi\nline\",red,yes\n"}) {
    expect_same(good + bad, e);
    expect_same(good + bad + "7,red,yes\n8,blue,no\n", e);
  }
  expect_same("", e);
  expect_same("\n\n", e);
  expect_same("age,colour,class\n", e);
  expect_same("age,class\n1,yes\n", e);
  expect_same("PK\x03\x04", e);
}

TEST_F(TableStreamTest, MissingValues) {
  const std::string holes = "a,c,y\n1,u,1\n?,v,2\n3,,1\n4,u,2\n";
  const std::string later = "a,c,y\n?,u,1\n?,,1\n3,w,2\n,v,1\n5,w,1\n6,x,2\n";
  for (const Missing missing : {Missing::drop, Missing::mean, Missing::indicator})
    for (const Scaling scaling : {Scaling::none, Scaling::minmax}) {
      const Encoding e = fitted(holes, missing, scaling);
      expect_same(holes, e);
      expect_same(later, e);
      expect_same("a,c,y\n?,u,1\n?,v,2\n", e);  // nothing is left, or all is filled
    }
}

TEST_F(TableStreamTest, WithoutNames) {
  const Encoding e = fitted("1,2,u\n3,4,v\n");
  expect_same("1,2,u\n3,4,v\n5,6,u\n", e);  // one more column: the label
  expect_same("1,2\n3,4\n5,6\n", e);        // no label
  expect_same("1,2,3,4\n", e);
  expect_same("1,2,u\n3,x,v\n", e);
  const Encoding numbers = fitted("1 1:2 2:3\n2 1:1\n");
  expect_same("1,2\n3,4\n", numbers);
  expect_same("1,2\nred,4\n", numbers);
  expect_same("1,2,9\n3,4,8\n", numbers);
}

TEST_F(TableStreamTest, WithoutNamesTheLabelFirst) {
  ReadOptions first;
  first.labels = ReadOptions::Labels::column;
  first.label = "1";
  const Encoding e = mercer::read_training(file("train", "u,1,2\nv,3,4\n"), first, {}).encoding;
  expect_same("u,5,6\nv,7,8\n", e);  // the label first, or last?
  expect_same("u,5,6\nv,7,8\n", e, first);
  expect_same("5,6\n7,8\n", e);
  // For predictions the label is passed over, whatever it holds.
  const std::string later = file("later", "u,5,6\n,7,8\n?,9,1\n");
  TableStream in(later, e, first, TableStream::Labels::ignored);
  const auto table = in.next(10);
  ASSERT_TRUE(table.has_value());
  EXPECT_THAT(dense(table->points).values, testing::ElementsAre(5, 6, 7, 8, 9, 1));
}

TEST_F(TableStreamTest, Weights) {
  const Encoding e = fitted(train);
  ReadOptions options;
  options.weight = "w";
  expect_same("age,colour,w,class\n1,red,2,yes\n2,blue,0.5,no\n", e, options);
  expect_same("age,colour,w,class\n1,red,2,yes\n2,blue,-1,no\n", e, options);
  expect_same("age,colour,w,class\n1,red,2,yes\n2,blue,,no\n", e, options);
}

TEST_F(TableStreamTest, LibSvm) {
  const Encoding e = fitted("1 1:2 3:3\n-1 2:1\n", Missing::error, Scaling::minmax);
  expect_same("1 1:2\n-1\n# a comment\n\n1 2:1 3:4 # more\n-1 4:1 9:2", e);
  expect_same("1 qid:1 1:2\n-1 qid:2 3:1\n", e);
  expect_same("a 1:2\nb 3:1\n7 1:1\n", e);
  for (const std::string bad : {"1 1:x\n", "1 2:1 1:1\n", "1 qid:3 1:1\n", "1 0:1\n", "x,y 1:1\n"})
    expect_same("1 1:2\n-1 2:1\n\n" + bad + "1 1:1\n", e);
  expect_same("# nothing\n\n", e);
  ReadOptions column;
  column.labels = ReadOptions::Labels::column;
  column.label = "1";
  expect_same("1 1:2\n", e, column);
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& body,
                const std::string& order = "False") {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size());
  text += '\0';
  return text + header + body;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST_F(TableStreamTest, Npy) {
  const Encoding e = fitted("1,2,u\n3,4,v\n", Missing::error, Scaling::standard);
  const std::string six = raw(std::vector<double>{1, 2, 3, 4, 5, 6});
  expect_same(npy("<f8", "(2, 3)", six), e);
  expect_same(npy("<f8", "(3, 2)", six), e);
  expect_same(npy("<f8", "(3, 2)", six, "True"), e);
  expect_same(npy("<i2", "(2, 3)", raw(std::vector<std::int16_t>{1, 2, 3, 4, 5, 6})), e);
  expect_same(npy("<f4", "(3, 2)", raw(std::vector<float>{1, 2, 3, 4, 5, 6})), e);
  expect_same(npy("<f8", "(3, 2)", raw(std::vector<double>{1, 2, 3, 4, NAN, 6})), e);
  expect_same(npy("<f8", "(4, 2)", six), e);
  expect_same(npy("<f8", "(2, 2)", six), e);
  expect_same(npy("<f8", "(1, 6)", six), e);
  expect_same(npy(">f8", "(3, 2)", six), e);
  const Encoding mean = fitted("1,2,u\n3,?,v\n", Missing::mean);
  expect_same(npy("<f8", "(3, 2)", raw(std::vector<double>{1, 2, 3, 4, NAN, 6})), mean);
}

// Files that went wrong at random: the same rows, or the same mistake.
TEST_F(TableStreamTest, DamagedText) {
  Random random(2);
  const Encoding named = fitted(train, Missing::mean);
  const Encoding sparse = fitted("1 1:2 3:3\n-1 2:1\n");
  const std::string good_csv =
      "age,colour,class\n1,red,yes\n2,\"bl\"\"ue\",no\n,red,no\n4,\"gr\nay\",yes\n5,blue,no\n";
  const std::string good_libsvm = "1 1:2\n-1 2:1 3:4\n# none\n\n1 1:1 5:2\n-1\n1 2:2\n";
  for (int round = 0; round < 400; ++round) {
    const bool csv = random.one_in(2);
    std::string text = csv ? good_csv : good_libsvm;
    for (std::size_t changes = 1 + random.below(3); changes > 0; --changes) {
      const std::size_t at = random.below(text.size());
      const char c = random.pick({'\n', '\n', '"', ',', ' ', '1', 'x', ':', '#', '\r', ';'});
      if (random.one_in(3)) {
        text.erase(at, 1);
      } else if (random.one_in(2)) {
        text.insert(at, 1, c);
      } else {
        text[at] = c;
      }
    }
    const Encoding& e = csv ? named : sparse;
    const std::string name = file("data", text);
    const Said expected = whole(name, e, {});
    for (const std::size_t batch : {1U, 2U, 5U}) {
      const Said found = streamed(name, e, {}, batch);
      EXPECT_EQ(found.error, expected.error) << text;
      EXPECT_TRUE(found == expected) << text;
    }
  }
}

// Longer than the first look, and than what is read at once.
TEST_F(TableStreamTest, LongFiles) {
  Random random(1);
  const Encoding e = fitted(train);
  std::string text = "age,colour,class\n";
  while (text.size() < (std::size_t{3} << 20U))
    text += std::to_string(random.uniform(0, 100)) + "," +
            random.pick<const char*>({"red", "blue", "\"gre\nen\"", "pink"}) + ",yes\n";
  const std::string plain = file("long.csv", text);
  const std::string gz =
      file("long.csv.gz", packed(text.substr(0, 1000000)) + packed(text.substr(1000000)) + '\0');
  const Said expected = whole(plain, e, {});
  EXPECT_EQ(expected.error, "");
  for (const std::size_t batch : {std::size_t{1000}, std::size_t{30000}, std::size_t{1} << 40U}) {
    EXPECT_TRUE(streamed(plain, e, {}, batch) == expected);
    EXPECT_TRUE(streamed(gz, e, {}, batch) == expected);
  }
  const std::string bad = file("bad.csv", text + "x,red,yes\n");
  EXPECT_EQ(streamed(bad, e, {}, 1000).error, whole(bad, e, {}).error);
  EXPECT_NE(whole(bad, e, {}).error, "");
}

TEST_F(TableStreamTest, DamagedGzip) {
  const Encoding e = fitted(train);
  const std::string gz = packed(train);
  for (const std::string& bad : {gz.substr(0, gz.size() - 4), gz + "more", gz.substr(0, 20)}) {
    const std::string name = file("bad.gz", bad);
    EXPECT_EQ(streamed(name, e, {}, 2).error, whole(name, e, {}).error);
    EXPECT_NE(whole(name, e, {}).error, "");
  }
  EXPECT_THAT(streamed(path("absent"), e, {}, 2).error, HasSubstr("No such file"));
  EXPECT_THAT(streamed(path("."), e, {}, 2).error, HasSubstr("folder"));
}

TEST_F(TableStreamTest, LabelsPassedOver) {
  const auto points = [&](const std::string& content, const Encoding& e) {
    TableStream in(file("t", content), e, {}, TableStream::Labels::ignored);
    std::vector<double> all;
    while (const auto table = in.next(1)) {
      EXPECT_TRUE(table->labels.empty());
      const auto some = dense(table->points).values;
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  };
  using testing::ElementsAre;
  const Encoding named = fitted("a,b,y\n1,2,u\n3,4,v\n");
  EXPECT_THAT(points("b,a,y\n2,1,u\n4,3,\n", named), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(points("b,a\n2,1\n", named), ElementsAre(1, 2));
  const Encoding places = fitted("1,2,u\n3,4,v\n");
  EXPECT_THAT(points("1,2,u\n3,4,\n", places), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(points("1,2\n3,4\n", places), ElementsAre(1, 2, 3, 4));
  const Encoding sparse = fitted("1 1:2 2:3\n2 1:1\n");
  EXPECT_THAT(points("1 1:2\n2:3\n?  1:1\n", sparse), ElementsAre(2, 0, 0, 3, 1, 0));
  EXPECT_THAT(points("1,2,7\n", sparse), ElementsAre(1, 2));
}

TEST_F(TableStreamTest, LabelsAsText) {
  const Encoding e = fitted("a,y\n1,007\n2,x\n");
  ReadOptions options;
  options.text_labels = true;
  TableStream in(file("t", "a,y\n1,007\n2,x\n"), e, options);
  EXPECT_EQ(in.next(1)->labels.text(0), "007");
  EXPECT_EQ(in.next(1)->labels.text(0), "x");
}

}  // namespace
