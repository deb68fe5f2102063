// Windows on a file: some whole lines, or rows of an array, read by the reader of the format as if
// they were a file of their own, but for the lines and rows in front of them.
#include <algorithm>
#include <cstring>
#include <mercer/error.hpp>
#include <mercer/table_stream.hpp>
#include <numeric>

#include "data/chunks.hpp"
#include "data/columns.hpp"
#include "data/encode.hpp"
#include "data/holes.hpp"
#include "data/place.hpp"
#include "data/reader.hpp"
#include "data/record.hpp"

namespace mercer {

namespace {

using data::Source;

constexpr std::size_t megabyte = std::size_t{1} << 20U;

// The part of the file that was read and not yet used.
class Window {
 public:
  explicit Window(const std::string& path) : bytes_(path) {}

  [[nodiscard]] std::string_view content() const { return std::string_view(buffer_).substr(used_); }
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] std::optional<std::size_t> file_size() const { return bytes_.size(); }

  void more(std::size_t count = megabyte) {
    buffer_.erase(0, used_);
    used_ = 0;
    const std::size_t old = buffer_.size();
    buffer_.resize(old + count);
    const std::size_t found = bytes_.read(buffer_.data() + old, count);
    buffer_.resize(old + found);
    ended_ = found < count;
  }
  // Views of the content stay good until more() is called.
  void use(std::size_t count) { used_ += count; }

 private:
  data::ByteStream bytes_;
  std::string buffer_;
  std::size_t used_ = 0;
  bool ended_ = false;
};

// Enough for everything that is decided from the beginning.
void read_beginning(Window& window) {
  constexpr std::size_t lines = 1000;
  constexpr std::size_t most = 64 * megabyte;
  do {
    window.more();
  } while (!window.ended() && window.content().size() < most &&
           (data::count_bytes(window.content(), '\n') < lines || data::is_blank(window.content())));
}

void add_to(EncodingReport& all, EncodingReport part, std::size_t rows_before) {
  constexpr std::size_t most = 1000;
  for (auto& u : part.unseen) {
    const auto known = std::ranges::find_if(all.unseen, [&](const auto& other) {
      return other.column == u.column && other.level == u.level;
    });
    if (known != all.unseen.end()) {
      known->rows += u.rows;
    } else if (all.unseen.size() < most) {
      all.unseen.push_back(std::move(u));
    }
  }
  all.filled += part.filled;
  all.ignored += part.ignored;
  for (const std::size_t row : part.dropped) all.dropped.push_back(rows_before + row);
}

}  // namespace

struct TableStream::Body {
  Body(const std::string& path, const Encoding& with, const ReadOptions& options, Labels labels)
      : name(path), encoding(with), window(path) {
    read_beginning(window);
    const Source beginning = source(window.content());
    format = data::format_in(beginning, options);
    reading = data::reading_for(encoding, options, beginning, format);
    if (labels == Labels::ignored) pass_over_labels(beginning);
    data::refuse_columns(beginning, reading, format);
    report.by_place = data::names_ignored(encoding, reading, format);
    all_may_go = labels == Labels::ignored;
    if (format == FileFormat::npy) {
      open_npy(beginning, path, options);
    } else if (format == FileFormat::csv) {
      layout = data::layout_of(beginning, reading);
    } else {
      grouped = data::libsvm_grouped(beginning.content);
    }
  }

  void pass_over_labels(const Source& beginning) {
    const bool by_place = reading.labels == ReadOptions::Labels::last_column;
    if (format == FileFormat::npy) {
      no_labels = true;
      return;
    }
    const bool told = reading.labels == ReadOptions::Labels::column;
    if (told && format != FileFormat::csv) return;  // it is refused
    const bool by_number =
        told && (!encoding.named || data::names_ignored(encoding, reading, format));
    reading.labels = ReadOptions::Labels::none;
    if (by_number) {
      const std::size_t width = data::first_line(beginning, reading).size();
      reading.ignore.push_back(
          std::to_string(data::label_index(reading.label, {}, width, name) + 1));
    }
    if (!by_place || format != FileFormat::csv) return;
    const std::size_t known =
        encoding.columns.empty() ? encoding.dimension : encoding.columns.size();
    const std::size_t width = data::first_line(beginning, reading).size();
    if (width == known + data::taken_columns(reading).size() + 1)
      reading.ignore.push_back(std::to_string(width));
  }

  std::optional<Table> next(std::size_t most) {
    while (true) {
      const std::size_t before = rows;
      EncodingReport part;
      std::optional<Table> table;
      if (whole) {
        table = next_of_whole(most);
      } else if (format == FileFormat::npy) {
        table = next_of_npy(most, part);
      } else if (format == FileFormat::csv) {
        table = next_of_cells(most, part);
      } else {
        table = next_of_libsvm(most, part);
      }
      add_to(report, std::move(part), before);
      if (!table) break;
      if (table->rows() == 0) continue;
      kept = true;
      if (no_labels) table->labels = {};
      return table;
    }
    if (rows == 0) data::fail(name, "the file holds no data: nothing but blank lines");
    if (!kept && !all_may_go) data::no_row_left(name, true);
    return std::nullopt;
  }

  [[nodiscard]] Source source(std::string_view content) const {
    return {content, name, {}, false, lines, rows};
  }

