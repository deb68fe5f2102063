#include "cli/random_features.hpp"

#include <fmt/format.h>

#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/random_features.hpp>

#include "cli/output.hpp"
#include "cli/table_options.hpp"
#include "cli/writing.hpp"

namespace mercer::cli {

ExitCode write_random_features(const RandomFeaturesCall& call) {
  if (call.expression.empty() || call.data.empty() || call.out.empty())
    throw Error("--random needs EXPR, DATA and -o FILE: what k, of which points, to where");
  check_apart({call.data}, {call.out});
  check_new_file(call.out, call.force);
  const WrittenAs how = written_as(call.out);
  TableOptions options;
  options.path = call.data;
  Table table = read(options);
  const auto d = static_cast<std::uint32_t>(table.columns());
  const Kernel k = in_columns_of(table, Kernel::parse(call.expression, {.dimension = d}));
  FeatureError error;
  std::size_t features = 0;
  if (call.sketch) {
    const Sketch f = sketch(k, d, {.count = call.count, .seed = call.seed});
    error = feature_error(k, f, table.points, call.seed);
    features = f.size();
    table.points = f.map(table.points);
  } else {
    const RandomFeatures f = random_features(
        k, d, {.count = call.count, .orthogonal = call.orthogonal, .seed = call.seed});
    error = feature_error(k, f, table.points, call.seed);
    features = f.size();
    table.points = f.map(table.points);
  }
  table.names.clear();
  table.sources.clear();
  write_table(call.out, table, how);
  const std::string kind = call.sketch ? "sketch" : call.orthogonal ? "orthogonal" : "independent";
  if (call.json) {
    Json json{
        {"kernel", k.text()},
        {"features", features},
        {"kind", kind},
        {"rows", table.rows()},
        {"orthogonal", call.orthogonal},
        {"seed", call.seed},
        {"error", {{"largest", error.largest}, {"rms", error.mean_square}, {"pairs", error.pairs}}},
        {"file", call.out}};
    json["error"][error.of_mean_square ? "rms_bound" : "bound"] =
        error.bound < 0 ? Json() : Json(error.bound);
    print(json);
    return done;
  }
  print(aligned(
      {{"kernel", k.text()},
       {"features", fmt::format("{}, {}", features, kind)},
       {"error", fmt::format("{:.2g} at most, {:.2g} in root mean square, on {} pairs",
                             error.largest, error.mean_square, error.pairs)},
       {"bound", error.bound < 0    ? "none is known of orthogonal ones"
                 : error.bound == 0 ? "the features are exact, up to rounding"
                                    : fmt::format("{:.2g} {}, with a chance of 99 %", error.bound,
                                                  error.of_mean_square ? "in root mean square"
                                                                       : "for all of them")},
       {"rows", std::to_string(table.rows())},
       {"file", call.out}}));
  return done;
}

}  // namespace mercer::cli
