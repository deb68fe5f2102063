// A model as a value: do its parts fit, and which of its support points matter?
#include <algorithm>
#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/model.hpp>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "base/text.hpp"

namespace mercer {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error("model: " + what); }

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

void check_classes(const Model& m) {
  if (m.task == Model::Task::regression) {
    if (!m.classes.empty()) refuse("a regression has no classes");
    if (m.scheme != Model::Scheme::one) refuse("a regression has one score");
    if (!m.calibration.empty()) refuse("a regression has no probabilities");
    return;
  }
  if (m.classes.size() < 2) refuse("a classification needs two classes or more");
  if (m.classes.size() > std::size_t{1} << 24U) refuse("more than 2^24 classes");
  if (m.scheme == Model::Scheme::one && m.classes.size() != 2)
    refuse("one score tells two classes apart, not " + std::to_string(m.classes.size()));
  if (std::set<std::string>(m.classes.begin(), m.classes.end()).size() != m.classes.size())
    refuse("two classes have the same name");
}

template <class T>
void check_support_values(const Points& points, const T* values) {
  const auto finite = [](const T* from, std::size_t count) {
    return std::all_of(from, from + count, [](T v) { return std::isfinite(v); });
  };
  bool all = true;
  if (points.is_sparse()) {
    all = finite(values + points.offsets().front(), points.entries());
  } else {
    for (std::size_t i = 0; all && i < points.rows(); ++i)
      all = finite(values + i * points.stride(), points.columns());
  }
  if (!all) refuse("a support point has a coordinate that is not finite");
}

void check_kernel(const Model& m) {
  const Kernel& k = *m.kernel;
  if (!k.open_parameters().empty()) refuse(k.text() + " has an open parameter");
  if (k.has_named_columns()) refuse(k.text() + " names columns: use with_columns first");
  const std::size_t d = m.support.columns();
  if (d == 0) refuse("support points without coordinates");
  if (k.least_dimension() > d || (k.only_dimension_one() && d != 1))
    refuse(k.text() + " makes no sense in dimension " + std::to_string(d));
  if (m.coefficients.rows != m.support.rows())
    refuse(counted(m.coefficients.rows, "row") + " of coefficients for " +
           counted(m.support.rows(), "support point"));
  if (m.support.rows() == 0) return;
  if (m.support.scalar() == Points::Scalar::float32) {
    check_support_values(m.support, m.support.values<float>());
  } else {
    check_support_values(m.support, m.support.values<double>());
  }
}

void check_map(const Model& m) {
  if (m.map->coordinates.empty()) refuse("a feature map without coordinates");
  if (m.support.rows() > 0) refuse("support points beside a feature map");
  // Points are laid out with all their zeros, one for each thread.
  if (m.map->dimension > std::uint32_t{1} << 24U)
    refuse("a feature map of more than 2^24 coordinates");
  if (m.coefficients.rows != m.map->coordinates.size())
    refuse(counted(m.coefficients.rows, "row") + " of coefficients for " +
           counted(m.map->coordinates.size(), "feature"));
}

void check_sketch(const Model& m) {
  m.sketch->check();
  if (m.support.rows() > 0) refuse("support points beside a sketch");
  if (m.coefficients.rows != m.sketch->size())
    refuse(counted(m.coefficients.rows, "row") + " of coefficients for " +
           counted(m.sketch->size(), "feature"));
}

