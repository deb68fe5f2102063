#include "kernel/defined.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/domain_body.hpp"
#include "kernel/form.hpp"
#include "kernel/interval.hpp"
#include "kernel/print.hpp"
#include "kernel/transform.hpp"

namespace mercer::algebra {

namespace {

class Ranges {
 public:
  explicit Ranges(const Domain& domain) {
    const auto bounds = domain.bounds();
    coordinate_ = {bounds.low, bounds.high, bounds.low_open, bounds.high_open};
    widen(domain.body());
    if (domain.kind() == Domain::Kind::ball || domain.kind() == Domain::Kind::sphere)
      radius_ = coordinate_.high;
    on_sphere_ = domain.kind() == Domain::Kind::sphere;
  }

  Interval range(const Expr& e) {
    switch (e->op) {
      case Op::number:
        return around(e->value, e->number);
      case Op::pi:
        return {3.14, 3.15, false, false};
      case Op::coordinate:
        return coordinate_;
      case Op::sum: {
        Interval total = around(e->value, e->number);
        for (std::size_t i = 0; i < e->args.size(); ++i)
          total = total + around(e->weights[i], e->coefficients[i]) * range(e->args[i]);
        return total;
      }
      case Op::product: {
        Interval total = exactly(1);
        for (const auto& arg : e->args) total = total * range(arg);
        return known_sign(*e, total);
      }
      case Op::power:
        return power(e);
      case Op::function:
        return function(e);
      case Op::minimum:
      case Op::maximum:
        return extremum(*e);
      case Op::sum_over:
      case Op::product_over:
      case Op::symmetric_over:
        return reduction(*e);
      case Op::normalize: {
        range(e->args[0]);
        const Expr squared_norm = diagonal(e->args[0]);
        require(range(squared_norm).nonnegative() || squared_norm->nonnegative, squared_norm,
                Requirement::Kind::nonnegative);
        // By Cauchy-Schwarz, for a kernel.
        return kernel_here(e->args[0]) ? Interval{-1, 1, false, false} : Interval{};
      }
      case Op::chi:
        return chi(e);
      case Op::matern:
        require(range(e->args[0]).nonnegative(), e->args[0], Requirement::Kind::nonnegative);
        return {0, 1, true, false};
      case Op::user:
      case Op::precomputed:
      case Op::open_call:
        return {};
    }
    return {};
  }

  [[nodiscard]] std::vector<Requirement> requirements() && { return std::move(requirements_); }

 private:
  // Ends that are not doubles were rounded to the nearest: outwards instead.
  void widen(const Domain::Body& body) {
    const auto beyond = [](double v, const Rational& exact) {
      return std::isfinite(v) && Rational::exactly(v) != exact;
    };
    const auto lower = [&](const Rational& low) {
      if (beyond(coordinate_.low, low))
        coordinate_.low = std::nextafter(coordinate_.low, -Interval::infinity);
    };
    const auto upper = [&](const Rational& high) {
      if (beyond(coordinate_.high, high))
        coordinate_.high = std::nextafter(coordinate_.high, Interval::infinity);
    };
    switch (body.kind) {
      case Domain::Kind::interval:
        if (body.low) lower(*body.low);
        if (body.high) upper(*body.high);
        break;
      case Domain::Kind::finite:
        lower(body.values.front());
        upper(body.values.back());
        break;
      case Domain::Kind::ball:
        lower(-body.radius);
        upper(body.radius);
        break;
      default:
        break;
    }
  }

  // A minimum is one of numbers that are not negative.
  [[nodiscard]] bool kernel_here(const Expr& e) const {
    return kernel_by_form(e) && (coordinate_.nonnegative() || !has_minimum(e));
  }

  static bool has_minimum(const Expr& e) {
    return e->op == Op::minimum || std::ranges::any_of(e->args, has_minimum);
  }

  void require(bool holds, const Expr& what, Requirement::Kind kind) {
    if (holds) return;
    const auto same = [&](const Requirement& r) { return r.kind == kind && equal(r.part, what); };
    if (std::ranges::none_of(requirements_, same)) requirements_.push_back({what, kind});
  }

