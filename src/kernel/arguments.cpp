#include "kernel/arguments.hpp"

#include <algorithm>
#include <mercer/error.hpp>

#include "base/text.hpp"
#include "kernel/evaluate.hpp"

namespace mercer::algebra {

namespace {

const ParameterInfo& parameter_of(const KernelInfo& info, std::string_view name) {
  const auto found =
      std::ranges::find_if(info.parameters, [&](const auto& p) { return p.name == name; });
  if (found == info.parameters.end())
    throw Error("'" + std::string(info.name) + "' has no parameter '" + std::string(name) + "'");
  return *found;
}

// "gamma = 1/(2*sigma^2)" as ("gamma", "1/(2*sigma^2)")
std::pair<std::string_view, std::string_view> alternative(const ParameterInfo& p) {
  const auto sign = p.definition.find('=');
  std::string_view left = p.definition.substr(0, sign);
  while (left.ends_with(' ')) left.remove_suffix(1);
  return {left, p.definition.substr(sign + 1)};
}

bool within(std::string_view range, const Expr& value) {
  if (range == "real") return true;
  const double v = constant_value(value);
  if (range == "> 0") return v > 0;
  if (range == "!= 0") return v != 0;
  return is_number(value) && value->number.is_integer() && value->number.sign() > 0;
}

void check(const KernelInfo& info, const ParameterInfo& p, const Expr& value) {
  if (within(p.range, value)) return;
  throw Error(std::string(info.name) + ": " + std::string(p.name) + " must be " +
              std::string(p.range) + ", not " +
              (is_number(value) ? value->number.text() : shortest(constant_value(value))));
}

// Two parameters that determine the same quantity.
void check_alternatives(const KernelInfo& info, const std::vector<std::string_view>& names) {
  for (const auto name : names) {
    const auto& p = parameter_of(info, name);
    if (p.definition.empty()) continue;
    const auto instead_of = alternative(p).first;
    if (std::ranges::find(names, instead_of) != names.end())
      throw Error(std::string(info.name) + " takes " + std::string(instead_of) + " or " +
                  std::string(name) + ", not both: " + std::string(p.definition));
  }
}

}  // namespace

void check_argument(const KernelInfo& info, std::string_view parameter, const Expr& value) {
  check(info, parameter_of(info, parameter), value);
}

std::string signature(const KernelInfo& info) {
  std::string text(info.name);
  std::string others;
  std::string inner;
  for (const auto& p : info.parameters) {
    if (!p.definition.empty()) {
      others += " or " + std::string(info.name) + "(" + std::string(p.name) + "=…)";
      continue;
    }
    if (!inner.empty()) inner += ", ";
    inner += std::string(p.name) + "=" + std::string(p.default_value);
  }
  return inner.empty() ? text : text + "(" + inner + ")" + others;
}

Expr expand(const Definition& definition, const std::vector<Argument>& arguments) {
  if (definition.formula_for) {
    if (const auto formula = definition.formula_for(arguments); !formula.empty())
      return elaborate_formula(formula, arguments);
  }
  if (definition.build) return definition.build(arguments);
  return elaborate_formula(definition.info.formula, arguments);
}

Expr expand(std::string_view kernel, std::vector<Argument> given) {
  const Definition& definition = *find_definition(kernel);
  const KernelInfo& info = definition.info;
  std::vector<std::string_view> names;
  names.reserve(given.size());
  for (const auto& a : given) names.push_back(a.name);
  check_alternatives(info, names);
  for (auto& a : given) {
    const auto& p = parameter_of(info, a.name);
    check(info, p, a.value);
    if (p.definition.empty()) continue;
    const auto [name, formula] = alternative(p);
    const Expr value = elaborate_formula(formula, {{p.name, a.value}});
    a = {name, value};
  }
  std::vector<Argument> arguments;
  for (const auto& p : info.parameters) {
    if (!p.definition.empty()) continue;
    const auto found = std::ranges::find_if(given, [&](const auto& a) { return a.name == p.name; });
    Expr value = found != given.end() ? found->value : number(constant_from(p.default_value));
    check(info, p, value);
    arguments.push_back({p.name, std::move(value)});
  }
  return expand(definition, arguments);
}

Expr make_open_call(OpenCall call, std::uint32_t serial) {
  const KernelInfo& info = find_definition(call.name)->info;
  std::vector<std::string_view> names;
  for (const auto& a : call.arguments) names.push_back(a.name);
  check_alternatives(info, names);
  OpenCall ordered{call.name, {}};
  for (const auto& p : info.parameters)
    for (auto& a : call.arguments) {
      if (a.name != p.name) continue;
      if (a.value) check(info, p, a.value);
      if (a.range)
        for (const auto& end : {a.range->low, a.range->high}) check(info, p, number(end));
      ordered.arguments.push_back(std::move(a));
    }
  return open_call(std::make_shared<const OpenCall>(std::move(ordered)), {}, serial);
}

Expr expand(const OpenCall& call, std::span<const Rational> values) {
  std::vector<Argument> given;
  std::size_t next = 0;
  for (const auto& a : call.arguments)
    given.push_back({a.name, a.value ? a.value : number(values[next++])});
  return expand(call.name, std::move(given));
}

}  // namespace mercer::algebra
