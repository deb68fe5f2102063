#include "cli/computing.hpp"

#include "cli/values.hpp"

namespace mercer::cli {

void add_computing_options(Command& command, Computing& options) {
  command
      .add_option("--precision", options.precision,
                  "of kernel values; float: errors up to 1e-5, computed in double where floats are "
                  "not enough; double: up to 1e-13")
      ->check(one_of({"float", "double"}))
      ->type_name("WHICH")
      ->capture_default_str();
  command.add_option("--threads", options.threads, "at most so many; all if absent")
      ->check(whole_number(1, 4096))
      ->type_name("N");
  command
      .add_option("--isa", options.instructions,
                  "compute with these instructions (MERCER_ISA does it, too)")
      ->type_name("NAME");
}

GramOptions gram_options(const Computing& options) {
  GramOptions how;
  how.threads = options.threads;
  how.instructions = options.instructions;
  if (options.precision == "double") how.precision = GramOptions::Precision::float64;
  return how;
}

}  // namespace mercer::cli
