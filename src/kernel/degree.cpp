#include "kernel/degree.hpp"

#include <algorithm>

namespace mercer::algebra {

namespace {

// slope*d + offset
struct Line {
  std::int64_t slope = 0;
  std::int64_t offset = 0;
  [[nodiscard]] bool above(const Line& other) const {  // for every d >= 1
    return slope >= other.slope && slope + offset >= other.slope + other.offset;
  }
};

// The largest of some lines.
using Degree = std::vector<Line>;

constexpr std::int64_t limit = std::int64_t{1} << 40;  // keeps products far from overflow

void insert(Degree& degree, const Line& line) {
  if (std::ranges::any_of(degree, [&](const Line& l) { return l.above(line); })) return;
  std::erase_if(degree, [&](const Line& l) { return line.above(l); });
  degree.push_back(line);
}

bool small(const Degree& degree) {
  return degree.size() <= 8 && std::ranges::all_of(degree, [](const Line& l) {
           return l.slope <= limit && l.offset <= limit;
         });
}

using Result = std::optional<Degree>;

// The degree in the coordinates of one side.
class Finder {
 public:
  Finder(Side side, std::optional<std::uint32_t> dimension) : side_(side), dimension_(dimension) {}

  Result run(const Expr& e) const {
    if (!e->uses_x && !e->uses_z && e->total) return Degree{{}};
    switch (e->op) {
      case Op::coordinate:
        return Degree{{0, e->side == side_ ? 1 : 0}};
      case Op::sum:
        return sum(*e);
      case Op::product: {
        Degree total{{}};
        for (const auto& arg : e->args) {
          const Result d = run(arg);
          if (!d) return std::nullopt;
          total = plus(total, *d);
        }
        return checked(total);
      }
      case Op::power: {
        const auto n = is_number(e->args[1]) ? e->args[1]->number.to_int() : std::nullopt;
        if (!n || *n < 0 || *n > limit) return std::nullopt;
        const Result base = run(e->args[0]);
        return base ? checked(times(*base, *n)) : std::nullopt;
      }
      case Op::sum_over:
        return run(e->args[0]);
      case Op::symmetric_over: {
        const Result body = run(e->args[0]);
        return body ? checked(times(*body, e->degree)) : std::nullopt;
      }
      case Op::product_over:
        return product_over(*e);
      default:
        return std::nullopt;
    }
  }

 private:
  static Result checked(Degree d) {
    if (!small(d)) return std::nullopt;
    return d;
  }

  static Degree plus(const Degree& a, const Degree& b) {
    Degree result;
    for (const auto& l : a)
      for (const auto& m : b) insert(result, {l.slope + m.slope, l.offset + m.offset});
    return result;
  }

  static Degree times(const Degree& a, std::int64_t n) {
    Degree result;
    for (const auto& l : a) {
      if (l.slope > limit / std::max<std::int64_t>(n, 1) ||
          l.offset > limit / std::max<std::int64_t>(n, 1))
        return Degree(100);  // too large
      insert(result, {l.slope * n, l.offset * n});
    }
    return result;
  }

  Result sum(const Node& n) const {
    Degree result{{}};
    for (const auto& arg : n.args) {
      const Result d = run(arg);
      if (!d) return std::nullopt;
      for (const auto& l : *d) insert(result, l);
    }
    return checked(result);
  }

  Result product_over(const Node& n) const {
    const Result body = run(n.args[0]);
    if (!body || body->size() != 1 || body->front().slope != 0) return std::nullopt;
    const std::int64_t each = body->front().offset;
    if (const auto count = n.columns.count())
      return Degree{{0, each * static_cast<std::int64_t>(*count)}};
    if (n.columns.has_names()) return std::nullopt;
    return Degree{{each, 0}};
  }

  Side side_;
  std::optional<std::uint32_t> dimension_;
};

std::string text(const Line& line) {
  if (line.slope == 0) return std::to_string(line.offset);
  std::string result = line.slope == 1 ? "d" : std::to_string(line.slope) + "*d";
  if (line.offset != 0) result += " + " + std::to_string(line.offset);
  return result;
}

}  // namespace

std::optional<std::string> degree_of(const Expr& e, std::optional<std::uint32_t> dimension) {
  const auto in_x = Finder(Side::x, dimension).run(e);
  const auto in_z = Finder(Side::z, dimension).run(e);
  if (!in_x || !in_z) return std::nullopt;
  Degree both = *in_x;
  for (const auto& l : *in_z) insert(both, l);
  if (dimension) {
    std::int64_t most = 0;
    for (const auto& l : both) most = std::max(most, l.slope * *dimension + l.offset);
    return std::to_string(most);
  }
  if (both.size() == 1) return text(both[0]);
  std::string result = "max(";
  for (const auto& l : both) result += (result.size() > 4 ? ", " : "") + text(l);
  return result + ")";
}

}  // namespace mercer::algebra
