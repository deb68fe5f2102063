// The steps of a plan on a tile. Included once per instruction set: no include guard.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer::gram::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors in registers: NOLINTBEGIN(modernize-avoid-c-arrays,modernize-loop-convert)

template <class T>
class Machine {
 public:
  Machine(const Plan& plan, Tile<T>& tile) : plan_(plan), tile_(tile) {}

  void run() {
    run(plan_.steps);
    const bool looked = plan_.results.size() == 1 && !plan_.steps.empty() &&
                        plan_.steps.back().code == Code::exponential;
    if (!looked)
      for (const auto r : plan_.results) look_for_undefined(at(r));
  }

 private:
  using D = Tag<T>;
  using V = hn::Vec<D>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());

  T* at(std::uint16_t r) const { return tile_.memory + r * unit_size; }
  [[nodiscard]] std::size_t size() const { return tile_.rows * unit_columns; }
  static HWY_INLINE V set(double v) { return hn::Set(D(), static_cast<T>(v)); }

  static constexpr std::size_t run_of = unit_columns / lanes < 4 ? unit_columns / lanes : 4;

  template <class F>
  HWY_INLINE void each(const Step& s, const F& f) const {
    const T* HWY_RESTRICT a = at(s.a);
    T* to = at(s.to);
    const D d;
    const std::size_t n = size();  // what is stored might, for all the compiler knows, change it
    for (std::size_t i = 0; i < n; i += 2 * lanes) {
      const V first = f(hn::Load(d, a + i));
      const V second = f(hn::Load(d, a + i + lanes));
      hn::Store(first, d, to + i);
      hn::Store(second, d, to + i + lanes);
    }
  }

  template <class F>
  HWY_INLINE void each_pair(const Step& s, const F& f) const {
    const T* a = at(s.a);
    const T* b = at(s.b);
    T* to = at(s.to);
    const D d;
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; i += run_of * lanes) HWY_UNROLL(4)
    for (std::size_t j = i; j < i + run_of * lanes; j += lanes)
      hn::Store(f(hn::Load(d, a + j), hn::Load(d, b + j)), d, to + j);
  }

  // f(element, f_n(x) of its row)
  template <class F>
  HWY_INLINE void with_row(const Step& s, const F& f) const {
    const T* a = at(s.a);
    T* to = at(s.to);
    const T* values = tile_.row_values[s.n];
    const D d;
    const std::size_t rows = tile_.rows;
    for (std::size_t r = 0; r < rows; ++r) {
      const V v = hn::Set(d, values[r]);
      const std::size_t begin = r * unit_columns;
      HWY_UNROLL(8)
      for (std::size_t i = begin; i < begin + unit_columns; i += lanes)
        hn::Store(f(hn::Load(d, a + i), v), d, to + i);
    }
  }

  template <class F>
  HWY_INLINE void with_column(const Step& s, const F& f) const {
    const T* a = at(s.a);
    T* to = at(s.to);
    const T* values = tile_.column_values[s.n];
    const D d;
    const std::size_t n = size();
    for (std::size_t c = 0; c < unit_columns; c += run_of * lanes) {
      V v[run_of];
      HWY_UNROLL(4)
      for (std::size_t j = 0; j < run_of; ++j) v[j] = hn::LoadU(d, values + c + j * lanes);
      for (std::size_t i = c; i < n; i += unit_columns) HWY_UNROLL(4)
      for (std::size_t j = 0; j < run_of; ++j)
        hn::Store(f(hn::Load(d, a + i + j * lanes), v[j]), d, to + i + j * lanes);
    }
  }

  // f(element, f_n(x) of its row, f_n(z) of its column)
  template <class F>
  HWY_INLINE void with_both(const Step& s, const F& f) const {
    const T* a = at(s.a);
    T* to = at(s.to);
    const T* x = tile_.row_values[s.n];
    const T* z = tile_.column_values[s.n];
    const D d;
    const std::size_t rows = tile_.rows;
    for (std::size_t r = 0; r < rows; ++r) {
      const V row = hn::Set(d, x[r]);
      const std::size_t begin = r * unit_columns;
      HWY_UNROLL(4)
      for (std::size_t c = 0; c < unit_columns; c += lanes)
        hn::Store(f(hn::Load(d, a + begin + c), row, hn::LoadU(d, z + c)), d, to + begin + c);
    }
  }

  // Whole vectors; std::fill_n goes number by number.
  static HWY_INLINE void fill(T* to, std::size_t count, T value) {
    const D d;
    const V v = hn::Set(d, value);
    for (std::size_t i = 0; i < count; i += run_of * lanes) HWY_UNROLL(4)
    for (std::size_t j = i; j < i + run_of * lanes; j += lanes) hn::Store(v, d, to + j);
  }

  HWY_NOINLINE void distance(const Step& s) const {
    const V minus_two = set(-2);
    with_both(s, [&](V a, V x, V z) HWY_ATTR {
      return hn::Max(hn::MulAdd(minus_two, a, hn::Add(x, z)), hn::Zero(D()));
    });
  }

  HWY_NOINLINE void exponential_of(const Step& s) {
    const V p = hn::Set(D(), exponent(s.p));
    const V q = hn::Set(D(), exponent(s.q));
    const T* HWY_RESTRICT a = at(s.a);
    T* to = at(s.to);
    const D d;
    V zero[vectors_at_once];
    clear(zero);
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; i += vectors_at_once * lanes) {
      V v[vectors_at_once];
      HWY_UNROLL(4)
      for (std::size_t j = 0; j < vectors_at_once; ++j)
        v[j] = hn::MulAdd(p, hn::Load(d, a + i + j * lanes), q);
      powers_of_two(d, v);
      HWY_UNROLL(4)
      for (std::size_t j = 0; j < vectors_at_once; ++j) {
        zero[j] = hn::MulAdd(v[j], hn::Zero(d), zero[j]);
        hn::Store(v[j], d, to + i + j * lanes);
      }
    }
    check(zero);
  }

  // Several steps in one pass, with the values that they would have one after the other: a sum and
  // what is made of it in place, so that nobody else wants what is between. How many steps these
  // were, 0 for none.
  std::size_t run_together(std::span<const Step> steps) {
    if (steps[0].code != Code::reduction) return 0;
    const Reduction& reduction = plan_.reductions[steps[0].n];
    T* to = at(steps[0].to);
    const auto in_place = [&](std::size_t i, Code code) {
      return i < steps.size() && steps[i].code == code && steps[i].a == steps[0].to &&
             steps[i].to == steps[0].to;
    };
    if (reduction.kind == Reduce::dot) {
      if (in_place(1, Code::distance) && in_place(2, Code::exponential) && bounded(steps[2]) &&
          finite_norms(steps[1].n)) {
        const GaussianOfDot<T> finish{tile_.row_values[steps[1].n], tile_.column_values[steps[1].n],
                                      exponent(steps[2].p), exponent(steps[2].q)};
        reduce_and_finish<T>(Dot(), reduction, tile_, finish, to);
        return 3;
      }
      const bool scaled = in_place(1, Code::scale);
      const bool raised = in_place(scaled ? 2 : 1, Code::power);
      const T p = static_cast<T>(scaled ? steps[1].p : 1);
      const T q = static_cast<T>(scaled ? steps[1].q : 0);
      const std::uint32_t n = raised ? steps[scaled ? 2 : 1].n : 1;
      if ((!scaled && !raised) || n > 3) return 0;
      if (n == 1) reduce_and_finish<T>(Dot(), reduction, tile_, PowerOfSum<T, 1>{p, q}, to);
      if (n == 2) reduce_and_finish<T>(Dot(), reduction, tile_, PowerOfSum<T, 2>{p, q}, to);
      if (n == 3) reduce_and_finish<T>(Dot(), reduction, tile_, PowerOfSum<T, 3>{p, q}, to);
      return std::size_t{1} + (scaled ? 1U : 0U) + (raised ? 1U : 0U);
    }
    // Sums of what is not negative may be too large, but are no less than numbers then.
    if (!plan_.sparse && in_place(1, Code::exponential) && bounded(steps[1])) {
      const ExponentialOfSum<T> finish{exponent(steps[1].p), exponent(steps[1].q)};
      if (reduction.kind == Reduce::absolute_difference) {
        reduce_and_finish<T>(AbsoluteDifference(), reduction, tile_, finish, to);
        return 2;
      }
      if (reduction.kind == Reduce::squared_difference) {
        reduce_and_finish<T>(SquaredDifference(), reduction, tile_, finish, to);
        return 2;
      }
    }
    return 0;
  }

  // exp(p a + q) = 2^(p' a + q'): the logarithm goes into the constants.
  static T exponent(double p) { return static_cast<T>(p * log2_e); }

  // Of what is not negative: no value above 2^127.
  static bool bounded(const Step& s) { return s.p < 0 && s.q * log2_e <= 127; }

  // Norms of points far away may not be finite, and products of such points no numbers.
  HWY_INLINE bool finite_norms(std::uint32_t n) const {
    static_assert(unit_rows >= lanes);
    const D d;
    V zero = hn::Zero(d);
    for (std::size_t i = 0; i < unit_columns; i += lanes)
      zero = hn::MulAdd(hn::LoadU(d, tile_.column_values[n] + i), hn::Zero(d), zero);
    // All rows of the unit, some of them perhaps twice.
    for (std::size_t i = 0; i < unit_rows; i += lanes)
      zero = hn::MulAdd(hn::LoadU(d, tile_.row_values[n] + HWY_MIN(i, unit_rows - lanes)),
                        hn::Zero(d), zero);
    return hn::AllTrue(d, hn::Eq(zero, hn::Zero(d)));
  }

  void run(const std::vector<Step>& steps) {
    for (std::size_t i = 0; i < steps.size();) {
      const std::size_t together = run_together(std::span(steps).subspan(i));
      if (together == 0) step(steps[i]);
      i += HWY_MAX(together, std::size_t{1});
    }
  }

  void step(const Step& s) {
    switch (s.code) {
      case Code::reduction:
        return reduce<T>(plan_.reductions[s.n], tile_, at(s.to));
      case Code::distance:
        return distance(s);
      case Code::fill:
        return fill(at(s.to), size(), static_cast<T>(s.p));
      case Code::load_row:
        for (std::size_t r = 0; r < tile_.rows; ++r)
          fill(at(s.to) + r * unit_columns, unit_columns, tile_.row_values[s.n][r]);
        return;
      case Code::load_column:
        for (std::size_t r = 0; r < tile_.rows; ++r)
          std::copy_n(tile_.column_values[s.n], unit_columns, at(s.to) + r * unit_columns);
        return;
      case Code::move:
        std::copy_n(at(s.a), size(), at(s.to));
        return;
      case Code::scale: {
        const V p = set(s.p);
        const V q = set(s.q);
        return each(s, [&](V a) HWY_ATTR { return hn::MulAdd(p, a, q); });
      }
      case Code::add:
        return each_pair(s, [](V a, V b) HWY_ATTR { return hn::Add(a, b); });
      case Code::add_scaled: {
        const V p = set(s.p);
        return each_pair(s, [&](V a, V b) HWY_ATTR { return hn::MulAdd(p, b, a); });
      }
      case Code::add_row: {
        const V p = set(s.p);
        return with_row(s, [&](V a, V f) HWY_ATTR { return hn::MulAdd(p, f, a); });
      }
      case Code::add_column: {
        const V p = set(s.p);
        return with_column(s, [&](V a, V f) HWY_ATTR { return hn::MulAdd(p, f, a); });
      }
      case Code::add_both: {
        const V p = set(s.p);
        return with_both(s,
                         [&](V a, V f, V g) HWY_ATTR { return hn::MulAdd(p, hn::Add(f, g), a); });
      }
      case Code::multiply:
        return each_pair(s, [](V a, V b) HWY_ATTR { return hn::Mul(a, b); });
      case Code::multiply_both:
        return with_both(s, [](V a, V f, V g) HWY_ATTR {
          return hn::Mul(hn::Mul(a, hn::Max(f, g)), hn::Min(f, g));
        });
      case Code::multiply_row:
        return with_row(s, [](V a, V f) HWY_ATTR { return hn::Mul(a, f); });
      case Code::multiply_column:
        return with_column(s, [](V a, V f) HWY_ATTR { return hn::Mul(a, f); });
      case Code::divide:
        each_pair(s, [](V a, V b) HWY_ATTR { return hn::Div(a, b); });
        return look_for_undefined(at(s.to));
      case Code::power: {
        const std::uint32_t n = s.n;
        if (n == 2) return each(s, [](V a) HWY_ATTR { return hn::Mul(a, a); });
        if (n == 3) return each(s, [](V a) HWY_ATTR { return hn::Mul(a, hn::Mul(a, a)); });
        return each(s, [=](V a) HWY_ATTR { return whole_power(D(), a, n); });
      }
      case Code::reciprocal: {
        const V one = set(1);
        each(s, [&](V a) HWY_ATTR { return hn::Div(one, a); });
        return look_for_undefined(at(s.to));
      }
      case Code::square_root:
        return each(s, [](V a) HWY_ATTR { return hn::Sqrt(a); });
      case Code::raise:
        return raise(s);
      case Code::raise_to:
        return raise_to(s);
      case Code::exponential:
        return exponential_of(s);
      default:
        return function(s);
    }
  }

  void function(const Step& s) {
    switch (s.code) {
      case Code::logarithm:
        each(s, [](V a) HWY_ATTR { return logarithm_of(a); });
        return look_for_undefined(at(s.to));
      case Code::cosine:
        return each(s, [](V a) HWY_ATTR { return cosine(D(), a); });
      case Code::sine:
        return each(s, [](V a) HWY_ATTR { return sine(D(), a); });
      case Code::hyperbolic_cosine:
        return each(s, [](V a) HWY_ATTR { return hyperbolic_cosine(D(), a); });
      case Code::hyperbolic_sine:
        return each(s, [](V a) HWY_ATTR { return hyperbolic_sine_of(a); });
      case Code::hyperbolic_tangent:
        return each(s, [](V a) HWY_ATTR { return hn::Tanh(D(), a); });
      case Code::arc_sine:
        each(s, [](V a) HWY_ATTR { return arc_sine(D(), a); });
        return look_for_undefined(at(s.to));
      case Code::absolute:
        return each(s, [](V a) HWY_ATTR { return hn::Abs(a); });
      case Code::at_most: {
        const V p = set(s.p);
        return each(s, [&](V a) HWY_ATTR { return hn::Min(p, a); });  // NaN stays
      }
      case Code::at_least: {
        const V p = set(s.p);
        return each(s, [&](V a) HWY_ATTR { return hn::Max(p, a); });
      }
      case Code::minimum:
        return each_pair(s, [](V a, V b) HWY_ATTR { return hn::Min(a, b); });
      case Code::maximum:
        return each_pair(s, [](V a, V b) HWY_ATTR { return hn::Max(a, b); });
      case Code::chi:
        return each_pair(s, [](V a, V b) HWY_ATTR { return Chi()(D(), a, b, hn::Zero(D())); });
      case Code::matern: {
        const MaternTable& table = *plan_.tables[s.n];
        for (std::size_t i = 0; i < size(); ++i)
          at(s.to)[i] = static_cast<T>(table(static_cast<double>(at(s.a)[i])));
        return;
      }
      case Code::leaf:
        return (*tile_.leaf)(s.n, at(s.to));
      case Code::coordinate_x:
        return coordinate_x(s);
      case Code::coordinate_z:
        return coordinate_z(s);
      case Code::loop:
        return loop(s);
      default:
        HWY_ASSERT(false);
    }
  }

  // log where it is defined, and something not finite where it is not
  static HWY_INLINE V logarithm_of(V a) {
    const D d;
    const V bad = hn::Set(d, std::numeric_limits<T>::quiet_NaN());
    return hn::IfThenElse(hn::Gt(a, hn::Zero(d)), natural_logarithm(d, a), bad);
  }

  // Highway's sinh holds up to where exp does; beyond it would not be finite either.
  static HWY_INLINE V hyperbolic_sine_of(V a) {
    const D d;
    const V limit = hn::Set(d, static_cast<T>(sizeof(T) == 4 ? 88 : 709));
    const V inside = hn::Sinh(d, hn::Max(hn::Min(a, limit), hn::Neg(limit)));
    const V beyond = hn::Set(d, std::numeric_limits<T>::quiet_NaN());
    return hn::IfThenElse(hn::Gt(hn::Abs(a), limit), beyond, inside);
  }

  // a^p = exp(p log a); 0^p is 0 for p > 0.
  static HWY_INLINE V raised(V a, V p) {
    const D d;
    const V v = exponential(d, hn::Mul(p, logarithm_of(a)));
    return hn::IfThenElse(hn::Eq(a, hn::Zero(d)),
                          hn::IfThenElse(hn::Gt(p, hn::Zero(d)), hn::Zero(d),
                                         hn::Set(d, std::numeric_limits<T>::quiet_NaN())),
                          v);
  }

  HWY_NOINLINE void raise(const Step& s) {
    const V p = set(s.p);
    each(s, [&](V a) HWY_ATTR { return raised(a, p); });
    look_for_undefined(at(s.to));
  }

  HWY_NOINLINE void raise_to(const Step& s) {
    each_pair(s, [](V a, V b) HWY_ATTR { return raised(a, b); });
    look_for_undefined(at(s.to));
  }

  // ---- loops over coordinates

  struct Turn {
    std::uint32_t source;
    std::size_t k;
  };

  void coordinate_x(const Step& s) const {
    const Turn& turn = turns_[turns_.size() - 1 - s.n];
    const TileSource<T>& source = tile_.sources[turn.source];
    for (std::size_t r = 0; r < tile_.rows; ++r)
      fill(at(s.to) + r * unit_columns, unit_columns, source.rows[r][turn.k]);
  }

  void coordinate_z(const Step& s) const {
    const Turn& turn = turns_[turns_.size() - 1 - s.n];
    const TileSource<T>& source = tile_.sources[turn.source];
    constexpr std::size_t width = panel_width<T>;
    for (std::size_t c = 0; c < unit_columns; c += width)
      std::copy_n(source.panels + c * source.length + turn.k * width, width, at(s.to) + c);
    for (std::size_t r = 1; r < tile_.rows; ++r)
      std::copy_n(at(s.to), unit_columns, at(s.to) + r * unit_columns);
  }

  void loop(const Step& s) {
    const Loop& loop = plan_.loops[s.n];
    const T start = loop.kind == Loop::Kind::product ? T(1) : T(0);
    for (const auto r : loop.own) fill(at(r), size(), start);
    turns_.push_back({loop.source, 0});
    for (std::size_t k = 0; k < tile_.sources[loop.source].length; ++k) {
      turns_.back().k = k;
      run(loop.body);
      take_turn(loop);
    }
    turns_.pop_back();
    std::copy_n(at(loop.own.back()), size(), at(s.to));
  }

  HWY_NOINLINE void take_turn(const Loop& loop) const {
    const D d;
    const T* v = at(loop.value);
    T* total = at(loop.own[0]);
    const std::size_t n = size();
    switch (loop.kind) {
      case Loop::Kind::sum:
        for (std::size_t i = 0; i < n; i += lanes)
          hn::Store(hn::Add(hn::Load(d, total + i), hn::Load(d, v + i)), d, total + i);
        return;
      case Loop::Kind::product:
        for (std::size_t i = 0; i < n; i += lanes)
          hn::Store(hn::Mul(hn::Load(d, total + i), hn::Load(d, v + i)), d, total + i);
        return;
      case Loop::Kind::symmetric:
        for (std::size_t j = loop.own.size(); j-- > 0;) {
          T* sums = at(loop.own[j]);
          const T* fewer = j > 0 ? at(loop.own[j - 1]) : nullptr;
          for (std::size_t i = 0; i < n; i += lanes) {
            const V below = fewer != nullptr ? hn::Load(d, fewer + i) : hn::Set(d, T(1));
            hn::Store(hn::MulAdd(hn::Load(d, v + i), below, hn::Load(d, sums + i)), d, sums + i);
          }
        }
        return;
    }
  }

  // ---- what is not a number

  // v · 0 is 0 for every finite number, and for no other.
  HWY_NOINLINE void look_for_undefined(const T* v) {
    const D d;
    V zero[4];
    clear(zero);
    for (std::size_t i = 0; i < size(); i += 4 * lanes) {
      HWY_UNROLL(4)
      for (std::size_t j = 0; j < 4; ++j)
        zero[j] = hn::MulAdd(hn::Load(d, v + i + j * lanes), hn::Zero(d), zero[j]);
    }
    check(zero);
  }

  template <std::size_t count>
  static HWY_INLINE void clear(V (&zero)[count]) {
    for (V& v : zero) v = hn::Zero(D());
  }

  template <std::size_t count>
  HWY_INLINE void check(const V (&zero)[count]) {
    const D d;
    V all = zero[0];
    for (std::size_t j = 1; j < count; ++j) all = hn::Add(all, zero[j]);
    if (!hn::AllTrue(d, hn::Eq(all, hn::Zero(d)))) tile_.undefined = true;
  }

  const Plan& plan_;
  Tile<T>& tile_;
  std::vector<Turn> turns_;
};

