// Values that are not used are not computed, and values share registers: the fewer there are, the
// more of a tile stays in the nearest cache.
#include <algorithm>
#include <map>
#include <set>

#include "gram/plan.hpp"

namespace mercer::gram {

bool reads_a(Code c) {
  switch (c) {
    case Code::reduction:
    case Code::fill:
    case Code::load_row:
    case Code::load_column:
    case Code::leaf:
    case Code::coordinate_x:
    case Code::coordinate_z:
    case Code::loop:
      return false;
    default:
      return true;
  }
}

bool reads_b(Code c) {
  switch (c) {
    case Code::add:
    case Code::add_scaled:
    case Code::multiply:
    case Code::divide:
    case Code::raise_to:
    case Code::minimum:
    case Code::maximum:
    case Code::chi:
      return true;
    default:
      return false;
  }
}

namespace {

class Allocator {
 public:
  Allocator(Plan& plan, std::uint16_t values) : plan_(plan), at_(values), used_(values, false) {}

  void run() {
    for (const auto r : plan_.results) used_[r] = true;
    drop_unused(plan_.steps);
    LastUses last = last_uses(plan_.steps);
    for (const auto r : plan_.results) last[r] = plan_.steps.size();
    Registers free;
    allocate(plan_.steps, last, free);
    for (auto& r : plan_.results) r = at_[r];
    plan_.registers = next_;
  }

 private:
  using Registers = std::set<std::uint16_t>;
  using LastUses = std::map<std::uint16_t, std::size_t>;  // of each value the last step to use it

  void drop_unused(std::vector<Step>& steps) {
    std::vector<Step> kept;
    for (std::size_t i = steps.size(); i-- > 0;) {
      const Step& s = steps[i];
      if (!used_[s.to]) continue;
      if (reads_a(s.code)) used_[s.a] = true;
      if (reads_b(s.code)) used_[s.b] = true;
      if (s.code == Code::loop) {
        used_[plan_.loops[s.n].value] = true;
        drop_unused(plan_.loops[s.n].body);
      }
      kept.push_back(s);
    }
    std::reverse(kept.begin(), kept.end());
    steps = std::move(kept);
  }

  [[nodiscard]] LastUses last_uses(const std::vector<Step>& steps) const {
    LastUses last;
    for (std::size_t i = 0; i < steps.size(); ++i) mark(steps[i], i, last);
    return last;
  }

  // A loop uses all that its body does.
  void mark(const Step& s, std::size_t i, LastUses& last) const {
    if (reads_a(s.code)) last[s.a] = i;
    if (reads_b(s.code)) last[s.b] = i;
    if (s.code != Code::loop) return;
    for (const auto& inner : plan_.loops[s.n].body) mark(inner, i, last);
    last[plan_.loops[s.n].value] = i;
  }

  std::uint16_t take(Registers& free) {
    if (free.empty()) return next_++;
    return free.extract(free.begin()).value();
  }

  void allocate(std::vector<Step>& steps, const LastUses& last, Registers& free) {
    std::vector<std::vector<std::uint16_t>> ends(steps.size());  // values by their last use
    Registers made;
    for (const auto& s : steps) made.insert(s.to);
    for (const auto& [value, i] : last)
      if (i < steps.size() && made.contains(value)) ends[i].push_back(value);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      Step& s = steps[i];
      const auto ends_with = [&](std::uint16_t value) {
        return std::ranges::find(ends[i], value) != ends[i].end();
      };
      s.ends_a = reads_a(s.code) && ends_with(s.a);
      s.ends_b = reads_b(s.code) && ends_with(s.b);
      if (reads_a(s.code)) s.a = at_[s.a];
      if (reads_b(s.code)) s.b = at_[s.b];
      Registers after_loop;
      if (s.code == Code::loop) after_loop = allocate_loop(plan_.loops[s.n]);
      // Every other step reads an element before it writes it: its result may take the place of
      // what it was the last to use.
      if (s.code != Code::loop)
        for (const auto value : ends[i]) free.insert(at_[value]);
      at_[s.to] = take(free);
      s.to = at_[s.to];
      if (s.code == Code::loop)
        for (const auto value : ends[i]) free.insert(at_[value]);
      free.merge(after_loop);
    }
  }

  // A body has registers of its own, since values from outside live on from turn to turn. Returns
  // them: they are free after the loop.
  Registers allocate_loop(Loop& loop) {
    const std::uint16_t first = next_;
    for (auto& r : loop.own) r = next_++;
    LastUses last = last_uses(loop.body);
    last[loop.value] = loop.body.size();
    Registers free;
    allocate(loop.body, last, free);
    loop.value = at_[loop.value];
    Registers own;
    for (std::uint16_t r = first; r < next_; ++r) own.insert(r);
    return own;
  }

  Plan& plan_;
  std::vector<std::uint16_t> at_;  // the register of each value
  std::vector<bool> used_;
  std::uint16_t next_ = 0;
};

}  // namespace

void allocate_registers(Plan& plan, std::uint16_t values) { Allocator(plan, values).run(); }

namespace {

// Arithmetic, of which nothing comes out as a number that goes in as none.
bool keeps_what_is_none(Code c) {
  switch (c) {
    case Code::distance:
    case Code::scale:
    case Code::add:
    case Code::add_scaled:
    case Code::add_row:
    case Code::add_column:
    case Code::add_both:
    case Code::multiply:
    case Code::multiply_row:
    case Code::multiply_column:
    case Code::multiply_both:
    case Code::divide:
    case Code::power:
    case Code::reciprocal:
    case Code::square_root:
    case Code::exponential:
    case Code::gaussian:
      return true;
    default:
      return false;
  }
}

}  // namespace

void mark_seen(Plan& plan) {
  // Every step is used by a later one, or is a result.
  bool kept = true;
  for (std::size_t i = plan.steps.size(); i-- > 0;) {
    plan.steps[i].seen_later = kept && i + 1 < plan.steps.size();
    // Other steps may be used beside: reductions come first or in between, and use nothing.
    const Code c = plan.steps[i].code;
    kept = kept && (keeps_what_is_none(c) || !(reads_a(c) || c == Code::loop));
  }
}

}  // namespace mercer::gram
