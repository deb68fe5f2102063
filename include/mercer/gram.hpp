// Kernel values in bulk: the Gram matrix K_ij = k(x_i, z_j) of points, or parts of it, or its
// product with vectors, without ever having to store it.
//
//     Gram K(rbf(0.5), x);                             // n points, n × n
//     K.block(Rows(0, 100), Rows::all(), out, n);      // the first 100 rows
//     K.apply(v, 1, Kv);                               // K·v
//     Gram K_test(rbf(0.5), z, x);                     // between other points and these
//
// A kernel is compiled to sums over coordinates (x·z, |x-z|², |x-z|_1, …), each computed once
// however often the kernel uses it, and arithmetic on tiles that stay in the cache. Values are
// floats by default. Their error, relative to the expression evaluated with absolute values, is at
// most 1e-5 (1e-13 for doubles): where the data would spoil that, differences are taken from the
// mean of the points, squared distances are summed from differences instead of dot products, and
// where that is not enough the values are computed in double; `report` says what was chosen. Values
// below the smallest normal number (1.2e-38 for floats) are 0. The same points, kernel and options
// give the same values whatever the number of threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <mercer/points.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mercer {

// Some of the rows or columns of a matrix: a range, a list, or all.
class Rows {
 public:
  static Rows all() { return {}; }
  Rows(std::size_t begin, std::size_t end) : begin_(begin), end_(end) {}
  Rows(std::span<const std::size_t> list)  // NOLINT(google-explicit-constructor)
      : list_(list), is_list_(true) {}
  Rows(const std::vector<std::size_t>& list)  // NOLINT(google-explicit-constructor)
      : list_(list), is_list_(true) {}

  // Of a matrix with n rows. Throws Error where one is beyond.
  [[nodiscard]] std::vector<std::size_t> of(std::size_t n) const;

 private:
  Rows() = default;
  std::size_t begin_ = 0;
  std::optional<std::size_t> end_;
  std::span<const std::size_t> list_;
  bool is_list_ = false;
};

// A kernel has no value between two of the points: which, from 0, and why.
class GramError : public EvaluationError {
 public:
  GramError(std::size_t row, std::size_t column, const std::string& why)
      : EvaluationError("rows " + std::to_string(row + 1) + " and " + std::to_string(column + 1) +
                        ": " + why),
        row_(row),
        column_(column),
        why_(why) {}

  [[nodiscard]] std::size_t row() const { return row_; }
  [[nodiscard]] std::size_t column() const { return column_; }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  std::size_t row_;
  std::size_t column_;
  std::string why_;
};

struct GramOptions {
  enum class Precision { float32, float64 };
  enum class Storage {
    automatic,   // by n, d and the memory allowed
    full,        // every value computed once and kept
    rows,        // the rows used last are kept
    recomputed,  // nothing is kept
  };
  Precision precision = Precision::float32;
  Storage storage = Storage::automatic;
  std::size_t memory = std::size_t{1} << 30U;  // bytes for what is kept
  unsigned threads = 0;                        // 0: as many as the machine has
  std::string instructions;                    // "AVX2"; empty: the widest, or MERCER_ISA
  // Products K·V of values that are not kept, and those of apply_both, may add up some points at a
  // time in the precision of the values, and only these sums in doubles: about as exact as the
  // values are, and faster on AVX-512.
  bool rough_sums = false;

  // For kernels that contain `precomputed`: the user's matrix, row by row, not copied.
  struct Matrix {
    const double* values = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 0;
  };
  std::optional<Matrix> precomputed;
};

struct GramReport {
  std::string instructions;       // "AVX2"
  std::string precision;          // "float32", "float64"
  std::string storage;            // "full", "rows", "recomputed"
  std::string layout;             // "dense" or "sparse": whether zeros are passed over
  std::string distances;          // "differences" or "dot products"
  bool centred = false;           // seen from the mean, or from where many points have zeros
  std::string why;                // of a choice that differs from what was asked for
  std::vector<std::string> sums;  // over coordinates, in words: "Σ (a-b)² over 16 columns"
  double error = 0;               // the largest estimated on a sample, relative as said above
  std::size_t bytes = 0;          // held now
  double cost = 0;                // of a value: instructions on vectors, about
};

class Gram {
 public:
  // k(x_i, x_j), square; k(x_i, z_j). Throws Error where the kernel makes no sense on the points.
  Gram(const Kernel& kernel, const Points& x, const GramOptions& options = {});
  Gram(const Kernel& kernel, const Points& x, const Points& z, const GramOptions& options = {});
  // Several kernels that share the work over coordinates: all gammas of a search at once.
  Gram(std::span<const Kernel> kernels, const Points& x, const GramOptions& options = {});
  Gram(std::span<const Kernel> kernels, const Points& x, const Points& z,
       const GramOptions& options = {});
  Gram(Gram&&) noexcept;
  Gram& operator=(Gram&&) noexcept;
  ~Gram();

  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::size_t columns() const;
  [[nodiscard]] std::size_t kernels() const;

