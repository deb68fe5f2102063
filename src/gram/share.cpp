// One sum where two would do: Σ x z of points as they are, from that of points seen from c,
//
//   x·z = (x-c)·(z-c) + f(x) + f(z),    f(x) = c·(x-c) + |c|²/2.
#include <algorithm>

#include "gram/plan.hpp"

namespace mercer::gram {

namespace {

bool is_plain_dot(const Reduction& r, const Plan& plan) {
  return r.kind == Reduce::dot && r.x == r.z && plan.sources[r.x].map == nullptr &&
         plan.sources[r.x].scale == 1;
}

// Drops a source that nobody looks at any more.
void drop_if_unused(Plan& plan, std::uint32_t source) {
  const auto of_points = [](const PointFunction& f) { return f.expression == nullptr; };
  const bool used =
      std::ranges::any_of(plan.reductions,
                          [&](const Reduction& r) { return r.x == source || r.z == source; }) ||
      std::ranges::any_of(plan.loops, [&](const Loop& l) { return l.source == source; }) ||
      std::ranges::any_of(plan.functions, [&](const PointFunction& f) {
        return of_points(f) && f.source == source;
      });
  if (used) return;
  plan.sources.erase(plan.sources.begin() + source);
  const auto renumber = [&](std::uint32_t& s) { s -= s > source ? 1 : 0; };
  for (auto& r : plan.reductions) {
    renumber(r.x);
    renumber(r.z);
  }
  for (auto& l : plan.loops) renumber(l.source);
  for (auto& f : plan.functions)
    if (of_points(f)) renumber(f.source);
}

// Takes reduction `raw` from reduction `centred`.
void derive(Plan& plan, std::uint32_t raw, std::uint32_t centred) {
  const auto made_by = [&](std::uint32_t n) {
    return std::ranges::find_if(
        plan.steps, [&](const Step& s) { return s.code == Code::reduction && s.n == n; });
  };
  const std::uint16_t from = made_by(centred)->to;
  const std::uint16_t to = made_by(raw)->to;
  const std::uint32_t source = plan.reductions[raw].x;
  plan.functions.push_back({.kind = PointFunction::Kind::along_centre,
                            .expression = {},
                            .source = plan.reductions[centred].x});
  plan.steps.erase(made_by(raw));
  plan.reductions.erase(plan.reductions.begin() + raw);
  for (Step& s : plan.steps)
    if (s.code == Code::reduction && s.n > raw) --s.n;
  // Behind all reductions, which come first.
  const auto n = static_cast<std::uint32_t>(plan.functions.size() - 1);
  plan.steps.insert(plan.steps.begin() + static_cast<std::ptrdiff_t>(plan.reductions.size()),
                    {.code = Code::add_both, .to = to, .a = from, .n = n, .p = 1});
  drop_if_unused(plan, source);
}

}  // namespace

void share_dots(Plan& plan) {
  for (std::uint32_t raw = 0; raw < plan.reductions.size(); ++raw)
    for (std::uint32_t other = 0; other < plan.reductions.size(); ++other) {
      const Reduction& a = plan.reductions[raw];
      const Reduction& b = plan.reductions[other];
      if (!is_plain_dot(a, plan) || !is_plain_dot(b, plan)) continue;
      const Source& as_it_is = plan.sources[a.x];
      const Source& seen_from = plan.sources[b.x];
      if (as_it_is.centred || !seen_from.centred || as_it_is.columns != seen_from.columns) continue;
      derive(plan, raw, other);
      return share_dots(plan);
    }
}

}  // namespace mercer::gram
