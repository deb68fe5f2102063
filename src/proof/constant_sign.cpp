#include "proof/constant_sign.hpp"

#include "proof/point_value.hpp"

namespace mercer::proof {

std::optional<int> constant_sign(const algebra::Expr& e) {
  if (!algebra::is_constant(e)) return std::nullopt;
  if (algebra::is_number(e)) return e->number.sign();
  for (const long precision : {128L, 1024L}) {
    const auto value = ball_value(e, {}, {}, precision);
    if (!value) return std::nullopt;
    if (value->is_positive()) return 1;
    if (value->is_negative()) return -1;
  }
  return std::nullopt;
}

std::optional<bool> constant_is_nonnegative(const algebra::Expr& e) {
  const auto sign = constant_sign(e);
  if (sign) return *sign >= 0;
  return algebra::is_constant(e) && e->nonnegative ? std::optional(true) : std::nullopt;
}

}  // namespace mercer::proof
