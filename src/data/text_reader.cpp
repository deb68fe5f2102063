// Numbers and labels as text, separated by commas, semicolons or tabs (RFC 4180 and its relatives).
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "data/cell.hpp"
#include "data/place.hpp"
#include "data/reader.hpp"

namespace mercer::data {

namespace {

struct Cell {
  std::string text;  // without quotes and outer blanks
  bool quoted = false;
};

// The records of a file, one at a time, with the line on which each begins.
class Records {
 public:
  explicit Records(const Source& source) : rest_(source.content), name_(source.name) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
    refuse_binary();
    delimiter_ = guess_delimiter();
  }

  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] char delimiter() const { return delimiter_; }

  bool next(std::vector<Cell>& cells) {
    line_ = next_line_;
    if (only_blank_lines_left()) return false;
    cells.clear();
    bool more = true;
    while (more) more = cell(cells.emplace_back());
    ++next_line_;
    if (cells.size() == 1 && cells[0].text.empty() && !cells[0].quoted)
      fail(name_, line_, "this line is empty; remove it, or write what is missing");
    return true;
  }

 private:
  void refuse_binary() const {
    std::size_t line = 1;
    for (const char c : rest_) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '\n') ++line;
      if ((byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7f)
        fail(name_, line,
             "a control character (byte " + std::to_string(byte) +
                 "): this is neither text nor a .npy file");
    }
  }

  [[nodiscard]] char guess_delimiter() const {
    bool quoted = false;
    bool comma = false;
    bool semicolon = false;
    for (const char c : rest_) {
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (c == '\n') break;
      if (c == '\t') return '\t';
      comma = comma || c == ',';
      semicolon = semicolon || c == ';';
    }
    return semicolon || !comma ? ';' : ',';
  }

  [[nodiscard]] bool only_blank_lines_left() const {
    return std::ranges::all_of(rest_, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
  }

  // Reads a cell; whether another one follows in the record.
  bool cell(Cell& cell) {
    while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
    if (rest_.starts_with('"')) {
      quoted(cell);
    } else {
      std::size_t end = 0;
      while (end < rest_.size() && rest_[end] != delimiter_ && rest_[end] != '\n') ++end;
      std::string_view text = rest_.substr(0, end);
      rest_.remove_prefix(end);
      if (text.ends_with('\r') && (rest_.empty() || rest_[0] == '\n')) text.remove_suffix(1);
      cell.text = trimmed(text);
      if (cell.text.find('\r') != std::string::npos)
        fail(name_, next_line_,
             "a carriage return inside a line; save the file with ordinary line ends");
    }
    if (rest_.empty()) return false;
    const bool more = rest_[0] == delimiter_;
    rest_.remove_prefix(1);
    return more;
  }

  void quoted(Cell& cell) {
    cell.quoted = true;
    const std::size_t begun = next_line_;
    rest_.remove_prefix(1);
    while (true) {
      if (rest_.empty()) fail(name_, begun, "a quote that is never closed");
      const char c = rest_[0];
      rest_.remove_prefix(1);
      if (c == '"') {
        if (!rest_.starts_with('"')) break;
        rest_.remove_prefix(1);
      }
      if (c == '\n') ++next_line_;
      cell.text += c;
    }
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\r')) rest_.remove_prefix(1);
    if (!rest_.empty() && rest_[0] != delimiter_ && rest_[0] != '\n')
      fail(name_, next_line_, "text after a closing quote: " + shown(rest_.substr(0, 1)));
  }

  std::string_view rest_;
  std::string name_;
  char delimiter_ = ',';
  std::size_t line_ = 1;
  std::size_t next_line_ = 1;
};

class TextTable {
 public:
  TextTable(const Source& source, const ReadOptions& options)
      : records_(source), name_(source.name), options_(options) {}

  Table run() {
    std::vector<Cell> cells;
    if (!records_.next(cells)) fail(name_, "the file holds no data: nothing but blank lines");
    width_ = cells.size();
    const bool names = options_.header.value_or(looks_like_names(cells));
    if (names)
      for (const auto& c : cells) all_names_.push_back(c.text);
    find_label();
    std::string label_name;
    for (std::size_t j = 0; j < all_names_.size(); ++j)
      (label_ == j ? label_name : table_.names.emplace_back()) = all_names_[j];
    if (!names) add(cells);
    while (records_.next(cells)) add(cells);
    if (rows_ == 0) fail(name_, "there are names of columns, but no rows below them");
    table_.points = Points::own(std::move(values_), rows_, width_ - (label_ ? 1 : 0));
    table_.labels = labels_of(labels_);
    table_.labels.name = label_name;
    return std::move(table_);
  }

