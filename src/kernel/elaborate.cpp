#include "kernel/elaborate.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mercer/error.hpp>

#include "base/text.hpp"
#include "kernel/arguments.hpp"
#include "kernel/catalogue/definition.hpp"
#include "kernel/transform.hpp"
#include "kernel/user_functions.hpp"

namespace mercer::algebra {

namespace {

using Kind = Syntax::Kind;

// A number, or a vector: the coordinate i of it, as an expression in bound coordinates of level 0,
// for i in the columns.
struct Value {
  bool is_vector = false;
  Expr expr;
  Columns columns;
};

constexpr std::array<std::string_view, 9> one_argument_functions = {
    "exp", "log", "cos", "sin", "cosh", "sinh", "tanh", "asin", "abs"};

std::optional<Function> function_named(std::string_view name) {
  const auto found = std::ranges::find(one_argument_functions, name);
  if (found == one_argument_functions.end()) return std::nullopt;
  return static_cast<Function>(found - one_argument_functions.begin());
}

// The index of x3, x_3 or z3; 0 where the name is not of that form.
std::uint64_t coordinate_index(std::string_view name) {
  if (name.size() < 2 || (name[0] != 'x' && name[0] != 'z')) return 0;
  name.remove_prefix(name[1] == '_' ? 2 : 1);
  if (name.empty() || name.size() > 18) return 0;
  std::uint64_t index = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return 0;
    index = index * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return index;
}

bool is_point(const Syntax& s) { return s.kind == Kind::name && (s.text == "x" || s.text == "z"); }

class Elaborator {
 public:
  Elaborator(std::string_view text, std::optional<std::uint32_t> dimension,
             const std::vector<Argument>* parameters)
      : text_(text), dimension_(dimension), parameters_(parameters) {}

  Expr run() {
    const Syntax syntax = parse_syntax(text_);
    return number(syntax);
  }

 private:
  [[noreturn]] void fail(const Syntax& s, const std::string& message,
                         const std::string& expected = {},
                         const std::string& suggestion = {}) const {
    algebra::fail(text_, s.span, message, expected, suggestion);
  }

  // The value of a part; mistakes found while building it are shown at the part.
  Value value(const Syntax& s) {
    try {
      return meaning(s);
    } catch (const ParseError&) {
      throw;
    } catch (const Error& e) {
      fail(s, e.what());
    }
  }

  Expr number(const Syntax& s) { return as_number(value(s), s); }

  Expr as_number(const Value& v, const Syntax& s) {
    if (!v.is_vector) return v.expr;
    if (v.columns.all() && dimension_ && *dimension_ != 1)
      fail(s, "a vector of dimension " + std::to_string(*dimension_) + " where a number is needed",
           "a coordinate (x1), a norm (|x-z|) or an inner product (x.z), or dimension 1");
    try {
      return substitute_bound(v.expr, [&](Side side) { return only_coordinate(side, v.columns); });
    } catch (const Error& e) {
      fail(s, e.what());
    }
  }

  Value meaning(const Syntax& s) {
    switch (s.kind) {
      case Kind::number:
        return scalar(algebra::number(s.number));
      case Kind::name:
        return name(s);
      case Kind::call:
        return call(s);
      case Kind::text:
        fail(s, "a text in quotes outside of a selection of columns",
             R"(user("name") or k["column"])");
      case Kind::open:
        fail(s, "an open parameter outside of a named kernel", "a number");
      case Kind::sum:
        return sum(s);
      case Kind::product:
        return product(s);
      case Kind::negate: {
        Value v = value(s.args[0]);
        v.expr = scale(-1, v.expr);
        return v;
      }
      case Kind::power:
        return scalar(power(number(s.args[0]), number(s.args[1])));
      case Kind::dot:
        return scalar(dot(s.args[0], s.args[1]));
      case Kind::bars:
        return scalar(norm(s.args[0], s.norm));
      case Kind::select:
        return select(s);
    }
    fail(s, "unreadable");
  }

  static Value scalar(Expr e) { return {false, std::move(e), {}}; }

  static Value point(Side side) { return {true, bound_coordinate(side, 0), {}}; }

