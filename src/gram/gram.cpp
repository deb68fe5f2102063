#include <algorithm>
#include <array>
#include <functional>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>
#include <mutex>
#include <numeric>
#include <type_traits>

#include "base/aligned.hpp"
#include "base/parallel.hpp"
#include "gram/bulk.hpp"
#include "gram/choose.hpp"
#include "gram/engine.hpp"
#include "gram/panels.hpp"
#include "gram/prepared.hpp"
#include "gram/row_cache.hpp"
#include "gram/used_columns.hpp"
#include "kernel/evaluate.hpp"

namespace mercer {

std::vector<std::size_t> Rows::of(std::size_t n) const {
  const auto check = [&](std::size_t i) {
    if (i >= n)
      throw Error("row " + std::to_string(i + 1) + " of a matrix with " + std::to_string(n));
  };
  std::vector<std::size_t> rows;
  if (is_list_) {
    rows.assign(list_.begin(), list_.end());
    for (const std::size_t i : rows) check(i);
  } else if (const std::size_t end = end_.value_or(n); begin_ < end) {
    if (end > n) check(std::max(begin_, n));
    rows.resize(end - begin_);
    std::iota(rows.begin(), rows.end(), begin_);
  }
  return rows;
}

class GramRows::Body {
 public:
  Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  virtual ~Body() = default;
  virtual void rows(std::span<const std::size_t> I, std::size_t begin, std::size_t end,
                    std::span<float* const> to) = 0;
  virtual void rows(std::span<const std::size_t> I, std::size_t begin, std::size_t end,
                    std::span<double* const> to) = 0;
};

class Gram::Body {
 public:
  virtual ~Body() = default;
  Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  virtual void blocks(const Rows& I, const Rows& J, std::span<float* const> out,
                      std::size_t stride) const = 0;
  virtual void blocks(const Rows& I, const Rows& J, std::span<double* const> out,
                      std::size_t stride) const = 0;
  virtual void both_ways(const Rows& I, const Rows& J, float* out, std::size_t stride, float* back,
                         std::size_t back_stride) const = 0;
  virtual void both_ways(const Rows& I, const Rows& J, double* out, std::size_t stride,
                         double* back, std::size_t back_stride) const = 0;
  // Whether values come from a user's matrix, by the numbers of the points.
  [[nodiscard]] virtual bool of_matrix() const = 0;
  [[nodiscard]] virtual const GramOptions& options() const = 0;
  virtual void rows_to(const Rows& I, std::span<float* const> to) const = 0;
  virtual void rows_to(const Rows& I, std::span<double* const> to) const = 0;
  [[nodiscard]] virtual std::unique_ptr<GramRows::Body> one_by_one() const = 0;
  virtual void apply(const std::vector<std::size_t>& rows, const Rows& J, std::span<const double> V,
                     std::size_t width, std::span<double> out) const = 0;
  virtual void apply_both(std::span<const double> V, std::size_t v, const Middle& middle,
                          std::size_t t, std::span<double> out) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Body> part(const std::vector<std::size_t>& rows,
                                                   unsigned threads) const = 0;

  [[nodiscard]] std::size_t rows() const { return names.empty() ? x.rows() : names.size(); }
  [[nodiscard]] std::size_t columns() const { return names.empty() ? z.rows() : names.size(); }

  GramReport report;
  Points x;
  Points z;
  bool same = false;
  std::vector<Kernel> kernels;
  std::vector<std::size_t> names;  // of a part: which of the points it has
};

template <class T>
class Gram::BodyOf final : public Gram::Body {
 public:
  BodyOf(gram::Chosen chosen, const Points& x_points, const Points& z_points, bool is_same,
         const GramOptions& options)
      : plan_(std::move(chosen.plan)),
        engine_(gram::engine_named<T>(options.instructions)),
        x_(std::make_shared<const gram::Prepared<T>>(plan_, x_points, chosen.centre, engine_,
                                                     options.threads,
                                                     is_same ? As::both : As::rows)),
        options_(options) {
    x = x_points;
    z = z_points;
    same = is_same;
    if (!same) z_.emplace(plan_, z_points, chosen.centre, engine_, options.threads);
    number();
    bulk_.threads = options.threads;
    if (options.precomputed) {
      const auto matrix = *options.precomputed;
      if (matrix.rows != x.rows() || matrix.columns != z.rows())
        throw Error("the precomputed matrix has " + std::to_string(matrix.rows) + " rows and " +
                    std::to_string(matrix.columns) + " columns, not " + std::to_string(x.rows()) +
                    " and " + std::to_string(z.rows()));
      bulk_.precomputed = [matrix](std::size_t i, std::size_t j) {
        return matrix.values[i * matrix.columns + j];
      };
    }
    report = std::move(chosen.report);
    report.instructions = engine_.name;
    report.bytes = x_->bytes() + (z_ ? z_->bytes() : 0);
    keep(options.storage == GramOptions::Storage::automatic
             ? gram::storage_for(plan_, rows(), columns(), sizeof(T), options.memory)
             : options.storage);
  }

  // Whether some number of the points is too large for T.
  [[nodiscard]] bool overflows() const { return x_->overflows() || (z_ && z_->overflows()); }

