#include "gram/bulk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>
#include <numeric>
#include <string>

#include "base/aligned.hpp"
#include "base/machine.hpp"
#include "base/parallel.hpp"
#include "base/tiny.hpp"
#include "kernel/evaluate.hpp"

namespace mercer::gram {

namespace {

// The work of one thread: some rows against some columns, column group by column group, so that a
// group's panels stay near while the rows pass by.
template <class T>
class Strip {
 public:
  Strip(const Between<T>& between, const BulkOptions& options, const Place<T>& place = {})
      : b_(between),
        options_(options),
        place_(b_.plan.registers == 1 ? place : Place<T>()),
        memory_(static_cast<std::size_t>(between.plan.registers) * unit_size),
        sources_(between.plan.sources.size()),
        lists_(sources_.size()),
        listed_(sources_.size()),
        row_values_(between.plan.functions.size()),
        column_values_(between.plan.functions.size()),
        leaf_([this](std::uint32_t n, T* to) { leaf(*b_.plan.leaves[n].node, to); }) {
    work_in(memory_.data());
    for (std::size_t f = 0; f < row_values_.size(); ++f)
      finite_.push_back(b_.x.is_finite(f) && b_.z.is_finite(f) ? 1 : 0);
  }

  // `mirrored`: the values of columns beyond the rows are handed out the other way round, too.
  void run(const Piece& piece, bool mirrored,
           const std::function<void(const TileValues<T>&)>& take) {
    // Products of kernels are full of tiny numbers where points are far from each other. Users'
    // functions have them as they are.
    const TinyIsZero tiny_is_zero(!b_.plan.has_leaves());
    const auto [row_begin, row_end, column_begin, column_end] = piece;
    point_to_rows(row_begin, row_end);
    list_coordinates(row_begin, row_end, column_end - column_begin);
    // An odd number of lines, so that rows below each other are not all in the same few places of
    // the first cache.
    constexpr std::size_t line = cache_line / sizeof(T);
    const std::size_t stride = ((row_end - row_begin + line - 1) / line | 1U) * line;
    if (mirrored)
      for (std::size_t k = mirrored_.size(); k < results_.size(); ++k)
        mirrored_.emplace_back(unit_columns * stride);
    for (std::size_t c = column_begin; c < column_end; c += unit_columns) {
      const std::size_t place = b_.z_first + c;
      for (std::size_t s = 0; s < sources_.size(); ++s) {
        if (b_.plan.sparse) {
          scatter(s, place, b_.z_first + column_end);
        } else {
          sources_[s].panels = b_.z.panels(s, place / unit_columns);
        }
      }
      for (std::size_t f = 0; f < column_values_.size(); ++f)
        column_values_[f] = b_.z.function(f) + place;
      for (std::size_t r = row_begin; r < row_end; r += unit_rows) {
        row_ = r;
        column_ = c;
        rows_ = std::min(unit_rows, row_end - r);
        columns_ = std::min(unit_columns, column_end - c);
        if (place_) work_in(place_(r, c));
        run_tile(r - row_begin);
        take({.row = r, .rows = rows_, .column = c, .columns = columns_, .values = results_});
        if (mirrored && piece.mirrored(c))
          for (std::size_t k = 0; k < results_.size(); ++k)
            b_.engine.transpose(results_[k], rows_, unit_columns,
                                mirrored_[k].data() + (r - row_begin), stride);
      }
      if (mirrored && piece.mirrored(c)) {
        std::vector<const T*> values;
        for (const auto& m : mirrored_) values.push_back(m.data());
        take({.row = c,
              .rows = columns_,
              .column = row_begin,
              .columns = row_end - row_begin,
              .values = values,
              .stride = stride});
      }
    }
  }

  // Up to few_rows, as many columns at a time as a tile has numbers for.
  void run_rows(std::span<const std::size_t> rows, std::size_t begin, std::size_t end,
                std::span<T* const> to) {
    const TinyIsZero tiny_is_zero;
    some_ = rows;
    rows_ = rows.size();
    point_to_some(rows);
    const std::size_t most = unit_size / rows_ / unit_columns * unit_columns;
    for (std::size_t c = begin; c < end; c += most) {
      const std::size_t place = b_.z_first + c;
      for (std::size_t s = 0; s < sources_.size(); ++s)
        sources_[s].panels = b_.z.panels(s, place / unit_columns);
      for (std::size_t f = 0; f < column_values_.size(); ++f)
        column_values_[f] = b_.z.function(f) + place;
      column_ = c;
      columns_ = std::min(most, end - c);
      const std::size_t length = (columns_ + unit_columns - 1) / unit_columns * unit_columns;
      run_tile(0, length);
      for (std::size_t r = 0; r < rows_; ++r)
        b_.engine.copy(results_[0] + r * length, length, 1, columns_, to[r] + (c - begin), length);
    }
  }

