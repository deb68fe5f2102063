// Points as the steps of a plan want them: the coordinates of every source, row by row for the
// points x and in panels for the points z, or as entries that are not zero; and the functions of
// each point.
#pragma once

#include <mercer/points.hpp>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "gram/engine.hpp"
#include "gram/marks.hpp"
#include "gram/plan.hpp"

namespace mercer::gram {

template <class T>
class Prepared {
 public:
  // What they are for: to be points x, z, or both.
  enum class As : std::uint8_t { both, rows, columns };
  // `centre` is what plans with centred sources take off; `threads` as for parallel_for.
  Prepared(const Plan& plan, const Points& points, std::span<const double> centre,
           const Engine<T>& engine, unsigned threads, As as = As::both);

  // These of them, in this order.
  [[nodiscard]] Prepared select(std::span<const std::size_t> rows, const Engine<T>& engine,
                                unsigned threads, As as) const;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] bool is_sparse() const { return sparse_; }
  [[nodiscard]] std::size_t length(std::size_t source) const { return lengths_[source]; }
  // Point i in a source.
  [[nodiscard]] const T* row(std::size_t source, std::size_t i) const {
    return values_[source].data() + i * lengths_[source];
  }
  [[nodiscard]] SparseRow<T> entries(std::size_t source, std::size_t i) const {
    const std::size_t begin = offsets_[source][i];
    return {indices_[source].data() + begin, values_[source].data() + begin,
            offsets_[source][i + 1] - begin};
  }
  // Points [g*unit_columns, (g+1)*unit_columns) in a source, dense; not of rows alone.
  [[nodiscard]] const T* panels(std::size_t source, std::size_t g) const {
    return panels_[source].data() + g * unit_columns * lengths_[source];
  }
  [[nodiscard]] const T* function(std::size_t f) const { return functions_[f].data(); }
  // Whether some number of the points is too large for T.
  [[nodiscard]] bool overflows() const { return overflows_; }
  // Whether it is known to be a finite number at every point.
  [[nodiscard]] bool is_finite(std::size_t f) const { return finite_[f] != 0; }
  // Where zeros are, in a source; empty where they are too few, and for entries.
  [[nodiscard]] const Marks& marks(std::size_t source) const { return marks_[source]; }
  // The points in an order in which neighbours share their zeros; empty where they have few.
  [[nodiscard]] std::vector<std::size_t> order() const;

 private:
  Prepared() = default;
  void fill_dense(const Plan& plan, const Points& points, std::span<const double> centre,
                  unsigned threads);
  void fill_sparse(const Plan& plan, const Points& points);
  void fill_functions(const Plan& plan, const Points& points, std::span<const double> centre,
                      const Engine<T>& engine, unsigned threads);
  void pack(const Engine<T>& engine, unsigned threads);
  void mark(const Plan& plan, unsigned threads);

  std::size_t size_ = 0;
  bool sparse_ = false;
  bool overflows_ = false;
  std::vector<std::size_t> lengths_;                // of each source
  std::vector<Aligned<T>> values_;                  // of each source, row by row
  std::vector<std::vector<std::size_t>> offsets_;   // sparse: where rows begin
  std::vector<std::vector<std::int32_t>> indices_;  // sparse: the coordinates of the values
  std::vector<Aligned<T>> panels_;                  // dense
  std::vector<Marks> marks_;                        // of each source
  std::vector<std::vector<T>> functions_;           // with the last point repeated up to full tiles
  std::vector<char> finite_;                        // of each function
};

}  // namespace mercer::gram
