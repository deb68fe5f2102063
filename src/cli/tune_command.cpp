// mercer tune DATA: the kernel, its parameters and the price, by cross-validation.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <mercer/error.hpp>

#include "base/text.hpp"
#include "choose/on_ranks.hpp"
#include "cli/choosing.hpp"
#include "cli/command.hpp"
#include "cli/ranks.hpp"
#include "cli/search_record.hpp"
#include "cli/tune_options.hpp"
#include "cli/values.hpp"
#include "cli/watching.hpp"
#include "cli/writing.hpp"
#include "comm/agree.hpp"
#include "scale/message.hpp"

namespace mercer::cli {

namespace {

using Options = SearchOptions;

// The best ones.
std::string table_of(const Tuned& tuned) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < tuned.candidates.size(); ++k)
    if (tuned.candidates[k].rows == tuned.rows) order.push_back(k);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const double x = tuned.candidates[a].score;
    const double y = tuned.candidates[b].score;
    if (x == y) return tuned.candidates[a].support < tuned.candidates[b].support;
    return tuned.more_is_better ? x > y : x < y;
  });
  constexpr std::size_t most = 10;
  std::vector<std::vector<std::string>> lines{
      {"kernel", tuned.learner == Learner::ridge ? "lambda" : "C", tuned.metric, "±", "support"}};
  for (std::size_t k = 0; k < std::min(most, order.size()); ++k) {
    const Candidate& c = tuned.candidates[order[k]];
    lines.push_back({c.kernel.text(), fmt::format("{:g}", c.price), fmt::format("{:.4f}", c.score),
                     fmt::format("{:.4f}", c.deviation),
                     std::to_string(c.support) + (c.converged ? "" : " (rough)")});
  }
  std::string text = grid(lines);
  if (order.size() > most)
    text += fmt::format("\n… and {} more; --record or --json has them", order.size() - most);
  return text;
}

// What an earlier search has found, for ranks that do not see its record.
std::string known_text(const std::vector<Candidate>& known) {
  scale::Message m;
  for (const Candidate& c : known)
    m.put(c.kernel.text())
        .put(c.price)
        .put(c.rows)
        .put(c.score)
        .put(c.deviation)
        .put(c.by_fold)
        .put(c.support)
        .put(c.converged);
  return m.bytes();
}

std::vector<Candidate> known_in(const std::string& text) {
  std::vector<Candidate> known;
  for (scale::MessageReader reader(text); !reader.ended();) {
    Candidate c;
    c.kernel = Kernel::parse(reader.text());
    c.price = reader.get<double>();
    c.rows = reader.get<std::size_t>();
    c.score = reader.get<double>();
    c.deviation = reader.get<double>();
    c.by_fold = reader.get_all<double>();
    c.support = reader.get<std::size_t>();
    c.converged = reader.get<bool>();
    known.push_back(std::move(c));
  }
  return known;
}

// What all ranks search in: each reads the data, and they have to be the same.
struct Data {
  ReadExamples read;
  EncodedTable table;
  std::string fingerprint;
};

Data read_data(const Options& options, const comm::Comm& comm, TuneOptions& how) {
  std::optional<Data> data;
  const auto read = [&] {
    ReadExamples r = read_examples(options.learner, options.groups);
    EncodedTable table = r.examples.fit();
    how.groups = r.groups;
    std::string print_of = fingerprint(table.table, how);
    data = Data{std::move(r), std::move(table), print_of};
    return print_of;
  };
  const std::string of_first = comm::told(comm, read);
  comm::together(comm, [&] {
    if (comm.rank() != 0 && read() != of_first)
      throw Error(options.learner.table.path + ": another file than the one of the first rank");
    return std::string();
  });
  return *std::move(data);
}

constexpr const char* go_on = "go on";

CrossValidationOptions outer_options(const Options& options, const ReadExamples& read) {
  CrossValidationOptions outer;
  outer.folds = options.nested;
  outer.seed = options.learner.seed;
  outer.groups = read.groups;
  return outer;
}

