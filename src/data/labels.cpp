#include <algorithm>
#include <cmath>
#include <map>
#include <mercer/error.hpp>
#include <mercer/labels.hpp>

#include "base/text.hpp"
#include "data/cell.hpp"
#include "data/place.hpp"

namespace mercer {

namespace {

std::string listed(const std::vector<std::string>& classes) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (i == most) return text + ", …";
    text += (text.empty() ? "" : ", ") + data::shown(classes[i]);
  }
  return text;
}

// The different ones among values, in ascending order. Classes are few, mostly: each value is
// looked for among those seen so far, and all are sorted only where these become many.
template <class T>
std::vector<T> different(std::span<const T> values) {
  constexpr std::size_t many = 256;
  std::vector<T> seen;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0 && values[i] == values[i - 1]) continue;
    const auto at = std::ranges::lower_bound(seen, values[i]);
    if (at != seen.end() && *at == values[i]) continue;
    if (seen.size() == many) {
      seen.assign(values.begin(), values.end());
      std::ranges::sort(seen);
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      return seen;
    }
    seen.insert(at, values[i]);
  }
  return seen;
}

// Values in ascending order, and where in it each of them stands.
template <class T>
std::vector<std::int32_t> codes_of(std::span<const T> values, std::vector<T>& distinct) {
  distinct = different(values);
  std::vector<std::int32_t> codes;
  codes.reserve(values.size());
  for (const T& v : values) {
    const bool again = !codes.empty() && v == distinct[static_cast<std::size_t>(codes.back())];
    codes.push_back(again ? codes.back()
                          : static_cast<std::int32_t>(std::ranges::lower_bound(distinct, v) -
                                                      distinct.begin()));
  }
  return codes;
}

// The class meant by a name: as text, or as a number ("+1" is 1).
std::int32_t class_named(const std::string& name, const Classes& classes,
                         const std::string& column) {
  const auto number = data::number_in(name);
  for (std::size_t c = 0; c < classes.names.size(); ++c)
    if (classes.names[c] == name || (number && data::number_in(classes.names[c]) == number))
      return static_cast<std::int32_t>(c);
  throw Error("no row has the label " + data::shown(name) + column + "; the classes are " +
              listed(classes.names));
}

}  // namespace

std::string Labels::text(std::size_t i) const {
  return numbers.empty() ? classes[static_cast<std::size_t>(codes[i])] : shortest(numbers[i]);
}

Labels Labels::select(std::span<const std::size_t> rows) const {
  Labels result;
  result.classes = classes;
  result.name = name;
  result.place = place;
  if (empty()) return result;
  for (const std::size_t i : rows) {
    if (numbers.empty()) {
      result.codes.push_back(codes[i]);
    } else {
      result.numbers.push_back(numbers[i]);
    }
  }
  return result;
}

Labels labels_of(std::span<const std::string> texts) {
  Labels labels;
  for (const auto& text : texts) {
    const auto number = data::number_in(text);
    if (!number || !std::isfinite(*number)) break;
    labels.numbers.push_back(*number + 0.0);  // -0 is 0
  }
  if (labels.numbers.size() == texts.size()) return labels;
  return named_labels(texts);
}

Labels named_labels(std::span<const std::string> texts) {
  Labels labels;
  labels.codes = codes_of(texts, labels.classes);
  return labels;
}

namespace {

// Some rows of a table have its names, but perhaps not all of its classes.
Classes classes_that_occur(const Labels& labels) {
  Classes classes;
  std::vector<std::int32_t> place(labels.classes.size(), -1);
  for (const auto c : labels.codes) place[static_cast<std::size_t>(c)] = 0;
  for (std::size_t c = 0; c < place.size(); ++c) {
    if (place[c] < 0) continue;
    place[c] = static_cast<std::int32_t>(classes.names.size());
    classes.names.push_back(labels.classes[c]);
  }
  classes.codes.reserve(labels.codes.size());
  for (const auto c : labels.codes) classes.codes.push_back(place[static_cast<std::size_t>(c)]);
  return classes;
}

}  // namespace

Classes classes_of(const Labels& labels) {
  Classes classes;
  if (labels.numbers.empty()) {
    classes = classes_that_occur(labels);
  } else {
    std::vector<double> distinct;
    classes.codes = codes_of(std::span(labels.numbers), distinct);
    for (const double v : distinct) classes.names.push_back(shortest(v));
  }
  classes.counts.resize(classes.names.size());
  for (const auto c : classes.codes) ++classes.counts[static_cast<std::size_t>(c)];
  return classes;
}

Signs signs_of(const Labels& labels, const std::optional<std::string>& positive) {
  const Classes classes = classes_of(labels);
  const auto& names = classes.names;
  const std::string column =
      labels.name.empty() ? "" : " in the column " + data::shown(labels.name);
  if (names.empty()) throw Error("there are no labels; two classes are needed");
  if (names.size() < 2)
    throw Error("there is one class only" + column + ", " + listed(names) +
                "; two are needed. Is another column the label?");
  if (!positive && names.size() > 2)
    throw Error("there are " + std::to_string(names.size()) + " classes" + column + ": " +
                listed(names) +
                "; say which one is to be told from the rest (--positive), or which other column "
                "is the label (--label)");
  const std::int32_t chosen = positive ? class_named(*positive, classes, column) : 1;
  Signs result;
  result.positive = names[static_cast<std::size_t>(chosen)];
  result.negative = names.size() == 2 ? names[chosen == 0 ? 1 : 0] : "not " + result.positive;
  for (const auto c : classes.codes) result.y.push_back(c == chosen ? 1 : -1);
  return result;
}

}  // namespace mercer