 private:
  // None of the cells is a number, the label's aside: it tells nothing, being text as often as not.
  [[nodiscard]] bool looks_like_names(const std::vector<Cell>& cells) const {
    if (options_.labels == ReadOptions::Labels::column && !is_number_text(options_.label))
      return true;
    std::size_t label = cells.size();
    if (options_.labels == ReadOptions::Labels::last_column) label = cells.size() - 1;
    if (options_.labels == ReadOptions::Labels::column)
      label = label_index(options_.label, {}, cells.size(), name_);
    bool some = false;
    for (std::size_t j = 0; j < cells.size(); ++j) {
      if (j == label) continue;
      some = true;
      if (number_in(cells[j].text) || is_missing(cells[j].text)) return false;
    }
    return some;
  }

  static bool is_number_text(const std::string& text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  }

  void find_label() {
    if (options_.labels == ReadOptions::Labels::none) return;
    label_ = options_.labels == ReadOptions::Labels::column
                 ? label_index(options_.label, all_names_, width_, name_)
                 : width_ - 1;
    if (width_ < 2)
      fail(name_, records_.line(),
           "one column only, which would be the label; expected features beside it, separated by "
           "commas, semicolons or tabs");
  }

  [[nodiscard]] std::string column(std::size_t j) const {
    std::string text = "column " + std::to_string(j + 1);
    if (j < all_names_.size() && !all_names_[j].empty()) text += " (" + shown(all_names_[j]) + ")";
    return text + ": ";
  }

  void add(const std::vector<Cell>& cells) {
    if (cells.size() != width_)
      fail(name_, records_.line(),
           std::to_string(cells.size()) + (cells.size() == 1 ? " cell" : " cells") +
               " in this line, " + std::to_string(width_) + " in the first");
    for (std::size_t j = 0; j < width_; ++j) {
      const std::string& text = cells[j].text;
      if (label_ == j) {
        if (text.empty()) fail(name_, records_.line(), column(j) + "the label is missing");
        labels_.push_back(text);
      } else {
        values_.push_back(number(text, j));
      }
    }
    ++rows_;
  }

  [[nodiscard]] double number(const std::string& text, std::size_t j) const {
    const auto value = number_in(text);
    if (value && std::isfinite(*value)) return *value;
    const std::string place = column(j);
    const std::size_t line = records_.line();
    if (is_missing(text))
      fail(name_, line,
           place + (text.empty() ? "" : shown(text) + ": ") +
               "a value is missing; fill it in, or leave the row out");
    if (value && text.find_first_of("iInN") != std::string::npos)
      fail(name_, line, place + shown(text) + " is not a finite number");
    if (value) fail(name_, line, place + shown(text) + " is out of the range of a double");
    if (records_.delimiter() == ';' && text.find(',') != std::string::npos)
      fail(name_, line, place + shown(text) + " is not a number; write decimals with a point");
    fail(name_, line,
         place + shown(text) + " is not a number; expected one" +
             (label_ ? " in every column but the label's, " + std::to_string(*label_ + 1) : ""));
  }

  Records records_;
  std::string name_;
  const ReadOptions& options_;
  Table table_;
  std::size_t rows_ = 0;
  std::vector<double> values_;
  std::vector<std::string> labels_;
  std::size_t width_ = 0;
  std::vector<std::string> all_names_;
  std::optional<std::size_t> label_;
};

}  // namespace

Table read_text(const Source& source, const ReadOptions& options) {
  return TextTable(source, options).run();
}

std::vector<std::string> read_label_lines(const Source& source) {
  Records records(source);
  std::vector<Cell> cells;
  std::vector<std::string> labels;
  while (records.next(cells)) {
    if (cells.size() != 1)
      fail(source.name, records.line(),
           std::to_string(cells.size()) + " cells in this line; expected one label per line");
    labels.push_back(cells[0].text);
  }
  if (labels.empty()) fail(source.name, "the file holds no labels: nothing but blank lines");
  return labels;
}

}  // namespace mercer::data
