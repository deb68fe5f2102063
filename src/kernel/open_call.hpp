// A named kernel some of whose parameters are still open: rbf(gamma=?[0.01,10]).
//
// It stays a leaf until the parameters are given, since its formula cannot be simplified without
// them. Every `?` is a parameter of its own: rbf(?) - rbf(?) is not 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/rational.hpp"
#include "kernel/expr.hpp"

namespace mercer::algebra {

struct OpenRange {
  Rational low;
  Rational high;
};

struct OpenArgument {
  std::string name;
  Expr value;  // null where open
  std::optional<OpenRange> range;
};

struct OpenCall {
  std::string name;
  std::vector<OpenArgument> arguments;  // those that were given, in the catalogue's order
};

int compare(const OpenCall& a, const OpenCall& b);
std::string text(const OpenCall& call);
std::size_t count_open(const OpenCall& call);
std::size_t hash_value(const OpenCall& call);

}  // namespace mercer::algebra
