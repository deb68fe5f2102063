// What computing kernel values takes: a kernel compiled to
//
//   sources       numbers to run over: some columns of the points, each perhaps raised to a power,
//                 perhaps with the mean taken off, perhaps all of them scaled;
//   reductions    Σ a·b, Σ (a-b)², Σ |a-b|, Σ min, Π (1+a·b), … over the coordinates of two
//   sources,
//                 each computed once however often it is used;
//   functions     of one point: |x|², 1/sqrt(k(x,x)), …, once per point;
//   a program     of arithmetic on tiles of values, which ends in one tile per kernel.
//
// Several kernels compiled together share whatever they have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <mercer/kernel.hpp>
#include <span>
#include <vector>

#include "gram/matern_table.hpp"
#include "kernel/expr.hpp"

namespace mercer::gram {

using algebra::Expr;

struct Source {
  std::vector<std::uint32_t> columns;  // from 0
  Expr map;                            // of the number x; null: x itself
  bool centred = false;                // the mean of each column is taken off: differences stay
  double scale = 1;                    // of what all that is made, see fold_gaussians

  [[nodiscard]] bool operator==(const Source& other) const;
};

enum class Reduce : std::uint8_t {
  dot,                  // Σ a b
  squared_difference,   // Σ (a-b)²
  absolute_difference,  // Σ |a-b|
  minimum,              // Σ min(a, b)
  maximum,              // Σ max(a, b)
  chi,                  // Σ (a-b)²/(a+b), 0/0 = 0
  product,              // Π (shift + scale a b)
  symmetric,            // Σ over sets of `degree` coordinates of Π a b
};
inline constexpr std::uint32_t max_fast_degree = 4;  // of `symmetric`

struct Reduction {
  Reduce kind = Reduce::dot;
  std::uint32_t x = 0;  // source
  std::uint32_t z = 0;
  double shift = 1;
  double scale = 1;
  std::uint32_t degree = 0;
  // For sparse points, instead of the term t(a,b) only t(a,b) - t(a,0) - t(0,b): it is 0 wherever a
  // or b is, and what is left out is a sum over each point alone.
  bool overlap = false;

