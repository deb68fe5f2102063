#include "scale/sample.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/parallel.hpp"
#include "base/tiny.hpp"
#include "numeric/packed_lower.hpp"

namespace mercer::scale {

namespace {

using numeric::Micro;
using numeric::PackedLower;

constexpr std::size_t width = Triangle::width;
constexpr std::size_t together = SampleRows::together;

// L for panels of right-hand sides; or it is a diagonal.
PackedLower<float> packed(const FactorInFloats& L, const Micro<float>& micro, unsigned threads) {
  static_assert(FactorInFloats::together == PackedLower<float>::block);
  PackedLower<float> lower(L.size, micro);
  for (std::size_t k = 0; k < L.columns.size(); ++k) {
    const std::size_t left = L.size - k * FactorInFloats::together;
    const std::size_t now = std::min(FactorInFloats::together, left);
    lower.add({L.columns[k].data(), left, now, now, 1}, threads);
  }
  return lower;
}

// Values at some rows of the sample, for which much that is prepared is prepared once. Which rows
// share it does not depend on who adds them.
class Values {
 public:
  Values(const SampleRows& rows, const Basis& basis, const GramOptions& gram)
      : rows_(rows), basis_(basis), gram_(gram) {
    gram_.storage = GramOptions::Storage::recomputed;
  }

  void of_block(std::size_t b, float* to) {
    constexpr std::size_t blocks = 16;
    const std::size_t begin = b * together;
    const std::size_t end = std::min(rows_.points.rows(), begin + together);
    if (basis_.sketch || b == 0) {
      basis_.values(rows_.points.part(begin, end), gram_, to);
      return;
    }
    const std::size_t first = (b - 1) / blocks * blocks + 1;
    if (!prepared_ || first_ != first) {
      first_ = first;
      prepared_.emplace(*basis_.kernel,
                        rows_.points.part(first * together, std::min(rows_.points.rows(),
                                                                     (first + blocks) * together)),
                        basis_.centres, gram_);
    }
    prepared_->block(Rows(begin - first * together, end - first * together), Rows::all(), to,
                     basis_.size());
  }

 private:
  const SampleRows& rows_;
  const Basis& basis_;
  GramOptions gram_;
  std::size_t first_ = 0;
  std::optional<Gram> prepared_;
};

// One block of rows after the other: S = L⁻¹ (√D K)ᵀ in panels of rows, then packed again for its
// product with itself, whose factors run over the functions.
class Adder {
 public:
  Adder(const SampleRows& rows, const Basis& basis, const GramOptions& gram,
        const numeric::How& how)
      : rows_(rows),
        threads_(how.threads),
        micro_(numeric::micro<float>(how.instructions)),
        m_(basis.size()),
        values_(rows, basis, gram),
        L_(packed(rows.L, micro_, how.threads)),
        K_(together * m_),
        panels_((together + micro_.columns - 1) / micro_.columns * apart()) {
    for (std::size_t first = 0; first < together; first += depth) {
      strips_.emplace_back(blocks() * block_strips() * micro_.rows, depth, micro_.rows);
      columns_.emplace_back(blocks() * width, depth, micro_.columns);
      targets_.emplace_back(rows.width, depth, micro_.columns);
    }
  }

  void add(std::size_t b, Triangle& to, Matrix& right) {
    const TinyIsZero tiny_is_zero;
    const std::size_t begin = b * together;
    const std::size_t now = std::min(together, rows_.points.rows() - begin);
    values_.of_block(b, K_.data());
    solve(begin, now);
    pack(begin, now);
    // Rows of a block in two parts, times each block from there on; and times what is to be
    // learned.
    struct Task {
      std::size_t k;
      std::size_t part;
      std::size_t column;
    };
    std::vector<Task> tasks;
    for (std::size_t k = 0; k < blocks(); ++k)
      for (std::size_t part = 0; part < 2; ++part)
        for (std::size_t column = k; column <= blocks(); ++column)
          if (column < blocks() || rows_.width > 0) tasks.push_back({k, part, column});
    parallel_for(tasks.size(), threads_, [&](std::size_t i) {
      const Task& t = tasks[i];
      multiply(t.k, t.part, t.column, to, right);
    });
  }

 private:
  static constexpr std::size_t depth = 256;

  [[nodiscard]] std::size_t apart() const { return L_.room() * micro_.columns; }
  [[nodiscard]] std::size_t blocks() const { return (m_ + width - 1) / width; }
  [[nodiscard]] std::size_t block_strips() const { return (width + micro_.rows - 1) / micro_.rows; }

  // Panels of so many rows, those behind the last of them zeros.
  void solve(std::size_t begin, std::size_t now) {
    constexpr std::size_t panels = 4;
    const std::size_t wide = micro_.columns;
    const std::size_t count = (now + wide - 1) / wide;
    parallel_for((count + panels - 1) / panels, threads_, [&](std::size_t task) {
      const std::size_t end = std::min(count, (task + 1) * panels);
      for (std::size_t p = task * panels; p < end; ++p) turn(begin, now, p);
      float* first = panels_.data() + task * panels * apart();
      if (rows_.L.inverse.empty()) L_.solve(first, end - task * panels, apart());
    });
  }

  void turn(std::size_t begin, std::size_t now, std::size_t p) {
    const std::size_t wide = micro_.columns;
    float* to = panels_.data() + p * apart();
    constexpr std::size_t square = 16;
    for (std::size_t first = 0; first < m_; first += square)
      for (std::size_t r = 0; r < wide; ++r) {
        const std::size_t row = p * wide + r;
        const float root = row < now ? rows_.roots[begin + row] : 0;
        const float* from = K_.data() + std::min(row, now - 1) * m_;
        for (std::size_t j = first; j < std::min(m_, first + square); ++j)
          to[j * wide + r] = root * from[j];
      }
    std::fill(to + m_ * wide, to + apart(), 0.0F);
    const auto& inverse = rows_.L.inverse;
    for (std::size_t j = 0; j < inverse.size(); ++j)
      for (std::size_t r = 0; r < wide; ++r) to[j * wide + r] *= inverse[j];
  }