 private:
  // Some sparse points z, laid out: each a column of a table with a row for each coordinate that
  // one of them has.
  struct Scattered {
    std::vector<std::uint32_t> slots;  // the row of each coordinate; 0: zeros
    std::vector<std::int32_t> used;    // the coordinates that have another, from 1 on
    Aligned<T> values;                 // unit_columns in a row
    std::vector<std::size_t> written;  // which of them are not zeros

    void lay_out(const std::array<SparseRow<T>, unit_columns>& points, std::size_t coordinates) {
      clear();
      std::size_t count = 0;
      for (const auto& point : points) count += point.count;
      make_room(1);
      slots.resize(coordinates, 0);
      used.resize(count);
      written.resize(count);
      std::size_t* place = written.data();
      std::uint32_t occur = 0;
      for (std::size_t c = 0; c < unit_columns; ++c)
        for (std::size_t e = 0; e < points[c].count; ++e) {
          const std::int32_t k = points[c].indices[e];
          // Whether it is a new one nobody can guess: no branch.
          std::uint32_t& slot = slots[static_cast<std::size_t>(k)];
          used[occur] = k;
          occur += slot == 0 ? 1U : 0U;
          slot = slot == 0 ? occur : slot;
          if ((occur + 1) * unit_columns > values.size()) make_room(occur + 1);
          *place = slot * unit_columns + c;
          values[*place++] = points[c].values[e];
        }
      used.resize(occur);
    }
    void make_room(std::size_t rows) {
      constexpr std::size_t least = 128;
      if (rows * unit_columns <= values.size()) return;
      Aligned<T> more(std::max(least, 2 * rows) * unit_columns);
      std::copy_n(values.data(), values.size(), more.data());
      std::fill_n(more.data() + values.size(), more.size() - values.size(), T(0));
      values = std::move(more);
    }
    // Only what the group before wrote is not zero.
    void clear() {
      for (const std::size_t place : written) values[place] = 0;
      for (const std::int32_t k : used) slots[static_cast<std::size_t>(k)] = 0;
      written.clear();
      used.clear();
    }
  };

  void work_in(T* memory) {
    registers_ = memory;
    results_.clear();
    for (const auto r : b_.plan.results) results_.push_back(memory + r * unit_size);
  }

  // For all tiles of the strip: pointers into the sources, and values of the functions.
  void point_to_rows(std::size_t begin, std::size_t end) {
    const std::size_t units = (end - begin + unit_rows - 1) / unit_rows;
    const auto make_room = [&](auto& of_each, std::size_t count) {
      of_each.resize(count);
      for (auto& some : of_each) some.resize(units * unit_rows);
    };
    if (b_.plan.sparse) {
      make_room(entries_, sources_.size());
    } else {
      make_room(pointers_, sources_.size());
    }
    make_room(values_, row_values_.size());
    for (std::size_t i = 0; i < units * unit_rows; ++i) {
      const std::size_t row = b_.x_rows[std::min(end - 1, begin + i)];
      for (std::size_t s = 0; s < sources_.size(); ++s) {
        if (b_.plan.sparse) {
          entries_[s][i] = b_.x.entries(s, row);
        } else {
          pointers_[s][i] = b_.x.row(s, row);
        }
      }
      for (std::size_t f = 0; f < row_values_.size(); ++f) values_[f][i] = b_.x.function(f)[row];
    }
    for (std::size_t s = 0; s < sources_.size(); ++s)
      sources_[s].length = b_.plan.sources[s].columns.size();
    if (b_.plan.sparse) order_by_count(end - begin);
  }

  // Loops over entries end where the last one did, most times, if rows come by their number.
  void order_by_count(std::size_t rows) {
    by_count_.resize(sources_.size());
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      by_count_[s].resize(entries_[s].size());
      for (std::size_t unit = 0; unit < rows; unit += unit_rows) {
        const auto order = std::span(by_count_[s]).subspan(unit, std::min(unit_rows, rows - unit));
        std::iota(order.begin(), order.end(), std::uint8_t{0});
        std::ranges::stable_sort(order, {},
                                 [&](std::uint8_t r) { return entries_[s][unit + r].count; });
      }
    }
  }