  Value name(const Syntax& s) {
    if (parameters_) {
      for (const auto& p : *parameters_)
        if (p.name == s.text) return scalar(p.value);
    }
    if (s.primed && s.text != "x" && (s.text[0] != 'x' || coordinate_index(s.text) == 0))
      fail(s, "only x has a prime: x' is z");
    if (s.text == "x") return point(s.primed ? Side::z : Side::x);
    if (s.text == "z") return point(Side::z);
    if (s.text == "pi") return scalar(pi());
    if (const auto index = coordinate_index(s.text)) {
      if (index > Columns::max_index)
        fail(s, "coordinate beyond the largest", "at most 2147483647");
      check_index(s, index);
      const Side side = s.text[0] == 'x' && !s.primed ? Side::x : Side::z;
      return scalar(coordinate(side, {}, static_cast<std::uint32_t>(index)));
    }
    if (s.text == "x0" || s.text == "z0")
      fail(s, "coordinates are counted from 1", std::string(1, s.text[0]) + "1");
    if (find_definition(s.text)) return named_kernel(s);
    if (std::ranges::find(binders_, s.text) != binders_.end())
      fail(s, "'" + s.text + "' is an index", "x[" + s.text + "] or z[" + s.text + "]");
    const auto functions = language_functions();
    if (std::ranges::find(functions, s.text) != functions.end())
      fail(s, "'" + s.text + "' is a function", "its argument in parentheses: " + s.text + "(…)");
    unknown_name(s);
  }

  void check_index(const Syntax& s, std::uint64_t index) const {
    if (dimension_ && index > *dimension_)
      fail(s, "there is no coordinate " + std::to_string(index) + " in dimension " +
                  std::to_string(*dimension_));
  }

  [[noreturn]] void unknown_name(const Syntax& s) const {
    // What other libraries and books call them.
    static const std::map<std::string_view, std::string_view> elsewhere{
        {"gaussian", "rbf"},
        {"gauss", "rbf"},
        {"squared_exponential", "rbf"},
        {"ln", "log"},
        {"arcsin", "asin"},
        {"exponential", "matern"},
        {"brownian", "min"},
        {"histogram", "intersection"},
        {"rational_quadratic", "rq"},
        {"all_subsets", "subsets"},
        {"constant", "const"},
        {"product", "prod"}};
    if (const auto found = elsewhere.find(s.text); found != elsewhere.end())
      fail(s, "unknown name '" + s.text + "'", "a kernel, a function, x or z",
           std::string(found->second));
    std::vector<std::string_view> known(binders_.begin(), binders_.end());
    for (const auto& d : definitions()) known.push_back(d.info.name);
    for (const auto f : language_functions()) known.push_back(f);
    algebra::fail(text_, {s.span.begin, s.span.begin + s.text.size()},
                  "unknown name '" + s.text + "'", "a kernel, a function, x or z",
                  nearest(s.text, known));
  }

  Value sum(const Syntax& s) {
    std::vector<Value> values;
    for (const auto& arg : s.args) values.push_back(value(arg));
    const bool vectors = std::ranges::all_of(
        values, [&](const Value& v) { return v.is_vector && v.columns == values[0].columns; });
    std::vector<Term> terms;
    for (std::size_t i = 0; i < values.size(); ++i)
      terms.push_back(
          {s.inverse[i] ? -1 : 1, vectors ? values[i].expr : as_number(values[i], s.args[i])});
    Expr total = algebra::sum(terms);
    return vectors ? Value{true, total, values[0].columns} : scalar(total);
  }

  // Number times vector is a vector, vector times vector a product of numbers.
  Value product(const Syntax& s) {
    std::vector<Expr> numbers;  // multiplied at once: one by one would take quadratic time
    std::optional<Value> vector;
    const Syntax* vector_at = nullptr;
    for (std::size_t i = 0; i < s.args.size(); ++i) {
      const Value factor = value(s.args[i]);
      if (s.inverse[i]) {
        numbers.push_back(power(as_number(factor, s.args[i]), Rational(-1)));
      } else if (!factor.is_vector) {
        numbers.push_back(factor.expr);
      } else if (!vector) {
        vector = factor;
        vector_at = &s.args[i];
      } else {
        numbers.push_back(as_number(*vector, *vector_at));
        numbers.push_back(as_number(factor, s.args[i]));
        vector.reset();
      }
    }
    if (!vector) return scalar(multiply(numbers));
    for (auto& e : numbers) e = shift_out(e);
    numbers.push_back(vector->expr);
    return {true, multiply(numbers), vector->columns};
  }

  Expr dot(const Syntax& left, const Syntax& right) {
    const Value a = value(left);
    const Value b = value(right);
    for (const auto& [v, s] : {std::pair{&a, &left}, std::pair{&b, &right}})
      if (!v->is_vector)
        fail(*s, "an inner product of a number", "a vector such as x, z or x-z (numbers: a*b)");
    if (a.columns != b.columns) fail(right, "an inner product of vectors over different columns");
    return sum_over(a.columns, multiply(a.expr, b.expr));
  }