ExitCode run_on(const Options& options, const Ranks& ranks) {
  const comm::Comm& comm = ranks.comm();
  const std::string data_path = options.learner.table.path;
  const std::string out =
      options.learner.out.empty() ? default_model(data_path) : options.learner.out;
  comm::told(comm, [&] {
    check_apart({data_path, options.learner.table.labels}, {out, options.record});
    check_new_file(out, options.learner.force);
    if (options.resume && options.record.empty())
      throw Error("--resume goes on with the search of a --record FILE: name it");
    if (!options.record.empty() && !options.resume)
      check_new_file(options.record, options.learner.force);
    tune_options(options);
    return std::string();
  });
  TuneOptions how = tune_options(options);
  if (ranks.several() && how.train.gram.threads == 0)
    how.train.gram.threads = Ranks::threads_each();
  const Data all = read_data(options, comm, how);
  const ReadExamples& read = all.read;
  const EncodedTable& data = all.table;
  const std::string& print_of = all.fingerprint;
  how.known = known_in(comm::told(comm, [&] {
    const bool there = options.resume && std::filesystem::exists(options.record);
    return known_text(there ? read_record(options.record, print_of) : std::vector<Candidate>());
  }));
  const StopOnInterrupt stop;
  Watcher watcher({});
  const auto record = [&](const Tuned& tuned, bool complete) {
    Json json = to_json(tuned);
    json["data"] = data_path;
    json["fingerprint"] = print_of;
    json["complete"] = complete;
    write_record(options.record, json);
  };
  const std::string price = how.train.learner == Learner::ridge ? "lambda" : "C";
  auto written = std::chrono::steady_clock::now();
  how.observe = [&](const std::vector<Candidate>& so_far) {
    if (so_far.empty()) return !StopOnInterrupt::asked();
    const auto now = std::chrono::steady_clock::now();
    if (!options.record.empty() && now - written > std::chrono::milliseconds(500)) {
      Tuned part;
      part.candidates = so_far;
      part.interrupted = true;
      record(part, false);
      written = now;
    }
    return watcher({"score", so_far.size(), {{"last", so_far.back().score}}});
  };
  const auto start = std::chrono::steady_clock::now();
  std::optional<CrossValidation> honest;
  if (!ranks.first()) {
    try {
      choose::tune(data.table, how, comm);
      if (options.nested > 0 && comm::told(comm, [] { return std::string(); }) == go_on)
        choose::tune_nested(read.examples, how, outer_options(options, read), comm);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the first rank has met the same one
    }
    return done;
  }
  const Tuned tuned = choose::tune(data.table, how, comm);
  if (!options.record.empty()) record(tuned, !tuned.interrupted || !StopOnInterrupt::asked());
  TrainOptions final_options = chosen_options(tuned, how);
  final_options.svm.tolerance = options.learner.tolerance.value_or(SvmOptions().tolerance);
  final_options.observe = [](const TrainingStep&) { return !StopOnInterrupt::asked(); };
  if (options.nested > 0 && comm::told(comm, [] {
                              return std::string(StopOnInterrupt::asked() ? "" : go_on);
                            }) == go_on) {
    CrossValidationOptions outer = outer_options(options, read);
    outer.observe = [&](std::size_t part, std::size_t parts) {
      const bool more = watcher({"outer part", part, {{"of", static_cast<double>(parts)}}});
      return more || ranks.several();  // others would go on
    };
    honest = choose::tune_nested(read.examples, how, outer, comm);
  }
  const bool stopped = StopOnInterrupt::asked();
  Trained trained;
  if (!stopped) {
    trained = train(data.table, data.encoding, final_options);
    trained.model.save(out);
  }
  watcher.done();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.json) {
    Json json{{"data", data_path}, {"rows", data.table.rows()}, {"columns", data.table.columns()}};
    if (!stopped) json["model"] = out;
    json["seconds"] = seconds;
    json["search"] = to_json(tuned);
    if (honest) json["nested"] = to_json(*honest);
    print(json);
  } else {
    std::vector<std::pair<std::string, std::string>> rows{
        {"data",
         counted(data.table.rows(), "row") + ", " + counted(data.table.columns(), "column")}};
    for (auto& line : lines_of(tuned)) rows.push_back(std::move(line));
    if (honest)
      for (const auto& m : honest->measures)
        rows.emplace_back("honest " + m.name,
                          figure(m) + fmt::format(", chosen and learned without the rows that "
                                                  "measure it, {} times",
                                                  honest->parts.size()));
    rows.emplace_back("time", fmt::format("{:.3g} s", seconds));
    if (!stopped) rows.emplace_back("model", out);
    if (!options.record.empty()) rows.emplace_back("record", options.record);
    print(aligned(rows));
    print(table_of(tuned));
    for (const auto& note : tuned.notes) std::cerr << "note: " << note << "\n";
  }
  if (!stopped) return done;
  std::cerr << "mercer tune: interrupted; no model was written"
            << (options.record.empty() ? "" : ", and --resume goes on with " + options.record)
            << "\n";
  return interrupted;
}

ExitCode run_tune(const Options& options) {
  return on_ranks("tune", [&](const Ranks& ranks) { return run_on(options, ranks); });
}

}  // namespace

void add_tune(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<Options>();
  Command* c = add_command(program, chosen, "tune",
                           "Choose a kernel, its parameters and C or lambda by cross-validation",
                           options, run_tune);
  add_search_options(*c, *options);
  c->add_option("--folds", options->folds, "parts, each of which is predicted once")
      ->check(whole_number(2))
      ->type_name("K")
      ->capture_default_str();
  c->add_option("--search", options->search,
                "halving: all on a small sample, the better ones on larger ones, finer around the "
                "best; grid: all on all rows")
      ->check(one_of({"halving", "grid"}))
      ->type_name("HOW")
      ->capture_default_str();
  c->add_option("--grid", options->grid,
                "values to try: C=1,10,100 or gamma=0.01:10:7, seven powers; may be given again")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false);
  c->add_flag("--compose", options->compose,
              "also sums and products of the best kernel with the others, while that helps");
  c->add_option("--tolerance", options->learner.tolerance,
                "svm: of the search; 0.01 if absent. The model is learned to 0.001")
      ->type_name("T");
  c->add_option(
       "--nested", options->nested,
       "an honest figure: choose and learn K times, each time without a part that measures")
      ->check(whole_number(2))
      ->type_name("K");
  c->add_option("--record", options->record, "write what was tried, as JSON")->type_name("FILE");
  c->add_flag("--resume", options->resume, "go on with the search that --record FILE holds");
  c->footer(
      "Kernel values are computed once for all folds and all prices. The scale of the columns is\n"
      "that of all rows while candidates are compared; --nested keeps even that apart.\n\n"
      "Examples:\n"
      "  mercer tune spam.csv\n"
      "  mercer tune spam.csv --kernels 'rbf(gamma=?), laplacian(gamma=?), poly(2)' --nested 5\n"
      "  mercer tune letter.libsvm --search grid --grid C=1:1000:7 --grid gamma=0.1:10:5\n"
      "  mercer tune houses.csv --learner svm --metric mae --budget 5m --record houses.json");
}

}  // namespace mercer::cli
