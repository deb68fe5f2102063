// The named kernels as C++ functions: the catalogue's entries by position.
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>

#include "kernel/elaborate.hpp"
#include "kernel/open_call.hpp"

namespace mercer {

namespace {

using algebra::Argument;
using algebra::Expr;

struct Named {
  const char* name;
  Parameter value;
};

Kernel call(const char* kernel, std::initializer_list<Named> parameters) {
  algebra::OpenCall given{kernel, {}};
  bool open = false;
  for (const auto& [name, p] : parameters) {
    algebra::OpenArgument argument{name, nullptr, std::nullopt};
    if (!p.is_open()) argument.value = algebra::number(Rational::from_double(p.value()));
    if (p.range()) {
      argument.range = {Rational::from_double(p.range()->low),
                        Rational::from_double(p.range()->high)};
      if (!(argument.range->low < argument.range->high))
        throw Error(std::string(kernel) + ": the range of " + name + " is empty");
    }
    open = open || p.is_open();
    given.arguments.push_back(std::move(argument));
  }
  if (open) return Kernel(algebra::make_open_call(std::move(given), 1));
  std::vector<Argument> arguments;
  for (const auto& a : given.arguments) arguments.push_back({a.name, a.value});
  return Kernel(algebra::expand(kernel, std::move(arguments)));
}

}  // namespace

Kernel linear() { return call("linear", {}); }
Kernel poly(Parameter degree, Parameter c, Parameter gamma) {
  return call("poly", {{"degree", degree}, {"c", c}, {"gamma", gamma}});
}
Kernel rbf(Parameter gamma) { return call("rbf", {{"gamma", gamma}}); }
Kernel rbf_sigma(Parameter sigma) { return call("rbf", {{"sigma", sigma}}); }
Kernel laplacian(Parameter gamma) { return call("laplacian", {{"gamma", gamma}}); }
Kernel matern(Parameter nu, Parameter length) {
  return call("matern", {{"nu", nu}, {"length", length}});
}
Kernel rq(Parameter alpha, Parameter length) {
  return call("rq", {{"alpha", alpha}, {"length", length}});
}
Kernel periodic(Parameter period, Parameter length) {
  return call("periodic", {{"period", period}, {"length", length}});
}
Kernel sigmoid(Parameter gamma, Parameter c) {
  return call("sigmoid", {{"gamma", gamma}, {"c", c}});
}
Kernel cosine() { return call("cosine", {}); }
Kernel intersection() { return call("intersection", {}); }
Kernel chi2(Parameter gamma) { return call("chi2", {{"gamma", gamma}}); }
Kernel subsets() { return call("subsets", {}); }
Kernel anova(Parameter degree) { return call("anova", {{"degree", degree}}); }
Kernel constant(Parameter c) { return call("const", {{"c", c}}); }
Kernel precomputed() { return call("precomputed", {}); }

}  // namespace mercer
