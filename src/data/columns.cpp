#include "data/columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/text.hpp"
#include "data/cell.hpp"
#include "data/place.hpp"

namespace mercer::data {

namespace {

bool is_feature(Use use) { return use == Use::guess || use == Use::number || use == Use::category; }

double number_at(const Cells& cells, std::size_t row, std::size_t slot) {
  return cells.numbers->data()[row * cells.step + slot];
}

Labels labels_in(const Cells& cells) {
  Labels labels;
  const std::size_t at = cells.layout.label;
  if (at == Layout::none) return labels;
  const std::size_t slot = cells.layout.slots[at];
  labels.numbers.resize(cells.rows);
  bool numbers = true;
  for (std::size_t i = 0; i < cells.rows; ++i) {
    labels.numbers[i] = number_at(cells, i, slot);
    numbers = numbers && std::isfinite(labels.numbers[i]);
  }
  if (!numbers || cells.text_labels) {
    std::vector<std::string> texts;
    texts.reserve(cells.rows);
    for (const auto& text : cells.texts)
      if (text.column == at) texts.emplace_back(text.text);
    labels = cells.text_labels ? named_labels(texts) : labels_of(texts);
  }
  if (!cells.layout.names.empty()) labels.name = cells.layout.names[at];
  const auto& uses = cells.layout.uses;
  const auto label = uses.begin() + static_cast<std::ptrdiff_t>(at);
  if (std::any_of(label, uses.end(), is_feature))
    labels.place = 1 + static_cast<std::size_t>(std::count_if(uses.begin(), label, is_feature));
  return labels;
}

std::vector<double> weights_in(const Cells& cells) {
  std::vector<double> weights;
  if (cells.layout.weight == Layout::none) return weights;
  const std::size_t slot = cells.layout.slots[cells.layout.weight];
  for (std::size_t i = 0; i < cells.rows; ++i) {
    weights.push_back(number_at(cells, i, slot));
    if (weights.back() < 0)
      fail(cells.source.name, "row " + std::to_string(cells.source.rows_before + i + 1) +
                                  ": the weight " + shortest(weights.back()) + " is negative");
  }
  return weights;
}

// Lines and columns of places in the file, in one pass over it.
std::vector<Frame::Place> places_of(const Source& source, std::vector<const char*> places) {
  std::vector<std::size_t> order(places.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return places[i]; });
  std::vector<Frame::Place> result(places.size());
  const char* p = source.content.data();
  const char* start = p;
  std::size_t line = 1 + source.lines_before;
  for (const std::size_t i : order) {
    if (places[i] == nullptr) continue;
    for (; p != places[i]; ++p)
      if (*p == '\n') {
        ++line;
        start = p + 1;
      }
    const std::string_view before(start, static_cast<std::size_t>(p - start));
    const bool mark = line == 1 && before.starts_with("\xef\xbb\xbf");
    result[i] = {line, characters(before) + (mark ? 0 : 1)};
  }
  return result;
}

// What the texts say about a column of features.
struct Found {
  std::size_t missing = 0;
  std::size_t texts = 0;  // neither missing nor a number
  const char* first_missing = nullptr;
  const Text* first_text = nullptr;
};

std::vector<Found> look_at(const Cells& cells) {
  std::vector<Found> found(cells.layout.width());
  for (const auto& text : cells.texts) {
    auto& f = found[text.column];
    if (is_missing(text.text)) {
      if (f.missing++ == 0) f.first_missing = text.place;
    } else if (f.texts++ == 0) {
      f.first_text = &text;
    }
  }
  return found;
}

// The first cell of the file that is text where the rest of its column is numbers.
void refuse_mixed(const Cells& cells, const std::vector<Found>& found) {
  const Text* first = nullptr;
  for (std::size_t j = 0; j < found.size(); ++j) {
    const auto& f = found[j];
    const bool mixed = f.texts > 0 && f.texts + f.missing < cells.rows;
    if (cells.layout.uses[j] == Use::guess && mixed &&
        (first == nullptr || f.first_text->place < first->place))
      first = f.first_text;
  }
  if (first == nullptr) return;
  const auto& f = found[first->column];
  const std::size_t numbers = cells.rows - f.texts - f.missing;
  const std::string name = cells.layout.names.empty() ? std::to_string(first->column + 1)
                                                      : cells.layout.names[first->column];
  fail_at(cells.source, first->place,
          cells.layout.column(first->column) + shown(first->text) + " is not a number, and " +
              counted(numbers, "cell") + " of this column " + (numbers == 1 ? "is" : "are") +
              "; correct it, or read all of them as categories "
              "(--categorical " +
              (name.find_first_of(" ,\"'") == std::string::npos ? name : in_quotes(name)) + ")");
}

// Numbers by value, before texts by alphabet.
bool level_less(const std::string_view& a, const std::string_view& b) {
  const auto u = number_in(a);
  const auto v = number_in(b);
  if (u && v && *u != *v) return *u < *v;
  if (u.has_value() != v.has_value()) return u.has_value();
  return a < b;
}

class LevelFinder {
 public:
  std::int32_t operator()(std::string_view text) {
    const auto [at, fresh] = numbers_.emplace(text, static_cast<std::int32_t>(levels_.size()));
    if (fresh) levels_.push_back(text);
    return at->second;
  }

  // In order, with the codes of the column renumbered.
  void finish(Frame::Column& column) const {
    std::vector<std::size_t> order(levels_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, level_less, [&](std::size_t i) { return levels_[i]; });
    std::vector<std::int32_t> renumbered(levels_.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      renumbered[order[i]] = static_cast<std::int32_t>(i);
      column.levels.emplace_back(levels_[order[i]]);
    }
    for (auto& code : column.codes)
      if (code >= 0) code = renumbered[static_cast<std::size_t>(code)];
  }

