// .npy files: every type that is read, both orders, all versions, and damage of all kinds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/matrix.hpp>

#include "support/random.hpp"

namespace {

using mercer::dense;
using mercer::Error;
using mercer::ReadOptions;
using mercer::Table;
using testing::ElementsAre;
using testing::HasSubstr;

std::string header(const std::string& dictionary, int version = 1) {
  std::string text("\x93NUMPY", 6);
  text += static_cast<char>(version);
  text += '\0';
  const std::string padded = dictionary + std::string(20, ' ') + "\n";
  const std::size_t width = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < width; ++i)
    text += static_cast<char>((padded.size() >> (8 * i)) & 0xffU);
  return text + padded;
}

std::string described(const std::string& type, const std::string& shape, bool fortran = false,
                      int version = 1) {
  return header("{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                    ", 'shape': " + shape + ", }",
                version);
}

template <class Number>
std::string bytes(const std::vector<Number>& numbers) {
  std::string text;
  for (const Number& n : numbers) {
    std::array<char, sizeof n> raw{};
    std::memcpy(raw.data(), &n, sizeof n);
    text.append(raw.data(), raw.size());
  }
  return text;
}

Table read_npy_bytes(const std::string& content,
                     ReadOptions::Labels labels = ReadOptions::Labels::none) {
  ReadOptions options;
  options.labels = labels;
  return mercer::parse_table(content, "a.npy", options);
}