  // Some of the points of another one.
  BodyOf(const BodyOf& whole, const std::vector<std::size_t>& rows, unsigned threads)
      : plan_(whole.plan_),
        engine_(whole.engine_),
        of_(whole.of_ ? whole.of_ : whole.x_),
        selected_(rows),
        options_(whole.options_),
        bulk_(whole.bulk_) {
    x = whole.x;
    z = whole.z;
    same = true;
    // Of a part that is a part itself nothing needs to be prepared for this.
    if (whole.of_)
      for (std::size_t& i : selected_) i = whole.selected_[i];
    names.reserve(rows.size());
    for (const std::size_t i : rows) names.push_back(whole.names.empty() ? i : whole.names[i]);
    number();
    options_.threads = bulk_.threads = threads;
    report = whole.report;
    report.bytes = of_->bytes() / std::max<std::size_t>(of_->size(), 1) * rows.size();
    keep(GramOptions::Storage::recomputed);
    kernels = whole.kernels;
  }

  [[nodiscard]] std::unique_ptr<Body> part(const std::vector<std::size_t>& rows,
                                           unsigned threads) const override {
    return std::make_unique<BodyOf>(*this, rows, threads);
  }

  void blocks(const Rows& I, const Rows& J, std::span<float* const> out,
              std::size_t stride) const override {
    fill(I, J, out, stride);
  }
  void blocks(const Rows& I, const Rows& J, std::span<double* const> out,
              std::size_t stride) const override {
    fill(I, J, out, stride);
  }

  void both_ways(const Rows& I, const Rows& J, float* out, std::size_t stride, float* back,
                 std::size_t back_stride) const override {
    fill_both_ways(I, J, out, stride, back, back_stride);
  }
  void both_ways(const Rows& I, const Rows& J, double* out, std::size_t stride, double* back,
                 std::size_t back_stride) const override {
    fill_both_ways(I, J, out, stride, back, back_stride);
  }

  [[nodiscard]] const GramOptions& options() const override { return options_; }

  [[nodiscard]] bool of_matrix() const override {
    return std::ranges::any_of(plan_.leaves, [](const gram::Leaf& leaf) {
      return leaf.node->op == algebra::Op::precomputed;
    });
  }

  void rows_to(const Rows& I, std::span<float* const> to) const override { fill_rows(I, to); }
  void rows_to(const Rows& I, std::span<double* const> to) const override { fill_rows(I, to); }

  [[nodiscard]] std::unique_ptr<GramRows::Body> one_by_one() const override {
    return std::make_unique<OneByOne>(*this);
  }

  void apply(const std::vector<std::size_t>& rows, const Rows& J, std::span<const double> V,
             std::size_t width, std::span<double> out) const override {
    std::ranges::fill(out, 0.0);
    const auto columns = J.of(this->columns());
    if (rows.empty() || columns.empty()) return;
    apply(rows, columns, V.data(), width, out.data());
  }

  void apply_both(std::span<const double> V, std::size_t v, const Middle& middle, std::size_t t,
                  std::span<double> out) const override {
    std::ranges::fill(out, 0.0);
    const std::size_t n = rows();
    const std::size_t m = this->columns();
    if (n == 0 || m == 0) return;
    if (options_.rough_sums && engine_.multiply_nearby != nullptr) {
      apply_both(Both<T>{{V.data(), m, v, group},
                         v,
                         t,
                         middle,
                         engine_.multiply_nearby,
                         engine_.multiply_back_nearby},
                 out);
    } else {
      apply_both(
          Both<double>{
              {V.data(), m, v, group}, v, t, middle, engine_.multiply, engine_.multiply_back},
          out);
    }
  }

 private:
  using As = typename gram::Prepared<T>::As;
  static constexpr std::size_t piece_rows = 256;
  static constexpr std::size_t piece_units = (piece_rows + gram::unit_rows - 1) / gram::unit_rows;
  // Columns that are multiplied together where there are whole rows of them.
  static constexpr std::size_t group = 4 * gram::unit_columns;

  // Values that are kept are copied, others computed.
  class OneByOne final : public GramRows::Body {
   public:
    explicit OneByOne(const BodyOf& body)
        : body_(body),
          values_(body.between(body.all_rows_, body.all_columns_, body.columns_points()),
                  body.bulk_) {}

    void rows(std::span<const std::size_t> I, std::size_t begin, std::size_t end,
              std::span<float* const> to) override {
      fill(I, begin, end, to);
    }
    void rows(std::span<const std::size_t> I, std::size_t begin, std::size_t end,
              std::span<double* const> to) override {
      fill(I, begin, end, to);
    }

   private:
    template <class Out>
    void fill(std::span<const std::size_t> I, std::size_t begin, std::size_t end,
              std::span<Out* const> to) {
      if constexpr (std::is_same_v<T, Out>) {
        if (body_.storage_ == GramOptions::Storage::recomputed)
          return values_.compute(I, begin, end, to);
      }
      for (std::size_t r = 0; r < I.size(); ++r)
        body_.blocks(Rows(I[r], I[r] + 1), Rows(begin, end), to.subspan(r, 1), end - begin);
    }

    const BodyOf& body_;
    gram::RowByRow<T> values_;
  };

  // There and back with sums in S: see GramOptions::rough_sums.
  template <class S>
  struct Both {
    gram::PanelsOf<S> V;
    std::size_t v;
    std::size_t t;
    const Middle& middle;
    void (*there)(const T* const*, bool, std::size_t, std::size_t, const S*, std::size_t,
                  std::size_t, double*);
    void (*back)(const T* const*, std::size_t, std::size_t, const S*, std::size_t, double*,
                 std::size_t);
  };

