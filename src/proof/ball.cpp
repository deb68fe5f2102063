#include "proof/ball.hpp"

#include <algorithm>
#include <cstdlib>

#include "proof/fraction.hpp"

namespace mercer::proof {

namespace {

std::string taken(char* text) {
  std::string result(text);
  flint_free(text);
  return result;
}

}  // namespace

Ball::Ball(const Rational& value, long precision) : precision_(precision) {
  arb_init(value_);
  fmpq_t exact;
  fmpq_init(exact);
  set(exact, value);
  arb_set_fmpq(value_, exact, precision);
  fmpq_clear(exact);
}

Ball Ball::pi(long precision) {
  Ball result(precision);
  arb_const_pi(result.value_, precision);
  return result;
}

double Ball::middle() const { return arf_get_d(arb_midref(value_), ARF_RND_NEAR); }

std::string Ball::text() const { return taken(arb_get_str(value_, 15, 0)); }

std::string Ball::upper_bound() const {
  arf_t upper;
  arf_init(upper);
  arb_get_ubound_arf(upper, value_, precision_);
  // Rounded upwards to the digits of a double, but with any exponent: it stays below 0.
  Ball bound(precision_);
  arf_set_round(arb_midref(bound.value_), upper, 53, ARF_RND_CEIL);
  arf_clear(upper);
  return taken(arb_get_str(bound.value_, 17, ARB_STR_NO_RADIUS));
}

Ball operator+(const Ball& a, const Ball& b) {
  Ball result(std::max(a.precision_, b.precision_));
  arb_add(result.value_, a.value_, b.value_, result.precision_);
  return result;
}

Ball operator-(const Ball& a, const Ball& b) {
  Ball result(std::max(a.precision_, b.precision_));
  arb_sub(result.value_, a.value_, b.value_, result.precision_);
  return result;
}

Ball operator*(const Ball& a, const Ball& b) {
  Ball result(std::max(a.precision_, b.precision_));
  arb_mul(result.value_, a.value_, b.value_, result.precision_);
  return result;
}

Ball operator/(const Ball& a, const Ball& b) {
  Ball result(std::max(a.precision_, b.precision_));
  arb_div(result.value_, a.value_, b.value_, result.precision_);
  return result;
}

Ball Ball::map(void (*function)(arb_t, const arb_t, slong)) const {
  Ball result(precision_);
  function(result.value_, value_, precision_);
  return result;
}

Ball power(const Ball& base, const Ball& exponent) {
  Ball result(std::max(base.precision(), exponent.precision()));
  arb_pow(result.get(), base.get(), exponent.get(), result.precision());
  return result;
}

Ball minimum(const Ball& a, const Ball& b) {
  Ball result(std::max(a.precision(), b.precision()));
  arb_min(result.get(), a.get(), b.get(), result.precision());
  return result;
}

Ball maximum(const Ball& a, const Ball& b) {
  Ball result(std::max(a.precision(), b.precision()));
  arb_max(result.get(), a.get(), b.get(), result.precision());
  return result;
}

}  // namespace mercer::proof
