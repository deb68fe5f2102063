// Tiles of kernel values, computed with the widest instructions of this machine.
//
// The unit of work is a tile of up to `unit_rows` points x and `unit_columns` points z, small
// enough to stay in the nearest caches through all steps of a plan. Every value is computed by the
// same sequence of operations wherever its tile begins and whichever thread computes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gram/plan.hpp"

namespace mercer::gram {

inline constexpr std::size_t unit_columns = 64;
inline constexpr std::size_t unit_rows = 24;
inline constexpr std::size_t unit_size = unit_rows * unit_columns;
// Of so few rows a tile may be longer.
inline constexpr std::size_t few_rows = 2;
// Coordinates of a panel that stay in the first cache while the rows of a tile pass by them.
inline constexpr std::size_t slice = 256;

// The entries of a row that are not zero.
template <class T>
struct SparseRow {
  const std::int32_t* indices = nullptr;
  const T* values = nullptr;
  std::size_t count = 0;
};

// What one source looks like from a tile.
template <class T>
struct TileSource {
  std::size_t length = 0;  // coordinates
  // The points x: pointers to their coordinates, the last one repeated up to unit_rows.
  const T* const* rows = nullptr;
  // The points z: panels of `Engine::panel` points, in each coordinate after coordinate. Where
  // there are fewer than unit_columns points, the last one is repeated.
  const T* panels = nullptr;
  // Which coordinates are to be multiplied, for `Engine::together` points x at a time: where the
  // list of each slice begins, and the last one ends. Null: all of them. For each entry of the
  // lists, which begin at `first_listed`, the numbers of these points.
  const std::uint32_t* const* lists = nullptr;
  const std::uint32_t* first_listed = nullptr;
  const T* listed = nullptr;
  // Sparse, instead: the entries of each x, and which x comes after which by their number; and for
  // the points z a row of unit_columns values at slots[k] for each coordinate k, where all of them
  // have 0 the slot 0, which is zeros. `crowded`: it pays to look at these, too.
  const SparseRow<T>* entries = nullptr;
  const std::uint8_t* by_count = nullptr;
  const std::uint32_t* slots = nullptr;
  const T* slot_values = nullptr;
  bool crowded = false;
};

template <class T>
struct Tile {
  std::size_t rows = 0;     // points x
  std::size_t columns = 0;  // points z that are wanted; others need no values
  // From row to row in memory: unit_columns, or of no more than few_rows a multiple of it, as far
  // as unit_size goes; not for entries.
  std::size_t length = unit_columns;
  const TileSource<T>* sources = nullptr;   // one for each of the plan
  const T* const* row_values = nullptr;     // functions of the points x
  const T* const* column_values = nullptr;  // functions of the points z, `length` each
  const char* finite = nullptr;             // which of them are known to be finite; null: none
  T* memory = nullptr;                      // registers, unit_size each, aligned
  // Values of a leaf of the plan for the whole tile.
  const std::function<void(std::uint32_t leaf, T* to)>* leaf = nullptr;
  bool undefined = false;  // some value, also on the way, is not a finite number
};

template <class T>
struct Engine {
  std::string name;          // "AVX2"
  std::size_t panel = 0;     // points in a panel; divides unit_columns
  std::size_t together = 0;  // points x that are looked at together; divides unit_rows
  // Runs the steps of the plan. The values of kernel k are in register plan.results[k], row by row
  // with unit_columns each.
  void (*run)(const Plan& plan, Tile<T>& tile) = nullptr;
  // Σ a², rounded as the dot product of a tile is.
  T (*squared_norm)(const T* values, std::size_t count) = nullptr;
  // out[r*width + c] += Σ_j values[r][j] * V[c*apart + j] for j < columns, in double. Columns of V
  // have whole vectors: zeros behind the last number, up to unit_columns. `in_tile`: the rows are
  // unit_columns apart, and only values[0] is looked at; more columns are in the tiles that follow.
  void (*multiply)(const T* const* values, bool in_tile, std::size_t rows, std::size_t columns,
                   const double* V, std::size_t apart, std::size_t width, double* out) = nullptr;
  // The same with V, and sums over these columns, in T; null where that is no gain. A lane adds up
  // few of them, so that the sum is as exact as the values are.
  void (*multiply_nearby)(const T* const* values, bool in_tile, std::size_t rows,
                          std::size_t columns, const T* V, std::size_t apart, std::size_t width,
                          double* out) = nullptr;
  // The way back: out[c*apart + j] += Σ_r values[r][j] * T[r*width + c], for such an `out`.
  void (*multiply_back)(const T* const* values, std::size_t rows, std::size_t columns,
                        const double* T_values, std::size_t width, double* out,
                        std::size_t apart) = nullptr;
  // The same with sums of 64 rows in T; null where that is no gain.
  void (*multiply_back_nearby)(const T* const* values, std::size_t rows, std::size_t columns,
                               const T* T_values, std::size_t width, double* out,
                               std::size_t apart) = nullptr;
  // Copies to memory that is not read soon, past the caches; flush() makes it seen by others:
  // after the last of many, since it waits for all of them.
  void (*store_far)(const T* from, std::size_t count, T* to) = nullptr;
  // A tile, or another with so many numbers from row to row, to where it is wanted: `rows` calls of
  // memmove would take longer.
  void (*copy)(const T* from, std::size_t from_stride, std::size_t rows, std::size_t columns, T* to,
               std::size_t stride) = nullptr;
  // A tile the other way round: to[c*stride + r] = from[r*unit_columns + c] for r < rows and
  // c < columns.
  void (*transpose)(const T* from, std::size_t rows, std::size_t columns, T* to,
                    std::size_t stride) = nullptr;
  void (*flush)() = nullptr;
};

// All that this machine can run, the widest first; the last one runs anywhere.
template <class T>
const std::vector<Engine<T>>& engines();

// The one in use: the widest, or the one that MERCER_ISA names. Throws Error for a name that is
// none of them.
template <class T>
const Engine<T>& engine();

// The one of that name, in any case and with or without a dash; for none the one in use.
template <class T>
const Engine<T>& engine_named(const std::string& name);

}  // namespace mercer::gram
