#include "plain_eval.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace plain {

namespace {

using Number = long double;

struct Undefined {
  std::string why;
};

// ---- real numbers with a bound on their rounding errors, in units of 2^-53

constexpr Number unit = 0x1p-53L;
constexpr Number slack = 64;  // several roundings where this counts one

class Arithmetic {
 public:
  bool doubtful = false;
  std::string why;

  void doubt(const std::string& reason) {
    if (!doubtful) why = reason;
    doubtful = true;
  }

  // Whether v could be 0 or of the other sign after rounding.
  static bool near_zero(const Value& v) {
    return !v.exact && std::fabs(v.value) <= slack * unit * v.scale;
  }

  // The result of an operation: errors of the operands are in `inherited`, its own is added.
  Value result(Number v, Number inherited, Number own, bool exact = false) {
    if (std::isnan(v)) throw Undefined{"not a number"};
    if (std::fabs(v) > static_cast<Number>(DBL_MAX)) throw Undefined{"overflow"};
    if (std::fabs(v) > 1e290L) doubt("close to overflow");
    if (v != 0 && std::fabs(v) < 1e-290L) doubt("close to underflow");
    const bool is_double = static_cast<Number>(static_cast<double>(v)) == v;
    return {v, inherited + own, exact && is_double};
  }

  Value add(const Value& a, const Value& b) {
    const Number v = a.value + b.value;
    const bool exact = a.exact && b.exact && v - a.value == b.value && v - b.value == a.value;
    return result(v, a.scale + b.scale, std::fabs(a.value) + std::fabs(b.value), exact);
  }

  static Value negate(const Value& a) { return {-a.value, a.scale, a.exact}; }

  Value subtract(const Value& a, const Value& b) { return add(a, negate(b)); }

  Value multiply(const Value& a, const Value& b) {
    const Number v = a.value * b.value;
    const bool exact = a.exact && b.exact && std::fma(a.value, b.value, -v) == 0;
    return result(v, std::fabs(a.value) * b.scale + std::fabs(b.value) * a.scale,
                  std::fabs(v) + unit * a.scale * b.scale, exact);
  }

  Value divide(const Value& a, const Value& b) {
    if (near_zero(b)) doubt("divisor near zero");
    if (b.value == 0) throw Undefined{"division by zero"};
    const Number v = a.value / b.value;
    // Exact only by a power of 2: others may be done by way of the reciprocal.
    int exponent = 0;
    const bool exact = a.exact && b.exact && std::fabs(std::frexp(b.value, &exponent)) == 0.5L;
    return result(v, (a.scale + std::fabs(v) * b.scale) / std::fabs(b.value), std::fabs(v), exact);
  }

  // f(a) with derivative `slope` there.
  Value smooth(const Value& a, Number v, Number slope, bool exact = false) {
    if (unit * a.scale * slack > 1e-6L * std::max<Number>(1, std::fabs(a.value)))
      doubt("too many digits lost before a function");
    return result(v, std::fabs(slope) * a.scale, std::fabs(v) + std::fabs(slope * a.value), exact);
  }

  Value exponential(const Value& a) {
    const Number v = std::exp(a.value);
    if (v < 1e-290L) doubt("close to underflow");
    return smooth(a, v, v, a.value == 0 && a.exact);
  }

  Value root(const Value& a) {
    if (near_zero(a)) doubt("root near zero");
    if (a.value < 0) throw Undefined{"root of a negative number"};
    if (a.value == 0) return {0, std::sqrt(a.scale), a.exact};
    const Number v = std::sqrt(a.value);
    return smooth(a, v, 0.5L / v, a.exact && std::fma(v, v, -a.value) == 0);
  }

  Value logarithm(const Value& a) {
    if (near_zero(a)) doubt("logarithm near zero");
    if (a.value <= 0) throw Undefined{"logarithm of a number <= 0"};
    return smooth(a, std::log(a.value), 1 / a.value, a.exact && a.value == 1);
  }

