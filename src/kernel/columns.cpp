#include "kernel/columns.hpp"

#include <algorithm>
#include <functional>
#include <mercer/error.hpp>

#include "base/text.hpp"

namespace mercer::algebra {

namespace {

std::uint64_t size(const std::vector<Range>& ranges) {
  std::uint64_t count = 0;
  for (const auto& r : ranges) count += std::uint64_t{r.last} - r.first + 1;
  return count;
}

std::string text(const Columns::Step& step) {
  std::string result = "[";
  for (const auto& r : step.indices) {
    if (result.size() > 1) result += ",";
    result += std::to_string(r.first);
    if (r.last != r.first) result += ":" + std::to_string(r.last);
  }
  for (const auto& name : step.names) {
    if (result.size() > 1) result += ",";
    result += in_quotes(name);
  }
  return result + "]";
}

// The elements of `outer` at the positions `inner`, both as ranges, in order.
std::vector<Range> pick(const std::vector<Range>& outer, const std::vector<Range>& inner) {
  std::vector<Range> result;
  for (const auto& wanted : inner) {
    if (wanted.last > size(outer))
      throw Error("column " + std::to_string(wanted.last) + " was asked for among only " +
                  std::to_string(size(outer)) + " selected columns");
    std::uint64_t before = 0;  // positions of `outer` in the ranges already passed
    for (const auto& r : outer) {
      const std::uint64_t length = std::uint64_t{r.last} - r.first + 1;
      const std::uint64_t from = std::max<std::uint64_t>(wanted.first, before + 1);
      const std::uint64_t to = std::min<std::uint64_t>(wanted.last, before + length);
      if (from <= to) {
        const auto first = static_cast<std::uint32_t>(r.first + (from - before - 1));
        const auto last = static_cast<std::uint32_t>(r.first + (to - before - 1));
        if (!result.empty() && result.back().last + 1 == first) {
          result.back().last = last;
        } else {
          result.push_back({first, last});
        }
      }
      before += length;
    }
  }
  return result;
}

std::vector<Range> merged(std::vector<Range> ranges) {
  std::ranges::sort(ranges);
  std::vector<Range> result;
  for (const auto& r : ranges) {
    if (!result.empty() && result.back().last + 1 == r.first) {
      result.back().last = r.last;
    } else {
      result.push_back(r);
    }
  }
  return result;
}

}  // namespace

Columns Columns::at(const std::vector<Range>& indices) {
  Columns result;
  std::vector<Range> ascending = indices;
  std::ranges::sort(ascending);
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const auto& r = ascending[i];
    if (r.first == 0) throw Error("columns are counted from 1");
    if (r.last < r.first)
      throw Error("the range " + std::to_string(r.first) + ":" + std::to_string(r.last) +
                  " is empty");
    if (i > 0 && r.first <= ascending[i - 1].last)
      throw Error("column " + std::to_string(r.first) + " is selected twice");
  }
  std::vector<Range> joined;  // neighbours in the written order, so that [1,2,3] is [1:3]
  for (const auto& r : indices) {
    if (!joined.empty() && joined.back().last + 1 == r.first) {
      joined.back().last = r.last;
    } else {
      joined.push_back(r);
    }
  }
  result.steps_.push_back({std::move(joined), {}});
  return result;
}

Columns Columns::named(std::vector<std::string> names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (names[i] == names[j]) throw Error("column " + in_quotes(names[i]) + " is selected twice");
  Columns result;
  result.steps_.push_back({{}, std::move(names)});
  return result;
}

bool Columns::has_names() const {
  return std::ranges::any_of(steps_, [](const Step& s) { return !s.names.empty(); });
}

std::optional<std::uint64_t> Columns::count() const {
  if (steps_.empty() || steps_.back().indices.empty()) return std::nullopt;
  return size(steps_.back().indices);
}

std::uint32_t Columns::least_dimension() const {
  std::uint32_t least = 1;
  if (!steps_.empty())
    for (const auto& r : steps_.front().indices) least = std::max(least, r.last);
  return least;
}

