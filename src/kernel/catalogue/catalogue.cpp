#include <mercer/catalogue.hpp>

#include <algorithm>
#include <array>

#include "kernel/catalogue/definition.hpp"

namespace mercer::algebra {

namespace {

std::vector<Definition> gather() {
  std::vector<Definition> all;
  for (const auto family : {dot_product_kernels(), stationary_kernels(), histogram_kernels(),
                            combinatorial_kernels(), other_kernels()})
    all.insert(all.end(), family.begin(), family.end());
  return all;
}

}  // namespace

std::span<const Definition> definitions() {
  static const std::vector<Definition> all = gather();
  return all;
}

const Definition* find_definition(std::string_view name) {
  const auto all = definitions();
  const auto found = std::ranges::find_if(all, [&](const auto& d) { return d.info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::optional<Multiple> exponential_of(const Expr& e) {
  if (!is_function(e, Function::exp)) return std::nullopt;
  auto multiple = split_coefficient(e->args[0]);
  if (multiple.coefficient.is_zero()) return std::nullopt;
  return multiple;
}

}  // namespace mercer::algebra

namespace mercer {

std::span<const KernelInfo> catalogue() {
  static const std::vector<KernelInfo> infos = [] {
    std::vector<KernelInfo> result;
    for (const auto& d : algebra::definitions()) result.push_back(d.info);
    return result;
  }();
  return infos;
}

const KernelInfo* find_kernel(std::string_view name) {
  const auto* definition = algebra::find_definition(name);
  return definition ? &definition->info : nullptr;
}

std::span<const std::string_view> language_functions() {
  static constexpr std::array<std::string_view, 20> names{
      "exp", "log", "sqrt", "cos",  "sin",   "cosh", "sinh", "tanh",      "asin", "abs",
      "min", "max", "dot",  "norm", "norm1", "sum",  "prod", "normalize", "user", "pi"};
  return names;
}

}  // namespace mercer
