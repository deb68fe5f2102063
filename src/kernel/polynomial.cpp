#include "kernel/polynomial.hpp"

#include <algorithm>
#include <mercer/error.hpp>

#include "base/integer.hpp"
#include "kernel/transform.hpp"

namespace mercer::algebra {

namespace {

Monomial multiply_monomials(const Monomial& a, const Monomial& b) {
  Monomial result;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      result.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      result.push_back(*j++);
    } else {
      result.emplace_back(i->first, i->second + j->second);
      ++i;
      ++j;
    }
  }
  return result;
}

void add_to(Polynomial& p, const std::pair<Monomial, Monomial>& key, const Rational& c) {
  auto [at, fresh] = p.try_emplace(key, c);
  if (fresh) return;
  at->second += c;
  if (at->second.is_zero()) p.erase(at);
}

class Expander {
 public:
  Expander(std::uint32_t d, std::size_t limit) : d_(d), limit_(limit) {}

  std::optional<Polynomial> run(const Expr& e) {
    switch (e->op) {
      case Op::number:
        return constant(e->number);
      case Op::coordinate:
        return coordinate(*e);
      case Op::sum:
        return sum(*e);
      case Op::product: {
        Polynomial p = *constant(1);
        for (const auto& arg : e->args)
          if (!times(p, run(arg))) return std::nullopt;
        return p;
      }
      case Op::power:
        return power(*e);
      case Op::sum_over:
      case Op::product_over:
      case Op::symmetric_over:
        return reduction(*e);
      default:
        return std::nullopt;
    }
  }

 private:
  static std::optional<Polynomial> constant(const Rational& c) {
    Polynomial p;
    if (!c.is_zero()) p[{}] = c;
    return p;
  }

  [[nodiscard]] std::optional<Polynomial> coordinate(const Node& n) const {
    if (n.columns.has_names() || n.place == Place::bound || n.side == Side::shift)
      return std::nullopt;
    const std::uint32_t index = n.place == Place::only ? 1 : n.index;
    const Monomial m{{index, 1}};
    Polynomial p;
    p[n.side == Side::x ? std::pair{m, Monomial{}} : std::pair{Monomial{}, m}] = 1;
    return p;
  }

  std::optional<Polynomial> sum(const Node& n) {
    Polynomial total = *constant(n.number);
    for (std::size_t i = 0; i < n.args.size(); ++i) {
      const auto p = run(n.args[i]);
      if (!p || n.coefficients[i].is_zero()) return std::nullopt;
      for (const auto& [key, c] : *p) add_to(total, key, n.coefficients[i] * c);
      if (total.size() > limit_) return std::nullopt;
    }
    return total;
  }

  bool times(Polynomial& p, const std::optional<Polynomial>& q) const {
    if (!q || p.size() * q->size() > 20 * limit_) return false;
    Polynomial product;
    for (const auto& [a, c] : p)
      for (const auto& [b, e] : *q)
        add_to(product,
               {multiply_monomials(a.first, b.first), multiply_monomials(a.second, b.second)},
               c * e);
    p = std::move(product);
    return p.size() <= limit_;
  }

  std::optional<Polynomial> power(const Node& n) {
    const auto exponent = is_number(n.args[1]) ? n.args[1]->number.to_int() : std::nullopt;
    constexpr std::int64_t largest = 1000;
    if (!exponent || *exponent < 0 || *exponent > largest) return std::nullopt;
    const auto base = run(n.args[0]);
    if (!base) return std::nullopt;
    const double terms = count_of_power(base->size(), *exponent);
    constexpr double most_work = 60'000;
    if (terms > static_cast<double>(limit_) || terms * static_cast<double>(*exponent) > most_work)
      return std::nullopt;
    Polynomial p = *constant(1);
    for (std::int64_t i = 0; i < *exponent; ++i)
      if (!times(p, base)) return std::nullopt;
    return p;
  }

  // The terms of a sum of m terms to the power n: C(n+m-1, m-1).
  static double count_of_power(std::size_t m, std::int64_t n) {
    double count = 1;
    for (std::size_t i = 1; i < m && count < 1e12; ++i)
      count *= static_cast<double>(n + static_cast<std::int64_t>(i)) / static_cast<double>(i);
    return count;
  }

  std::optional<Polynomial> reduction(const Node& n) {
    if (n.columns.has_names()) return std::nullopt;
    std::vector<Polynomial> sums{*constant(1)};  // over sets of j columns; or the running result
    if (n.op == Op::sum_over) sums[0] = *constant(0);
    for (const auto& range : n.columns.ranges(d_)) {
      for (std::uint32_t i = range.first; i <= range.last; ++i) {
        const auto body = run(substitute_bound(
            n.args[0], [&](Side side) { return algebra::coordinate(side, {}, i); }));
        if (!body) return std::nullopt;
        if (n.op == Op::sum_over) {
          for (const auto& [key, c] : *body) add_to(sums[0], key, c);
        } else if (n.op == Op::product_over) {
          if (!times(sums[0], body)) return std::nullopt;
        } else if (!next_symmetric(sums, n.degree, *body)) {
          return std::nullopt;
        }
        if (sums[0].size() > limit_) return std::nullopt;
      }
    }
    if (n.op != Op::symmetric_over) return sums[0];
    return n.degree < sums.size() ? sums[n.degree] : *constant(0);
  }

