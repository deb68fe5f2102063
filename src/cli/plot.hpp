// What all pictures have in common: where they go, how large they are, and who is told.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "picture/write.hpp"

namespace mercer::cli {

struct PictureOptions {
  std::string out;
  std::string size = "800x600";
  bool force = false;
  bool no_inline = false;
  bool json = false;
};

void add_picture_options(Command& command, PictureOptions& options);

// Where the picture goes: as asked for, or "moons-boundary.png" in this folder. Before any work: is
// there room for it, and is it none of the inputs? Throws Error.
std::string picture_path(const PictureOptions& options, const std::string& input,
                         const std::string& kind, const std::vector<std::string>& inputs);

// An empty sheet of the size asked for. Throws Error.
picture::Drawing sheet(const PictureOptions& options);

// Writes it, shows it where the terminal can, and says so: `about` in words, `facts` as JSON.
ExitCode finish_picture(const PictureOptions& options, const std::string& path,
                        const picture::Drawing& drawing, const std::string& about,
                        const Json& facts, const std::vector<std::string>& notes = {});

// The kinds of pictures, each in the file of its like.
void add_plot_boundary(Command& plot, Chosen& chosen);
void add_plot_roc(Command& plot, Chosen& chosen);
void add_plot_gram(Command& plot, Chosen& chosen);
void add_plot_lift(Command& plot, Chosen& chosen);
void add_plot_trace(Command& plot, Chosen& chosen);
void add_plot_tune(Command& plot, Chosen& chosen);

}  // namespace mercer::cli
