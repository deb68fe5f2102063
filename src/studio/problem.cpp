#include "studio/problem.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <mercer/error.hpp>

#include "picture/base64.hpp"

namespace mercer::studio {

namespace {

static_assert(std::endian::native == std::endian::little, "the page reads little-endian floats");

double coordinate_in(const Json& value, std::size_t row) {
  return coordinate(value.is_number() ? value.get<double>() : std::nan(""), row);
}

const Json& member(const Json& request, const char* name) {
  if (!request.is_object() || !request.contains(name))
    throw Error(std::string("the request has no \"") + name + "\"");
  return request[name];
}

}  // namespace

double coordinate(double value, std::size_t row) {
  // Beyond, squares overflow in the pictures of the page, though not here.
  constexpr double largest = 1e6;
  if (!(std::abs(value) <= largest))
    throw Error(fmt::format("point {}: a coordinate is no number within ±1e6", row + 1));
  return value;
}

double number_in(const Json& request, const char* name, double usual, double least, double most) {
  if (!request.contains(name)) return usual;
  const Json& v = request[name];
  if (!v.is_number() || !(v.get<double>() >= least && v.get<double>() <= most))
    throw Error(fmt::format("{} is not a number from {} to {}", name, least, most));
  return v.get<double>();
}

std::size_t count_in(const Json& request, const char* name, std::size_t usual, std::size_t least,
                     std::size_t most) {
  const double v = number_in(request, name, static_cast<double>(usual), static_cast<double>(least),
                             static_cast<double>(most));
  if (v != std::floor(v)) throw Error(std::string(name) + " is not a whole number");
  return static_cast<std::size_t>(v);
}

std::string text_in(const Json& request, const char* name, std::size_t longest) {
  const Json& v = member(request, name);
  if (!v.is_string()) throw Error(std::string(name) + " is not a text");
  auto text = v.get<std::string>();
  if (text.size() > longest)
    throw Error(fmt::format("{} is longer than {} characters", name, longest));
  return text;
}

Kernel kernel_of(const Json& request) {
  Kernel k = Kernel::parse(text_in(request, "kernel", longest_kernel), {.dimension = 2});
  if (!k.open_parameters().empty())
    throw Error(k.text() + " has an open parameter: give it a value");
  if (k.has_named_columns()) throw Error(k.text() + " names columns; here they are x1 and x2");
  return k;
}

Problem problem_of(const Json& request) {
  const Json& points = member(request, "points");
  if (!points.is_array()) throw Error("points are not a list");
  if (points.size() > most_points)
    throw Error(fmt::format("{} points; at most {} are taken", points.size(), most_points));
  if (points.empty()) throw Error("there are no points");
  Problem p;
  std::vector<double> values;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Json& row = points[i];
    const bool three = row.is_array() && row.size() == 3 && row[2].is_number_integer();
    if (!three || std::ranges::find(class_labels, row[2].get<std::int64_t>()) == class_labels.end())
      throw Error(fmt::format("point {} is not [x1, x2, class], the class one of {}", i + 1,
                              fmt::join(class_labels, ", ")));
    values.push_back(coordinate_in(row[0], i));
    values.push_back(coordinate_in(row[1], i));
    p.labels.push_back(row[2].get<int>());
  }
  p.classes = p.labels;
  std::ranges::sort(p.classes);
  p.classes.erase(std::unique(p.classes.begin(), p.classes.end()), p.classes.end());
  p.x = Points::own(std::move(values), p.labels.size(), 2);
  p.kernel = kernel_of(request);
  p.cells = count_in(request, "cells", 0, 0, most_cells);
  if (request.contains("view")) {
    const Json& view = request["view"];
    if (!view.is_array() || view.size() != 4) throw Error("view is not [left, right, bottom, top]");
    for (std::size_t k = 0; k < 4; ++k) p.view[k] = coordinate_in(view[k], 0);
    if (!(p.view[0] < p.view[1] && p.view[2] < p.view[3]))
      throw Error("view is not [left, right, bottom, top] with left < right and bottom < top");
  }
  return p;
}

GramOptions gram_options() {
  GramOptions how;
  how.memory = std::size_t{16} << 20U;
  how.threads = 1;
  return how;
}

Table Problem::table() const {
  Table table;
  table.points = x;
  table.labels.numbers.assign(labels.begin(), labels.end());
  table.labels.name = "class";
  return table;
}

Matrix Problem::targets() const {
  const bool two = classes.size() == 2;
  Matrix y = Matrix::zeros(rows(), two ? 1 : classes.size());
  for (std::size_t i = 0; i < rows(); ++i)
    for (std::size_t c = 0; c < y.columns; ++c)
      y(i, c) = labels[i] == classes[two ? 1 : c] ? 1 : -1;
  return y;
}

