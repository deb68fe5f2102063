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
    for (std::size_t i = 0; i < size(); i += 2 * lanes) {
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
    for (std::size_t i = 0; i < size(); i += run_of * lanes) HWY_UNROLL(4)
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
    for (std::size_t r = 0; r < tile_.rows; ++r) {
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
    for (std::size_t c = 0; c < unit_columns; c += run_of * lanes) {
      V v[run_of];
      HWY_UNROLL(4)
      for (std::size_t j = 0; j < run_of; ++j) v[j] = hn::LoadU(d, values + c + j * lanes);
      for (std::size_t i = c; i < size(); i += unit_columns) HWY_UNROLL(4)
      for (std::size_t j = 0; j < run_of; ++j)
        hn::Store(f(hn::Load(d, a + i + j * lanes), v[j]), d, to + i + j * lanes);
    }
  }

  HWY_NOINLINE void distance(const Step& s) const {
    const T* a = at(s.a);
    T* to = at(s.to);
    const T* x = tile_.row_values[s.n];
    const T* z = tile_.column_values[s.n];
    const D d;
    const V minus_two = set(-2);
    for (std::size_t r = 0; r < tile_.rows; ++r) {
      const V row = hn::Set(d, x[r]);
      for (std::size_t c = 0; c < unit_columns; c += lanes) {
        const V norms = hn::Add(row, hn::LoadU(d, z + c));
        const V v = hn::MulAdd(minus_two, hn::Load(d, a + r * unit_columns + c), norms);
        hn::Store(hn::Max(v, hn::Zero(d)), d, to + r * unit_columns + c);
      }
    }
  }

  // exp(p a + q) = 2^(p' a + q'): the logarithm goes into the constants.
  HWY_NOINLINE void exponential_of(const Step& s) {
    const V p = set(s.p * log2_e);
    const V q = set(s.q * log2_e);
    const T* HWY_RESTRICT a = at(s.a);
    T* to = at(s.to);
    const D d;
    V zero[vectors_at_once];
    clear(zero);
    for (std::size_t i = 0; i < size(); i += vectors_at_once * lanes) {
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

  // exp(p |x-z|² + q) from x·z in one pass: the heart of rbf. The values are those of the two steps
  // one after the other.
  HWY_NOINLINE void exponential_of_distance(const Step& distance, const Step& exponent) {
    const T* HWY_RESTRICT a = at(distance.a);
    T* to = at(exponent.to);
    const T* x = tile_.row_values[distance.n];
    const T* HWY_RESTRICT z = tile_.column_values[distance.n];
    const D d;
    const V minus_two = set(-2);
    const V p = set(exponent.p * log2_e);
    const V q = set(exponent.q * log2_e);
    V zero[vectors_at_once];
    clear(zero);
    for (std::size_t r = 0; r < tile_.rows; ++r) {
      const V row = hn::Set(d, x[r]);
      const std::size_t begin = r * unit_columns;
      for (std::size_t c = 0; c < unit_columns; c += vectors_at_once * lanes) {
        V v[vectors_at_once];
        HWY_UNROLL(4)
        for (std::size_t j = 0; j < vectors_at_once; ++j) {
          const V norms = hn::Add(row, hn::LoadU(d, z + c + j * lanes));
          v[j] = hn::MulAdd(minus_two, hn::Load(d, a + begin + c + j * lanes), norms);
        }
        HWY_UNROLL(4)
        for (std::size_t j = 0; j < vectors_at_once; ++j)
          v[j] = hn::MulAdd(p, hn::Max(hn::Zero(d), v[j]), q);
        powers_of_two(d, v);
        HWY_UNROLL(4)
        for (std::size_t j = 0; j < vectors_at_once; ++j) {
          zero[j] = hn::MulAdd(v[j], hn::Zero(d), zero[j]);
          hn::Store(v[j], d, to + begin + c + j * lanes);
        }
      }
    }
    check(zero);
  }

  void run(const std::vector<Step>& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& s = steps[i];
      // Overwritten at once, so nobody else wants the distance.
      const bool both = s.code == Code::distance && i + 1 < steps.size() &&
                        steps[i + 1].code == Code::exponential && steps[i + 1].a == s.to &&
                        steps[i + 1].to == s.to;
      if (both) {
        exponential_of_distance(s, steps[++i]);
      } else {
        step(s);
      }
    }
  }

  void step(const Step& s) {
    switch (s.code) {
      case Code::reduction:
        return reduce<T>(plan_.reductions[s.n], tile_, at(s.to));
      case Code::distance:
        return distance(s);
      case Code::fill:
        std::fill_n(at(s.to), size(), static_cast<T>(s.p));
        return;
      case Code::load_row:
        for (std::size_t r = 0; r < tile_.rows; ++r)
          std::fill_n(at(s.to) + r * unit_columns, unit_columns, tile_.row_values[s.n][r]);
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
      case Code::multiply:
        return each_pair(s, [](V a, V b) HWY_ATTR { return hn::Mul(a, b); });
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
      std::fill_n(at(s.to) + r * unit_columns, unit_columns, source.rows[r][turn.k]);
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
    for (const auto r : loop.own) std::fill_n(at(r), size(), start);
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
    switch (loop.kind) {
      case Loop::Kind::sum:
        for (std::size_t i = 0; i < size(); i += lanes)
          hn::Store(hn::Add(hn::Load(d, total + i), hn::Load(d, v + i)), d, total + i);
        return;
      case Loop::Kind::product:
        for (std::size_t i = 0; i < size(); i += lanes)
          hn::Store(hn::Mul(hn::Load(d, total + i), hn::Load(d, v + i)), d, total + i);
        return;
      case Loop::Kind::symmetric:
        for (std::size_t j = loop.own.size(); j-- > 0;) {
          T* sums = at(loop.own[j]);
          const T* fewer = j > 0 ? at(loop.own[j - 1]) : nullptr;
          for (std::size_t i = 0; i < size(); i += lanes) {
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

template <class T>
HWY_INLINE void widen(const T* from, std::size_t count, double* HWY_RESTRICT to) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    if constexpr (sizeof(T) == sizeof(double)) {
      hn::Store(hn::LoadU(d, from + j), d, to + j);
    } else {
      hn::Store(hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, decltype(d)>(), from + j)), d, to + j);
    }
  }
  for (; j < count; ++j) to[j] = static_cast<double>(from[j]);
}

// One column: out[r] += Σ_j wide[r][j] V[j].
HWY_INLINE void multiply_column(const double (&wide)[rows_at_once][unit_columns], std::size_t rows,
                                std::size_t columns, const double* V, double* out) {
  const hn::ScalableTag<double> d;
  using W = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  W sum[rows_at_once][2];
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < rows_at_once; ++r) sum[r][0] = sum[r][1] = hn::Zero(d);
  std::size_t j = 0;
  for (; j + 2 * lanes <= columns; j += 2 * lanes) {
    const W first = hn::LoadU(d, V + j);
    const W second = hn::LoadU(d, V + j + lanes);
    HWY_UNROLL(4)
    for (std::size_t r = 0; r < rows_at_once; ++r) {
      sum[r][0] = hn::MulAdd(hn::Load(d, wide[r] + j), first, sum[r][0]);
      sum[r][1] = hn::MulAdd(hn::Load(d, wide[r] + j + lanes), second, sum[r][1]);
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    double rest = 0;
    for (std::size_t i = j; i < columns; ++i) rest += wide[r][i] * V[i];
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
    for (std::size_t i = 0; i < some; ++i) widen(values[r + i], columns, wide[i]);
    double* to = out + r * width;
    if (width == 1) {
      multiply_column(wide, some, columns, V, to);
      continue;
    }
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
    for (std::size_t i = 0; i < rows_at_once; ++i) {
      if (i < some) {
        widen(values[r + i], columns, wide[i]);
      } else {
        std::fill_n(wide[i], unit_columns, 0.0);
      }
    }
    const double* from = T_values + r * width;
    if (width == 1) {
      W t[rows_at_once];
      HWY_UNROLL(4)
      for (std::size_t i = 0; i < rows_at_once; ++i) t[i] = hn::Set(d, i < some ? from[i] : 0.0);
      std::size_t j = 0;
      for (; j + lanes <= columns; j += lanes) {
        W sum = hn::LoadU(d, out + j);
        HWY_UNROLL(4)
        for (std::size_t i = 0; i < rows_at_once; ++i)
          sum = hn::MulAdd(hn::Load(d, wide[i] + j), t[i], sum);
        hn::StoreU(sum, d, out + j);
      }
      for (; j < columns; ++j)
        for (std::size_t i = 0; i < some; ++i) out[j] += wide[i][j] * from[i];
      continue;
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
          .flush = flush};
}

// NOLINTEND(modernize-avoid-c-arrays,modernize-loop-convert)

}  // namespace mercer::gram::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
