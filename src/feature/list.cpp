// A feature map as text: the list and its expressions.
#include "feature/list.hpp"

#include <mercer/error.hpp>
#include <mercer/kernel.hpp>

#include "kernel/elaborate.hpp"
#include "kernel/syntax.hpp"
#include "kernel/transform.hpp"

namespace mercer::feature {

namespace {

using algebra::Span;

constexpr const char* example = "[x1, x2, sqrt(2)*x1*x2]";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

Span trimmed(std::string_view text, Span s) {
  while (s.begin < s.end && is_space(text[s.begin])) ++s.begin;
  while (s.end > s.begin && is_space(text[s.end - 1])) --s.end;
  return s;
}

// The parts of [a, b, …], between the commas that stand outside of parentheses and quotes.
std::vector<Span> elements(std::string_view text) {
  const auto [begin, end] = trimmed(text, {0, text.size()});
  if (begin == end) algebra::fail(text, {0, text.size()}, "the feature map is empty", example);
  if (text[begin] != '[')
    algebra::fail(text, {begin, end}, "a feature map is a list in brackets", example);
  std::vector<Span> parts{{begin + 1, begin + 1}};
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = begin + 1; i < end; ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[' || c == '<') ++depth;
    if (c == ']' && depth == 0) {
      if (i + 1 != end)
        algebra::fail(text, {i + 1, end}, "something follows the list", "the end after ']'");
      parts.back().end = i;
      return parts;
    }
    if (c == ')' || c == ']' || c == '>') --depth;
    if (depth < 0) algebra::fail(text, {i, i + 1}, "a bracket that was never opened");
    if (c == ',' && depth == 0) {
      parts.back().end = i;
      parts.push_back({i + 1, i + 1});
    }
  }
  algebra::fail(text, {end, end}, "the list is not closed", "']'");
}

// One element; mistakes in it are shown in the whole text.
Expr element(std::string_view text, Span where, std::optional<std::uint32_t> dimension,
             std::span<const std::string> names) {
  std::string alone(where.begin, ' ');  // so that positions stay
  alone += text.substr(where.begin, where.end - where.begin);
  if (where.begin == where.end)
    algebra::fail(text, where, "a coordinate is missing here", "an expression in x, as in x1*x2");
  try {
    Expr e = algebra::in_dimension(algebra::elaborate(alone, dimension), dimension);
    if (e->has_names && !names.empty()) e = Kernel(e).with_columns(names).expression();
    if (e->uses_z)
      algebra::fail(text, where, "a feature map is a function of x alone, and this uses z",
                    "an expression in x, as in x1*x2");
    if (e->has_names)
      algebra::fail(text, where, "a column by its name, where none has a name; use x1, x2, …");
    if (e->has_opaque || e->has_open)
      algebra::fail(text, where,
                    "user functions, precomputed matrices and open parameters have no place in a "
                    "feature map",
                    "an expression in x, as in x1*x2");
    return e;
  } catch (const ParseError& error) {
    ParseError::Details details = error.details();
    details.text = text;
    throw ParseError(std::move(details));
  } catch (const Error& error) {
    algebra::fail(text, where, error.what());
  }
}

}  // namespace

std::vector<Expr> parse_list(std::string_view text, std::optional<std::uint32_t> dimension,
                             std::span<const std::string> names) {
  const auto parts = elements(text);
  if (parts.size() == 1) {
    const Span inside = trimmed(text, parts[0]);
    if (inside.begin == inside.end)
      algebra::fail(text, {parts[0].begin - 1, parts[0].end + 1}, "the list is empty", example);
  }
  std::vector<Expr> functions;
  functions.reserve(parts.size());
  for (const auto& part : parts) {
    const Span where = trimmed(text, part);
    if (dimension && *dimension > 1 && text.substr(where.begin, where.end - where.begin) == "x") {
      for (std::uint32_t i = 1; i <= *dimension; ++i)
        functions.push_back(algebra::coordinate(algebra::Side::x, {}, i));
    } else {
      functions.push_back(element(text, where, dimension, names));
    }
  }
  return functions;
}

}  // namespace mercer::feature
