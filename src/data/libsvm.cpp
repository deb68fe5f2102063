// LIBSVM and svmlight text: one point per line,
//
//     label [qid:group] index:value index:value …  # comment
//
// with indices from 1, ascending, and zeros left out.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "data/chunks.hpp"
#include "data/number.hpp"
#include "data/place.hpp"
#include "data/reader.hpp"

namespace mercer::data {

namespace {

constexpr std::int64_t most_columns = std::numeric_limits<std::int32_t>::max();

bool ends_token(const char* p, const char* end) {
  return p == end || *p == ' ' || *p == '\n' || *p == '\t' || *p == '\r' || *p == '#';
}

std::string_view token_at(const char* p, const char* end) {
  const char* q = p;
  while (!ends_token(q, end)) ++q;
  return {p, static_cast<std::size_t>(q - p)};
}

// The rows of one piece of the file. Entries go to memory that is reserved for as many as there can
// be, four bytes each (" 1:1"), and touched only where there are.
template <class T>
struct Rows {
  std::vector<std::int64_t> ends;  // entries up to the end of each row
  std::vector<double> labels;
  std::vector<std::pair<std::size_t, std::string>> texts;  // labels that are no numbers
  std::vector<std::int64_t> groups;
  std::unique_ptr<std::int32_t[]> indices;
  std::unique_ptr<T[]> values;
  std::size_t entries = 0;
  std::int64_t largest = -1;  // index, from 0
};

template <class T>
class Lines {
 public:
  Lines(const Source& source, const ReadOptions& options, bool grouped, std::string_view piece)
      : source_(source),
        labelled_(options.labels != ReadOptions::Labels::none),
        grouped_(grouped),
        base_(options.zero_based ? 0 : 1),
        most_(options.columns == 0 ? most_columns : static_cast<std::int64_t>(options.columns)),
        p_(piece.data()),
        end_(piece.data() + piece.size()) {
    const std::size_t most = piece.size() / 4 + 1;
    rows_.indices = std::make_unique_for_overwrite<std::int32_t[]>(most);
    rows_.values = std::make_unique_for_overwrite<T[]>(most);
  }