Columns Columns::within(const Columns& outer) const {
  Columns result = outer;
  for (const auto& step : steps_) {
    if (result.steps_.empty() || result.steps_.back().names.empty() != step.names.empty()) {
      result.steps_.push_back(step);
      continue;
    }
    auto& last = result.steps_.back();
    if (!step.indices.empty()) {
      last.indices = pick(last.indices, step.indices);
      continue;
    }
    for (const auto& name : step.names)
      if (std::ranges::find(last.names, name) == last.names.end())
        throw Error("column " + in_quotes(name) + " is not among the selected columns " +
                    algebra::text(last));
    last.names = step.names;
  }
  return result;
}

namespace {

// The positions of `wanted` within `outer`, both as ranges.
std::optional<std::vector<Range>> positions(const std::vector<Range>& wanted,
                                            const std::vector<Range>& outer) {
  std::vector<Range> result;
  for (const auto& w : wanted) {
    std::uint32_t next = w.first;  // the first column not found yet
    std::uint32_t before = 0;
    for (const auto& r : outer) {
      if (next >= r.first && next <= r.last) {
        const std::uint32_t last = std::min(w.last, r.last);
        result.push_back({before + next - r.first + 1, before + last - r.first + 1});
        if (last == w.last) {
          next = 0;
          break;
        }
        next = last + 1;
      }
      before += r.last - r.first + 1;
    }
    if (next != 0) return std::nullopt;
  }
  return result;
}

}  // namespace

std::optional<Columns> Columns::relative_to(const Columns& outer) const {
  if (outer.all()) return *this;
  const std::size_t depth = outer.steps_.size();
  if (steps_.size() < depth) return std::nullopt;
  for (std::size_t i = 0; i + 1 < depth; ++i)
    if (steps_[i] != outer.steps_[i]) return std::nullopt;
  const Step& last = outer.steps_.back();
  const Step& here = steps_[depth - 1];
  Columns result;
  if (here != last) {
    if (last.indices.empty() || here.indices.empty()) return std::nullopt;
    const auto found = positions(here.indices, last.indices);
    if (!found) return std::nullopt;
    result = at(*found);
  }
  result.steps_.insert(result.steps_.end(), steps_.begin() + static_cast<std::ptrdiff_t>(depth),
                       steps_.end());
  return result;
}

Columns Columns::sorted() const {
  Columns result = *this;
  if (!result.steps_.empty()) {
    auto& last = result.steps_.back();
    last.indices = merged(std::move(last.indices));
    std::ranges::sort(last.names);
  }
  return result;
}

std::pair<Columns, std::uint32_t> Columns::nth(std::uint32_t j) const {
  Columns rest = *this;
  rest.steps_.pop_back();
  return {rest, pick(steps_.back().indices, {{j, j}}).front().first};
}

Columns Columns::resolve(std::span<const std::string> names) const {
  std::vector<std::uint32_t> current;
  for (std::uint32_t i = 1; i <= names.size(); ++i) current.push_back(i);
  for (const auto& step : steps_) {
    std::vector<std::uint32_t> next;
    for (const auto& r : step.indices) {
      if (r.last > current.size())
        throw Error("column " + std::to_string(r.last) + " was asked for, but there are only " +
                    std::to_string(current.size()));
      for (std::uint32_t i = r.first; i <= r.last; ++i) next.push_back(current[i - 1]);
    }
    for (const auto& name : step.names) {
      const auto before = next.size();
      for (const auto i : current)
        if (names[i - 1] == name) next.push_back(i);
      if (next.size() == before) {
        const std::vector<std::string_view> known(names.begin(), names.end());
        const auto guess = nearest(name, known);
        throw Error("there is no column " + in_quotes(name) +
                    (guess.empty() ? "" : " (did you mean " + in_quotes(guess) + "?)"));
      }
    }
    current = std::move(next);
  }
  std::vector<Range> ranges;
  ranges.reserve(current.size());
  for (const auto i : current) ranges.push_back({i, i});
  return at(ranges);
}

std::vector<Range> Columns::ranges(std::uint32_t dimension) const {
  if (steps_.empty()) return {{1, dimension}};
  return steps_.front().indices;
}

std::string Columns::kernel_suffix() const {
  std::string result;
  for (std::size_t i = steps_.size(); i-- > 0;) result += algebra::text(steps_[i]);
  return result;
}

std::size_t Columns::hash() const { return std::hash<std::string>{}(kernel_suffix()); }

}  // namespace mercer::algebra