  bool next_symmetric(std::vector<Polynomial>& sums, std::uint32_t degree, const Polynomial& body) {
    if (sums.size() <= degree) sums.emplace_back();
    for (std::size_t j = sums.size() - 1; j > 0; --j) {
      Polynomial more = sums[j - 1];
      if (!times(more, body)) return false;
      for (const auto& [key, c] : more) add_to(sums[j], key, c);
      if (sums[j].size() > limit_) return false;
    }
    return true;
  }

  std::uint32_t d_;
  std::size_t limit_;
};

}  // namespace

namespace {

std::optional<std::size_t> exact_rank(const Polynomial& p) {
  std::map<Monomial, std::map<Monomial, Rational>> matrix;
  for (const auto& [key, c] : p) matrix[key.first][key.second] = c;
  std::vector<std::map<Monomial, Rational>> rows;
  rows.reserve(matrix.size());
  for (auto& [m, row] : matrix) rows.push_back(std::move(row));
  std::size_t rank = 0;
  try {
    while (!rows.empty()) {
      // The sparsest row as the pivot keeps the others sparse.
      const auto best = std::ranges::min_element(rows, {}, [](const auto& r) { return r.size(); });
      std::swap(*best, rows.back());
      const auto pivot = std::move(rows.back());
      rows.pop_back();
      if (pivot.empty()) continue;
      ++rank;
      const auto& [column, lead] = *pivot.begin();
      for (auto& row : rows) {
        const auto at = row.find(column);
        if (at == row.end()) continue;
        const Rational ratio = at->second / lead;
        for (const auto& [m, c] : pivot) {
          auto [entry, fresh] = row.try_emplace(m, Rational());
          entry->second = entry->second - ratio * c;
          if (entry->second.is_zero()) row.erase(entry);
        }
      }
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  return rank;
}

}  // namespace

std::optional<Polynomial> expand_polynomial(const Expr& e, std::uint32_t d, std::size_t limit) {
  constexpr std::uint32_t many = 64;
  if (d > many) return std::nullopt;
  try {
    return Expander(d, limit).run(e);
  } catch (const Error&) {
    return std::nullopt;  // a coefficient beyond the bound
  }
}

namespace {

// Arithmetic modulo the prime 2^61 - 1.
constexpr std::uint64_t prime = (std::uint64_t{1} << 61U) - 1;
__extension__ using Wide = unsigned __int128;

std::uint64_t times_mod(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(Wide{a} * b % prime);
}

std::uint64_t inverse_mod(std::uint64_t a) {  // a^(p-2)
  std::uint64_t result = 1;
  for (std::uint64_t n = prime - 2; n > 0; n >>= 1U) {
    if ((n & 1U) != 0) result = times_mod(result, a);
    a = times_mod(a, a);
  }
  return result;
}

std::uint64_t mod(const Integer& n) {
  const Integer r = n % prime;
  return (r.sign() < 0 ? Integer(r + prime) : r).convert_to<std::uint64_t>();
}

using Rows = std::vector<std::map<std::size_t, std::uint64_t>>;

std::size_t rank_mod(Rows rows) {
  std::size_t rank = 0;
  while (!rows.empty()) {
    const auto best = std::ranges::min_element(rows, {}, [](const auto& r) { return r.size(); });
    std::swap(*best, rows.back());
    const auto pivot = std::move(rows.back());
    rows.pop_back();
    if (pivot.empty()) continue;
    ++rank;
    const auto [column, lead] = *pivot.begin();
    const std::uint64_t inverse = inverse_mod(lead);
    for (auto& row : rows) {
      const auto at = row.find(column);
      if (at == row.end()) continue;
      const std::uint64_t ratio = times_mod(at->second, inverse);
      for (const auto& [j, c] : pivot) {
        auto& entry = row[j];
        entry = (entry + prime - times_mod(ratio, c)) % prime;
        if (entry == 0) row.erase(j);
      }
    }
  }
  return rank;
}

}  // namespace

std::optional<std::size_t> rank(const Polynomial& p) {
  // The rank modulo a prime is a lower bound, the number of monomials an upper one. Where they
  // meet, that is it; elsewhere small matrices are eliminated exactly.
  std::map<Monomial, std::size_t> row_of;
  std::map<Monomial, std::size_t> column_of;
  for (const auto& [key, c] : p) {
    row_of.try_emplace(key.first, row_of.size());
    column_of.try_emplace(key.second, column_of.size());
  }
  constexpr std::size_t largest = 400;
  if (std::min(row_of.size(), column_of.size()) > largest) return std::nullopt;
  Rows rows(row_of.size());
  for (const auto& [key, c] : p) {
    const Fraction value(c);
    const std::uint64_t below = mod(value.down);
    if (below == 0) return std::nullopt;
    const std::uint64_t entry = times_mod(mod(value.up), inverse_mod(below));
    if (entry != 0) rows[row_of[key.first]][column_of[key.second]] = entry;
  }
  const std::size_t lower = rank_mod(std::move(rows));
  if (lower == std::min(row_of.size(), column_of.size())) return lower;
  constexpr std::size_t small = 40;
  if (row_of.size() > small) return std::nullopt;
  return exact_rank(p);
}

}  // namespace mercer::algebra