  // The same for few rows; functions are read as vectors.
  void point_to_some(std::span<const std::size_t> rows) {
    pointers_.resize(sources_.size());
    values_.resize(row_values_.size());
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      pointers_[s].clear();
      for (const std::size_t r : rows) pointers_[s].push_back(b_.x.row(s, b_.x_rows[r]));
      sources_[s].length = b_.plan.sources[s].columns.size();
    }
    for (std::size_t f = 0; f < row_values_.size(); ++f) {
      const T* function = b_.x.function(f);
      values_[f].assign(unit_rows, function[b_.x_rows[rows.back()]]);
      for (std::size_t r = 0; r < rows.size(); ++r) values_[f][r] = function[b_.x_rows[rows[r]]];
    }
  }

  // Which coordinates are looked at, where so many rows and columns follow that it pays to know.
  void list_coordinates(std::size_t begin, std::size_t end, std::size_t columns) {
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      lists_[s].clear();
      const Marks& marks = b_.x.marks(s);
      constexpr std::size_t fewest = 256;
      if (marks.empty() || columns < fewest || end - begin < b_.engine.together) continue;
      const std::size_t units = (end - begin + unit_rows - 1) / unit_rows;
      lists_[s].make(marks, b_.x_rows.subspan(begin, end - begin), units * unit_rows,
                     b_.engine.together, sources_[s].length, slice);
      if (!lists_[s].empty()) lists_[s].pack(pointers_[s].data(), listed_[s]);
      sources_[s].first_listed = lists_[s].first();
      sources_[s].listed = listed_[s].data();
    }
  }

  // A group of points z, of which the last is repeated.
  void scatter(std::size_t s, std::size_t begin, std::size_t end) {
    scattered_.resize(sources_.size());
    Scattered& group = scattered_[s];
    std::array<SparseRow<T>, unit_columns> points;
    for (std::size_t c = 0; c < unit_columns; ++c)
      points[c] = b_.z.entries(s, std::min(end - 1, begin + c));
    group.lay_out(points, b_.plan.sources[s].columns.size());
    sources_[s].slots = group.slots.data();
    sources_[s].slot_values = group.values.data();
    sources_[s].crowded = crowded(entries_[s], group);
  }

  // By the first points x. To find out which entries meet somebody costs half as much as to let
  // them meet zeros, and for each row the wrong guess where the loop ends.
  static bool crowded(const std::vector<SparseRow<T>>& entries, const Scattered& group) {
    constexpr std::size_t guess = 16;  // entries
    std::size_t all = 0;
    std::size_t alone = 0;
    for (std::size_t i = 0; i < unit_rows; ++i)
      for (std::size_t e = 0; e < entries[i].count; ++e, ++all)
        alone += group.slots[static_cast<std::size_t>(entries[i].indices[e])] == 0 ? 1U : 0U;
    return alone <= all / 2 + guess * unit_rows;
  }

  void run_tile(std::size_t offset, std::size_t length = unit_columns) {
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      if (b_.plan.sparse) {
        sources_[s].entries = entries_[s].data() + offset;
        sources_[s].by_count = by_count_[s].data() + offset;
      } else {
        sources_[s].rows = pointers_[s].data() + offset;
        sources_[s].lists = lists_[s].of(offset);
      }
    }
    for (std::size_t f = 0; f < row_values_.size(); ++f)
      row_values_[f] = values_[f].data() + offset;
    Tile<T> tile{.rows = rows_,
                 .columns = columns_,
                 .length = length,
                 .sources = sources_.data(),
                 .row_values = row_values_.data(),
                 .column_values = column_values_.data(),
                 .finite = finite_.data(),
                 .memory = registers_,
                 .leaf = &leaf_};
    b_.engine.run(b_.plan, tile);
    if (tile.undefined) one_by_one(length);
  }

  // Which of the points x row r of the tile is.
  [[nodiscard]] std::size_t row_at(std::size_t r) const {
    return b_.x_rows[some_.empty() ? row_ + r : some_[r]];
  }

  void points(std::size_t r, std::size_t c) {
    x_.resize(b_.x_points.columns());
    z_.resize(b_.z_points.columns());
    b_.x_points.row(b_.name(row_at(r)), std::span(x_));
    b_.z_points.row(b_.name(b_.z_rows[column_ + c]), std::span(z_));
  }

  // Some value of the tile is not finite: it is computed again in doubles, where it may be, and
  // where it is not either, the error says why.
  void one_by_one(std::size_t length) {
    for (std::size_t k = 0; k < results_.size(); ++k)
      for (std::size_t r = 0; r < rows_; ++r)
        for (std::size_t c = 0; c < columns_; ++c) {
          T& value = registers_[b_.plan.results[k] * unit_size + r * length + c];
          if (b_.plan.has_leaves()) {
            if (std::isfinite(value)) continue;
            fail(r, c, "the kernel has no finite value here");
          }
          points(r, c);
          try {
            value = static_cast<T>(algebra::evaluate(b_.plan.kernels[k], x_, z_));
          } catch (const EvaluationError& error) {
            fail(r, c, error.what());
          }
          if (!std::isfinite(value))
            fail(r, c, "the value is too large for a float: use double precision");
        }
  }

  [[noreturn]] void fail(std::size_t r, std::size_t c, const std::string& what) const {
    throw GramError(b_.name(row_at(r)), b_.name(b_.z_rows[column_ + c]), what);
  }

  void leaf(const algebra::Node& node, T* to) {
    for (std::size_t r = 0; r < rows_; ++r)
      for (std::size_t c = 0; c < unit_columns; ++c) {
        T& value = to[r * unit_columns + c];
        if (c >= columns_) {
          value = to[r * unit_columns];
          continue;
        }
        std::size_t i = b_.name(row_at(r));
        std::size_t j = b_.name(b_.z_rows[column_ + c]);
        if (node.op == algebra::Op::precomputed) {
          if (!options_.precomputed)
            throw Error(
                "precomputed needs the user's matrix of kernel values: the library and the Python "
                "package take one, the program does not");
          if (node.swapped) std::swap(i, j);
          value = static_cast<T>(options_.precomputed(i, j));
        } else {
          points(r, c);
          value = static_cast<T>(
              algebra::evaluate(std::make_shared<const algebra::Node>(node), x_, z_));
        }
      }
  }

  const Between<T>& b_;
  const BulkOptions& options_;
  Place<T> place_;
  Aligned<T> memory_;
  T* registers_ = nullptr;  // of the tile being computed: in memory_, or where it has its place
  std::vector<TileSource<T>> sources_;
  std::vector<CoordinateLists> lists_;  // by source
  std::vector<std::vector<T>> listed_;  // by source: the numbers at these coordinates
  std::vector<const T*> row_values_;
  std::vector<const T*> column_values_;
  std::vector<char> finite_;  // of each function
  std::vector<const T*> results_;
  std::function<void(std::uint32_t, T*)> leaf_;
  std::vector<std::vector<const T*>> pointers_;  // by source, by row of the strip
  std::vector<std::vector<SparseRow<T>>> entries_;
  std::vector<std::vector<std::uint8_t>> by_count_;  // of each unit of rows
  std::vector<Scattered> scattered_;                 // by source
  std::vector<Aligned<T>> mirrored_;    // by kernel: a group of columns, with all rows of the strip
  std::vector<std::vector<T>> values_;  // by function, by row of the strip
  std::span<const std::size_t> some_;   // rows of the tile, where they are not next to each other
  std::size_t row_ = 0;                 // the tile being computed
  std::size_t column_ = 0;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<double> x_;
  std::vector<double> z_;
};

}  // namespace

