#include "data/layout.hpp"

#include <algorithm>
#include <unordered_map>

#include "data/cell.hpp"
#include "data/place.hpp"
#include "data/reader.hpp"
#include "data/record.hpp"

namespace mercer::data {

namespace {

bool is_column_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Where all is text below, too: whether a cell of the first line returns in its column, as names do
// not but categories do.
bool returns_below(const Source& source, const std::vector<Cell>& first, std::size_t label,
                   const char* p, const char* end, char delimiter) {
  constexpr int enough = 100;
  std::deque<std::string> storage;
  bool returns = false;
  for (int line = 0; line < enough && p != end; ++line) {
    const auto cells = read_record(source, p, end, delimiter, storage);
    for (std::size_t j = 0; j < std::min(cells.size(), first.size()); ++j) {
      if (j == label || cells[j].text.empty()) continue;
      if (number_in(cells[j].text)) return false;
      returns = returns || cells[j].text == first[j].text;
    }
  }
  return returns;
}

// Whether the labels of the next lines are numbers, all of a few or more.
bool numbers_below(const Source& source, std::size_t label, const char* p, const char* end,
                   char delimiter) {
  constexpr int enough = 20;
  constexpr int few = 3;
  int seen = 0;
  for (; seen < enough && p != end; ++seen) {
    std::deque<std::string> storage;
    const auto cells = read_record(source, p, end, delimiter, storage);
    if (label >= cells.size() || !number_in(cells[label].text)) return false;
  }
  return seen >= few;
}

// None of the cells is a number, the label's aside: it tells nothing, being text as often as not.
bool looks_like_names(const Source& source, const std::vector<Cell>& cells, const char* below,
                      const char* end, char delimiter, const ReadOptions& options) {
  if (options.labels == ReadOptions::Labels::column && !is_column_number(options.label))
    return true;
  std::size_t label = cells.size();
  if (options.labels == ReadOptions::Labels::last_column) label = cells.size() - 1;
  if (options.labels == ReadOptions::Labels::column)
    label = label_index(options.label, {}, cells.size(), source.name);
  bool some = false;
  for (std::size_t j = 0; j < cells.size(); ++j) {
    if (j == label || cells[j].text.empty()) continue;  // the index of a data frame has no name
    some = true;
    if (!number_in(cells[j].text) && !is_missing(cells[j].text)) continue;
    // Years as names of columns?
    if (label < cells.size() && !cells[label].text.empty() && !number_in(cells[label].text) &&
        !is_missing(cells[label].text) && numbers_below(source, label, below, end, delimiter))
      fail_at(source, cells[label].place,
              "the label " + shown(cells[label].text) +
                  " is text, and those below it are numbers: is this a line of names? --header "
                  "says so, --no-header that it is not");
    return false;
  }
  return some && !returns_below(source, cells, label, below, end, delimiter);
}

class Assignment {
 public:
  Assignment(Layout& layout, const Source& source) : layout_(layout), source_(source) {
    for (std::size_t j = 0; j < layout.names.size(); ++j) {
      const auto [at, fresh] = places_.emplace(layout.names[j], j);
      if (!fresh) at->second = Layout::none;
    }
  }

  std::size_t index(const std::string& column, const std::string& what) const {
    const auto at = places_.find(column);
    if (at != places_.end() && at->second != Layout::none) return at->second;
    return column_index(column, layout_.names, layout_.width(), source_.name, what);
  }
  void set(const std::vector<std::string>& columns, Use use, const std::string& what) {
    for (const auto& column : columns) {
      Use& old = layout_.uses[index(column, what)];
      if (old == Use::guess) old = use;
    }
  }

