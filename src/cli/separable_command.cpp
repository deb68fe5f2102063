// mercer separable DATA: is the training set linearly separable under φ?
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/separable.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/table_options.hpp"
#include "cli/values.hpp"

namespace mercer::cli {

namespace {

using Kind = Separability::Kind;

struct SeparableCall {
  TableOptions table;
  std::string positive;
  std::string map;
  std::string kernel;
  bool smallest = false;
  std::uint32_t max_degree = 6;
  bool no_offset = false;
  double timeout = 60;
  bool json = false;
};

struct Problem {
  Matrix table;
  std::vector<std::string> sources;  // the columns of the file that those of the table came from
  Labels labels;
  Signs signs;
  std::string phi;  // under what: "[x1, x2]", "rbf(0.5)"
};

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::separable:
      return "separable";
    case Kind::not_separable:
      return "not-separable";
    case Kind::undecided:
      break;
  }
  return "undecided";
}

ExitCode code_of(Kind kind) {
  switch (kind) {
    case Kind::separable:
      return done;
    case Kind::not_separable:
      return answer_is_no;
    case Kind::undecided:
      break;
  }
  return undecided;
}

// ---- for people

constexpr std::size_t most_rows = 10;

std::string margin_text(const Separator& s) {
  std::string margin = fmt::format("{:.6g}", s.margin);
  if (!std::isfinite(s.largest_margin)) return margin;
  const std::string largest = fmt::format("{:.6g}", s.largest_margin);
  return margin + (margin == largest ? ", the largest there is"
                                     : " (with more digits up to " + largest + ")");
}

// A long map in the middle of a sentence.
std::string shortened(const std::string& phi) {
  constexpr std::size_t longest = 60;
  if (characters(phi) <= longest) return phi;
  const auto cut = phi.find(", ", longest - 15);
  return cut == std::string::npos ? phi : phi.substr(0, cut) + ", …]";
}

std::string rest_of(std::size_t count) {
  return count > most_rows
             ? fmt::format("\n  … and {} more (--json lists them all)", count - most_rows)
             : "";
}

// Fractions with a page of digits say less than a few decimals.
std::string weight_text(std::string weight) {
  constexpr std::size_t longest = 18;
  if (weight.size() <= longest) return "= " + weight;
  const std::string sign = weight.starts_with('-') ? "-" : "";
  weight.erase(0, sign.size());
  const auto bar = weight.find('/');
  if (bar == std::string::npos) return "≈ " + sign + fmt::format("{:.6g}", std::stod(weight));
  // Either part may be beyond the range of doubles: leading digits, and how many there are.
  const auto leading = [](const std::string& digits) {
    return std::stod("0." + digits.substr(0, 18));
  };
  const std::string down = weight.substr(bar + 1);
  return fmt::format(
      "≈ {}{:.6g}", sign,
      leading(weight.substr(0, bar)) / leading(down) *
          std::pow(10.0, static_cast<double>(bar) - static_cast<double>(down.size())));
}

std::string show(const Separator& s, const Problem& p) {
  std::string text =
      "Separable under " + shortened(p.phi) + ", with margin " + margin_text(s) + ".\n\n";
  if (!s.formula.empty()) {
    text += "f(x) = " + s.formula;
  } else {
    text += "f(x) = Σ c_j k(x_j, x)" +
            (s.offset == "0"             ? ""
             : s.offset.starts_with('-') ? " - " + s.offset.substr(1)
                                         : " + " + s.offset) +
            " over these rows j:";
    for (std::size_t j = 0; j < std::min(s.rows.size(), most_rows); ++j)
      text +=
          fmt::format("\n  row {}  c {}  x = {}", padded(std::to_string(s.rows[j] + 1), 5),
                      padded(weight_text(s.weights[j]), 12), point_text(p.table.row(s.rows[j])));
    text += rest_of(s.rows.size());
  }
  return text + "\n\nf(x) > 0 in every row of class " + p.signs.positive +
         " and f(x) < 0 in every other" +
         (s.exact ? ", checked exactly." : ", checked in ball arithmetic.");
}

std::string show(const Balance& b, const Problem& p, bool offset) {
  std::string text = "Not separable under " + shortened(p.phi) + ".\n\n";
  if (b.rows.size() == 2 && std::ranges::equal(p.table.row(b.rows[0]), p.table.row(b.rows[1])))
    return text + fmt::format(
                      "Rows {} and {} are the same point {} with different labels, {} and {}: "
                      "no map can tell them apart.",
                      b.rows[0] + 1, b.rows[1] + 1, point_text(p.table.row(b.rows[0])),
                      p.labels.text(b.rows[0]), p.labels.text(b.rows[1]));
  text += offset
              ? "These weights, 1 in all on either side, bring both classes to the same place in\n"
                "feature space, Σ a_i y_i φ(x_i) = 0, so that y_i f(x_i) > 0 fails for one of "
                "them\nwhatever f:"
              : "With these weights Σ a_i y_i φ(x_i) = 0, so that y_i f(x_i) > 0 fails for one "
                "of them\nwhatever f:";
  for (std::size_t i = 0; i < std::min(b.rows.size(), most_rows); ++i)
    text += fmt::format("\n  {} row {}  a {}  x = {}", p.signs.y[b.rows[i]] > 0 ? '+' : '-',
                        padded(std::to_string(b.rows[i] + 1), 5),
                        padded(weight_text(b.weights[i]), 13), point_text(p.table.row(b.rows[i])));
  return text + rest_of(b.rows.size()) + "\n\nChecked exactly.";
}