  Value arcsine(const Value& a) {
    const Number rest = 1 - std::fabs(a.value);
    if (std::fabs(rest) <= 1e-12L && !a.exact) doubt("arcsine near 1");
    if (rest < 0) {
      if (rest > -1e-12L) doubt("arcsine near 1");  // the library forgives rounding there
      throw Undefined{"arcsine beyond 1"};
    }
    if (rest == 0) return result(std::asin(a.value), a.scale, 2);
    return smooth(a, std::asin(a.value), 1 / std::sqrt(rest));
  }

  Value absolute(const Value& a) { return {std::fabs(a.value), a.scale, a.exact}; }

  // base^n by repeated multiplication, exact where every step is.
  Value whole_power(const Value& base, long n) {
    if (n < 0) {
      if (near_zero(base)) doubt("divisor near zero");
      if (base.value == 0) throw Undefined{"division by zero"};
    }
    Value v{1, 0};
    const long count = std::labs(n);
    if (count <= 64) {
      for (long i = 0; i < count; ++i) v = multiply(v, base);
      return n < 0 ? divide({1, 0}, v) : v;
    }
    const auto exponent = static_cast<Number>(n);
    const Number p = std::pow(base.value, exponent);
    if (base.value == 0) return {0, 0, base.exact};
    const Number slope = exponent * p / base.value;
    return result(p, std::fabs(slope) * base.scale, std::fabs(exponent) * std::fabs(p));
  }

  Value power(const Value& base, const Value& exponent) {
    const Number e = exponent.value;
    if (exponent.exact && e == std::floor(e) && std::fabs(e) <= 100000)
      return whole_power(base, static_cast<long>(e));
    if (!exponent.exact && std::fabs(e - std::round(e)) <= slack * unit * exponent.scale &&
        base.value <= 0)
      doubt("exponent near a whole number");
    if (near_zero(base)) doubt("base of a power near zero");
    if (base.value < 0 && e != std::floor(e)) throw Undefined{"real power of a negative number"};
    if (base.value == 0) {
      if (near_zero(exponent)) doubt("exponent of zero near zero");
      if (e < 0) throw Undefined{"division by zero"};
      return {e == 0 ? 1.0L : 0.0L, 0, base.exact && exponent.exact};
    }
    const Number v = std::pow(base.value, e);
    const Number by_base = std::fabs(e * v / base.value);
    const Number by_exponent = std::fabs(v * std::log(std::fabs(base.value)));
    if (unit * slack * (by_exponent * exponent.scale) > 1e-3L * std::fabs(v))
      doubt("too many digits lost before a power");
    return result(v, by_base * base.scale + by_exponent * exponent.scale,
                  std::fabs(v) * (1 + std::fabs(e)) + by_exponent * std::fabs(e));
  }

  Value lesser(const Value& a, const Value& b) {
    return {std::min(a.value, b.value), std::max(a.scale, b.scale), a.exact && b.exact};
  }

  Value greater(const Value& a, const Value& b) {
    return {std::max(a.value, b.value), std::max(a.scale, b.scale), a.exact && b.exact};
  }
};

// ---- the language

struct Operand {  // a number or a vector
  bool is_vector = false;
  std::vector<Value> values;
};

struct Binder {
  std::string name;
  Value at_x;
  Value at_z;
};

// Where an expression is read: the points, what the coordinates are called, the indices in force.
struct Scope {
  std::vector<double> x;
  std::vector<double> z;
  std::vector<std::string> names;
  std::vector<Binder> binders;
};

struct Parameter {
  std::string name;
  std::string initial;
};

const std::map<std::string, std::vector<Parameter>, std::less<>>& named_kernels() {
  static const std::map<std::string, std::vector<Parameter>, std::less<>> kernels{
      {"linear", {}},
      {"poly", {{"degree", "3"}, {"c", "1"}, {"gamma", "1"}}},
      {"rbf", {{"gamma", "0.5"}}},
      {"laplacian", {{"gamma", "1"}}},
      {"matern", {{"nu", "1.5"}, {"length", "1"}}},
      {"rq", {{"alpha", "1"}, {"length", "1"}}},
      {"periodic", {{"period", "1"}, {"length", "1"}}},
      {"sigmoid", {{"gamma", "1"}, {"c", "0"}}},
      {"cosine", {}},
      {"intersection", {}},
      {"chi2", {{"gamma", "1"}}},
      {"subsets", {}},
      {"anova", {{"degree", "2"}}},
      {"const", {{"c", "1"}}},
  };
  return kernels;
}

// Reads and computes in one go. What must be computed again elsewhere (the body of a sum, k(x,x)
// for normalize, k on some columns) is read again from the same place in another scope.
class Interpreter {
 public:
  Interpreter(std::string_view text, Arithmetic& arithmetic) : text_(text), a_(arithmetic) {}

