#include "separable/explicit_map.hpp"

#include <mercer/error.hpp>

#include "kernel/print.hpp"
#include "kernel/syntax.hpp"

namespace mercer::separability {

namespace {

struct Item {
  std::size_t begin;
  std::size_t end;
};

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The items between the outer brackets, split at commas outside of all others.
std::vector<Item> items_of(std::string_view text) {
  std::size_t begin = 0;
  std::size_t end = text.size();
  while (begin < end && blank(text[begin])) ++begin;
  while (end > begin && blank(text[end - 1])) --end;
  if (begin == end || text[begin] != '[')
    algebra::fail(text, {begin, begin}, "a map begins with '['", "[x1, x2, x1*x2]");
  if (text[end - 1] != ']' || end - begin < 2)
    algebra::fail(text, {end, end}, "a map ends with ']'", "[x1, x2, x1*x2]");
  std::vector<Item> items{{begin + 1, begin + 1}};
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = begin + 1; i + 1 < end; ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (!quoted) {
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
      if (depth < 0) algebra::fail(text, {i, i + 1}, "a bracket that was never opened");
      if (c == ',' && depth == 0) {
        items.back().end = i;
        items.push_back({i + 1, i + 1});
      }
    }
  }
  items.back().end = end - 1;
  for (auto& item : items) {
    while (item.begin < item.end && blank(text[item.begin])) ++item.begin;
    while (item.end > item.begin && blank(text[item.end - 1])) --item.end;
    if (item.begin == item.end)
      algebra::fail(text, {item.begin, item.begin}, "a feature is missing here",
                    "an expression in x, such as x1*x2");
  }
  return items;
}

// What is wrong with an item, told at its place in the whole text.
[[noreturn]] void fail_within(std::string_view text, const Item& item, const ParseError& error) {
  ParseError::Details details = error.details();
  details.text = text;
  details.begin += item.begin;
  details.end += item.begin;
  throw ParseError(details);
}

Expr feature(std::string_view text, const Item& item, std::uint32_t d,
             std::span<const std::string> names) {
  const std::string_view part = text.substr(item.begin, item.end - item.begin);
  const algebra::Span place{item.begin, item.end};
  try {
    Kernel k = Kernel::parse(part, {.dimension = d});
    if (k.has_named_columns()) {
      if (names.empty())
        algebra::fail(text, place,
                      "a column by its name, but the data have no names; use x1, x2, …");
      k = k.with_columns(names);
    }
    const Expr& e = k.expression();
    if (e->uses_z)
      algebra::fail(text, place, "a feature is a function of x alone; this one has z in it",
                    "an expression in x, such as x1*x2");
    if (e->has_open) algebra::fail(text, place, "a feature has no open parameters");
    if (e->has_opaque) algebra::fail(text, place, "a feature is written out in the language");
    return e;
  } catch (const ParseError& error) {
    if (error.details().text == text) throw;
    fail_within(text, item, error);
  } catch (const Error& error) {
    algebra::fail(text, place, error.what());
  }
}

Expr coordinate(std::uint32_t i, std::uint32_t d) {
  return d == 1 ? algebra::only_coordinate(algebra::Side::x, {})
                : algebra::coordinate(algebra::Side::x, {}, i);
}

void extend(const std::vector<algebra::Monomial>& shorter, std::uint32_t d,
            std::vector<algebra::Monomial>& longer) {
  for (const auto& m : shorter)
    for (std::uint32_t i = m.empty() ? 1 : m.back().first; i <= d; ++i) {
      algebra::Monomial next = m;
      if (!next.empty() && next.back().first == i) {
        ++next.back().second;
      } else {
        next.emplace_back(i, 1);
      }
      longer.push_back(std::move(next));
    }
}

}  // namespace

ExplicitMap parse_map(std::string_view text, std::uint32_t d, std::span<const std::string> names) {
  ExplicitMap map;
  for (const auto& item : items_of(text)) {
    if (text.substr(item.begin, item.end - item.begin) == "x" && d > 1) {
      for (std::uint32_t i = 1; i <= d; ++i) map.coordinates.push_back(coordinate(i, d));
    } else {
      map.coordinates.push_back(feature(text, item, d, names));
    }
  }
  for (const auto& e : map.coordinates) map.texts.push_back(algebra::print(e));
  return map;
}

std::string map_text(const std::vector<std::string>& texts) {
  std::string text;
  for (const auto& t : texts) text += (text.empty() ? "[" : ", ") + t;
  return text.empty() ? "[]" : text + "]";
}

std::vector<algebra::Monomial> monomials_up_to(std::uint32_t d, std::uint32_t n) {
  std::vector<algebra::Monomial> all;
  std::vector<algebra::Monomial> last{{}};
  for (std::uint32_t degree = 1; degree <= n; ++degree) {
    std::vector<algebra::Monomial> next;
    extend(last, d, next);
    all.insert(all.end(), next.begin(), next.end());
    last = std::move(next);
  }
  return all;
}

std::size_t count_monomials(std::uint32_t d, std::uint32_t n, std::size_t limit) {
  // C(d+n, n) - 1
  std::size_t count = 1;
  for (std::uint32_t i = 1; i <= n; ++i) {
    if (count > limit) return limit;
    count = count * (d + i) / i;
  }
  return std::min(count - 1, limit);
}

ExplicitMap map_of(const std::vector<algebra::Monomial>& monomials, std::uint32_t d) {
  ExplicitMap map;
  for (const auto& m : monomials) {
    std::vector<Expr> factors;
    factors.reserve(m.size());
    for (const auto& [i, n] : m) factors.push_back(algebra::power(coordinate(i, d), Rational(n)));
    map.coordinates.push_back(algebra::multiply(factors));
    map.texts.push_back(algebra::print(map.coordinates.back()));
  }
  return map;
}

}  // namespace mercer::separability