template <class T>
void compute(const Between<T>& between, const BulkOptions& options, bool split_columns,
             const std::function<void(const TileValues<T>&)>& take, const Place<T>& place) {
  const std::size_t rows = between.x_rows.size();
  const std::size_t columns = between.z_rows.size();
  if (rows == 0 || columns == 0) return;
  const std::size_t threads = options.threads == 0 ? hardware_threads() : options.threads;
  // Long strips, but enough of them for all threads. No value depends on where a strip ends.
  // For sparse points a group of columns is laid out once per strip: longer ones pay; and where
  // there are few columns, what is done once per strip is much.
  const bool few = columns <= 2 * unit_columns;
  const std::size_t longest = (between.plan.sparse ? 128 : few ? 32 : 8) * unit_rows;
  // Threads should end at the same time.
  const std::size_t pieces = (between.plan.sparse ? 2 : 16) * threads;
  const std::size_t share = threads == 1 ? longest : rows / pieces / unit_rows * unit_rows;
  const std::size_t strip = std::clamp(share, unit_rows, longest);
  constexpr std::size_t span = 64 * unit_columns;
  const std::size_t strips = (rows + strip - 1) / strip;
  const std::size_t parts = split_columns ? (columns + span - 1) / span : 1;
  parallel_for(strips * parts, options.threads, [&](std::size_t task) {
    const std::size_t row = task / parts * strip;
    const std::size_t part = task % parts;
    Strip<T>(between, options, place)
        .run({.row = row,
              .row_end = std::min(rows, row + strip),
              .column = split_columns ? part * span : 0,
              .column_end = split_columns ? std::min(columns, (part + 1) * span) : columns},
             false, take);
    between.engine.flush();
  });
}