  Value run(const Scope& scope) {
    scope_ = scope;
    at_ = 0;
    const Value v = scalar(expression());
    if (peek() != '\0') bad("something follows the expression");
    return v;
  }

 private:
  struct Selection {
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    std::vector<std::string> names;
  };

  // -- characters

  [[noreturn]] void bad(const std::string& what) const {
    throw std::invalid_argument(what + " at byte " + std::to_string(at_) + " of " +
                                std::string(text_));
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  char peek() {
    skip_spaces();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(std::string_view symbol) {
    skip_spaces();
    if (text_.substr(at_).starts_with(symbol)) {
      at_ += symbol.size();
      return true;
    }
    return false;
  }

  void require(std::string_view symbol) {
    if (!accept(symbol)) bad("expected " + std::string(symbol));
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  // -- values

  Value scalar(const Operand& o) const {
    if (o.values.size() != 1) bad("a vector where a number is needed");
    return o.values[0];
  }

  static Operand number(const Value& v) { return {false, {v}}; }

  Operand componentwise(const Operand& a, const std::function<Value(const Value&)>& f) const {
    Operand result{a.is_vector, {}};
    for (const auto& v : a.values) result.values.push_back(f(v));
    return result;
  }

  Value total(const std::vector<Value>& values) {
    Value sum{0, 0};
    for (const auto& v : values) sum = a_.add(sum, v);
    return sum;
  }

  Value inner_product(const Operand& a, const Operand& b) {
    if (!a.is_vector || !b.is_vector || a.values.size() != b.values.size())
      bad("an inner product of other things than two vectors");
    std::vector<Value> products;
    for (std::size_t i = 0; i < a.values.size(); ++i)
      products.push_back(a_.multiply(a.values[i], b.values[i]));
    return total(products);
  }

  Value norm(const Operand& a, int order) {
    if (!a.is_vector) return a_.absolute(scalar(a));
    if (order == 1) return total(componentwise(a, [&](auto& v) { return a_.absolute(v); }).values);
    if (a.values.size() == 1) return a_.absolute(a.values[0]);
    return a_.root(inner_product(a, a));
  }

  static Operand point(const std::vector<double>& p) {
    Operand result{true, {}};
    for (const double v : p) result.values.push_back({static_cast<Number>(v), 0});
    return result;
  }

  // -- grammar, from loose to tight

  Operand expression() {
    Operand left = product();
    for (;;) {
      const bool plus = accept("+");
      if (!plus && !accept("-") && !accept("−")) return left;
      const Operand right = product();
      if (left.is_vector && right.is_vector && left.values.size() == right.values.size()) {
        for (std::size_t i = 0; i < left.values.size(); ++i)
          left.values[i] = plus ? a_.add(left.values[i], right.values[i])
                                : a_.subtract(left.values[i], right.values[i]);
      } else {
        const Value r = scalar(right);
        left = number(plus ? a_.add(scalar(left), r) : a_.subtract(scalar(left), r));
      }
    }
  }

  Operand product() {
    Operand left = signed_power();
    for (;;) {
      const bool times = accept("*") || accept("×");
      if (!times && !accept("/")) return left;
      const Operand right = signed_power();
      if (!times) {
        const Value divisor = scalar(right);
        left = componentwise(left, [&](auto& v) { return a_.divide(v, divisor); });
      } else if (left.is_vector && right.is_vector) {
        left = number(a_.multiply(scalar(left), scalar(right)));
      } else {
        const Value factor = scalar(left.is_vector ? right : left);
        left = componentwise(left.is_vector ? left : right,
                             [&](auto& v) { return a_.multiply(factor, v); });
      }
    }
  }

  Operand signed_power() {
    if (accept("+")) return signed_power();
    if (accept("-") || accept("−"))
      return componentwise(signed_power(), [](auto& v) { return Arithmetic::negate(v); });
    Operand base = dotted();
    if (accept("²")) return number(a_.power(scalar(base), {2, 0}));
    if (!accept("^")) return base;
    return number(a_.power(scalar(base), scalar(signed_power())));
  }

  Operand dotted() {
    Operand left = selected();
    if (!accept(".") && !accept("·")) return left;
    return number(inner_product(left, selected()));
  }

  // A primary and the selections behind it. k of k[1:3] may be undefined on the whole point, so it
  // is passed over at first, and computed once its columns are known.
  Operand selected() {
    skip_spaces();
    const std::size_t begin = at_;
    const std::size_t end = end_of_primary();
    if (end >= text_.size() || text_[end] != '[') return primary();
    at_ = end;
    std::vector<Selection> steps;
    while (accept("[")) steps.push_back(selection());
    const std::size_t after = at_;
    const Scope outer = scope_;
    // From right to left: k[A][B] is k[A] on the columns B.
    std::ranges::reverse(steps);
    for (const auto& step : steps) scope_ = part(scope_, step);
    at_ = begin;
    Operand result = number(scalar(primary()));
    scope_ = outer;
    at_ = after;
    return result;
  }

  // The scope on some of its columns.
  Scope part(const Scope& whole, const Selection& step) const {
    Scope result;
    result.binders = whole.binders;
    for (const std::size_t i : positions(step, whole.x.size(), whole.names)) {
      result.x.push_back(whole.x[i]);
      result.z.push_back(whole.z[i]);
      if (!whole.names.empty()) result.names.push_back(whole.names[i]);
    }
    return result;
  }

  // The place behind the primary that starts here, by brackets alone, and behind spaces.
  std::size_t end_of_primary() {
    skip_spaces();
    const std::size_t begin = at_;
    std::size_t p = begin;
    if (p >= text_.size()) bad("the text ends too early");
    const auto bracketed = [&](std::size_t from) {
      int depth = 0;
      bool quoted = false;
      for (std::size_t q = from; q < text_.size(); ++q) {
        const char c = text_[q];
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '(' || c == '[') ++depth;
        if ((c == ')' || c == ']') && --depth == 0) return q + 1;
      }
      bad("brackets do not match");
    };
    if (text_[p] == '(') {
      p = bracketed(p);
    } else if (is_letter(text_[p])) {
      while (p < text_.size() && (is_letter(text_[p]) || is_digit(text_[p]) || text_[p] == '_'))
        ++p;
      const std::string_view name = text_.substr(begin, p - begin);
      if (name == "x" || name == "z" || is_coordinate(name)) return text_.size();  // not k[...]
      std::size_t q = p;
      while (q < text_.size() && text_[q] == ' ') ++q;
      if (q < text_.size() && text_[q] == '(') p = bracketed(q);
    } else {
      return text_.size();
    }
    while (p < text_.size() && text_[p] == ' ') ++p;
    return p;
  }

  static bool is_coordinate(std::string_view name) {
    if (name.size() < 2 || (name[0] != 'x' && name[0] != 'z')) return false;
    name.remove_prefix(name[1] == '_' ? 2 : 1);
    return !name.empty() && std::ranges::all_of(name, is_digit);
  }

  Selection selection() {
    Selection s;
    do {
      if (peek() == '"') {
        ++at_;
        const auto close = text_.find('"', at_);
        s.names.emplace_back(text_.substr(at_, close - at_));
        at_ = close + 1;
      } else {
        const auto first = static_cast<std::size_t>(literal());
        s.ranges.emplace_back(first, accept(":") ? static_cast<std::size_t>(literal()) : first);
      }
    } while (accept(","));
    require("]");
    return s;
  }

  // Which of the coordinates with these names (empty: unnamed) are meant, from 0.
  std::vector<std::size_t> positions(const Selection& s, std::size_t dimension,
                                     const std::vector<std::string>& names) const {
    std::vector<std::size_t> result;
    for (const auto& [first, last] : s.ranges)
      for (std::size_t i = first; i <= last; ++i) {
        if (i < 1 || i > dimension) bad("a column that is not there");
        result.push_back(i - 1);
      }
    for (const auto& name : s.names) {
      const std::size_t before = result.size();
      for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) result.push_back(i);
      if (result.size() == before) bad("no column of this name");
    }
    return result;
  }

  Number literal() {
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    const auto next = [&](std::size_t ahead) {
      return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    };
    if (next(0) == '.' && !is_letter(next(1))) {
      ++at_;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    }
    if (next(0) == 'e' || next(0) == 'E') {
      const std::size_t sign = next(1) == '-' || next(1) == '+' ? 1 : 0;
      if (is_digit(next(1 + sign))) {
        at_ += 1 + sign;
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
      }
    }
    if (at_ == begin) bad("a number was expected");
    return std::strtold(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr);
  }

  Operand primary() {
    const char c = peek();
    if (is_digit(c) || c == '.') {
      const Number v = literal();
      const bool exact = static_cast<Number>(static_cast<double>(v)) == v;
      return number({v, std::fabs(v), exact});
    }
    if (accept("(")) {
      Operand inner = expression();
      require(")");
      return inner;
    }
    if (accept("|") || accept("‖")) return bars();
    if (accept("<")) {
      const Operand left = expression();
      require(",");
      const Operand right = expression();
      require(">");
      return number(inner_product(left, right));
    }
    if (accept("π")) return number({std::numbers::pi_v<Number>, 4, false});
    if (is_letter(c)) return named();
    bad("an operand was expected");
  }

  Operand bars() {
    const Operand inner = expression();
    if (!accept("|")) require("‖");
    int order = 2;
    if (accept("_")) order = static_cast<int>(literal());
    return number(norm(inner, order));
  }

  std::string identifier() {
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || (text_[at_] == '_' && at_ > begin)))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Operand named() {
    std::string name = identifier();
    if (name == "x" || name == "z" || is_coordinate(name)) return of_point(std::move(name));
    if (name == "pi") return number({std::numbers::pi_v<Number>, 4, false});
    if (const auto found = named_kernels().find(name); found != named_kernels().end())
      return number(kernel(name, found->second));
    if (!accept("(")) bad("an unknown name");
    if (name == "sum" || name == "prod") return number(reduction(name == "sum"));
    if (name == "normalize") return number(normalized());
    Operand result = number(function(name));
    require(")");
    return result;
  }