  Rows<T> run() {
    while (p_ != end_) line();
    return std::move(rows_);
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
    std::int32_t* const indices = rows_.indices.get();
    T* const values = rows_.values.get();
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
  Rows<T> rows_;
};

// All labels are text where one is.
Labels labels_in(const std::vector<std::size_t>& starts, std::vector<double> numbers,
                 const std::vector<std::vector<std::pair<std::size_t, std::string>>>& texts) {
  Labels labels;
  if (std::ranges::all_of(texts, [](const auto& t) { return t.empty(); })) {
    labels.numbers = std::move(numbers);
    return labels;
  }
  std::vector<std::string> all(numbers.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = shortest(numbers[i]);
  for (std::size_t c = 0; c < texts.size(); ++c)
    for (const auto& [row, text] : texts[c]) all[starts[c] + row] = text;
  return labels_of(all);
}

template <class T>
Table joined(const Source& source, std::vector<Rows<T>> pieces, const ReadOptions& options) {
  std::vector<std::size_t> row_starts;
  std::vector<std::size_t> entry_starts;
  std::size_t rows = 0;
  std::size_t entries = 0;
  std::int64_t columns = 1;
  for (const auto& piece : pieces) {
    row_starts.push_back(rows);
    entry_starts.push_back(entries);
    rows += piece.ends.size();
    entries += piece.entries;
    columns = std::max(columns, piece.largest + 1);
  }
  if (rows == 0) fail(source.name, "the file holds no data: nothing but blank lines");
  struct Memory {
    std::unique_ptr<std::int64_t[]> offsets;
    std::unique_ptr<std::int32_t[]> indices;
    std::unique_ptr<T[]> values;
  };
  const auto memory = std::make_shared<Memory>();
  memory->offsets = std::make_unique_for_overwrite<std::int64_t[]>(rows + 1);
  memory->indices = std::make_unique_for_overwrite<std::int32_t[]>(entries);
  memory->values = std::make_unique_for_overwrite<T[]>(entries);
  memory->offsets[0] = 0;
  const bool labelled = options.labels != ReadOptions::Labels::none;
  const bool grouped = std::ranges::any_of(pieces, [](const auto& p) { return !p.groups.empty(); });
  Table table;
  std::vector<double> labels(labelled ? rows : 0);
  if (grouped) table.groups.resize(rows);
  parallel_for(pieces.size(), options.threads, [&](std::size_t c) {
    auto& piece = pieces[c];
    std::copy_n(piece.indices.get(), piece.entries, memory->indices.get() + entry_starts[c]);
    std::copy_n(piece.values.get(), piece.entries, memory->values.get() + entry_starts[c]);
    piece.indices.reset();
    piece.values.reset();
    const auto at = static_cast<std::ptrdiff_t>(row_starts[c]);
    std::ranges::transform(piece.ends, memory->offsets.get() + at + 1, [&](std::int64_t e) {
      return e + static_cast<std::int64_t>(entry_starts[c]);
    });
    std::ranges::copy(piece.labels, labels.begin() + at);
    std::ranges::copy(piece.groups, table.groups.begin() + at);
  });
  std::vector<std::vector<std::pair<std::size_t, std::string>>> texts;
  for (auto& piece : pieces) texts.push_back(std::move(piece.texts));
  table.labels = labels_in(row_starts, std::move(labels), texts);
  table.points =
      Points::sparse(memory->offsets.get(), memory->indices.get(), memory->values.get(), rows,
                     std::max(options.columns, static_cast<std::size_t>(columns)), memory);
  return table;
}

// Whether the first line with a point has a qid; all others then have one.
bool has_groups(std::string_view content) {
  const char* p = content.data();
  const char* end = p + content.size();
  while (p != end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n' || *p == '#')) {
    if (*p == '#') p = std::find(p, end, '\n');
    if (p != end) ++p;
  }
  p += token_at(p, end).size();
  while (p != end && (*p == ' ' || *p == '\t')) ++p;
  return token_at(p, end).starts_with("qid:");
}

template <class T>
Table read_as(const Source& source, const ReadOptions& options) {
  const auto pieces = line_chunks(source.content, options.threads);
  const bool grouped = has_groups(source.content);
  std::vector<Rows<T>> rows(pieces.size());
  parallel_for(pieces.size(), options.threads, [&](std::size_t c) {
    rows[c] = Lines<T>(source, options, grouped, pieces[c]).run();
  });
  return joined(source, std::move(rows), options);
}

}  // namespace

bool is_libsvm(std::string_view content) {
  constexpr std::size_t enough = std::size_t{1} << 20U;
  content = content.substr(0, enough);
  while (!content.empty()) {
    const auto stop = std::min(content.find('\n'), content.size());
    std::string_view line = content.substr(0, stop);
    content.remove_prefix(std::min(stop + 1, content.size()));
    line = line.substr(0, line.find('#'));
    std::size_t tokens = 0;
    std::size_t entries = 0;
    const char* p = line.data();
    const char* end = p + line.size();
    while (p != end) {
      const std::string_view token = token_at(p, end);
      p += token.empty() ? 1 : token.size();
      if (token.empty()) continue;
      ++tokens;
      const auto colon = token.find(':');
      const auto before = token.substr(0, colon);
      if (colon == std::string_view::npos) continue;
      const bool entry = before == "qid" ||
                         (!before.empty() &&
                          std::ranges::all_of(before.substr(before[0] == '-' ? 1 : 0), is_digit));
      if (entry && token.find_first_of(",;\"/") == std::string_view::npos) ++entries;
    }
    // A label alone says nothing: look at the next line.
    if (tokens >= 2 || entries > 0) return entries > 0 && entries + 1 >= tokens;
  }
  return false;
}

Table read_libsvm(const Source& source, const ReadOptions& options) {
  return options.scalar == Points::Scalar::float32 ? read_as<float>(source, options)
                                                   : read_as<double>(source, options);
}

}  // namespace mercer::data
