// mercer kernels [NAME]: the catalogue.
#include <mercer/mercer.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"

namespace mercer::cli {

namespace {

struct KernelsCall {
  std::string name;
  bool json = false;
};

std::string signature(const KernelInfo& info) {
  std::string text;
  for (const auto& p : info.parameters) {
    if (!p.definition.empty()) continue;
    text += (text.empty() ? "(" : ", ") + std::string(p.name) + "=" + std::string(p.default_value);
  }
  return std::string(info.name) + (text.empty() ? "" : text + ")");
}

std::string details(const KernelInfo& info) {
  std::string text = signature(info) + "\n  " + std::string(info.summary) + "\n";
  std::vector<std::pair<std::string, std::string>> rows{{"  formula", std::string(info.formula)},
                                                        {"  kernel on", std::string(info.domain)}};
  for (const auto& p : info.parameters) {
    std::string what(p.help);
    if (p.range != "real") what += " (" + std::string(p.range) + ")";
    if (!p.definition.empty()) what += ": " + std::string(p.definition);
    rows.emplace_back("  " + std::string(p.name), what);
  }
  return text + aligned(rows);
}

Json to_json(const KernelInfo& info) {
  Json json{{"name", info.name},
            {"formula", info.formula},
            {"domain", info.domain},
            {"summary", info.summary},
            {"parameters", Json::array()}};
  for (const auto& p : info.parameters) {
    Json entry{{"name", p.name}};
    if (p.definition.empty()) {
      entry["default"] = p.default_value;
    } else {
      entry["definition"] = p.definition;
    }
    entry["range"] = p.range;
    entry["help"] = p.help;
    json["parameters"].push_back(entry);
  }
  return json;
}

std::vector<KernelInfo> selected(const std::string& name) {
  if (name.empty()) return {catalogue().begin(), catalogue().end()};
  if (const auto* info = find_kernel(name)) return {*info};
  std::vector<std::string_view> known;
  for (const auto& info : catalogue()) known.push_back(info.name);
  const std::string guess = nearest(name, known);
  throw Error(
      "there is no kernel named '" + name + "'" +
      (guess.empty() ? "; `mercer kernels` lists them" : "; did you mean '" + guess + "'?"));
}

std::string table(const std::vector<KernelInfo>& infos) {
  std::size_t name_width = 0;
  std::size_t formula_width = 0;
  constexpr std::size_t widest = 58;
  for (const auto& info : infos) {
    name_width = std::max(name_width, characters(signature(info)));
    if (info.formula.size() <= widest) formula_width = std::max(formula_width, info.formula.size());
  }
  std::string text =
      padded("kernel", name_width) + "  " + padded("formula", formula_width) + "  domain";
  for (const auto& info : infos) {
    std::string formula(info.formula);
    if (formula.size() > widest) formula = "see `mercer kernels " + std::string(info.name) + "`";
    text += "\n" + padded(signature(info), name_width) + "  " + padded(formula, formula_width) +
            "  " + std::string(info.domain);
  }
  return text;
}

ExitCode run_kernels(const KernelsCall& options) {
  const auto infos = selected(options.name);
  if (options.json) {
    Json json = Json::array();
    for (const auto& info : infos) json.push_back(to_json(info));
    print(options.name.empty() ? Json{{"kernels", json}} : json[0]);
  } else if (!options.name.empty()) {
    print(details(infos[0]));
  } else {
    print(table(infos) +
          "\n\nParameters go by position or by name: poly(2), poly(degree=2, c=0). A name and its\n"
          "formula are the same kernel. `mercer kernels NAME` tells more about one of them.");
  }
  return done;
}

}  // namespace

void add_kernels(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<KernelsCall>();
  Command* command =
      add_command(program, chosen, "kernels", "List the named kernels: formula, domain, parameters",
                  options, run_kernels);
  command->add_option("NAME", options->name, "one of them, in detail");
  command->footer("Examples:\n  mercer kernels\n  mercer kernels matern");
}

}  // namespace mercer::cli