  template <class S>
  void apply_both(const Both<S>& both, std::span<double> out) const {
    const std::size_t n = rows();
    const std::size_t m = this->columns();
    const std::size_t t = both.t;
    const std::size_t pieces = (n + piece_rows - 1) / piece_rows;
    const T* kept = tiles();
    // Each piece has a sum of its own; of as many as that is little memory for.
    constexpr std::size_t numbers = std::size_t{1} << 20U;
    const std::size_t at_once =
        std::clamp<std::size_t>(numbers / std::max<std::size_t>(m * t, 1), 16, 256);
    std::vector<gram::Panels> sums;
    for (std::size_t p = 0; p < std::min(at_once, pieces); ++p) sums.emplace_back(m, t, group);
    for (std::size_t begin = 0; begin < pieces; begin += at_once) {
      const std::size_t now = std::min(at_once, pieces - begin);
      parallel_for(now, options_.threads,
                   [&](std::size_t p) { piece_of_both(both, kept, begin + p, sums[p]); });
      if (t == 0) continue;
      parallel_for((m + group - 1) / group, options_.threads, [&](std::size_t task) {
        const std::size_t from = task * group;
        for (std::size_t p = 0; p < now; ++p)
          sums[p].add_to(from, std::min(m, from + group), out.data() + from * t);
      });
    }
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): `both` owns what it was made of
  }

  // Kᵀ T of the rows of a piece: strip by strip, each small enough for the nearer caches. Sums are
  // of the same terms in the same order whether the values are kept or not.
  template <class S>
  void piece_of_both(const Both<S>& both, const T* kept, std::size_t piece,
                     gram::Panels& sum) const {
    constexpr std::size_t bytes = std::size_t{1} << 19U;
    const std::size_t m = this->columns();
    const std::size_t strip_units =
        std::clamp<std::size_t>(bytes / (unit_numbers() * sizeof(T)), 1, piece_units);
    const std::size_t strip = std::min(piece_rows, strip_units * gram::unit_rows);
    const std::size_t end = std::min(rows(), (piece + 1) * piece_rows);
    Aligned<T> own(kept == nullptr ? strip_units * unit_numbers() : 0);
    sum.clear();
    std::vector<double> F(strip * both.v);
    std::vector<double> back(strip * both.t);
    std::vector<S> rounded(std::is_same_v<S, double> ? 0 : back.size());
    std::array<const T*, piece_rows> at{};
    for (std::size_t begin = piece * piece_rows; begin < end; begin += strip) {
      const std::size_t count = std::min(strip, end - begin);
      const T* values = kept == nullptr ? own.data() : tiles_of(kept, begin);
      std::ranges::fill(F, 0.0);
      const auto multiply = [&](std::size_t r, std::size_t c) {
        const T* first = tile_at(values, r, c);
        both.there(&first, true, std::min(gram::unit_rows, count - r), std::min(group, m - c),
                   both.V.at(c), both.V.apart(), both.v, F.data() + r * both.v);
      };
      if (kept == nullptr) {
        compute_tiles(begin, count, own.data(), multiply);
      } else {
        for (std::size_t r = 0; r < count; r += gram::unit_rows)
          for (std::size_t c = 0; c < m; c += group) multiply(r, c);
      }
      both.middle(begin, count, std::span(F).first(count * both.v),
                  std::span(back).first(count * both.t));
      const S* from = nullptr;
      if constexpr (std::is_same_v<S, double>) {
        from = back.data();
      } else {
        std::ranges::transform(back, rounded.begin(), [](double v) { return static_cast<S>(v); });
        from = rounded.data();
      }
      for (std::size_t r = 0; r < count; ++r)
        at[r] = tile_at(values, r, 0) + r % gram::unit_rows * gram::unit_columns;
      for (std::size_t c = 0; c < m; c += gram::unit_columns) {
        both.back(at.data(), count, std::min(gram::unit_columns, m - c), from, both.t, sum.at(c),
                  sum.apart());
        for (std::size_t r = 0; r < count; ++r) at[r] += gram::unit_size;
      }
    }
  }

  // All values of a kernel, tile by tile as apply_both reads them, computed when they are first
  // asked for; null if not to be kept.
  const T* tiles() const {
    if (storage_ != GramOptions::Storage::full) return nullptr;
    std::call_once(tiled_, [&] {
      const std::size_t pieces = (rows() + piece_rows - 1) / piece_rows;
      tiles_ = Aligned<T>::whole(pieces * piece_units * unit_numbers());
      const auto& all = better_in_order(all_rows_, all_columns_) ? order() : all_rows_;
      compute(all, all_columns_, true, [&](const gram::TileValues<T>& t) {
        for (std::size_t r = 0; r < t.rows; ++r) {
          const std::size_t i = all[t.row + r];
          T* to = tile_at(tiles_of(tiles_.data(), i), 0, t.column) +
                  i % piece_rows % gram::unit_rows * gram::unit_columns;
          engine_.store_far(t.values[0] + r * t.stride, t.columns, to);
        }
      });
    });
    return tiles_.data();
  }
  // Tiles of all columns, of so many rows.
  [[nodiscard]] std::size_t unit_numbers() const {
    return (columns() + gram::unit_columns - 1) / gram::unit_columns * gram::unit_size;
  }
  // Of all tiles those from that row on: pieces begin with whole ones.
  template <class Number>
  [[nodiscard]] Number* tiles_of(Number* all, std::size_t row) const {
    return all +
           (row / piece_rows * piece_units + row % piece_rows / gram::unit_rows) * unit_numbers();
  }
  // The tile of these among the values of a strip, which follow each other tile by tile.
  template <class Number>
  [[nodiscard]] Number* tile_at(Number* values, std::size_t row, std::size_t column) const {
    return values + row / gram::unit_rows * unit_numbers() +
           column / gram::unit_columns * gram::unit_size;
  }
  // done(row, column): of these rows a group of columns is there.
  template <class Done>
  void compute_tiles(std::size_t begin, std::size_t count, T* values, const Done& done) const {
    gram::BulkOptions alone = bulk_;
    alone.threads = 1;
    const std::size_t m = this->columns();
    const auto place = [&](std::size_t r, std::size_t c) { return tile_at(values, r, c); };
    const auto take = [&](const gram::TileValues<T>& t) {
      T* to = place(t.row, t.column);
      if (to != t.values[0]) std::copy_n(t.values[0], t.rows * gram::unit_columns, to);
      const std::size_t next = t.column + gram::unit_columns;
      if (next % group == 0 || next >= m) done(t.row, t.column / group * group);
    };
    gram::compute<T>(
        between(std::span(all_rows_).subspan(begin, count), all_columns_, columns_points()), alone,
        false, take, place);
  }

