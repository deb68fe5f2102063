// K among the points of two classes, in pieces: K_aa serves every pair that class a is in, so that
// for all pairs together each kernel value is computed about once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <mercer/gram.hpp>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/huge.hpp"
#include "svm/memory_pool.hpp"
#include "svm/passes.hpp"

namespace mercer::support {

// All of a Gram matrix, of points that stand in two stretches: each row in two pieces, with
// zeros up to a multiple of pass_step.
template <class T>
struct TwoStretches {
  std::size_t first = 0;  // points of each stretch
  std::size_t second = 0;
  // Null for rows that nobody has needed yet.
  mutable std::vector<const T*> rows_first;
  mutable std::vector<const T*> rows_second;
  mutable Lent memory;  // of the pieces that only this pair has …
  mutable Lent some;    // … and of rows that were needed before all were
  // Computes rows, none of which are here; no such function where all are.
  std::function<void(const TwoStretches&, std::span<const std::size_t>)> make;

  // From now on these rows are here. For one thread.
  void need(const std::vector<std::size_t>& which) const {
    std::vector<std::size_t> missing;
    for (const std::size_t k : which)
      if (rows_first[k] == nullptr) missing.push_back(k);
    if (!missing.empty()) make(*this, missing);
  }
  [[nodiscard]] bool is_whole() const { return !make || memory.data() != nullptr; }
};

template <class T>
class ClassBlocks {
 public:
  // K is among all points, `rows` are those of each class; all of them must stay.
  ClassBlocks(const Gram& K, const std::vector<std::vector<std::size_t>>& rows, MemoryPool& pool)
      : K_(K), rows_(rows), computed_(rows.size()), pool_(pool) {}

  // Bytes that are kept in the end.
  static std::size_t bytes(const std::vector<std::vector<std::size_t>>& rows) {
    std::size_t total = 0;
    for (const auto& r : rows) total += r.size() * filled(r.size()) * sizeof(T);
    return total;
  }

  // From any thread.
  TwoStretches<T> pair(std::size_t a, std::size_t b) {
    const std::size_t n = rows_[a].size();
    const std::size_t m = rows_[b].size();
    TwoStretches<T> result{n,  m, {}, {}, Lent(pool_, (n * filled(m) + m * filled(n)) * sizeof(T)),
                           {}, {}};
    T* ab = static_cast<T*>(result.memory.data());
    T* ba = ab + n * filled(m);
    const Gram& K = by_class();
    K.block_both_ways(range(a), range(b), ab, filled(m), ba, filled(n));
    fill_up(ab, n, m);
    fill_up(ba, m, n);
    const T* aa = own(a);
    const T* bb = own(b);
    for (std::size_t i = 0; i < n; ++i) {
      result.rows_first.push_back(aa + i * filled(n));
      result.rows_second.push_back(ab + i * filled(m));
    }
    for (std::size_t j = 0; j < m; ++j) {
      result.rows_first.push_back(ba + j * filled(n));
      result.rows_second.push_back(bb + j * filled(m));
    }
    return result;
  }

  // The same, row by row as they are needed. From any thread.
  TwoStretches<T> pair_on_demand(std::size_t a, std::size_t b) {
    const std::size_t n = rows_[a].size();
    const std::size_t m = rows_[b].size();
    const std::size_t room = filled(n) + filled(m);
    // From there on all of them, half of whose values are those of the other half, are less work.
    const std::size_t most = std::max<std::size_t>(1, (n + m) / 3);
    TwoStretches<T> result{n, m, {}, {}, {}, Lent(pool_, most * room * sizeof(T)), {}};
    result.rows_first.resize(n + m);
    result.rows_second.resize(n + m);
    result.make = [this, a, b, n, m, room, most, used = std::size_t{0},
                   rows = std::make_shared<GramRows>(by_class()),
                   which = std::vector<std::size_t>(), first = std::vector<T*>(),
                   second = std::vector<T*>()](const TwoStretches<T>& to,
                                               std::span<const std::size_t> missing) mutable {
      if (used + missing.size() > most) {
        TwoStretches<T> all = pair(a, b);
        to.rows_first = std::move(all.rows_first);
        to.rows_second = std::move(all.rows_second);
        to.memory = std::move(all.memory);
        return;
      }
      which.clear();
      first.clear();
      second.clear();
      for (const std::size_t k : missing) {
        which.push_back(k < n ? begin_[a] + k : begin_[b] + (k - n));
        first.push_back(static_cast<T*>(to.some.data()) + used++ * room);
        second.push_back(first.back() + filled(n));
        std::fill(first.back() + n, second.back(), T(0));
        std::fill(second.back() + m, first.back() + room, T(0));
        to.rows_first[k] = first.back();
        to.rows_second[k] = second.back();
      }
      rows->rows(which, begin_[a], begin_[a] + n, std::span<T* const>(first));
      rows->rows(which, begin_[b], begin_[b] + m, std::span<T* const>(second));
    };
    return result;
  }

 private:
  const T* own(std::size_t c) {
    const Gram& K = by_class();
    T* values = static_cast<T*>(own_.data()) + own_begin_[c];
    std::call_once(computed_[c],
                   [&] { K.block(range(c), range(c), values, filled(rows_[c].size())); });
    return values;
  }

  // K with the points of a class next to each other, each class from a panel's beginning on, with
  // its last point again in between; whoever asks has a thread of its own. And the memory for all
  // classes, in one piece: each of them alone is mostly too small for large pages.
  const Gram& by_class() {
    std::call_once(ordered_, [&] {
      own_ = HugeMemory(bytes(rows_));  // zeros
      std::size_t used = 0;
      std::vector<std::size_t> all;
      for (const auto& r : rows_) {
        own_begin_.push_back(used);
        used += r.size() * filled(r.size());
        begin_.push_back(all.size());
        all.insert(all.end(), r.begin(), r.end());
        while (all.size() % Gram::panel != 0) all.push_back(all.back());
      }
      by_class_.emplace(K_.part(all, 1));
    });
    return *by_class_;
  }
  [[nodiscard]] Rows range(std::size_t c) const { return {begin_[c], begin_[c] + rows_[c].size()}; }

  // Zeros behind the columns of each row.
  static void fill_up(T* block, std::size_t rows, std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r)
      std::fill(block + r * filled(columns) + columns, block + (r + 1) * filled(columns), T(0));
  }

  const Gram& K_;
  const std::vector<std::vector<std::size_t>>& rows_;
  HugeMemory own_;
  std::vector<std::size_t> own_begin_;  // of each class, in own_
  std::vector<std::once_flag> computed_;
  std::once_flag ordered_;
  std::optional<Gram> by_class_;
  std::vector<std::size_t> begin_;  // of each class, in by_class_
  MemoryPool& pool_;
};

}  // namespace mercer::support
