// mercer prove EXPR: is it a kernel?
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mercer/mercer.hpp>
#include <mercer/proof.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/proof_latex.hpp"
#include "cli/statement.hpp"
#include "cli/values.hpp"

namespace mercer::cli {

namespace {

struct ProveCall {
  std::string expression;
  Where where;
  double timeout = 10;
  std::string batch;
  bool json = false;
  bool latex = false;
};

const char* name_of(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::kernel:
      return "kernel";
    case Verdict::Kind::not_a_kernel:
      return "not-a-kernel";
    case Verdict::Kind::unknown:
      break;
  }
  return "unknown";
}

// ---- for people

// What a step uses, in a line: ": f(x) = x1; 3 monomials".
std::string used(const Derivation& step) {
  std::string text;
  const auto append = [&](const std::string& part) { text += (text.empty() ? ": " : ", ") + part; };
  for (const auto& p : step.with) append(p.name + " = " + p.value.text);
  if (!step.note.empty()) append(step.note);
  return text;
}

void draw(const Derivation& step, const std::string& first, const std::string& rest,
          std::string& out) {
  out += first + step.subject.text + (step.claim == "is a kernel" ? "" : "  (" + step.claim + ")") +
         "\n";
  out += rest + (step.premises.empty() ? "   " : "│  ") + "by " + step.rule + used(step) + "\n";
  for (std::size_t i = 0; i < step.premises.size(); ++i) {
    const bool last = i + 1 == step.premises.size();
    draw(step.premises[i], rest + (last ? "└─ " : "├─ "), rest + (last ? "   " : "│  "), out);
  }
}

void collect_rules(const Derivation& step, std::vector<std::string>& names) {
  if (std::ranges::find(names, step.rule) == names.end()) names.push_back(step.rule);
  for (const auto& p : step.premises) collect_rules(p, names);
}

std::string rules_used(const Derivation& derivation) {
  std::vector<std::string> names;
  collect_rules(derivation, names);
  std::string text = "Rules:";
  for (const auto& rule : rules())
    if (std::ranges::find(names, rule.name) != names.end())
      text += "\n  " + rule.name + ": " + rule.statement + " [" + rule.source + "]";
  return text;
}

std::string show(const Witness& w) {
  if (w.coefficients.empty())
    return "It is not symmetric: at x = " + point_text(w.points[0]) +
           ", z = " + point_text(w.points[1]) + "\n  k(x,z) = " + w.value_xz +
           "\n  k(z,x) = " + w.value_zx;
  std::string text = "Σ a_i a_j k(x_i, x_j) = " + w.value + " < 0 in dimension " +
                     std::to_string(w.dimension) + " for";
  for (std::size_t i = 0; i < w.points.size(); ++i)
    text += "\n  a_" + std::to_string(i + 1) + " = " + padded(w.coefficients[i], 6) + "  x_" +
            std::to_string(i + 1) + " = " + point_text(w.points[i]);
  return text +
         (w.exact ? "\nThe value is exact." : "\nThe value is certified in ball arithmetic.");
}

std::string show(const Verdict& v, const Kernel& k, const ProveCall& options) {
  switch (v.kind) {
    case Verdict::Kind::kernel: {
      std::string text = k.text() + " is a kernel" + scope(options.where, {k}) + ".\n\n";
      draw(*v.derivation, "", "", text);
      return text + "\n" + rules_used(*v.derivation);
    }
    case Verdict::Kind::not_a_kernel:
      return k.text() + " is not a kernel on " + domain_text(options.where) + ".\n\n" +
             show(*v.witness);
    case Verdict::Kind::unknown:
      break;
  }
  std::string text =
      "Whether " + k.text() + " is a kernel" + scope(options.where, {k}) + " is unknown.\n";
  for (const auto& t : v.tried) text += "\n- " + t;
  if (v.smallest_eigenvalue)
    text +=
        "\n- the smallest eigenvalue of a Gram matrix seen is " + shortest(*v.smallest_eigenvalue);
  return text;
}

// ---- for programs

Json to_json(const Derivation& d) {
  Json json{{"rule", d.rule}, {"subject", d.subject.text}, {"claim", d.claim}};
  json["with"] = Json::object();
  for (const auto& p : d.with) json["with"][p.name] = p.value.text;
  if (!d.note.empty()) json["note"] = d.note;
  json["premises"] = Json::array();
  for (const auto& p : d.premises) json["premises"].push_back(to_json(p));
  return json;
}

Json to_json(const Witness& w) {
  Json json{{"dim", w.dimension}, {"points", w.points}};
  if (w.coefficients.empty()) {
    json["values"] = {w.value_xz, w.value_zx};
  } else {
    json["coefficients"] = w.coefficients;
    json["value"] = w.value;
    json["bound"] = w.bound;
  }
  json["exact"] = w.exact;
  return json;
}

Json to_json(const Verdict& v, const Kernel& k, const ProveCall& options) {
  Json json{{"verdict", name_of(v.kind)},
            {"kernel", k.text()},
            {"formula", k.formula()},
            {"domain", domain_text(options.where)},
            {"dimension", options.where.dimension ? Json(*options.where.dimension) : Json()}};
  if (v.derivation) json["derivation"] = to_json(*v.derivation);
  if (v.witness) json["witness"] = to_json(*v.witness);
  if (v.kind == Verdict::Kind::unknown) {
    json["tried"] = v.tried;
    json["smallest_eigenvalue"] = v.smallest_eigenvalue ? Json(*v.smallest_eigenvalue) : Json();
  }
  return json;
}

ProofOptions proof_options(const ProveCall& options) {
  ProofOptions proof;
  proof.domain = Domain::parse(options.where.domain);
  proof.dimension = options.where.dimension;
  proof.timeout = options.timeout;
  return proof;
}

Verdict judge(const Kernel& k, const ProveCall& options) {
  return prove(k, proof_options(options));
}

// ---- many statements

void complain(const std::string& message) {
  std::cout.flush();  // the message belongs behind its row
  std::cerr << "mercer prove: " << message << '\n';
}

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> result(1);
  for (const char c : line) {
    if (c == '\t') {
      result.emplace_back();
    } else if (c != '\r') {
      result.back() += c;
    }
  }
  return result;
}

