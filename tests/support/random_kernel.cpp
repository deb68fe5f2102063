#include "random_kernel.hpp"

#include <algorithm>
#include <numeric>

namespace {

using Texts = std::vector<const char*>;

// Values of parameters.
const Texts any{"1", "2", "0.5", "0.1", "3/2", "1/3", "-1", "0"};
const Texts positive{"1", "2", "0.5", "0.1", "3/2", "sqrt(2)", "1e-2"};
const Texts degrees{"2", "3", "1", "4", "0.5", "-1", "5"};
const Texts counts{"1", "2", "3"};
const Texts orders{"0.5", "1.5", "5/2", "1", "3.5", "0.7"};

std::string in_parentheses(const std::string& text) { return "(" + text + ")"; }

class Generator {
 public:
  Generator(Random& random, const RandomKernelOptions& options)
      : random_(random), options_(options), dimension_(options.dimension), names_(options.names) {}

  std::string run() { return expression(options_.size); }

 private:
  // Splits a budget between `parts` operands.
  std::vector<int> split(int budget, std::size_t parts) {
    std::vector<int> result(parts, 0);
    for (int i = 0; i < budget - 1; ++i) ++result[random_.below(parts)];
    return result;
  }

  // ---- numbers, from loose to tight

  std::string expression(int budget) {
    if (budget <= 1 || random_.one_in(3)) return product(budget);
    const auto budgets = split(budget, 2 + random_.below(2));
    std::string text;
    for (std::size_t i = 0; i < budgets.size(); ++i) {
      if (i > 0) text += random_.pick({" + ", " - ", "+", "-"});
      text += product(budgets[i]);
    }
    return text;
  }

  std::string product(int budget) {
    if (budget <= 1 || random_.one_in(2)) return signed_power(budget);
    const auto budgets = split(budget, 2 + random_.below(2));
    std::string text;
    for (std::size_t i = 0; i < budgets.size(); ++i) {
      if (i > 0) text += random_.one_in(4) ? "/" : random_.pick({"*", " * "});
      text += signed_power(budgets[i]);
    }
    return text;
  }

  std::string signed_power(int budget) {
    if (random_.one_in(12)) return "-" + signed_power(budget);
    if (budget <= 1 || !random_.one_in(4)) return primary(budget);
    std::string text = primary(budget - 1) + "^";
    text += exponent(budget);  // in this order with every compiler
    return text;
  }

  std::string exponent(int budget) {
    if (budget > 3 && random_.one_in(8)) return in_parentheses(expression(2));
    return random_.pick<std::string>({"2", "2", "3", "4", "0", "1", "-1", "-2", "-3", "0.5", "1.5",
                                      "(1/2)", "(1/3)", "(2/3)", "(-1/2)", "-0.5", "(-3/2)",
                                      "(5/2)", "2^2"});
  }

  std::string primary(int budget) {
    if (budget <= 1) return leaf();
    switch (random_.below(10)) {
      case 0:
      case 1:
        return in_parentheses(expression(budget));
      case 2:
      case 3:
        return function(budget - 1);
      case 4:
        return extremum(budget - 1);
      case 5:
        return norm(budget - 1);
      case 6:
        return inner_product(budget - 1);
      case 7:
        return reduction(budget - 1);
      case 8:
        return restricted(budget - 1);
      default:
        return random_.one_in(2) ? "normalize(" + expression(budget - 1) + ")" : leaf();
    }
  }

  std::string function(int budget) {
    auto text = random_.pick<std::string>(
        {"exp", "exp", "log", "sqrt", "cos", "sin", "cosh", "sinh", "tanh", "asin", "abs"});
    text += in_parentheses(expression(budget));
    return text;
  }

  std::string extremum(int budget) {
    const auto name = random_.pick<std::string>({"min", "max"});
    if (random_.one_in(6)) return "min(x,z)";
    const auto budgets = split(budget + 1, 2 + random_.below(2));
    std::string text;
    for (const int b : budgets) text += (text.empty() ? "" : ", ") + expression(b);
    return name + in_parentheses(text);
  }

  std::string norm(int budget) {
    const std::string v = vector(budget);
    return random_.pick<std::string>(
        {"|" + v + "|", "|" + v + "|_1", "norm(" + v + ")", "norm1(" + v + ")", "|" + v + "|^2"});
  }

