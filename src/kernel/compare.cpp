#include <algorithm>

#include "kernel/expr.hpp"
#include "kernel/open_call.hpp"

namespace mercer::algebra {

namespace {

int sign(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

template <class T>
int order(const T& a, const T& b) {
  return sign(a <=> b);
}

// `serials` tells two open parameters apart; without it they are compared as written.
int compare_nodes(const Expr& a, const Expr& b, bool serials);

int compare_lists(const std::vector<Expr>& a, const std::vector<Expr>& b, bool serials) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (const int c = compare_nodes(a[i], b[i], serials)) return c;
  return order(a.size(), b.size());
}

int compare_payload(const Node& a, const Node& b, bool serials) {
  if (const int c = order(a.fn, b.fn)) return c;
  if (const int c = order(a.place, b.place)) return c;
  if (const int c = order(a.side, b.side)) return c;
  if (const int c = order(a.columns, b.columns)) return c;
  if (const int c = order(a.index, b.index)) return c;
  if (const int c = order(a.degree, b.degree)) return c;
  if (const int c = order(a.swapped, b.swapped)) return c;
  if (a.user != b.user) {
    if (const int c = order(a.user->name, b.user->name)) return c;
    return std::less<>{}(a.user.get(), b.user.get()) ? -1 : 1;  // one name, two functions
  }
  if (a.open && a.open != b.open)
    if (const int c = compare(*a.open, *b.open)) return c;
  return serials ? order(a.serial, b.serial) : 0;
}

int compare_nodes(const Expr& a, const Expr& b, bool serials) {
  if (a == b) return 0;
  const bool a_power = a->op == Op::power;
  const bool b_power = b->op == Op::power;
  if (a_power || b_power) {
    const Expr& a_base = a_power ? a->args[0] : a;
    const Expr& b_base = b_power ? b->args[0] : b;
    if (const int c = compare_nodes(a_base, b_base, serials)) return c;
    if (!a_power) return 1;
    if (!b_power) return -1;
    return -compare_nodes(a->args[1], b->args[1], serials);
  }
  if (const int c = order(a->op, b->op)) return c;
  if (const int c = compare_payload(*a, *b, serials)) return c;
  if (const int c = compare_lists(a->args, b->args, serials)) return c;
  for (std::size_t i = 0; i < a->coefficients.size(); ++i)
    if (const int c = order(a->coefficients[i], b->coefficients[i])) return c;
  return order(a->number, b->number);
}

}  // namespace

int compare(const Expr& a, const Expr& b) {
  const int c = compare_nodes(a, b, false);
  return c != 0 || !a->has_open ? c : compare_nodes(a, b, true);
}

bool equal(const Expr& a, const Expr& b) {
  return a == b || (a->hash == b->hash && compare(a, b) == 0);
}

}  // namespace mercer::algebra
