#include "data/libsvm_lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "data/number.hpp"
#include "data/place.hpp"

namespace mercer::data {

namespace {

constexpr std::int64_t most_columns = std::numeric_limits<std::int32_t>::max();

bool ends_token(const char* p, const char* end) {
  return p == end || *p == ' ' || *p == '\n' || *p == '\t' || *p == '\r' || *p == '#';
}

template <class T>
class Lines {
 public:
  Lines(const Source& source, const ReadOptions& options, bool grouped, std::string_view piece,
        Rows<T>& rows)
      : source_(source),
        labelled_(options.labels != ReadOptions::Labels::none),
        grouped_(grouped),
        base_(options.zero_based ? 0 : 1),
        most_(options.columns == 0 ? most_columns : static_cast<std::int64_t>(options.columns)),
        p_(piece.data()),
        end_(piece.data() + piece.size()),
        rows_(rows) {}

  void run() {
    while (p_ != end_) line();
  }

 private:
  [[noreturn]] void fail_here(const char* place, const std::string& message) const {
    fail_at(source_, place, message);
  }

  void blanks() {
    while (p_ != end_ && (*p_ == ' ' || *p_ == '\t' || *p_ == '\r')) ++p_;
  }
  void rest_of_line() {
    const void* stop = std::memchr(p_, '\n', static_cast<std::size_t>(end_ - p_));
    p_ = stop == nullptr ? end_ : static_cast<const char*>(stop);
  }

  void line() {
    blanks();
    if (p_ != end_ && *p_ == '#') rest_of_line();
    if (p_ == end_) return;
    if (*p_ == '\n') {
      ++p_;
      return;
    }
    label();
    blanks();
    group();
    entries();
    rows_.ends.push_back(static_cast<std::int64_t>(rows_.entries));
  }

  void label() {
    const char* start = p_;
    double value = 0;
    const char* stop = read_number(p_, end_, value);
    if (stop != nullptr && ends_token(stop, end_)) {
      if (!std::isfinite(value))
        fail_here(start,
                  shown(token_at(start, end_)) + " is not a finite number; is it the label?");
      p_ = stop;
    } else {
      text_label(start);
    }
    if (labelled_) rows_.labels.push_back(value + 0.0);  // -0 is 0
  }

  void text_label(const char* start) {
    const std::string_view token = token_at(start, end_);
    if (token.find(':') != std::string_view::npos) {
      if (!labelled_) return;  // p_ stays at the first entry
      fail_here(start, "the label is missing: the line begins with " + shown(token));
    }
    for (const char c : token)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        fail_here(start, shown(token) + " holds control characters: this is no text file");
    if (token.find(',') != std::string_view::npos)
      fail_here(start, shown(token) +
                           " are several labels; expected one, and blanks between "
                           "entries");
    p_ = start + token.size();
    if (labelled_) rows_.texts.emplace_back(rows_.labels.size(), token);
  }

  void group() {
    constexpr std::string_view sign = "qid:";
    const bool there = std::string_view(p_, static_cast<std::size_t>(end_ - p_)).starts_with(sign);
    if (there != grouped_)
      fail_here(p_, there ? "a qid in this line, and none in the first"
                          : "no qid in this line, but one in the first");
    if (!there) return;
    const char* start = p_;
    p_ += sign.size();
    const char* digits = p_;
    std::int64_t value = 0;
    while (p_ != end_ && is_digit(*p_) && p_ - digits < 18) value = value * 10 + (*p_++ - '0');
    if (p_ == digits || !ends_token(p_, end_))
      fail_here(start, shown(token_at(start, end_)) + ": expected a whole number after qid:");
    rows_.groups.push_back(value);
  }