  // x, z, x', x2, x'2, x2', x[2], x'[i], x[1:2]
  Operand of_point(std::string name) {
    bool of_z = name[0] == 'z';
    if (accept("'") || accept("′")) {
      of_z = true;
      if (name == "x") name += identifier();
    }
    const Operand whole = point(of_z ? scope_.z : scope_.x);
    if (name.size() > 1) {
      const auto index = std::stoul(name.substr(name[1] == '_' ? 2 : 1));
      if (index < 1 || index > whole.values.size()) bad("a coordinate that is not there");
      return number(whole.values[index - 1]);
    }
    Operand result = whole;
    std::vector<std::string> names = scope_.names;
    while (accept("[")) {
      if (is_letter(peek())) {
        const std::string index = identifier();
        require("]");
        return number(bound(index, of_z));
      }
      const auto chosen = positions(selection(), result.values.size(), names);
      Operand part{chosen.size() > 1, {}};
      std::vector<std::string> part_names;
      for (const std::size_t i : chosen) {
        part.values.push_back(result.values[i]);
        if (!names.empty()) part_names.push_back(names[i]);
      }
      result = part;
      names = part_names;
    }
    return result;
  }

  // The coordinate that an index stands for, the innermost of that name.
  Value bound(const std::string& index, bool of_z) const {
    const Binder* found = nullptr;
    for (const auto& b : scope_.binders)
      if (b.name == index) found = &b;
    if (!found) bad("an unknown index");
    return of_z ? found->at_z : found->at_x;
  }