template <class T>
void run_plan(const Plan& plan, Tile<T>& tile) {
  Machine<T>(plan, tile).run();
}

// ---- products with vectors, in double

inline constexpr std::size_t rows_at_once = 4;

// A vector of doubles.
template <class D, class T>
HWY_INLINE hn::Vec<D> widened(D d, const T* from) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
  }
}

template <class T>
HWY_INLINE void widen(const T* from, std::size_t count, double* HWY_RESTRICT to) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = 0;
  for (; j + lanes <= count; j += lanes) hn::Store(widened(d, from + j), d, to + j);
  for (; j < count; ++j) to[j] = static_cast<double>(from[j]);
}

// One column: out[r] += Σ_j values[r][j] V[j]. Rows beyond the last are that one again.
template <class T>
HWY_INLINE void multiply_column(const T* const* values, std::size_t rows, std::size_t columns,
                                const double* V, double* out) {
  const hn::ScalableTag<double> d;
  using W = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const T* at[rows_at_once];
  W sum[rows_at_once][2];
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < rows_at_once; ++r) {
    at[r] = values[HWY_MIN(r, rows - 1)];
    sum[r][0] = sum[r][1] = hn::Zero(d);
  }
  std::size_t j = 0;
  for (; j + 2 * lanes <= columns; j += 2 * lanes) {
    const W first = hn::LoadU(d, V + j);
    const W second = hn::LoadU(d, V + j + lanes);
    HWY_UNROLL(4)
    for (std::size_t r = 0; r < rows_at_once; ++r) {
      sum[r][0] = hn::MulAdd(widened(d, at[r] + j), first, sum[r][0]);
      sum[r][1] = hn::MulAdd(widened(d, at[r] + j + lanes), second, sum[r][1]);
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    double rest = 0;
    for (std::size_t i = j; i < columns; ++i) rest += static_cast<double>(at[r][i]) * V[i];
    out[r] += hn::GetLane(hn::SumOfLanes(d, hn::Add(sum[r][0], sum[r][1]))) + rest;
  }
}

