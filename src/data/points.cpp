#include <algorithm>
#include <mercer/error.hpp>
#include <mercer/points.hpp>
#include <string>
#include <utility>

namespace mercer {

template <>
const float* Points::values<float>() const {
  return static_cast<const float*>(values_);
}
template <>
const double* Points::values<double>() const {
  return static_cast<const double*>(values_);
}

namespace {

// What a sparse Points made by us keeps alive.
template <class T>
struct Rows {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> indices;
  std::vector<T> values;
};

template <class T>
Points own_dense(std::vector<T> values, std::size_t rows, std::size_t columns) {
  if (values.size() != rows * columns)
    throw Error(std::to_string(rows) + " points of dimension " + std::to_string(columns) + " are " +
                std::to_string(rows * columns) + " numbers, not " + std::to_string(values.size()));
  const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  return Points::dense(owner->data(), rows, columns, 0, owner);
}

template <class T>
Points own_sparse(std::vector<std::int64_t> offsets, std::vector<std::int32_t> indices,
                  std::vector<T> values, std::size_t columns) {
  if (offsets.empty() || indices.size() != values.size() ||
      offsets.back() != static_cast<std::int64_t>(values.size()))
    throw Error("sparse points need rows + 1 offsets, the last one the number of entries");
  const std::size_t rows = offsets.size() - 1;
  const auto owner = std::make_shared<const Rows<T>>(
      Rows<T>{std::move(offsets), std::move(indices), std::move(values)});
  return Points::sparse(owner->offsets.data(), owner->indices.data(), owner->values.data(), rows,
                        columns, owner);
}

// Calls visit(const T* values) with the type that the points have.
template <class Visit>
auto with_values(const Points& points, Visit&& visit) {
  return points.scalar() == Points::Scalar::float32
             ? std::forward<Visit>(visit)(points.values<float>())
             : std::forward<Visit>(visit)(points.values<double>());
}

template <class T>
void copy_row(const Points& points, std::size_t i, std::span<T> out) {
  with_values(points, [&](const auto* values) {
    if (points.is_sparse()) {
      std::ranges::fill(out, T(0));
      for (auto e = points.offsets()[i]; e < points.offsets()[i + 1]; ++e)
        out[static_cast<std::size_t>(points.indices()[e])] = static_cast<T>(values[e]);
    } else {
      const auto* row = values + i * points.stride();
      std::transform(row, row + points.columns(), out.begin(),
                     [](auto v) { return static_cast<T>(v); });
    }
  });
}

template <class T>
Points selected(const Points& points, const T* values, std::span<const std::size_t> rows) {
  if (!points.is_sparse()) {
    std::vector<T> copy(rows.size() * points.columns());
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(values + rows[i] * points.stride(), points.columns(),
                  copy.begin() + static_cast<std::ptrdiff_t>(i * points.columns()));
    return Points::own(std::move(copy), rows.size(), points.columns());
  }
  Rows<T> copy;
  std::int64_t entries = 0;
  for (const std::size_t i : rows) entries += points.offsets()[i + 1] - points.offsets()[i];
  copy.offsets.reserve(rows.size() + 1);
  copy.indices.reserve(static_cast<std::size_t>(entries));
  copy.values.reserve(static_cast<std::size_t>(entries));
  copy.offsets.push_back(0);
  for (const std::size_t i : rows) {
    const auto begin = points.offsets()[i];
    const auto end = points.offsets()[i + 1];
    copy.indices.insert(copy.indices.end(), points.indices() + begin, points.indices() + end);
    copy.values.insert(copy.values.end(), values + begin, values + end);
    copy.offsets.push_back(static_cast<std::int64_t>(copy.values.size()));
  }
  return Points::own(std::move(copy.offsets), std::move(copy.indices), std::move(copy.values),
                     points.columns());
}

}  // namespace

Points Points::dense(const float* values, std::size_t rows, std::size_t columns, std::size_t stride,
                     Owner owner) {
  Points p;
  p.scalar_ = Scalar::float32;
  p.rows_ = rows;
  p.columns_ = columns;
  p.stride_ = stride == 0 ? columns : stride;
  p.values_ = values;
  p.owner_ = std::move(owner);
  return p;
}

Points Points::dense(const double* values, std::size_t rows, std::size_t columns,
                     std::size_t stride, Owner owner) {
  Points p = dense(static_cast<const float*>(nullptr), rows, columns, stride, std::move(owner));
  p.scalar_ = Scalar::float64;
  p.values_ = values;
  return p;
}

Points Points::sparse(const std::int64_t* offsets, const std::int32_t* indices, const float* values,
                      std::size_t rows, std::size_t columns, Owner owner) {
  Points p = dense(values, rows, columns, 0, std::move(owner));
  p.offsets_ = offsets;
  p.indices_ = indices;
  return p;
}

Points Points::sparse(const std::int64_t* offsets, const std::int32_t* indices,
                      const double* values, std::size_t rows, std::size_t columns, Owner owner) {
  Points p = dense(values, rows, columns, 0, std::move(owner));
  p.offsets_ = offsets;
  p.indices_ = indices;
  return p;
}

Points Points::own(std::vector<float> values, std::size_t rows, std::size_t columns) {
  return own_dense(std::move(values), rows, columns);
}
Points Points::own(std::vector<double> values, std::size_t rows, std::size_t columns) {
  return own_dense(std::move(values), rows, columns);
}
Points Points::own(std::vector<std::int64_t> offsets, std::vector<std::int32_t> indices,
                   std::vector<float> values, std::size_t columns) {
  return own_sparse(std::move(offsets), std::move(indices), std::move(values), columns);
}
Points Points::own(std::vector<std::int64_t> offsets, std::vector<std::int32_t> indices,
                   std::vector<double> values, std::size_t columns) {
  return own_sparse(std::move(offsets), std::move(indices), std::move(values), columns);
}

std::size_t Points::entries() const {
  return is_sparse() ? static_cast<std::size_t>(offsets_[rows_] - offsets_[0]) : rows_ * columns_;
}

void Points::row(std::size_t i, std::span<double> out) const { copy_row(*this, i, out); }
void Points::row(std::size_t i, std::span<float> out) const { copy_row(*this, i, out); }

double Points::operator()(std::size_t i, std::size_t j) const {
  return with_values(*this, [&](const auto* values) -> double {
    if (!is_sparse()) return static_cast<double>(values[i * stride_ + j]);
    const auto* begin = indices_ + offsets_[i];
    const auto* end = indices_ + offsets_[i + 1];
    const auto* at = std::lower_bound(begin, end, static_cast<std::int32_t>(j));
    return at != end && *at == static_cast<std::int32_t>(j)
               ? static_cast<double>(values[at - indices_])
               : 0.0;
  });
}

Points Points::select(std::span<const std::size_t> rows) const {
  return with_values(*this, [&](const auto* values) { return selected(*this, values, rows); });
}

Points Points::part(std::size_t begin, std::size_t end) const {
  if (begin > end || end > rows_)
    throw Error("rows " + std::to_string(begin) + " to " + std::to_string(end) + " of " +
                std::to_string(rows_) + " points");
  Points p = *this;
  p.rows_ = end - begin;
  if (is_sparse()) {
    p.offsets_ = offsets_ + begin;
  } else {
    p.values_ = with_values(
        *this, [&](const auto* values) -> const void* { return values + begin * stride_; });
  }
  return p;
}

Points Points::with_columns(std::size_t columns) const {
  if (columns == columns_) return *this;
  if (!is_sparse() || columns < columns_)
    throw Error("points of dimension " + std::to_string(columns_) + " cannot become points of " +
                std::to_string(columns));
  Points p = *this;
  p.columns_ = columns;
  return p;
}

std::span<const std::int64_t> Points::offsets() const {
  return is_sparse() ? std::span(offsets_, rows_ + 1) : std::span<const std::int64_t>();
}

}  // namespace mercer
