// The scale of a Gaussian goes into the coordinates; and which exponentials are known to be
// bounded.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "gram/plan.hpp"

namespace mercer::gram {

namespace {

// How often each value is used by others that are, the last ones first: what is in a loop counts as
// used.
void count_uses(const Plan& plan, const std::vector<Step>& steps, bool in_loop,
                std::vector<std::uint32_t>& uses) {
  for (std::size_t i = steps.size(); i-- > 0;) {
    const Step& s = steps[i];
    if (!in_loop && uses[s.to] == 0) continue;
    if (reads_a(s.code)) ++uses[s.a];
    if (reads_b(s.code)) ++uses[s.b];
    if (s.code != Code::loop) continue;
    ++uses[plan.loops[s.n].value];
    count_uses(plan, plan.loops[s.n].body, true, uses);
  }
}

// Whether the reduction and this function are the only ones to look at their source.
bool alone_at_source(const Plan& plan, std::uint32_t reduction, std::uint32_t function) {
  const std::uint32_t s = plan.functions[function].source;
  if (plan.reductions[reduction].x != s || plan.reductions[reduction].z != s) return false;
  for (std::size_t r = 0; r < plan.reductions.size(); ++r)
    if (r != reduction && (plan.reductions[r].x == s || plan.reductions[r].z == s)) return false;
  for (std::size_t f = 0; f < plan.functions.size(); ++f) {
    const PointFunction& other = plan.functions[f];
    if (f != function && other.expression == nullptr && other.source == s) return false;
  }
  return std::ranges::none_of(plan.loops, [&](const Loop& loop) { return loop.source == s; });
}

// Whether a step makes no negative number of values of which `known` says so.
bool makes_no_negative(const Plan& plan, const Step& s, const std::vector<bool>& known) {
  switch (s.code) {
    case Code::reduction:
      return plan.reductions[s.n].kind == Reduce::squared_difference ||
             plan.reductions[s.n].kind == Reduce::absolute_difference;
    case Code::distance:
    case Code::square_root:
    case Code::absolute:
    case Code::exponential:
    case Code::gaussian:
      return true;
    case Code::scale:
      return known[s.a] && s.p >= 0 && s.q >= 0;
    case Code::add:
    case Code::multiply:
      return known[s.a] && known[s.b];
    case Code::add_scaled:
      return known[s.a] && known[s.b] && s.p >= 0;
    case Code::power:
      return known[s.a] || s.n % 2 == 0;
    default:
      return false;
  }
}

}  // namespace

void mark_exponentials(Plan& plan, std::uint16_t values) {
  std::vector<bool> known(values);
  for (Step& s : plan.steps) {
    if (s.code == Code::exponential && known[s.a]) s.n = 1;
    known[s.to] = makes_no_negative(plan, s, known);
  }
}

void fold_gaussians(Plan& plan, std::uint16_t values) {
  std::vector<std::uint32_t> uses(values);
  for (const auto r : plan.results) ++uses[r];
  count_uses(plan, plan.steps, false, uses);
  std::vector<std::size_t> made_by(values, plan.steps.size());
  for (std::size_t i = 0; i < plan.steps.size(); ++i) made_by[plan.steps[i].to] = i;
  const auto maker = [&](std::uint16_t value, Code code) -> Step* {
    if (uses[value] != 1 || made_by[value] == plan.steps.size()) return nullptr;
    Step& step = plan.steps[made_by[value]];
    return step.code == code ? &step : nullptr;
  };
  for (Step& s : plan.steps) {
    if (uses[s.to] == 0) continue;
    if (s.code != Code::exponential || s.q != 0 || !(s.p < 0)) continue;
    const Step* distance = maker(s.a, Code::distance);
    const Step* dot = distance != nullptr ? maker(distance->a, Code::reduction) : nullptr;
    if (dot == nullptr || !alone_at_source(plan, dot->n, distance->n)) continue;
    const double scale = std::sqrt(-2 * s.p * std::numbers::log2e);
    if (!std::isnormal(scale)) continue;
    PointFunction& norm = plan.functions[distance->n];
    plan.sources[norm.source].scale = scale;
    norm.kind = PointFunction::Kind::half_norm;
    s = {.code = Code::gaussian, .to = s.to, .a = dot->to, .n = distance->n};
  }
}

}  // namespace mercer::gram