 private:
  Layout& layout_;
  const Source& source_;
  // Of names that are there once: there may be a hundred thousand, and each is asked for.
  std::unordered_map<std::string_view, std::size_t> places_;
};

void assign(Layout& layout, const Source& source, const ReadOptions& options) {
  Assignment to(layout, source);
  if (options.labels == ReadOptions::Labels::last_column) layout.label = layout.width() - 1;
  const bool there = options.labels == ReadOptions::Labels::column_if_there &&
                     std::ranges::count(layout.names, options.label) == 1;
  if (options.labels == ReadOptions::Labels::column || there)
    layout.label = label_index(options.label, layout.names, layout.width(), source.name);
  if (!options.weight.empty()) {
    layout.weight = to.index(options.weight, "the weights");
    if (layout.weight == layout.label)
      fail(source.name, "column " + std::to_string(layout.label + 1) +
                            " cannot be both the label and the weights");
    layout.uses[layout.weight] = Use::weight;
  }
  if (layout.label != Layout::none) layout.uses[layout.label] = Use::label;
  std::vector<bool> wanted(layout.width());
  if (options.only)
    for (const auto& name : *options.only) {
      const std::size_t j = to.index(name, "the points");
      wanted[j] = true;
      if (j == layout.label || j == layout.weight)
        fail(source.name, "column " + shown(name) +
                              " is one of those that the model learned from; it cannot also be " +
                              (j == layout.label ? "the label" : "the weights"));
    }
  for (const auto& name : options.ignore) {
    const std::size_t j = to.index(name, "a column to ignore");
    if (j == layout.weight)
      fail(source.name, "column " + shown(name) + " cannot be both the weights and ignored");
    if (j == layout.label)
      fail(source.name, "column " + shown(name) +
                            " is the label, and cannot be ignored; --label names another one, "
                            "--no-labels says that there is none");
  }
  to.set(options.ignore, Use::skip, "a column to ignore");
  to.set(options.categories, Use::category, "categories");
  to.set(options.numbers, Use::number, "numbers");
  for (std::size_t j = 0; options.only && j < layout.width(); ++j)
    if (!wanted[j] && j != layout.label && j != layout.weight) layout.uses[j] = Use::skip;
  if (options.numbers_only) std::ranges::replace(layout.uses, Use::guess, Use::number);
}

}  // namespace

std::size_t Layout::slot_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(slots, [](std::size_t s) { return s != none; }));
}

std::string Layout::column(std::size_t j) const {
  std::string text = "column " + std::to_string(j + 1);
  if (j < names.size() && !names[j].empty()) text += " (" + shown(names[j]) + ")";
  return text + ": ";
}

namespace {

// Where the first line begins that is not blank.
const char* begin_of(const Source& source) {
  std::string_view text = text_of(source);
  if (is_blank(text)) fail(source.name, "the file holds no data: nothing but blank lines");
  for (auto stop = text.find('\n'); is_blank(text.substr(0, stop)); stop = text.find('\n'))
    text.remove_prefix(stop + 1);
  return text.data();
}

char delimiter_of(const char* begin, const char* end, const ReadOptions& options) {
  if (options.format == FileFormat::tsv) return '\t';
  return guess_delimiter({begin, static_cast<std::size_t>(end - begin)});
}

}  // namespace

std::vector<std::string> first_line(const Source& source, const ReadOptions& options) {
  const char* p = begin_of(source);
  const char* end = source.content.data() + source.content.size();
  std::deque<std::string> storage;
  std::vector<std::string> cells;
  for (const auto& cell : read_record(source, p, end, delimiter_of(p, end, options), storage))
    cells.emplace_back(cell.text);
  return cells;
}

Layout layout_of(const Source& source, const ReadOptions& options) {
  const std::string_view content = source.content;
  Layout layout;
  const char* begin = begin_of(source);
  const char* end = content.data() + content.size();
  layout.delimiter = delimiter_of(begin, end, options);
  std::deque<std::string> storage;
  const char* p = begin;
  const auto first = read_record(source, p, end, layout.delimiter, storage);
  layout.uses.assign(first.size(), Use::guess);
  const bool names = options.header
                         ? *options.header
                         : looks_like_names(source, first, p, end, layout.delimiter, options);
  if (names) {
    for (const auto& cell : first) layout.names.emplace_back(cell.text);
    begin = p;
  }
  layout.body = static_cast<std::size_t>(begin - content.data());
  assign(layout, source, options);
  const auto features = std::ranges::count_if(
      layout.uses, [](Use u) { return u != Use::label && u != Use::weight && u != Use::skip; });
  if (features == 0 && layout.width() == 1 && layout.label != Layout::none)
    fail_at(source, first[0].place,
            "one column only, which would be the label; expected features beside it, separated by "
            "commas, semicolons or tabs");
  if (features == 0) fail(source.name, "no columns are left for the points");
  if (is_blank({begin, static_cast<std::size_t>(end - begin)}))
    fail(source.name, "there are names of columns, but no rows below them");
  layout.slots.assign(layout.width(), Layout::none);
  std::size_t slot = 0;
  for (std::size_t j = 0; j < layout.width(); ++j)
    if (layout.uses[j] != Use::skip && layout.uses[j] != Use::category) layout.slots[j] = slot++;
  return layout;
}

}  // namespace mercer::data