std::string show_undecided(const Separability& a, const Problem& p) {
  std::string text = "Undecided under " + shortened(p.phi) + ": " + a.reason + ".";
  if (a.gap)
    text += fmt::format(
        "\nThe classes come as near to each other as {:.3g} in feature space, as far "
        "as doubles can tell.",
        *a.gap);
  return text;
}

std::string show(const Separability& a, const Problem& p, bool offset) {
  if (a.separator) return show(*a.separator, p);
  if (a.balance) return show(*a.balance, p, offset);
  return show_undecided(a, p);
}

std::string heading(const SeparableCall& options, const Problem& p) {
  const auto positive = std::ranges::count(p.signs.y, 1);
  return fmt::format("{}: {} points in R^{}, {} of class {} (+) and {} of class {} (-)\n",
                     options.table.path, p.table.rows, p.table.columns, positive, p.signs.positive,
                     static_cast<std::ptrdiff_t>(p.table.rows) - positive, p.signs.negative);
}

std::string show(const SmallestMap& m, Problem p, bool offset) {
  switch (m.kind) {
    case SmallestMap::Kind::found: {
      p.phi = m.map;
      std::string why = m.degree == 1
                            ? "The data are separable as they are."
                            : fmt::format(
                                  "The least degree is {}: with all monomials up to degree "
                                  "{} the data are not separable.",
                                  m.degree, m.degree - 1);
      why +=
          fmt::format("\nOf the {} monomials up to degree {} these will do", m.monomials, m.degree);
      why += m.fewest        ? ", and no smaller set of them:"
             : m.irreducible ? ", and none of them can be left out:"
                             : ":";
      return why + "\n\n  --map \"" + m.map + "\"\n\n" + show(m.separability, p, offset);
    }
    case SmallestMap::Kind::impossible:
      return fmt::format(
          "No map can separate the classes: rows {} and {} are the same point {} with "
          "different labels, {} and {}.",
          m.same[0] + 1, m.same[1] + 1, point_text(p.table.row(m.same[0])),
          p.labels.text(m.same[0]), p.labels.text(m.same[1]));
    case SmallestMap::Kind::too_large:
      return fmt::format(
          "All {} monomials up to degree {} do not separate the classes; a higher "
          "--max-degree may, or rbf.",
          m.monomials, m.degree);
    case SmallestMap::Kind::undecided:
      break;
  }
  return fmt::format(
      "Up to degree {} the data are not separable; of degree {} it is undecided: {}.", m.degree - 1,
      m.degree, m.separability.reason);
}

// ---- for programs

Json to_json(const Separability& a) {
  Json json{{"verdict", name_of(a.kind)}};
  if (!a.features.empty()) json["features"] = a.features;
  if (a.separator) {
    const auto& s = *a.separator;
    Json& j = json["separator"];
    if (!s.formula.empty()) j["formula"] = s.formula;
    j["weights"] = s.weights;
    if (!s.rows.empty()) {
      Json rows = Json::array();
      for (const auto row : s.rows) rows.push_back(row + 1);
      j["rows"] = rows;
    }
    j["offset"] = s.offset;
    j["exact"] = s.exact;
    json["margin"] = s.margin;
    json["largest_margin"] =
        std::isfinite(s.largest_margin) ? Json(s.largest_margin) : Json(nullptr);
  }
  if (a.balance) {
    Json rows = Json::array();
    for (const auto row : a.balance->rows) rows.push_back(row + 1);
    json["balance"] = {{"rows", rows}, {"weights", a.balance->weights}, {"exact", true}};
  }
  if (a.kind == Kind::undecided) {
    json["reason"] = a.reason;
    json["gap"] = a.gap ? Json(*a.gap) : Json(nullptr);
  }
  return json;
}

Json description(const SeparableCall& options, const Problem& p) {
  return Json{{"data", options.table.path},   {"rows", p.table.rows},
              {"columns", p.table.columns},   {"positive", p.signs.positive},
              {"negative", p.signs.negative}, {"offset", !options.no_offset}};
}

