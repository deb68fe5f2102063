#include "kernel/print.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/text.hpp"
#include "kernel/catalogue/definition.hpp"
#include "kernel/form.hpp"
#include "kernel/open_call.hpp"
#include "kernel/recognise.hpp"
#include "kernel/transform.hpp"

namespace mercer::algebra {

namespace {

// How tightly a text holds together; a looser one is put in parentheses where a tighter is needed.
enum class Tight { sum, product, power, atom };

struct Text {
  std::string text;
  Tight tight = Tight::atom;
};

constexpr std::array<std::string_view, 9> function_names{"exp",  "log",  "cos",  "sin", "cosh",
                                                         "sinh", "tanh", "asin", "abs"};

// a*x[i] + b*z[i] for rational a, b as the vector it belongs to: "x-z"; empty for anything else.
std::string vector_text(const Expr& e) {
  std::string text;
  for (const auto& [c, side] : linear_vector(e).value_or(LinearVector{})) {
    if (c.sign() < 0) {
      text += "-";
    } else if (!text.empty()) {
      text += "+";
    }
    const Rational size = abs(c);
    if (!size.is_one()) text += size.text() + "*";
    text += side == Side::x ? "x" : "z";
  }
  return text;
}

// The vector v where e is the sum of v[i]^2 over all columns; empty for anything else.
std::string squared_norm_of(const Expr& e) {
  if (e->op != Op::sum_over || !e->columns.all()) return "";
  const Expr& body = e->args[0];
  if (body->op != Op::power || !is_number(body->args[1], 2)) return "";
  return vector_text(body->args[0]);
}

bool is_dot(const Expr& e) {
  if (e->op != Op::sum_over || !e->columns.all()) return false;
  const Expr& body = e->args[0];
  return body->op == Op::product && body->args.size() == 2 && is_bound(body->args[0], Side::x) &&
         is_bound(body->args[1], Side::z);
}

bool uses_only(const Expr& e) {
  if (e->op == Op::coordinate) return e->place == Place::only;
  return std::ranges::any_of(e->args, uses_only);
}

class Printer {
 public:
  // `keep_numbers`: write min(x, z) of numbers as min(x + 0, z), which cannot be taken for vectors.
  Printer(Naming naming, bool keep_numbers) : naming_(naming), keep_numbers_(keep_numbers) {}

  std::string run(const Expr& e) {
    free_ = static_cast<std::uint32_t>(std::bit_width(e->free_levels));
    return at_least(e, Tight::sum);
  }

  // Whether the text shows that x and z are numbers.
  [[nodiscard]] bool shows_numbers() const { return shows_numbers_; }

  std::string at_least(const Expr& e, Tight needed) {
    Text t = text(e);
    return t.tight < needed ? "(" + t.text + ")" : t.text;
  }

  Text text(const Expr& e) {
    if (const auto name = known_name(e)) return {*name, Tight::atom};
    if (e->op != Op::sum && e->op != Op::product) {
      if (const auto part = restriction_of(e))
        return {at_least(part->whole, Tight::atom) + part->columns.kernel_suffix(), Tight::atom};
    }
    switch (e->op) {
      case Op::number:
        return number(e->number);
      case Op::pi:
        return {"pi", Tight::atom};
      case Op::coordinate:
        return {coordinate(*e), Tight::atom};
      case Op::sum:
        return sum(*e);
      case Op::product:
        return product(1, e->args);
      case Op::power:
        return product(1, {e});
      case Op::function:
        return function(*e);
      case Op::minimum:
        return extremum("min", *e);
      case Op::maximum:
        return extremum("max", *e);
      case Op::sum_over:
        return reduction("sum", e);
      case Op::product_over:
        return reduction("prod", e);
      case Op::normalize:
        if (naming_ == Naming::formulas && is_dot(e->args[0]))
          return {"x.z/(|x|*|z|)", Tight::product};
        return {"normalize(" + at_least(e->args[0], Tight::sum) + ")", Tight::atom};
      case Op::chi: {
        const std::string a = at_least(e->args[0], Tight::product);
        const std::string b = at_least(e->args[1], Tight::product);
        return {"(" + a + " - " + b + ")^2/(" + a + " + " + b + ")", Tight::product};
      }
      case Op::user:
        return {"user(" + in_quotes(e->user->name) + ")" + e->columns.kernel_suffix(), Tight::atom};
      case Op::precomputed:
        return {"precomputed", Tight::atom};
      case Op::open_call:
        return {algebra::text(*e->open) + e->columns.kernel_suffix(), Tight::atom};
      case Op::symmetric_over:  // always known by name, except inside of messages
      case Op::matern:
        return {(e->op == Op::matern ? "matern" : "anova") + std::string("(…)"), Tight::atom};
    }
    return {};
  }

