// Kernels of counts and frequencies, on R+.
//
// min(a,b) = ∫ 1[t<=a] 1[t<=b] dt is an inner product of functions of t >= 0, and intersection is a
// sum of those (Swain and Ballard 1991). (a-b)^2/(a+b) is conditionally negative definite on R+, so
// that chi2 is a kernel for gamma >= 0 by Schoenberg's theorem (Fowlkes et al. 2004).
#include <array>

#include "kernel/catalogue/definition.hpp"

namespace mercer::algebra {

namespace {

constexpr std::array<ParameterInfo, 1> chi2_parameters{{
    {"gamma", "1", "real", "how fast it falls with the chi-squared distance", ""},
}};

std::vector<std::vector<Expr>> guess_intersection(const Expr& e) {
  if (e->op == Op::sum_over) return {{}};
  return {};
}

std::vector<std::vector<Expr>> guess_chi2(const Expr& e) {
  const auto m = exponential_of(e);
  if (!m || m->coefficient.sign() > 0) return {};  // exp(|x-z|^2) reads better than rbf(-1)
  return {{number(-m->coefficient)}};
}

const std::array<Definition, 2> kernels{{
    {.info = {"intersection",
              {},
              "sum(i, min(x[i], z[i]))",
              "R+",
              "what two histograms have in common"},
     .guess = guess_intersection},
    {.info = {"chi2", chi2_parameters, "exp(-gamma*sum(i, (x[i]-z[i])^2/(x[i]+z[i])))", "R+",
              "like rbf for histograms; 0/0 counts as 0"},
     .guess = guess_chi2},
}};

}  // namespace

std::span<const Definition> histogram_kernels() { return kernels; }

}  // namespace mercer::algebra
