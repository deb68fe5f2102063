#include "roofline.hpp"

#include <map>
#include <tuple>
#include <vector>

#include "base/aligned.hpp"
#include "gram/engine.hpp"
#include "timing.hpp"

namespace mercer::bench {

using gram::Code;
using gram::Plan;
using gram::Reduce;

namespace {

// Seconds that one step takes for one value on one thread, measured on a tile.
double seconds_of(Code code, double p, std::uint32_t n) {
  static std::map<std::tuple<Code, double, std::uint32_t>, double> known;
  const auto key = std::tuple(code, 0.0, code == Code::power ? n : 0);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  Plan plan;
  plan.steps = {{.code = code, .to = 1, .a = 0, .b = 0, .n = n, .p = p}};
  plan.registers = 2;
  if (code == Code::matern) {
    plan.steps[0].n = 0;
    plan.tables = {gram::MaternTable::of(0.8)};
  }
  plan.results = {1};
  Aligned<float> memory(2 * gram::unit_size);
  for (std::size_t i = 0; i < gram::unit_size; ++i)
    memory[i] = 0.1F + 0.8F * static_cast<float>(i) / gram::unit_size;
  std::vector<float> values(gram::unit_columns, 0.5F);
  std::vector<const float*> functions(n + 1, values.data());
  const auto& engine = gram::engine<float>();
  constexpr int repeats = 200;
  const double time = bench::best_of(20, [&] {
    for (int r = 0; r < repeats; ++r) {
      gram::Tile<float> tile;
      tile.rows = gram::unit_rows;
      tile.row_values = functions.data();
      tile.column_values = functions.data();
      tile.memory = memory.data();
      engine.run(plan, tile);
    }
  });
  return known[key] = time / (repeats * static_cast<double>(gram::unit_size));
}

// Vector instructions for one coordinate of a pair, as multiply-adds.
double instructions(const gram::Reduction& r) {
  switch (r.kind) {
    case Reduce::dot:
      return 1;
    case Reduce::absolute_difference:
      return 3;
    case Reduce::chi:
      return 6;  // and a division
    case Reduce::symmetric:
      return r.degree + 1;
    default:
      return 2;
  }
}

bool is_function(Code code) {
  switch (code) {
    case Code::divide:
    case Code::reciprocal:
    case Code::square_root:
    case Code::raise:
    case Code::raise_to:
    case Code::exponential:
    case Code::logarithm:
    case Code::cosine:
    case Code::sine:
    case Code::hyperbolic_cosine:
    case Code::hyperbolic_sine:
    case Code::hyperbolic_tangent:
    case Code::arc_sine:
    case Code::matern:
      return true;
    default:
      return false;
  }
}

}  // namespace

double limit(const Plan& plan, double peak, double share) {
  double total = 0;
  for (const auto& r : plan.reductions) {
    const auto length =
        static_cast<double>(plan.sources[r.x].columns.size()) * (plan.sparse ? share : 1);
    total += length * instructions(r) / peak;
    if (r.kind == Reduce::chi) total += length * seconds_of(Code::divide, 0, 0);
  }
  const auto steps = [&](const std::vector<gram::Step>& all) {
    double sum = 0;
    for (const auto& s : all) {
      if (s.code == Code::reduction || s.code == Code::loop) continue;
      if (s.code == Code::gaussian) sum += seconds_of(Code::exponential, -1, 0);
      // An exponential is one of any argument, whatever is known of this one.
      const std::uint32_t n = s.code == Code::exponential ? 0 : s.n;
      sum += is_function(s.code) ? seconds_of(s.code, s.p, n) : 1 / peak;
    }
    return sum;
  };
  total += steps(plan.steps);
  for (const auto& l : plan.loops)
    total +=
        (steps(l.body) + 1 / peak) * static_cast<double>(plan.sources[l.source].columns.size());
  return total;
}

}  // namespace mercer::bench