  Expr norm(const Syntax& s, int order) {
    const Value v = value(s);
    if (!v.is_vector) return apply_function(Function::abs, v.expr);
    if (order == 1) return sum_over(v.columns, apply_function(Function::abs, v.expr));
    return sqrt(sum_over(v.columns, power(v.expr, Rational(2))));
  }

  Value select(const Syntax& s) {
    const Syntax& inner = s.args[0];
    if (!s.index.empty()) {
      const auto found = std::ranges::find(binders_.rbegin(), binders_.rend(), s.index);
      if (!is_point(inner)) fail(s, "only x and z have coordinates", "x[" + s.index + "]");
      if (found == binders_.rend())
        fail(s, "'" + s.index + "' is not the index of a sum or product around it",
             "sum(" + s.index + ", …), a number, or a column in \"quotes\"");
      const auto level = static_cast<std::uint32_t>(found - binders_.rbegin());
      const Side side = inner.text == "x" && !inner.primed ? Side::x : Side::z;
      return scalar(bound_coordinate(side, level));
    }
    check_index(s, s.columns.least_dimension());
    Value v = value(inner);
    if (v.is_vector) {  // part of a vector; a single coordinate is a number
      v.columns = s.columns.within(v.columns);
      if (v.columns.count() == 1) return scalar(as_number(v, s));
      return v;
    }
    return scalar(restrict_to(v.expr, s.columns));
  }

  // ---- calls

  void count(const Syntax& s, std::size_t wanted, const char* example) const {
    for (std::size_t i = 0; i < s.args.size(); ++i)
      if (!s.arg_names[i].empty()) fail(s, "'" + s.text + "' takes no named arguments", example);
    if (s.args.size() != wanted)
      fail(s,
           "'" + s.text + "' takes " + std::to_string(wanted) +
               (wanted == 1 ? " argument" : " arguments") + ", not " +
               std::to_string(s.args.size()),
           example);
  }

  Value call(const Syntax& s) {
    if (const auto fn = function_named(s.text)) {
      count(s, 1, (s.text + "(…)").c_str());
      return scalar(apply_function(*fn, number(s.args[0])));
    }
    if (s.text == "sqrt") {
      count(s, 1, "sqrt(…)");
      return scalar(sqrt(number(s.args[0])));
    }
    if (s.text == "norm" || s.text == "norm1") {
      count(s, 1, "norm(x-z)");
      return scalar(norm(s.args[0], s.text == "norm" ? 2 : 1));
    }
    if (s.text == "dot") {
      count(s, 2, "dot(x,z)");
      return scalar(dot(s.args[0], s.args[1]));
    }
    if (s.text == "min" || s.text == "max") return extremum(s);
    if (s.text == "sum" || s.text == "prod") return over_coordinates(s);
    if (s.text == "normalize") {
      count(s, 1, "normalize(k)");
      return scalar(normalize(number(s.args[0])));
    }
    if (s.text == "user") return user_function(s);
    if (find_definition(s.text)) return named_kernel(s);
    if (is_point_name(s.text))
      fail(s, "a product without its sign",
           s.text + "*(…)" + (s.text == "x" || s.text == "z" ? " or " + s.text + ".(…)" : ""));
    if (parameters_) fail(s, "not a function");
    unknown_name(s);
  }

  static bool is_point_name(std::string_view name) {
    return name == "x" || name == "z" || coordinate_index(name) > 0 || name == "pi";
  }

  Value extremum(const Syntax& s) {
    for (const auto& name : s.arg_names)
      if (!name.empty()) fail(s, "'" + s.text + "' takes no named arguments");
    if (s.args.size() < 2)
      fail(s, "'" + s.text + "' needs at least two arguments", s.text + "(a,b)");
    std::vector<Value> values;
    for (const auto& arg : s.args) values.push_back(value(arg));
    // min(x,z) of vectors is the intersection kernel, also in dimension 1.
    const bool of_points = s.text == "min" && std::ranges::all_of(s.args, is_whole_point) &&
                           std::ranges::all_of(values, [&](const Value& v) {
                             return v.is_vector && v.columns == values[0].columns;
                           });
    std::vector<Expr> args;
    for (std::size_t i = 0; i < values.size(); ++i)
      args.push_back(of_points ? values[i].expr : as_number(values[i], s.args[i]));
    if (of_points) return scalar(sum_over(values[0].columns, minimum(args)));
    return scalar(s.text == "min" ? minimum(args) : maximum(args));
  }

  static bool is_whole_point(const Syntax& s) {
    return is_point(s) || (s.kind == Kind::select && s.index.empty() && is_whole_point(s.args[0]));
  }

