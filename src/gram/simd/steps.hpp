// The steps of a plan on a tile. Included once per instruction set: no include guard.
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
    for (std::size_t i = 0; i < size(); i += lanes)
      hn::Store(f(hn::Load(d, a + i), hn::Load(d, b + i)), d, to + i);
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
      for (std::size_t c = 0; c < unit_columns; c += lanes)
        hn::Store(f(hn::Load(d, a + r * unit_columns + c), v), d, to + r * unit_columns + c);
    }
  }

  template <class F>
  HWY_INLINE void with_column(const Step& s, const F& f) const {
    const T* a = at(s.a);
    T* to = at(s.to);
    const T* values = tile_.column_values[s.n];
    const D d;
    for (std::size_t c = 0; c < unit_columns; c += lanes) {
      const V v = hn::LoadU(d, values + c);
      for (std::size_t i = c; i < size(); i += unit_columns)
        hn::Store(f(hn::Load(d, a + i), v), d, to + i);
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

  HWY_NOINLINE void exponential_of(const Step& s) {
    const V p = set(s.p);
    const V q = set(s.q);
    const T* HWY_RESTRICT a = at(s.a);
    T* to = at(s.to);
    const D d;
    V zero = hn::Zero(d);  // see look_for_undefined
    for (std::size_t i = 0; i < size(); i += 4 * lanes) {
      V v[4];
      HWY_UNROLL(4)
      for (std::size_t j = 0; j < 4; ++j)
        v[j] = exponential(d, hn::MulAdd(p, hn::Load(d, a + i + j * lanes), q));
      HWY_UNROLL(4)
      for (std::size_t j = 0; j < 4; ++j) {
        zero = hn::Add(zero, hn::Sub(v[j], v[j]));
        hn::Store(v[j], d, to + i + j * lanes);
      }
    }
    if (!hn::AllTrue(d, hn::Eq(zero, hn::Zero(d)))) tile_.undefined = true;
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
    const V p = set(exponent.p);
    const V q = set(exponent.q);
    V zero = hn::Zero(d);  // see look_for_undefined
    for (std::size_t r = 0; r < tile_.rows; ++r) {
      const V row = hn::Set(d, x[r]);
      const std::size_t begin = r * unit_columns;
      for (std::size_t c = 0; c < unit_columns; c += 4 * lanes) {
        V v[4];
        HWY_UNROLL(4)
        for (std::size_t j = 0; j < 4; ++j) {
          const V norms = hn::Add(row, hn::LoadU(d, z + c + j * lanes));
          const V squared = hn::MulAdd(minus_two, hn::Load(d, a + begin + c + j * lanes), norms);
          v[j] = exponential(d, hn::MulAdd(p, hn::Max(squared, hn::Zero(d)), q));
        }
        HWY_UNROLL(4)
        for (std::size_t j = 0; j < 4; ++j) {
          zero = hn::Add(zero, hn::Sub(v[j], v[j]));
          hn::Store(v[j], d, to + begin + c + j * lanes);
        }
      }
    }
    if (!hn::AllTrue(d, hn::Eq(zero, hn::Zero(d)))) tile_.undefined = true;
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

  HWY_NOINLINE void look_for_undefined(const T* v) {
    const D d;
    V zero = hn::Zero(d);  // v - v is 0 for every finite number, and for no other
    for (std::size_t i = 0; i < size(); i += lanes) {
      const V a = hn::Load(d, v + i);
      zero = hn::Add(zero, hn::Sub(a, a));
    }
    if (!hn::AllTrue(d, hn::Eq(zero, hn::Zero(d)))) tile_.undefined = true;
  }

  const Plan& plan_;
  Tile<T>& tile_;
  std::vector<Turn> turns_;
};

template <class T>
void run_plan(const Plan& plan, Tile<T>& tile) {
  Machine<T>(plan, tile).run();
}

// out += values * V, in double: rows of the tile times columns of V.
template <class T>
HWY_NOINLINE void multiply_values(const T* values, std::size_t stride, std::size_t rows,
                                  std::size_t columns, const double* V, std::size_t width,
                                  double* out) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN double wide[unit_columns];
  for (std::size_t r = 0; r < rows; ++r) {
    const T* row = values + r * stride;
    double* to = out + r * width;
    for (std::size_t j = 0; j < columns; ++j) wide[j] = static_cast<double>(row[j]);
    if (width == 1) {
      std::fill(wide + columns, wide + unit_columns, 0.0);
      auto first = hn::Zero(d);
      auto second = hn::Zero(d);
      std::size_t j = 0;
      for (; j + 2 * lanes <= columns; j += 2 * lanes) {
        first = hn::MulAdd(hn::Load(d, wide + j), hn::LoadU(d, V + j), first);
        second = hn::MulAdd(hn::Load(d, wide + j + lanes), hn::LoadU(d, V + j + lanes), second);
      }
      double rest = 0;
      for (; j < columns; ++j) rest += wide[j] * V[j];
      *to += hn::GetLane(hn::SumOfLanes(d, hn::Add(first, second))) + rest;
      continue;
    }
    for (std::size_t j = 0; j < columns; ++j) {
      const auto v = hn::Set(d, wide[j]);
      const double* from = V + j * width;
      std::size_t c = 0;
      for (; c + lanes <= width; c += lanes)
        hn::StoreU(hn::MulAdd(v, hn::LoadU(d, from + c), hn::LoadU(d, to + c)), d, to + c);
      for (; c < width; ++c) to[c] += wide[j] * from[c];
    }
  }
}

template <class T>
Engine<T> make_engine() {
  return {.name = hwy::TargetName(HWY_TARGET),
          .panel = panel_width<T>,
          .run = run_plan<T>,
          .squared_norm = squared_norm<T>,
          .multiply = multiply_values<T>};
}

// NOLINTEND(modernize-avoid-c-arrays,modernize-loop-convert)

}  // namespace mercer::gram::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
