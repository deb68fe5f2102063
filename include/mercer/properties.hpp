// What a kernel's expression says about it, computed node by node.
//
// These are facts of the form, decided by rules that see one node and the answers for its parts:
// "yes" is always true of the function; "no" means that the form does not show it. exp(x.z) times
// exp(-|x|^2/2) and exp(-|z|^2/2) is stationary, being rbf(0.5), but only a proof will say so.
#pragma once

#include <cstdint>
#include <mercer/domain.hpp>
#include <mercer/kernel.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

struct Properties {
  bool symmetric = false;    // k(x,z) = k(z,x)
  bool dot_product = false;  // a function of x·z only
  bool stationary = false;   // a function of x-z only
  bool isotropic = false;    // a function of |x-z| only

  // The degree in x (the larger of that and the one in z), for a polynomial; in terms of the
  // dimension d where it depends on it: "2", "d", "2*d + 1".
  std::optional<std::string> degree;

  // The least number of features f_1(x)…f_p(x), g_1(z)…g_p(z) with k(x,z) = Σ f_j(x) g_j(z): the
  // dimension of the feature space, if k is a kernel.
  struct FeatureSpace {
    enum class Kind { exactly, at_most, infinite, unknown };
    Kind kind = Kind::unknown;
    std::string count;  // "6", or in terms of the dimension d: "C(d+2, 2)"; empty without a number
  } features;

  // The largest of R, R+, R++, (-1,1), ball(1) on which it is defined throughout, as far as
  // interval arithmetic can tell, and the conditions that keep it from being defined on all of R.
  std::optional<Domain> defined_on;
  std::vector<std::string> conditions;  // "x1 > 0"
};

// Of a kernel in every dimension in which it makes sense, or in one. Throws Error where it makes no
// sense in that one: x3 in dimension 2, 1/anova(2) in dimension 1.
Properties properties(const Kernel& k, std::optional<std::uint32_t> dimension = std::nullopt);

}  // namespace mercer