template <class T>
struct RowByRow<T>::Body {
  Between<T> between;
  BulkOptions options;
  Strip<T> strip{between, options};
};

template <class T>
RowByRow<T>::RowByRow(const Between<T>& between, const BulkOptions& options)
    : body_(new Body{between, options}) {}
template <class T>
RowByRow<T>::RowByRow(RowByRow&&) noexcept = default;
template <class T>
RowByRow<T>& RowByRow<T>::operator=(RowByRow&&) noexcept = default;
template <class T>
RowByRow<T>::~RowByRow() = default;

template <class T>
void RowByRow<T>::compute(std::span<const std::size_t> rows, std::size_t begin, std::size_t end,
                          std::span<T* const> to) {
  const Between<T>& between = body_->between;
  if (!between.plan.sparse && !between.plan.has_leaves()) {
    for (std::size_t r = 0; r < rows.size(); r += few_rows) {
      const std::size_t now = std::min(few_rows, rows.size() - r);
      body_->strip.run_rows(rows.subspan(r, now), begin, end, to.subspan(r, now));
    }
    return;
  }
  for (std::size_t r = 0; r < rows.size(); ++r)
    body_->strip.run({rows[r], rows[r] + 1, begin, end}, false, [&](const TileValues<T>& t) {
      between.engine.copy(t.values[0], t.stride, 1, t.columns, to[r] + (t.column - begin),
                          t.columns);
    });
}

std::vector<Piece> upper_pieces(std::size_t n, const Plan& plan) {
  // Rows and columns of a strip begin at the same points. For sparse points a group of columns is
  // laid out once per strip.
  const std::size_t strip = (plan.sparse ? 4 : 1) * std::lcm(unit_rows, unit_columns);
  constexpr std::size_t span = 16 * unit_columns;
  std::vector<Piece> pieces;
  for (std::size_t row = 0; row < n; row += strip)
    for (std::size_t part = row / span; part * span < n; ++part)
      pieces.push_back({.row = row,
                        .row_end = std::min(n, row + strip),
                        .column = std::max(row, part * span),
                        .column_end = std::min(n, (part + 1) * span)});
  return pieces;
}

template <class T>
void compute_piece(const Between<T>& between, const BulkOptions& options, const Piece& piece,
                   const std::function<void(const TileValues<T>&)>& take) {
  Strip<T>(between, options).run(piece, false, take);
}

template <class T>
void compute_symmetric(const Between<T>& between, const BulkOptions& options,
                       const std::function<void(const TileValues<T>&)>& take) {
  const auto pieces = upper_pieces(between.x_rows.size(), between.plan);
  parallel_for(pieces.size(), options.threads, [&](std::size_t i) {
    Strip<T>(between, options).run(pieces[i], true, take);
    between.engine.flush();
  });
}

template void compute<float>(const Between<float>&, const BulkOptions&, bool,
                             const std::function<void(const TileValues<float>&)>&,
                             const Place<float>&);
template void compute_piece<float>(const Between<float>&, const BulkOptions&, const Piece&,
                                   const std::function<void(const TileValues<float>&)>&);
template void compute_piece<double>(const Between<double>&, const BulkOptions&, const Piece&,
                                    const std::function<void(const TileValues<double>&)>&);
template void compute_symmetric<float>(const Between<float>&, const BulkOptions&,
                                       const std::function<void(const TileValues<float>&)>&);
template void compute_symmetric<double>(const Between<double>&, const BulkOptions&,
                                        const std::function<void(const TileValues<double>&)>&);
template void compute<double>(const Between<double>&, const BulkOptions&, bool,
                              const std::function<void(const TileValues<double>&)>&,
                              const Place<double>&);

template class RowByRow<float>;
template class RowByRow<double>;

}  // namespace mercer::gram