// `vectors` of lanes next to each other of the columns of V.
template <std::size_t vectors>
HWY_INLINE void multiply_columns(const double (&wide)[rows_at_once][unit_columns], std::size_t rows,
                                 std::size_t columns, const double* V, std::size_t width,
                                 double* out) {
  const hn::ScalableTag<double> d;
  using W = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  W sum[rows_at_once][vectors];
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < rows_at_once; ++r) HWY_UNROLL(3)
  for (std::size_t v = 0; v < vectors; ++v)
    sum[r][v] = r < rows ? hn::Load(d, out + r * width + v * lanes) : hn::Zero(d);
  for (std::size_t j = 0; j < columns; ++j) {
    W b[vectors];
    HWY_UNROLL(3)
    for (std::size_t v = 0; v < vectors; ++v) b[v] = hn::Load(d, V + j * width + v * lanes);
    HWY_UNROLL(4)
    for (std::size_t r = 0; r < rows_at_once; ++r) {
      const W a = hn::Set(d, wide[r][j]);
      HWY_UNROLL(3)
      for (std::size_t v = 0; v < vectors; ++v) sum[r][v] = hn::MulAdd(a, b[v], sum[r][v]);
    }
  }
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < rows_at_once; ++r) HWY_UNROLL(3)
  for (std::size_t v = 0; v < vectors; ++v)
    if (r < rows) hn::Store(sum[r][v], d, out + r * width + v * lanes);
}

