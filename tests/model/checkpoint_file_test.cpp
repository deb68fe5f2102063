// Checkpoints: what is written is what is read, and nothing else is.
#include "model/checkpoint_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <mercer/error.hpp>

#include "base/checksum.hpp"
#include "base/random.hpp"

namespace mercer::model {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

data::Source source(std::string_view bytes) { return {bytes, "c.state", {}, false, 0, 0}; }

CheckpointFile random_file(std::uint64_t seed) {
  RandomNumbers random(seed);
  const auto size = [&] { return static_cast<std::size_t>(5 * random.uniform()); };
  CheckpointFile file;
  file.fingerprint = {{"kernel", "rbf(2)"}, {"C", "1"}, {"", "\"\n"}};
  const std::size_t records = size();
  for (std::size_t r = 0; r < records; ++r) {
    Record& record = file.records["machine " + std::to_string(r)];
    record.texts["message"] = r % 2 == 0 ? "" : "α is the certificate";
    for (const char* name : {"beta", "f"})
      for (std::size_t n = size(); n > 0; --n) record.numbers[name].push_back(random.normal());
    record.numbers["none"] = {};
    record.numbers["odd ones"] = {-0.0, std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::denorm_min()};
    record.whole["rounds"] = {size(), ~std::uint64_t{0}};
  }
  return file;
}

std::string mistake_in_checkpoint(std::string_view bytes) {
  try {
    static_cast<void>(read_checkpoint(source(bytes)));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// With the text changed, and a header that belongs to it.
std::string with_text(const std::string& text, const std::string& numbers = {}) {
  std::string bytes = bytes_of({});
  const std::array<std::uint64_t, 3> words{40 + text.size() + numbers.size(), 0, text.size()};
  std::memcpy(bytes.data() + 16, words.data(), sizeof words);
  bytes = bytes.substr(0, 40) + text + numbers;
  const std::uint64_t sum = checksum(bytes.substr(0, 24) + bytes.substr(32));
  std::memcpy(bytes.data() + 24, &sum, sizeof sum);
  return bytes;
}

TEST(CheckpointFile, IsReadAsItWasWritten) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const CheckpointFile file = random_file(seed);
    const CheckpointFile again = read_checkpoint(source(bytes_of(file)));
    EXPECT_EQ(again.fingerprint, file.fingerprint);
    ASSERT_EQ(again.records.size(), file.records.size());
    for (const auto& [key, record] : file.records) {
      const Record& other = again.records.at(key);
      EXPECT_EQ(other.texts, record.texts);
      EXPECT_EQ(other.numbers, record.numbers);
      EXPECT_EQ(other.whole, record.whole);
    }
    EXPECT_EQ(bytes_of(again), bytes_of(file));
  }
}

TEST(CheckpointFile, WhatIsCutOffIsRefusedAtEveryLength) {
  const std::string bytes = bytes_of(random_file(3));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THAT(mistake_in_checkpoint(bytes.substr(0, length)),
                AnyOf(HasSubstr("truncated"), HasSubstr("empty")))
        << length;
  EXPECT_THAT(mistake_in_checkpoint(bytes + "x"), HasSubstr("1 bytes too many"));
}

TEST(CheckpointFile, EveryChangedByteIsSeen) {
  const std::string bytes = bytes_of(random_file(3));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 16);
    EXPECT_FALSE(mistake_in_checkpoint(other).empty()) << at;
  }
}

TEST(CheckpointFile, OtherFilesAreNamed) {
  EXPECT_THAT(mistake_in_checkpoint("label,x1,x2\n1,2,3\n"),
              HasSubstr("c.state: this is not a checkpoint"));
  std::string newer = bytes_of({});
  newer[8] = 2;
  EXPECT_THAT(mistake_in_checkpoint(newer), HasSubstr("newer mercer: format 2"));
}

TEST(CheckpointFile, TextsThatSaySomethingElseAreRefused) {
  const std::string good = R"({"fingerprint":{},"records":{"a":{"numbers":{"x":1},"texts":{},)"
                           R"("whole":{}}}})";
  EXPECT_EQ(mistake_in_checkpoint(with_text(good, std::string(8, '\0'))), "");
  EXPECT_THAT(mistake_in_checkpoint(with_text(good)), HasSubstr("fewer numbers"));
  EXPECT_THAT(mistake_in_checkpoint(with_text(good, std::string(16, '\0'))),
              HasSubstr("belong to nothing"));
  const std::string large = R"({"x":2305843009213693952}}}})";
  for (
      const std::string& text : std::vector<std::string>{
          "", "[]", "{}", "{", "1", R"({"fingerprint":{},"records":[]})",
          R"({"fingerprint":{"a":1},"records":{}})", R"({"fingerprint":{},"records":{"a":{}}})",
          R"({"fingerprint":{},"records":{},"more":{}})",
          R"({"fingerprint":{},"records":{"a":{"numbers":{"x":-1},"texts":{},"whole":{}}}})",
          R"({"fingerprint":{},"records":{"a":{"numbers":{"x":1e99},"texts":{},"whole":{}}}})",
          R"({"fingerprint":{},"records":{"a":{"numbers":{},"texts":{},"whole":)" + large,
          R"({"fingerprint":{},"records":{"a":{"numbers":{"x":[[[[[[]]]]]]},"texts":{},"whole":{}}}})"})
    EXPECT_THAT(mistake_in_checkpoint(with_text(text)), HasSubstr("corrupted")) << text;
}

}  // namespace
}  // namespace mercer::model