struct Row {
  ProveCall options;
  std::string wanted;
};

std::uint32_t dimension_from(const std::string& text) {
  if (text.size() > 9 || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }) ||
      std::stoul(text) == 0)
    throw Error("'" + text + "' is not a dimension; expected a whole number from 1");
  return static_cast<std::uint32_t>(std::stoul(text));
}

// What a row says; its dimension is read with the statement, for mistakes in it are answers too.
Row row_of(const std::vector<std::string>& parts, const ProveCall& options) {
  Row row{options, parts.size() > 3 ? parts[3] : ""};
  row.options.expression = parts[0];
  if (parts.size() > 1 && !parts[1].empty()) row.options.where.domain = parts[1];
  return row;
}

// The lines of a file of statements: text, or an Error that says what it is instead.
std::vector<std::string> lines_of(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error("cannot read " + path + ": a folder, not a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error("cannot read " + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (lines.empty() && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    const bool text = std::ranges::none_of(line, [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return (byte < ' ' && c != '\t' && c != '\r') || byte == 0x7F;
    });
    if (!text)
      throw Error(path + ":" + std::to_string(lines.size() + 1) +
                  ": a control character: this is not a text of statements");
    lines.push_back(std::move(line));
  }
  return lines;
}

struct Tally {
  std::size_t rows = 0;
  std::size_t compared = 0;
  std::size_t different = 0;
  std::size_t errors = 0;  // that no one expected
};