// See Engine::multiply. Each sum is of the same terms in the same order, however many rows there
// are.
template <class T>
HWY_NOINLINE void multiply_values(const T* const* values, std::size_t rows, std::size_t columns,
                                  const double* V, std::size_t width, double* out) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<double>());
  HWY_ALIGN double wide[rows_at_once][unit_columns] = {};
  for (std::size_t r = 0; r < rows; r += rows_at_once) {
    const std::size_t some = HWY_MIN(rows_at_once, rows - r);
    double* to = out + r * width;
    if (width == 1) {
      multiply_column(values + r, some, columns, V, to);
      continue;
    }
    for (std::size_t i = 0; i < some; ++i) widen(values[r + i], columns, wide[i]);
    std::size_t c = 0;
    for (; c + 3 * lanes <= width; c += 3 * lanes)
      multiply_columns<3>(wide, some, columns, V + c, width, to + c);
    for (; c < width; c += lanes) multiply_columns<1>(wide, some, columns, V + c, width, to + c);
  }
}

// `vectors` of lanes next to each other of the columns of the transposed product: out[j*width + …]
// for all j.
template <std::size_t vectors>
HWY_INLINE void multiply_back_columns(const double (&wide)[rows_at_once][unit_columns],
                                      std::size_t columns, const double* T_values, std::size_t rows,
                                      std::size_t width, double* out) {
  const hn::ScalableTag<double> d;
  using W = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  W t[rows_at_once][vectors];
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < rows_at_once; ++r) HWY_UNROLL(3)
  for (std::size_t v = 0; v < vectors; ++v)
    t[r][v] = r < rows ? hn::Load(d, T_values + r * width + v * lanes) : hn::Zero(d);
  for (std::size_t j = 0; j < columns; ++j) {
    HWY_UNROLL(3)
    for (std::size_t v = 0; v < vectors; ++v) {
      W sum = hn::Load(d, out + j * width + v * lanes);
      HWY_UNROLL(4)
      for (std::size_t r = 0; r < rows_at_once; ++r)
        sum = hn::MulAdd(hn::Set(d, wide[r][j]), t[r][v], sum);
      hn::Store(sum, d, out + j * width + v * lanes);
    }
  }
}