void check_coefficients(const Model& m) {
  const bool blocks = m.kernel && m.scheme == Model::Scheme::pairs;
  const std::size_t columns = blocks ? m.classes.size() - 1 : m.scores();
  if (m.coefficients.columns != columns)
    refuse(counted(m.coefficients.columns, "column") + " of coefficients, expected " +
           std::to_string(columns));
  if (m.coefficients.values.size() != m.coefficients.rows * columns)
    refuse("the coefficients are no matrix");
  if (m.offsets.size() != m.scores())
    refuse(counted(m.offsets.size(), "offset") + " for " + counted(m.scores(), "score"));
  if (!all_finite(m.coefficients.values) || !all_finite(m.offsets))
    refuse("a coefficient is not finite");
  if (blocks ? m.support_counts.size() != m.classes.size() : !m.support_counts.empty())
    refuse("counts of support points are for pairs of classes in kernel form, one per class");
  std::size_t left = m.support.rows();
  for (const std::size_t count : m.support_counts) {
    if (count > left) refuse("the counts of support points exceed their number");
    left -= count;
  }
  if (blocks && left > 0) refuse("the counts of support points fall short of their number");
}

void check_calibration(const Model& m) {
  if (m.calibration.empty()) return;
  if (m.calibration.size() != m.scores())
    refuse(counted(m.calibration.size(), "sigmoid") + " for " + counted(m.scores(), "score"));
  for (const auto& s : m.calibration)
    if (!std::isfinite(s.slope) || !std::isfinite(s.offset)) refuse("a sigmoid is not finite");
}

// Deep nesting is refused, for those who print it by recursion.
void check_training(const std::string& text) {
  if (text.empty()) return;
  constexpr int deepest = 64;
  bool deep = false;
  const auto shallow = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    deep = deep || depth > deepest;
    return !deep;
  };
  const auto json = nlohmann::json::parse(text, shallow, false);
  if (deep) refuse("how it was trained is nested too deeply");
  if (!json.is_object()) refuse("how it was trained is no JSON object");
}

void check_encoding(const Model& m) {
  const Encoding& e = m.encoding;
  if (e.dimension == 0 && e.columns.empty()) return;  // none
  if (e.dimension != m.dimension())
    refuse("the encoding makes points of dimension " + std::to_string(e.dimension) +
           ", and the rule is for " + std::to_string(m.dimension()));
  if (e.open && !(m.kernel && m.support.is_sparse()))
    refuse("an open encoding is for sparse support points");
}

// The rows with some α that is not 0.
std::vector<std::size_t> rows_that_matter(const Matrix& alpha) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < alpha.rows; ++i)
    if (std::ranges::any_of(alpha.row(i), [](double a) { return a != 0; })) rows.push_back(i);
  return rows;
}

}  // namespace

std::size_t Model::dimension() const {
  return kernel ? support.columns() : map ? map->dimension : sketch->dimension;
}

std::size_t Model::scores() const {
  if (scheme == Scheme::one) return 1;
  const std::size_t c = classes.size();
  return scheme == Scheme::per_class ? c : c * (c - 1) / 2;
}

void Model::check() const {
  check_classes(*this);
  if (int{kernel.has_value()} + int{map.has_value()} + int{sketch.has_value()} != 1)
    refuse("a kernel, a feature map or a sketch, one of them");
  if (kernel) check_kernel(*this);
  if (map) check_map(*this);
  if (sketch) check_sketch(*this);
  check_coefficients(*this);
  check_calibration(*this);
  check_encoding(*this);
  check_training(training);
}

Model Model::compacted() const {
  Model result = *this;
  if (encoding.dimension == 0 && encoding.columns.empty()) {
    result.encoding.dimension = dimension();
    result.encoding.sparse = support.is_sparse();
  }
  if (!kernel) return result;
  const std::vector<std::size_t> rows = rows_that_matter(coefficients);
  if (rows.size() == coefficients.rows) return result;
  result.support = support.select(rows);
  result.coefficients.rows = rows.size();
  result.coefficients.values.clear();
  for (const std::size_t i : rows) {
    const auto row = coefficients.row(i);
    result.coefficients.values.insert(result.coefficients.values.end(), row.begin(), row.end());
  }
  std::size_t end = 0;
  std::size_t kept = 0;
  for (auto& count : result.support_counts) {
    end += count;
    const std::size_t before = kept;
    while (kept < rows.size() && rows[kept] < end) ++kept;
    count = kept - before;
  }
  return result;
}

}  // namespace mercer
