// Kernels as values.
//
// A kernel is a real function k(x, z) of two points that is an inner product in some feature space:
// k(x, z) = φ(x)·φ(z). A Kernel object is an expression for such a function, built from text
//
//     Kernel k = Kernel::parse("rbf(0.5) * poly(2) + 0.1*linear");
//
// or, to the same effect, from C++
//
//     Kernel k = rbf(0.5) * poly(2) + 0.1 * linear();
//
// It is an immutable value: cheap to copy, safe to share between threads, compared by what it says.
// Expressions are simplified in exact rational arithmetic as they are built, and a double enters as
// the shortest decimal that gives it back, so that rbf(0.1) is rbf of one tenth in either form. A
// named kernel is its formula and nothing more: rbf(0.5) == Kernel::parse("exp(-|x-z|^2/2)").
//
// Whether the function really is a kernel is a separate question, and any expression of the
// language can be built, evaluated and printed without an answer to it.
//
// Mistakes throw mercer::Error (see <mercer/error.hpp>).
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

namespace algebra {
struct Node;
}

// A user's own k(x, z).
using UserFunction = std::function<double(std::span<const double> x, std::span<const double> z)>;

// The range of an open parameter.
struct ParameterRange {
  double low;
  double high;
};

// A parameter of a named kernel: a number, or open, to be chosen from data later (rbf(gamma=?)).
class Parameter {
 public:
  Parameter(double value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  static Parameter open() { return Parameter(); }
  static Parameter open(double low, double high) {
    Parameter p;
    p.range_ = ParameterRange{low, high};
    return p;
  }

  [[nodiscard]] bool is_open() const { return !value_; }
  [[nodiscard]] double value() const { return *value_; }
  [[nodiscard]] const std::optional<ParameterRange>& range() const { return range_; }

 private:
  Parameter() = default;
  std::optional<double> value_;
  std::optional<ParameterRange> range_;
};

// An open parameter of a kernel: the `?` in rbf(gamma=?[0.01,10]).
struct OpenParameter {
  std::string kernel;     // "rbf"
  std::string parameter;  // "gamma"
  std::optional<ParameterRange> range;
};

// A kernel's expression as a tree of readable parts, for display.
struct KernelTree {
  std::string label;  // "sum", "product", "rbf(0.5)"
  std::string text;   // this part in the language; empty where the label says it all
  std::vector<KernelTree> children;
};

class Kernel {
 public:
  struct ParseOptions {
    // The dimension of the points where it is known: 1 makes x and z numbers, and any other makes
    // it an error, shown in place, to use them as such.
    std::optional<std::uint32_t> dimension;
  };

  // Reads the kernel language (docs/kernel-language.md). Throws ParseError, with the position.
  static Kernel parse(std::string_view text);
  static Kernel parse(std::string_view text, const ParseOptions& options);

  Kernel(double constant);  // NOLINT(google-explicit-constructor): so that k + 1 and 2 * k work

  // k(x, z). Throws EvaluationError where the expression has no finite value, and for points whose
  // dimensions differ or do not suit the expression.
  double operator()(std::span<const double> x, std::span<const double> z) const;

  [[nodiscard]] std::string text() const;     // canonical, by names: parse(k.text()) == k
  [[nodiscard]] std::string formula() const;  // the same without names of kernels
  [[nodiscard]] std::string latex() const;    // the formula for TeX, in math mode with amsmath
  [[nodiscard]] KernelTree tree() const;

  // The dimensions in which the expression makes sense: exactly 1 where it uses x as a number, else
  // all from the least one that has every coordinate it names.
  [[nodiscard]] std::uint32_t least_dimension() const;
  [[nodiscard]] bool only_dimension_one() const;

  // k on some coordinates only: indices from 1, in this order; or all that came from named columns.
  [[nodiscard]] Kernel on(std::span<const std::uint32_t> columns) const;
  [[nodiscard]] Kernel on(std::initializer_list<std::uint32_t> columns) const;
  [[nodiscard]] Kernel on(std::string_view column) const;

  // Names of columns are resolved when the points are known: names[i] is the column that coordinate
  // i+1 came from (several may share one). A kernel with unresolved names cannot be evaluated.
  [[nodiscard]] bool has_named_columns() const;
  [[nodiscard]] Kernel with_columns(std::span<const std::string> names) const;

  // Open parameters, in the order of text(). A kernel with open parameters cannot be evaluated.
  [[nodiscard]] std::vector<OpenParameter> open_parameters() const;
  [[nodiscard]] Kernel with_parameters(std::span<const double> values) const;

  // The names of the user's own functions in it: models that contain it need them at load.
  [[nodiscard]] std::vector<std::string> user_functions() const;

  friend Kernel operator+(const Kernel& a, const Kernel& b);
  friend Kernel operator-(const Kernel& a, const Kernel& b);
  friend Kernel operator*(const Kernel& a, const Kernel& b);
  friend Kernel operator/(const Kernel& a, const Kernel& b);
  friend Kernel operator-(const Kernel& a);
  // The same expression after simplification.
  friend bool operator==(const Kernel& a, const Kernel& b);
  [[nodiscard]] std::size_t hash() const;

  using Expression = std::shared_ptr<const algebra::Node>;
  [[nodiscard]] const Expression& expression() const { return expression_; }  // for the library
  explicit Kernel(const Expression& expression);                              // for the library

 private:
  Expression expression_;
};

std::ostream& operator<<(std::ostream& out, const Kernel& k);

// The named kernels. Formulas, and where they are kernels: <mercer/catalogue.hpp>.
Kernel linear();
Kernel poly(Parameter degree = 3, Parameter c = 1, Parameter gamma = 1);
Kernel rbf(Parameter gamma = 0.5);
Kernel rbf_sigma(Parameter sigma = 1);
Kernel laplacian(Parameter gamma = 1);
Kernel matern(Parameter nu = 1.5, Parameter length = 1);
Kernel rq(Parameter alpha = 1, Parameter length = 1);
Kernel periodic(Parameter period = 1, Parameter length = 1);
Kernel sigmoid(Parameter gamma = 1, Parameter c = 0);
Kernel cosine();
Kernel intersection();
Kernel chi2(Parameter gamma = 1);
Kernel subsets();
Kernel anova(Parameter degree = 2);
Kernel constant(Parameter c = 1);
Kernel precomputed();

// Combinators.
Kernel normalize(const Kernel& k);  // k(x,z)/sqrt(k(x,x) k(z,z)), 0 where k(x,x) or k(z,z) is 0
Kernel pow(const Kernel& k, double exponent);
Kernel exp(const Kernel& k);
Kernel log(const Kernel& k);
Kernel sqrt(const Kernel& k);
Kernel cos(const Kernel& k);
Kernel sin(const Kernel& k);
Kernel cosh(const Kernel& k);
Kernel sinh(const Kernel& k);
Kernel tanh(const Kernel& k);
Kernel asin(const Kernel& k);
Kernel abs(const Kernel& k);
Kernel min(const Kernel& a, const Kernel& b);
Kernel max(const Kernel& a, const Kernel& b);

// A user's own function as an opaque leaf. It prints as user("name") and, registered by this call,
// parses from there. The function is called from several threads at once. A name stands for one
// function: registering it again needs forget_user first. Kernels already built keep their
// function.
Kernel user(std::string_view name, UserFunction function);
void forget_user(std::string_view name);

}  // namespace mercer

template <>
struct std::hash<mercer::Kernel> {
  std::size_t operator()(const mercer::Kernel& k) const noexcept { return k.hash(); }
};
