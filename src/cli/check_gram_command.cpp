// mercer check-gram FILE: is this matrix a Gram matrix?
#include <algorithm>
#include <fmt/format.h>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/gram_matrix.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/values.hpp"
#include "cli/writing.hpp"

namespace mercer::cli {

namespace {

struct CheckGramCall {
  std::string path;
  std::string repair;
  std::string out;
  bool force = false;
  bool json = false;
};

// The entries of the direction that matter most, by number of the row.
std::vector<std::size_t> largest_entries(const std::vector<double>& direction) {
  constexpr std::size_t most = 5;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < direction.size(); ++i)
    if (direction[i] != 0) rows.push_back(i);
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
    return std::abs(direction[a]) > std::abs(direction[b]);
  });
  rows.resize(std::min(rows.size(), most));
  std::ranges::sort(rows);
  return rows;
}

std::string verdict_text(const GramCheck& check, const Matrix& K) {
  if (!check.symmetric) return "This is not a Gram matrix: it is not symmetric.";
  if (!check.semidefinite) return "This is not a Gram matrix: it is not positive semidefinite.";
  if (check.exactly == true) return "This is a Gram matrix, exactly.";
  if (check.exactly == false) return "This is a Gram matrix to within rounding, not exactly.";
  return K.rows > 1 ? "This is a Gram matrix to within rounding." : "This is a Gram matrix.";
}

std::string show(const GramCheck& check, const Matrix& K) {
  std::string text = verdict_text(check, K) + "\n\n";
  const std::string symmetric =
      check.asymmetry == 0
          ? "exactly"
          : fmt::format("{}; K[{},{}] and K[{},{}] differ by {:.3g}",
                        check.symmetric ? "to within rounding" : "no", check.row + 1,
                        check.column + 1, check.column + 1, check.row + 1, check.asymmetry);
  std::vector<std::pair<std::string, std::string>> rows{
      {"size", fmt::format("{0} by {0}", K.rows)},
      {"symmetric", symmetric},
      {"eigenvalues",
       fmt::format("from {:.6g} to {:.6g}", check.smallest_eigenvalue, check.largest_eigenvalue)},
      {"rounding bound", fmt::format("{:.3g}  (n·ε·λmax)", check.bound)}};
  if (check.negative_eigenvalues > 0)
    rows.emplace_back("below it", fmt::format("{} of {}", check.negative_eigenvalues, K.rows));
  text += aligned(rows);
  if (!check.direction.empty()) {
    const auto entries = largest_entries(check.direction);
    const auto others = static_cast<std::size_t>(std::ranges::count_if(
                            check.direction, [](double v) { return v != 0; })) -
                        entries.size();
    text += "\n\naᵀKa = " + check.value + " < 0 for\n ";
    for (const auto i : entries)
      text += fmt::format(" a_{} = {}{}", i + 1, shortest(check.direction[i]),
                          i == entries.back() ? "" : ",");
    if (others > 0) text += fmt::format(", and {} smaller entries (--json lists them)", others);
  }
  return text;
}

Json to_json(const GramCheck& check, const Matrix& K) {
  Json json{{"gram", check.is_gram()},
            {"size", K.rows},
            {"symmetric", check.symmetric},
            {"asymmetry", check.asymmetry}};
  if (check.asymmetry > 0) json["asymmetry_at"] = {check.row + 1, check.column + 1};
  json["semidefinite"] = check.semidefinite;
  json["smallest_eigenvalue"] = check.smallest_eigenvalue;
  json["largest_eigenvalue"] = check.largest_eigenvalue;
  json["bound"] = check.bound;
  json["negative_eigenvalues"] = check.negative_eigenvalues;
  json["exactly"] = check.exactly ? Json(*check.exactly) : Json(nullptr);
  if (!check.direction.empty()) {
    json["direction"] = check.direction;
    json["value"] = check.value;
  }
  return json;
}

GramRepair repair_named(const std::string& name) {
  if (name == "clip") return GramRepair::clip;
  if (name == "shift") return GramRepair::shift;
  return GramRepair::nearest;
}