  std::vector<Operand> arguments() {
    std::vector<Operand> result{expression()};
    while (accept(",")) result.push_back(expression());
    return result;
  }

  Value function(const std::string& name) {
    const auto args = arguments();
    if (name == "dot") return inner_product(args.at(0), args.at(1));
    if (name == "norm") return norm(args.at(0), 2);
    if (name == "norm1") return norm(args.at(0), 1);
    if (name == "min" || name == "max") return extremum(name, args);
    if (args.size() != 1) bad("one argument was expected");
    const Value u = scalar(args[0]);
    const Number v = u.value;
    const bool zero = v == 0 && u.exact;
    if (name == "exp") return a_.exponential(u);
    if (name == "log") return a_.logarithm(u);
    if (name == "sqrt") return a_.root(u);
    if (name == "cos") return a_.smooth(u, std::cos(v), 1, zero);
    if (name == "sin") return a_.smooth(u, std::sin(v), 1, zero);
    if (name == "cosh") return a_.smooth(u, std::cosh(v), std::sinh(v), zero);
    if (name == "sinh") return a_.smooth(u, std::sinh(v), std::cosh(v), zero);
    if (name == "tanh") return a_.smooth(u, std::tanh(v), 1 / (std::cosh(v) * std::cosh(v)), zero);
    if (name == "asin") return zero ? u : a_.arcsine(u);
    if (name == "abs") return a_.absolute(u);
    bad("an unknown function " + name);
  }

