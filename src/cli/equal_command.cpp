// mercer equal K1 K2: the same function?
#include <mercer/equal.hpp>
#include <mercer/mercer.hpp>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/statement.hpp"

namespace mercer::cli {

namespace {

struct EqualCall {
  std::string first;
  std::string second;
  Where where;
  bool json = false;
};

const char* name_of(Equality::Kind kind) {
  switch (kind) {
    case Equality::Kind::equal:
      return "equal";
    case Equality::Kind::different:
      return "different";
    case Equality::Kind::unknown:
      break;
  }
  return "unknown";
}

std::string show(const Equality& e, const Kernel& k1, const Kernel& k2, const EqualCall& options) {
  const std::string both = k1.text() + " and " + k2.text();
  switch (e.kind) {
    case Equality::Kind::equal:
      return both + " are equal" + scope(options.where, {k1, k2}) + ":\n" + e.reason + ".";
    case Equality::Kind::different:
      return both + " are different: in dimension " + std::to_string(e.difference->dimension) +
             ", at x = " + point_text(e.difference->x) + ", z = " + point_text(e.difference->z) +
             "\n  k1(x,z) = " + e.difference->first + "\n  k2(x,z) = " + e.difference->second +
             "\n  difference " + e.difference->gap +
             (e.difference->exact ? "\nThe values are exact."
                                  : "\nThe values are certified in ball arithmetic.");
    case Equality::Kind::unknown:
      break;
  }
  std::string text =
      "Whether " + both + " are equal" + scope(options.where, {k1, k2}) + " is unknown.\n";
  for (const auto& t : e.tried) text += "\n- " + t;
  return text;
}

Json to_json(const Equality& e, const Kernel& k1, const Kernel& k2, const EqualCall& options) {
  Json json{{"verdict", name_of(e.kind)},
            {"first", k1.text()},
            {"second", k2.text()},
            {"domain", domain_text(options.where)},
            {"dimension", options.where.dimension ? Json(*options.where.dimension) : Json()}};
  if (!e.reason.empty()) json["reason"] = e.reason;
  if (e.difference)
    json["difference"] = Json{
        {"dim", e.difference->dimension}, {"x", e.difference->x},
        {"z", e.difference->z},           {"values", {e.difference->first, e.difference->second}},
        {"gap", e.difference->gap},       {"exact", e.difference->exact}};
  if (e.kind == Equality::Kind::unknown) json["tried"] = e.tried;
  return json;
}

ExitCode run_equal(const EqualCall& options) {
  const Kernel k1 = Kernel::parse(options.first, {.dimension = options.where.dimension});
  const Kernel k2 = Kernel::parse(options.second, {.dimension = options.where.dimension});
  EqualityOptions question;
  question.domain = Domain::parse(options.where.domain);
  question.dimension = options.where.dimension;
  const Equality e = equal(k1, k2, question);
  if (options.json) {
    print(to_json(e, k1, k2, options));
  } else {
    print(show(e, k1, k2, options));
  }
  return code_of(e.kind, Equality::Kind::equal, Equality::Kind::different);
}

}  // namespace

void add_equal(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<EqualCall>();
  Command* command =
      add_command(program, chosen, "equal", "Decide whether two expressions are the same function",
                  options, run_equal);
  command->add_option("K1", options->first, "the first expression")->required();
  command->add_option("K2", options->second, "the second expression")->required();
  add_where(*command, options->where, "every one in which both make sense");
  command->footer(
      "Polynomials are compared exactly, others by rewriting; two points with different values,\n"
      "computed exactly or in ball arithmetic, show that they differ.\n"
      "Exit codes: 0 equal, 1 different, 3 unknown.\n\n"
      "Examples:\n"
      "  mercer equal '(1 + x.z)^2' '1 + 2*x.z + (x.z)^2'\n"
      "  mercer equal 'rbf(0.5)' 'exp(x.z - 1)' --over sphere\n"
      "  mercer equal 'x1*z1 + x2*z2' 'x.z' --dim 2");
}

}  // namespace mercer::cli
