// A kernel as tiles that can be taken apart: what is written, before any meaning, so that an
// expression that makes no sense yet can still be mended tile by tile.
#include <algorithm>
#include <array>
#include <mercer/catalogue.hpp>

#include "kernel/syntax.hpp"
#include "studio/answers.hpp"

namespace mercer::studio {

namespace {

using algebra::Syntax;
using Kind = Syntax::Kind;

bool is_function(const Syntax& s) {
  constexpr std::array<std::string_view, 3> others{"normalize", "min", "max"};
  if (s.kind != Kind::call || s.args.empty()) return false;
  if (std::ranges::any_of(s.arg_names, [](const auto& name) { return !name.empty(); }))
    return false;
  return std::ranges::find(language_functions(), s.text) != language_functions().end() ||
         std::ranges::find(others, s.text) != others.end();
}

bool is_named_kernel(const Syntax& s) {
  return (s.kind == Kind::call || s.kind == Kind::name) && find_kernel(s.text) != nullptr;
}

bool is_arithmetic(const Syntax& s) {
  return s.kind == Kind::sum || s.kind == Kind::product || s.kind == Kind::power ||
         s.kind == Kind::negate;
}

// A coordinate, or a vector, outside of an inner product: x1*z2 reads better in one piece.
bool has_bare_argument(const Syntax& s) {
  if (s.kind == Kind::name) return s.text != "pi" && (s.text[0] == 'x' || s.text[0] == 'z');
  if (s.kind == Kind::select) return !is_named_kernel(s.args[0]);
  return is_arithmetic(s) && std::ranges::any_of(s.args, has_bare_argument);
}

bool has_kernel(const Syntax& s) {
  if (is_named_kernel(s) || s.kind == Kind::dot || s.kind == Kind::call) return true;
  return is_arithmetic(s) && std::ranges::any_of(s.args, has_kernel);
}

// Without the parentheses around it.
std::string inner_text(const Syntax& s, std::string_view text) {
  std::size_t begin = s.span.begin;
  std::size_t end = s.span.end;
  const bool compound = is_arithmetic(s) || s.kind == Kind::dot || s.kind == Kind::select;
  const std::size_t first = compound && !s.args.empty() ? s.args[0].span.begin : end;
  const auto blank = [&](std::size_t at) { return text[at] == ' ' || text[at] == '\t'; };
  while (begin < first && begin + 1 < end && text[begin] == '(' && text[end - 1] == ')') {
    ++begin;
    --end;
    while (begin < end && blank(begin)) ++begin;
    while (end > begin && blank(end - 1)) --end;
  }
  return std::string(text.substr(begin, end - begin));
}

Json tile_of(const Syntax& s, std::string_view text);

Json parameters_of(const Syntax& s, std::string_view text) {
  const KernelInfo& kernel = *find_kernel(s.text);
  Json list = Json::array();
  for (std::size_t k = 0; k < s.args.size(); ++k) {
    std::string name = s.arg_names[k];
    if (name.empty() && k < kernel.parameters.size()) name = kernel.parameters[k].name;
    list.push_back({{"name", name}, {"value", inner_text(s.args[k], text)}});
  }
  return list;
}

Json with_children(Json tile, const Syntax& s, std::string_view text) {
  tile["children"] = Json::array();
  for (std::size_t k = 0; k < s.args.size(); ++k) {
    Json child = tile_of(s.args[k], text);
    if (k < s.inverse.size() && s.inverse[k]) child["inverse"] = true;
    tile["children"].push_back(std::move(child));
  }
  return tile;
}

const char* name_of(Kind kind) {
  return kind == Kind::sum       ? "sum"
         : kind == Kind::product ? "product"
         : kind == Kind::power   ? "power"
                                 : "negate";
}

Json tile_of(const Syntax& s, std::string_view text) {
  Json tile{{"kind", "formula"},
            {"text", inner_text(s, text)},
            {"begin", s.span.begin},
            {"end", s.span.end}};
  if (s.kind == Kind::number) {
    tile["kind"] = "number";
  } else if (is_named_kernel(s)) {
    tile["kind"] = "named";
    tile["name"] = s.text;
    tile["parameters"] = parameters_of(s, text);
  } else if (is_function(s)) {
    tile["kind"] = "function";
    tile["name"] = s.text;
    return with_children(std::move(tile), s, text);
  } else if (is_arithmetic(s) && has_kernel(s) && !has_bare_argument(s)) {
    tile["kind"] = name_of(s.kind);
    return with_children(std::move(tile), s, text);
  }
  return tile;
}

}  // namespace

Json tiles(const Json& request) {
  const std::string text = text_in(request, "kernel", longest_kernel);
  return tile_of(algebra::parse_syntax(text), text);
}

}  // namespace mercer::studio