  std::string inner_product(int budget) {
    const auto budgets = split(budget + 1, 2);
    const std::string a = vector(budgets[0]);
    const std::string b = vector(budgets[1]);
    return random_.pick<std::string>({"dot(" + a + "," + b + ")", "<" + a + ", " + b + ">",
                                      in_parentheses(a) + "." + in_parentheses(b),
                                      in_parentheses(a) + "·" + in_parentheses(b)});
  }

  std::string reduction(int budget) {
    if (indices_.size() >= 4) return leaf();
    indices_.push_back(random_.pick<std::string>({"i", "j", "l", "index"}));
    const std::string body = expression(budget);
    const auto name = random_.pick<std::string>({"sum", "sum", "prod"});
    std::string text = name + "(" + indices_.back() + ", " + body + ")";
    indices_.pop_back();
    return text;
  }

  // k[...]: the inner part lives in the dimension of the selected columns.
  std::string restricted(int budget) {
    const std::uint32_t outer_dimension = dimension_;
    const std::vector<std::string> outer_names = names_;
    std::string suffix;
    std::vector<std::uint32_t> chosen;
    if (!names_.empty() && random_.one_in(2)) {
      suffix = by_name(chosen);
    } else {
      suffix = by_index(chosen);
    }
    dimension_ = static_cast<std::uint32_t>(chosen.size());
    names_.clear();
    if (!outer_names.empty())
      for (const auto c : chosen) names_.push_back(outer_names[c - 1]);
    const bool is_call = random_.one_in(3);
    const std::string inner = is_call ? named_kernel() : in_parentheses(expression(budget));
    dimension_ = outer_dimension;
    names_ = outer_names;
    return inner + suffix;
  }

  std::string by_index(std::vector<std::uint32_t>& chosen) {
    if (random_.one_in(2)) {  // a range
      const auto first = static_cast<std::uint32_t>(1 + random_.below(dimension_));
      const auto last =
          static_cast<std::uint32_t>(first + random_.below(dimension_ - first + std::size_t{1}));
      for (auto i = first; i <= last; ++i) chosen.push_back(i);
      return "[" + std::to_string(first) + ":" + std::to_string(last) + "]";
    }
    std::vector<std::uint32_t> all(dimension_);
    std::iota(all.begin(), all.end(), 1);
    const std::size_t count = 1 + random_.below(std::min<std::size_t>(dimension_, 3));
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = random_.below(all.size());
      chosen.push_back(all[at]);
      text += (i == 0 ? "[" : ",") + std::to_string(all[at]);
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return text + "]";
  }