// See Engine::multiply_back. Each sum is of the rows in their order.
template <class T>
HWY_NOINLINE void multiply_values_back(const T* const* values, std::size_t rows,
                                       std::size_t columns, const double* T_values,
                                       std::size_t width, double* out) {
  const hn::ScalableTag<double> d;
  using W = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN double wide[rows_at_once][unit_columns] = {};
  for (std::size_t r = 0; r < rows; r += rows_at_once) {
    const std::size_t some = HWY_MIN(rows_at_once, rows - r);
    const double* from = T_values + r * width;
    if (width == 1) {
      W t[rows_at_once];
      const T* at[rows_at_once];
      HWY_UNROLL(4)
      for (std::size_t i = 0; i < rows_at_once; ++i) {
        t[i] = hn::Set(d, i < some ? from[i] : 0.0);
        at[i] = values[r + HWY_MIN(i, some - 1)];
      }
      std::size_t j = 0;
      for (; j + lanes <= columns; j += lanes) {
        W sum = hn::LoadU(d, out + j);
        HWY_UNROLL(4)
        for (std::size_t i = 0; i < rows_at_once; ++i)
          sum = hn::MulAdd(widened(d, at[i] + j), t[i], sum);
        hn::StoreU(sum, d, out + j);
      }
      for (; j < columns; ++j)
        for (std::size_t i = 0; i < some; ++i) out[j] += static_cast<double>(at[i][j]) * from[i];
      continue;
    }
    for (std::size_t i = 0; i < rows_at_once; ++i) {
      if (i < some) {
        widen(values[r + i], columns, wide[i]);
      } else {
        std::fill_n(wide[i], unit_columns, 0.0);
      }
    }
    std::size_t c = 0;
    for (; c + 3 * lanes <= width; c += 3 * lanes)
      multiply_back_columns<3>(wide, columns, from + c, some, width, out + c);
    for (; c < width; c += lanes)
      multiply_back_columns<1>(wide, columns, from + c, some, width, out + c);
  }
}

