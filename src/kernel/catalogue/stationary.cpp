// Kernels of the difference x - z.
//
// By Bochner's theorem a continuous function of x - z is a kernel if and only if it is the Fourier
// transform of a finite non-negative measure: Gaussian for rbf, a product of Cauchy densities for
// laplacian, Student's t for matern (Rasmussen and Williams 2006, chapter 4). rq is a Gamma mixture
// of rbf over gamma. periodic is rbf of the points of the circle (cos, sin)(2πx_i/period), each
// coordinate by itself (MacKay 1998). All need their parameters > 0.
#include <array>
#include <mercer/error.hpp>

#include "kernel/catalogue/definition.hpp"

namespace mercer::algebra {

namespace {

constexpr std::array<ParameterInfo, 2> rbf_parameters{{
    {"gamma", "0.5", "real", "how fast it falls with the squared distance", ""},
    {"sigma", "", "> 0", "the width instead", "gamma = 1/(2*sigma^2)"},
}};

constexpr std::array<ParameterInfo, 1> laplacian_parameters{{
    {"gamma", "1", "real", "how fast it falls with the distance", ""},
}};

constexpr std::array<ParameterInfo, 2> matern_parameters{{
    {"nu", "1.5", "> 0", "smoothness: the paths are differentiable nu times, rounded down", ""},
    {"length", "1", "> 0", "length scale", ""},
}};

constexpr std::array<ParameterInfo, 2> rq_parameters{{
    {"alpha", "1", "!= 0", "the larger, the closer to rbf", ""},
    {"length", "1", "!= 0", "length scale", ""},
}};

constexpr std::array<ParameterInfo, 2> periodic_parameters{{
    {"period", "1", "!= 0", "the distance after which it repeats", ""},
    {"length", "1", "!= 0", "length scale within a period", ""},
}};

Rational halves(std::int64_t n) { return Rational(n) / Rational(2); }

std::string matern_formula(const Arguments& arguments) {
  const Expr& nu = arguments[0].value;
  if (is_number(nu, halves(1))) return "exp(-|x-z|/length)";
  if (is_number(nu, halves(3))) return "(1 + sqrt(3)*|x-z|/length)*exp(-sqrt(3)*|x-z|/length)";
  if (is_number(nu, halves(5)))
    return "(1 + sqrt(5)*|x-z|/length + 5*|x-z|^2/(3*length^2))*exp(-sqrt(5)*|x-z|/length)";
  return {};
}

Expr build_matern(const Arguments& arguments) {
  const Expr& nu = arguments[0].value;
  if (!is_number(nu)) throw Error("matern needs a rational nu");
  const Expr squared = elaborate("|x-z|^2");
  const Expr scaled = divide(squared, power(arguments[1].value, Rational(2)));
  return matern(nu->number, scale(Rational(2) * nu->number, scaled));
}

std::vector<std::vector<Expr>> guess_gamma(const Expr& e) {
  const auto m = exponential_of(e);
  if (!m || m->coefficient.sign() > 0) return {};  // exp(|x-z|^2) reads better than rbf(-1)
  return {{number(-m->coefficient)}};
}

// c*u apart, with every constant factor in c.
std::pair<Expr, Expr> split_constant(const Expr& e) {
  const auto [c, rest] = split_coefficient(e);
  std::vector<Expr> constants{number(c)};
  std::vector<Expr> others;
  if (rest->op == Op::product) {
    for (const auto& f : rest->args) (is_constant(f) ? constants : others).push_back(f);
  } else {
    others.push_back(rest);
  }
  return {multiply(constants), multiply(others)};
}

std::vector<std::vector<Expr>> guess_matern(const Expr& e) {
  if (e->op == Op::matern) {
    const Expr c = split_constant(e->args[0]).first;  // 2 nu / length^2
    const Expr length = power(scale(Rational(1) / (Rational(2) * e->number), c), halves(-1));
    return {{number(e->number), length}};
  }
  std::vector<std::vector<Expr>> guesses;
  const auto factors = e->op == Op::product ? e->args : std::vector<Expr>{e};
  for (const auto& f : factors) {
    const auto m = exponential_of(f);
    if (!m || m->coefficient.sign() >= 0) continue;
    const Expr length = number(Rational(-1) / m->coefficient);
    for (const int n : {1, 3, 5}) guesses.push_back({number(halves(n)), length});
  }
  return guesses;
}

std::vector<std::vector<Expr>> guess_rq(const Expr& e) {
  if (e->op != Op::power || !is_number(e->args[1]) || e->args[0]->op != Op::sum) return {};
  const Rational alpha = -e->args[1]->number;
  const Expr& base = e->args[0];
  if (base->args.size() != 1 || base->coefficients[0].is_zero() || alpha.is_zero()) return {};
  const auto length = exact_sqrt(Rational(1) / (Rational(2) * alpha * base->coefficients[0]));
  if (!length) return {};
  return {{number(alpha), number(*length)}};
}

// The c of the first sin(c*pi*…) in an expression.
std::optional<Rational> frequency(const Expr& e) {
  if (is_function(e, Function::sin)) return split_coefficient(e->args[0]).coefficient;
  for (const auto& arg : e->args)
    if (auto c = frequency(arg)) return c;
  return std::nullopt;
}

std::vector<std::vector<Expr>> guess_periodic(const Expr& e) {
  const auto m = exponential_of(e);
  if (!m || m->coefficient.sign() >= 0) return {};
  const auto c = frequency(e);
  const auto length = exact_sqrt(Rational(-2) / m->coefficient);
  if (!c || c->is_zero() || !length) return {};
  return {{number(Rational(1) / *c), number(*length)}};
}

const std::array<Definition, 5> kernels{{
    {.info = {"rbf", rbf_parameters, "exp(-gamma*|x-z|^2)", "R",
              "the Gaussian: near points are alike, and that is all it assumes"},
     .guess = guess_gamma},
    {.info = {"laplacian", laplacian_parameters, "exp(-gamma*|x-z|_1)", "R",
              "like rbf with a peak; steady against outlying coordinates"},
     .guess = guess_gamma},
    {.info = {"matern", matern_parameters,
              "2^(1-nu)/Gamma(nu) * t^nu * K_nu(t) with t = sqrt(2*nu)*|x-z|/length", "R",
              "of chosen smoothness, from exp(-|x-z|) at nu = 0.5 to rbf as nu grows"},
     .formula_for = matern_formula,
     .build = build_matern,
     .guess = guess_matern},
    {.info = {"rq", rq_parameters, "(1 + |x-z|^2/(2*alpha*length^2))^(-alpha)", "R",
              "rational quadratic: rbf at many widths at once"},
     .guess = guess_rq},
    {.info = {"periodic", periodic_parameters,
              "exp(-2*sum(i, sin(pi*(x[i]-z[i])/period)^2)/length^2)", "R",
              "repeats in every coordinate"},
     .guess = guess_periodic},
}};

}  // namespace

std::span<const Definition> stationary_kernels() { return kernels; }

}  // namespace mercer::algebra