  std::string by_name(std::vector<std::uint32_t>& chosen) {
    std::vector<std::string> different = names_;
    std::ranges::sort(different);
    different.erase(std::unique(different.begin(), different.end()), different.end());
    const std::size_t count = 1 + random_.below(std::min<std::size_t>(different.size(), 2));
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = random_.below(different.size());
      for (std::uint32_t c = 1; c <= names_.size(); ++c)
        if (names_[c - 1] == different[at]) chosen.push_back(c);
      text += (i == 0 ? "[\"" : ",\"") + different[at] + "\"";
      different.erase(different.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return text + "]";
  }

  std::string leaf() {
    switch (random_.below(8)) {
      case 0:
      case 1:
        return number();
      case 2:
      case 3:
        return coordinate();
      case 4:
        return random_.pick<std::string>({"x.z", "x·z", "<x,z>", "dot(x,z)", "|x-z|", "|x-z|^2",
                                          "|x-z|_1", "norm(x)", "|z|", "norm1(z)", "(x.z)^2"});
      case 5:
        return random_.one_in(6) ? random_.pick<std::string>({"pi", "π"}) : coordinate();
      default:
        return named_kernel();
    }
  }

  std::string number() {
    return random_.pick<std::string>({"1", "2", "3", "0.5", "0.1", "1.5", "7", "2.", ".25", "12",
                                      "1e-3", "2.5e1", "0.2", "6", "0", "8"});
  }

  std::string coordinate() {
    if (!indices_.empty() && !random_.one_in(3)) {
      const std::string index = "[" + random_.pick(indices_) + "]";
      return random_.pick<std::string>({"x", "z", "x'"}) + index;
    }
    if (options_.numbers && dimension_ == 1 && !random_.one_in(4))
      return random_.pick<std::string>({"x", "z", "x'"});
    const std::string i = std::to_string(1 + random_.below(dimension_));
    return random_.pick<std::string>({"x" + i, "x" + i, "z" + i, "z" + i, "x[" + i + "]",
                                      "z[" + i + "]", "x'" + i, "x" + i + "'", "x'[" + i + "]",
                                      "x_" + i, "z_" + i});
  }

  // ---- vectors

  std::string vector(int budget) {
    auto plain = random_.pick<std::string>(
        {"x", "z", "x-z", "x+z", "x - z", "x'", "z-x", "2*x", "x/2 - z", "-x + 3*z", "x - 0.5*z"});
    if (budget <= 1 || !random_.one_in(4)) return plain;
    // In dimension 1 the factor alone may be a vector, such as 2*x; with a number added it is none.
    const std::string factor = in_parentheses(expression(budget - 1) + " + 1");
    return random_.pick<std::string>({factor + "*" + in_parentheses(plain),
                                      in_parentheses(plain) + "*" + factor,
                                      in_parentheses(plain) + "/" + factor});
  }

  // ---- named kernels

  struct Choice {
    const char* name;
    const Texts& values;
  };

  std::string named_kernel() {
    switch (random_.below(14)) {
      case 0:
        return "linear";
      case 1:
        return call("poly", {{"degree", degrees}, {"c", any}, {"gamma", any}});
      case 2:
        return random_.one_in(3) ? call("rbf", {{"sigma", positive}}, true)
                                 : call("rbf", {{"gamma", any}});
      case 3:
        return call("laplacian", {{"gamma", any}});
      case 4:
        return call("matern", {{"nu", orders}, {"length", positive}});
      case 5:
        return call("rq", {{"alpha", positive}, {"length", positive}});
      case 6:
        return call("periodic", {{"period", positive}, {"length", positive}});
      case 7:
        return call("sigmoid", {{"gamma", any}, {"c", any}});
      case 8:
        return "cosine";
      case 9:
        return "intersection";
      case 10:
        return call("chi2", {{"gamma", any}});
      case 11:
        return "subsets";
      case 12:
        return call("anova", {{"degree", counts}}, false, true);
      default:
        return call("const", {{"c", any}});
    }
  }

  // A call with some of the parameters, by position, by name or mixed.
  std::string call(const std::string& name, const std::vector<Choice>& parameters,
                   bool by_name = false, bool whole = false) {
    if (!by_name && random_.one_in(5)) return name + (random_.one_in(3) ? "()" : "");
    const std::size_t positional = by_name ? 0 : random_.below(parameters.size() + 1);
    std::string text;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (i >= positional && parameters.size() > 1 && random_.one_in(3)) continue;
      if (!text.empty()) text += random_.pick({", ", ","});
      if (i >= positional) text += std::string(parameters[i].name) + "=";
      if (options_.open && !whole && random_.one_in(4)) {
        text += random_.pick({"?", "?[0.5,2]", "?[1/3, 4]"});
      } else {
        text += random_.pick(parameters[i].values);
      }
    }
    return name + in_parentheses(text);
  }

  Random& random_;
  const RandomKernelOptions& options_;
  std::uint32_t dimension_;
  std::vector<std::string> names_;
  std::vector<std::string> indices_;  // of the sums and products around
};

}  // namespace

std::string random_kernel_text(Random& random, const RandomKernelOptions& options) {
  return Generator(random, options).run();
}

std::string random_polynomial_text(Random& random, std::uint32_t dimension, int size) {
  if (size <= 1) {
    const std::string i = std::to_string(1 + random.below(dimension));
    return random.pick<std::string>({"x" + i, "z" + i, "x" + i + "*z" + i, "x.z", "linear",
                                     "|x-z|^2", "2", "0.5", "subsets", "1"});
  }
  const int left = 1 + static_cast<int>(random.below(static_cast<std::size_t>(size - 1)));
  const std::string a = random_polynomial_text(random, dimension, left);
  const std::string b = random_polynomial_text(random, dimension, size - left);
  return random.pick<std::string>({"(" + a + " + " + b + ")", "(" + a + " - " + b + ")",
                                   "(" + a + ")*(" + b + ")", "(" + a + ")*(" + b + ")",
                                   "(" + a + ")^2 + " + b});
}
