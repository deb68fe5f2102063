#include "gram/prepared.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <string>

#include "base/parallel.hpp"
#include "gram/point_function.hpp"
#include "kernel/evaluate.hpp"

namespace mercer::gram {

namespace {

constexpr std::size_t rows_per_task = 256;

std::size_t tasks(std::size_t rows) { return (rows + rows_per_task - 1) / rows_per_task; }

std::size_t padded(std::size_t n) { return (n + unit_columns - 1) / unit_columns * unit_columns; }

void check_finite(double v, std::size_t row, std::size_t column) {
  if (!std::isfinite(v))
    throw Error("row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) +
                ": the points must be finite numbers");
}

double mapped(const Source& source, double v) {
  if (source.map == nullptr) return source.scale * v;
  return source.scale * algebra::evaluate(source.map, std::span(&v, 1), std::span(&v, 1));
}

bool is_norm(const PointFunction& f) {
  return f.kind == PointFunction::Kind::squared_norm || f.kind == PointFunction::Kind::half_norm;
}

}  // namespace

template <class T>
Prepared<T>::Prepared(const Plan& plan, const Points& points, std::span<const double> centre,
                      const Engine<T>& engine, unsigned threads, As as)
    : size_(points.rows()), sparse_(plan.sparse) {
  for (const auto& s : plan.sources) lengths_.push_back(s.columns.size());
  if (sparse_) {
    fill_sparse(plan, points);
  } else {
    fill_dense(plan, points, centre, threads);
    if (as != As::rows) pack(engine, threads);
  }
  mark(plan, threads);
  fill_functions(plan, points, centre, engine, threads);
}

template <class T>
void Prepared<T>::fill_dense(const Plan& plan, const Points& points, std::span<const double> centre,
                             unsigned threads) {
  const std::size_t n = size_;
  constexpr double largest = std::numeric_limits<double>::max();
  std::vector<bool> as_it_is;  // all columns in their order, and nothing but a factor
  for (const auto& s : plan.sources) {
    values_.push_back(Aligned<T>::whole(n * s.columns.size()));
    as_it_is.push_back(s.map == nullptr && !s.centred && s.columns.size() == points.columns() &&
                       std::ranges::is_sorted(s.columns));
  }
  std::atomic<bool> overflows = false;
  parallel_for(tasks(n), threads, [&](std::size_t task) {
    std::vector<double> point(points.columns());
    T most = 0;
    const std::size_t end = std::min(n, (task + 1) * rows_per_task);
    for (std::size_t i = task * rows_per_task; i < end; ++i) {
      points.row(i, std::span(point));
      bool finite = true;
      for (const double v : point) finite = finite && std::abs(v) <= largest;
      for (std::size_t j = 0; !finite && j < point.size(); ++j) check_finite(point[j], i, j);
      if (plan.centre_all)
        for (std::size_t j = 0; j < point.size(); ++j) point[j] -= centre[j];
      for (std::size_t s = 0; s < plan.sources.size(); ++s) {
        const Source& source = plan.sources[s];
        T* to = values_[s].data() + i * lengths_[s];
        if (as_it_is[s]) {
          for (std::size_t j = 0; j < point.size(); ++j)
            to[j] = static_cast<T>(source.scale * point[j]);
        } else {
          for (std::size_t j = 0; j < lengths_[s]; ++j) {
            const std::uint32_t c = source.columns[j];
            to[j] = static_cast<T>(mapped(source, point[c] - (source.centred ? centre[c] : 0)));
          }
        }
        for (std::size_t j = 0; j < lengths_[s]; ++j) most = std::max(most, std::abs(to[j]));
      }
    }
    if (most > std::numeric_limits<T>::max()) overflows = true;
  });
  overflows_ = overflows;
}

template <class T>
void Prepared<T>::fill_sparse(const Plan& plan, const Points& points) {
  for (const auto& source : plan.sources) {
    // A column's place in the source, or -1.
    const bool all = source.columns.size() == points.columns();
    std::vector<std::int32_t> place;
    if (!all) {
      place.assign(points.columns(), -1);
      for (std::size_t k = 0; k < source.columns.size(); ++k)
        place[source.columns[k]] = static_cast<std::int32_t>(k);
    }
    std::vector<std::size_t> offsets{0};
    std::vector<std::int32_t> indices;
    std::vector<T> values;
    for (std::size_t i = 0; i < size_; ++i) {
      for_entries(points, i, [&](std::size_t j, double v) {
        check_finite(v, i, j);
        const std::int32_t k = all ? static_cast<std::int32_t>(j) : place[j];
        const auto value = k < 0 ? T(0) : static_cast<T>(mapped(source, v));
        if (value == 0) return;
        overflows_ = overflows_ || std::abs(value) > std::numeric_limits<T>::max();
        indices.push_back(k);
        values.push_back(value);
      });
      offsets.push_back(values.size());
    }
    Aligned<T> kept(values.size());
    std::copy(values.begin(), values.end(), kept.data());
    values_.push_back(std::move(kept));
    offsets_.push_back(std::move(offsets));
    indices_.push_back(std::move(indices));
  }
}

template <class T>
void Prepared<T>::fill_functions(const Plan& plan, const Points& points,
                                 std::span<const double> centre, const Engine<T>& engine,
                                 unsigned threads) {
  const std::size_t n = size_;
  functions_.resize(plan.functions.size());
  for (auto& f : functions_) f.resize(padded(n));
  const PointFunctions functions(plan, points.columns(), centre);
  parallel_for(tasks(n), threads, [&](std::size_t task) {
    PointFunctions::Workspace workspace;
    const std::size_t end = std::min(n, (task + 1) * rows_per_task);
    for (std::size_t f = 0; f < plan.functions.size(); ++f) {
      const PointFunction& function = plan.functions[f];
      for (std::size_t i = task * rows_per_task; i < end; ++i) {
        if (!is_norm(function)) {
          functions_[f][i] = static_cast<T>(functions.value(f, points, i, workspace));
          continue;
        }
        const T square = [&] {
          if (!sparse_)
            return engine.squared_norm(row(function.source, i), lengths_[function.source]);
          const SparseRow<T> row = entries(function.source, i);
          return engine.squared_norm(row.values, row.count);
        }();
        functions_[f][i] = function.kind == PointFunction::Kind::half_norm ? square / 2 : square;
      }
    }
  });
  for (auto& f : functions_)
    if (n > 0) std::fill(f.begin() + static_cast<std::ptrdiff_t>(n), f.end(), f[n - 1]);
  for (const auto& f : functions_)
    finite_.push_back(std::ranges::all_of(f, [](T v) { return std::isfinite(v); }) ? 1 : 0);
}

template <class T>
void Prepared<T>::pack(const Engine<T>& engine, unsigned threads) {
  const std::size_t panels = padded(size_) / engine.panel;
  panels_.clear();
  for (std::size_t s = 0; s < values_.size(); ++s) {
    const std::size_t length = lengths_[s];
    panels_.push_back(Aligned<T>::whole(padded(size_) * length));
    const T* from = values_[s].data();
    T* to = panels_[s].data();
    const std::size_t group = std::max<std::size_t>(1, rows_per_task / engine.panel);
    parallel_for((panels + group - 1) / group, threads, [&](std::size_t task) {
      const std::size_t end = std::min(panels, (task + 1) * group);
      for (std::size_t p = task * group; p < end; ++p)
        for (std::size_t i = 0; i < engine.panel; ++i) {
          const T* row = from + std::min(size_ - 1, p * engine.panel + i) * length;
          T* column = to + p * engine.panel * length + i;
          for (std::size_t k = 0; k < length; ++k) column[k * engine.panel] = row[k];
        }
    });
  }
}

template <class T>
void Prepared<T>::mark(const Plan& plan, unsigned threads) {
  marks_.resize(lengths_.size());
  if (sparse_) return;
  for (const auto& r : plan.reductions)
    if (r.kind == Reduce::dot && marks_[r.x].empty())
      marks_[r.x] = Marks(values_[r.x].data(), size_, lengths_[r.x], threads);
}

template <class T>
std::vector<std::size_t> Prepared<T>::order() const {
  const auto some = std::ranges::find_if(marks_, [](const Marks& m) { return !m.empty(); });
  return some == marks_.end() ? std::vector<std::size_t>() : some->order();
}

template <class T>
Prepared<T> Prepared<T>::select(std::span<const std::size_t> rows, const Engine<T>& engine,
                                unsigned threads, As as) const {
  Prepared chosen;
  chosen.size_ = rows.size();
  chosen.sparse_ = sparse_;
  chosen.lengths_ = lengths_;
  for (std::size_t s = 0; s < values_.size(); ++s) {
    if (sparse_) {
      std::vector<std::size_t> offsets{0};
      std::vector<std::int32_t> indices;
      for (const std::size_t i : rows) {
        const SparseRow<T> row = entries(s, i);
        indices.insert(indices.end(), row.indices, row.indices + row.count);
        offsets.push_back(indices.size());
      }
      Aligned<T> values(indices.size());
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const SparseRow<T> row = entries(s, rows[k]);
        std::copy_n(row.values, row.count, values.data() + offsets[k]);
      }
      chosen.values_.push_back(std::move(values));
      chosen.offsets_.push_back(std::move(offsets));
      chosen.indices_.push_back(std::move(indices));
    } else {
      chosen.values_.emplace_back(rows.size() * lengths_[s]);
      for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy_n(row(s, rows[i]), lengths_[s], chosen.values_[s].data() + i * lengths_[s]);
    }
  }
  for (const auto& f : functions_) {
    std::vector<T> values(padded(rows.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = f[rows[std::min(rows.size() - 1, i)]];
    chosen.functions_.push_back(std::move(values));
    chosen.finite_.push_back(finite_[chosen.finite_.size()]);
  }
  chosen.marks_.resize(marks_.size());
  if (as != As::columns)
    std::ranges::transform(marks_, chosen.marks_.begin(),
                           [&](const Marks& m) { return m.select(rows); });
  if (!sparse_ && as != As::rows) chosen.pack(engine, threads);
  return chosen;
}

template <class T>
std::size_t Prepared<T>::bytes() const {
  std::size_t total = 0;
  for (const auto& v : values_) total += v.size() * sizeof(T);
  for (const auto& i : indices_) total += i.size() * sizeof(std::int32_t);
  for (const auto& o : offsets_) total += o.size() * sizeof(std::size_t);
  for (const auto& p : panels_) total += p.size() * sizeof(T);
  for (const auto& f : functions_) total += f.size() * sizeof(T);
  for (const auto& m : marks_) total += m.bytes();
  return total;
}

template class Prepared<float>;
template class Prepared<double>;

}  // namespace mercer::gram