  // What the expression's form says of its sign, where intervals lose it (x*x is >= 0).
  static Interval known_sign(const Node& n, Interval i) {
    if (n.nonnegative && i.low < 0) {
      i.low = 0;
      i.low_open = n.positive;
    }
    return i;
  }

  Interval power(const Expr& e) {
    const Expr& base = e->args[0];
    const Interval b = range(base);
    if (!is_number(e->args[1])) {
      range(e->args[1]);
      require(b.positive() || base->positive, base, Requirement::Kind::positive);
      return {0, Interval::infinity, true, true};
    }
    const Rational& r = e->args[1]->number;
    const bool down = r.sign() < 0;
    if (!r.is_integer()) {
      if (down) {
        require(b.positive() || base->positive, base, Requirement::Kind::positive);
      } else {
        require(b.nonnegative() || base->nonnegative, base, Requirement::Kind::nonnegative);
      }
      Interval safe = b;
      if (safe.low < 0) safe = {0, std::max(0.0, b.high), base->positive, b.high_open};
      return raised(safe, r);
    }
    if (down) require(b.nonzero() || base->positive, base, Requirement::Kind::nonzero);
    if (r.is_even()) return raised(magnitude(b), r);
    if (b.low >= 0) return raised(b, r);
    if (b.high <= 0) return -raised(-b, r);
    if (down) return {};
    return raised(b, r);
  }

  static Interval at_least_1(Interval i) {
    i.low = std::max(i.low, 1.0);
    return i;
  }

  // Without the ends themselves.
  static Interval within_1(Interval i) {
    i.low_open = i.low_open || i.low <= -1;
    i.high_open = i.high_open || i.high >= 1;
    i.low = std::max(i.low, -1.0);
    i.high = std::min(i.high, 1.0);
    return i;
  }

  Interval function(const Expr& e) {
    const Expr& arg = e->args[0];
    const Interval a = range(arg);
    switch (e->fn) {
      case Function::exp:
        return rising(a, [](double v) { return std::exp(v); });
      case Function::log: {
        require(a.positive() || arg->positive, arg, Requirement::Kind::positive);
        Interval safe = a;
        if (safe.low < 0) safe.low = 0;
        if (safe.high < 0) safe.high = 0;
        return rising(safe, [](double v) { return std::log(v); });
      }
      case Function::cos:
        return wave(
            a, [](double v) { return std::cos(v); }, 0);
      case Function::sin:
        return wave(
            a, [](double v) { return std::sin(v); }, 0.5);
      case Function::cosh:
        return at_least_1(rising(magnitude(a), [](double v) { return std::cosh(v); }));
      case Function::sinh:
        return rising(a, [](double v) { return std::sinh(v); });
      case Function::tanh:
        return within_1(rising(a, [](double v) { return std::tanh(v); }));
      case Function::abs:
        return magnitude(a);
      case Function::asin: {
        // A normalized kernel lies in [-1,1] by Cauchy-Schwarz.
        if (a.low < -1) require(false, arg, Requirement::Kind::at_least_minus_1);
        if (a.high > 1) require(false, arg, Requirement::Kind::at_most_1);
        const Interval safe{std::max(a.low, -1.0), std::min(a.high, 1.0), false, false};
        return rising(safe, [](double v) { return std::asin(v); });
      }
    }
    return {};
  }

  // cos or sin: 1 at top + 2k half turns, -1 half a turn further. An end close to one of these
  // counts as beyond it.
  static Interval wave(const Interval& a, const std::function<double(double)>& f, double top) {
    constexpr double half_turn = 3.14159265358979323846;
    constexpr double slack = 1e-9;
    constexpr double largest = 1e6;
    if (!(std::abs(a.low) < largest && std::abs(a.high) < largest)) return {-1, 1, false, false};
    const double from = a.low / half_turn - top - slack;
    const double to = a.high / half_turn - top + slack;
    const auto has = [&](double parity) {  // an integer of that parity between
      return 2 * std::ceil((from - parity) / 2) + parity <= to;
    };
    const auto value = [&](double v, double ulps) { return v == 0 ? f(v) : f(v) + ulps; };
    constexpr double ulps = 4e-16;
    const double low = std::min(value(a.low, -ulps), value(a.high, -ulps));
    const double high = std::max(value(a.low, ulps), value(a.high, ulps));
    return {has(1) ? -1 : std::max(-1.0, low), has(0) ? 1 : std::min(1.0, high), false, false};
  }