  bool operator==(const Reduction&) const = default;
};

// A number for each point.
struct PointFunction {
  enum class Kind : std::uint8_t {
    value,         // of an expression in x
    inverse_norm,  // 1/sqrt(k(x,x)), and 0 where k(x,x) is 0
    squared_norm,  // Σ a² over a source, rounded as the reduction `dot` rounds
    half_norm,     // half of that
    along_centre,  // c·a + |c|²/2 over a centred source, with the centre c: see share_dots
  };
  Kind kind = Kind::value;
  Expr expression;
  std::uint32_t source = 0;
};

enum class Code : std::uint8_t {
  // to = …, of registers a and b; p and q are constants, n a number
  reduction,     // reduction n
  distance,      // max(0, f_n(x) + f_n(z) - 2 a): |x-z|² from the dot product a
  fill,          // p
  load_row,      // f_n(x)
  load_column,   // f_n(z)
  move,          // a
  scale,         // p a + q
  add,           // a + b
  add_scaled,    // a + p b
  add_row,       // a + p f_n(x)
  add_column,    // a + p f_n(z)
  add_both,      // a + p (f_n(x) + f_n(z))
  multiply,      // a b
  multiply_row,  // a f_n(x)
  multiply_column,
  multiply_both,  // a f_n(x) f_n(z), by the larger one first: the same with x and z exchanged
  divide,         // a / b
  power,          // a ^ n for n >= 2
  reciprocal,     // 1 / a
  square_root,    // sqrt(a)
  raise,          // a ^ p for a >= 0
  raise_to,       // a ^ b for a >= 0
  exponential,    // exp(p a + q); n = 1: a is known not to be negative
  gaussian,       // 2^min(0, a - f_n(x) - f_n(z)): of a dot product a and halves of squared norms
  logarithm,
  cosine,
  sine,
  hyperbolic_cosine,
  hyperbolic_sine,
  hyperbolic_tangent,
  arc_sine,
  absolute,
  at_most,   // min(a, p)
  at_least,  // max(a, p)
  minimum,   // min(a, b)
  maximum,
  chi,           // (a-b)²/(a+b)
  matern,        // the Matérn function of table n at a
  leaf,          // user function or precomputed matrix n
  coordinate_x,  // the coordinate of x at the n-th enclosing loop (0: the innermost)
  coordinate_z,
  loop,  // loop n
};

struct Step {
  Code code;
  std::uint16_t to = 0;
  std::uint16_t a = 0;
  std::uint16_t b = 0;
  std::uint32_t n = 0;
  double p = 0;
  double q = 0;
  bool ends_a = false;  // nobody looks at what is in a any more, unless it is written anew
  bool ends_b = false;
  bool seen_later = false;  // where its value is not a number, neither is a result
};

// A reduction over coordinates whose body has no fast form: a program per coordinate.
struct Loop {
  enum class Kind : std::uint8_t { sum, product, symmetric };
  Kind kind = Kind::sum;
  std::uint32_t source = 0;
  std::uint32_t degree = 0;
  std::vector<std::uint16_t> own;  // registers: the total; symmetric: sums over 1 … degree of them
  std::vector<Step> body;
  std::uint16_t value = 0;  // the register of the body's value
};

struct Leaf {
  Expr node;  // Op::user or Op::precomputed
};

struct Plan {
  std::uint32_t dimension = 0;
  bool centre_all = false;   // every kernel is stationary: all may be seen from the mean
  bool sparse = false;       // made for sparse points …
  bool suits_sparse = true;  // … and zeros need not be looked at
  bool symmetric = false;    // every value is, to the bit, the one with x and z exchanged
  std::vector<Source> sources;
  std::vector<Reduction> reductions;
  std::vector<PointFunction> functions;
  std::vector<Loop> loops;
  std::vector<Leaf> leaves;
  std::vector<std::shared_ptr<const MaternTable>> tables;
  std::vector<Step> steps;
  std::uint16_t registers = 0;
  std::vector<std::uint16_t> results;  // the register of each kernel
  std::vector<Expr> kernels;

  [[nodiscard]] bool has_leaves() const { return !leaves.empty(); }
};

// Choices that depend on the data.
struct Choices {
  // |x-z|² as |x|² + |z|² - 2 x·z and the like: half the work, less what cancels.
  bool cancelling = false;
  // Differences are taken between points seen from their mean.
  bool centre = true;
  // No points are seen from elsewhere, not even where that changes no value: the mean may be far
  // from all but one of them.
  bool from_origin = false;
  // Only coordinates that are not zero are looked at.
  bool sparse = false;
};

// Whether such a step looks at register a, or b.
bool reads_a(Code code);
bool reads_b(Code code);

// exp(-p |x-z|²) = 2^-|cx-cz|²/2 with c² = 2p/log 2: where nothing else looks at these coordinates,
// they are scaled once for each point, and a value is a sum and a power of two. compile() does it,
// while every register still has one value.
void fold_gaussians(Plan& plan, std::uint16_t values);

// Where a kernel looks at distances and at products, x·z is taken from (x-c)·(z-c), by which
// distances are more exact. compile() does it, likewise.
void share_dots(Plan& plan);

// Says of exponentials whether their argument is known not to be negative, likewise.
void mark_exponentials(Plan& plan, std::uint16_t values);

// Takes out steps whose values are not used and lets values share registers. compile() does it.
void allocate_registers(Plan& plan, std::uint16_t values);

// Says behind which steps nobody has to look for what is not a number, after that.
void mark_seen(Plan& plan);

// The kernels have no open parameters and no columns by name. Throws Error where one makes no sense
// in the dimension.
Plan compile(std::span<const Kernel> kernels, std::uint32_t dimension, const Choices& choices);

}  // namespace mercer::gram
