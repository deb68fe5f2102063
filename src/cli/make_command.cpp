// mercer make moons: data for teaching and trying.
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <mercer/error.hpp>
#include <mercer/made_data.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/values.hpp"
#include "cli/writing.hpp"

namespace mercer::cli {

namespace {

struct MakeCall {
  std::string name;
  std::size_t rows = 200;
  std::optional<double> noise;
  std::uint64_t seed = 0;
  std::size_t dimension = 2;
  std::size_t classes = 2;
  std::string out;
  std::string to;
  bool force = false;
  bool json = false;
};

ExitCode run_make(const MakeCall& options) {
  const Output out{options.out, options.to, options.force};
  check_output(out, options.json, {});
  MakeOptions how;
  how.rows = options.rows;
  how.noise = options.noise;
  how.seed = options.seed;
  how.dimension = options.dimension;
  how.classes = options.classes;
  const Table table = make_data(options.name, how);
  write(table, out);
  if (to_stdout(out)) return done;
  if (options.json) {
    print(Json{{"file", options.out},
               {"data", options.name},
               {"rows", table.rows()},
               {"columns", table.columns()},
               {"classes", options.classes},
               {"seed", options.seed}});
  } else {
    print(fmt::format("{}: {}, {} in R^{}, {}, seed {}", options.out, options.name,
                      counted(table.rows(), "point"), table.columns(),
                      counted(options.classes, "class", "classes"), options.seed));
  }
  return done;
}

}  // namespace

void add_make(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<MakeCall>();
  Command* command = add_command(
      program, chosen, "make", "Make a small data set for teaching and trying", options, run_make);
  std::string names;
  std::string list;
  for (const auto& kind : made_kinds()) {
    names += (names.empty() ? "" : ", ") + std::string(kind.name);
    list += fmt::format("  {:<9} {} (noise {})\n", kind.name, kind.summary, kind.noise);
  }
  command->add_option("KIND", options->name, names)->required();
  command->add_option("-n,--n", options->rows, "how many points")
      ->check(whole_number(1, 100'000'000))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--noise", options->noise,
                   "standard deviation of what is added to each coordinate; else what suits KIND")
      ->type_name("SIGMA");
  command->add_option("--seed", options->seed, "another seed, other points")
      ->check(whole_number(0))
      ->type_name("SEED")
      ->capture_default_str();
  command->add_option("--dim", options->dimension, "coordinates, for rings, xor, ellipse, blobs")
      ->check(whole_number(1, 100000))
      ->type_name("D")
      ->capture_default_str();
  command->add_option("--classes", options->classes, "classes, for rings, spirals, blobs")
      ->check(whole_number(1, 1000))
      ->type_name("K")
      ->capture_default_str();
  add_output_options(*command, options->out, options->to, options->force);
  command->footer("KIND is one of\n" + list +
                  "The same call gives the same points on every machine.\n\n"
                  "Examples:\n"
                  "  mercer make moons -o moons.csv\n"
                  "  mercer make spirals --classes 3 --n 600 --seed 7 -o spirals.libsvm\n"
                  "  mercer make ellipse --n 50 | head -3");
}

}  // namespace mercer::cli