 private:
  [[nodiscard]] std::optional<std::string> known_name(const Expr& e) const {
    const bool needed_only = naming_ == Naming::formulas || e->as_number;
    if (needed_only && e->op != Op::matern && e->op != Op::symmetric_over) return std::nullopt;
    return recognise(e, needed_only);
  }

  static Text number(const Rational& value) {
    return {value.text(), value.sign() < 0             ? Tight::sum
                          : value.prints_as_fraction() ? Tight::product
                                                       : Tight::atom};
  }

  std::string coordinate(const Node& n) {
    std::string name = n.side == Side::x ? "x" : "z";
    switch (n.place) {
      case Place::bound:
        return name + "[" + index_name(n.index) + "]";
      case Place::only:
        shows_numbers_ = true;
        // A selection of columns of a selection is written as for kernels, behind a number.
        if (n.columns.steps().size() > 1) return "(" + name + " + 0)" + n.columns.kernel_suffix();
        return name + n.columns.kernel_suffix();
      case Place::fixed:
        break;
    }
    return name + std::to_string(n.index) + n.columns.kernel_suffix();
  }

  // The index of the reduction `level` outwards from here. Inside of a message about a part, the
  // reductions around it are not known and get names all the same.
  [[nodiscard]] std::string index_name(std::uint32_t level) const {
    constexpr std::string_view letters = "ijklmn";
    const std::uint32_t position = level < depth_ ? free_ + depth_ - 1 - level : level - depth_;
    if (position < letters.size()) return std::string(1, letters[position]);
    return "i" + std::to_string(position);
  }

  // ---- sums

  Text sum(const Node& n) {
    std::string text;
    const bool constant_first = n.number.sign() > 0 && n.coefficients[0].sign() < 0;
    if (constant_first) text = n.number.text();
    for (std::size_t i = 0; i < n.args.size(); ++i) {
      const auto [negative, term] = signed_term(n.coefficients[i], n.args[i]);
      if (text.empty()) {
        text = (negative ? "-" : "") + term.text;
        if (n.args.size() == 1 && n.number.is_zero() && !negative) return term;
      } else {
        text += (negative ? " - " : " + ") + term.text;
      }
    }
    if (!constant_first && !n.number.is_zero())
      text += (n.number.sign() < 0 ? " - " : " + ") + abs(n.number).text();
    return {text, Tight::sum};
  }

  struct SignedTerm {
    bool negative;
    Text term;  // at least as tight as a product
  };

  SignedTerm signed_term(const Rational& c, const Expr& e) {
    const Multiple shown = readable(c, e);
    if (shown.rest != e)
      if (const auto name = known_name(scale(c, e))) return {false, {*name, Tight::atom}};
    if (const auto name = known_name(e); name || (e->op != Op::product && e->op != Op::power)) {
      if (abs(c).is_one()) {
        Text t = text(e);
        if (t.tight < Tight::product) t = {"(" + t.text + ")", Tight::atom};
        return {c.sign() < 0, t};
      }
      return {c.sign() < 0, product(abs(c), {e})};
    }
    const std::vector<Expr> factors =
        shown.rest->op == Op::product ? shown.rest->args : std::vector<Expr>{shown.rest};
    return {shown.coefficient.sign() < 0, product(abs(shown.coefficient), factors)};
  }