Model Problem::decision(bool pairs) const {
  Model m;
  m.scheme = classes.size() == 2 ? Model::Scheme::one
             : pairs             ? Model::Scheme::pairs
                                 : Model::Scheme::per_class;
  for (const int label : classes) m.classes.push_back(std::to_string(label));
  return m;
}

void Problem::need_classes() const {
  if (classes.size() < 2)
    throw Error("there are points of one class only: a boundary needs both sides");
}

Matrix leads(const Model& decision, const Matrix& scores) {
  const std::size_t classes = decision.classes.size();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Matrix result{scores.rows, classes, std::vector<double>(scores.rows * classes, infinite), {}};
  for (std::size_t i = 0; i < scores.rows; ++i) {
    std::size_t pair = 0;
    for (std::size_t a = 0; a < classes; ++a)
      for (std::size_t b = a + 1; b < classes; ++b) {
        const double f = decision.scheme == Model::Scheme::pairs ? scores(i, pair++)
                                                                 : scores(i, a) - scores(i, b);
        result(i, a) = std::min(result(i, a), f);
        result(i, b) = std::min(result(i, b), -f);
      }
  }
  return result;
}

Field::Field(const Problem& problem) : problem_(problem) {
  const std::size_t n = problem.cells;
  if (n == 0) return;
  const auto& v = problem.view;
  std::vector<double> at;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) {
      const auto middle = [&](std::size_t k) {
        return (static_cast<double>(k) + 0.5) / static_cast<double>(n);
      };
      at.push_back(v[0] + middle(i) * (v[1] - v[0]));
      at.push_back(v[3] - middle(j) * (v[3] - v[2]));
    }
  places_ = Points::own(std::move(at), n * n, 2);
  gram_.emplace(*problem.kernel, places_, problem.x, gram_options());
}

namespace {

// Large β that nearly cancel leave the rounding of floats, which looks like a landscape.
bool hardly_differ(const Matrix& scores, const std::vector<double>& b) {
  constexpr double little = 0.2;
  for (std::size_t c = 0; c < scores.columns; ++c) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t i = 0; i < scores.rows; ++i) {
      low = std::min(low, scores(i, c) + b[c]);
      high = std::max(high, scores(i, c) + b[c]);
    }
    if (high > low && high - low < little * std::max(std::abs(low), std::abs(high))) return true;
  }
  return false;
}

}  // namespace

Matrix Field::scores(const Matrix& beta, const std::vector<double>& b) const {
  Matrix scores = Matrix::zeros(places_.rows(), beta.columns);
  try {
    gram_->apply(beta.values, beta.columns, scores.values);
    if (hardly_differ(scores, b)) {
      GramOptions exact = gram_options();
      exact.precision = GramOptions::Precision::float64;
      Gram(*problem_.kernel, places_, problem_.x, exact)
          .apply(beta.values, beta.columns, scores.values);
    }
  } catch (const EvaluationError&) {
    // Somewhere there is no value: place by place, then.
    std::array<double, 2> at{};
    std::array<double, 2> z{};
    for (std::size_t i = 0; i < scores.rows; ++i) {
      try {
        places_.row(i, std::span<double>(at));
        for (std::size_t j = 0; j < beta.rows; ++j) {
          const auto row = beta.row(j);
          if (std::ranges::all_of(row, [](double v) { return v == 0; })) continue;
          problem_.x.row(j, std::span<double>(z));
          const double k = (*problem_.kernel)(at, z);
          for (std::size_t c = 0; c < beta.columns; ++c) scores(i, c) += row[c] * k;
        }
      } catch (const EvaluationError&) {
        for (std::size_t c = 0; c < beta.columns; ++c)
          scores(i, c) = std::numeric_limits<double>::quiet_NaN();
      }
    }
  }
  for (std::size_t i = 0; i < scores.rows; ++i)
    for (std::size_t c = 0; c < scores.columns; ++c) scores(i, c) += b[c];
  return scores;
}

void Field::add_to(Json& frame, const Matrix& beta, const std::vector<double>& b,
                   const Model& decision) const {
  if (!gram_) return;
  const Matrix f = scores(beta, b);
  std::string bytes;
  const auto add = [&](double value) {
    const auto four = std::bit_cast<std::array<char, 4>>(static_cast<float>(value));
    bytes.append(four.data(), four.size());
  };
  if (decision.scheme == Model::Scheme::one) {
    for (const double s : f.values) add(s);
    frame["field"] = picture::base64(bytes);
    return;
  }
  const Matrix lead = leads(decision, f);
  for (std::size_t c = 0; c < lead.columns; ++c)
    for (std::size_t i = 0; i < lead.rows; ++i) add(lead(i, c));
  frame["field"] = picture::base64(bytes);
  std::string winner;
  for (const auto c : classes_by_score(decision, f)) winner += static_cast<char>(c);
  frame["winner"] = picture::base64(winner);
}

}  // namespace mercer::studio
