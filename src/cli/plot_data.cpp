// mercer plot gram, mercer plot lift: pictures of what a kernel makes of data.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <mercer/error.hpp>

#include "cli/kernel_notes.hpp"
#include "cli/plot.hpp"
#include "cli/table_options.hpp"
#include "cli/values.hpp"
#include "picture/gram.hpp"
#include "picture/lift.hpp"

namespace mercer::cli {

namespace {

struct GramOptions {
  std::string expression;
  TableOptions table;
  std::size_t rows = 500;
  PictureOptions picture;
  bool json = false;
};

struct LiftOptions {
  TableOptions table;
  std::string kernel;
  std::string map;
  std::vector<std::size_t> features;
  std::string positive;
  double C = 1000;
  std::optional<double> turn;
  double tilt = 22;
  PictureOptions picture;
  bool json = false;
};

Kernel kernel_on(const std::string& text, const Table& table) {
  Kernel k = in_columns_of(
      table, Kernel::parse(text, {.dimension = static_cast<std::uint32_t>(table.columns())}));
  if (!k.open_parameters().empty())
    throw Error(k.text() + " has an open parameter: give it a value");
  return k;
}

ExitCode run_gram(const GramOptions& options) {
  const std::string path = picture_path(options.picture, options.table.path, "gram",
                                        {options.table.path, options.table.labels});
  picture::Drawing drawing = sheet(options.picture);
  const Table table = read(options.table);
  const Kernel k = kernel_on(options.expression, table);
  const picture::GramPicture g = picture::gram_picture(k, table, options.rows);
  drawing.title = g.title;
  drawing.draw = [&](picture::Canvas& canvas) { draw(canvas, g); };
  const auto zeros =
      std::ranges::count_if(g.eigenvalues, [&](double v) { return std::abs(v) <= g.rounding; });
  const double last = std::abs(g.eigenvalues.back()) <= g.rounding ? 0 : g.eigenvalues.back();
  std::string about =
      fmt::format("{}; eigenvalues from {:.4g} to {:.4g}", g.note, g.eigenvalues.front(), last);
  if (zeros > 0) about += fmt::format(" ({} of them ≈ 0)", zeros);
  Json facts{
      {"kernel", k.text()}, {"rows", table.rows()}, {"drawn", g.n}, {"eigenvalues", g.eigenvalues}};
  for (const auto& [name, count] : g.groups)
    facts["classes"].push_back({{"name", name}, {"rows", count}});
  PictureOptions how = options.picture;
  how.json = options.json;
  return finish_picture(how, path, drawing, about, facts, kernel_notes(k, table.points));
}

ExitCode run_lift(const LiftOptions& options) {
  if (options.map.empty() == options.kernel.empty())
    throw Error("a lift needs a map (--map '[x1, x2, x1*x2]') or a kernel (-k 'poly(2)')");
  if (!options.features.empty() && options.features.size() != 3)
    throw Error("--features needs three numbers, as 1,2,5");
  if (!options.map.empty() && !options.features.empty())
    throw Error("--features is for a kernel; a map has its three coordinates");
  const std::string path = picture_path(options.picture, options.table.path, "lift",
                                        {options.table.path, options.table.labels});
  picture::Drawing drawing = sheet(options.picture);
  const Table table = read(options.table);
  picture::LiftOptions how;
  if (options.map.empty()) {
    how.kernel = kernel_on(options.kernel, table);
  } else {
    how.map = FeatureMap::parse(options.map, static_cast<std::uint32_t>(table.columns()));
    for (auto& c : how.map->coordinates) c = in_columns_of(table, c);
  }
  how.features = options.features;
  if (!options.positive.empty()) how.positive = options.positive;
  how.C = options.C;
  picture::Lift l = picture::lift(table, how);
  l.turn = options.turn;
  l.tilt = options.tilt;
  drawing.title = l.title;
  drawing.draw = [&](picture::Canvas& canvas) { draw(canvas, l); };
  Json facts{{"points", l.points.size()}, {"coordinates", l.names}};
  if (l.plane) {
    facts["plane"] = {{"w", l.plane->w}, {"b", l.plane->b}};
    facts["wrong"] = l.wrong;
  }
  PictureOptions last = options.picture;
  last.json = options.json;
  return finish_picture(
      last, path, drawing, l.note, facts,
      how.kernel ? kernel_notes(*how.kernel, table.points) : std::vector<std::string>());
}

}  // namespace

void add_plot_gram(Command& plot, Chosen& chosen) {
  const auto options = std::make_shared<GramOptions>();
  Command* command =
      add_command(plot, chosen, "gram", "A Gram matrix, ordered by class, and its eigenvalues",
                  options, run_gram);
  command->add_option("EXPR", options->expression, "the kernel")->required();
  add_table_options(*command, options->table);
  command->add_option("--rows", options->rows, "of more rows than this, so many are taken evenly")
      ->check(whole_number(2, 3000))
      ->type_name("N")
      ->capture_default_str();
  add_picture_options(*command, options->picture);
  command->footer(
      "Eigenvalues are those of the rows shown. One below 0 means that the expression is no "
      "kernel\n"
      "on these points; `mercer prove` says more.\n\n"
      "Examples:\n"
      "  mercer plot gram 'rbf(0.5)' iris.csv\n"
      "  mercer plot gram 'tanh(x.z)' iris.csv -o tanh.pdf");
}

void add_plot_lift(Command& plot, Chosen& chosen) {
  const auto options = std::make_shared<LiftOptions>();
  Command* command =
      add_command(plot, chosen, "lift", "Points in three coordinates of φ, with a separating plane",
                  options, run_lift);
  add_table_options(*command, options->table);
  command->add_option("--map", options->map, "three coordinates: \"[x1, x2, x1^2 + x2^2]\"")
      ->type_name("MAP");
  command
      ->add_option("-k,--kernel", options->kernel,
                   "the kernel instead: its three features, or its leading principal components")
      ->type_name("EXPR");
  command
      ->add_option("--features", options->features,
                   "three features of the kernel by number, as `mercer features` lists them")
      ->delimiter(',')
      ->type_name("I,J,K");
  command->add_option("--class", options->positive, "this class against the rest")
      ->type_name("NAME");
  command->add_option("-C", options->C, "the price of points on the wrong side of the plane")
      ->check(number_between(1e-9, 1e9))
      ->type_name("C")
      ->capture_default_str();
  command
      ->add_option("--turn", options->turn,
                   "degrees about the vertical axis; else so that the plane is seen well")
      ->check(number_between(-360, 360))
      ->type_name("DEGREES");
  command->add_option("--tilt", options->tilt, "degrees from above")
      ->check(number_between(0, 90))
      ->type_name("DEGREES")
      ->capture_default_str();
  add_picture_options(*command, options->picture);
  command->footer(
      "The plane is the one with the widest margin in the three coordinates that are shown.\n\n"
      "Examples:\n"
      "  mercer plot lift rings.csv --map '[x1, x2, x1^2 + x2^2]'\n"
      "  mercer plot lift ellipse.csv -k '(x.z)^2' --turn 30\n"
      "  mercer plot lift moons.csv -k 'rbf(2)'");
}

}  // namespace mercer::cli