  // ---- products

  // c * the factors, those with negative exponents below the bar.
  Text product(const Rational& c, const std::vector<Expr>& given) {
    std::vector<Expr> factors = given;
    std::stable_partition(factors.begin(), factors.end(), is_constant);
    std::vector<std::string> above;
    std::vector<std::string> below;
    const bool as_fraction = c.prints_as_fraction();
    const Rational up = as_fraction ? c.numerator() : c;
    if (!up.is_one()) above.push_back(up.text());
    Tight tight = Tight::product;
    if (const auto pair = matern_pair(factors)) above.push_back(*pair);
    for (const auto& e : factors) {
      const Text t = factor(e);
      (t.tight == Tight::product ? below : above).push_back(t.text);
      if (factors.size() == 1 && above.size() == 1 && below.empty()) tight = t.tight;
    }
    if (as_fraction) below.push_back(c.denominator().text());
    std::string text = above.empty() ? "1" : join(above);
    if (below.size() == 1) text += "/" + below[0];
    if (below.size() > 1) text += "/(" + join(below) + ")";
    if (above.size() == 1 && below.empty() && factors.empty()) tight = Tight::atom;
    return {text, above.size() > 1 || !below.empty() ? Tight::product : tight};
  }

  static std::string join(const std::vector<std::string>& parts) {
    std::string text;
    for (const auto& p : parts) text += (text.empty() ? "" : "*") + p;
    return text;
  }

  // matern(1.5) and matern(2.5) are products of two factors: taken out where they are found.
  [[nodiscard]] std::optional<std::string> matern_pair(std::vector<Expr>& factors) const {
    if (naming_ == Naming::formulas || factors.size() < 2) return std::nullopt;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (!is_function(factors[i], Function::exp)) continue;
      for (std::size_t j = 0; j < factors.size(); ++j) {
        if (factors[j]->op != Op::sum) continue;
        auto name = known_name(multiply(factors[i], factors[j]));
        if (!name) continue;
        const std::size_t first = std::max(i, j);
        factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(first));
        factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
        return name;
      }
    }
    return std::nullopt;
  }

  // One factor; `product` as tightness says that it is the text of what stands below the bar.
  Text factor(const Expr& e) {
    if (e->op == Op::power && is_number(e->args[1]) && !known_name(e) && !restriction_of(e))
      return raised(e->args[0], e->args[1]->number);
    if (e->op == Op::power && !is_number(e->args[1]))
      return {at_least(e->args[0], Tight::atom) + "^" + at_least(e->args[1], Tight::atom),
              Tight::power};
    return {at_least(e, Tight::power), Tight::power};
  }

  Text raised(const Expr& base, const Rational& exponent) {
    if (exponent.sign() < 0) return {raised(base, -exponent).text, Tight::product};
    const Rational half(1, 2);
    if (const auto vector = squared_norm_of(base); !vector.empty())
      return with_exponent("|" + vector + "|", Rational(2) * exponent);
    if (exponent == half) return {"sqrt(" + at_least(base, Tight::sum) + ")", Tight::atom};
    return with_exponent(at_least(base, Tight::atom), exponent);
  }

  static Text with_exponent(std::string base, const Rational& exponent) {
    if (exponent.is_one()) return {std::move(base), Tight::atom};
    const Text t = number(exponent);
    return {base + "^" + (t.tight == Tight::atom ? t.text : "(" + t.text + ")"), Tight::power};
  }

  // ---- functions and reductions

  Text function(const Node& n) {
    const std::string arg = at_least(n.args[0], Tight::sum);
    if (n.fn == Function::abs && !uses_only(n.args[0])) return {"|" + arg + "|", Tight::atom};
    return {std::string(function_names[static_cast<std::size_t>(n.fn)]) + "(" + arg + ")",
            Tight::atom};
  }

