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
    const bool looked =
        plan_.results.size() == 1 && !plan_.steps.empty() &&
        (plan_.steps.back().code == Code::exponential || plan_.steps.back().code == Code::gaussian);
    if (!looked)
      for (const auto r : plan_.results) look_for_undefined(at(r));
  }

 private:
  using D = Tag<T>;
  using V = hn::Vec<D>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());

  T* at(std::uint16_t r) const { return tile_.memory + r * unit_size; }
  [[nodiscard]] std::size_t size() const { return tile_.rows * tile_.length; }
  static HWY_INLINE V set(double v) { return hn::Set(D(), static_cast<T>(v)); }

  static constexpr std::size_t run_of = unit_columns / lanes < 4 ? unit_columns / lanes : 4;

  // ---- passes
  //
  // A pass waits for its stores, one in a cycle: a scale that comes next, in the same place, and a
  // look at what is stored are cheaper in it than in passes of their own.

  // f(i) for all vectors i of the tile.
  template <class F>
  HWY_INLINE void pass(T* to, const F& f) {
    const std::size_t n = size();  // what is stored might, for all the compiler knows, change it
    if (!more_) {
      for (std::size_t i = 0; i < n; i += run_of * lanes) HWY_UNROLL(4)
      for (std::size_t j = i; j < i + run_of * lanes; j += lanes) hn::Store(f(j), D(), to + j);
      return;
    }
    const V p = set(factor_);
    const V q = set(summand_);
    V bad = hn::Zero(D());
    for (std::size_t i = 0; i < n; i += run_of * lanes) HWY_UNROLL(4)
    for (std::size_t j = i; j < i + run_of * lanes; j += lanes)
      bad = put(hn::MulAdd(p, f(j), q), to + j, bad);
    saw(bad, to);
  }

  // v - v is 0 for every finite number, and none for others.
  static HWY_INLINE V put(V v, T* to, V bad) {
    hn::Store(v, D(), to);
    return hn::Or(bad, hn::Sub(v, v));
  }

  // What was stored there has been looked at.
  HWY_INLINE void saw(V bad, const T* to) {
    hn::Store(bad, D(), seen_);
    seen_at_ = to;
  }

  // For functions that take longer than the stores: nothing else is done along.
  template <class F>
  HWY_INLINE void each_slow(const Step& s, const F& f) const {
    const T* HWY_RESTRICT a = at(s.a);
    T* to = at(s.to);
    const D d;
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; i += 2 * lanes) {
      const V first = f(hn::Load(d, a + i));
      const V second = f(hn::Load(d, a + i + lanes));
      hn::Store(first, d, to + i);
      hn::Store(second, d, to + i + lanes);
    }
  }

  template <class F>
  HWY_INLINE void each(const Step& s, const F& f) {
    const T* a = at(s.a);
    pass(at(s.to), [&](std::size_t i) HWY_ATTR { return f(hn::Load(D(), a + i)); });
  }

  template <class F>
  HWY_INLINE void each_pair(const Step& s, const F& f) {
    const T* a = at(s.a);
    const T* b = at(s.b);
    pass(at(s.to),
         [&](std::size_t i) HWY_ATTR { return f(hn::Load(D(), a + i), hn::Load(D(), b + i)); });
  }

  // f(a, b, c) with c from another register
  template <class F>
  HWY_INLINE void each_three(const Step& s, const T* c, const F& f) {
    const T* a = at(s.a);
    const T* b = at(s.b);
    pass(at(s.to), [&](std::size_t i) HWY_ATTR {
      return f(hn::Load(D(), a + i), hn::Load(D(), b + i), hn::Load(D(), c + i));
    });
  }

  // f(element, f_n(x) of its row, f_n(z) of its column)
  template <class F>
  HWY_INLINE void with_both(const Step& s, const F& f) {
    const T* a = at(s.a);
    T* to = at(s.to);
    const T* x = tile_.row_values[s.n];
    const T* z = tile_.column_values[s.n];
    const D d;
    const std::size_t rows = tile_.rows;
    const std::size_t length = tile_.length;
    const V p = set(factor_);
    const V q = set(summand_);
    V bad = hn::Zero(d);
    for (std::size_t r = 0; r < rows; ++r) {
      const V row = hn::Set(d, x[r]);
      for (std::size_t part = 0; part < length; part += unit_columns) {
        const std::size_t begin = r * length + part;
        const auto value = [&](std::size_t c) HWY_ATTR {
          return f(hn::Load(d, a + begin + c), row, hn::LoadU(d, z + part + c));
        };
        if (more_) {
          HWY_UNROLL(4)
          for (std::size_t c = 0; c < unit_columns; c += lanes)
            bad = put(hn::MulAdd(p, value(c), q), to + begin + c, bad);
        } else {
          HWY_UNROLL(4)
          for (std::size_t c = 0; c < unit_columns; c += lanes)
            hn::Store(value(c), d, to + begin + c);
        }
      }
    }
    if (more_) saw(bad, to);
  }

  // f(element, f_n(x) of its row)
  template <class F>
  HWY_INLINE void with_row(const Step& s, const F& f) {
    with_both(s, [&](V a, V x, V) HWY_ATTR { return f(a, x); });
  }

  template <class F>
  HWY_INLINE void with_column(const Step& s, const F& f) {
    with_both(s, [&](V a, V, V z) HWY_ATTR { return f(a, z); });
  }

  // Whole vectors; std::fill_n goes number by number.
  static HWY_INLINE void fill(T* to, std::size_t count, T value) {
    const D d;
    const V v = hn::Set(d, value);
    for (std::size_t i = 0; i < count; i += run_of * lanes) HWY_UNROLL(4)
    for (std::size_t j = i; j < i + run_of * lanes; j += lanes) hn::Store(v, d, to + j);
  }

  HWY_NOINLINE void distance(const Step& s) {
    with_both(s, [](V a, V x, V z) HWY_ATTR { return Distance()(D(), a, x, z); });
  }

  // `bounded`: by the range of powers, or not a number. `looked`: for what is none.
  template <bool bounded, bool looked>
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
      if constexpr (bounded) {
        HWY_UNROLL(4)
        for (std::size_t j = 0; j < vectors_at_once; ++j) v[j] = held_above(d, v[j]);
        powers_in_range(d, v);
      } else {
        powers_of_two(d, v);
      }
      HWY_UNROLL(4)
      for (std::size_t j = 0; j < vectors_at_once; ++j) {
        if constexpr (looked) zero[j] = hn::MulAdd(v[j], hn::Zero(d), zero[j]);
        hn::Store(v[j], d, to + i + j * lanes);
      }
    }
    if constexpr (looked) check(zero);
  }

  HWY_NOINLINE void gaussian(const Step& s) {
    with_both(s, [](V a, V x, V z) HWY_ATTR {
      const V square = hn::Sub(a, hn::Add(x, z));
      // What is no number would come out as one.
      const V bad = hn::Mul(square, hn::Zero(D()));
      V v[1] = {held_above(D(), hn::Min(square, hn::Zero(D())))};
      powers_in_range(D(), v);
      return hn::Add(v[0], bad);
    });
    look_for_undefined(at(s.to));
  }

  // Several steps in one pass, with the values that they would have one after the other: a sum and
  // what is made of it in place, so that nobody else wants what is between. How many steps these
  // were, 0 for none.
  std::size_t run_together(std::span<const Step> steps) {
    if (steps[0].code == Code::square_root) return run_root(steps);
    if (steps[0].code != Code::reduction) {
      if (run_power_of_factor(steps)) return 3;
      return steps.size() > 1 && run_pair(steps[0], steps[1]) ? 2 : 0;
    }
    const Reduction& reduction = plan_.reductions[steps[0].n];
    T* to = at(steps[0].to);
    const auto in_place = [&](std::size_t i, Code code) {
      return i < steps.size() && steps[i].code == code && steps[i].a == steps[0].to &&
             steps[i].to == steps[0].to;
    };
    if (reduction.kind == Reduce::dot) {
      if (in_place(1, Code::gaussian) && finite_norms(steps[1].n)) {
        const Gaussian<T> finish{tile_.row_values[steps[1].n], tile_.column_values[steps[1].n]};
        reduce_and_finish<T>(Dot(), reduction, tile_, wanted(steps, 2), finish, to);
        return 2;
      }
      if (in_place(1, Code::distance) && in_place(2, Code::exponential) && bounded(steps[2]) &&
          finite_norms(steps[1].n)) {
        const GaussianOfDot<T> finish{tile_.row_values[steps[1].n], tile_.column_values[steps[1].n],
                                      exponent(steps[2].p), exponent(steps[2].q)};
        reduce_and_finish<T>(Dot(), reduction, tile_, wanted(steps, 3), finish, to);
        return 3;
      }
      const bool whole = tile_.length == unit_columns;
      if (whole && steps.size() > 1 && steps[1].code == Code::distance &&
          steps[1].a == steps[0].to && steps[1].to != steps[0].to) {
        const std::uint32_t n = steps[1].n;
        const DistanceBeside<T> finish{tile_.row_values[n], tile_.column_values[n],
                                       at(steps[1].to)};
        reduce_and_finish<T>(Dot(), reduction, tile_, unit_columns, finish, to);
        return 2;
      }
      if (whole && steps.size() > 2 && steps[1].code == Code::add_both &&
          steps[1].a == steps[0].to && steps[1].to != steps[0].to && in_place(2, Code::distance)) {
        const std::uint32_t f = steps[1].n;
        const std::uint32_t n = steps[2].n;
        const ProductBeside<T> finish{static_cast<T>(steps[1].p), tile_.row_values[f],
                                      tile_.column_values[f],     tile_.row_values[n],
                                      tile_.column_values[n],     at(steps[1].to)};
        reduce_and_finish<T>(Dot(), reduction, tile_, unit_columns, finish, to);
        return 3;
      }
      const bool scaled = in_place(1, Code::scale);
      const bool raised = in_place(scaled ? 2 : 1, Code::power);
      const T p = static_cast<T>(scaled ? steps[1].p : 1);
      const T q = static_cast<T>(scaled ? steps[1].q : 0);
      const std::uint32_t n = raised ? steps[scaled ? 2 : 1].n : 1;
      if (!scaled && !raised) return run_with_points(steps);
      if (n > 3) return 0;
      const auto power_of_sum = [&](const auto& finish) {
        reduce_and_finish<T>(Dot(), reduction, tile_, tile_.length, finish, to);
      };
      if (n == 1) power_of_sum(PowerOfSum<T, 1>{p, q});
      if (n == 2) power_of_sum(PowerOfSum<T, 2>{p, q});
      if (n == 3) power_of_sum(PowerOfSum<T, 3>{p, q});
      return std::size_t{1} + (scaled ? 1U : 0U) + (raised ? 1U : 0U);
    }
    // Sums of what is not negative may be too large, but are no less than numbers then.
    if (!plan_.sparse && in_place(1, Code::exponential) && bounded(steps[1])) {
      const ExponentialOfSum<T> finish{exponent(steps[1].p), exponent(steps[1].q)};
      if (reduction.kind == Reduce::absolute_difference) {
        reduce_and_finish<T>(AbsoluteDifference(), reduction, tile_, wanted(steps, 2), finish, to);
        return 2;
      }
      if (reduction.kind == Reduce::squared_difference) {
        reduce_and_finish<T>(SquaredDifference(), reduction, tile_, wanted(steps, 2), finish, to);
        return 2;
      }
    }
    return 0;
  }

  // Where so many steps are all there is to do, and nobody looks at their values any more, columns
  // that are not wanted need none.
  [[nodiscard]] std::size_t wanted(std::span<const Step> steps, std::size_t count) const {
    return steps.data() == plan_.steps.data() && steps.size() == count ? tile_.columns
                                                                       : tile_.length;
  }

  // A dot product with functions of the points, and perhaps a scale behind it.
  std::size_t run_with_points(std::span<const Step> steps) const {
    if (steps.size() < 2) return 0;
    const Step& s = steps[1];
    if (s.a != steps[0].to || s.to != steps[0].to) return 0;
    switch (s.code) {
      case Code::distance:
        return finish_with_points<Distance>(steps);
      case Code::multiply_both:
        return finish_with_points<TimesBoth>(steps);
      case Code::multiply_row:
        return finish_with_points<TimesRow>(steps);
      case Code::multiply_column:
        return finish_with_points<TimesColumn>(steps);
      default:
        return 0;
    }
  }

  template <class F>
  std::size_t finish_with_points(std::span<const Step> steps) const {
    const Step& s = steps[1];
    const bool scaled = steps.size() > 2 && is_scaled(s, steps[2]);
    const SumAndPoints<T, F> finish{tile_.row_values[s.n], tile_.column_values[s.n],
                                    static_cast<T>(scaled ? steps[2].p : 1),
                                    static_cast<T>(scaled ? steps[2].q : 0)};
    reduce_and_finish<T>(Dot(), plan_.reductions[steps[0].n], tile_, tile_.length, finish,
                         at(s.to));
    return scaled ? 3 : 2;
  }

  // A distance t = p √a + q, exp(-t), and perhaps (p' t + q') exp(-t): Matérn kernels. How many
  // steps that was, 0 for none.
  std::size_t run_root(std::span<const Step> steps) {
    const std::uint16_t root = steps[0].to;
    const auto next = [&](std::size_t i, Code code, std::uint16_t to) {
      return i < steps.size() && steps[i].code == code && steps[i].a == root && steps[i].to == to;
    };
    const bool scaled = next(1, Code::scale, root);
    const std::size_t i = scaled ? 2 : 1;
    if (i >= steps.size() || steps[i].to == root || !next(i, Code::exponential, steps[i].to) ||
        steps[i].n != 1 || !bounded(steps[i]))
      return 0;
    const Step from{.code = Code::square_root,
                    .to = root,
                    .a = steps[0].a,
                    .p = scaled ? steps[1].p : 1,
                    .q = scaled ? steps[1].q : 0};
    const std::uint16_t power = steps[i].to;
    const bool times = next(i + 1, Code::scale, root) && i + 2 < steps.size() &&
                       steps[i + 2].code == Code::multiply && steps[i + 2].to == root &&
                       std::minmax(steps[i + 2].a, steps[i + 2].b) == std::minmax(root, power);
    const bool looked = !steps[i].seen_later;
    if (times && looked) root_and_exponential<true, true>(from, steps[i], steps[i + 1]);
    if (times && !looked) root_and_exponential<true, false>(from, steps[i], steps[i + 1]);
    if (!times && looked) root_and_exponential<false, true>(from, steps[i], steps[i]);
    if (!times && !looked) root_and_exponential<false, false>(from, steps[i], steps[i]);
    return i + (times ? 3 : 1);
  }

  template <bool times, bool looked>
  HWY_NOINLINE void root_and_exponential(const Step& root, const Step& power, const Step& factor) {
    // More at a time would not leave registers for the constants.
    constexpr std::size_t at_once = 2;
    const D d;
    const T* from = at(root.a);
    T* roots = at(root.to);
    T* powers = at(power.to);
    const V p = set(root.p);
    const V q = set(root.q);
    const V by = hn::Set(d, exponent(power.p));
    const V plus = hn::Set(d, exponent(power.q));
    [[maybe_unused]] const V r = set(factor.p);
    [[maybe_unused]] const V s = set(factor.q);
    V zero[at_once];
    clear(zero);
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; i += at_once * lanes) {
      V t[at_once];
      V v[at_once];
      HWY_UNROLL(2)
      for (std::size_t j = 0; j < at_once; ++j) {
        t[j] = hn::MulAdd(p, square_root(d, hn::Load(d, from + i + j * lanes)), q);
        v[j] = held_above(d, hn::MulAdd(by, t[j], plus));
      }
      powers_in_range(d, v);
      HWY_UNROLL(2)
      for (std::size_t j = 0; j < at_once; ++j) {
        if constexpr (looked) zero[j] = hn::MulAdd(v[j], hn::Zero(d), zero[j]);
        hn::Store(v[j], d, powers + i + j * lanes);
        if constexpr (times) t[j] = hn::Mul(v[j], hn::MulAdd(r, t[j], s));
        hn::Store(t[j], d, roots + i + j * lanes);
      }
    }
    if constexpr (looked) check(zero);
  }

  // b (p a + q)^n, where nobody else wants the power.
  bool run_power_of_factor(std::span<const Step> steps) {
    if (steps.size() < 3 || steps[0].code != Code::scale || steps[1].code != Code::power ||
        steps[2].code != Code::multiply)
      return false;
    const std::uint16_t power = steps[0].to;
    const Step& times = steps[2];
    const bool first = times.a == power;
    if (steps[1].a != power || steps[1].to != power || first == (times.b == power) ||
        !(times.to == power || (first ? times.ends_a : times.ends_b)))
      return false;
    more_ = steps.data() + 3 == plan_.steps.data() + plan_.steps.size();
    const V p = set(steps[0].p);
    const V q = set(steps[0].q);
    const Step both{
        .code = times.code, .to = times.to, .a = first ? times.b : times.a, .b = steps[0].a};
    if (steps[1].n == 2) {
      each_pair(both, [&](V b, V a) HWY_ATTR {
        const V v = hn::MulAdd(p, a, q);
        return hn::Mul(b, hn::Mul(v, v));
      });
      return true;
    }
    if (steps[1].n == 3) {
      each_pair(both, [&](V b, V a) HWY_ATTR {
        const V v = hn::MulAdd(p, a, q);
        return hn::Mul(b, hn::Mul(v, hn::Mul(v, v)));
      });
      return true;
    }
    return false;
  }

  // Two steps that take a number or two to one, the second what the first made, in its place: the
  // way to memory and back takes longer than they do.
  HWY_NOINLINE bool run_pair(const Step& s, const Step& t) {
    if (t.to != s.to) return false;
    const V p = set(s.p);
    const V q = set(s.q);
    if (t.a == s.to) {
      if (s.code == Code::scale && t.code == Code::power && t.n <= 3) {
        if (t.n == 2)
          each(s, [&](V a) HWY_ATTR {
            const V v = hn::MulAdd(p, a, q);
            return hn::Mul(v, v);
          });
        if (t.n == 3)
          each(s, [&](V a) HWY_ATTR {
            const V v = hn::MulAdd(p, a, q);
            return hn::Mul(v, hn::Mul(v, v));
          });
        return true;
      }
      if (s.code == Code::scale && (t.code == Code::at_most || t.code == Code::at_least)) {
        const V bound = set(t.p);
        if (t.code == Code::at_most) {
          each(s, [&](V a) HWY_ATTR { return no_more(bound, hn::MulAdd(p, a, q)); });
        } else {
          each(s, [&](V a) HWY_ATTR { return no_less(bound, hn::MulAdd(p, a, q)); });
        }
        return true;
      }
      if (s.code == Code::add_scaled && t.code == Code::add_scaled && t.b != s.to) {
        const V r = set(t.p);
        each_three(s, at(t.b),
                   [&](V a, V b, V c) HWY_ATTR { return hn::MulAdd(r, c, hn::MulAdd(p, b, a)); });
        return true;
      }
    }
    if (s.code == Code::scale && t.code == Code::multiply && (t.a == s.to) != (t.b == s.to)) {
      const Step both{.code = t.code, .to = t.to, .a = t.a == s.to ? t.b : t.a, .b = s.a};
      each_pair(both, [&](V a, V b) HWY_ATTR { return hn::Mul(a, hn::MulAdd(p, b, q)); });
      return true;
    }
    if (s.code == Code::multiply && t.code == Code::add_scaled && t.b == s.to && t.a != s.to) {
      const V r = set(t.p);
      each_three(s, at(t.a),
                 [&](V a, V b, V c) HWY_ATTR { return hn::MulAdd(r, hn::Mul(a, b), c); });
      return true;
    }
    return false;
  }

  // exp(p a + q) = 2^(p' a + q'): the logarithm goes into the constants.
  static T exponent(double p) { return static_cast<T>(p * log2_e); }

  // Of what is not negative: all values are numbers, none of them above 2^127.
  static bool bounded(const Step& s) {
    return s.p < 0 && std::isfinite(exponent(s.p)) && s.q * log2_e <= 127;
  }

  // Norms of points far away may not be finite, and products of such points no numbers.
  HWY_INLINE bool finite_norms(std::uint32_t n) const {
    static_assert(unit_rows >= lanes);
    if (tile_.finite != nullptr && tile_.finite[n] != 0) return true;
    const D d;
    V zero = hn::Zero(d);
    for (std::size_t i = 0; i < tile_.length; i += lanes)
      zero = hn::MulAdd(hn::LoadU(d, tile_.column_values[n] + i), hn::Zero(d), zero);
    // All rows of the unit, some of them perhaps twice.
    for (std::size_t i = 0; i < unit_rows; i += lanes)
      zero = hn::MulAdd(hn::LoadU(d, tile_.row_values[n] + HWY_MIN(i, unit_rows - lanes)),
                        hn::Zero(d), zero);
    return hn::AllTrue(d, hn::Eq(zero, hn::Zero(d)));
  }

  void run(const std::vector<Step>& steps) {
    for (std::size_t i = 0; i < steps.size();) {
      const Step& s = steps[i];
      // Whether so many steps from here are the last ones: they make the result.
      const auto last = [&](std::size_t count) {
        return &steps == &plan_.steps && i + count == steps.size();
      };
      seen_at_ = nullptr;
      factor_ = 1;
      summand_ = 0;
      more_ = last(2);
      std::size_t done = run_together(std::span(steps).subspan(i));
      if (done == 0) {
        const bool scaled = i + 1 < steps.size() && is_scaled(s, steps[i + 1]);
        if (scaled) {
          factor_ = steps[i + 1].p;
          summand_ = steps[i + 1].q;
        }
        done = scaled ? 2 : 1;
        more_ = scaled || last(done) || s.code == Code::divide || s.code == Code::reciprocal;
        step(s);
      }
      i += done;
    }
  }

  // Whether the second one scales what the first makes, in its place, and can be done along.
  static bool is_scaled(const Step& s, const Step& t) {
    if (t.code != Code::scale || t.a != s.to || t.to != s.to) return false;
    switch (s.code) {
      case Code::distance:
      case Code::add:
      case Code::add_scaled:
      case Code::add_row:
      case Code::add_column:
      case Code::add_both:
      case Code::multiply:
      case Code::multiply_row:
      case Code::multiply_column:
      case Code::multiply_both:
      case Code::divide:
      case Code::power:
      case Code::reciprocal:
      case Code::square_root:
      case Code::at_most:
      case Code::at_least:
      case Code::minimum:
      case Code::maximum:
        return true;
      default:
        return false;
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
          fill(at(s.to) + r * tile_.length, tile_.length, tile_.row_values[s.n][r]);
        return;
      case Code::load_column:
        for (std::size_t r = 0; r < tile_.rows; ++r)
          std::copy_n(tile_.column_values[s.n], tile_.length, at(s.to) + r * tile_.length);
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
        return with_both(s, [](V a, V f, V g) HWY_ATTR { return TimesBoth()(D(), a, f, g); });
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
        if (n == 4)
          return each(s, [](V a) HWY_ATTR {
            const V square = hn::Mul(a, a);
            return hn::Mul(square, square);
          });
        if (n == 5)
          return each(s, [](V a) HWY_ATTR {
            const V square = hn::Mul(a, a);
            return hn::Mul(a, hn::Mul(square, square));
          });
        return each(s, [=](V a) HWY_ATTR { return whole_power(D(), a, n); });
      }
      case Code::reciprocal: {
        const V one = set(1);
        each(s, [&](V a) HWY_ATTR { return hn::Div(one, a); });
        return look_for_undefined(at(s.to));
      }
      case Code::square_root:
        return each(s, [](V a) HWY_ATTR { return square_root(D(), a); });
      case Code::raise:
        return raise(s);
      case Code::raise_to:
        return raise_to(s);
      case Code::exponential:
        if (s.n != 1 || !bounded(s)) return exponential_of<false, true>(s);
        if (s.seen_later) return exponential_of<true, false>(s);
        return exponential_of<true, true>(s);
      case Code::gaussian:
        return gaussian(s);
      default:
        return function(s);
    }
  }

  void function(const Step& s) {
    switch (s.code) {
      case Code::logarithm:
        each_slow(s, [](V a) HWY_ATTR { return logarithm_of(a); });
        return look_for_undefined(at(s.to));
      case Code::cosine:
        return each_slow(s, [](V a) HWY_ATTR { return cosine(D(), a); });
      case Code::sine:
        return each_slow(s, [](V a) HWY_ATTR { return sine(D(), a); });
      case Code::hyperbolic_cosine:
        return each_slow(s, [](V a) HWY_ATTR { return hyperbolic_cosine(D(), a); });
      case Code::hyperbolic_sine:
        return each_slow(s, [](V a) HWY_ATTR { return hyperbolic_sine_of(a); });
      case Code::hyperbolic_tangent:
        return each_slow(s, [](V a) HWY_ATTR { return hn::Tanh(D(), a); });
      case Code::arc_sine:
        each_slow(s, [](V a) HWY_ATTR { return arc_sine(D(), a); });
        return look_for_undefined(at(s.to));
      case Code::absolute:
        return each(s, [](V a) HWY_ATTR { return hn::Abs(a); });
      case Code::at_most: {
        const V p = set(s.p);
        return each(s, [&](V a) HWY_ATTR { return no_more(p, a); });
      }
      case Code::at_least: {
        const V p = set(s.p);
        return each(s, [&](V a) HWY_ATTR { return no_less(p, a); });
      }
      // With a - a, since a that is no number would not survive.
      case Code::minimum:
        return each_pair(s,
                         [](V a, V b) HWY_ATTR { return hn::Add(no_more(a, b), hn::Sub(a, a)); });
      case Code::maximum:
        return each_pair(s,
                         [](V a, V b) HWY_ATTR { return hn::Add(no_less(a, b), hn::Sub(a, a)); });
      case Code::chi:
        return each_pair(s, [](V a, V b) HWY_ATTR { return Chi()(D(), a, b, hn::Zero(D())); });
      case Code::matern:
        return matern(s);
      case Code::leaf:
        return (*tile_.leaf)(s.n, at(s.to));
      case Code::coordinate_x:
        return coordinate_x(s);
      case Code::coordinate_z:
        return coordinate_z(s);
      case Code::loop:
        return loop(s);
      default:
        std::abort();
    }
  }

  HWY_NOINLINE void matern(const Step& s) {
    const MaternTable& table = *plan_.tables[s.n];
    const MaternPieces<T>& pieces = table.template pieces<T>();
    if (!pieces.empty())
      return each_slow(s, [&](V t) HWY_ATTR { return matern_of(D(), pieces, table, t); });
    for (std::size_t i = 0; i < size(); ++i)
      at(s.to)[i] = static_cast<T>(table(static_cast<double>(at(s.a)[i])));
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
    return hn::IfThenElse(hn::Le(hn::Abs(a), limit), inside, beyond);
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
    each_slow(s, [&](V a) HWY_ATTR { return raised(a, p); });
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
      fill(at(s.to) + r * tile_.length, tile_.length, source.rows[r][turn.k]);
  }

  void coordinate_z(const Step& s) const {
    const Turn& turn = turns_[turns_.size() - 1 - s.n];
    const TileSource<T>& source = tile_.sources[turn.source];
    constexpr std::size_t width = panel_width<T>;
    for (std::size_t c = 0; c < tile_.length; c += width)
      std::copy_n(source.panels + c * source.length + turn.k * width, width, at(s.to) + c);
    for (std::size_t r = 1; r < tile_.rows; ++r)
      std::copy_n(at(s.to), tile_.length, at(s.to) + r * tile_.length);
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
    seen_at_ = nullptr;
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
    if (v == seen_at_) {
      if (!hn::AllTrue(d, hn::Eq(hn::Load(d, seen_), hn::Zero(d)))) tile_.undefined = true;
      return;
    }
    V zero[4];
    clear(zero);
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; i += 4 * lanes) {
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
  // What the pass does along: factor times the values plus summand, and look at them.
  bool more_ = false;
  double factor_ = 1;
  double summand_ = 0;
  const T* seen_at_ = nullptr;    // the register that the last pass stored and looked at
  HWY_ALIGN T seen_[lanes] = {};  // 0 if all in it is finite
};

template <class T>
void run_plan(const Plan& plan, Tile<T>& tile) {
  Machine<T>(plan, tile).run();
}

// NOLINTEND(modernize-avoid-c-arrays,modernize-loop-convert)

}  // namespace mercer::gram::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
