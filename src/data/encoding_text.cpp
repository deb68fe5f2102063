// An encoding as text, one line per column:
//
//     mercer-encoding 1
//     missing mean  scaling standard  scalar float64  named yes  sparse no  dimension 3
//     label "income"
//     number "age" 38.5
//     category "colour" 1 indicator "blue" "red"
//     scale 38.5 13.6
//     scale 0 1
//     scale 0 1
//
// An encoding that is open says so behind its dimension: `dimension 3  open`. Where the label was
// not behind the other columns, its line has the place: `label "income" at 1`.
//
// With scaling there is a line for each coordinate, so that a short text cannot ask for much
// memory.
#include <array>
#include <cmath>
#include <mercer/encoding.hpp>
#include <mercer/error.hpp>

#include "base/text.hpp"
#include "data/cell.hpp"
#include "data/place.hpp"

namespace mercer {

namespace {

constexpr std::array<std::string_view, 4> missing_names{"error", "drop", "mean", "indicator"};
constexpr std::array<std::string_view, 3> scaling_names{"none", "standard", "minmax"};

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  [[noreturn]] void fail(const std::string& message) const {
    throw Error("encoding, line " + std::to_string(line_) + ": " + message);
  }
  bool at_end() {
    blanks();
    while (rest_.starts_with('\n')) {
      rest_.remove_prefix(1);
      ++line_;
      blanks();
    }
    return rest_.empty();
  }
  bool at_line_end() {
    blanks();
    return rest_.empty() || rest_[0] == '\n';
  }
  bool at_quote() {
    blanks();
    return rest_.starts_with('"');
  }
  std::string_view word() {
    blanks();
    const auto end = std::min(rest_.find_first_of(" \n"), rest_.size());
    const auto word = rest_.substr(0, end);
    if (word.empty()) fail("the line ends early");
    rest_.remove_prefix(end);
    return word;
  }
  void expect(std::string_view expected) {
    const auto found = word();
    if (found != expected) fail(data::shown(found) + " found, expected " + data::shown(expected));
  }
  bool yes() {
    const auto found = word();
    if (found != "yes" && found != "no") fail(data::shown(found) + " found, expected yes or no");
    return found == "yes";
  }
  template <std::size_t n>
  std::size_t one_of(const std::array<std::string_view, n>& names) {
    const auto found = word();
    for (std::size_t i = 0; i < n; ++i)
      if (names[i] == found) return i;
    fail(data::shown(found) + " is not known here");
  }
  double number() {
    const auto text = word();
    const auto value = data::number_in(text);
    if (!value || !std::isfinite(*value)) fail(data::shown(text) + " found, expected a number");
    return *value;
  }
  std::size_t count(std::size_t most) {
    const double value = number();
    if (value < 0 || value != std::floor(value) || value > static_cast<double>(most))
      fail(shortest(value) + " found, expected a whole number up to " + std::to_string(most));
    return static_cast<std::size_t>(value);
  }
  std::string text() {
    if (!at_quote()) fail("expected text in quotes");
    std::string result;
    std::size_t i = 1;
    for (; i < rest_.size() && rest_[i] != '"' && rest_[i] != '\n'; ++i) {
      if (rest_[i] == '\\' && i + 1 < rest_.size()) {
        result += rest_[i + 1] == 'n' ? '\n' : rest_[i + 1];
        ++i;
      } else {
        result += rest_[i];
      }
    }
    if (i >= rest_.size() || rest_[i] != '"') fail("a quote that is never closed");
    rest_.remove_prefix(i + 1);
    return result;
  }

 private:
  void blanks() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }
  std::string_view rest_;
  std::size_t line_ = 1;
};

Encoding::Column read_column(Reader& in, bool categorical) {
  Encoding::Column column;
  column.categorical = categorical;
  column.name = in.text();
  double fill = in.number();
  if (!in.at_line_end() && !in.at_quote()) {
    in.expect("indicator");
    column.indicator = true;
  }
  if (!categorical) {
    column.fill = fill;
    return column;
  }
  while (!in.at_line_end()) column.levels.push_back(in.text());
  if (fill != std::floor(fill) || fill < -1 || fill >= static_cast<double>(column.levels.size()))
    in.fail("the level for missing values is none of those listed");
  column.fill_level = static_cast<std::int32_t>(fill);
  return column;
}

}  // namespace

