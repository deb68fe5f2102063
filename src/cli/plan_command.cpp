// mercer plan DATA: what would a training take?
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mercer/error.hpp>
#include <mercer/plan.hpp>

#include "base/machine.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/large_training.hpp"
#include "cli/learner_options.hpp"
#include "cli/output.hpp"
#include "data/row_store.hpp"

namespace mercer::cli {

namespace {

using PlanCall = LearnerOptions;

constexpr std::size_t most_sampled = 10'000;

double bytes_of(const Points& x) {
  const double number = x.scalar() == Points::Scalar::float32 ? 4 : 8;
  return static_cast<double>(x.entries()) * (x.is_sparse() ? number + 4 : number) /
         static_cast<double>(std::max<std::size_t>(x.rows(), 1));
}

// Some rows of a file that is read to disk first, as training would do.
PlanInput from_disk(const PlanCall& options) {
  const data::RowStore store(options.table.path, read_options(options.table),
                             encoding_options(options),
                             std::filesystem::temp_directory_path().string());
  const auto& facts = store.facts();
  const auto rows = data::stored_rows(store.folder(), facts, 0, facts.rows);
  const auto some = RandomNumbers(options.seed).sample(facts.rows, most_sampled);
  PlanInput input;
  input.rows = facts.rows;
  input.encoding = facts.encoding;
  Table& t = input.sample;
  t = without_rows(facts);
  t.points = rows.points.select(some);
  t.labels.name = facts.label;
  for (const std::size_t i : some) {
    if (!rows.weights.empty()) t.weights.push_back(rows.weights[i]);
    if (facts.numeric) {
      t.labels.numbers.push_back(rows.numbers[i]);
    } else if (!rows.codes.empty()) {
      t.labels.codes.push_back(rows.codes[i]);
    }
  }
  if (!facts.numeric) t.labels.classes = facts.classes;
  return input;
}

PlanInput from_memory(const PlanCall& options) {
  EncodedTable data =
      read_training(options.table.path, read_options(options.table), encoding_options(options));
  add_labels(data.table, options.table);
  PlanInput input;
  input.rows = data.table.rows();
  input.encoding = data.encoding;
  input.sample =
      input.rows <= most_sampled
          ? std::move(data.table)
          : data.table.select(RandomNumbers(options.seed).sample(input.rows, most_sampled));
  return input;
}

std::string time_text(double s) {
  if (s < 120) return fmt::format("{:.2g} s", s);
  if (s < 7200) return fmt::format("{:.2g} min", s / 60);
  return s < 200'000 ? fmt::format("{:.2g} h", s / 3600) : fmt::format("{:.2g} days", s / 86400);
}

std::string memory_text(double bytes) {
  const double mebibytes = bytes / (1 << 20U);
  return mebibytes < 10'000 ? fmt::format("{:.0f} MiB", mebibytes)
                            : fmt::format("{:.1f} GiB", mebibytes / 1024);
}

ExitCode run_plan(const PlanCall& options) {
  if (!options.libsvm.empty())
    throw Error("--libsvm-options is for `mercer train`; here write -k and -C");
  TrainOptions how = train_options(options, learner_of(options));
  const bool large = file_too_large(options.table.path, options.memory << 20U);
  PlanInput input = large ? from_disk(options) : from_memory(options);
  input.row_bytes = bytes_of(input.sample.points);
  input.memory = options.memory << 20U;
  set_rule(options, input.sample, how);
  if (how.kernel) how.kernel = in_columns_of(input.sample, *how.kernel);
  const Plan p = plan(input, how);
  if (options.json) {
    Json routes = Json::array();
    for (const auto& r : p.routes)
      routes.push_back({{"name", r.name},
                        {"how", r.how},
                        {"seconds", r.seconds},
                        {"bytes", r.bytes},
                        {"fits", r.fits}});
    print(Json{{"rows", input.rows},
               {"columns", input.sample.columns()},
               {"learner", p.learner},
               {"memory", input.memory},
               {"threads", how.gram.threads == 0 ? hardware_threads() : how.gram.threads},
               {"rates",
                {{"values", p.rates.values},
                 {"both", p.rates.both},
                 {"factor", p.rates.factor},
                 {"double_factor", p.rates.double_factor},
                 {"product", p.rates.product},
                 {"float_product", p.rates.float_product}}},
               {"routes", routes},
               {"takes", p.routes[p.taken].name},
               {"why", p.why},
               {"chosen", p.chosen}});
    return done;
  }
  std::vector<std::pair<std::string, std::string>> rows{
      {"data", counted(input.rows, "row") + ", " + counted(input.sample.columns(), "column")},
      {"learner", p.learner}};
  if (p.rates.values > 0)
    rows.emplace_back(
        "machine",
        fmt::format("{} threads: {:.2g} G kernel values/s, {:.2g} there and back; factors {:.2g} G "
                    "multiply-adds/s",
                    how.gram.threads == 0 ? hardware_threads() : how.gram.threads,
                    p.rates.values * 1e-9, p.rates.both * 1e-9, p.rates.factor * 1e-9));
  for (const auto& r : p.routes)
    rows.emplace_back(r.name,
                      fmt::format("{}, {}: {}{}", time_text(r.seconds), memory_text(r.bytes), r.how,
                                  r.fits ? "" : "; the rows do not fit"));
  rows.emplace_back("takes", fmt::format("{}: {}", p.routes[p.taken].name, p.why));
  print(aligned(rows));
  return done;
}

}  // namespace

void add_plan(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<PlanCall>();
  Command* c = add_command(program, chosen, "plan",
                           "Forecast the time and memory of a training, exact and approximate",
                           options, run_plan);
  add_learner_options(*c, *options);
  c->footer(
      "Rates of this machine are measured on a sample of the data, which takes some seconds; "
      "nothing is written.\n\n"
      "Examples:\n"
      "  mercer plan covtype.csv\n"
      "  mercer plan big.npy -k 'rbf(0.1)' --approx 'nystrom(m=5000)' --memory 4G");
}

}  // namespace mercer::cli
