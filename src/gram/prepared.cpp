#include "gram/prepared.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <string>

#include "base/parallel.hpp"
#include "kernel/evaluate.hpp"

namespace mercer::gram {

namespace {

constexpr std::size_t rows_per_task = 256;

std::size_t tasks(std::size_t rows) { return (rows + rows_per_task - 1) / rows_per_task; }

std::size_t padded(std::size_t n) { return (n + unit_columns - 1) / unit_columns * unit_columns; }

void check_finite(std::span<const double> point, std::size_t row) {
  for (std::size_t j = 0; j < point.size(); ++j)
    if (!std::isfinite(point[j]))
      throw Error("row " + std::to_string(row + 1) + ", column " + std::to_string(j + 1) +
                  ": the points must be finite numbers");
}

double value_of(const PointFunction& f, std::span<const double> point) {
  const double v = algebra::evaluate(f.expression, point, point);
  if (f.kind == PointFunction::Kind::value) return v;
  if (v < 0) throw EvaluationError("normalize is undefined where k(x,x) is negative");
  return v == 0 ? 0 : 1 / std::sqrt(v);
}

// |x|² as the dot product of tiles rounds it, so that the distance of a point to itself is 0: the
// diagonal of the tile of each group of points with itself.
template <class T>
void squared_norms(const Prepared<T>& points, std::uint32_t source, std::size_t length,
                   const Engine<T>& engine, unsigned threads, std::vector<T>& out) {
  Plan plan;
  plan.reductions = {{.kind = Reduce::dot}};
  plan.steps = {{.code = Code::reduction, .to = 0, .n = 0}};
  plan.registers = 1;
  plan.results = {0};
  const std::size_t n = points.size();
  parallel_for(out.size() / unit_columns, threads, [&](std::size_t g) {
    Aligned<T> memory(unit_size);
    for (std::size_t first = 0; first < unit_columns; first += unit_rows) {
      std::vector<const T*> rows(unit_rows);
      const std::size_t count = std::min(unit_rows, unit_columns - first);
      for (std::size_t r = 0; r < unit_rows; ++r)
        rows[r] =
            points.row(source, std::min(n - 1, g * unit_columns + first + std::min(r, count - 1)));
      TileSource<T> view{.length = length, .rows = rows.data(), .panels = points.panels(source, g)};
      Tile<T> tile;
      tile.rows = count;
      tile.sources = &view;
      tile.memory = memory.data();
      engine.run(plan, tile);
      for (std::size_t r = 0; r < count; ++r)
        out[g * unit_columns + first + r] = memory[r * unit_columns + first + r];
    }
  });
}

}  // namespace

std::vector<double> means(const Points& points) {
  std::vector<double> total(points.columns());
  std::vector<double> row(points.columns());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    points.row(i, std::span(row));
    for (std::size_t j = 0; j < row.size(); ++j) total[j] += row[j];
  }
  for (double& t : total) t /= static_cast<double>(std::max<std::size_t>(1, points.rows()));
  return total;
}

template <class T>
Prepared<T>::Prepared(const Plan& plan, const Points& points, std::span<const double> centre,
                      const Engine<T>& engine, unsigned threads)
    : size_(points.rows()) {
  const std::size_t n = points.rows();
  for (const auto& s : plan.sources) {
    lengths_.push_back(s.columns.size());
    rows_.emplace_back(n * s.columns.size());
  }
  functions_.resize(plan.functions.size());
  for (auto& f : functions_) f.resize(padded(n));

  parallel_for(tasks(n), threads, [&](std::size_t task) {
    std::vector<double> point(points.columns());
    const std::size_t end = std::min(n, (task + 1) * rows_per_task);
    for (std::size_t i = task * rows_per_task; i < end; ++i) {
      points.row(i, std::span(point));
      check_finite(point, i);
      if (plan.centre_all)
        for (std::size_t j = 0; j < point.size(); ++j) point[j] -= centre[j];
      for (std::size_t s = 0; s < plan.sources.size(); ++s) {
        const Source& source = plan.sources[s];
        T* to = rows_[s].data() + i * lengths_[s];
        for (const std::uint32_t j : source.columns) {
          double v = point[j];
          if (source.centred) v -= centre[j];
          if (source.map != nullptr)
            v = algebra::evaluate(source.map, std::span(&v, 1), std::span(&v, 1));
          *to++ = static_cast<T>(v);
        }
      }
      for (std::size_t f = 0; f < plan.functions.size(); ++f)
        if (plan.functions[f].kind != PointFunction::Kind::squared_norm)
          functions_[f][i] = static_cast<T>(value_of(plan.functions[f], point));
    }
  });
  pack(engine, threads);
  for (std::size_t f = 0; f < plan.functions.size(); ++f) {
    const PointFunction& function = plan.functions[f];
    if (function.kind == PointFunction::Kind::squared_norm)
      squared_norms(*this, function.source, lengths_[function.source], engine, threads,
                    functions_[f]);
    if (n > 0)
      std::fill(functions_[f].begin() + static_cast<std::ptrdiff_t>(n), functions_[f].end(),
                functions_[f][n - 1]);
  }
}

template <class T>
void Prepared<T>::pack(const Engine<T>& engine, unsigned threads) {
  const std::size_t panels = padded(size_) / engine.panel;
  panels_.clear();
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    const std::size_t length = lengths_[s];
    panels_.emplace_back(padded(size_) * length);
    const T* from = rows_[s].data();
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
Prepared<T> Prepared<T>::select(std::span<const std::size_t> rows, const Engine<T>& engine,
                                unsigned threads) const {
  Prepared chosen;
  chosen.size_ = rows.size();
  chosen.lengths_ = lengths_;
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    chosen.rows_.emplace_back(rows.size() * lengths_[s]);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(row(s, rows[i]), lengths_[s], chosen.rows_[s].data() + i * lengths_[s]);
  }
  for (const auto& f : functions_) {
    std::vector<T> values(padded(rows.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = f[rows[std::min(rows.size() - 1, i)]];
    chosen.functions_.push_back(std::move(values));
  }
  chosen.pack(engine, threads);
  return chosen;
}

template <class T>
std::size_t Prepared<T>::bytes() const {
  std::size_t total = 0;
  for (const auto& r : rows_) total += r.size() * sizeof(T);
  for (const auto& p : panels_) total += p.size() * sizeof(T);
  for (const auto& f : functions_) total += f.size() * sizeof(T);
  return total;
}

template class Prepared<float>;
template class Prepared<double>;

}  // namespace mercer::gram
