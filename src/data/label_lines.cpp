// Labels in a file of their own, one per line.
#include "data/cell.hpp"
#include "data/place.hpp"
#include "data/reader.hpp"
#include "data/record.hpp"

namespace mercer::data {

std::vector<std::string> read_label_lines(const Source& source) {
  const std::string_view text = text_of(source);
  const char* p = text.data();
  const char* end = p + text.size();
  const char delimiter = guess_delimiter({p, static_cast<std::size_t>(end - p)});
  std::deque<std::string> storage;
  std::vector<std::string> labels;
  while (!is_blank({p, static_cast<std::size_t>(end - p)})) {
    const char* start = p;
    const auto cells = read_record(source, p, end, delimiter, storage);
    if (cells.size() != 1)
      fail_at(source, start,
              std::to_string(cells.size()) + " cells in this line; expected one label per line");
    if (cells[0].text.empty() && !cells[0].quoted)
      fail_at(source, start, "this line is empty; remove it, or write what is missing");
    if (is_missing_label(cells[0].text))
      fail_at(source, start, "the label is missing; take the row out, or give it a class");
    labels.emplace_back(cells[0].text);
  }
  if (labels.empty()) fail(source.name, "the file holds no labels: nothing but blank lines");
  return labels;
}

}  // namespace mercer::data
