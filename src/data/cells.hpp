// The cells of a file of text in columns, read in one pass: numbers where they are numbers, and
// everything else as a list of texts with their places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mercer/data.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "data/array.hpp"
#include "data/layout.hpp"
#include "data/source.hpp"

namespace mercer::data {

// A cell that is not a number, or is wanted as text.
struct Text {
  std::size_t row = 0;
  std::size_t column = 0;  // of the file
  std::string_view text;   // without quotes and outer blanks
  const char* place = nullptr;
};

struct Cells {
  Source source;
  Layout layout;
  std::size_t rows = 0;
  bool text_labels = false;  // labels are names even where all are numbers
  // Row by row, one for each column that is not skipped; NaN where there is a Text.
  std::shared_ptr<const Array<double>> numbers;
  std::size_t step = 0;                          // from one row to the next
  std::vector<Text> texts;                       // in the order of the file
  std::vector<std::deque<std::string>> storage;  // of texts that stand in quotes
};

// Both throw Error. With a layout, that of a file on which the source is a window; its body begins
// where the layout says.
Cells read_cells(const Source& source, const ReadOptions& options);
Cells read_cells(const Source& source, const ReadOptions& options, const Layout& layout);

}  // namespace mercer::data
