// mercer gram EXPR DATA: kernel values between the rows of data.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>
#include <mercer/table_stream.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/computing.hpp"
#include "cli/kernel_notes.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"
#include "cli/table_options.hpp"
#include "cli/writing.hpp"

namespace mercer::cli {

namespace {

struct GramCall {
  std::string expression;
  TableOptions table;
  std::string with;
  Output out;
  Computing computing;
  bool json = false;
};

struct Done {
  ValueRange range;
  std::vector<std::vector<double>> corner;
  double seconds = 0;
};

std::vector<std::vector<double>> corner_of(const Gram& gram) {
  constexpr std::size_t most = 5;
  const std::size_t n = std::min(most, gram.rows());
  const std::size_t m = std::min(most, gram.columns());
  std::vector<double> values(n * m);
  gram.block(Rows(0, n), Rows(0, m), values.data(), m);
  std::vector<std::vector<double>> corner;
  for (std::size_t i = 0; i < n; ++i)
    corner.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(i * m),
                        values.begin() + static_cast<std::ptrdiff_t>((i + 1) * m));
  return corner;
}

std::string computed(const GramReport& report) {
  std::string text = report.precision + " with " + report.instructions;
  if (report.layout == "sparse") text += ", zeros passed over";
  if (!report.distances.empty()) text += ", distances by " + report.distances;
  if (report.centred) text += ", seen from the mean";
  return text;
}

std::string show(const Kernel& k, const Gram& gram, const Done& done, const GramCall& options) {
  const GramReport& report = gram.report();
  std::string sums;
  for (const auto& s : report.sums) sums += (sums.empty() ? "" : ", ") + s;
  std::vector<std::pair<std::string, std::string>> rows{
      {"kernel", k.text()},
      {"matrix", fmt::format("{} × {}", gram.rows(), gram.columns())},
      {"values", fmt::format("{:.6g} to {:.6g}, mean {:.6g}", done.range.least, done.range.largest,
                             done.range.mean)},
      {"computed", computed(report)}};
  if (!sums.empty()) rows.emplace_back("sums", sums);
  if (!report.why.empty()) rows.emplace_back("note", report.why);
  rows.emplace_back("error", fmt::format("about {:.1g} expected, relative", report.error));
  rows.emplace_back("time", fmt::format("{:.3g} s", done.seconds));
  if (!options.out.path.empty()) rows.emplace_back("written", options.out.path);
  std::string text = aligned(rows);
  if (options.out.path.empty()) {
    text += "\n";
    for (const auto& line : done.corner) {
      text += "\n ";
      for (const double v : line) text += fmt::format(" {:>11.6g}", v);
      if (line.size() < gram.columns()) text += "  …";
    }
    if (done.corner.size() < gram.rows()) text += "\n            ⋮";
    text += "\n\n-o FILE.npy writes all of it.";
  }
  return text;
}

Json to_json(const Kernel& k, const Gram& gram, const Done& done, const GramCall& options,
             const std::vector<std::string>& notes) {
  const GramReport& report = gram.report();
  Json json{{"kernel", k.text()},
            {"rows", gram.rows()},
            {"columns", gram.columns()},
            {"least", done.range.least},
            {"mean", done.range.mean},
            {"largest", done.range.largest},
            {"precision", report.precision},
            {"instructions", report.instructions},
            {"layout", report.layout},
            {"distances", report.distances},
            {"centred", report.centred},
            {"sums", report.sums},
            {"expected_error", report.error},
            {"seconds", done.seconds},
            {"corner", done.corner}};
  if (!report.why.empty()) json["note"] = report.why;
  if (!options.out.path.empty()) json["file"] = options.out.path;
  json["notes"] = notes;
  return json;
}

struct Pair {
  Table table;
  Points other;
  std::vector<std::string> notes;
};

// The second file as the first one says: the same categories, columns by name.
Pair read_pair(const GramCall& options) {
  ReadOptions read = read_options(options.table);
  EncodedTable first =
      read_training(options.table.path, read, {.missing = missing_named(options.table.missing)});
  const Encoding& encoding = first.encoding;
  if (encoding.sparse && encoding.columns.empty()) {  // LIBSVM: zeros as far as the other goes
    const std::size_t columns = first.table.columns();
    Points other = read_table(options.with, read).points;
    if (other.is_sparse() && other.columns() < columns) other = other.with_columns(columns);
    if (other.is_sparse() && other.columns() > columns)
      first.table.points = first.table.points.with_columns(other.columns());
    return {std::move(first.table), std::move(other), {}};
  }
  read.categories.clear();
  if (encoding.named) {
    read.labels = ReadOptions::Labels::last_column;
    read.ignore.clear();
    read.weight.clear();
  }
  TableStream second(options.with, encoding, read, TableStream::Labels::ignored);
  auto rows = second.next(std::numeric_limits<std::size_t>::max());
  if (!rows) throw Error(options.with + ": every row has a missing value; none is left");
  return {std::move(first.table), std::move(rows->points), notes_of(second.report(), encoding)};
}

bool can_hold_a_matrix(const Output& out) {
  try {
    return format_of(out).format != FileFormat::libsvm;
  } catch (const Error&) {  // of a name that tells no format
    return false;
  }
}

ExitCode run_gram(const GramCall& options) {
  if (!options.out.path.empty()) {
    if (options.out.path == "-") throw Error("-o needs the name of a file: .npy, .csv or .tsv");
    if (!can_hold_a_matrix(options.out))
      throw Error(options.out.path +
                  ": a Gram matrix is written as .npy, .csv or .tsv, each also with .gz");
    check_output(options.out, options.json,
                 {options.table.path, options.table.labels, options.with});
  }
  const bool alone = options.with.empty();
  Pair data = alone ? Pair{read(options.table), {}, {}} : read_pair(options);
  const Table& table = data.table;
  const Kernel k = in_columns_of(
      table, Kernel::parse(options.expression,
                           {.dimension = static_cast<std::uint32_t>(table.columns())}));
  GramOptions how = gram_options(options.computing);
  how.storage = GramOptions::Storage::recomputed;
  const Points& other = alone ? table.points : data.other;
  if (k.open_parameters().empty())
    for (auto& note : kernel_notes(k, table.points)) data.notes.push_back(std::move(note));
  const auto start = std::chrono::steady_clock::now();
  const Gram gram(k, table.points, other, how);
  Done done;
  done.range = options.out.path.empty()
                   ? value_range(gram)
                   : write_gram(options.out.path, gram, format_of(options.out));
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  done.corner = corner_of(gram);
  if (options.json) {
    print(to_json(k, gram, done, options, data.notes));
  } else {
    print(show(k, gram, done, options));
    print_notes(data.notes);
  }
  return ExitCode::done;
}

}  // namespace

void add_gram(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<GramCall>();
  Command* command = add_command(program, chosen, "gram",
                                 "Compute the Gram matrix of a kernel on data", options, run_gram);
  command->add_option("EXPR", options->expression, "the kernel")->required();
  add_table_options(*command, options->table);
  command
      ->add_option("--with", options->with,
                   "other data, read as the first are: values between the rows of both")
      ->type_name("DATA");
  command->add_option("-o,--out", options->out.path, "write the matrix: .npy, .csv or .tsv")
      ->type_name("OUT");
  command->add_flag("--force", options->out.force, "replace the file if it is there");
  add_computing_options(*command, options->computing);
  command->footer(
      "The label is not part of the points. Without -o the matrix is computed and described.\n\n"
      "Examples:\n"
      "  mercer gram 'rbf(0.5)' iris.csv\n"
      "  mercer gram 'rbf(0.5)*poly(2) + 0.1*linear' train.libsvm -o K.npy\n"
      "  mercer gram 'laplacian(1)' test.csv --with train.csv -o K_test.npy --precision double");
}

}  // namespace mercer::cli
