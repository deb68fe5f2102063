// From expressions to plans: what is known of a plan while it is made. Expressions are in
// compile.cpp, what runs over coordinates in compile_reductions.cpp.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "gram/body.hpp"
#include "gram/plan.hpp"
#include "kernel/form.hpp"

namespace mercer::gram {

// What an expression has become.
struct Value {
  enum class Kind : std::uint8_t { constant, row, column, tile };
  Kind kind = Kind::constant;
  double constant = 0;
  std::uint32_t n = 0;  // function, or register
};

class Compiler {
 public:
  Compiler(std::uint32_t dimension, const Choices& choices) : choices_(choices) {
    plan_.dimension = dimension;
    code_ = &plan_.steps;
  }

  Plan run(std::span<const Kernel> kernels);

 private:
  // Sums of products and differences are, and so is what is made of tiles alone.
  [[nodiscard]] bool is_symmetric() const;

  // ---- registers: one for each value, never written again

  std::uint16_t fresh();

  std::uint16_t emit(Step s);

  static Value in(std::uint16_t r) { return {.kind = Value::Kind::tile, .n = r}; }

  std::uint16_t tile(const Value& v);

  // ---- what the plan holds, each thing once

  template <class T>
  static std::uint32_t place(std::vector<T>& all, const T& one) {
    const auto found = std::ranges::find(all, one);
    if (found != all.end()) return static_cast<std::uint32_t>(found - all.begin());
    all.push_back(one);
    return static_cast<std::uint32_t>(all.size() - 1);
  }

  std::uint32_t function(const PointFunction& f);

  std::uint32_t source(const algebra::Columns& columns, const Expr& map, bool centred);

  std::uint16_t reduction(const Reduction& r);

  // ---- expressions

  Value value(const Expr& e);

  Value value_here(const Expr& e);

  Value compute(const algebra::Node& n);

  // The terms of x alone, of z alone, and the others.
  struct Parts {
    std::vector<algebra::Term> x;
    std::vector<algebra::Term> z;
    std::vector<algebra::Term> both;
  };

  static bool of_x_alone(const Expr& e) {
    return !e->uses_z && e->free_levels == 0 && !e->has_opaque;
  }
  static bool of_z_alone(const Expr& e) {
    return !e->uses_x && e->free_levels == 0 && !e->has_opaque;
  }

  Value sum(const algebra::Node& n);

  using Weighted = std::pair<double, std::uint16_t>;  // times a register
  // constant + Σ w t + the terms of x alone + those of z alone. Not all of them are empty.
  Value added(const std::vector<Weighted>& both, double constant,
              const std::vector<algebra::Term>& of_x, const std::vector<algebra::Term>& of_z);

  // f(x) k g(z): the factors of x alone as one function, likewise of z.
  Value product(const std::vector<Expr>& factors);

  Value power(const algebra::Node& n);

  Value applied(const algebra::Node& n);

  Value extremum(const algebra::Node& n);

  // Of smoothness p + 1/2 the function is exp(-t) times a polynomial in t,
  //   p!/(2p)! Σ_k (p+k)!/(k!(p-k)!) (2t)^(p-k).
  Value matern(const algebra::Node& n);

  std::uint32_t table(double nu);

  Value normalized(const algebra::Node& n);

  // ---- reductions

  Value reduced(const algebra::Node& n);

  // Σ over the coordinates, term by term.
  Value summed(const algebra::Node& n, const FastSum& s);

  std::uint16_t distance_or(Reduce kind, std::uint32_t x, std::uint32_t z);

  Value looped(const algebra::Node& n);

  struct Before {
    bool operator()(const Expr& a, const Expr& b) const { return algebra::compare(a, b) < 0; }
  };

  Plan plan_;
  Choices choices_;
  std::vector<Step>* code_ = nullptr;
  std::vector<Step>* before_loop_ = nullptr;  // where the invariants of the outermost loop go
  std::uint16_t registers_ = 0;               // values, until registers are allocated
  std::vector<std::uint16_t> reduced_;        // by reduction
  std::map<std::uint16_t, std::uint16_t> distances_;  // by dot product
  std::map<Expr, Value, Before> known_;
  std::map<Expr, Value, Before> known_in_loop_;
};

}  // namespace mercer::gram