// To memory that is not read soon: whole lines go past the caches, and need not be read first.
template <class T>
HWY_NOINLINE void store_far(const T* from, std::size_t count, T* to) {
  const Tag<T> d;
  constexpr std::size_t lanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t line = cache_line / sizeof(T);
  const std::size_t before = (reinterpret_cast<std::uintptr_t>(to) % cache_line) / sizeof(T);
  std::size_t j = HWY_MIN(before == 0 ? 0 : line - before, count);
  std::copy_n(from, j, to);
  for (; j + line <= count; j += line)
    for (std::size_t i = j; i < j + line; i += lanes) hn::Stream(hn::LoadU(d, from + i), d, to + i);
  std::copy_n(from + j, count - j, to + j);
}

inline void flush() { hwy::FlushStream(); }

#if HWY_TARGET != HWY_SCALAR
// Blocks of 128 bits, each to a row of its own, `apart` from the one before.
template <class D, class V>
HWY_INLINE void store_blocks(D d, V v, hn::TFromD<D>* to, std::size_t apart) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  if constexpr (lanes * sizeof(hn::TFromD<D>) <= 16) {
    hn::StoreU(v, d, to);
  } else {
    const hn::Half<D> half;
    store_blocks(half, hn::LowerHalf(half, v), to, apart);
    store_blocks(half, hn::UpperHalf(half, v), to + lanes / 2 * apart, apart);
  }
}

