// Labels y_1 … y_n: numbers, or the names of classes.
//
// Whether 1, 2, 3 are quantities or classes is for the task to say, not for the file: labels that
// are all numbers are kept as numbers, and classes_of() or signs_of() make classes of them. Classes
// stand in a fixed order: by value where all are numbers, else by alphabet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mercer {

struct Labels {
  std::vector<double> numbers;       // where all labels are numbers
  std::vector<std::int32_t> codes;   // else the class of each row, from 0,
  std::vector<std::string> classes;  // and the names of the classes
  std::string name;                  // of the labels' column; may be empty
  std::size_t place = 0;  // of that column among those of the features, from 1; 0: behind them

  [[nodiscard]] std::size_t size() const { return numbers.empty() ? codes.size() : numbers.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::string text(std::size_t i) const;
  // Those of these rows, in this order.
  [[nodiscard]] Labels select(std::span<const std::size_t> rows) const;

  bool operator==(const Labels&) const = default;
};

// As they are written: "1" and "1.0" are the same number, "one" makes all of them text.
Labels labels_of(std::span<const std::string> texts);
// The same as names of classes, be they numbers or not: "007" stays.
Labels named_labels(std::span<const std::string> texts);

struct Classes {
  std::vector<std::int32_t> codes;  // of each row
  std::vector<std::string> names;   // of each class
  std::vector<std::size_t> counts;  // rows of each class
};
Classes classes_of(const Labels& labels);

// The labels as signs: +1 for the class `positive` and -1 for all others. Without it there must be
// two classes, and the later one is positive. Throws Error where there are fewer, or more.
struct Signs {
  std::vector<int> y;
  std::string positive;
  std::string negative;  // "not setosa" where `positive` stands against several
};
Signs signs_of(const Labels& labels, const std::optional<std::string>& positive = std::nullopt);

}  // namespace mercer
