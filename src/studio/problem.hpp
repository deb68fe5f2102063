// What the page asks for: points of two classes in the plane, a kernel, and where to look.
#pragma once

#include <array>
#include <mercer/data.hpp>
#include <mercer/gram.hpp>
#include <mercer/kernel.hpp>
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

struct Problem {
  Points x;               // n × 2
  std::vector<double> y;  // +1 and -1
  std::optional<Kernel> kernel;

  // The field: scores in the middle of cells × cells places, rows from the top.
  std::array<double, 4> view{-3, 3, -3, 3};  // left, right, bottom, top
  std::size_t cells = 0;

  [[nodiscard]] std::size_t rows() const { return y.size(); }
  [[nodiscard]] Table table() const;
  // Throws Error where the points are of one class.
  void need_both() const;
};

// {"points": [[x1, x2, 1], …], "kernel": "rbf(1)", "view": [-3, 3, -3, 3], "cells": 80}. Throws
// Error, ParseError for what is wrong with the kernel.
Problem problem_of(const Json& request);
Kernel kernel_of(const Json& request);

// How kernel values are computed for the page: by the thread that asks, as many may ask at once and
// none has much to do, and with little memory.
GramOptions gram_options();

// A number of the request in its range, or the usual one. Throws Error.
double number_in(const Json& request, const char* name, double usual, double least, double most);
std::size_t count_in(const Json& request, const char* name, std::size_t usual, std::size_t least,
                     std::size_t most);
std::string text_in(const Json& request, const char* name, std::size_t longest);

// f(x) = Σ β_i k(x_i, x) + b over the field, again and again for other β.
class Field {
 public:
  explicit Field(const Problem& problem);
  // Floats in base64, row by row; where the kernel has no value, not a number. Empty without cells.
  [[nodiscard]] std::string of(const std::vector<double>& beta, double b) const;

 private:
  const Problem& problem_;
  Points places_;
  std::optional<Gram> gram_;
};

}  // namespace mercer::studio