std::string npy_mistake(const std::string& content,
                        ReadOptions::Labels labels = ReadOptions::Labels::none) {
  try {
    read_npy_bytes(content, labels);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

template <class Number>
void expect_type(const std::string& type) {
  const auto numbers = std::vector<Number>{Number(1), Number(0), Number(3), Number(100)};
  const Table t = read_npy_bytes(described(type, "(2, 2)") + bytes(numbers));
  EXPECT_THAT(dense(t.points).values, ElementsAre(1, 0, 3, 100)) << type;
}

TEST(Npy, AllTypes) {
  expect_type<double>("<f8");
  expect_type<float>("<f4");
  expect_type<std::int64_t>("<i8");
  expect_type<std::uint64_t>("<u8");
  expect_type<std::int32_t>("<i4");
  expect_type<std::uint32_t>("<u4");
  expect_type<std::int16_t>("<i2");
  expect_type<std::uint16_t>("<u2");
  expect_type<std::int8_t>("|i1");
  expect_type<std::uint8_t>("|u1");
  EXPECT_THAT(
      dense(read_npy_bytes(described("|b1", "(3,)") + std::string("\x01\x00\x01", 3)).points)
          .values,
      ElementsAre(1, 0, 1));
}

TEST(Npy, WholeNumbersUpToTheLastThatIsExact) {
  const std::int64_t last = std::int64_t{1} << 53U;
  ReadOptions bare;
  bare.labels = ReadOptions::Labels::none;
  const auto read = [&](std::int64_t n) {
    return mercer::parse_table(described("<i8", "(1, 1)") + bytes(std::vector{n}), "a.npy", bare);
  };
  EXPECT_EQ(read(last).points(0, 0), 0x1p53);
  EXPECT_EQ(read(-last).points(0, 0), -0x1p53);
  EXPECT_THROW(read(last + 1), Error);
  EXPECT_THROW(read(-last - 1), Error);
}

TEST(Npy, OrdersShapesAndVersions) {
  const auto numbers = bytes(std::vector<double>{1, 2, 3, 4, 5, 6});
  EXPECT_THAT(dense(read_npy_bytes(described("<f8", "(2, 3)") + numbers).points).values,
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(dense(read_npy_bytes(described("<f8", "(2, 3)", true) + numbers).points).values,
              ElementsAre(1, 3, 5, 2, 4, 6));
  EXPECT_EQ(read_npy_bytes(described("<f8", "(6,)") + numbers).columns(), 1U);
  for (const int version : {1, 2, 3})
    EXPECT_EQ(read_npy_bytes(described("<f8", "(3, 2)", false, version) + numbers).rows(), 3U);
}

TEST(Npy, TheLabelIsTheLastColumn) {
  const auto content = described("<f8", "(2, 3)") + bytes(std::vector<double>{1, 2, -1, 4, 5, 1});
  const Table t = mercer::parse_table(content, "a.npy");
  EXPECT_THAT(dense(t.points).values, ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(t.labels.numbers, ElementsAre(-1, 1));
}

TEST(Npy, Mistakes) {
  const auto four = bytes(std::vector<double>{1, 2, 3, 4});
  EXPECT_THAT(npy_mistake(described("<f8", "(2, 3)") + four), HasSubstr("promises 2 by 3 numbers"));
  EXPECT_THAT(npy_mistake(described("<f8", "(2, 2)") + four + "x"), HasSubstr("33 bytes follow"));
  EXPECT_THAT(npy_mistake(described("<f8", "(999999999999999999, 999999999999999999)") + four),
              HasSubstr("promises"));
  EXPECT_THAT(npy_mistake(described("<f8", "(0, 2)")), HasSubstr("empty"));
  EXPECT_THAT(npy_mistake(described("<f8", "()") + bytes(std::vector<double>{1})),
              HasSubstr("0 dimensions"));
  EXPECT_THAT(npy_mistake(described("<f8", "(1, 2, 2)") + four), HasSubstr("3 dimensions"));
  EXPECT_THAT(npy_mistake(described(">f8", "(2, 2)") + four), HasSubstr("a.astype('<f8')"));
  EXPECT_THAT(npy_mistake(described("<f2", "(2, 2)") + "12345678"),
              HasSubstr("'<f2' are not read"));
  EXPECT_THAT(npy_mistake(described("|O", "(2, 2)")), HasSubstr("Python objects"));
  EXPECT_THAT(npy_mistake(described("<U5", "(2, 2)")), HasSubstr("text, not numbers"));
  EXPECT_THAT(
      npy_mistake(header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}")),
      HasSubstr("named fields"));
  EXPECT_THAT(npy_mistake(header("{'descr': '<f8', 'shape': (2,)}")), HasSubstr("damaged"));
  EXPECT_THAT(npy_mistake(header("nonsense")), HasSubstr("damaged"));
  EXPECT_THAT(npy_mistake("\x93NUMPY"), HasSubstr("ends within its header"));
  EXPECT_THAT(npy_mistake(described("<f8", "(2, 2)").substr(0, 30)), HasSubstr("ends within"));
  EXPECT_THAT(npy_mistake(described("<f8", "(2, 2)", false, 9) + four), HasSubstr("version 9"));
  EXPECT_THAT(npy_mistake(described("<f8", "(1, 2)") + bytes(std::vector<double>{1, NAN})),
              HasSubstr("row 1, column 2: nan is not a finite number; where"));
  for (const bool fortran : {false, true})
    EXPECT_THAT(
        npy_mistake(described("<f8", "(1, 2)", fortran) + bytes(std::vector<double>{1, NAN}),
                    ReadOptions::Labels::last_column),
        HasSubstr("row 1, column 2: the label nan is not a finite number; take the row"));
  EXPECT_THAT(npy_mistake(described("<i8", "(1,)") + bytes(std::vector<std::int64_t>{1LL << 60})),
              HasSubstr("beyond 2^53"));
}

TEST(Npy, HolesWithAPolicy) {
  const auto content = described("<f8", "(3, 2)") + bytes(std::vector<double>{1, 5, NAN, 6, 3, 7});
  ReadOptions options;
  EXPECT_THAT(npy_mistake(content), HasSubstr("row 2, column 1: nan is not a finite number"));
  options.missing = mercer::Missing::mean;
  EXPECT_THAT(dense(mercer::parse_table(content, "a.npy", options).points).values,
              ElementsAre(1, 2, 3));
  options.missing = mercer::Missing::drop;
  const Table t = mercer::parse_table(content, "a.npy", options);
  EXPECT_THAT(dense(t.points).values, ElementsAre(1, 3));
  EXPECT_THAT(t.labels.numbers, ElementsAre(5, 7));
}

TEST(Npy, EveryPrefixOfAFileIsRefused) {
  const auto whole = described("<f8", "(2, 2)") + bytes(std::vector<double>{1, 2, 3, 4});
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(npy_mistake(whole.substr(0, length)), "no error") << length;
}

}  // namespace
