#include "kernel/transform.hpp"

#include <mercer/error.hpp>

namespace mercer::algebra {

namespace {

bool is_reduction(Op op) {
  return op == Op::sum_over || op == Op::product_over || op == Op::symmetric_over;
}

bool is_leaf(Op op) {
  return op == Op::coordinate || op == Op::user || op == Op::precomputed || op == Op::open_call;
}

Expr reduction(const Node& n, const Columns& columns, const Expr& body) {
  switch (n.op) {
    case Op::sum_over:
      return sum_over(columns, body);
    case Op::product_over:
      return product_over(columns, body);
    default:
      return symmetric_over(n.degree, columns, body);
  }
}

}  // namespace

Expr with_args(const Node& n, std::vector<Expr> args) {
  switch (n.op) {
    case Op::product:
      return multiply(args);
    case Op::normalize:
      return normalize(args[0]);
    case Op::function:
      return apply_function(n.fn, args[0]);
    case Op::matern:
      return matern(n.number, args[0]);
    case Op::minimum:
      return minimum(args);
    case Op::maximum:
      return maximum(args);
    case Op::chi:
      return chi(args[0], args[1]);
    case Op::sum: {
      std::vector<Term> terms;
      for (std::size_t i = 0; i < args.size(); ++i) terms.push_back({n.coefficients[i], args[i]});
      return sum(terms, n.number);
    }
    case Op::sum_over:
    case Op::product_over:
    case Op::symmetric_over:
      return reduction(n, n.columns, args[0]);
    case Op::power:
      return power(args[0], args[1]);
    default:
      return finish(Node(n));
  }
}

Expr rewrite(const Expr& e, const Rewrite& how, std::uint32_t depth) {
  if (is_leaf(e->op)) return how.leaf(e, depth);
  if (e->args.empty()) return e;
  const bool binds = is_reduction(e->op);
  std::vector<Expr> args;
  args.reserve(e->args.size());
  bool changed = false;
  for (const auto& arg : e->args) {
    args.push_back(rewrite(arg, how, depth + (binds ? 1 : 0)));
    changed = changed || args.back() != arg;
  }
  if (binds && how.columns) {
    const Columns columns = how.columns(e->columns);
    if (columns != e->columns) return reduction(*e, columns, args[0]);
  }
  return changed ? with_args(*e, std::move(args)) : e;
}

Expr swap_sides(const Expr& e) {
  return rewrite(e, {.leaf =
                         [](const Expr& leaf, std::uint32_t) {
                           Node n = *leaf;
                           if (n.op == Op::open_call || n.side == Side::shift) return leaf;
                           if (n.op == Op::coordinate) {
                             n.side = n.side == Side::x ? Side::z : Side::x;
                             std::swap(n.uses_x, n.uses_z);
                           } else {
                             n.swapped = !n.swapped;
                           }
                           n.weights.clear();
                           return finish(std::move(n));
                         },
                     .columns = {}});
}

Expr diagonal(const Expr& e) {
  return rewrite(e, {.leaf =
                         [](const Expr& leaf, std::uint32_t) {
                           return leaf->op == Op::coordinate && leaf->side == Side::z
                                      ? swap_sides(leaf)
                                      : leaf;
                         },
                     .columns = {}});
}

Expr shifted(const Expr& e) {
  return rewrite(e, {.leaf =
                         [](const Expr& leaf, std::uint32_t) {
                           if (leaf->op != Op::coordinate) return leaf;
                           Node t = *leaf;
                           t.side = Side::shift;
                           t.uses_x = t.uses_z = true;
                           return add(leaf, finish(std::move(t)));
                         },
                     .columns = {}});
}

namespace {

Expr move_levels(const Expr& e, int by) {
  if (e->free_levels == 0) return e;
  return rewrite(
      e,
      {.leaf =
           [by](const Expr& leaf, std::uint32_t depth) {
             if (leaf->op != Op::coordinate || leaf->place != Place::bound || leaf->index < depth)
               return leaf;
             return bound_coordinate(
                 leaf->side, static_cast<std::uint32_t>(static_cast<int>(leaf->index) + by));
           },
       .columns = {}});
}

}  // namespace

Expr shift_out(const Expr& e) { return move_levels(e, 1); }

Expr shift_in(const Expr& e) { return move_levels(e, -1); }

Expr substitute_bound(const Expr& body, const std::function<Expr(Side)>& at) {
  return rewrite(body, {.leaf =
                            [&](const Expr& leaf, std::uint32_t depth) {
                              if (leaf->op != Op::coordinate || leaf->place != Place::bound ||
                                  leaf->index < depth)
                                return leaf;
                              if (leaf->index > depth)
                                return bound_coordinate(leaf->side, leaf->index - 1);
                              Expr replacement = at(leaf->side);
                              for (std::uint32_t i = 0; i < depth; ++i)
                                replacement = shift_out(replacement);
                              return replacement;
                            },
                        .columns = {}});
}

Expr restrict_to(const Expr& e, const Columns& outer) {
  if (outer.all()) return e;
  return rewrite(e, {.leaf = [&](const Expr& leaf, std::uint32_t) -> Expr {
                       switch (leaf->op) {
                         case Op::coordinate:
                           if (leaf->place == Place::bound) return leaf;
                           if (leaf->place == Place::only)
                             return only_coordinate(leaf->side, leaf->columns.within(outer));
                           return coordinate(leaf->side, leaf->columns.within(outer), leaf->index);
                         case Op::user:
                           return user(leaf->user, leaf->columns.within(outer), leaf->swapped);
                         case Op::open_call:
                           return open_call(leaf->open, leaf->columns.within(outer).sorted(),
                                            leaf->serial);
                         default:
                           throw Error("precomputed has no columns to select from");
                       }
                     },
                     .columns = [&](const Columns& columns) { return columns.within(outer); }});
}

std::optional<Expr> unrestricted(const Expr& e, const Columns& outer) {
  bool possible = true;
  const auto relative = [&](const Columns& columns) {
    const auto found = columns.relative_to(outer);
    possible = possible && found;
    return found.value_or(columns);
  };
  Expr result = rewrite(
      e,
      {.leaf = [&](const Expr& leaf, std::uint32_t) -> Expr {
         switch (leaf->op) {
           case Op::coordinate: {
             if (leaf->place == Place::bound) return leaf;
             if (leaf->place == Place::only)
               return only_coordinate(leaf->side, relative(leaf->columns));
             const Columns single = Columns::at({{leaf->index, leaf->index}}).within(leaf->columns);
             const Columns there = relative(single);
             return there.all() ? only_coordinate(leaf->side, there)
                                : coordinate(leaf->side, there, 1);
           }
           case Op::user:
             return user(leaf->user, relative(leaf->columns), leaf->swapped);
           case Op::open_call:
             return open_call(leaf->open, relative(leaf->columns), leaf->serial);
           default:
             return leaf;
         }
       },
       .columns = relative});
  if (!possible) return std::nullopt;
  return result;
}

Expr resolve_columns(const Expr& e, std::span<const std::string> names) {
  const auto resolve = [&](const Columns& columns) {
    return columns.has_names() ? columns.resolve(names) : columns;
  };
  return rewrite(e, {.leaf = [&](const Expr& leaf, std::uint32_t) -> Expr {
                       if (!leaf->columns.has_names()) return leaf;
                       const Columns columns = resolve(leaf->columns);
                       switch (leaf->op) {
                         case Op::coordinate:
                           return leaf->place == Place::only
                                      ? only_coordinate(leaf->side, columns)
                                      : coordinate(leaf->side, columns, leaf->index);
                         case Op::user:
                           return user(leaf->user, columns, leaf->swapped);
                         default:
                           return open_call(leaf->open, columns.sorted(), leaf->serial);
                       }
                     },
                     .columns = resolve});
}

namespace {

Expr number_body(const Expr& e) {
  return rewrite(e, {.leaf =
                         [](const Expr& leaf, std::uint32_t) {
                           const bool first = leaf->op == Op::coordinate &&
                                              leaf->place == Place::fixed && leaf->columns.all() &&
                                              leaf->index == 1;
                           return first ? only_coordinate(leaf->side, {}) : leaf;
                         },
                     .columns = {}});
}

Expr flatten_reductions(const Expr& e) {
  if (e->args.empty()) return e;
  std::vector<Expr> args;
  bool changed = false;
  for (const auto& arg : e->args) {
    args.push_back(flatten_reductions(arg));
    changed = changed || args.back() != arg;
  }
  if (is_reduction(e->op) && e->columns.all()) {
    if (e->op == Op::symmetric_over && e->degree > 1) return number(0);
    return substitute_bound(args[0], [](Side side) { return only_coordinate(side, {}); });
  }
  return changed ? with_args(*e, std::move(args)) : e;
}

}  // namespace

Expr in_dimension_one(const Expr& e) {
  if (e->least_dimension > 1)
    throw Error("the expression uses x as a number, which needs dimension 1, and also coordinate " +
                std::to_string(e->least_dimension));
  return number_body(flatten_reductions(e));
}

Expr in_dimension(const Expr& e, std::optional<std::uint32_t> dimension) {
  if (!dimension) return e;
  const std::string given = std::to_string(*dimension);
  if (*dimension == 0) throw Error("there is no dimension 0: a point has coordinates");
  if (e->as_number && *dimension != 1)
    throw Error("the expression uses x as a number, so its dimension is 1, not " + given);
  if (*dimension < e->least_dimension)
    throw Error("the expression uses coordinate " + std::to_string(e->least_dimension) +
                ", so its dimension is at least that, not " + given);
  if (*dimension != 1) return e;
  try {
    return in_dimension_one(e);
  } catch (const Error& error) {  // 1/anova(2): there are no two coordinates
    throw Error(std::string("the expression has no value in dimension 1: ") + error.what());
  }
}

Expr matern_of_vectors(const Expr& e) {
  if (e->args.empty() || !e->as_number) return e;
  if (e->op == Op::matern) {
    const auto [c, rest] = split_coefficient(e->args[0]);
    const auto body = [](const Expr& u) {
      return rewrite(u, {.leaf =
                             [](const Expr& leaf, std::uint32_t) {
                               return leaf->op == Op::coordinate ? bound_coordinate(leaf->side, 0)
                                                                 : leaf;
                             },
                         .columns = {}});
    };
    return matern(e->number, scale(c, sum_over({}, body(rest))));
  }
  std::vector<Expr> args;
  for (const auto& arg : e->args) args.push_back(matern_of_vectors(arg));
  return with_args(*e, std::move(args));
}

}  // namespace mercer::algebra