  // A part is prepared when it is first asked for values: some never are.
  [[nodiscard]] std::shared_ptr<const gram::Prepared<T>> shared_points() const {
    if (of_)
      std::call_once(prepared_, [&] {
        x_ = std::make_shared<const gram::Prepared<T>>(
            of_->select(selected_, engine_, options_.threads, As::both));
      });
    return x_;
  }
  [[nodiscard]] const gram::Prepared<T>& row_points() const { return *shared_points(); }
  [[nodiscard]] const gram::Prepared<T>& columns_points() const { return z_ ? *z_ : row_points(); }

  // All rows, those with the same zeros next to each other; empty where they have few.
  [[nodiscard]] const std::vector<std::size_t>& order() const {
    std::call_once(ordered_, [&] { order_ = row_points().order(); });
    return order_;
  }

  void number() {
    all_rows_ = Rows::all().of(rows());
    all_columns_ = Rows::all().of(columns());
  }

  // The sums run over groups of columns in their order, whether the values are kept or not.
  void apply(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns,
             const double* V, std::size_t width, double* out) const {
    if (symmetric(rows, columns) && rows == all_rows_) {
      apply_symmetric(V, width, out);
      return;
    }
    if (everything() != nullptr) {
      const gram::Panels panels(V, columns.size(), width, gram::unit_columns);
      apply_kept(rows, columns, panels, width, out);
    } else if (options_.rough_sums && engine_.multiply_nearby != nullptr) {
      apply_computed(engine_.multiply_nearby,
                     gram::PanelsOf<T>(V, columns.size(), width, gram::unit_columns), rows, columns,
                     width, out);
    } else {
      apply_computed(engine_.multiply, gram::Panels(V, columns.size(), width, gram::unit_columns),
                     rows, columns, width, out);
    }
  }

  // Tile by tile, each multiplied as soon as it is there.
  template <class Multiply, class Panels>
  void apply_computed(Multiply by, const Panels& panels, const std::vector<std::size_t>& rows,
                      const std::vector<std::size_t>& columns, std::size_t width,
                      double* out) const {
    const auto multiply = [&](std::span<const std::size_t> some, double* to) {
      compute(some, columns, false, [&](const gram::TileValues<T>& t) {
        by(t.values.data(), true, t.rows, t.columns, panels.at(t.column), panels.apart(), width,
           to + t.row * width);
      });
    };
    if (!better_in_order(rows, columns)) return multiply(rows, out);
    std::vector<double> there(rows.size() * width);
    multiply(order(), there.data());
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(there.data() + i * width, width, out + order()[i] * width);
  }

  // Rows with the same zeros are fastest together; no value depends on which others are near.
  [[nodiscard]] bool better_in_order(const std::vector<std::size_t>& rows,
                                     const std::vector<std::size_t>& columns) const {
    constexpr std::size_t many = 128;
    return columns.size() >= many && rows == all_rows_ && !order().empty();
  }

  // Tile by tile; see gram::compute. Columns that stand next to each other from a panel's beginning
  // on are taken as they lie.
  void compute(std::span<const std::size_t> rows, const std::vector<std::size_t>& columns,
               bool split_columns,
               const std::function<void(const gram::TileValues<T>&)>& take) const {
    static_assert(panel == gram::unit_columns);
    const auto& points = columns_points();
    const auto first = all_columns_.begin() + static_cast<std::ptrdiff_t>(columns.front());
    if (columns.front() % panel == 0 && columns.size() <= points.size() - columns.front() &&
        std::equal(columns.begin(), columns.end(), first)) {
      gram::Between<T> there = between(rows, columns, points);
      there.z_first = columns.front();
      gram::compute<T>(there, bulk_, split_columns, take);
    } else {
      const auto some = points.select(columns, engine_, options_.threads, As::columns);
      gram::compute<T>(between(rows, columns, some), bulk_, split_columns, take);
    }
  }

  // Whether half of the values say the others; of few points that is no gain.
  [[nodiscard]] bool symmetric(const std::vector<std::size_t>& rows,
                               const std::vector<std::size_t>& columns) const {
    constexpr std::size_t many = 384;
    return plan_.symmetric && !z_ && rows.size() >= many && rows == columns;
  }