  // A window that ends with a line, with so many lines behind `body` at most; `line_end` finds the
  // end of the line at an offset, or npos.
  template <class LineEnd>
  std::string_view some_lines(std::size_t most, std::size_t body, const LineEnd& line_end) {
    std::size_t end = 0;  // of the window
    std::size_t scanned = body;
    for (std::size_t count = 0; count < most;) {
      const std::size_t stop = line_end(window.content(), scanned);
      if (stop != std::string_view::npos) {
        // Blank lines go with what follows them: whether they are a mistake is seen there.
        const bool blank = data::is_blank(window.content().substr(scanned, stop - scanned));
        scanned = stop;
        if (blank) continue;
        end = stop;
        ++count;
      } else if (window.ended()) {
        end = window.content().size();
        break;
      } else {
        // Twice as much each time, so that a line of any length is looked at a few times only.
        window.more(std::max(megabyte, window.content().size()));
      }
    }
    return window.content().substr(0, end);
  }

  void used(std::string_view content) {
    lines += data::count_bytes(content, '\n');
    window.use(content.size());
  }

  std::optional<Table> next_of_cells(std::size_t most, EncodingReport& part) {
    const auto line_end = [&](std::string_view text, std::size_t from) {
      return data::record_end(text, from, layout.delimiter);
    };
    const std::string_view content = some_lines(most, layout.body, line_end);
    if (content.empty()) return std::nullopt;
    const data::Cells cells = data::read_cells(source(content), reading, layout);
    // Blank lines at the end of the file make no row.
    std::optional<Table> table;
    if (cells.rows > 0) table = data::encoded(encoding, data::frame_of(cells, false), &part);
    rows += cells.rows;
    layout.body = 0;
    used(content);
    return table;
  }

  std::optional<Table> next_of_libsvm(std::size_t most, EncodingReport& part) {
    const std::string_view content =
        some_lines(most, 0, [](std::string_view text, std::size_t from) {
          const auto stop = text.find('\n', from);
          return stop == std::string_view::npos ? stop : stop + 1;
        });
    if (content.empty()) return std::nullopt;
    const Table plain = data::read_libsvm(source(content), reading, grouped);
    used(content);
    rows += plain.rows();
    return plain.rows() == 0 ? plain : encoding.apply(plain, &part);
  }

  void open_npy(const Source& beginning, const std::string& path, const ReadOptions& options) {
    npy = data::npy_facts(beginning);
    if (!npy.by_rows) {
      EncodingReport all;
      whole = read_encoded(path, encoding, options, &all);
      report = std::move(all);
      return;
    }
    if (window.file_size()) check_size(*window.file_size() - npy.body);
    window.use(npy.body);
  }
  void check_size(std::size_t bytes) const {
    data::check_npy_size(npy.rows, npy.columns, npy.number, bytes, name);
  }

  std::optional<Table> next_of_npy(std::size_t most, EncodingReport& part) {
    const std::size_t count = std::min(most, npy.rows - rows);
    const std::size_t size = npy.columns * npy.number;  // of a row
    while (!window.ended() && (count == 0 || window.content().size() / size < count)) window.more();
    if (window.content().size() / size < count || (count == 0 && !window.content().empty()))
      check_size(rows * size + window.content().size());
    if (count == 0) return std::nullopt;
    const auto bytes =
        std::make_shared<std::string>(data::npy_start_as(npy.descr, count, npy.columns));
    *bytes += window.content().substr(0, count * size);
    Source some = source(*bytes);
    some.owner = bytes;
    const bool holes = encoding.options.missing != Missing::error && data::npy_has_holes(some);
    Table table = holes ? data::encoded(encoding, data::npy_frame(some, reading), &part)
                        : encoding.apply(data::read_npy(some, reading), &part);
    window.use(count * size);
    rows += count;
    return table;
  }

  std::optional<Table> next_of_whole(std::size_t most) {
    const std::size_t count = std::min(most, whole->rows() - given);
    const auto pass_over = [&] {
      for (; passed < report.dropped.size() && report.dropped[passed] == rows; ++passed) ++rows;
    };
    std::vector<std::size_t> list(count);
    std::iota(list.begin(), list.end(), given);
    for (std::size_t i = 0; i < count; ++i) {
      pass_over();
      ++rows;
    }
    given += count;
    if (count > 0) return whole->select(list);
    pass_over();
    return std::nullopt;
  }

  std::string name;
  Encoding encoding;
  Window window;
  FileFormat format = FileFormat::csv;
  ReadOptions reading;
  data::Layout layout;   // of csv
  bool grouped = false;  // of LIBSVM
  data::NpyFacts npy;    // of .npy
  std::optional<Table> whole;
  std::size_t lines = 0;    // before the window
  std::size_t rows = 0;     // before the window
  bool kept = false;        // some of them
  bool all_may_go = false;  // then it is the caller's to say so
  std::size_t given = 0;    // of the whole table
  std::size_t passed = 0;   // of its rows that were dropped
  bool no_labels = false;
  EncodingReport report;
};

TableStream::TableStream(const std::string& path, const Encoding& encoding,
                         const ReadOptions& options, Labels labels)
    : body_(std::make_unique<Body>(path, encoding, options, labels)) {}
TableStream::~TableStream() = default;
TableStream::TableStream(TableStream&&) noexcept = default;
TableStream& TableStream::operator=(TableStream&&) noexcept = default;

std::optional<Table> TableStream::next(std::size_t rows) {
  return body_->next(std::max<std::size_t>(rows, 1));
}
FileFormat TableStream::format() const { return body_->format; }
std::size_t TableStream::rows_read() const { return body_->rows; }
const EncodingReport& TableStream::report() const { return body_->report; }

}  // namespace mercer
