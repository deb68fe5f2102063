// K among the points of two classes, in pieces: K_aa serves every pair that class a is in, so that
// for all pairs together each kernel value is computed about once.
#pragma once

#include <cstddef>
#include <mercer/gram.hpp>
#include <mutex>
#include <vector>

#include "base/aligned.hpp"
#include "svm/passes.hpp"

namespace mercer::support {

// All of a Gram matrix, of points that stand in two stretches: each row in two pieces, with zeros
// up to a multiple of pass_step.
template <class T>
struct TwoStretches {
  std::size_t first = 0;  // points of each stretch
  std::size_t second = 0;
  std::vector<const T*> rows_first;
  std::vector<const T*> rows_second;
  Aligned<T> memory;  // of the pieces that only this pair has
};

template <class T>
class ClassBlocks {
 public:
  // K is among all points, `rows` are those of each class; K must stay.
  ClassBlocks(const Gram& K, const std::vector<std::vector<std::size_t>>& rows)
      : K_(K), rows_(rows), own_(rows.size()), computed_(rows.size()) {}

  // Bytes that are kept in the end.
  static std::size_t bytes(const std::vector<std::vector<std::size_t>>& rows) {
    std::size_t total = 0;
    for (const auto& r : rows) total += r.size() * filled(r.size()) * sizeof(T);
    return total;
  }

  // `among` is the part of K of class a and behind it class b. From any thread.
  TwoStretches<T> pair(std::size_t a, std::size_t b, const Gram& among) {
    const std::size_t n = rows_[a].size();
    const std::size_t m = rows_[b].size();
    TwoStretches<T> result{n, m, {}, {}, Aligned<T>(n * filled(m) + m * filled(n))};
    T* ab = result.memory.data();
    T* ba = ab + n * filled(m);
    std::fill_n(ab, result.memory.size(), T(0));
    among.block(Rows(0, n), Rows(n, n + m), ab, filled(m));
    transpose(ab, n, m, ba);
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

 private:
  const T* own(std::size_t c) {
    std::call_once(computed_[c], [&] {
      const std::size_t n = rows_[c].size();
      own_[c] = Aligned<T>(n * filled(n));
      std::fill_n(own_[c].data(), own_[c].size(), T(0));
      K_.part(rows_[c], 1).block(Rows::all(), Rows::all(), own_[c].data(), filled(n));
    });
    return own_[c].data();
  }

  // In squares that stay in the nearest cache.
  static void transpose(const T* from, std::size_t n, std::size_t m, T* to) {
    constexpr std::size_t square = 16;
    for (std::size_t i = 0; i < n; i += square)
      for (std::size_t j = 0; j < m; j += square)
        for (std::size_t k = i; k < std::min(n, i + square); ++k)
          for (std::size_t l = j; l < std::min(m, j + square); ++l)
            to[l * filled(n) + k] = from[k * filled(m) + l];
  }

  const Gram& K_;
  const std::vector<std::vector<std::size_t>>& rows_;
  std::vector<Aligned<T>> own_;
  std::vector<std::once_flag> computed_;
};

}  // namespace mercer::support
