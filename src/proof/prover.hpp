// The search for a derivation.
//
// A goal is an expression and a claim about it. Rules are tried in the order of the table; each
// looks at the form of the expression and rests on smaller goals, or on none.
#pragma once

#include <chrono>
#include <map>
#include <mercer/domain.hpp>
#include <mercer/proof.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernel/expr.hpp"
#include "kernel/interval.hpp"

namespace mercer::proof {

using algebra::Expr;
using algebra::Function;
using algebra::Op;

enum class Claim {
  kernel,       // symmetric, Σ a_i a_j k(x_i,x_j) >= 0
  conditional,  // the same for all a with Σ a_i = 0: conditionally positive definite
};

class Prover {
 public:
  using Clock = std::chrono::steady_clock;

  Prover(Domain domain, std::optional<std::uint32_t> dimension, Clock::time_point deadline)
      : domain_(std::move(domain)), dimension_(dimension), deadline_(deadline) {}

  std::optional<Derivation> prove(const Expr& e, Claim claim);

  [[nodiscard]] const Domain& domain() const { return domain_; }
  [[nodiscard]] std::optional<std::uint32_t> dimension() const { return dimension_; }
  [[nodiscard]] algebra::Interval range(const Expr& e) const;
  [[nodiscard]] bool nonnegative(const Expr& e) const;
  [[nodiscard]] bool positive(const Expr& e) const;
  [[nodiscard]] bool late() const { return Clock::now() > deadline_; }

 private:
  Domain domain_;
  std::optional<std::uint32_t> dimension_;
  Clock::time_point deadline_;
  int depth_ = 0;
  struct Less {
    bool operator()(const std::pair<Expr, Claim>& a, const std::pair<Expr, Claim>& b) const {
      const int c = algebra::compare(a.first, b.first);
      return c != 0 ? c < 0 : a.second < b.second;
    }
  };
  std::map<std::pair<Expr, Claim>, std::optional<Derivation>, Less> known_;
};

// A step that rests on others; nullopt as soon as one of them is missing.
Derivation conclude(const char* rule, const Expr& e, Claim claim, std::string note = {},
                    std::vector<Derivation> premises = {});

struct RuleEntry {
  Rule rule;
  Claim claim;
  std::optional<Derivation> (*apply)(Prover& prover, const Expr& e);
};
const std::vector<RuleEntry>& rule_table();

// The families of rules; one file each.
std::vector<RuleEntry> closure_rules();
std::vector<RuleEntry> series_rules();
std::vector<RuleEntry> negative_type_rules();
std::vector<RuleEntry> order_rules();
std::vector<RuleEntry> polynomial_rules();

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