  Value over_coordinates(const Syntax& s) {
    const std::string example = s.text == "sum" ? "sum(i, x[i]*z[i])" : "prod(i, 1 + x[i]*z[i])";
    count(s, 2, example.c_str());
    const Syntax& index = s.args[0];
    if (index.kind != Kind::name || is_point_name(index.text) || index.primed ||
        find_definition(index.text))
      fail(index, "the first argument of '" + s.text + "' is the name of its index", example);
    if (binders_.size() >= max_reductions)
      fail(s, "sums and products over coordinates are nested too deeply");
    // What is known of the enclosing reductions is one level further out inside.
    binders_.push_back(index.text);
    const Expr body = number(s.args[1]);
    binders_.pop_back();
    return scalar(s.text == "sum" ? sum_over({}, body) : product_over({}, body));
  }

  Value user_function(const Syntax& s) {
    count(s, 1, "user(\"name\")");
    if (s.args[0].kind != Kind::text)
      fail(s.args[0], "a name in quotes is needed", "user(\"name\")");
    auto entry = find_user(s.args[0].text);
    if (!entry) {
      const auto names = user_names();
      const std::vector<std::string_view> known(names.begin(), names.end());
      fail(s.args[0], "no user function of this name is registered",
           "a name registered with mercer::user", nearest(s.args[0].text, known));
    }
    return scalar(algebra::user(std::move(entry), {}, false));
  }

  // ---- named kernels

  Value named_kernel(const Syntax& s) {
    const Definition& definition = *find_definition(s.text);
    const auto& parameters = definition.info.parameters;
    std::vector<const ParameterInfo*> positional;
    for (const auto& p : parameters)
      if (p.definition.empty()) positional.push_back(&p);

    OpenCall given{std::string(definition.info.name), {}};
    bool open = false;
    bool by_name = false;
    for (std::size_t i = 0; i < s.args.size(); ++i) {
      const Syntax& arg = s.args[i];
      std::string name = s.arg_names[i];
      if (name.empty()) {
        if (by_name) fail(arg, "a parameter by position after one by name", "its name");
        if (i >= positional.size())
          fail(arg, "'" + s.text + "' has " + count_text(positional.size()),
               signature(definition.info));
        name = positional[i]->name;
      } else {
        by_name = true;
        if (std::ranges::none_of(parameters, [&](const auto& p) { return p.name == name; })) {
          std::vector<std::string_view> known;
          for (const auto& p : parameters) known.push_back(p.name);
          algebra::fail(text_, s.arg_spans[i], "'" + s.text + "' has no parameter '" + name + "'",
                        signature(definition.info), nearest(name, known));
        }
      }
      if (std::ranges::any_of(given.arguments, [&](const auto& a) { return a.name == name; }))
        fail(arg, "parameter '" + name + "' is given twice");
      OpenArgument argument{name, nullptr, std::nullopt};
      if (arg.kind == Kind::open) {
        open = true;
        if (arg.range) argument.range = OpenRange{arg.range->first, arg.range->second};
      } else {
        argument.value = number(arg);
        if (!is_constant(argument.value))
          fail(arg, "parameter '" + name + "' must be a constant", "an expression without x and z");
        try {
          check_argument(definition.info, name, argument.value);
        } catch (const Error& e) {
          fail(arg, e.what());
        }
      }
      given.arguments.push_back(std::move(argument));
    }
    if (open) return scalar(make_open_call(std::move(given), serial_++));
    std::vector<Argument> arguments;
    for (const auto& a : given.arguments) arguments.push_back({a.name, a.value});
    return scalar(expand(definition.info.name, std::move(arguments)));
  }

  static std::string count_text(std::size_t n) {
    return n == 0 ? "no parameters"
                  : "only " + std::to_string(n) + (n == 1 ? " parameter" : " parameters");
  }

  std::string_view text_;
  std::optional<std::uint32_t> dimension_;
  const std::vector<Argument>* parameters_;
  std::vector<std::string> binders_;  // indices of the sums and products around, outermost first
  std::uint32_t serial_ = 1;
};

}  // namespace

Expr elaborate(std::string_view text, std::optional<std::uint32_t> dimension) {
  return Elaborator(text, dimension, nullptr).run();
}

Expr elaborate_formula(std::string_view formula, const std::vector<Argument>& parameters) {
  return Elaborator(formula, std::nullopt, &parameters).run();
}

Rational constant_from(std::string_view text) {
  const Expr e = elaborate(text);
  if (!is_number(e))
    fail(text, {0, text.size()}, "not a rational constant", "a number such as -1/3");
  return e->number;
}

}  // namespace mercer::algebra