  Value extremum(const std::string& name, const std::vector<Operand>& args) {
    const auto of_two = [&](const Value& a, const Value& b) {
      return name == "min" ? a_.lesser(a, b) : a_.greater(a, b);
    };
    const bool vectors = std::ranges::all_of(args, [&](const Operand& o) {
      return o.is_vector && o.values.size() == args[0].values.size();
    });
    std::vector<Value> values(vectors ? args[0].values : std::vector<Value>{scalar(args[0])});
    for (const auto& arg : args)
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = of_two(values[i], vectors ? arg.values[i] : scalar(arg));
    if (vectors && name == "max" && values.size() > 1) bad("max of vectors");
    return total(values);
  }

  Value reduction(bool is_sum) {
    const std::string index = identifier();
    require(",");
    const std::size_t begin = at_;
    std::vector<Value> values;
    for (std::size_t i = 0; i < scope_.x.size(); ++i) {
      at_ = begin;
      scope_.binders.push_back(
          {index, {static_cast<Number>(scope_.x[i]), 0}, {static_cast<Number>(scope_.z[i]), 0}});
      values.push_back(scalar(expression()));
      scope_.binders.pop_back();
    }
    require(")");
    if (is_sum) return total(values);
    Value product{1, 0};
    for (const auto& v : values) product = a_.multiply(product, v);
    return product;
  }

  Value normalized() {
    const std::size_t begin = at_;
    const Scope both = scope_;
    const auto on_diagonal = [&](bool of_z) {
      Scope same = both;
      (of_z ? same.x : same.z) = of_z ? both.z : both.x;
      for (auto& b : same.binders) (of_z ? b.at_x : b.at_z) = of_z ? b.at_z : b.at_x;
      scope_ = same;
      at_ = begin;
      const Value v = scalar(expression());
      scope_ = both;
      return v;
    };
    const Value at_x = on_diagonal(false);
    const Value at_z = on_diagonal(true);
    require(")");
    const std::size_t end = at_;
    for (const auto& v : {at_x, at_z}) {
      if (Arithmetic::near_zero(v)) a_.doubt("k(x,x) near zero");
      if (v.value < 0) throw Undefined{"k(x,x) is negative"};
    }
    const bool zero = at_x.value == 0 || at_z.value == 0;
    Value v{0, 0};
    try {
      at_ = begin;
      v = scalar(expression());
      at_ = end;
    } catch (const Undefined&) {
      if (zero) a_.doubt("0 by definition, or undefined");
      throw;
    }
    if (zero) return {0, 0, at_x.exact && at_z.exact};
    return a_.divide(v, a_.multiply(a_.root(at_x), a_.root(at_z)));
  }

