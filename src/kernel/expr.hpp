// The expression behind a kernel: a real-valued function of two points x and z.
//
// There are no vectors in it. x.z is the sum over all coordinates i of x[i]*z[i], |x-z|^2 the sum
// of (x[i]-z[i])^2, and so on: coordinate reductions with a scalar expression around them. That
// leaves one way to write a thing, and it is what the Gram engine computes.
//
// Expressions are immutable and shared. They are made only by the functions below, which simplify
// as they build, so that every Expr is in canonical form and equality is structural:
//   - sums are flat: a constant plus terms with rational coefficients, like terms collected;
//   - products are flat, carry no number (that is the coefficient of the sum around them), and
//     powers of one base are collected;
//   - rational constants are folded, roots of rationals split into prime bases;
//   - order is fixed by `compare`.
// A step is taken only where it is true for all real x and z, with the same points undefined before
// and after: x/x stays x/x, but exp(x)/exp(x) is 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mercer/kernel.hpp>
#include <string>
#include <vector>

#include "base/rational.hpp"
#include "kernel/columns.hpp"

namespace mercer::algebra {

enum class Op : std::uint8_t {
  product,         // Π args
  normalize,       // k(x,z) / sqrt(k(x,x) k(z,z)), 0 where a factor under the root is 0
  open_call,       // a named kernel with parameters still open
  function,        // fn(args[0])
  matern,          // Matérn function of smoothness `number`, of sqrt(args[0])
  minimum,         // min(args...)
  maximum,         // max(args...)
  chi,             // (a-b)^2/(a+b) for a = args[0], b = args[1], and 0 at a = b = 0
  sum,             // number + Σ coefficients[i] * args[i]
  product_over,    // Π over columns of args[0]
  symmetric_over,  // Σ over sets of `degree` columns of the product of args[0] over the set
  sum_over,        // Σ over columns of args[0]
  user,            // a user's own function
  precomputed,     // an entry of the user's matrix
  coordinate,      // one coordinate of x or z
  power,           // args[0] ^ args[1]
  pi,
  number,
};

enum class Function : std::uint8_t { exp, log, cos, sin, cosh, sinh, tanh, asin, abs };

// `shift` is a third point t, for asking whether k(x+t, z+t) is k(x, z).
enum class Side : std::uint8_t { x, z, shift };

enum class Place : std::uint8_t {
  bound,  // the coordinate that an enclosing reduction runs over; index 0 is the innermost
  fixed,  // coordinate `index` (from 1) of the columns
  only,   // the one coordinate that the columns consist of: x as a number
};

struct OpenCall;
struct Node;
using Expr = std::shared_ptr<const Node>;

struct UserFunctionEntry {
  std::string name;
  UserFunction function;
};

struct Node {
  Op op = Op::number;
  Function fn = Function::exp;
  Side side = Side::x;
  Place place = Place::bound;
  bool swapped = false;                // user, precomputed: called with (z, x)
  bool has_norm = false;               // normalize: k(x,x) is known not to be negative
  std::uint32_t index = 0;             // coordinate
  std::uint32_t degree = 0;            // symmetric_over
  Columns columns;                     // coordinate, the reductions, user, open_call
  Rational number;                     // number, sum, matern
  std::vector<Rational> coefficients;  // sum
  std::vector<Expr> args;
  std::shared_ptr<const UserFunctionEntry> user;
  std::shared_ptr<const OpenCall> open;
  std::uint32_t serial = 0;  // open_call: which one, in the order of the text

