// The search for a derivation.
//
// A goal is an expression and a claim about it. Rules are tried in the order of the table; each
// looks at the form of the expression and rests on smaller goals, or on none.
#pragma once

#include <chrono>
#include <map>
#include <mercer/domain.hpp>
#include <mercer/proof.hpp>
#include <mercer/stop.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernel/expr.hpp"
#include "kernel/interval.hpp"
#include "proof/glimpse.hpp"

namespace mercer::proof {

using algebra::Expr;
using algebra::Function;
using algebra::Op;

enum class Claim {
  kernel,       // symmetric, Σ a_i a_j k(x_i,x_j) >= 0
  conditional,  // the same for all a with Σ a_i = 0: conditionally positive definite
  divisible,    // k > 0, and k^t is a kernel for every t > 0: infinitely divisible
};

using Found = std::optional<Derivation>;

class Prover {
 public:
  using Clock = std::chrono::steady_clock;

  Prover(Domain domain, std::optional<std::uint32_t> dimension, Clock::time_point deadline)
      : domain_(std::move(domain)), dimension_(dimension), deadline_(deadline) {}

  Found prove(const Expr& e, Claim claim);
  // The same function written in another way; none where `other` is e itself.
  Found same(const char* rule, const Expr& e, const Expr& other, Claim claim);

  // Whether e has a value at all points of the domain.
  bool defined(const Expr& e);

  [[nodiscard]] const Domain& domain() const { return domain_; }
  [[nodiscard]] std::optional<std::uint32_t> dimension() const { return dimension_; }
  [[nodiscard]] algebra::Interval range(const Expr& e) const;
  [[nodiscard]] bool nonnegative(const Expr& e) const;
  [[nodiscard]] bool positive(const Expr& e) const;
  // For u of negative type: u(x,z) >= (u(x,x) + u(z,z))/2, so that the diagonal decides.
  [[nodiscard]] bool positive_by_diagonal(const Expr& u) const;
  [[nodiscard]] bool nonnegative_by_diagonal(const Expr& u) const;

  // u = Σ G_ij f_i(x) f_j(z) - k with one positive direction of G and a kernel k, and u(x,x) > 0.
  bool lorentzian(const Expr& u);

  // A statement about one coordinate, inside of a sum or product over coordinates: as it is, or
  // with x and z numbers.
  Found prove_for_coordinate(const Expr& body, Claim claim);
  // The same claim on another domain.
  Found prove_on(const Domain& domain, std::optional<std::uint32_t> dimension, const Expr& e,
                 Claim claim);

  // Whether the point with all coordinates o lies in the domain, in every dimension asked for.
  [[nodiscard]] bool has_point_of(const Rational& o) const;

  [[nodiscard]] bool late() const {
    Stop::check();
    return Clock::now() > deadline_;
  }

 private:
  // Not worth a search: false at a few points.
  [[nodiscard]] bool hopeless(const Expr& e, Claim claim) const;

  Domain domain_;
  std::optional<std::uint32_t> dimension_;
  mutable std::map<std::uint32_t, Glimpse> glimpses_;  // by dimension
  Clock::time_point deadline_;
  int depth_ = 0;
  int within_ = 0;  // other provers
  int goals_ = 0;   // looked at so far
  int most_goals_ = 0;
  int cut_ = 1'000'000;  // the outermost open goal that was asked for again
  struct Less {
    bool operator()(const std::pair<Expr, Claim>& a, const std::pair<Expr, Claim>& b) const {
      const int c = algebra::compare(a.first, b.first);
      return c != 0 ? c < 0 : a.second < b.second;
    }
  };
  struct Known {
    Found derivation;
    std::optional<int> open_at;  // being worked on, at that depth
  };
  std::map<std::pair<Expr, Claim>, Known, Less> known_;
};

// What a step says beside its subject: in words, and as data for whoever checks it.
struct Details {
  std::string note = {};
  std::vector<Given> with = {};
};
Given given(std::string name, const Expr& value);
Given given(std::string name, const Rational& value);

Derivation conclude(const char* rule, const Expr& e, Claim claim, Details details = {},
                    std::vector<Derivation> premises = {});

// One way to a claim. Cheap ones have a low order and are tried first.
struct RuleEntry {
  int order;
  Claim claim;
  Found (*apply)(Prover& prover, const Expr& e);
  std::vector<Rule> cites;  // the names that its steps may bear; none where listed elsewhere
};
using Rules = std::vector<RuleEntry>;

// Those of all files in rules/, by order. A file `rules/some_name.cpp` defines `rule_some_name()`,
// and is part of the table by being there.
const Rules& rule_table();

// normalize(k) looks at k(x,x) and k(z,z) as well: putting something in the place of z inside of it
// is not what happens to its value.
bool contains_normalize(const Expr& e);

// u where e is -c*u with c > 0.
std::optional<Expr> negated(const Expr& e);

// u and r where e is c u^(-r), c > 0 and r > 0. In canonical form 1/(x + z - 1) is -1/(1 - x - z):
// the base is turned where the sign or an even exponent lets it.
struct Inverse {
  Rational c;
  Expr u;
  Rational r;
};
std::vector<Inverse> inverse_forms(const Expr& e);

// f(x) and g(z) and the rest of a product.
struct Sides {
  Expr of_x;
  Expr of_z;
  std::vector<Expr> mixed;
};
Sides split_sides(const Expr& e);

// D where e is f(x) - f(z): it depends on the points separately and changes sign with them.
bool is_difference(const Expr& e);

}  // namespace mercer::proof