  // All of K·V, from the values on and above the diagonal. Each piece has sums of its own, for its
  // rows and, mirrored, for its columns; they are added in the order of the pieces.
  void apply_symmetric(const double* V, std::size_t width, double* out) const {
    const auto pieces = gram::upper_pieces(rows(), plan_);
    const T* all = everything();
    const gram::Panels panels(V, rows(), width, gram::unit_columns);
    constexpr std::size_t at_once = 128;
    std::vector<std::vector<double>> own(std::min(at_once, pieces.size()));
    std::vector<std::optional<gram::Panels>> mirrored(own.size());
    const auto work = [&](const gram::Piece& piece, double* sums, gram::Panels& back) {
      std::array<const T*, gram::unit_rows> at{};
      const auto take = [&](const gram::TileValues<T>& t) {
        for (std::size_t r = 0; r < t.rows; ++r) at[r] = t.values[0] + r * t.stride;
        engine_.multiply(at.data(), t.stride == gram::unit_columns, t.rows, t.columns,
                         panels.at(t.column), panels.apart(), width,
                         sums + (t.row - piece.row) * width);
        if (piece.mirrored(t.column))
          engine_.multiply_back(at.data(), t.rows, t.columns, V + t.row * width, width,
                                back.at(t.column - piece.column), back.apart());
      };
      if (all == nullptr) {
        gram::compute_piece<T>(between(all_rows_, all_columns_, row_points()), bulk_, piece, take);
        return;
      }
      for (std::size_t c = piece.column; c < piece.column_end; c += gram::unit_columns)
        for (std::size_t r = piece.row; r < piece.row_end; r += gram::unit_rows) {
          const T* first = all + r * rows() + c;
          take({.row = r,
                .rows = std::min(gram::unit_rows, piece.row_end - r),
                .column = c,
                .columns = std::min(gram::unit_columns, piece.column_end - c),
                .values = std::span(&first, 1),
                .stride = rows()});
        }
    };
    for (std::size_t begin = 0; begin < pieces.size(); begin += at_once) {
      const std::size_t now = std::min(at_once, pieces.size() - begin);
      parallel_for(now, options_.threads, [&](std::size_t i) {
        const gram::Piece& piece = pieces[begin + i];
        own[i].assign((piece.row_end - piece.row) * width, 0.0);
        mirrored[i].emplace(piece.column_end - piece.column, width, gram::unit_columns);
        work(piece, own[i].data(), *mirrored[i]);
      });
      for (std::size_t i = 0; i < now; ++i) {
        const gram::Piece& piece = pieces[begin + i];
        for (std::size_t j = 0; j < own[i].size(); ++j) out[piece.row * width + j] += own[i][j];
        mirrored[i]->add_to(0, piece.column_end - piece.column, out + piece.column * width);
      }
    }
  }

  void apply_kept(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns,
                  const gram::Panels& V, std::size_t width, double* out) const {
    const T* all = everything();
    const std::size_t m = this->columns();
    const bool some = columns != all_columns_;
    parallel_for((rows.size() + gram::unit_rows - 1) / gram::unit_rows, options_.threads,
                 [&](std::size_t task) {
                   const std::size_t begin = task * gram::unit_rows;
                   const std::size_t count = std::min(gram::unit_rows, rows.size() - begin);
                   std::array<const T*, gram::unit_rows> at{};
                   std::vector<T> gathered(some ? gram::unit_size : 0);
                   for (std::size_t c = 0; c < columns.size(); c += gram::unit_columns) {
                     const std::size_t wide = std::min(gram::unit_columns, columns.size() - c);
                     for (std::size_t r = 0; r < count; ++r) {
                       const T* row = all + rows[begin + r] * m;
                       at[r] = some ? gathered.data() + r * gram::unit_columns : row + c;
                       if (!some) continue;
                       for (std::size_t j = 0; j < wide; ++j)
                         gathered[r * gram::unit_columns + j] = row[columns[c + j]];
                     }
                     engine_.multiply(at.data(), false, count, wide, V.at(c), V.apart(), width,
                                      out + begin * width);
                   }
                 });
  }

  [[nodiscard]] gram::Between<T> between(std::span<const std::size_t> rows,
                                         std::span<const std::size_t> columns,
                                         const gram::Prepared<T>& prepared) const {
    return {plan_, engine_, row_points(), prepared, x, z, rows, columns, names};
  }

  void keep(GramOptions::Storage storage) {
    using Storage = GramOptions::Storage;
    storage_ = storage;
    report.storage = storage == Storage::full   ? "full"
                     : storage == Storage::rows ? "rows"
                                                : "recomputed";
    if (storage == Storage::rows)
      for (std::size_t k = 0; k < plan_.results.size(); ++k)
        caches_.push_back(std::make_unique<gram::RowCache<T>>(
            this->columns(), options_.memory / plan_.results.size()));
  }

  // All values of the first kernel, computed when they are first asked for; null if not to be kept.
  const T* everything() const {
    if (storage_ != GramOptions::Storage::full) return nullptr;
    std::call_once(computed_, [&] {
      for (std::size_t k = 0; k < plan_.results.size(); ++k)
        kept_.push_back(Aligned<T>::whole(rows() * this->columns()));
      std::vector<T*> out;
      for (auto& m : kept_) out.push_back(m.data());
      compute_into<T>(all_rows_, all_columns_, out, this->columns());
    });
    return kept_[0].data();
  }

  template <class Out>
  static void copy_row(const T* from, std::size_t n, Out* to) {
    if constexpr (std::is_same_v<T, Out>) {
      std::copy_n(from, n, to);
    } else {
      std::transform(from, from + n, to, [](T v) { return static_cast<Out>(v); });
    }
  }

  static bool much(std::size_t bytes) { return bytes > std::size_t{16} << 20U; }