std::string show(const RepairedGram& r, const CheckGramCall& options) {
  if (r.moved == 0) return "\n\n" + options.out + ": written as it was, there is nothing to repair";
  std::string text = fmt::format(
      "\n\n{}: the repaired matrix ({}), a Gram matrix when checked again\n"
      "moved by {:.6g} in the Frobenius norm, {:.3g} of the whole; at most {:.3g} in one entry, "
      "K[{},{}]",
      options.out, options.repair, r.moved, r.relative, r.largest_change, r.row + 1, r.column + 1);
  if (!r.converged)
    text += fmt::format(
        "\nnot converged after {} rounds: a Gram matrix with this diagonal, but a "
        "nearer one exists",
        r.rounds);
  return text;
}

// Before any work: is there a place for the answer?
void check_repair(const CheckGramCall& options) {
  if (options.repair.empty() != options.out.empty())
    throw Error("--repair and -o go together: how to repair, and where to write the result");
  if (options.out.empty()) return;
  // A name in .txt would say nothing of the commas in it, and LIBSVM's format has no matrices.
  if (options.out.ends_with(".txt") || written_as(options.out).format == FileFormat::libsvm)
    throw Error(options.out +
                ": the ending tells the format to write: expected .csv, .tsv or .npy");
  check_apart({options.path}, {options.out});
  check_new_file(options.out, options.force);
}

ExitCode run_check_gram(const CheckGramCall& options) {
  check_repair(options);
  ReadOptions how;
  how.labels = ReadOptions::Labels::none;
  how.numbers_only = true;
  const Matrix K = dense(read_table(options.path, how).points);
  const GramCheck check = check_gram(K);
  std::optional<RepairedGram> repaired;
  if (!options.repair.empty()) {
    repaired = repair_gram(K, repair_named(options.repair));
    Table table;
    table.points = Matrix(repaired->K).points();
    write_table(options.out, table);
    if (!check_gram(dense(read_table(options.out, how).points)).is_gram())
      throw Error(options.out + " was written, but does not read back as a Gram matrix");
  }
  if (options.json) {
    Json json = to_json(check, K);
    json["file"] = options.path;
    if (repaired)
      json["repair"] = {{"how", options.repair},
                        {"file", options.out},
                        {"moved", repaired->moved},
                        {"relative", repaired->relative},
                        {"largest_change", repaired->largest_change},
                        {"at", {repaired->row + 1, repaired->column + 1}},
                        {"converged", repaired->converged}};
    print(json);
  } else {
    print(show(check, K) + (repaired ? show(*repaired, options) : ""));
  }
  if (repaired) return repaired->converged ? done : undecided;
  return check.is_gram() ? done : answer_is_no;
}

}  // namespace

void add_check_gram(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<CheckGramCall>();
  Command* command =
      add_command(program, chosen, "check-gram",
                  "Tell whether a matrix is a Gram matrix, and repair it", options, run_check_gram);
  command
      ->add_option("FILE", options->path,
                   "the matrix: text with commas, semicolons or tabs, or .npy")
      ->required();
  command
      ->add_option("--repair", options->repair,
                   "clip: negative eigenvalues become 0; shift: |λmin| is added to the diagonal; "
                   "nearest: the nearest Gram matrix with the same diagonal")
      ->check(one_of({"clip", "shift", "nearest"}))
      ->type_name("HOW");
  command->add_option("-o,--out", options->out, "where to write it: a name in .csv, .tsv or .npy")
      ->type_name("OUT");
  command->add_flag("--force", options->force, "replace OUT if it is there");
  command->footer(
      "A matrix is the Gram matrix of some points in some feature space if and only if it is\n"
      "symmetric and has no negative eigenvalue; both are asked up to the rounding that a correct\n"
      "one may suffer, n·ε·λmax. Small matrices are also decided exactly,\n"
      "by their numbers as doubles.\n"
      "Exit codes: 0 a Gram matrix (with --repair: it is one now), 1 not, 3 --repair nearest has\n"
      "not converged (the result is still written).\n\n"
      "Examples:\n"
      "  mercer check-gram K.csv\n"
      "  mercer check-gram K.npy --repair nearest -o fixed.npy");
}

}  // namespace mercer::cli