#endif

// See Engine::transpose. Squares of 128 bits a side, in registers.
template <class T>
HWY_NOINLINE void transpose(const T* from, std::size_t rows, T* to, std::size_t stride) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < unit_columns; ++c) to[c * stride + r] = from[r * unit_columns + c];
#else
  const Tag<T> d;
  using V = hn::Vec<Tag<T>>;
  constexpr std::size_t lanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t side = 16 / sizeof(T);
  std::size_t r = 0;
  for (; r + side <= rows; r += side)
    for (std::size_t c = 0; c < unit_columns; c += lanes) {
      const T* at = from + r * unit_columns + c;
      T* out = to + c * stride + r;
      if constexpr (side == 2) {
        const V a = hn::Load(d, at);
        const V b = hn::Load(d, at + unit_columns);
        // Column 2 b of block b, and column 2 b + 1.
        store_blocks(d, hn::InterleaveLower(d, a, b), out, stride);
        store_blocks(d, hn::InterleaveUpper(d, a, b), out + stride, stride);
      } else {
        const hn::Repartition<double, Tag<T>> pairs;
        const V a0 = hn::Load(d, at);
        const V a1 = hn::Load(d, at + unit_columns);
        const V a2 = hn::Load(d, at + 2 * unit_columns);
        const V a3 = hn::Load(d, at + 3 * unit_columns);
        const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, a0, a1));
        const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, a2, a3));
        const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, a0, a1));
        const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, a2, a3));
        store_blocks(d, hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), out, stride);
        store_blocks(d, hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), out + stride,
                     stride);
        store_blocks(d, hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)),
                     out + 2 * stride, stride);
        store_blocks(d, hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)),
                     out + 3 * stride, stride);
      }
    }
  for (; r < rows; ++r)
    for (std::size_t c = 0; c < unit_columns; ++c) to[c * stride + r] = from[r * unit_columns + c];
#endif
}

template <class T>
Engine<T> make_engine() {
  return {.name = hwy::TargetName(HWY_TARGET),
          .panel = panel_width<T>,
          .run = run_plan<T>,
          .squared_norm = squared_norm<T>,
          .width = hn::Lanes(hn::ScalableTag<double>()),
          .multiply = multiply_values<T>,
          .multiply_back = multiply_values_back<T>,
          .store_far = store_far<T>,
          .transpose = transpose<T>,
          .flush = flush};
}

// NOLINTEND(modernize-avoid-c-arrays,modernize-loop-convert)

}  // namespace mercer::gram::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
