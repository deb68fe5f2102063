// mercer features: from a kernel to its feature map, and back.
#include <cmath>
#include <fmt/format.h>
#include <mercer/features.hpp>
#include <mercer/mercer.hpp>
#include <mercer/proof.hpp>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/random_features.hpp"
#include "cli/statement.hpp"
#include "cli/values.hpp"

namespace mercer::cli {

namespace {

struct FeaturesCall {
  std::string expression;
  std::optional<std::uint32_t> dimension;
  std::optional<std::uint64_t> terms;
  bool all = false;
  std::optional<std::string> map;
  std::optional<std::string> contained;
  bool no_offset = false;
  std::size_t random = 0;
  bool orthogonal = false;
  bool sketch = false;
  std::string data;
  std::string out;
  std::uint64_t seed = 0;
  bool force = false;
  bool json = false;
};

constexpr std::size_t shown_by_itself = 100;  // coordinates
constexpr std::size_t shown_at_most = 100'000;
constexpr std::uint64_t terms_by_default = 4;

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (const auto& p : parts) text += (text.empty() ? "" : between) + p;
  return text;
}

// Three digits, not below the value.
std::string rounded_up(double value) {
  if (value <= 0) return "0";
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  const double up = std::ceil(value / unit) * unit;
  return fmt::format("{:.3g}", up);
}

std::string many(const std::string& count, const std::string& noun) {
  return count + " " + noun + (count == "1" ? "" : "s");
}

// ---- from k to φ

// A finite map: so many coordinates. A series: so many terms of it, and as many coordinates as fit.
FeatureOptions limits(const FeaturesCall& options) {
  FeatureOptions result;
  result.terms = options.terms.value_or(terms_by_default);
  result.coordinates = options.all ? shown_at_most : shown_by_itself;
  return result;
}

Features answer(const Kernel& k, const FeaturesCall& options) {
  FeatureOptions limit = limits(options);
  constexpr std::uint64_t longest_series = 100;
  if (limit.terms > longest_series) limit.terms = longest_series;
  Features f = features(k, *options.dimension, limit);
  if (f.kind == Features::Kind::infinite) {
    if (options.terms && *options.terms > longest_series)
      throw Error("--terms: a series is cut after at most " + std::to_string(longest_series) +
                  " terms");
    return f;
  }
  if (f.kind != Features::Kind::finite || !options.terms) return f;
  limit.coordinates = static_cast<std::size_t>(*options.terms);
  limit.terms = terms_by_default;
  return features(k, *options.dimension, limit);
}

// Nobody asked for some of very many: those are only counted.
bool writes_out(const Features& f, const FeaturesCall& options) {
  if (f.map.coordinates.empty() && !f.complete) return false;
  if (f.complete || options.all) return true;
  return f.kind == Features::Kind::finite && options.terms.has_value();
}

std::string check_text(const Features& f) {
  using Kind = Features::Check::Kind;
  switch (f.check.kind) {
    case Kind::exact:
      return "φ(x)·φ(z) = k(x,z), exactly: multiplied out, every coefficient agrees";
    case Kind::numeric: {
      const std::string where = " at " + std::to_string(f.check.points) + " pairs of points";
      if (f.tail) return "the difference is below the bound" + where;
      return "φ(x)·φ(z) = k(x,z)" + where + ", to " + rounded_up(f.check.difference) +
             " of its size";
    }
    case Kind::none:
      break;
  }
  return f.complete ? "by the rules alone" : "by the rules alone: not all of φ is written out";
}

std::string listing(const FeatureMap& map) {
  std::size_t width = 0;
  const std::size_t n = map.coordinates.size();
  width = std::to_string(n).size();
  std::string text;
  for (std::size_t i = 0; i < n; ++i)
    text += "\n  φ" + padded(std::to_string(i + 1), width) + " = " + map.text(i);
  return text;
}

std::string count_text(const Features& f, const FeaturesCall& options) {
  if (f.kind == Features::Kind::infinite) {
    const std::uint64_t terms = options.terms.value_or(terms_by_default);
    return "infinitely many; " +
           std::string(f.series.size() == 1 ? "the series is" : "series are") + " cut after " +
           many(std::to_string(terms), "term") + ": " + many(f.count, "coordinate");
  }
  return f.count + (f.minimal ? ", the fewest possible" : "");
}

std::string show(const Features& f, const Kernel& k, const FeaturesCall& options) {
  Rows rows{{"kernel", k.text()},
            {"dimension", std::to_string(*options.dimension)},
            {"features", count_text(f, options)}};
  for (const auto& s : f.series) rows.emplace_back("series", s);
  std::string text = aligned(rows) + "\n";
  if (!writes_out(f, options)) {
    text +=
        "\nNot written out: " +
        std::string(f.kind == Features::Kind::finite
                        ? "--terms N shows the first N coordinates, --all all of them"
                        : "--all shows all coordinates, --terms N takes N terms of the series") +
        ".\n";
  } else {
    text += listing(f.map) + "\n";
    if (!f.complete)
      text += "  … (" + std::to_string(f.map.coordinates.size()) + " of " + f.count + ")\n";
  }
  text += "\n";
  if (f.tail) {
    text += "|k(x,z) - φ(x)·φ(z)| <= " + f.tail->formula() + "\nfor all x and z" +
            (f.where.empty() ? "" : " with " + joined(f.where, " and ")) + ".\n";
    if (f.tail_on_unit_ball)
      text +=
          "For |x| <= 1 and |z| <= 1 that is at most " + rounded_up(*f.tail_on_unit_ball) + ".\n";
  }
  for (const auto& note : f.notes) text += "Note: " + note + ".\n";
  return text + "Check: " + check_text(f) + ".";
}

std::string no_map(const Features& f, const Kernel& k, const FeaturesCall& options) {
  const std::string in = " in dimension " + std::to_string(*options.dimension);
  if (f.kind == Features::Kind::none)
    return "There is no φ. " + k.text() + " is not a kernel on R" + in + ": " + f.reason +
           ".\n`mercer prove` gives points that show it.";
  return "No φ was found for " + k.text() + in + ": " + f.reason +
         ".\n`mercer prove` may tell whether it is a kernel.";
}

Json coordinates_json(const FeatureMap& map) {
  Json list = Json::array();
  for (std::size_t i = 0; i < map.coordinates.size(); ++i) list.push_back(map.text(i));
  return list;
}

Json check_json(const Features& f) {
  using Kind = Features::Check::Kind;
  if (f.check.kind == Kind::none) return Json{{"kind", "rules"}};
  if (f.check.kind == Kind::exact) return Json{{"kind", "exact"}};
  return Json{{"kind", "numeric"}, {"points", f.check.points}, {"difference", f.check.difference}};
}

Json to_json(const Features& f, const Kernel& k, const FeaturesCall& options) {
  Json json{{"kind", name_of(f.kind)},
            {"kernel", k.text()},
            {"formula", k.formula()},
            {"dimension", *options.dimension}};
  if (f.kind == Features::Kind::none || f.kind == Features::Kind::unknown) {
    json["reason"] = f.reason;
    json["infinite"] = f.known_infinite ? Json(true) : Json();
    return json;
  }
  json["count"] = f.count;
  if (f.kind == Features::Kind::finite) json["minimal"] = f.minimal;
  json["coordinates"] = writes_out(f, options) ? coordinates_json(f.map) : Json::array();
  json["complete"] = f.complete;
  if (f.tail) {
    json["terms"] = options.terms.value_or(terms_by_default);
    json["series"] = f.series;
    json["tail_bound"] = f.tail->formula();
    json["tail_where"] = f.where;
    json["tail_on_unit_ball"] = f.tail_on_unit_ball ? Json(*f.tail_on_unit_ball) : Json();
  }
  if (!f.notes.empty()) json["notes"] = f.notes;
  json["check"] = check_json(f);
  return json;
}

// Where no φ was found there may be none: a kernel has one, and what has a witness against it has
// not.
void ask_for_a_witness(Features& f, const Kernel& k, const FeaturesCall& options) {
  ProofOptions where;
  where.dimension = options.dimension;
  constexpr double seconds = 5;
  where.timeout = seconds;
  const Verdict v = prove(k, where);
  if (v.kind != Verdict::Kind::not_a_kernel) return;
  f.kind = Features::Kind::none;
  f.known_infinite = false;
  const Witness& w = *v.witness;
  if (w.coefficients.empty()) {
    f.reason = "it is not symmetric";
    return;
  }
  f.reason = "Σ a_i a_j k(x_i, x_j) = " + w.value + " < 0 for";
  for (std::size_t i = 0; i < w.points.size(); ++i)
    f.reason += (i == 0                     ? " "
                 : i + 1 == w.points.size() ? " and "
                                            : ", ") +
                std::string("a = ") + w.coefficients[i] + " at " + point_text(w.points[i]);
}

ExitCode from_kernel(const FeaturesCall& options) {
  if (!options.dimension)
    throw Error("--dim D is required: the features depend on the dimension of the points");
  const Kernel k = Kernel::parse(options.expression, {.dimension = options.dimension});
  Features f = answer(k, options);
  if (f.kind == Features::Kind::unknown) ask_for_a_witness(f, k, options);
  const bool found = f.kind == Features::Kind::finite || f.kind == Features::Kind::infinite;
  if (options.json) {
    print(to_json(f, k, options));
  } else {
    print(found ? show(f, k, options) : no_map(f, k, options));
  }
  if (f.kind == Features::Kind::none) return answer_is_no;
  return found ? done : undecided;
}

// ---- from φ to k

ExitCode from_map(const FeaturesCall& options) {
  const FeatureMap map = FeatureMap::parse(*options.map, options.dimension);
  const KernelOfMap k = kernel_of(map);
  if (options.json) {
    print(Json{{"map", coordinates_json(map)},
               {"dimension", map.dimension},
               {"kernel", k.kernel.text()},
               {"formula", k.kernel.formula()},
               {"function_of_dot", k.function_of_dot},
               {"closed_form", k.closed_form}});
    return done;
  }
  Rows rows{{"map", map.text()},
            {"dimension", std::to_string(map.dimension)},
            {"k(x,z)", k.kernel.formula()}};
  if (k.kernel.text() != k.kernel.formula()) rows.emplace_back("kernel", k.kernel.text());
  rows.emplace_back("function of x.z", k.function_of_dot ? "yes" : "no");
  print(aligned(rows));
  return done;
}

// ---- one map in another

std::string combination_text(const Containment& c, std::size_t i, const FeatureMap& map) {
  std::string text;
  const auto append = [&](std::string weight, const std::string& f) {
    if (weight == "0") return;
    const bool minus = weight.starts_with("-");
    if (minus) weight.erase(0, 1);
    if (weight.find_first_of("+- ") != std::string::npos && !f.empty()) weight = "(" + weight + ")";
    std::string term = f.empty() ? weight : weight == "1" ? f : weight + "·" + f;
    text += text.empty() ? (minus ? "-" : "") + term : (minus ? " - " : " + ") + term;
  };
  for (std::size_t j = 0; j < map.coordinates.size(); ++j)
    append(c.combinations[i][j], "φ" + std::to_string(j + 1));
  append(c.offsets[i], "");
  return text.empty() ? "0" : text;
}

std::string show(const Containment& c, const FeatureMap& map, const FeatureMap& other) {
  if (c.kind == Containment::Kind::yes) {
    std::string text = "Yes: every rule in ψ is a rule in φ.\n";
    for (std::size_t i = 0; i < other.coordinates.size(); ++i)
      text += "\n  ψ" + std::to_string(i + 1) + " = " + other.text(i) + " = " +
              combination_text(c, i, map);
    return text;
  }
  const std::string coordinate =
      "ψ" + std::to_string(c.missing + 1) + " = " + other.text(c.missing);
  if (c.kind == Containment::Kind::no)
    return "No: " + coordinate + " is no combination of the coordinates of φ; " + c.missing_part +
           " is missing.";
  return "Unknown: no combination for " + coordinate +
         " was found, but these functions may depend on one another in ways not seen here.";
}

const char* name_of(Containment::Kind kind) {
  switch (kind) {
    case Containment::Kind::yes:
      return "yes";
    case Containment::Kind::no:
      return "no";
    case Containment::Kind::unknown:
      break;
  }
  return "unknown";
}

Json to_json(const Containment& c, const FeatureMap& map, const FeatureMap& other, bool offset) {
  Json json{{"contains", name_of(c.kind)},
            {"map", coordinates_json(map)},
            {"other", coordinates_json(other)},
            {"offset", offset}};
  if (c.kind == Containment::Kind::yes) {
    json["combinations"] = c.combinations;
    json["offsets"] = c.offsets;
  } else {
    json["missing"] = other.text(c.missing);
    json["missing_part"] = c.missing_part;
  }
  return json;
}

ExitCode contained(const FeaturesCall& options) {
  const FeatureMap map = FeatureMap::parse(*options.map, options.dimension);
  const FeatureMap other = FeatureMap::parse(*options.contained, options.dimension);
  const Containment c = contains(map, other, !options.no_offset);
  if (options.json) {
    print(to_json(c, map, other, !options.no_offset));
  } else {
    const Rows rows{{"φ", map.text()},
                    {"ψ", other.text()},
                    {"rules", options.no_offset ? "θ·φ(x)" : "θ·φ(x) + θ_0"}};
    print(aligned(rows) + "\n\n" + show(c, map, other));
  }
  switch (c.kind) {
    case Containment::Kind::yes:
      return done;
    case Containment::Kind::no:
      return answer_is_no;
    case Containment::Kind::unknown:
      break;
  }
  return undecided;
}

ExitCode run_features(const FeaturesCall& options) {
  if (options.random > 0) {
    if (options.map || options.terms || options.all || options.contained || options.dimension)
      throw Error("--random goes with EXPR, DATA, -o, --orthogonal, --sketch and --seed only");
    return write_random_features({options.expression, options.data, options.out, options.random,
                                  options.orthogonal, options.sketch, options.seed, options.force,
                                  options.json});
  }
  if (!options.data.empty() || !options.out.empty() || options.orthogonal || options.sketch)
    throw Error("DATA, -o, --orthogonal and --sketch go with --random D");
  if (!options.map) {
    if (options.contained) throw Error("--contains asks about a map: give it with --map \"[…]\"");
    if (options.no_offset) throw Error("--no-offset goes with --contains");
    if (options.expression.empty()) throw Error("EXPR is required (or --map \"[…]\")");
    if (options.all && options.terms && *options.terms > shown_at_most)
      throw Error("--all shows at most " + std::to_string(shown_at_most) + " coordinates");
    return from_kernel(options);
  }
  if (!options.expression.empty()) throw Error("an expression or --map, not both");
  if (options.terms || options.all)
    throw Error("--terms and --all go with an expression: a map is written out already");
  if (options.contained) return contained(options);
  if (options.no_offset) throw Error("--no-offset goes with --contains");
  return from_map(options);
}

}  // namespace