std::string Encoding::text() const {
  std::string text = "mercer-encoding 1\nmissing ";
  text += missing_names[static_cast<std::size_t>(options.missing)];
  text += "  scaling ";
  text += scaling_names[static_cast<std::size_t>(options.scaling)];
  text += options.scalar == Points::Scalar::float32 ? "  scalar float32" : "  scalar float64";
  text += std::string("  named ") + (named ? "yes" : "no") + "  sparse " + (sparse ? "yes" : "no") +
          "  dimension " + std::to_string(dimension) + (open ? "  open" : "") + "\n";
  if (!label.empty() || label_place != 0)
    text += "label " + quoted(label) +
            (label_place == 0 ? "" : " at " + std::to_string(label_place)) + "\n";
  for (const auto& column : columns) {
    text += (column.categorical ? "category " : "number ") + quoted(column.name) + " " +
            (column.categorical ? std::to_string(column.fill_level) : shortest(column.fill));
    if (column.indicator) text += " indicator";
    for (const auto& level : column.levels) text += " " + quoted(level);
    text += "\n";
  }
  for (std::size_t j = 0; j < scales.size(); ++j)
    text += "scale " + shortest(centers[j]) + " " + shortest(scales[j]) + "\n";
  return text;
}

Encoding Encoding::parse(std::string_view text) {
  Reader in(text);
  Encoding e;
  in.expect("mercer-encoding");
  in.expect("1");
  if (in.at_end()) in.fail("nothing follows");
  in.expect("missing");
  e.options.missing = static_cast<Missing>(in.one_of(missing_names));
  in.expect("scaling");
  e.options.scaling = static_cast<Scaling>(in.one_of(scaling_names));
  in.expect("scalar");
  constexpr std::array<std::string_view, 2> scalars{"float32", "float64"};
  e.options.scalar = in.one_of(scalars) == 0 ? Points::Scalar::float32 : Points::Scalar::float64;
  in.expect("named");
  e.named = in.yes();
  in.expect("sparse");
  e.sparse = in.yes();
  in.expect("dimension");
  e.dimension = in.count(std::size_t{1} << 31U);
  if (!in.at_line_end()) {
    in.expect("open");
    e.open = true;
  }
  std::size_t width = 0;
  while (!in.at_end()) {
    constexpr std::array<std::string_view, 4> kinds{"number", "category", "scale", "label"};
    const std::size_t kind = in.one_of(kinds);
    if (kind == 2) {
      if (e.options.scaling == Scaling::none) in.fail("there is no scaling");
      e.centers.push_back(in.number());
      e.scales.push_back(in.number());
      if (e.scales.back() == 0) in.fail("a scale of 0");
    } else if (kind == 3) {
      e.label = in.text();
      if (!in.at_line_end()) {
        in.expect("at");
        e.label_place = in.count(std::size_t{1} << 31U);
      }
    } else {
      const auto& column = e.columns.emplace_back(read_column(in, kind == 1));
      width += (column.categorical ? column.levels.size() : 1) + (column.indicator ? 1 : 0);
    }
    if (!in.at_line_end()) in.fail("expected the end of the line");
  }
  if (!e.columns.empty() && width != e.dimension)
    throw Error("encoding: the columns make " + std::to_string(width) + " coordinates, not " +
                std::to_string(e.dimension));
  if (e.options.scaling != Scaling::none && e.scales.size() != e.dimension)
    throw Error("encoding: " + std::to_string(e.scales.size()) + " scales for " +
                std::to_string(e.dimension) + " coordinates");
  if (e.open && (!e.sparse || !e.columns.empty() || !e.scales.empty()))
    throw Error("encoding: it is open, and not of sparse points as they are");
  return e;
}

}  // namespace mercer