  // The hot loop.
  void entries() {
    const char* p = p_;
    std::int32_t* const indices = rows_.indices;
    T* const values = rows_.values;
    std::size_t n = rows_.entries;
    std::int64_t before = -1;
    while (true) {
      while (p != end_ && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
      if (p == end_) break;
      if (*p == '\n') {
        ++p;
        break;
      }
      const char* start = p;
      std::int64_t index = 0;
      while (p != end_ && is_digit(*p) && p - start < 11) index = index * 10 + (*p++ - '0');
      if (p == start || p == end_ || *p != ':') [[unlikely]] {
        if (*start != '#') bad_entry(start);
        p_ = start;
        rest_of_line();
        p = p_ == end_ ? p_ : p_ + 1;
        break;
      }
      index -= base_;
      if (index <= before || index >= most_) [[unlikely]]
        bad_index(start, index, before);
      before = index;
      T value = 0;
      const char* stop = read_number(p + 1, end_, value);
      if (stop == nullptr || !ends_token(stop, end_) || !std::isfinite(value)) [[unlikely]]
        bad_value(p + 1);
      p = stop;
      indices[n] = static_cast<std::int32_t>(index);
      values[n] = value;
      ++n;
    }
    rows_.entries = n;
    rows_.largest = std::max(rows_.largest, before);
    p_ = p;
  }

  [[noreturn]] void bad_entry(const char* place) const {
    const std::string_view token = token_at(place, end_);
    if (token.starts_with("qid:")) fail_here(place, "the qid stands after the label, once");
    if (token.starts_with('-'))
      fail_here(place, shown(token) + ": indices begin at " + std::to_string(base_));
    const auto colon = token.find(':');
    if (colon == 0) fail_here(place, shown(token) + ": the index is missing; expected index:value");
    if (colon != std::string_view::npos && std::ranges::all_of(token.substr(0, colon), is_digit))
      bad_index(place, most_, -1);
    fail_here(place, shown(token) + " found, expected index:value");
  }

  [[noreturn]] void bad_index(const char* place, std::int64_t index, std::int64_t before) const {
    const std::string found = shown(token_at(place, end_)) + ": ";
    if (index < 0)
      fail_here(place, found + "indices begin at 1; where they begin at 0, say so (--zero-based)");
    if (index >= most_)
      fail_here(place, found + "the index is beyond " + std::to_string(most_ - 1 + base_));
    if (index == before) fail_here(place, found + "this index was there already");
    fail_here(place, found + "indices ascend within a line; " + std::to_string(before + base_) +
                         " stands before it");
  }

  [[noreturn]] void bad_value(const char* place) const {
    const std::string_view token = token_at(place, end_);
    double value = 0;
    const char* stop = read_number(token.data(), token.data() + token.size(), value);
    if (token.empty()) fail_here(place, "the value is missing after the colon");
    if (stop != token.data() + token.size()) fail_here(place, shown(token) + " is not a number");
    if (token.find_first_of("iInN") != std::string_view::npos)
      fail_here(place, shown(token) + " is not a finite number");
    fail_here(place, shown(token) + " is out of the range of a " +
                         (sizeof(T) == sizeof(float) ? "float" : "double"));
  }

  const Source& source_;
  bool labelled_;
  bool grouped_;
  std::int64_t base_;
  std::int64_t most_;
  const char* p_;
  const char* end_;
  Rows<T>& rows_;
};

}  // namespace

std::string_view token_at(const char* p, const char* end) {
  const char* q = p;
  while (!ends_token(q, end)) ++q;
  return {p, static_cast<std::size_t>(q - p)};
}

template <class T>
void read_lines(const Source& source, const ReadOptions& options, bool grouped,
                std::string_view piece, Rows<T>& rows) {
  Lines<T>(source, options, grouped, piece, rows).run();
}

template void read_lines(const Source& source, const ReadOptions& options, bool grouped,
                         std::string_view piece, Rows<float>& rows);
template void read_lines(const Source& source, const ReadOptions& options, bool grouped,
                         std::string_view piece, Rows<double>& rows);

}  // namespace mercer::data