  // out[i*stride + j] = k(x_{I_i}, z_{J_j}), for the first kernel.
  void block(const Rows& I, const Rows& J, float* out, std::size_t stride) const;
  void block(const Rows& I, const Rows& J, double* out, std::size_t stride) const;
  // The same and, of a square one, back[j*back_stride + i] = k(x_{J_j}, x_{I_i}) with it: where k
  // is symmetric that is hardly more work.
  void block_both_ways(const Rows& I, const Rows& J, float* out, std::size_t stride, float* back,
                       std::size_t back_stride) const;
  void block_both_ways(const Rows& I, const Rows& J, double* out, std::size_t stride, double* back,
                       std::size_t back_stride) const;
  // The same for all of them: out[k] belongs to kernel k.
  void blocks(const Rows& I, const Rows& J, std::span<float* const> out, std::size_t stride) const;
  void blocks(const Rows& I, const Rows& J, std::span<double* const> out, std::size_t stride) const;

  // Whole rows of the first kernel, each to memory of its own, which has room for columns() values.
  void rows_to(const Rows& I, std::span<float* const> to) const;
  void rows_to(const Rows& I, std::span<double* const> to) const;

  // A range of columns that begins at a multiple of this is computed as the points lie; others are
  // laid out anew each time.
  static constexpr std::size_t panel = 64;

  // k(x_i, x_i) of a square one; out has rows() entries.
  void diagonal(std::span<double> out) const;

  // out = K·V for V of columns() rows and `width` columns, both row by row; sums in double.
  void apply(std::span<const double> V, std::size_t width, std::span<double> out) const;
  // Only these rows of it; only these columns of K, and V has a row for each of them.
  void apply(const Rows& I, std::span<const double> V, std::size_t width,
             std::span<double> out) const;
  void apply(const Rows& I, const Rows& J, std::span<const double> V, std::size_t width,
             std::span<double> out) const;

  // There and back in one pass over the values: F = K·V, `middle` makes T of it, and out = Kᵀ·T. A
  // strip of rows is used for both products while it is near. V has v columns, T and out have t;
  // t = 0 means the way there alone. `middle` gets the rows of F from `first` on and fills those of
  // T; several threads may call it at once. Sums over rows are of pieces of 256, in their order.
  // Where values are kept, this keeps tiles of its own.
  using Middle = std::function<void(std::size_t first, std::size_t rows, std::span<const double> F,
                                    std::span<double> T)>;
  void apply_both(std::span<const double> V, std::size_t v, const Middle& middle, std::size_t t,
                  std::span<double> out) const;

  // The one among some points of a square one, with the same values and nothing kept; `threads` for
  // its own work. The points themselves are not copied.
  [[nodiscard]] Gram part(const Rows& I, unsigned threads = 0) const;

  // The same among the same points with values in double, and nothing kept.
  [[nodiscard]] Gram in_double() const;

  [[nodiscard]] const GramReport& report() const;

 private:
  friend class GramRows;
  class Body;
  template <class T>
  class BodyOf;
  explicit Gram(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

// Rows as they are needed, few at a time: what has to be set up before the first value is set up
// once. For one thread; the Gram matrix must stay. The values are those that it has itself.
class GramRows {
 public:
  explicit GramRows(const Gram& gram);
  GramRows(GramRows&&) noexcept;
  ~GramRows();

  // k(x_i, z_j) for these i and the j in [begin, end), with `begin` a multiple of Gram::panel: each
  // row to memory of its own.
  void rows(std::span<const std::size_t> I, std::size_t begin, std::size_t end,
            std::span<float* const> to);
  void rows(std::span<const std::size_t> I, std::size_t begin, std::size_t end,
            std::span<double* const> to);

 private:
  friend class Gram;
  class Body;
  const Gram& gram_;
  std::unique_ptr<Body> body_;
};

// Writes all values of a Gram matrix as .npy, .csv or .tsv, some rows at a time: it need not fit
// into memory. Returns the least, the mean and the largest value. Throws Error, and leaves no file
// then.
struct ValueRange {
  double least = 0;
  double mean = 0;
  double largest = 0;
};
ValueRange write_gram(const std::string& path, const Gram& gram, WrittenAs how);
// The values without writing them.
ValueRange value_range(const Gram& gram);

// The instruction sets that this machine can compute with, widest first.
std::vector<std::string> gram_instructions();
// The one that is used where no other is asked for: the widest, or the one that the environment's
// MERCER_ISA names.
std::string gram_instructions_in_use();

}  // namespace mercer
