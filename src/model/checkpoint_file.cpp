#include "model/checkpoint_file.hpp"

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/checksum.hpp"
#include "data/place.hpp"

namespace mercer::model {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they stand");

using Json = nlohmann::json;

constexpr std::string_view magic = "\x89mercck\n";
constexpr std::size_t header_size = 40;
constexpr std::size_t length_place = 16;
constexpr std::size_t checksum_place = 24;
constexpr std::size_t text_length_place = 32;
constexpr std::size_t word_size = 8;

template <class T>
void append(std::string& bytes, const T* values, std::size_t count) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

std::uint64_t checksum_of(std::string_view content) {
  Checksum sum;
  sum.add(content.substr(0, checksum_place));
  sum.add(content.substr(checksum_place + word_size));
  return sum.value();
}

class Reader {
 public:
  Reader(const data::Source& source, bool trusted) : name_(source.name), content_(source.content) {
    if (content_.empty()) data::fail(name_, "the file is empty, not a checkpoint");
    if (!content_.starts_with(magic.substr(0, content_.size())))
      data::fail(name_, "this is not a checkpoint of mercer; give another file");
    if (content_.size() < header_size) truncated(header_size);
    std::uint32_t version = 0;
    std::memcpy(&version, content_.data() + magic.size(), sizeof version);
    if (version > checkpoint_version)
      data::fail(name_, "was written by a newer mercer: format " + std::to_string(version) +
                            ", this one reads up to " + std::to_string(checkpoint_version));
    if (version == 0) corrupted("format 0");
    const std::uint64_t length = word(length_place);
    if (length > content_.size()) truncated(length);
    if (length < content_.size())
      corrupted(std::to_string(content_.size() - length) + " bytes too many follow at its end");
    if (!trusted && checksum_of(content_) != word(checksum_place))
      corrupted("its checksum is another");
    rest_ = content_.substr(header_size);
  }

  CheckpointFile run() {
    const std::uint64_t length = word(text_length_place);
    if (length > rest_.size()) corrupted("its text has no end");
    const Json json = parsed(rest_.substr(0, length));
    rest_.remove_prefix(length);
    if (!json.is_object() || json.size() != 2) corrupted("its text");
    CheckpointFile file;
    file.fingerprint = texts(part(json, "fingerprint"));
    for (const auto& [key, entry] : part(json, "records").items()) {
      if (!entry.is_object() || entry.size() != 3) corrupted("a record");
      Record record;
      record.texts = texts(part(entry, "texts"));
      for (const auto& [name, count] : part(entry, "numbers").items())
        record.numbers[name] = take<double>(count);
      for (const auto& [name, count] : part(entry, "whole").items())
        record.whole[name] = take<std::uint64_t>(count);
      file.records.emplace(key, std::move(record));
    }
    if (!rest_.empty()) corrupted("numbers that belong to nothing");
    return file;
  }

 private:
  [[noreturn]] void corrupted(const std::string& what) const {
    data::fail(name_, "the checkpoint is corrupted: " + what + "; remove it to begin anew");
  }
  [[noreturn]] void truncated(std::uint64_t expected) const {
    data::fail(name_, "the checkpoint is truncated: " + std::to_string(content_.size()) +
                          " bytes of " + std::to_string(expected) + "; remove it to begin anew");
  }

  [[nodiscard]] std::uint64_t word(std::size_t offset) const {
    std::uint64_t value = 0;
    std::memcpy(&value, content_.data() + offset, sizeof value);
    return value;
  }

  // No deeper than it has to be: the parser calls itself.
  [[nodiscard]] Json parsed(std::string_view text) const {
    bool shallow = true;
    constexpr int deepest = 4;
    const auto watch = [&](int depth, Json::parse_event_t, Json&) {
      shallow = shallow && depth <= deepest;
      return shallow;
    };
    Json json = Json::parse(text, watch, false);
    if (json.is_discarded() || !shallow) corrupted("its text");
    return json;
  }

  [[nodiscard]] const Json& part(const Json& json, const char* name) const {
    const auto at = json.find(name);
    if (at == json.end() || !at->is_object()) corrupted(std::string("its text has no ") + name);
    return *at;
  }

  [[nodiscard]] std::map<std::string, std::string> texts(const Json& json) const {
    std::map<std::string, std::string> all;
    for (const auto& [name, text] : json.items()) {
      if (!text.is_string()) corrupted("the text " + data::shown(name));
      all.emplace(name, text.get<std::string>());
    }
    return all;
  }

  template <class T>
  std::vector<T> take(const Json& count) {
    if (!count.is_number_unsigned() || count.get<std::uint64_t>() > rest_.size() / word_size)
      corrupted("there are fewer numbers than it says");
    std::vector<T> values(count.get<std::size_t>());
    if (!values.empty()) std::memcpy(values.data(), rest_.data(), values.size() * word_size);
    rest_.remove_prefix(values.size() * word_size);
    return values;
  }

  std::string name_;
  std::string_view content_;
  std::string_view rest_;  // that is not read yet
};

}  // namespace

std::string bytes_of(const CheckpointFile& checkpoint) {
  Json records = Json::object();
  std::string arrays;
  for (const auto& [key, record] : checkpoint.records) {
    Json numbers = Json::object();
    Json whole = Json::object();
    for (const auto& [name, values] : record.numbers) {
      numbers[name] = values.size();
      append(arrays, values.data(), values.size());
    }
    for (const auto& [name, values] : record.whole) {
      whole[name] = values.size();
      append(arrays, values.data(), values.size());
    }
    records[key] = {{"texts", record.texts}, {"numbers", numbers}, {"whole", whole}};
  }
  const std::string text =
      Json{{"fingerprint", checkpoint.fingerprint}, {"records", records}}.dump();
  std::string bytes(magic);
  const std::uint32_t version[2] = {checkpoint_version, 0};  // NOLINT(modernize-avoid-c-arrays)
  append(bytes, version, 2);
  const std::uint64_t words[3] = {header_size + text.size() + arrays.size(), 0,  // NOLINT
                                  text.size()};
  append(bytes, words, 3);
  bytes += text;
  bytes += arrays;
  const std::uint64_t sum = checksum_of(bytes);
  std::memcpy(bytes.data() + checksum_place, &sum, sizeof sum);
  return bytes;
}

CheckpointFile read_checkpoint(const data::Source& source, bool trusted) {
  return Reader(source, trusted).run();
}

}  // namespace mercer::model