  // Derived, filled in when the node is made.
  double value = 0;             // number as the nearest double
  std::vector<double> weights;  // coefficients as doubles
  std::size_t hash = 0;
  std::uint32_t size = 1;  // nodes of the tree
  std::uint32_t depth = 1;
  std::uint64_t free_levels = 0;      // bit k: refers to the k-th enclosing reduction
  std::uint32_t least_dimension = 1;  // to have all coordinates named by index
  bool uses_x = false;
  bool uses_z = false;
  bool as_number = false;    // uses x or z as a number, so that the dimension is 1
  bool has_names = false;    // columns by name
  bool has_open = false;     // open parameters
  bool has_opaque = false;   // user functions or a precomputed matrix
  bool nonnegative = false;  // known to be >= 0 wherever it is defined
  bool positive = false;     // known to be > 0 wherever it is defined
  bool total = true;         // known to be defined at all real x and z
};

// Bounds on what is built; beyond them the functions below throw Error.
inline constexpr std::uint32_t max_size = 50'000;
inline constexpr std::uint32_t max_depth = 400;
inline constexpr std::uint32_t max_reductions = 16;  // nested in one another

// A total order; 0 exactly for equal expressions. Complex before simple, so that a sum reads
// rbf(1)*poly(2) + 0.1*linear + 1; a power stands where its base would.
int compare(const Expr& a, const Expr& b);
bool equal(const Expr& a, const Expr& b);

inline bool is_number(const Expr& e) { return e->op == Op::number; }
inline bool is_number(const Expr& e, const Rational& value) {
  return e->op == Op::number && e->number == value;
}
inline bool is_function(const Expr& e, Function fn) { return e->op == Op::function && e->fn == fn; }
// A sum or product over the coordinates depends on their number, whatever is in it.
inline bool has_reduction(const Expr& e) {
  if (e->op == Op::sum_over || e->op == Op::product_over || e->op == Op::symmetric_over)
    return true;
  return std::ranges::any_of(e->args, has_reduction);
}
inline bool is_constant(const Expr& e) {
  return !e->uses_x && !e->uses_z && e->free_levels == 0 && !e->has_opaque && !e->has_open &&
         !has_reduction(e);
}

// e as coefficient * rest with rest not a number and not itself a multiple; a number is number * 1.
struct Multiple {
  Rational coefficient;
  Expr rest;
};
Multiple split_coefficient(const Expr& e);

// Leaves.
Expr number(Rational value);
Expr pi();
Expr coordinate(Side side, Columns columns, std::uint32_t index);  // fixed
Expr only_coordinate(Side side, const Columns& columns);
Expr bound_coordinate(Side side, std::uint32_t level);
Expr user(std::shared_ptr<const UserFunctionEntry> entry, Columns columns, bool swapped);
Expr precomputed(bool swapped);
Expr open_call(std::shared_ptr<const OpenCall> call, Columns columns, std::uint32_t serial);

// Arithmetic.
struct Term {
  Rational coefficient;
  Expr expr;
};
Expr sum(const std::vector<Term>& terms, Rational constant = {});
Expr add(const Expr& a, const Expr& b);
Expr subtract(const Expr& a, const Expr& b);
Expr scale(const Rational& c, const Expr& e);
Expr multiply(const std::vector<Expr>& factors);
Expr multiply(const Expr& a, const Expr& b);
Expr divide(const Expr& a, const Expr& b);
Expr power(const Expr& base, const Rational& r);
Expr power(const Expr& base, const Expr& exponent);
Expr sqrt(const Expr& e);

// Functions.
Expr apply_function(Function fn, const Expr& e);
Expr minimum(const std::vector<Expr>& args);
Expr maximum(const std::vector<Expr>& args);
Expr matern(const Rational& nu, const Expr& squared_argument);
Expr chi(const Expr& a, const Expr& b);
Expr normalize(const Expr& k);

// Reductions. The body refers to the coordinate as bound_coordinate(side, 0).
Expr sum_over(const Columns& columns, const Expr& body);
Expr product_over(const Columns& columns, const Expr& body);
Expr symmetric_over(std::uint32_t degree, const Columns& columns, const Expr& body);

// For the makers: completes the derived fields and checks the bounds.
Expr finish(Node node);

}  // namespace mercer::algebra