ExitCode run_smallest(const SeparableCall& options, const Problem& p) {
  SmallestMapOptions how;
  how.offset = !options.no_offset;
  how.max_degree = options.max_degree;
  how.timeout = options.timeout;
  const SmallestMap m = smallest_map(p.table, p.signs.y, how);
  using Result = SmallestMap::Kind;
  const bool no = m.kind == Result::impossible || m.kind == Result::too_large;
  if (options.json) {
    Json json = description(options, p);
    json["found"] = m.kind == Result::found;
    if (m.kind == Result::found) {
      json["map"] = m.map;
      json["irreducible"] = m.irreducible;
      json["fewest"] = m.fewest;
    }
    if (m.kind == Result::impossible) {
      json["verdict"] = "not-separable";
      json["same_point"] = {m.same[0] + 1, m.same[1] + 1};
    } else {
      json["degree"] = m.degree;
      json["monomials"] = m.monomials;
      json.update(to_json(m.separability));
    }
    print(json);
  } else {
    print(heading(options, p) + show(m, p, how.offset));
  }
  return m.kind == Result::found ? done : no ? answer_is_no : undecided;
}

ExitCode run_separable(const SeparableCall& options) {
  const int ways = static_cast<int>(!options.map.empty()) +
                   static_cast<int>(!options.kernel.empty()) + static_cast<int>(options.smallest);
  if (ways != 1)
    throw Error(std::string(ways == 0 ? "under which φ? Give" : "give only") +
                " one of --map \"[x1, x2, …]\", -k KERNEL and --smallest-map");
  Problem p;
  Table table = read(options.table);
  if (table.labels.empty()) throw Error("there are no labels; --label or --labels tells where");
  p.table = dense(table.points);
  p.sources = table.source_names();
  p.table.names = std::move(table.names);
  p.labels = std::move(table.labels);
  p.signs =
      signs_of(p.labels, options.positive.empty() ? std::nullopt : std::optional(options.positive));
  if (options.smallest) return run_smallest(options, p);
  SeparableOptions how;
  how.offset = !options.no_offset;
  how.timeout = options.timeout;
  Separability answer;
  if (!options.map.empty()) {
    answer = separable(p.table, p.signs.y, options.map, how);
    for (const auto& f : answer.features) p.phi += (p.phi.empty() ? "[" : ", ") + f;
    p.phi += "]";
  } else {
    Kernel k =
        Kernel::parse(options.kernel, {.dimension = static_cast<std::uint32_t>(p.table.columns)});
    if (k.has_named_columns() && !p.sources.empty()) k = k.with_columns(p.sources);
    answer = separable(p.table, p.signs.y, k, how);
    p.phi = k.text();
  }
  if (options.json) {
    Json json = description(options, p);
    json[options.map.empty() ? "kernel" : "map"] = p.phi;
    json.update(to_json(answer));
    print(json);
  } else {
    print(heading(options, p) + show(answer, p, how.offset));
  }
  return code_of(answer.kind);
}

}  // namespace

void add_separable(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<SeparableCall>();
  Command* command = add_command(program, chosen, "separable",
                                 "Tell whether data are linearly separable under a feature map",
                                 options, run_separable);
  add_table_options(*command, options->table);
  command
      ->add_option("--positive", options->positive,
                   "the class to be told from all others; needed with more than two")
      ->type_name("CLASS");
  command
      ->add_option("--map", options->map,
                   "the feature map φ, coordinate by coordinate; x stands for all of x1, x2, …")
      ->type_name("[EXPR,…]");
  command->add_option("-k,--kernel", options->kernel, "the φ behind a kernel")->type_name("KERNEL");
  command->add_flag("--smallest-map", options->smallest,
                    "find the smallest polynomial map under which the data become separable");
  command
      ->add_option("--max-degree", options->max_degree, "with --smallest-map: the highest degree")
      ->check(whole_number(1, 30))
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--no-offset", options->no_offset,
                    "only f(x) = w·φ(x), through the origin of feature space");
  command->add_option("--timeout", options->timeout, "seconds after which the answer is undecided")
      ->check(number_between(0.001, 1e6))
      ->type_name("SECONDS")
      ->capture_default_str();
  command->footer(
      "Data are separable under φ if some f(x) = w·φ(x) + b is positive in every row of one class\n"
      "and negative in every row of the other. The answer comes with its proof: such an f and its\n"
      "margin (the distance of the closest point from f = 0 in feature space), or weights that\n"
      "bring both classes to the same place, so that there is none.\n"
      "Exit codes: 0 separable, 1 not, 3 undecided.\n\n"
      "Examples:\n"
      "  mercer separable xor.csv --map '[x1, x2]'\n"
      "  mercer separable xor.csv --smallest-map\n"
      "  mercer separable iris.csv -k 'rbf(0.5)' --positive virginica\n"
      "  mercer separable points.npy --labels classes.txt --map '[x, |x|^2]'");
}

}  // namespace mercer::cli
