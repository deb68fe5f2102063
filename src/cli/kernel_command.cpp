// mercer kernel EXPR: what an expression says.
#include <array>
#include <mercer/mercer.hpp>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/values.hpp"

namespace mercer::cli {

namespace {

struct KernelCall {
  std::string expression;
  std::optional<std::uint32_t> dimension;
  bool json = false;
};

std::string dimensions(const Kernel& k) {
  if (k.only_dimension_one()) return "1 (x is used as a number)";
  if (k.least_dimension() > 1) return std::to_string(k.least_dimension()) + " or more";
  return "any";
}

std::string features(const Properties::FeatureSpace& space) {
  using Kind = Properties::FeatureSpace::Kind;
  switch (space.kind) {
    case Kind::exactly:
      return space.count;
    case Kind::at_most:
      return "at most " + space.count;
    case Kind::infinite:
      return "infinite";
    case Kind::unknown:
      break;
  }
  return "not shown by the form";
}

std::string defined(const Properties& p) {
  std::string text = p.defined_on ? p.defined_on->text() : "";
  if (p.conditions.empty()) return text;
  std::string where;
  for (const auto& c : p.conditions) where += (where.empty() ? "" : " and ") + c;
  return text.empty() ? "where " + where : text + "; in R where " + where;
}

std::string range_text(const std::optional<ParameterRange>& range) {
  if (!range) return "";
  return " in [" + Kernel(range->low).text() + ", " + Kernel(range->high).text() + "]";
}

void draw(const KernelTree& tree, const std::string& first, const std::string& rest,
          std::string& out) {
  out += first + tree.label;
  if (tree.children.empty() && !tree.text.empty()) out += "  =  " + tree.text;
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    const bool last = i + 1 == tree.children.size();
    out += '\n';
    draw(tree.children[i], rest + (last ? "└─ " : "├─ "), rest + (last ? "   " : "│  "), out);
  }
}

Json tree_json(const KernelTree& tree) {
  Json json{{"label", tree.label}};
  if (!tree.text.empty()) json["text"] = tree.text;
  if (!tree.children.empty()) {
    json["children"] = Json::array();
    for (const auto& child : tree.children) json["children"].push_back(tree_json(child));
  }
  return json;
}

Json to_json(const Kernel& k, const Properties& p) {
  using Kind = Properties::FeatureSpace::Kind;
  Json json;
  json["kernel"] = k.text();
  json["formula"] = k.formula();
  json["dimension"] = {{"least", k.least_dimension()}, {"only_one", k.only_dimension_one()}};
  Json& properties = json["properties"];
  properties["symmetric"] = p.symmetric;
  properties["function_of_dot_product"] = p.dot_product;
  properties["stationary"] = p.stationary;
  properties["isotropic"] = p.isotropic;
  properties["polynomial"] = p.degree.has_value();
  properties["degree"] = p.degree ? Json(*p.degree) : Json();
  constexpr std::array kinds{"exactly", "at most", "infinite", "unknown"};
  properties["features"] = {{"kind", kinds.at(static_cast<std::size_t>(p.features.kind))}};
  if (p.features.kind == Kind::exactly || p.features.kind == Kind::at_most)
    properties["features"]["count"] = p.features.count;
  properties["defined_on"] = p.defined_on ? Json(p.defined_on->text()) : Json();
  properties["conditions"] = p.conditions;
  json["open_parameters"] = Json::array();
  for (const auto& open : k.open_parameters()) {
    Json entry{{"kernel", open.kernel}, {"parameter", open.parameter}};
    if (open.range) entry["range"] = {open.range->low, open.range->high};
    json["open_parameters"].push_back(entry);
  }
  json["tree"] = tree_json(k.tree());
  return json;
}

ExitCode run_kernel(const KernelCall& options) {
  const Kernel k = Kernel::parse(options.expression, {.dimension = options.dimension});
  const Properties p = properties(k, options.dimension);
  if (options.json) {
    print(to_json(k, p));
    return done;
  }
  const auto yes_no = [](bool yes) { return std::string(yes ? "yes" : "no"); };
  std::vector<std::pair<std::string, std::string>> rows{
      {"kernel", k.text()},
      {"formula", k.formula()},
      {"", ""},
      {"symmetric", yes_no(p.symmetric)},
      {"function of x.z", yes_no(p.dot_product)},
      {"stationary", yes_no(p.stationary)},
      {"isotropic", yes_no(p.isotropic)},
      {"polynomial", p.degree ? "of degree " + *p.degree : "no"},
      {"features", features(p.features)},
      {"dimension", options.dimension ? std::to_string(*options.dimension) : dimensions(k)},
      {"defined on", defined(p)},
  };
  for (const auto& open : k.open_parameters())
    rows.emplace_back("open", open.parameter + " of " + open.kernel + range_text(open.range));
  std::string tree;
  draw(k.tree(), "", "", tree);
  print(aligned(rows) + "\n\n" + tree);
  return done;
}

}  // namespace

void add_kernel(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<KernelCall>();
  Command* command =
      add_command(program, chosen, "kernel",
                  "Show a kernel: canonical form, formula, properties, tree", options, run_kernel);
  command->add_option("EXPR", options->expression, "the kernel, e.g. \"rbf(0.5)*poly(2)\"")
      ->required();
  command->add_option("--dim", options->dimension, "the dimension of the points")
      ->check(whole_number(1, 0x7FFFFFFF))
      ->type_name("D");
  command->footer(
      "Properties are facts of the form: \"yes\" is always true, \"no\" means that the form does\n"
      "not show it. d stands for the dimension.\n\n"
      "Examples:\n"
      "  mercer kernel 'rbf(0.5) * poly(2) + 0.1*linear'\n"
      "  mercer kernel 'prod(i, 1 + x[i]*z[i])' --dim 4\n"
      "  mercer kernel '-x.z' --json");
}

}  // namespace mercer::cli
