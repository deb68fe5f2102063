#include "feature/family.hpp"

#include <algorithm>
#include <mercer/error.hpp>

#include "kernel/transform.hpp"

namespace mercer::feature {

using algebra::Range;

namespace {

class Listed : public Family {
 public:
  explicit Listed(std::vector<Expr> functions) : functions_(std::move(functions)) {}
  [[nodiscard]] Count count() const override { return Count::of(functions_.size()); }
  [[nodiscard]] std::vector<Expr> first(std::size_t n) const override {
    const auto most = static_cast<std::ptrdiff_t>(std::min(n, functions_.size()));
    return {functions_.begin(), functions_.begin() + most};
  }

 private:
  std::vector<Expr> functions_;
};

class SideBySide : public Family {
 public:
  explicit SideBySide(std::vector<FamilyPtr> parts) : parts_(std::move(parts)) {}
  [[nodiscard]] Count count() const override {
    Count total = Count::of(0);
    for (const auto& p : parts_) total = total + p->count();
    return total;
  }
  [[nodiscard]] std::vector<Expr> first(std::size_t n) const override {
    std::vector<Expr> result;
    for (const auto& p : parts_) {
      if (result.size() == n) break;
      std::ranges::move(p->first(n - result.size()), std::back_inserter(result));
    }
    return result;
  }

 private:
  std::vector<FamilyPtr> parts_;
};

// The first n products of one from each list; the last list varies fastest.
std::vector<Expr> products(const std::vector<std::vector<Expr>>& lists, std::size_t n) {
  std::vector<Expr> result{algebra::number(1)};
  for (const auto& list : lists) {
    std::vector<Expr> next;
    for (const auto& f : result)
      for (const auto& g : list) {
        if (next.size() == n) break;
        next.push_back(algebra::multiply(f, g));
      }
    result = std::move(next);
  }
  if (result.size() > n) result.resize(n);
  return result;
}

class AllPairs : public Family {
 public:
  explicit AllPairs(std::vector<FamilyPtr> factors) : factors_(std::move(factors)) {}
  [[nodiscard]] Count count() const override {
    Count total = Count::of(1);
    for (const auto& f : factors_) total = total * f->count();
    return total;
  }
  [[nodiscard]] std::vector<Expr> first(std::size_t n) const override {
    std::vector<std::vector<Expr>> lists;
    lists.reserve(factors_.size());
    for (const auto& f : factors_) lists.push_back(f->first(n));
    return products(lists, n);
  }

 private:
  std::vector<FamilyPtr> factors_;
};

class Mapped : public Family {
 public:
  Mapped(std::function<Expr(const Expr&)> map, FamilyPtr functions)
      : map_(std::move(map)), functions_(std::move(functions)) {}
  [[nodiscard]] Count count() const override { return functions_->count(); }
  [[nodiscard]] std::vector<Expr> first(std::size_t n) const override {
    std::vector<Expr> result = functions_->first(n);
    for (auto& f : result) f = map_(f);
    return result;
  }

 private:
  std::function<Expr(const Expr&)> map_;
  FamilyPtr functions_;
};

class SymmetricPower : public Family {
 public:
  SymmetricPower(FamilyPtr functions, std::uint64_t n)
      : functions_(std::move(functions)), power_(n) {}

  [[nodiscard]] Count count() const override {
    const auto total =
        algebra::choose(functions_->count(), static_cast<std::int64_t>(power_) - 1, power_);
    if (!total) throw Error("there are too many features to count");
    return *total;
  }

  [[nodiscard]] std::vector<Expr> first(std::size_t n) const override {
    // Each of the first n products that takes in a new function adds at least one before the next:
    // no more than n + 1 functions are ever looked at.
    Walk walk{functions_->first(n + 1), n, {}};
    walk.visit(0, power_, algebra::number(1), Rational(1));
    return std::move(walk.found);
  }

 private:
  struct Walk {
    std::vector<Expr> base;
    std::size_t most;
    std::vector<Expr> found;

    // All products of functions from the i-th on to the power `left`; ways = n!/Π a_i! so far.
    void visit(std::size_t i, std::uint64_t left, const Expr& product, const Rational& ways) {
      if (found.size() == most) return;
      if (left == 0) {
        found.push_back(algebra::multiply(algebra::sqrt(algebra::number(ways)), product));
        return;
      }
      for (; i < base.size(); ++i) {
        const bool last = i + 1 == base.size();
        Rational choices = 1;  // C(left, a) for a = left downwards
        for (std::uint64_t a = left; a > 0 && found.size() < most; --a) {
          visit(i + 1, left - a, algebra::multiply(product, raised(base[i], a)), ways * choices);
          if (last) break;  // nothing is left that could take the rest
          choices = choices * Rational(static_cast<std::int64_t>(a)) /
                    Rational(static_cast<std::int64_t>(left - a + 1));
        }
        if (found.size() == most) return;
      }
    }

    static Expr raised(const Expr& f, std::uint64_t a) {
      return algebra::power(f, Rational(static_cast<std::int64_t>(a)));
    }
  };

  FamilyPtr functions_;
  std::uint64_t power_;
};

std::uint64_t size_of(const std::vector<Range>& columns) {
  std::uint64_t total = 0;
  for (const auto& r : columns) total += std::uint64_t{r.last} - r.first + 1;
  return total;
}

// The first n indices.
std::vector<std::uint32_t> indices(const std::vector<Range>& columns, std::size_t n) {
  std::vector<std::uint32_t> result;
  for (const auto& r : columns)
    for (std::uint32_t i = r.first; i <= r.last && result.size() < n; ++i) result.push_back(i);
  return result;
}

class Over : public Family {
 public:
  Over(std::vector<Range> columns, AtCoordinate at)
      : columns_(std::move(columns)), at_(std::move(at)) {}

