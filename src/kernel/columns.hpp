// Which coordinates of a point a part of a kernel looks at.
//
// k[1:3] is k on the first three coordinates, k["age"] on all that came from the column "age", and
// k[2]["age"] on the second of those. A selection is a path of steps, each taken within the columns
// that the one before it left; neighbouring steps of one kind are merged, so that a path
// alternates.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mercer::algebra {

struct Range {
  std::uint32_t first;  // from 1
  std::uint32_t last;   // inclusive
  auto operator<=>(const Range&) const = default;
};

class Columns {
 public:
  static constexpr std::uint32_t max_index = 0x7FFFFFFF;

  struct Step {  // exactly one of the two is non-empty
    std::vector<Range> indices;
    std::vector<std::string> names;
    auto operator<=>(const Step&) const = default;
  };

  Columns() = default;  // all of them
  static Columns at(const std::vector<Range>& indices);
  static Columns named(std::vector<std::string> names);

  [[nodiscard]] bool all() const { return steps_.empty(); }
  [[nodiscard]] bool has_names() const;
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

  // How many, where that does not depend on the data.
  [[nodiscard]] std::optional<std::uint64_t> count() const;
  // The least dimension in which all of them exist (as far as indices of the whole point tell).
  [[nodiscard]] std::uint32_t least_dimension() const;

  // These columns counted within others. Throws Error where they are not there.
  [[nodiscard]] Columns within(const Columns& outer) const;
  // The inverse: what, counted within the others, gives these. nullopt where they are not among
  // them.
  [[nodiscard]] std::optional<Columns> relative_to(const Columns& outer) const;
  // The same set in ascending order, for sums and products, which do not care.
  [[nodiscard]] Columns sorted() const;
  // The path without its last step, and that step's j-th index; for a path that ends in indices.
  [[nodiscard]] std::pair<Columns, std::uint32_t> nth(std::uint32_t j) const;

  // The indices meant, for a point whose i-th coordinate came from the column names[i].
  [[nodiscard]] Columns resolve(std::span<const std::string> names) const;
  // The explicit ranges of a path without names (for `all`: 1 to dimension).
  [[nodiscard]] std::vector<Range> ranges(std::uint32_t dimension) const;

  // "[1:3]", "[\"age\"]"; several steps in the order in which a kernel is written: k[2]["age"].
  [[nodiscard]] std::string kernel_suffix() const;

  auto operator<=>(const Columns&) const = default;
  [[nodiscard]] std::size_t hash() const;

 private:
  std::vector<Step> steps_;
};

}  // namespace mercer::algebra
