// mercer eval EXPR --x … --z …: one value.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <mercer/mercer.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"

namespace mercer::cli {

namespace {

struct EvalCall {
  std::string expression;
  std::string x;
  std::string z;
  std::string columns;
  bool json = false;
};

// What stands between the commas, without the blanks around it. Blanks inside stay: "1 2" is
// not 12.
std::vector<std::string> items(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    std::string item = text.substr(from, comma - from);
    item.erase(0, std::min(item.find_first_not_of(" \t"), item.size()));
    item.erase(item.find_last_not_of(" \t") + 1);
    result.push_back(std::move(item));
    from = comma + 1;
  }
  return result;
}

std::vector<double> point(const std::string& option, const std::string& text) {
  std::vector<double> result;
  for (const auto& item : items(text)) {
    double value = 0;
    const char* begin = item.data() + (item.starts_with('+') ? 1 : 0);
    const char* end = item.data() + item.size();
    const auto [stop, status] = std::from_chars(begin, end, value);
    const std::string place = option + ", item " + std::to_string(result.size() + 1) + ": ";
    if (item.empty()) throw Error(place + "nothing there; expected numbers as in 1,2.5,-3");
    if (status == std::errc::result_out_of_range && stop == end)
      throw Error(place + "'" + item + "' is out of the range of a double");
    if (item.find_first_of(" \t") != std::string::npos)
      throw Error(place + "'" + item + "' is not a number; separate coordinates with commas");
    if (status != std::errc() || stop != end)
      throw Error(place + "'" + item + "' is not a number; expected numbers as in 1,2.5,-3");
    if (!std::isfinite(value)) throw Error(place + "'" + item + "' is not a finite number");
    result.push_back(value);
  }
  return result;
}

ExitCode run_eval(const EvalCall& options) {
  const auto x = point("--x", options.x);
  const auto z = point("--z", options.z);
  if (x.size() != z.size())
    throw Error("--x has " + std::to_string(x.size()) + " coordinates, --z has " +
                std::to_string(z.size()));
  Kernel k = Kernel::parse(options.expression, {.dimension = static_cast<std::uint32_t>(x.size())});
  if (!options.columns.empty()) {
    const auto names = items(options.columns);
    if (names.size() != x.size())
      throw Error("--columns has " + std::to_string(names.size()) + " names for " +
                  std::to_string(x.size()) + " coordinates");
    k = k.with_columns(names);
  } else if (k.has_named_columns()) {
    throw Error(
        "the kernel selects columns by name: say which is which with --columns, as in "
        "--columns age,height");
  }
  const double value = k(x, z);
  if (options.json) {
    print(Json{{"kernel", k.text()}, {"x", x}, {"z", z}, {"value", value}});
  } else {
    print(aligned({{"k", "= " + k.text()}, {"k(x,z)", "= " + shortest(value)}}));
  }
  return done;
}

}  // namespace

void add_eval(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<EvalCall>();
  Command* command =
      add_command(program, chosen, "eval", "Evaluate a kernel at two points", options, run_eval);
  command->add_option("EXPR", options->expression, "the kernel")->required();
  command->add_option("--x", options->x, "the point x, e.g. 1,2")->required()->type_name("POINT");
  command->add_option("--z", options->z, "the point z, e.g. 3,4")->required()->type_name("POINT");
  command
      ->add_option("--columns", options->columns,
                   "names of the coordinates, for kernels that select columns by name")
      ->type_name("NAMES");
  command->footer(
      "Examples:\n"
      "  mercer eval 'rbf(0.5)' --x 1,2 --z 3,4\n"
      "  mercer eval 'min(x,z)' --x -1 --z 2\n"
      "  mercer eval 'rbf(1)[\"age\"]' --x 30,180 --z 40,170 --columns age,height");
}

}  // namespace mercer::cli
