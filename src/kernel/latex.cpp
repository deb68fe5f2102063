#include "kernel/latex.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "kernel/form.hpp"
#include "kernel/open_call.hpp"

namespace mercer::algebra {

namespace {

enum class Tight { sum, product, power, atom };

struct Tex {
  std::string text;
  Tight tight = Tight::atom;
};

constexpr std::array<std::string_view, 9> function_names{R"(\exp)",  R"(\log)",    R"(\cos)",
                                                         R"(\sin)",  R"(\cosh)",   R"(\sinh)",
                                                         R"(\tanh)", R"(\arcsin)", ""};

std::string in_parentheses(const std::string& text) { return R"(\left()" + text + R"(\right))"; }

// x - z where e is x_i - z_i: the vector that a sum over all coordinates runs through.
std::string vector_of(const Expr& e) {
  std::string text;
  for (const auto& [c, side] : linear_vector(e).value_or(LinearVector{})) {
    if (c.sign() < 0) {
      text += "-";
    } else if (!text.empty()) {
      text += "+";
    }
    if (!abs(c).is_one()) text += latex(abs(c));
    text += side == Side::x ? "x" : "z";
  }
  return text;
}

class Printer {
 public:
  std::string run(const Expr& e) {
    free_ = static_cast<std::uint32_t>(std::bit_width(e->free_levels));
    return tex(e).text;
  }

 private:
  std::string at_least(const Expr& e, Tight needed) {
    Tex t = tex(e);
    return t.tight < needed ? in_parentheses(t.text) : t.text;
  }

  Tex tex(const Expr& e) {
    switch (e->op) {
      case Op::number:
        return {latex(e->number), e->number.sign() < 0 ? Tight::sum : Tight::atom};
      case Op::pi:
        return {R"(\pi)"};
      case Op::coordinate:
        return {coordinate(*e)};
      case Op::sum:
        return sum(*e);
      case Op::product:
        return product(1, e->args);
      case Op::power:
        if (!is_number(e->args[1]))
          return {at_least(e->args[0], Tight::atom) + "^{" + run(e->args[1]) + "}", Tight::power};
        return product(1, {e});
      case Op::function:
        return function(*e);
      case Op::minimum:
        return {R"(\min)" + in_parentheses(list(e->args))};
      case Op::maximum:
        return {R"(\max)" + in_parentheses(list(e->args))};
      case Op::sum_over:
      case Op::product_over:
      case Op::symmetric_over:
        return reduction(*e);
      case Op::normalize:
        return {R"(\operatorname{normalize})" + in_parentheses(run(e->args[0]))};
      case Op::chi: {
        const std::string a = at_least(e->args[0], Tight::product);
        const std::string b = at_least(e->args[1], Tight::product);
        return {R"(\frac{()" + a + "-" + b + R"()^2}{)" + a + "+" + b + "}", Tight::product};
      }
      case Op::matern:
        return {R"(\operatorname{Mat\acute{e}rn}_{)" + latex(e->number) + "}" +
                in_parentheses(raised(e->args[0], Rational(1, 2)).text)};
      case Op::user:
        return {R"(\operatorname{user}(x,z))"};
      case Op::precomputed:
        return {R"(K_{x,z})"};
      case Op::open_call:
        return {R"(\operatorname{open}(x,z))"};
    }
    return {};
  }

  std::string list(const std::vector<Expr>& args) {
    std::string text;
    for (const auto& arg : args) text += (text.empty() ? "" : ", ") + run(arg);
    return text;
  }

  std::string coordinate(const Node& n) const {
    std::string name = n.side == Side::x ? "x" : "z";
    switch (n.place) {
      case Place::only:
        return name;
      case Place::fixed:
        return name + "_{" + std::to_string(n.index) + "}";
      case Place::bound:
        break;
    }
    return name + "_{" + index_name(n.index) + "}";
  }

  [[nodiscard]] std::string index_name(std::uint32_t level) const {
    constexpr std::string_view letters = "ijklmn";
    const std::uint32_t position = level < depth_ ? free_ + depth_ - 1 - level : level - depth_;
    if (position < letters.size()) return std::string(1, letters[position]);
    return "i_{" + std::to_string(position) + "}";
  }

  Tex sum(const Node& n) {
    std::string text;
    const bool constant_first = n.number.sign() > 0 && n.coefficients[0].sign() < 0;
    if (constant_first) text = latex(n.number);
    for (std::size_t i = 0; i < n.args.size(); ++i) {
      const Expr& e = n.args[i];
      const Rational size = abs(n.coefficients[i]);
      Tex term = product(size, e->op == Op::product ? e->args : std::vector<Expr>{e});
      if (n.coefficients[i].sign() < 0) {
        text += (text.empty() ? "-" : " - ") + term.text;
      } else {
        if (n.args.size() == 1 && n.number.is_zero()) return term;
        text += (text.empty() ? "" : " + ") + term.text;
      }
    }
    if (!constant_first && !n.number.is_zero())
      text += (n.number.sign() < 0 ? " - " : " + ") + latex(abs(n.number));
    return {text, Tight::sum};
  }

