#include "proof/fraction.hpp"

#include "proof/flint_thread.hpp"

namespace mercer::proof {

void set(fmpq_t to, const Rational& value) {
  flint_gives_back();
  const auto up = value.numerator().to_int();
  const auto down = value.denominator().to_int();
  if (up && down) {
    fmpq_set_si(to, *up, static_cast<ulong>(*down));
  } else {
    fmpq_set_str(to, value.fraction_text().c_str(), 10);
  }
}

}  // namespace mercer::proof
