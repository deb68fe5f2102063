#include "proof/univariate.hpp"

#include <flint/fmpq_poly.h>
#include <flint/fmpz_poly.h>
#include <flint/fmpz_poly_factor.h>

#include <algorithm>

#include "kernel/polynomial.hpp"
#include "proof/fraction.hpp"

namespace mercer::proof {

namespace {

Univariate trimmed(Univariate p) {
  while (!p.empty() && p.back().is_zero()) p.pop_back();
  return p;
}

class IntegerPolynomial {
 public:
  IntegerPolynomial() { fmpz_poly_init(value_); }
  ~IntegerPolynomial() { fmpz_poly_clear(value_); }
  IntegerPolynomial(const IntegerPolynomial&) = delete;
  IntegerPolynomial& operator=(const IntegerPolynomial&) = delete;
  fmpz_poly_struct* get() { return value_; }

  // A positive multiple of p.
  void set(const Univariate& p) {
    fmpq_poly_t q;
    fmpq_poly_init(q);
    fmpq_t c;
    fmpq_init(c);
    for (std::size_t k = 0; k < p.size(); ++k) {
      proof::set(c, p[k]);
      fmpq_poly_set_coeff_fmpq(q, static_cast<slong>(k), c);
    }
    fmpq_poly_get_numerator(value_, q);
    fmpq_clear(c);
    fmpq_poly_clear(q);
  }

 private:
  fmpz_poly_t value_;
};

// Whether t^k p(t) has a root t > 0, of odd multiplicity or of any.
bool has_positive_root(const Univariate& p, bool odd_only) {
  Univariate shifted = p;
  while (!shifted.empty() && shifted.front().is_zero()) shifted.erase(shifted.begin());
  if (shifted.size() < 2) return false;
  // In t², positive roots come in pairs and others are not real.
  Univariate squared(2 * shifted.size() - 1);
  for (std::size_t k = 0; k < shifted.size(); ++k) squared[2 * k] = shifted[k];
  IntegerPolynomial q;
  q.set(squared);
  fmpz_poly_factor_t factors;
  fmpz_poly_factor_init(factors);
  fmpz_poly_factor_squarefree(factors, q.get());
  bool found = false;
  for (slong i = 0; i < factors->num && !found; ++i)
    found = (!odd_only || factors->exp[i] % 2 == 1) && fmpz_poly_num_real_roots(factors->p + i) > 0;
  fmpz_poly_factor_clear(factors);
  return found;
}

}  // namespace

Rational value_at(const Univariate& p, const Rational& t) {
  Rational value;
  for (auto c = p.rbegin(); c != p.rend(); ++c) value = value * t + *c;
  return value;
}

Univariate add(const Univariate& p, const Univariate& q) {
  Univariate r(std::max(p.size(), q.size()));
  for (std::size_t k = 0; k < p.size(); ++k) r[k] += p[k];
  for (std::size_t k = 0; k < q.size(); ++k) r[k] += q[k];
  return trimmed(std::move(r));
}

Univariate multiply(const Univariate& p, const Univariate& q) {
  if (p.empty() || q.empty()) return {};
  Univariate r(p.size() + q.size() - 1);
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = 0; j < q.size(); ++j) r[i + j] += p[i] * q[j];
  return trimmed(std::move(r));
}

namespace {

// p as a function of t > 0 where x runs through the open interval: t = (x - low)/(high - x), x -
// low or high - x.
Univariate on_half_line(const Univariate& p, const std::optional<Rational>& low,
                        const std::optional<Rational>& high) {
  Univariate q;
  Univariate power{Rational(1)};
  if (low && high) {
    // (1+t)^n p((low + high t)/(1 + t))
    const Univariate up{*low, *high};
    const Univariate down{Rational(1), Rational(1)};
    std::vector<Univariate> ups{{Rational(1)}};
    for (std::size_t k = 1; k < p.size(); ++k) ups.push_back(multiply(ups.back(), up));
    for (std::size_t k = p.size(); k-- > 0;) {
      q = add(q, multiply(multiply(ups[k], power), {p[k]}));
      power = multiply(power, down);
    }
    return q;
  }
  const Univariate x = low ? Univariate{*low, Rational(1)} : Univariate{*high, Rational(-1)};
  for (const auto& c : p) {
    q = add(q, multiply(power, {c}));
    power = multiply(power, x);
  }
  return q;
}

}  // namespace

bool nonnegative_between(const Univariate& given, const std::optional<Rational>& low,
                         const std::optional<Rational>& high) {
  const Univariate p = trimmed(given);
  if (p.empty()) return true;
  if (!low && !high)
    return nonnegative_between(p, Rational(0), std::nullopt) &&
           nonnegative_between(p, std::nullopt, Rational(0));
  if (low && high && *high <= *low) return value_at(p, *low).sign() >= 0;
  const Univariate q = on_half_line(p, low, high);
  // Far out the sign is that of the leading coefficient; it changes at odd roots only.
  return q.empty() || (q.back().sign() > 0 && !has_positive_root(q, true));
}

bool positive_between(const Univariate& given, const std::optional<Rational>& low, bool low_open,
                      const std::optional<Rational>& high, bool high_open) {
  const Univariate p = trimmed(given);
  if (p.empty()) return false;
  if (!low && !high)
    return value_at(p, 0).sign() > 0 &&
           positive_between(p, Rational(0), true, std::nullopt, true) &&
           positive_between(p, std::nullopt, true, Rational(0), true);
  if (low && !low_open && value_at(p, *low).sign() <= 0) return false;
  if (high && !high_open && value_at(p, *high).sign() <= 0) return false;
  if (low && high && *high <= *low) return true;
  const Univariate q = on_half_line(p, low, high);
  return q.back().sign() > 0 && !has_positive_root(q, false);
}

std::optional<Univariate> univariate(const algebra::Expr& e) {
  if ((e->uses_x && e->uses_z) || e->free_levels != 0) return std::nullopt;
  constexpr std::size_t most = 200;
  const auto p = algebra::expand_polynomial(e, 1, most);
  if (!p) return std::nullopt;
  Univariate result;
  for (const auto& [key, c] : *p) {
    const auto& m = key.first.empty() ? key.second : key.first;
    const std::size_t k = m.empty() ? 0 : m[0].second;
    if (k > most) return std::nullopt;
    if (result.size() <= k) result.resize(k + 1);
    result[k] += c;
  }
  return result;
}

}  // namespace mercer::proof
