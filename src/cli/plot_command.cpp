// mercer plot KIND …: pictures.
#include "cli/plot.hpp"

namespace mercer::cli {

void add_plot(Command& program, Chosen& chosen) {
  Command* plot = program.add_subcommand("plot", "Draw: a boundary, a Gram matrix, a lift, …");
  for (const Adder add : {add_plot_boundary, add_plot_gram, add_plot_lift, add_plot_trace,
                          add_plot_tune, add_plot_roc})
    add(*plot, chosen);
  plot->require_subcommand(1, 1);
  plot->footer(
      "A picture is a PNG, an SVG or a PDF, by the end of the name after -o. Terminals that can "
      "show\n"
      "pictures (kitty's protocol, sixels) show it, too.\n\n"
      "Examples:\n"
      "  mercer plot boundary moons.mercer moons.csv\n"
      "  mercer plot gram 'rbf(0.5)' iris.csv -o gram.svg\n"
      "  mercer plot lift rings.csv --map '[x1, x2, x1^2 + x2^2]'\n"
      "  mercer plot trace trace.jsonl");
}

}  // namespace mercer::cli