  // -- named kernels, each from its row of the table

  Value kernel(const std::string& name, const std::vector<Parameter>& parameters) {
    std::map<std::string, Value, std::less<>> given;
    if (accept("(") && !accept(")")) {
      std::size_t position = 0;
      do {
        const std::size_t begin = at_;
        std::string key = is_letter(peek()) ? identifier() : "";
        if (key.empty() || !accept("=")) {
          at_ = begin;
          if (position >= parameters.size()) bad("too many parameters");
          key = parameters[position].name;
        }
        given[key] = scalar(expression());
        ++position;
      } while (accept(","));
      require(")");
    }
    if (given.contains("sigma")) {
      const Value sigma = given["sigma"];
      given["gamma"] = a_.divide({1, 0}, a_.multiply({2, 0}, a_.multiply(sigma, sigma)));
    }
    for (const auto& p : parameters) {
      if (given.contains(p.name)) continue;
      given[p.name] = {std::strtold(p.initial.c_str(), nullptr), 1};
    }
    return kernel_value(name, given);
  }

  Value kernel_value(const std::string& name,
                     const std::map<std::string, Value, std::less<>>& given) {
    const auto p = [&](const char* key) { return given.at(key); };
    const Operand x = point(scope_.x);
    const Operand z = point(scope_.z);
    const std::size_t d = scope_.x.size();
    Operand difference = x;
    for (std::size_t i = 0; i < d; ++i)
      difference.values[i] = a_.subtract(x.values[i], z.values[i]);
    const auto exponential = [&](const Value& v) { return a_.exponential(v); };
    const auto dot = [&] { return inner_product(x, z); };
    const auto squared = [&] { return inner_product(difference, difference); };
    if (name == "linear") return dot();
    if (name == "poly")
      return a_.power(a_.add(a_.multiply(p("gamma"), dot()), p("c")), p("degree"));
    if (name == "rbf") return exponential(Arithmetic::negate(a_.multiply(p("gamma"), squared())));
    if (name == "laplacian")
      return exponential(Arithmetic::negate(a_.multiply(p("gamma"), norm(difference, 1))));
    if (name == "matern") return matern_kernel(p("nu"), p("length"), squared());
    if (name == "rq") {
      const Value width = a_.multiply({2, 0}, a_.multiply(p("alpha"), square(p("length"))));
      return a_.power(a_.add({1, 0}, a_.divide(squared(), width)), Arithmetic::negate(p("alpha")));
    }
    if (name == "periodic") {
      Value total{0, 0};
      for (const auto& v : difference.values) {
        const Value pi{std::numbers::pi_v<Number>, 4, false};
        const Value u = a_.divide(a_.multiply(pi, v), p("period"));
        const Value s = a_.smooth(u, std::sin(u.value), 1, u.value == 0 && u.exact);
        total = a_.add(total, square(s));
      }
      return exponential(
          Arithmetic::negate(a_.divide(a_.multiply({2, 0}, total), square(p("length")))));
    }
    if (name == "sigmoid") {
      const Value u = a_.add(a_.multiply(p("gamma"), dot()), p("c"));
      const Number c = std::cosh(u.value);
      return a_.smooth(u, std::tanh(u.value), 1 / (c * c), u.value == 0 && u.exact);
    }
    if (name == "cosine") {
      const Value at_x = inner_product(x, x);
      const Value at_z = inner_product(z, z);
      if (at_x.value == 0 || at_z.value == 0) return {0, 0};
      return a_.divide(dot(), a_.multiply(a_.root(at_x), a_.root(at_z)));
    }
    if (name == "const") return p("c");
    return coordinate_kernel(name, given, x, z);
  }