 protected:
  [[nodiscard]] Count size() const { return Count::of(size_of(columns_)); }
  [[nodiscard]] Count each() const { return at_(columns_.front().first)->count(); }
  [[nodiscard]] FamilyPtr at(std::uint32_t i) const { return at_(i); }
  [[nodiscard]] const std::vector<Range>& columns() const { return columns_; }

 private:
  std::vector<Range> columns_;
  AtCoordinate at_;
};

class SideBySideOver : public Over {
 public:
  using Over::Over;
  [[nodiscard]] Count count() const override { return size() * each(); }
  [[nodiscard]] std::vector<Expr> first(std::size_t n) const override {
    std::vector<Expr> result;
    for (const auto i : indices(columns(), n)) {
      if (result.size() == n) break;
      std::ranges::move(at(i)->first(n - result.size()), std::back_inserter(result));
    }
    return result;
  }
};

constexpr std::size_t most_factors = 1000;

[[noreturn]] void too_many_factors() {
  throw Error("products over more than " + std::to_string(most_factors) +
              " coordinates are counted, but not written out");
}

class AllPairsOver : public Over {
 public:
  using Over::Over;
  [[nodiscard]] Count count() const override {
    const auto total = algebra::raise(each(), size());
    if (!total) throw Error("there are too many features to count");
    return *total;
  }
  [[nodiscard]] std::vector<Expr> first(std::size_t n) const override {
    if (n == 0) return {};
    if (size_of(columns()) > most_factors) too_many_factors();
    std::vector<std::vector<Expr>> lists;
    for (const auto i : indices(columns(), most_factors)) lists.push_back(at(i)->first(n));
    std::ranges::reverse(lists);  // 1, x1, x2, x1*x2, …
    return products(lists, n);
  }
};

class OverSets : public Over {
 public:
  OverSets(std::uint32_t degree, std::vector<Range> columns, AtCoordinate at)
      : Over(std::move(columns), std::move(at)), degree_(degree) {}

  [[nodiscard]] Count count() const override {
    const auto sets = algebra::choose(size(), 0, degree_);
    const auto in_each = algebra::raise(each(), Count::of(degree_));
    if (!sets || !in_each) throw Error("there are too many features to count");
    return *sets * *in_each;
  }

  [[nodiscard]] std::vector<Expr> first(std::size_t n) const override {
    if (n == 0 || degree_ > size_of(columns())) return {};
    if (degree_ > most_factors) too_many_factors();
    // Sets in lexicographic order: the first n of them are within the first degree + n indices.
    const auto index = indices(columns(), degree_ + n);
    std::vector<std::size_t> chosen(degree_);
    for (std::size_t j = 0; j < degree_; ++j) chosen[j] = j;
    std::vector<Expr> result;
    while (result.size() < n) {
      std::vector<std::vector<Expr>> lists;
      lists.reserve(degree_);
      for (const auto j : chosen) lists.push_back(at(index[j])->first(n));
      std::ranges::move(products(lists, n - result.size()), std::back_inserter(result));
      std::size_t j = degree_;
      while (j > 0 && chosen[j - 1] == index.size() - degree_ + j - 1) --j;
      if (j == 0) break;
      ++chosen[j - 1];
      for (std::size_t l = j; l < degree_; ++l) chosen[l] = chosen[l - 1] + 1;
    }
    return result;
  }

 private:
  std::uint32_t degree_;
};

}  // namespace

FamilyPtr listed(std::vector<Expr> functions) {
  return std::make_shared<Listed>(std::move(functions));
}

FamilyPtr side_by_side(std::vector<FamilyPtr> parts) {
  if (parts.size() == 1) return parts[0];
  return std::make_shared<SideBySide>(std::move(parts));
}

FamilyPtr all_pairs(std::vector<FamilyPtr> factors) {
  if (factors.size() == 1) return factors[0];
  return std::make_shared<AllPairs>(std::move(factors));
}

FamilyPtr times(const Expr& f, FamilyPtr functions) {
  if (is_number(f, 1)) return functions;
  return std::make_shared<Mapped>([f](const Expr& g) { return algebra::multiply(f, g); },
                                  std::move(functions));
}

FamilyPtr symmetric_power(FamilyPtr functions, std::uint64_t n) {
  if (n == 1) return functions;
  return std::make_shared<SymmetricPower>(std::move(functions), n);
}

FamilyPtr side_by_side_over(std::vector<Range> columns, AtCoordinate at) {
  return std::make_shared<SideBySideOver>(std::move(columns), std::move(at));
}

FamilyPtr all_pairs_over(std::vector<Range> columns, AtCoordinate at) {
  return std::make_shared<AllPairsOver>(std::move(columns), std::move(at));
}

FamilyPtr over_sets(std::uint32_t degree, std::vector<Range> columns, AtCoordinate at) {
  return std::make_shared<OverSets>(degree, std::move(columns), std::move(at));
}

Expr with_coordinate(const Expr& f, std::uint32_t placeholder, std::uint32_t i) {
  const auto leaf = [&](const Expr& e, std::uint32_t) {
    const bool is_it = e->op == algebra::Op::coordinate && e->place == algebra::Place::fixed &&
                       e->columns.all() && e->index == placeholder;
    return is_it ? algebra::coordinate(e->side, {}, i) : e;
  };
  return algebra::rewrite(f, {.leaf = leaf, .columns = {}});
}

FamilyPtr with_coordinate(const FamilyPtr& functions, std::uint32_t placeholder, std::uint32_t i) {
  return std::make_shared<Mapped>(
      [placeholder, i](const Expr& g) { return with_coordinate(g, placeholder, i); }, functions);
}

}  // namespace mercer::feature