  // Values of a tile; `far`: past the caches.
  template <class Out>
  void write(const T* from, std::size_t n, Out* to, bool far) const {
    if constexpr (std::is_same_v<T, Out>) {
      if (far) {
        engine_.store_far(from, n, to);
        return;
      }
    }
    copy_row(from, n, to);
  }

  template <class Out>
  void fill_rows(const Rows& I, std::span<Out* const> to) const {
    const auto rows = I.of(this->rows());
    if (const T* all = everything()) {
      for (std::size_t r = 0; r < rows.size(); ++r)
        copy_row(all + rows[r] * this->columns(), this->columns(), to[r]);
      return;
    }
    const bool far = much(rows.size() * this->columns() * sizeof(Out));
    const auto take = [&](const gram::TileValues<T>& t) {
      for (std::size_t r = 0; r < t.rows; ++r)
        write(t.values[0] + r * gram::unit_columns, t.columns, to[t.row + r] + t.column, far);
    };
    gram::compute<T>(between(rows, all_columns_, columns_points()), bulk_, true, take);
  }

  template <class Out>
  void compute_into(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns,
                    std::span<Out* const> out, std::size_t stride) const {
    // What does not fit into the caches anyway; rows that begin anywhere in a line are slower so.
    const bool far =
        much(rows.size() * columns.size() * sizeof(Out)) && stride * sizeof(Out) % cache_line == 0;
    const auto write_to = [&](const gram::TileValues<T>& t, const auto& place) {
      for (std::size_t k = 0; k < out.size(); ++k)
        for (std::size_t r = 0; r < t.rows; ++r)
          write(t.values[k] + r * t.stride, t.columns,
                out[k] + place(t.row + r) * stride + t.column, far);
    };
    const auto take = [&](const gram::TileValues<T>& t) {
      if constexpr (std::is_same_v<T, Out>) {
        if (!far) {
          for (std::size_t k = 0; k < out.size(); ++k)
            engine_.copy(t.values[k], t.stride, t.rows, t.columns,
                         out[k] + t.row * stride + t.column, stride);
          return;
        }
      }
      write_to(t, std::identity());
    };
    if (symmetric(rows, columns)) {
      if (rows == all_rows_) {
        gram::compute_symmetric<T>(between(rows, rows, row_points()), bulk_, take);
      } else {
        const auto some = row_points().select(rows, engine_, options_.threads, As::columns);
        gram::compute_symmetric<T>(between(rows, rows, some), bulk_, take);
      }
    } else if (better_in_order(rows, columns)) {
      compute(order(), columns, true, [&](const gram::TileValues<T>& t) {
        write_to(t, [&](std::size_t i) { return order()[i]; });
      });
    } else {
      compute(rows, columns, true, take);
    }
  }

  template <class Out>
  void fill(const Rows& I, const Rows& J, std::span<Out* const> out, std::size_t stride) const {
    if (out.size() != plan_.results.size())
      throw Error("one block for each of the " + std::to_string(plan_.results.size()) +
                  " kernels is needed, not " + std::to_string(out.size()));
    const auto rows = I.of(this->rows());
    const auto columns = J.of(this->columns());
    if (rows.empty() || columns.empty()) return;
    if (everything() != nullptr) {
      for (std::size_t k = 0; k < out.size(); ++k)
        for (std::size_t r = 0; r < rows.size(); ++r) {
          const T* row = kept_[k].data() + rows[r] * this->columns();
          for (std::size_t c = 0; c < columns.size(); ++c)
            out[k][r * stride + c] = static_cast<Out>(row[columns[c]]);
        }
    } else if (!caches_.empty() && columns == all_columns_) {
      fill_from_cache(rows, out, stride);
    } else {
      compute_into(rows, columns, out, stride);
    }
  }

  template <class Out>
  void fill_both_ways(const Rows& I, const Rows& J, Out* out, std::size_t stride, Out* back,
                      std::size_t back_stride) const {
    if constexpr (std::is_same_v<T, Out>) {
      if (plan_.symmetric && !z_ && storage_ != GramOptions::Storage::full) {
        const auto rows = I.of(this->rows());
        const auto columns = J.of(this->columns());
        if (rows.empty() || columns.empty()) return;
        compute(rows, columns, true, [&](const gram::TileValues<T>& t) {
          const T* from = t.values[0];
          engine_.copy(from, t.stride, t.rows, t.columns, out + t.row * stride + t.column, stride);
          engine_.transpose(from, t.rows, t.columns, back + t.column * back_stride + t.row,
                            back_stride);
        });
        return;
      }
    }
    fill(I, J, std::span<Out* const>(&out, 1), stride);
    fill(J, I, std::span<Out* const>(&back, 1), back_stride);
  }

