#include "gram/choose.hpp"

#include <algorithm>
#include <limits>
#include <mercer/error.hpp>

#include "base/text.hpp"
#include "gram/accuracy.hpp"
#include "gram/centre.hpp"
#include "gram/point_function.hpp"

namespace mercer::gram {

namespace {

using Precision = GramOptions::Precision;

constexpr double promised_single = 1e-5;
constexpr double promised_double = 1e-13;

// The share of coordinates that are not zero, of up to a thousand points here and there.
double density(const Points& x, const Points& z) {
  constexpr std::size_t enough = 1000;
  double entries = 0;
  double rows = 0;
  for (const auto* points : {&x, &z}) {
    const std::size_t step = points->rows() / enough + 1;
    for (std::size_t i = 0; i < points->rows(); i += step) {
      for_entries(*points, i, [&](std::size_t, double) { ++entries; });
      ++rows;
    }
  }
  return entries / std::max(1.0, rows * static_cast<double>(x.columns()));
}

// Instructions per pair of points that the reductions take, about. An entry that is not zero costs
// more than a coordinate among many: it is looked up, where there are many columns in the second
// cache. Of all coordinates, those of products are looked at in part.
double cost(const Plan& plan, double share, double looked_at = 1) {
  double total = 0;
  for (const auto& r : plan.reductions) {
    const auto length = static_cast<double>(plan.sources[r.x].columns.size());
    const double each = r.kind == Reduce::dot         ? 1
                        : r.kind == Reduce::chi       ? 12
                        : r.kind == Reduce::symmetric ? r.degree + 1.0
                                                      : 2;
    const double entry = length > 128 ? 3.5 : 2.5;
    const double part = plan.sparse ? entry * share : r.kind == Reduce::dot ? looked_at : 1;
    total += each * length * part;
  }
  for (const auto& s : plan.steps)
    if (s.code == Code::distance || s.code == Code::gaussian) total += 4;
  for (const auto& l : plan.loops)
    total += 4.0 * static_cast<double>(l.body.size() * plan.sources[l.source].columns.size());
  return total;
}

std::string in_words(const Plan& plan, const Reduction& r) {
  const auto form = [&]() -> std::string {
    switch (r.kind) {
      case Reduce::dot:
        return "Σ a·b";
      case Reduce::squared_difference:
        return "Σ (a-b)²";
      case Reduce::absolute_difference:
        return "Σ |a-b|";
      case Reduce::minimum:
        return "Σ min(a,b)";
      case Reduce::maximum:
        return "Σ max(a,b)";
      case Reduce::chi:
        return "Σ (a-b)²/(a+b)";
      case Reduce::product:
        return r.shift == 1 && r.scale == 1 ? "Π (1+a·b)" : "Π (c+a·b)";
      case Reduce::symmetric:
        return "Σ over sets of " + std::to_string(r.degree) + " of Π a·b";
    }
    return "";
  }();
  const std::size_t n = plan.sources[r.x].columns.size();
  return form + " over " + std::to_string(n) + (n == 1 ? " column" : " columns");
}

void describe(const Plan& plan, GramReport& report) {
  for (const auto& r : plan.reductions) report.sums.push_back(in_words(plan, r));
  for (const auto& l : plan.loops)
    report.sums.push_back("a loop of " + std::to_string(l.body.size()) + " steps over " +
                          std::to_string(plan.sources[l.source].columns.size()) + " columns");
  report.centred = plan.centre_all || std::ranges::any_of(plan.sources, &Source::centred);
  const bool dots = std::ranges::any_of(plan.steps, [](const Step& s) {
    return s.code == Code::distance || s.code == Code::gaussian;
  });
  const bool differences = std::ranges::any_of(
      plan.reductions, [](const Reduction& r) { return r.kind == Reduce::squared_difference; });
  report.distances = dots ? "dot products" : differences ? "differences" : "";
}

}  // namespace

namespace {

struct Candidate {
  Plan plan;
  double cost = 0;
  bool frequent = false;  // seen from where many rows have zeros, else from the mean
};

// Bytes that all coordinates may take: about as many as the points themselves do.
double room_for_all(const Points& x, const Points& z) {
  constexpr double little = 64e6;
  const auto bytes = [](const Points& p) {
    const auto numbers = p.is_sparse() ? p.offsets().back() - p.offsets().front()
                                       : static_cast<std::int64_t>(p.rows() * p.columns());
    return static_cast<double>(numbers) * (sizeof(double) + sizeof(std::int32_t));
  };
  return std::max(little, 2 * (bytes(x) + bytes(z)));
}

// The cheapest first.
std::vector<Candidate> candidates(std::span<const Kernel> kernels, const Points& x, const Points& z,
                                  const Frequent& frequent) {
  const auto d = static_cast<std::uint32_t>(x.columns());
  std::vector<Candidate> plans;
  const double share = density(x, z);
  const auto add = [&](Plan plan, bool from_frequent) {
    const double c = cost(plan, share, from_frequent ? frequent.looked_at : 1);
    plans.push_back({std::move(plan), c, from_frequent});
  };
  constexpr double few = 0.3;
  if (share < few) {
    Plan plan = compile(kernels, d, {.cancelling = true, .centre = false, .sparse = true});
    if (plan.suits_sparse) add(std::move(plan), false);
  }
  const double numbers = static_cast<double>(x.rows() + z.rows()) * static_cast<double>(d);
  constexpr double most = 4e9;  // bytes of dense points
  // Many columns, hardly any entries: doubles at the entries beat floats at all coordinates.
  constexpr double hardly_any = 0.02;
  constexpr std::uint32_t many = 1024;
  const bool dense_is_hopeless =
      (share < hardly_any && d > many) || numbers * 4 * sizeof(double) > most;
  if (dense_is_hopeless && !plans.empty()) return plans;
  if (numbers * sizeof(double) > 4 * most)
    throw Error("this kernel looks at coordinates that are zero too, and " +
                std::to_string(x.rows() + z.rows()) + " points with all their " +
                std::to_string(d) + " coordinates do not fit into memory");
  // Instead of entries, all numbers: as points x and as points z, where it is a gain.
  constexpr double gain = 0.75;
  const double most_cost = plans.empty() ? std::numeric_limits<double>::infinity()
                           : numbers * 2 * sizeof(float) > room_for_all(x, z)
                               ? 0
                               : gain * plans[0].cost;
  for (const bool cancelling : {true, false})
    for (const bool centre : {false, true}) {
      Plan plan = compile(kernels, d, {.cancelling = cancelling, .centre = centre});
      const bool centred = plan.centre_all || std::ranges::any_of(plan.sources, &Source::centred);
      if (centred && frequent.looked_at < 1 && cost(plan, share, frequent.looked_at) < most_cost)
        add(plan, true);
      const bool all = plan.centre_all;
      add(std::move(plan), false);
      // Of those that cost as much the last.
      if (all && centre)
        add(compile(kernels, d, {.cancelling = cancelling, .centre = false, .from_origin = true}),
            false);
    }
  std::ranges::stable_sort(plans, {}, &Candidate::cost);
  return plans;
}

}  // namespace

Chosen choose(std::span<const Kernel> kernels, const Points& x, const Points& z, bool same,
              const GramOptions& options) {
  Chosen chosen;
  const std::vector<double> mean = means(z);
  const Frequent frequent = gram::frequent(z, mean);
  const std::vector<Candidate> plans = candidates(kernels, x, z, frequent);
  const auto try_at = [&](Precision precision, double promised) {
    const double u = precision == Precision::float32 ? single_roundoff : double_roundoff;
    for (const auto& [plan, cost, from_frequent] : plans) {
      const auto& centre = from_frequent ? frequent.centre : mean;
      const double error = expected_error(plan, x, z, same, centre, u);
      if (chosen.plan.results.empty() || error < chosen.report.error) {
        chosen.plan = plan;
        chosen.centre = centre;
        chosen.report.cost = cost;
        chosen.report.error = error;
        chosen.precision = precision;
      }
      if (error <= promised) return true;
    }
    return false;
  };
  if (options.precision == Precision::float64 || !try_at(Precision::float32, promised_single)) {
    if (options.precision == Precision::float32)
      chosen.report.why = "in float32 errors of " + shortest(chosen.report.error) +
                          " are to be expected on these points";
    chosen.plan = {};
    if (!try_at(Precision::float64, promised_double))
      chosen.report.why += std::string(chosen.report.why.empty() ? "" : "; ") +
                           "the kernel is so sensitive on these points that errors of " +
                           shortest(chosen.report.error) + " are to be expected";
  }
  chosen.report.precision = chosen.precision == Precision::float32 ? "float32" : "float64";
  chosen.report.layout = chosen.plan.sparse ? "sparse" : "dense";
  describe(chosen.plan, chosen.report);
  return chosen;
}

GramOptions::Storage storage_for(const Plan& plan, std::size_t n, std::size_t m, std::size_t bytes,
                                 std::size_t memory) {
  constexpr double cheap = 100;  // instructions on vectors, for a value in each lane
  if (!plan.has_leaves() && cost(plan, 1) < cheap) return GramOptions::Storage::recomputed;
  const double needed = static_cast<double>(n) * static_cast<double>(m * bytes) *
                        static_cast<double>(plan.results.size());
  return needed <= static_cast<double>(memory) ? GramOptions::Storage::full
                                               : GramOptions::Storage::rows;
}

}  // namespace mercer::gram
