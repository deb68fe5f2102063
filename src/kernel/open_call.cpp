#include "kernel/open_call.hpp"

#include <algorithm>

#include "kernel/print.hpp"

namespace mercer::algebra {

namespace {

int compare_ranges(const std::optional<OpenRange>& a, const std::optional<OpenRange>& b) {
  if (a.has_value() != b.has_value()) return a ? 1 : -1;
  if (!a || (a->low == b->low && a->high == b->high)) return 0;
  return a->low < b->low || (a->low == b->low && a->high < b->high) ? -1 : 1;
}

int compare_arguments(const OpenArgument& a, const OpenArgument& b) {
  if (const int c = a.name.compare(b.name)) return c;
  if ((a.value == nullptr) != (b.value == nullptr)) return a.value ? 1 : -1;
  return a.value ? compare(a.value, b.value) : compare_ranges(a.range, b.range);
}

}  // namespace

int compare(const OpenCall& a, const OpenCall& b) {
  if (const int c = a.name.compare(b.name)) return c;
  for (std::size_t i = 0; i < std::min(a.arguments.size(), b.arguments.size()); ++i)
    if (const int c = compare_arguments(a.arguments[i], b.arguments[i])) return c;
  return a.arguments.size() < b.arguments.size()   ? -1
         : a.arguments.size() > b.arguments.size() ? 1
                                                   : 0;
}

std::string text(const OpenCall& call) {
  std::string result = call.name + "(";
  for (const auto& argument : call.arguments) {
    if (result.back() != '(') result += ", ";
    result += argument.name + "=";
    if (argument.value) {
      result += print(argument.value);
    } else {
      result += "?";
      if (argument.range)
        result += "[" + argument.range->low.text() + "," + argument.range->high.text() + "]";
    }
  }
  return result + ")";
}

std::size_t count_open(const OpenCall& call) {
  return static_cast<std::size_t>(
      std::ranges::count_if(call.arguments, [](const OpenArgument& a) { return !a.value; }));
}

std::size_t hash_value(const OpenCall& call) { return std::hash<std::string>{}(text(call)); }

}  // namespace mercer::algebra
