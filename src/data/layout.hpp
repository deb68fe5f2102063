// Which columns a file of text has, and what each is for: what is decided from the first lines and
// the options, before the cells are read.
#pragma once

#include <cstddef>
#include <limits>
#include <mercer/data.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "data/source.hpp"

namespace mercer::data {

enum class Use { guess, number, category, label, weight, skip };

struct Layout {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  char delimiter = ',';
  std::vector<std::string> names;  // of all columns of the file; empty without
  std::vector<Use> uses;           // of all columns of the file
  std::vector<std::size_t> slots;  // where in a row of numbers each column goes; none if skipped
  std::size_t label = none;
  std::size_t weight = none;
  std::size_t body = 0;  // the offset at which the rows begin

  [[nodiscard]] std::size_t width() const { return uses.size(); }
  [[nodiscard]] std::size_t slot_count() const;
  // "column 2 ('age'): "
  [[nodiscard]] std::string column(std::size_t j) const;
};

Layout layout_of(const Source& source, const ReadOptions& options);

// The cells of the first line, be they names or data.
std::vector<std::string> first_line(const Source& source, const ReadOptions& options);

}  // namespace mercer::data
