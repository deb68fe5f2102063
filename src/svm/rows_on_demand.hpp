// Rows of a Gram matrix, computed when they are asked for and kept from then on. For problems so
// small that all of K could be held: most of their variables never leave 0, and the rows of those
// are never needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mercer/gram.hpp>
#include <mutex>
#include <span>
#include <vector>

#include "base/huge.hpp"
#include "svm/passes.hpp"

namespace mercer::support {

// Memory that goes from one problem to the next: touching new memory for the first time takes as
// long as filling it. From any thread.
class Slabs {
 public:
  static constexpr std::size_t bytes = std::size_t{1} << 21U;  // of each: one large page

  HugeMemory take() {
    {
      const std::scoped_lock lock(mutex_);
      if (!free_.empty()) {
        HugeMemory slab = std::move(free_.back());
        free_.pop_back();
        return slab;
      }
    }
    return HugeMemory(bytes);
  }
  void give_back(std::vector<HugeMemory> slabs) {
    const std::scoped_lock lock(mutex_);
    for (auto& slab : slabs) free_.push_back(std::move(slab));
  }

 private:
  std::mutex mutex_;
  std::vector<HugeMemory> free_;
};

// Values that take fewer instructions are computed again sooner than they are read from memory.
inline constexpr double cheap_value = 40;

// How many rows are computed when one is needed: as many as make dear values cheaper; of cheap ones
// two, since the way of the points z from the second cache is what takes its time. Of sparse
// points, which are laid out anew for every few rows, all of them: 0.
inline constexpr std::size_t rows_of_cheap_values = 2;
inline std::size_t rows_together(const Gram& K) {
  constexpr std::size_t dozen = 12;
  if (K.report().layout == "sparse") return 0;
  return K.report().cost >= cheap_value ? dozen : rows_of_cheap_values;
}

// Whether rows of one small problem are best computed as they are needed. Cheap ones are computed
// faster all at once, where nobody has set up what computes one.
inline bool better_on_demand(const Gram& K) { return rows_together(K) > rows_of_cheap_values; }

// k(x, x) of all points, as the Gram matrix has it.
std::vector<double> diagonal_of(const Gram& K, unsigned threads);

template <class T>
class RowsOnDemand {
 public:
  // K and the slabs must stay. A row must fit into a slab.
  RowsOnDemand(const Gram& K, Slabs& slabs)
      : K_(K), slabs_(slabs), stride_(filled(K.columns()) + pass_step), rows_(K.rows()) {}
  RowsOnDemand(const RowsOnDemand&) = delete;
  RowsOnDemand& operator=(const RowsOnDemand&) = delete;
  ~RowsOnDemand() { slabs_.give_back(std::move(held_)); }

  // With pass_step zeros behind it, so that a pass may begin anywhere in it; null where nobody has
  // asked for it.
  [[nodiscard]] const T* row(std::size_t i) const { return rows_[i]; }

  [[nodiscard]] std::size_t computed() const { return used_; }

  // Computes these, which are not here.
  void compute(const std::vector<std::size_t>& which) {
    std::vector<T*> to(which.size());
    for (std::size_t k = 0; k < which.size(); ++k) {
      T* row = next();
      std::fill(row + K_.columns(), row + stride_, T(0));
      rows_[which[k]] = to[k] = row;
    }
    K_.rows_to(which, std::span<T* const>(to));
  }

 private:
  T* next() {
    const std::size_t each = Slabs::bytes / (stride_ * sizeof(T));
    if (used_ % each == 0) held_.push_back(slabs_.take());
    return static_cast<T*>(held_.back().data()) + used_++ % each * stride_;
  }

  const Gram& K_;
  Slabs& slabs_;
  std::size_t stride_;
  std::vector<const T*> rows_;
  std::vector<HugeMemory> held_;
  std::size_t used_ = 0;
};

}  // namespace mercer::support