 private:
  std::unordered_map<std::string_view, std::int32_t> numbers_;
  std::vector<std::string_view> levels_;
};

// A column that would be categories, but each of them is a number in foreign dress.
void refuse_numbers_as_text(const Cells& cells, const Found& found, const Frame::Column& column) {
  const std::size_t j = found.first_text->column;
  if (cells.layout.uses[j] != Use::guess) return;
  if (!std::ranges::all_of(column.levels, looks_like_a_number)) return;
  fail_at(cells.source, found.first_text->place,
          cells.layout.column(j) + shown(found.first_text->text) +
              " is not a number as programs write it; write decimals with a point, without "
              "separators and units");
}

}  // namespace

bool looks_like_a_number(std::string_view text) {
  constexpr auto units = std::to_array<std::string_view>({"$", "€", "£", "%", "EUR", "USD"});
  for (const auto unit : units) {
    if (text.starts_with(unit)) text.remove_prefix(unit.size());
    if (text.ends_with(unit)) text.remove_suffix(unit.size());
    text = trimmed(text);
  }
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text[0] < '0' || text[0] > '9') return false;
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || c == ',' || c == '.' || c == ' ' || c == '\'';
  });
}

std::optional<Table> plain_table(const Cells& cells, Points::Scalar scalar) {
  const Layout& layout = cells.layout;
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < layout.width(); ++j) {
    if (layout.uses[j] == Use::category) return std::nullopt;
    if (is_feature(layout.uses[j])) columns.push_back(layout.slots[j]);
  }
  for (const auto& text : cells.texts)
    if (text.column != layout.label) return std::nullopt;
  Table table;
  table.labels = labels_in(cells);
  table.weights = weights_in(cells);
  for (std::size_t j = 0; j < layout.names.size(); ++j)
    if (is_feature(layout.uses[j])) table.names.push_back(layout.names[j]);
  const std::size_t step = cells.step;
  const double* numbers = cells.numbers->data();
  if (scalar == Points::Scalar::float64 && columns.back() - columns.front() + 1 == columns.size()) {
    table.points =
        Points::dense(numbers + columns.front(), cells.rows, columns.size(), step, cells.numbers);
    return table;
  }
  const auto copy = [&]<class T>(std::vector<T> values) {
    for (std::size_t i = 0; i < cells.rows; ++i)
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const double number = numbers[i * step + columns[j]];
        values[i * columns.size() + j] = static_cast<T>(number);
        if (!std::isfinite(static_cast<T>(number)))
          fail(cells.source.name, "row " + std::to_string(cells.source.rows_before + i + 1) + ": " +
                                      shortest(number) + " is out of the range of a float");
      }
    return Points::own(std::move(values), cells.rows, columns.size());
  };
  const std::size_t size = cells.rows * columns.size();
  table.points = scalar == Points::Scalar::float32 ? copy(std::vector<float>(size))
                                                   : copy(std::vector<double>(size));
  return table;
}

Frame frame_of(const Cells& cells, bool mixed) {
  const Layout& layout = cells.layout;
  const auto found = look_at(cells);
  if (!mixed) refuse_mixed(cells, found);
  Frame frame;
  frame.file = cells.source.name;
  frame.rows = cells.rows;
  frame.named = !layout.names.empty();
  frame.labels = labels_in(cells);
  frame.weights = weights_in(cells);
  constexpr std::size_t none = Layout::none;
  std::vector<std::size_t> place(layout.width(), none);  // of a column of the file in the frame
  std::vector<const char*> holes;
  for (std::size_t j = 0; j < layout.width(); ++j) {
    if (!is_feature(layout.uses[j])) continue;
    place[j] = frame.columns.size();
    auto& column = frame.columns.emplace_back();
    if (frame.named) column.name = layout.names[j];
    column.missing = found[j].missing;
    column.number_cells =
        layout.uses[j] == Use::category ? 0 : cells.rows - found[j].texts - found[j].missing;
    column.categorical = found[j].texts > 0 || layout.uses[j] == Use::category;
    holes.push_back(found[j].first_missing);
    if (column.categorical) {
      column.codes.assign(cells.rows, -1);
    } else {
      column.numbers.resize(cells.rows);
      for (std::size_t i = 0; i < cells.rows; ++i)
        column.numbers[i] = number_at(cells, i, layout.slots[j]);
    }
  }
  const auto where = places_of(cells.source, holes);
  std::vector<LevelFinder> levels(frame.columns.size());
  for (const auto& text : cells.texts) {
    const std::size_t j = place[text.column];
    if (j == none || !frame.columns[j].categorical || is_missing(text.text)) continue;
    frame.columns[j].codes[text.row] = levels[j](text.text);
  }
  for (std::size_t j = 0; j < layout.width(); ++j) {
    if (place[j] == none) continue;
    auto& column = frame.columns[place[j]];
    column.first_missing = where[place[j]];
    if (!column.categorical) continue;
    std::deque<std::string> numbers;  // of a mixed column, as text
    if (column.number_cells > 0)
      for (std::size_t i = 0; i < cells.rows; ++i)
        if (const double v = number_at(cells, i, layout.slots[j]); std::isfinite(v))
          column.codes[i] = levels[place[j]](numbers.emplace_back(shortest(v)));
    levels[place[j]].finish(column);
    if (!mixed && found[j].texts > 0) refuse_numbers_as_text(cells, found[j], column);
  }
  return frame;
}

}  // namespace mercer::data