  Value coordinate_kernel(const std::string& name,
                          const std::map<std::string, Value, std::less<>>& given, const Operand& x,
                          const Operand& z) {
    const std::size_t d = x.values.size();
    Value total{0, 0};
    if (name == "intersection") {
      for (std::size_t i = 0; i < d; ++i)
        total = a_.add(total, a_.lesser(x.values[i], z.values[i]));
      return total;
    }
    if (name == "chi2") {
      for (std::size_t i = 0; i < d; ++i) {
        const Value& a = x.values[i];
        const Value& b = z.values[i];
        if (a.value == 0 && b.value == 0) continue;
        total = a_.add(total, a_.divide(square(a_.subtract(a, b)), a_.add(a, b)));
      }
      return a_.exponential(Arithmetic::negate(a_.multiply(given.at("gamma"), total)));
    }
    if (name == "subsets") {
      Value product{1, 0};
      for (std::size_t i = 0; i < d; ++i)
        product = a_.multiply(product, a_.add({1, 0}, a_.multiply(x.values[i], z.values[i])));
      return product;
    }
    if (name != "anova") bad("an unknown kernel " + name);
    const auto degree = static_cast<int>(given.at("degree").value);
    for (std::size_t set = 0; set < std::size_t{1} << d; ++set) {
      if (__builtin_popcountll(set) != degree) continue;
      Value product{1, 0};
      for (std::size_t i = 0; i < d; ++i)
        if ((set >> i & 1) != 0)
          product = a_.multiply(product, a_.multiply(x.values[i], z.values[i]));
      total = a_.add(total, product);
    }
    return total;
  }

  Value square(const Value& v) { return a_.multiply(v, v); }

  Value matern_kernel(const Value& nu, const Value& length, const Value& squared) {
    const Value distance = a_.root(squared);
    const Value t =
        a_.divide(a_.multiply(a_.root(a_.multiply({2, 0}, nu)), distance), a_.absolute(length));
    const Number v = matern(nu.value, t.value);
    if (v < 1e-290L) a_.doubt("close to underflow");
    // t M'(t) is bounded by a multiple of 1 + t for nu >= 1/2, and by 2 nu near 0.
    return a_.result(v, (1 + nu.value) * (t.value > 0 ? t.scale / t.value : 0),
                     (1 + t.value + nu.value) * 4);
  }

  std::string_view text_;
  Arithmetic& a_;
  std::size_t at_ = 0;
  Scope scope_;
};

}  // namespace

long double matern(long double nu, long double t) {
  if (t == 0) return 1;
  // K_nu(t) is also half of ∫ exp(-t cosh u + nu u) du over all u: one peak, where t sinh u = nu,
  // and faster than exponential decay on both sides of it.
  const auto exponent = [&](Number u) { return -t * std::cosh(u) + nu * u; };
  const Number peak = std::asinh(nu / t);
  const Number top = exponent(peak);
  const Number step = std::min<Number>(0.05L, 1 / (6 * std::sqrt(std::hypot(t, nu))));
  constexpr Number negligible = -60;
  Number total = 1;
  for (const Number direction : {step, -step}) {
    for (int i = 1;; ++i) {
      const Number e = exponent(peak + static_cast<Number>(i) * direction) - top;
      total += std::exp(e);
      if (e < negligible) break;
    }
  }
  const Number log_k = top + std::log(total * step / 2);
  return std::exp((1 - nu) * std::numbers::ln2_v<Number> - std::lgamma(nu) + nu * std::log(t) +
                  log_k);
}

Outcome evaluate(std::string_view text, std::span<const double> x, std::span<const double> z,
                 std::span<const std::string> names) {
  Arithmetic arithmetic;
  Outcome outcome;
  try {
    const Scope scope{{x.begin(), x.end()}, {z.begin(), z.end()}, {names.begin(), names.end()}, {}};
    outcome.value = Interpreter(text, arithmetic).run(scope);
  } catch (const Undefined& u) {
    outcome.why = u.why;
    // Beyond the range of a double is no place for conclusions either.
    if (u.why == "overflow") arithmetic.doubtful = true;
  }
  outcome.doubtful = arithmetic.doubtful;
  if (outcome.why.empty()) outcome.why = arithmetic.why;
  return outcome;
}

long double value(std::string_view text, std::span<const double> x, std::span<const double> z,
                  std::span<const std::string> names) {
  const Outcome outcome = evaluate(text, x, z, names);
  if (!outcome.value) throw std::domain_error(outcome.why);
  return outcome.value->value;
}

}  // namespace plain
