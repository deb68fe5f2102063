// Kernel values between prepared points, tile by tile.
#pragma once

#include <functional>
#include <memory>
#include <mercer/points.hpp>
#include <span>

#include "gram/engine.hpp"
#include "gram/plan.hpp"
#include "gram/prepared.hpp"

namespace mercer::gram {

// Values of some points x and z as they are handed out: kernel k at values[k], `stride` per row.
template <class T>
struct TileValues {
  std::size_t row = 0;  // of the first, among those asked for
  std::size_t rows = 0;
  std::size_t column = 0;
  std::size_t columns = 0;
  std::span<const T* const> values;
  std::size_t stride = unit_columns;
};

struct BulkOptions {
  unsigned threads = 0;
  // A user's matrix for the leaf `precomputed`.
  std::function<double(std::size_t i, std::size_t j)> precomputed;
};

// Where the tile that begins at that row and column is to be computed: unit_size numbers, aligned.
// For plans of one register, whose values then need not be copied.
template <class T>
using Place = std::function<T*(std::size_t row, std::size_t column)>;

// What a computation works on. The points themselves are for what the tiles cannot do: users'
// functions, and telling where a kernel has no value.
template <class T>
struct Between {
  const Plan& plan;
  const Engine<T>& engine;
  const Prepared<T>& x;
  const Prepared<T>& z;
  const Points& x_points;
  const Points& z_points;
  std::span<const std::size_t> x_rows;  // which points of x_points; z_rows of z_points
  std::span<const std::size_t> z_rows;
  // Of a part: which of the points its own are.
  std::span<const std::size_t> names = {};
  // Where the points of z_rows begin in z, next to each other: a multiple of unit_columns.
  std::size_t z_first = 0;

  [[nodiscard]] std::size_t name(std::size_t i) const { return names.empty() ? i : names[i]; }
};

// All values between the chosen points x and z. What `take` stores past the caches is flushed.
// Tiles with the same rows are handed out in the order of their columns: by one thread, or with
// `split_columns` by several at once. Throws GramError, with the rows, where a kernel has no value.
template <class T>
void compute(const Between<T>& between, const BulkOptions& options, bool split_columns,
             const std::function<void(const TileValues<T>&)>& take, const Place<T>& place = {});

// Where x and z are the same points and the plan is symmetric, values above the diagonal are
// enough. Pieces of a matrix of n points, on and above the diagonal; they do not depend on the
// machine.
struct Piece {
  std::size_t row = 0;
  std::size_t row_end = 0;
  std::size_t column = 0;
  std::size_t column_end = 0;

  // Whether the values of that column and the 63 behind it stand for those below the diagonal, too.
  [[nodiscard]] bool mirrored(std::size_t at) const { return at >= row_end; }
};
std::vector<Piece> upper_pieces(std::size_t n, const Plan& plan);

// The values of a piece, on this thread.
template <class T>
void compute_piece(const Between<T>& between, const BulkOptions& options, const Piece& piece,
                   const std::function<void(const TileValues<T>&)>& take);

// Few rows after the other, on one thread: what has to be set up for them is set up once. What the
// values are between must stay.
template <class T>
class RowByRow {
 public:
  RowByRow(const Between<T>& between, const BulkOptions& options);
  RowByRow(RowByRow&&) noexcept;
  RowByRow& operator=(RowByRow&&) noexcept;
  ~RowByRow();

  // The values of these rows at columns [begin, end), of which the first is a multiple of
  // unit_columns. Throws as compute() does.
  void compute(std::span<const std::size_t> rows, std::size_t begin, std::size_t end,
               std::span<T* const> to);

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

// All values, each of them computed once: handed out as it is and, off the diagonal, the other way
// round, in any order, by several threads at once.
template <class T>
void compute_symmetric(const Between<T>& between, const BulkOptions& options,
                       const std::function<void(const TileValues<T>&)>& take);

}  // namespace mercer::gram