  // Whole rows: those that are kept are copied, the others computed together and kept.
  template <class Out>
  void fill_from_cache(const std::vector<std::size_t>& rows, std::span<Out* const> out,
                       std::size_t stride) const {
    const std::size_t m = this->columns();
    std::vector<T> row(m);
    std::vector<std::size_t> missing;
    std::vector<std::size_t> places;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      bool all = true;
      for (std::size_t k = 0; k < out.size(); ++k) {
        all = all && caches_[k]->get(rows[r], row.data());
        if (all) copy_row(row.data(), m, out[k] + r * stride);
      }
      if (all) continue;
      missing.push_back(rows[r]);
      places.push_back(r);
    }
    if (missing.empty()) return;
    std::vector<std::vector<T>> values(out.size(), std::vector<T>(missing.size() * m));
    std::vector<T*> to(out.size());
    std::ranges::transform(values, to.begin(), [](auto& v) { return v.data(); });
    compute_into<T>(missing, all_columns_, to, m);
    for (std::size_t k = 0; k < out.size(); ++k)
      for (std::size_t r = 0; r < missing.size(); ++r) {
        caches_[k]->put(missing[r], values[k].data() + r * m);
        copy_row(values[k].data() + r * m, m, out[k] + places[r] * stride);
      }
  }

  gram::Plan plan_;
  const gram::Engine<T>& engine_;
  mutable std::shared_ptr<const gram::Prepared<T>> x_;
  std::shared_ptr<const gram::Prepared<T>> of_;  // of a part: those that it is selected from
  std::vector<std::size_t> selected_;
  mutable std::once_flag prepared_;
  mutable std::once_flag ordered_;
  mutable std::vector<std::size_t> order_;
  std::optional<gram::Prepared<T>> z_;
  GramOptions options_;
  gram::BulkOptions bulk_;
  std::vector<std::size_t> all_rows_;
  std::vector<std::size_t> all_columns_;
  GramOptions::Storage storage_ = GramOptions::Storage::recomputed;
  mutable std::once_flag computed_;
  mutable std::vector<Aligned<T>> kept_;  // of each kernel
  mutable std::once_flag tiled_;
  mutable Aligned<T> tiles_;
  std::vector<std::unique_ptr<gram::RowCache<T>>> caches_;
};

namespace {

void check_kernels(std::span<const Kernel> kernels, const Points& x, const Points& z) {
  if (kernels.empty()) throw Error("a Gram matrix needs a kernel");
  if (x.columns() != z.columns())
    throw Error("points of dimension " + std::to_string(x.columns()) + " and of dimension " +
                std::to_string(z.columns()) + " have no kernel between them");
  if (x.columns() == 0) throw Error("points without coordinates");
  for (const auto& k : kernels) {
    if (!k.open_parameters().empty())
      throw Error(k.text() + " has an open parameter: give it a value first");
    if (k.has_named_columns())
      throw Error(k.text() + " names columns, but the points have no names: use with_columns");
  }
}

}  // namespace

Gram::Gram(std::span<const Kernel> kernels, const Points& x, const Points& z,
           const GramOptions& options) {
  check_kernels(kernels, x, z);
  const bool same = x.rows() == z.rows() && x.raw() == z.raw();
  const gram::InUsedColumns seen = gram::in_used_columns(kernels, x, z)
                                       ? gram::in_used_columns(x, z, same)
                                       : gram::InUsedColumns{x, z};
  const auto in_doubles = [&](gram::Chosen chosen) {
    body_ = std::make_unique<BodyOf<double>>(std::move(chosen), seen.x, seen.z, same, options);
  };
  gram::Chosen chosen = gram::choose(kernels, seen.x, seen.z, same, options);
  if (chosen.precision == GramOptions::Precision::float64) {
    in_doubles(std::move(chosen));
  } else {
    auto body = std::make_unique<BodyOf<float>>(std::move(chosen), seen.x, seen.z, same, options);
    if (body->overflows()) {
      body.reset();
      GramOptions exact = options;
      exact.precision = GramOptions::Precision::float64;
      gram::Chosen again = gram::choose(kernels, seen.x, seen.z, same, exact);
      again.report.why = "some numbers of the points are too large for floats";
      in_doubles(std::move(again));
    } else {
      body_ = std::move(body);
    }
  }
  body_->kernels.assign(kernels.begin(), kernels.end());
}

Gram::Gram(const Kernel& kernel, const Points& x, const GramOptions& options)
    : Gram(std::span(&kernel, 1), x, x, options) {}
Gram::Gram(const Kernel& kernel, const Points& x, const Points& z, const GramOptions& options)
    : Gram(std::span(&kernel, 1), x, z, options) {}
Gram::Gram(std::span<const Kernel> kernels, const Points& x, const GramOptions& options)
    : Gram(kernels, x, x, options) {}

Gram::Gram(Gram&&) noexcept = default;
Gram& Gram::operator=(Gram&&) noexcept = default;
Gram::~Gram() = default;

Gram::Gram(std::unique_ptr<Body> body) : body_(std::move(body)) {}

Gram Gram::part(const Rows& I, unsigned threads) const {
  if (!body_->same) throw Error("a part has points of a square Gram matrix");
  return Gram(body_->part(I.of(rows()), threads));
}

Gram Gram::in_double() const {
  GramOptions how = body_->options();
  how.precision = GramOptions::Precision::float64;
  how.storage = GramOptions::Storage::recomputed;
  if (body_->names.empty()) {
    if (body_->same) return {body_->kernels, body_->x, how};
    return {body_->kernels, body_->x, body_->z, how};
  }
  // A user's matrix goes by the numbers of all points.
  if (body_->of_matrix())
    return Gram(body_->kernels, body_->x, how).part(body_->names, how.threads);
  return {body_->kernels, body_->x.select(body_->names), how};
}

std::size_t Gram::rows() const { return body_->rows(); }
std::size_t Gram::columns() const { return body_->columns(); }
std::size_t Gram::kernels() const { return body_->kernels.size(); }