  // c times the factors, as a fraction where some have negative exponents.
  Tex product(const Rational& c, const std::vector<Expr>& factors) {
    std::vector<Tex> above;
    std::vector<Tex> below;
    const auto numeral = [](std::vector<Tex>& to, const Rational& n) {
      if (!n.is_one()) to.push_back({latex(n), Tight::atom});
    };
    const bool as_fraction = c.prints_as_fraction();
    numeral(above, as_fraction ? c.numerator() : c);
    if (as_fraction) numeral(below, c.denominator());
    for (const auto& e : factors) {
      if (e->op == Op::power && is_number(e->args[1])) {
        const Rational& r = e->args[1]->number;
        (r.sign() < 0 ? below : above).push_back(raised(e->args[0], abs(r)));
      } else {
        above.push_back(tex(e));
      }
    }
    if (below.empty() && above.size() == 1) return above[0];
    Tex up = joined(above);
    if (below.empty()) return up;
    return {R"(\frac{)" + up.text + "}{" + joined(below).text + "}", Tight::product};
  }

  static Tex joined(const std::vector<Tex>& factors) {
    if (factors.empty()) return {"1"};
    if (factors.size() == 1) return factors[0];
    std::string text;
    for (const auto& f : factors) {
      if (!text.empty()) text += R"(\, )";
      text += f.tight == Tight::sum ? in_parentheses(f.text) : f.text;
    }
    return {text, Tight::product};
  }

  Tex raised(const Expr& base, const Rational& exponent) {
    if (base->op == Op::sum_over && base->columns.all()) {
      const Expr& body = base->args[0];
      if (body->op == Op::power && is_number(body->args[1], 2))
        if (const auto v = vector_of(body->args[0]); !v.empty())
          return with_exponent(R"(\|)" + v + R"(\|)", Rational(2) * exponent);
    }
    if (exponent == Rational(1, 2)) return {R"(\sqrt{)" + run(base) + "}"};
    if (exponent.is_one()) return tex(base);
    return with_exponent(at_least(base, Tight::atom), exponent);
  }

  static Tex with_exponent(const std::string& base, const Rational& exponent) {
    if (exponent.is_one()) return {base};
    return {base + "^{" + latex(exponent) + "}", Tight::power};
  }

  Tex function(const Node& n) {
    const std::string arg = run(n.args[0]);
    if (n.fn == Function::abs) return {R"(\left|)" + arg + R"(\right|)"};
    return {std::string(function_names[static_cast<std::size_t>(n.fn)]) + in_parentheses(arg)};
  }

  Tex reduction(const Node& n) {
    const Expr& body = n.args[0];
    if (n.op == Op::sum_over && n.columns.all()) {
      if (body->op == Op::product && body->args.size() == 2 && is_bound(body->args[0], Side::x) &&
          is_bound(body->args[1], Side::z))
        return {R"(x \cdot z)", Tight::product};
      if (body->op == Op::power && is_number(body->args[1], 2))
        if (const auto v = vector_of(body->args[0]); !v.empty())
          return {R"(\|)" + v + R"(\|^{2})", Tight::power};
      if (is_function(body, Function::abs))
        if (const auto v = vector_of(body->args[0]); !v.empty()) return {R"(\|)" + v + R"(\|_{1})"};
    }
    ++depth_;
    const std::string inner = at_least(body, Tight::product);
    std::string range = index_name(0);
    --depth_;
    if (!n.columns.all()) range += R"( \in )" + n.columns.kernel_suffix();
    if (n.op == Op::symmetric_over)
      return {R"(\sum_{|S|=)" + std::to_string(n.degree) + R"(} \prod_{)" + range + R"( \in S} )" +
                  inner,
              Tight::product};
    return {(n.op == Op::sum_over ? R"(\sum_{)" : R"(\prod_{)") + range + "} " + inner,
            Tight::product};
  }

  std::uint32_t depth_ = 0;
  std::uint32_t free_ = 0;  // reductions around the whole, whose indices have the first names
};

}  // namespace

std::string latex(const Rational& value) {
  if (value.prints_as_fraction())
    return (value.sign() < 0 ? "-" : "") +
           (R"(\frac{)" + abs(value).numerator().text() + "}{" + value.denominator().text() + "}");
  std::string text = value.text();
  const auto e = text.find('e');
  if (e == std::string::npos) return text;
  return text.substr(0, e) + R"( \cdot 10^{)" + text.substr(e + 1) + "}";
}

std::string latex(const Expr& e) { return Printer().run(e); }

}  // namespace mercer::algebra
