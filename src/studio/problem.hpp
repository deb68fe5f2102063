// What the page asks for: points of some classes in the plane, a kernel, and where to look.
#pragma once

#include <array>
#include <mercer/data.hpp>
#include <mercer/gram.hpp>
#include <mercer/kernel.hpp>
#include <mercer/model.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mercer::studio {

using Json = nlohmann::ordered_json;

// Of one request. A page that is used by hand stays far below them.
inline constexpr std::size_t most_points = 2000;
inline constexpr std::size_t most_cells = 160;  // of a side of the field
inline constexpr std::size_t longest_kernel = 2000;
inline constexpr std::size_t most_bytes = std::size_t{1} << 20U;

// The labels of the classes that the page paints, in the order of their colours. Two classes are -1
// and 1, as in the notes.
inline constexpr std::array<int, 6> class_labels{-1, 1, 2, 3, 4, 5};

struct Problem {
  Points x;  // n × 2
  std::vector<int> labels;
  std::vector<int> classes;  // the labels that occur, ascending
  std::optional<Kernel> kernel;

  // The field: scores in the middle of cells × cells places, rows from the top.
  std::array<double, 4> view{-3, 3, -3, 3};  // left, right, bottom, top
  std::size_t cells = 0;

  [[nodiscard]] std::size_t rows() const { return labels.size(); }
  [[nodiscard]] Table table() const;
  // What is learned: of two classes one column, +1 for the larger label; of more a column for each.
  [[nodiscard]] Matrix targets() const;
  // The classes by their numbers, as scores of such targets decide them; of support vectors,
  // between each two.
  [[nodiscard]] Model decision(bool pairs) const;
  // Throws Error where the points are of one class.
  void need_classes() const;
};

// {"points": [[x1, x2, 1], …], "kernel": "rbf(1)", "view": [-3, 3, -3, 3], "cells": 80}. Throws
// Error, ParseError for what is wrong with the kernel.
Problem problem_of(const Json& request);
Kernel kernel_of(const Json& request);

// How kernel values are computed for the page: by the thread that asks, as many may ask at once and
// none has much to do, and with little memory.
GramOptions gram_options();

// A coordinate of a point, which is the row'th. Throws Error where the page could not draw it.
double coordinate(double value, std::size_t row);

// A number of the request in its range, or the usual one. Throws Error.
double number_in(const Json& request, const char* name, double usual, double least, double most);
std::size_t count_in(const Json& request, const char* name, std::size_t usual, std::size_t least,
                     std::size_t most);
std::string text_in(const Json& request, const char* name, std::size_t longest);

// How much better than all others a class is, at each row of scores: its score less the best other
// one; of pairs, its worst score against another.
Matrix leads(const Model& decision, const Matrix& scores);

// f(x) = Σ β_i k(x_i, x) + b over the field, again and again for other β.
class Field {
 public:
  explicit Field(const Problem& problem);
  // `beta` has a column for each score. Adds "field" to a frame: floats in base64, row by row;
  // where the kernel has no value, not a number. Of more than two classes, the lead of each class,
  // one after the other, and "winner", a byte for each place: the class, from 0. Without cells,
  // nothing.
  void add_to(Json& frame, const Matrix& beta, const std::vector<double>& b,
              const Model& decision) const;

 private:
  [[nodiscard]] Matrix scores(const Matrix& beta, const std::vector<double>& b) const;

  const Problem& problem_;
  Points places_;
  std::optional<Gram> gram_;
};

}  // namespace mercer::studio