  // From panels of rows to strips and columns of functions, `depth` rows deep.
  void pack(std::size_t begin, std::size_t now) {
    const std::size_t wide = micro_.columns;
    // All of a strip is written: what is not there is 0.
    const auto one = [&](std::size_t half, std::size_t j, std::size_t there, std::size_t count,
                         float* to) {
      const std::size_t first = half * depth;
      const std::size_t end = (std::min(now, first + depth) + wide - 1) / wide * wide;
      for (std::size_t r = first; r < end; r += wide) {
        const float* from = panels_.data() + r / wide * apart() + j * wide;
        float* at = to + (r - first) * count;
        for (std::size_t x = 0; x < wide; ++x)
          for (std::size_t f = 0; f < count; ++f)
            at[x * count + f] = f < there ? from[f * wide + x] : 0;
      }
      for (std::size_t i = (std::max(end, first) - first) * count; i < depth * count; ++i)
        to[i] = 0;
    };
    parallel_for(blocks(), threads_, [&](std::size_t k) {
      const std::size_t first = k * width;
      const std::size_t last = std::min(m_, first + width);
      for (std::size_t half = 0; half < strips_.size(); ++half) {
        for (std::size_t s = 0; s < block_strips(); ++s) {
          const std::size_t j = std::min(last, first + s * micro_.rows);
          one(half, j, std::min(micro_.rows, last - j), micro_.rows,
              strips_[half].strip(k * block_strips() + s));
        }
        for (std::size_t j = first; j < first + width; j += wide)
          one(half, std::min(j, last), std::min(wide, last - std::min(j, last)), wide,
              columns_[half].strip(j / wide));
      }
    });
    for (std::size_t half = 0; half < targets_.size() && rows_.width > 0; ++half)
      for (std::size_t c = 0; c < rows_.width; c += wide)
        for (std::size_t r = 0; r < depth; ++r)
          for (std::size_t x = 0; x < wide; ++x) {
            const std::size_t row = half * depth + r;
            targets_[half].strip(c / wide)[r * wide + x] =
                row < now && c + x < rows_.width
                    ? rows_.targets[(begin + row) * rows_.width + c + x]
                    : 0;
          }
  }

  // A part of the rows of block k times a block of columns, in floats, is added in doubles.
  void multiply(std::size_t k, std::size_t part, std::size_t column, Triangle& to,
                Matrix& right) const {
    const std::size_t rows = micro_.rows;
    const std::size_t wide = micro_.columns;
    const std::size_t half = (block_strips() + 1) / 2;
    const std::size_t first = part * half;
    const std::size_t last = std::min(block_strips(), first + half);
    const bool target = column == blocks();
    const std::size_t there = target ? rows_.width : to.block(column);
    const std::size_t stride = (there + wide - 1) / wide * wide;
    const std::vector<numeric::Packed<float>>& other = target ? targets_ : columns_;
    const std::size_t panel = target ? 0 : column * width / wide;
    Aligned<float> sums((last - first) * rows * stride);
    std::fill_n(sums.data(), sums.size(), 0.0F);
    for (std::size_t d = 0; d < strips_.size(); ++d)
      for (std::size_t j = 0; j < there; j += wide)
        for (std::size_t s = first; s < last; ++s) {
          if (column == k && j >= (s + 1) * rows) continue;  // above the diagonal
          micro_.multiply(depth, strips_[d].strip(k * block_strips() + s),
                          other[d].strip(panel + j / wide), 1.0F,
                          sums.data() + (s - first) * rows * stride + j, stride);
        }
    const double unit = target ? rows_.target_unit : rows_.unit;
    for (std::size_t i = first * rows; i < std::min(to.block(k), last * rows); ++i) {
      const float* from = sums.data() + (i - first * rows) * stride;
      double* at = target        ? right.values.data() + (k * width + i) * rows_.width
                   : column == k ? to.corner(k) + i * width
                                 : to.right(k) + i * to.stride() + (column - k - 1) * width;
      const std::size_t count = column == k ? i + 1 : there;
      micro_.add_rounded(count, from, unit, at);
    }
  }

  const SampleRows& rows_;
  unsigned threads_;
  const Micro<float>& micro_;
  std::size_t m_;
  Values values_;
  PackedLower<float> L_;
  Aligned<float> K_;
  Aligned<float> panels_;
  // For each `depth` of rows.
  std::vector<numeric::Packed<float>> strips_;
  std::vector<numeric::Packed<float>> columns_;
  std::vector<numeric::Packed<float>> targets_;
};

}  // namespace

void add_sample(const SampleRows& rows, std::size_t first, std::size_t last, const Basis& basis,
                const GramOptions& gram, const numeric::How& how, Triangle& to, Matrix& right) {
  if (first >= last) return;
  Adder adder(rows, basis, gram, how);
  for (std::size_t b = first; b < last; ++b) adder.add(b, to, right);
}

double unit_for(double trace) {
  if (!(trace > 0)) return 0;
  constexpr int digits = 52;
  constexpr int room = 8;
  return std::exp2(std::ceil(std::log2(trace)) + room - digits);
}

void round_to(double unit, Triangle& values) {
  values.for_all([&](double* numbers, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) numbers[i] = numeric::rounded_to(unit, numbers[i]);
  });
}

}  // namespace mercer::scale