ExitCode run_batch(const ProveCall& options) {
  const auto lines = lines_of(options.batch);
  Tally tally;
  Json answers = Json::array();
  for (std::size_t number = 1; number <= lines.size(); ++number) {
    const std::string& line = lines[number - 1];
    if (line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '#') continue;
    const auto parts = fields(line);
    Row row = row_of(parts, options);
    std::string answer;
    std::string message;
    Json json;
    try {
      if (parts.size() > 2 && !parts[2].empty())
        row.options.where.dimension = dimension_from(parts[2]);
      const Kernel k =
          Kernel::parse(row.options.expression, {.dimension = row.options.where.dimension});
      const Verdict v = judge(k, row.options);
      answer = name_of(v.kind);
      json = to_json(v, k, row.options);
    } catch (const Error& error) {
      answer = "error";
      message = error.what();
      json = as_json(error);
      json["verdict"] = "error";
      json["line"] = number;
    }
    ++tally.rows;
    const bool differs = !row.wanted.empty() && row.wanted != answer;
    if (!row.wanted.empty()) ++tally.compared;
    if (differs) ++tally.different;
    const bool mistake = answer == "error" && row.wanted != "error";
    if (mistake) ++tally.errors;
    if (options.json) {
      json["expression"] = row.options.expression;
      if (!row.wanted.empty()) json["expected"] = row.wanted;
      answers.push_back(json);
    } else {
      print(
          padded(answer, 13) + (differs ? "expected " + row.wanted + "  " : "") +
          padded(row.options.expression, 50) + "  " + row.options.where.domain +
          (row.options.where.dimension ? "  " + std::to_string(*row.options.where.dimension) : ""));
    }
    if (mistake) complain(options.batch + ":" + std::to_string(number) + ": " + message);
  }
  if (tally.rows == 0)
    throw Error(options.batch + ": no statements in it; expected one in a line, as in x.z");
  if (options.json) {
    print(Json{{"statements", answers},
               {"compared", tally.compared},
               {"different", tally.different},
               {"errors", tally.errors}});
  } else {
    print("\n" + std::to_string(tally.rows) + (tally.rows == 1 ? " statement, " : " statements, ") +
          std::to_string(tally.compared) + " compared with a verdict, " +
          std::to_string(tally.different) + " different" +
          (tally.errors == 0   ? ""
           : tally.errors == 1 ? ", 1 error"
                               : ", " + std::to_string(tally.errors) + " errors"));
  }
  if (tally.errors > 0) return wrong_call;
  return tally.different > 0 ? answer_is_no : done;
}

ExitCode run_prove(const ProveCall& options) {
  if (!options.batch.empty()) {
    if (!options.expression.empty()) throw Error("an expression or --batch, not both");
    if (options.latex) throw Error("--latex is for one statement; --batch prints a table");
    return run_batch(options);
  }
  if (options.expression.empty()) throw Error("EXPR is required (or --batch FILE)");
  const Kernel k = Kernel::parse(options.expression, {.dimension = options.where.dimension});
  const Verdict v = judge(k, options);
  if (options.json) {
    print(to_json(v, k, options));
  } else if (options.latex) {
    print(as_latex(v, k, proof_options(options)));
  } else {
    print(show(v, k, options));
  }
  return code_of(v.kind, Verdict::Kind::kernel, Verdict::Kind::not_a_kernel);
}

}  // namespace

void add_prove(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<ProveCall>();
  Command* command =
      add_command(program, chosen, "prove", "Prove that an expression is a kernel, or refute it",
                  options, run_prove);
  command->add_option("EXPR", options->expression, "the expression");
  add_where(*command, options->where, "every one that makes sense");
  command->add_option("--timeout", options->timeout, "seconds after which the answer is unknown")
      ->check(number_between(0.001, 1e6))
      ->type_name("SECONDS")
      ->capture_default_str();
  command
      ->add_option(
          "--batch", options->batch,
          "judge a file of statements: expression, domain, dimension and expected verdict, "
          "separated by tabs")
      ->type_name("FILE");
  command
      ->add_flag("--latex", options->latex,
                 "print the proof for TeX, to paste into a paper or a solution")
      ->excludes(command->get_option("--json"));
  command->footer(
      "The answer is a derivation by named rules, or points and coefficients with\n"
      "Σ a_i a_j k(x_i, x_j) < 0, checked exactly or in ball arithmetic, or an honest "
      "\"unknown\".\n"
      "Exit codes: 0 a kernel, 1 not a kernel, 3 unknown. With --batch: 0 no verdict differs from\n"
      "the expected one, 1 some do, 2 a row is in error that was not expected to be; a row whose\n"
      "answer is unknown counts only where another verdict is expected.\n\n"
      "Examples:\n"
      "  mercer prove 'exp(-|x-z|^2/2)'\n"
      "  mercer prove 'min(x,z)' --over Z --dim 1\n"
      "  mercer prove --batch claims.tsv");
}

}  // namespace mercer::cli
