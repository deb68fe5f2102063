#include "data/cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/parallel.hpp"
#include "data/cell.hpp"
#include "data/chunks.hpp"
#include "data/number.hpp"
#include "data/place.hpp"
#include "data/record.hpp"

namespace mercer::data {

namespace {

// The rows of one piece of the file.
struct Part {
  double* numbers = nullptr;  // where they go
  std::size_t rows = 0;
  std::vector<Text> texts;  // rows counted from the first of the piece
  std::deque<std::string> storage;
};

class Lines {
 public:
  Lines(const Source& source, const Layout& layout, std::string_view piece, Part& part)
      : source_(source),
        layout_(layout),
        delimiter_(layout.delimiter),
        p_(piece.data()),
        end_(piece.data() + piece.size()),
        part_(part) {}

  void run() {
    const std::size_t step = layout_.slot_count();
    double* out = part_.numbers;
    while (p_ != end_) {
      if ((*p_ == '\n' || *p_ == '\r' || *p_ == ' ') && blank_line()) return;
      line(out);
      out += step;
      ++part_.rows;
    }
  }

 private:
  [[noreturn]] void fail_here(const char* place, const std::string& message) const {
    fail_at(source_, place, message);
  }

  // Blank lines may stand at the end of the file alone; whether this is one of these.
  bool blank_line() const {
    const char* q = p_;
    while (q != end_ && (*q == ' ' || *q == '\r')) ++q;
    if (q != end_ && *q != '\n') return false;
    const char* last = source_.content.data() + source_.content.size();
    if (is_blank({p_, static_cast<std::size_t>(last - p_)})) return true;
    fail_here(p_, "this line is empty; remove it, or write what is missing");
  }

  void line(double* out) {
    const char* start = p_;
    const std::size_t width = layout_.width();
    for (std::size_t j = 0; j < width; ++j) {
      const std::size_t slot = layout_.slots[j];
      if (slot == Layout::none) {
        double no_number = 0;
        other_cell(j, no_number);
      } else if (!number(out[slot]) || j == layout_.label) {
        // A label is kept as text, too: "007" may be one.
        p_ = cell_;
        other_cell(j, out[slot]);
      }
      const bool last = j + 1 == width;
      if (p_ == end_ ? !last : (*p_ == '\n') != last) wrong_width(start);
      if (p_ != end_) ++p_;
    }
  }

  // The usual case: a finite number, then the delimiter or the line end, which is left.
  bool number(double& value) {
    while (p_ != end_ && *p_ == ' ') ++p_;
    cell_ = p_;
    const char* q = read_number(p_, end_, value);
    if (q == nullptr || !std::isfinite(value)) return false;
    while (q != end_ && *q == ' ') ++q;
    if (q != end_ && *q == '\r' && (q + 1 == end_ || q[1] == '\n')) ++q;
    if (q != end_ && *q != delimiter_ && *q != '\n') return false;
    p_ = q;
    return true;
  }

  void other_cell(std::size_t j, double& out) {
    const Cell cell = read_cell(source_, p_, end_, delimiter_, part_.storage);
    const Use use = layout_.uses[j];
    if (use == Use::skip) return;
    if (use == Use::label) {
      if (is_missing_label(cell.text))
        fail_here(cell.place,
                  layout_.column(j) + "the label is missing; take the row out, or give it one");
      const auto value = number_in(cell.text);
      out = value && std::isfinite(*value) ? *value + 0.0 : std::nan("");
    } else if (use != Use::category) {
      const auto value = number_in(cell.text);
      if (value && std::isfinite(*value)) {  // in quotes
        out = *value;
        return;
      }
      out = std::nan("");
      if (!is_missing(cell.text) || use == Use::weight) refuse(cell, j, value.has_value());
    }
    part_.texts.push_back({part_.rows, j, cell.text, cell.place});
  }

  void refuse(const Cell& cell, std::size_t j, bool is_number) const {
    const std::string place = layout_.column(j);
    const std::string found = shown(cell.text);
    if (layout_.uses[j] == Use::weight && is_missing(cell.text))
      fail_here(cell.place, place + "the weight is missing");
    if (is_number && cell.text.find_first_of("iInN") != std::string_view::npos)
      fail_here(cell.place, place + found + " is not a finite number");
    if (is_number) fail_here(cell.place, place + found + " is out of the range of a double");
    if (layout_.uses[j] == Use::guess) return;  // a category, or to be told from the whole column
    if (delimiter_ == ';' && cell.text.find(',') != std::string_view::npos)
      fail_here(cell.place, place + found + " is not a number; write decimals with a point");
    fail_here(cell.place,
              place + found + " is not a number; expected one" +
                  (layout_.label != Layout::none
                       ? " in every column but the label's, " + std::to_string(layout_.label + 1)
                       : ""));
  }

  [[noreturn]] void wrong_width(const char* start) const {
    std::deque<std::string> storage;
    const char* p = start;
    const char* last = source_.content.data() + source_.content.size();
    const std::size_t found = read_record(source_, p, last, delimiter_, storage).size();
    fail_here(start, std::to_string(found) + (found == 1 ? " cell" : " cells") + " in this line, " +
                         std::to_string(layout_.width()) + " in the first");
  }

  const Source& source_;
  const Layout& layout_;
  char delimiter_;
  const char* p_;
  const char* end_;
  const char* cell_ = nullptr;
  Part& part_;
};

// Parts are written where they are to stay, for a line is a row; only line ends in quotes and blank
// lines at the end of the file make rows fewer than lines.
void join(Cells& cells, std::vector<Part>& parts) {
  for (auto& part : parts) {
    for (auto& text : part.texts) {
      text.row += cells.rows;
      cells.texts.push_back(text);
    }
    cells.storage.push_back(std::move(part.storage));
    cells.rows += part.rows;
  }
}

}  // namespace

Cells read_cells(const Source& source, const ReadOptions& options) {
  return read_cells(source, options, layout_of(source, options));
}

Cells read_cells(const Source& source, const ReadOptions& options, const Layout& layout) {
  Cells cells;
  cells.source = source;
  cells.layout = layout;
  cells.text_labels = options.text_labels;
  const std::string_view body = source.content.substr(cells.layout.body);
  // A line end in quotes is no end of a row: such files are not cut.
  const bool quotes = std::memchr(body.data(), '"', body.size()) != nullptr;
  const auto pieces = quotes ? std::vector{body} : line_chunks(body, options.threads);
  std::vector<std::size_t> lines(pieces.size());
  parallel_for(pieces.size(), options.threads, [&](std::size_t c) {
    lines[c] = count_bytes(pieces[c], '\n') + (pieces[c].ends_with('\n') ? 0 : 1);
  });
  std::size_t most = 0;
  for (const auto count : lines) most += count;
  const std::size_t step = cells.layout.slot_count();
  const auto numbers = std::make_shared<const Array<double>>(most * step);
  std::vector<Part> parts(pieces.size());
  for (std::size_t c = 0, at = 0; c < pieces.size(); at += lines[c++])
    parts[c].numbers = numbers->data() + at * step;
  parallel_for(pieces.size(), options.threads,
               [&](std::size_t c) { Lines(source, cells.layout, pieces[c], parts[c]).run(); });
  cells.numbers = numbers;
  cells.step = step;
  join(cells, parts);
  return cells;
}

}  // namespace mercer::data