void Gram::block(const Rows& I, const Rows& J, float* out, std::size_t stride) const {
  body_->blocks(I, J, std::span<float* const>(&out, 1), stride);
}
void Gram::block(const Rows& I, const Rows& J, double* out, std::size_t stride) const {
  body_->blocks(I, J, std::span<double* const>(&out, 1), stride);
}
void Gram::blocks(const Rows& I, const Rows& J, std::span<float* const> out,
                  std::size_t stride) const {
  body_->blocks(I, J, out, stride);
}
void Gram::blocks(const Rows& I, const Rows& J, std::span<double* const> out,
                  std::size_t stride) const {
  body_->blocks(I, J, out, stride);
}

void Gram::block_both_ways(const Rows& I, const Rows& J, float* out, std::size_t stride,
                           float* back, std::size_t back_stride) const {
  if (!body_->same) throw Error("both ways there are values of a square Gram matrix");
  body_->both_ways(I, J, out, stride, back, back_stride);
}
void Gram::block_both_ways(const Rows& I, const Rows& J, double* out, std::size_t stride,
                           double* back, std::size_t back_stride) const {
  if (!body_->same) throw Error("both ways there are values of a square Gram matrix");
  body_->both_ways(I, J, out, stride, back, back_stride);
}

void Gram::rows_to(const Rows& I, std::span<float* const> to) const {
  if (I.of(rows()).size() != to.size()) throw Error("each row needs memory of its own");
  body_->rows_to(I, to);
}
void Gram::rows_to(const Rows& I, std::span<double* const> to) const {
  if (I.of(rows()).size() != to.size()) throw Error("each row needs memory of its own");
  body_->rows_to(I, to);
}

GramRows::GramRows(const Gram& gram) : gram_(gram), body_(gram.body_->one_by_one()) {
  if (gram.kernels() != 1) throw Error("rows one at a time are those of one kernel");
}
GramRows::GramRows(GramRows&&) noexcept = default;
GramRows::~GramRows() = default;

namespace {

void check_rows(std::span<const std::size_t> I, std::size_t begin, std::size_t end,
                std::size_t places, const Gram& gram) {
  if (I.size() != places) throw Error("each row needs memory of its own");
  if (begin % Gram::panel != 0 || end > gram.columns())
    throw Error("columns " + std::to_string(begin + 1) + " to " + std::to_string(end) +
                " do not begin at a panel, or are not there");
  for (const std::size_t i : I)
    if (i >= gram.rows())
      throw Error("row " + std::to_string(i + 1) + " of a matrix with " +
                  std::to_string(gram.rows()));
}

}  // namespace

void GramRows::rows(std::span<const std::size_t> I, std::size_t begin, std::size_t end,
                    std::span<float* const> to) {
  check_rows(I, begin, end, to.size(), gram_);
  if (begin < end) body_->rows(I, begin, end, to);
}
void GramRows::rows(std::span<const std::size_t> I, std::size_t begin, std::size_t end,
                    std::span<double* const> to) {
  check_rows(I, begin, end, to.size(), gram_);
  if (begin < end) body_->rows(I, begin, end, to);
}

void Gram::diagonal(std::span<double> out) const {
  if (!body_->same || out.size() != rows())
    throw Error("a diagonal has one value per point of a square Gram matrix");
  if (body_->of_matrix()) {
    constexpr std::size_t some = 16;
    std::vector<double> values(some * some * kernels());
    std::vector<double*> to;
    for (std::size_t k = 0; k < kernels(); ++k) to.push_back(values.data() + k * some * some);
    for (std::size_t i = 0; i < out.size(); i += some) {
      const std::size_t end = std::min(out.size(), i + some);
      body_->blocks(Rows(i, end), Rows(i, end), std::span<double* const>(to), some);
      for (std::size_t r = i; r < end; ++r) out[r] = values[(r - i) * some + (r - i)];
    }
    return;
  }
  std::vector<double> point(body_->x.columns());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t name = body_->names.empty() ? i : body_->names[i];
    body_->x.row(name, std::span(point));
    try {
      out[i] = body_->kernels[0](point, point);
    } catch (const EvaluationError& error) {
      const std::string row = std::to_string(name + 1);
      throw EvaluationError("rows " + row + " and " + row + ": " + error.what());
    }
  }
}

void Gram::apply(const Rows& I, const Rows& J, std::span<const double> V, std::size_t width,
                 std::span<double> out) const {
  if (kernels() != 1) throw Error("apply is for one kernel");
  const auto which = I.of(rows());
  const std::size_t count = J.of(columns()).size();
  if (V.size() != count * width || out.size() != which.size() * width)
    throw Error("K·V needs V with " + std::to_string(count) + " rows and room for " +
                std::to_string(which.size()));
  body_->apply(which, J, V, width, out);
}

void Gram::apply(const Rows& I, std::span<const double> V, std::size_t width,
                 std::span<double> out) const {
  apply(I, Rows::all(), V, width, out);
}

void Gram::apply(std::span<const double> V, std::size_t width, std::span<double> out) const {
  apply(Rows::all(), Rows::all(), V, width, out);
}

void Gram::apply_both(std::span<const double> V, std::size_t v, const Middle& middle, std::size_t t,
                      std::span<double> out) const {
  if (kernels() != 1) throw Error("apply_both is for one kernel");
  if (V.size() != columns() * v || out.size() != columns() * t)
    throw Error("there and back needs V with " + std::to_string(columns()) +
                " rows and room for as many");
  body_->apply_both(V, v, middle, t, out);
}

const GramReport& Gram::report() const { return body_->report; }

std::string gram_instructions_in_use() { return gram::engine<float>().name; }

std::vector<std::string> gram_instructions() {
  std::vector<std::string> names;
  for (const auto& e : gram::engines<float>()) names.push_back(e.name);
  return names;
}

}  // namespace mercer