  // The smaller of two values lies below both highs, and reaches the lower of the lows.
  static Interval smaller(const Interval& a, const Interval& b) {
    Interval result = hull(a, b);
    const Interval& lower = a.high < b.high || (a.high == b.high && a.high_open) ? a : b;
    result.high = lower.high;
    result.high_open = lower.high_open;
    return result;
  }

  Interval extremum(const Node& n) {
    Interval total = range(n.args[0]);
    for (const auto& arg : n.args) {
      const Interval a = range(arg);
      total = n.op == Op::minimum ? smaller(total, a) : -smaller(-total, -a);
    }
    return total;
  }

  // x·z, |x|² and |x-z|² in a ball, by Cauchy-Schwarz.
  [[nodiscard]] std::optional<Interval> in_ball(const Node& n) const {
    if (!radius_ || n.op != Op::sum_over) return std::nullopt;
    const double square = (exactly(*radius_) * exactly(*radius_)).high;
    const Expr& body = n.args[0];
    if (body->op == Op::product && body->args.size() == 2 && is_bound(body->args[0], Side::x) &&
        is_bound(body->args[1], Side::z))
      return Interval{-square, square, false, false};
    if (body->op != Op::power || !is_number(body->args[1], 2)) return std::nullopt;
    const Expr& base = body->args[0];
    if (is_bound(base, Side::x) || is_bound(base, Side::z)) {
      const bool whole = on_sphere_ && n.columns.all();
      return Interval{whole ? 1.0 : 0.0, square, false, false};
    }
    return std::nullopt;
  }

  Interval reduction(const Node& n) {
    if (const auto known = in_ball(n)) return *known;
    const Interval body = range(n.args[0]);
    if (n.op == Op::sum_over) {
      // At least one coordinate: the sum is no smaller than a body that is >= 0.
      Interval total;
      if (body.low >= 0) {
        total.low = body.low;
        total.low_open = body.low_open;
      }
      if (body.high <= 0) {
        total.high = body.high;
        total.high_open = body.high_open;
      }
      return known_sign(n, total);
    }
    Interval total;
    if (body.low >= 0) {
      total.low = 0;
      total.low_open = n.op == Op::product_over && body.positive();
    }
    return known_sign(n, total);
  }

  Interval chi(const Expr& e) {
    const Interval a = range(e->args[0]);
    const Interval b = range(e->args[1]);
    if (a.nonnegative() && b.nonnegative()) return {0, Interval::infinity, false, true};
    require(false, add(e->args[0], e->args[1]), Requirement::Kind::nonzero);
    return {};
  }

  Interval coordinate_;
  std::optional<double> radius_;
  bool on_sphere_ = false;
  std::vector<Requirement> requirements_;
};

}  // namespace

std::vector<Requirement> requirements_on(const Expr& e, const Domain& domain) {
  Ranges ranges(domain);
  ranges.range(e);
  return std::move(ranges).requirements();
}

std::vector<std::string> conditions_on(const Expr& e, const Domain& domain) {
  constexpr std::array<std::string_view, 5> relations{" > 0", " >= 0", " != 0", " >= -1", " <= 1"};
  std::vector<std::string> texts;
  for (const auto& [part, kind] : requirements_on(e, domain)) {
    texts.push_back(print_for_reading(part));
    texts.back() += relations[static_cast<std::size_t>(kind)];
  }
  return texts;
}

Interval range_on(const Expr& e, const Domain& domain) { return Ranges(domain).range(e); }

}  // namespace mercer::algebra