  Text extremum(const std::string& name, const Node& n) {
    const bool ambiguous = name == "min" && std::ranges::all_of(n.args, [](const Expr& e) {
                             return e->op == Op::coordinate && e->place == Place::only;
                           });
    const bool shown_before = shows_numbers_;
    std::string args;
    for (const auto& arg : n.args) {
      if (!args.empty()) args += ", ";
      args += at_least(arg, Tight::sum);
      if (ambiguous && keep_numbers_ && &arg == n.args.data()) args += " + 0";
    }
    if (ambiguous && !keep_numbers_) shows_numbers_ = shown_before;
    return {name + "(" + args + ")", Tight::atom};
  }

  Text reduction(const std::string& name, const Expr& e) {
    if (is_dot(e)) return {"x.z", Tight::power};
    if (const auto v = squared_norm_of(e); !v.empty()) return {"|" + v + "|^2", Tight::power};
    const Expr& body = e->args[0];
    if (e->op == Op::sum_over && e->columns.all() && is_function(body, Function::abs))
      if (const auto v = vector_text(body->args[0]); !v.empty())
        return {"|" + v + "|_1", Tight::atom};
    // Behind the reduction stands the selection, which counts for the whole body.
    const Expr counted = unrestricted(body, e->columns).value_or(body);
    ++depth_;
    const std::string index = index_name(0);
    const std::string inner = at_least(counted, Tight::sum);
    --depth_;
    return {name + "(" + index + ", " + inner + ")" + e->columns.kernel_suffix(), Tight::atom};
  }

  Naming naming_;
  bool keep_numbers_;
  bool shows_numbers_ = false;
  std::uint32_t depth_ = 0;
  std::uint32_t free_ = 0;  // reductions around the whole, whose indices have the first names
};

}  // namespace

std::string print_for_reading(const Expr& e, Naming naming) {
  return Printer(naming, false).run(e);
}

std::string print(const Expr& e, Naming naming) {
  Printer printer(naming, false);
  std::string text = printer.run(e);
  if (!e->as_number || printer.shows_numbers()) return text;
  return Printer(naming, true).run(e);
}

namespace {

KernelTree leaf(const Expr& e) {
  const std::string text = print(e);
  std::string formula = print(e, Naming::formulas);
  if (formula == text) formula.clear();
  return {text, std::move(formula), {}};
}

}  // namespace

KernelTree tree_of(const Expr& e) {
  if (recognise(e, e->as_number)) return leaf(e);
  KernelTree tree;
  const auto all_args = [&](const std::string& label) {
    tree.label = label;
    for (const auto& arg : e->args) tree.children.push_back(tree_of(arg));
  };
  switch (e->op) {
    case Op::sum:
      if (e->args.size() == 1 && e->number.is_zero()) {
        tree = tree_of(e->args[0]);
        KernelTree scaled{"times " + e->coefficients[0].text(), "", {std::move(tree)}};
        return scaled;
      }
      tree.label = "sum";
      for (std::size_t i = 0; i < e->args.size(); ++i)
        tree.children.push_back(tree_of(scale(e->coefficients[i], e->args[i])));
      if (!e->number.is_zero()) tree.children.push_back({e->number.text(), "", {}});
      break;
    case Op::product:
      all_args("product");
      break;
    case Op::power:
      if (is_number(e->args[1])) {
        tree = {"power " + e->args[1]->number.text(), "", {tree_of(e->args[0])}};
      } else {
        all_args("power");
      }
      break;
    case Op::function:
      all_args(std::string(function_names[static_cast<std::size_t>(e->fn)]));
      break;
    case Op::minimum:
      all_args("min");
      break;
    case Op::maximum:
      all_args("max");
      break;
    case Op::normalize:
      all_args("normalize");
      break;
    default:
      return leaf(e);
  }
  // Norms and the like are leaves: they read better as a whole.
  if (e->op == Op::power && e->args[0]->op == Op::sum_over) return leaf(e);
  tree.text = print(e);
  return tree;
}

}  // namespace mercer::algebra