void add_features(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<FeaturesCall>();
  Command* command = add_command(
      program, chosen, "features",
      "Write out the feature map of a kernel, or find the kernel of a map", options, run_features);
  command->add_option("EXPR", options->expression, "the kernel");
  command->add_option("DATA", options->data, "with --random: the points");
  command->add_option("--dim", options->dimension, "the dimension of the points")
      ->check(whole_number(1, 0x7FFFFFFF))
      ->type_name("D");
  command
      ->add_option("--terms", options->terms,
                   "write out the first N coordinates; of an infinite map, N terms of its series "
                   "(4 if absent)")
      ->check(whole_number(1, shown_at_most))
      ->type_name("N");
  command->add_flag("--all", options->all,
                    "write out all coordinates, up to 100000 (100 if absent)");
  command->add_option("--map", options->map, "a feature map, e.g. \"[x1, x2, sqrt(2)*x1*x2]\"")
      ->type_name("MAP");
  command
      ->add_option("--contains", options->contained,
                   "with --map: is every linear rule in this map one in the other?")
      ->type_name("MAP");
  command->add_flag("--no-offset", options->no_offset,
                    "with --contains: rules θ·φ(x) without a constant");
  command
      ->add_option("--random", options->random,
                   "write D random Fourier features of the points in DATA to a file, for a "
                   "stationary kernel")
      ->check(whole_number(1, 1'000'000))
      ->type_name("D");
  command->add_flag("--orthogonal", options->orthogonal,
                    "with --random: orthogonal directions, for a smaller error");
  command->add_flag("--sketch", options->sketch,
                    "with --random: of a polynomial kernel, a sketch of its products");
  command->add_option("--seed", options->seed, "with --random")
      ->check(whole_number(0))
      ->type_name("S")
      ->capture_default_str();
  command->add_option("-o,--out", options->out, "with --random: .npy, .csv, .tsv or .libsvm")
      ->type_name("FILE");
  command->add_flag("--force", options->force, "replace the file if it is there");
  command->footer(
      "k(x,z) = φ(x)·φ(z). Coordinates are exact, and what is not written out is counted.\n"
      "Exit codes: 0 done, 1 there is no φ (--contains: no), 3 none was found (--contains: "
      "unknown).\n\n"
      "Examples:\n"
      "  mercer features '(1 + x.z)^2' --dim 2\n"
      "  mercer features 'rbf(0.5)' --dim 2 --terms 3\n"
      "  mercer features --map '[x1, x2, x1^2, sqrt(2)*x1*x2, x2^2]'\n"
      "  mercer features --map '[x1, x2, x1^2 + x2^2]' --contains '[x1^2 + 2*x2^2]'\n"
      "  mercer features --random 500 'rbf(0.5)' moons.csv -o moons.npy");
}

}  // namespace mercer::cli
