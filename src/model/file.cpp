#include "model/file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <mercer/error.hpp>
#include <optional>
#include <span>

#include "base/aligned.hpp"
#include "base/checksum.hpp"
#include "data/place.hpp"
#include "data/sink.hpp"

namespace mercer::model {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they stand");

constexpr std::string_view magic = "\x89mercer\n";
constexpr std::size_t header_size = 64;
constexpr std::size_t checksum_place = 24;
constexpr std::size_t alignment = 64;

enum class Kind : std::uint64_t {
  rule = 1,
  kernel,
  map,
  classes,
  encoding,
  label,
  training,
  coefficients,
  offsets,
  calibration,
  support_counts,
  support_values,
  support_rows,     // of sparse points: where each row begins
  support_columns,  // of sparse points: the column of each entry
  sketch,
};
constexpr std::size_t kinds = 15;
constexpr std::array<std::string_view, kinds> kind_names{
    "rule",           "kernel",         "map",          "classes",         "encoding",
    "label",          "training",       "coefficients", "offsets",         "calibration",
    "support counts", "support values", "support rows", "support columns", "sketch"};

struct Entry {  // of the table of sections
  std::uint64_t kind = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// All words, so that there is nothing between them.
struct Rule {
  std::uint64_t task = 0;
  std::uint64_t scheme = 0;
  std::uint64_t form = 0;  // 0 kernel, 1 map, 2 sketch
  std::uint64_t numeric_classes = 0;
  std::uint64_t dimension = 0;
  std::uint64_t support = 0;  // points
  std::uint64_t sparse = 0;
  std::uint64_t float64 = 0;
  std::uint64_t coefficient_rows = 0;
  std::uint64_t coefficient_columns = 0;
};

constexpr std::size_t rounded_up(std::size_t size) {
  return (size + alignment - 1) / alignment * alignment;
}

template <class T>
std::string_view raw(const T* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(T)};
}
template <class T>
void append(std::string& bytes, const T& value) {
  bytes += raw(&value, 1);
}

// ---- writing

using Put = std::function<void(std::string_view)>;

class Writer {
 public:
  explicit Writer(const Model& m) {
    const Points& s = m.support;
    Rule rule;
    rule.task = m.task == Model::Task::regression ? 1 : 0;
    rule.scheme = static_cast<std::uint64_t>(m.scheme);
    rule.form = m.kernel ? 0 : m.map ? 1 : 2;
    version_ = m.sketch ? 2 : 1;
    rule.numeric_classes = m.numeric_classes ? 1 : 0;
    rule.dimension = m.dimension();
    rule.support = s.rows();
    rule.sparse = s.is_sparse() ? 1 : 0;
    rule.float64 = s.scalar() == Points::Scalar::float64 ? 1 : 0;
    rule.coefficient_rows = m.coefficients.rows;
    rule.coefficient_columns = m.coefficients.columns;
    text(Kind::rule, std::string(raw(&rule, 1)));
    if (m.kernel) text(Kind::kernel, m.kernel->text());
    if (m.map) text(Kind::map, m.map->text());
    text(Kind::classes, classes(m.classes));
    text(Kind::encoding, m.encoding.text());
    text(Kind::label, m.label);
    text(Kind::training, m.training);
    view(Kind::coefficients, raw(m.coefficients.values.data(), m.coefficients.values.size()));
    view(Kind::offsets, raw(m.offsets.data(), m.offsets.size()));
    std::string sigmoids;
    for (const auto& c : m.calibration) {
      append(sigmoids, c.slope);
      append(sigmoids, c.offset);
    }
    text(Kind::calibration, std::move(sigmoids));
    std::string counts;
    for (const std::uint64_t count : m.support_counts) append(counts, count);
    text(Kind::support_counts, std::move(counts));
    if (m.sketch) text(Kind::sketch, bytes_of(*m.sketch));
    if (s.rows() == 0) return;
    if (s.scalar() == Points::Scalar::float32) {
      support(s, s.values<float>());
    } else {
      support(s, s.values<double>());
    }
  }

  void run(const Put& put) const {
    Checksum sum;
    emit(
        0, [&](std::string_view bytes) { sum.add(bytes); }, true);
    emit(sum.value(), put, false);
  }

 private:
  struct Section {
    Kind kind;
    std::size_t length;
    std::function<void(const Put&)> put;
  };

  static std::string classes(const std::vector<std::string>& names) {
    std::string bytes;
    for (const auto& name : names) {
      append(bytes, static_cast<std::uint32_t>(name.size()));
      bytes += name;
    }
    return bytes;
  }

  static std::string bytes_of(const Sketch& s) {
    std::string bytes;
    append(bytes, std::uint64_t{s.terms.size()});
    for (const auto& t : s.terms) {
      append(bytes, std::uint64_t{t.size});
      append(bytes, t.amplitude);
      append(bytes, t.variance);
      append(bytes, std::uint64_t{t.factors.size()});
      for (const auto& f : t.factors) {
        for (const std::uint64_t b : f.bucket) append(bytes, b);
        bytes += raw(f.weight.data(), f.weight.size());
      }
    }
    return bytes;
  }

  void add(Kind kind, std::size_t length, std::function<void(const Put&)> put) {
    if (length > 0) sections_.push_back({kind, length, std::move(put)});
  }
  void text(Kind kind, std::string bytes) {
    const std::size_t length = bytes.size();
    add(kind, length, [bytes = std::move(bytes)](const Put& put) { put(bytes); });
  }
  void view(Kind kind, std::string_view bytes) {
    add(kind, bytes.size(), [bytes](const Put& put) { put(bytes); });
  }

  template <class T>
  void support(const Points& s, const T* values) {
    if (!s.is_sparse()) {
      add(Kind::support_values, s.rows() * s.columns() * sizeof(T), [&s, values](const Put& put) {
        for (std::size_t i = 0; i < s.rows(); ++i) put(raw(values + i * s.stride(), s.columns()));
      });
      return;
    }
    const auto offsets = s.offsets();
    const std::int64_t first = offsets.front();  // not 0 where the points are a part of others
    view(Kind::support_values, raw(values + first, s.entries()));
    std::string rows;
    for (const std::int64_t o : offsets) append(rows, o - first);
    text(Kind::support_rows, std::move(rows));
    view(Kind::support_columns, raw(s.indices() + first, s.entries()));
  }

  // `for_checksum`: all but the checksum itself.
  void emit(std::uint64_t sum, const Put& put, bool for_checksum) const {
    std::string head(magic);
    append(head, version_);
    append(head, static_cast<std::uint32_t>(sections_.size()));
    std::size_t at = rounded_up(header_size + sections_.size() * sizeof(Entry));
    std::string table;
    for (const auto& section : sections_) {
      append(table, Entry{static_cast<std::uint64_t>(section.kind), at, section.length});
      at = rounded_up(at + section.length);
    }
    append(head, std::uint64_t{at});
    if (!for_checksum) append(head, sum);
    head.resize(header_size - (for_checksum ? sizeof sum : 0), '\0');
    put(head);
    table.resize(rounded_up(table.size()), '\0');
    put(table);
    for (const auto& section : sections_) {
      section.put(put);
      put(std::string(rounded_up(section.length) - section.length, '\0'));
    }
  }

  std::uint32_t version_ = 1;
  std::vector<Section> sections_;
};

// ---- reading

// What a file that is no model may be.
std::string other_kind(std::string_view content) {
  const std::string_view start = content.substr(0, 256);
  if (start.starts_with("svm_type ")) return "a model of LIBSVM, which `mercer import` reads";
  if (start.starts_with("solver_type ")) return "a model of LIBLINEAR";
  if (start.starts_with("\x93NUMPY")) return "an array of NumPy";
  if (start.starts_with("mercer-encoding")) return "an encoding alone";
  const bool text = std::ranges::all_of(start, [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\r' || c == '\t';
  });
  return text ? "text; a model is what mercer wrote as such, and data come second" : "";
}

class Reader {
 public:
  Reader(const data::Source& source, bool trusted) : source_(source), content_(source.content) {
    check_header(trusted);
    read_table();
  }

  [[nodiscard]] Model::FileFacts facts() const {
    return {number<std::uint32_t>(8), content_.size(), word(checksum_place)};
  }

  Model run() {
    read_rule();
    Model m;
    m.task = rule_.task == 1 ? Model::Task::regression : Model::Task::classification;
    m.scheme = static_cast<Model::Scheme>(rule_.scheme);
    m.numeric_classes = rule_.numeric_classes == 1;
    read_classes(m);
    read_form(m);
    read_encoding(m);
    m.label = text(Kind::label);
    m.training = text(Kind::training);
    read_coefficients(m);
    if (rule_.form == 0) read_support(m);
    const auto unused =
        std::ranges::find_if(sections_, [](const auto& s) { return s.has_value(); });
    if (unused != sections_.end())
      corrupted("a section has no place here: " +
                std::string(kind_names[static_cast<std::size_t>(unused - sections_.begin())]));
    try {
      m.check();
    } catch (const Error& error) {
      data::fail(source_.name, std::string("the file is corrupted: ") + error.what());
    }
    return m;
  }

 private:
  [[noreturn]] void corrupted(const std::string& what) const {
    data::fail(source_.name, "the file is corrupted: " + what);
  }

  template <class T>
  [[nodiscard]] T number(std::size_t offset) const {
    T value = 0;
    std::memcpy(&value, content_.data() + offset, sizeof value);
    return value;
  }
  [[nodiscard]] std::uint64_t word(std::size_t offset) const {
    return number<std::uint64_t>(offset);
  }

  void check_header(bool trusted) const {
    const std::string& name = source_.name;
    if (content_.empty()) data::fail(name, "the file is empty, not a model");
    if (!content_.starts_with(magic.substr(0, content_.size()))) {
      const std::string other = other_kind(content_);
      data::fail(name, "this is not a model of mercer" + (other.empty() ? "" : ": it is " + other));
    }
    if (content_.size() < header_size) truncated(header_size);
    const auto version = number<std::uint32_t>(8);
    if (version > format_version)
      data::fail(name, "was written by a newer mercer: format " + std::to_string(version) +
                           ", this one reads up to " + std::to_string(format_version));
    if (version == 0) corrupted("format 0");
    const std::uint64_t length = word(16);
    if (length > content_.size()) truncated(length);
    if (length < content_.size())
      corrupted(std::to_string(content_.size() - length) + " bytes too many follow at its end");
    if (trusted) return;
    Checksum sum;
    sum.add(content_.substr(0, checksum_place));
    sum.add(content_.substr(checksum_place + sizeof(std::uint64_t)));
    if (sum.value() != word(checksum_place)) corrupted("its checksum is another; get it once more");
  }

  [[noreturn]] void truncated(std::uint64_t expected) const {
    data::fail(source_.name, "the file is truncated: " + std::to_string(content_.size()) +
                                 " bytes of " + std::to_string(expected));
  }

  void read_table() {
    const std::size_t count = number<std::uint32_t>(12);
    if (count > kinds) corrupted(std::to_string(count) + " sections");
    if (header_size + count * sizeof(Entry) > content_.size())
      corrupted("its table of sections is beyond its end");
    std::uint64_t end = header_size + count * sizeof(Entry);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = header_size + i * sizeof(Entry);
      const Entry entry{word(at), word(at + 8), word(at + 16)};
      if (entry.kind <= before || entry.kind > kinds)
        corrupted("section " + std::to_string(i + 1) + " is of kind " + std::to_string(entry.kind));
      if (entry.offset % alignment != 0 || entry.offset < end || entry.offset > content_.size() ||
          entry.length == 0 || entry.length > content_.size() - entry.offset)
        corrupted("section " + std::to_string(i + 1) + " is not within the file");
      sections_[entry.kind - 1] = content_.substr(entry.offset, entry.length);
      before = entry.kind;
      end = entry.offset + entry.length;
    }
  }

  // Empty without such a section; each is taken once.
  std::string_view take(Kind kind) {
    auto& section = sections_[static_cast<std::size_t>(kind) - 1];
    const std::string_view bytes = section.value_or(std::string_view());
    section.reset();
    return bytes;
  }
  std::string text(Kind kind) { return std::string(take(kind)); }

  // `rows` times `columns` numbers exactly.
  template <class T>
  std::string_view take(Kind kind, std::uint64_t rows, std::uint64_t columns) {
    const std::string_view bytes = take(kind);
    const std::uint64_t room = bytes.size() / sizeof(T);
    const bool fits = rows == 0 || columns == 0 ? bytes.empty()
                                                : columns <= room && rows <= room / columns &&
                                                      rows * columns * sizeof(T) == bytes.size();
    if (!fits)
      corrupted("the section " + std::string(kind_names[static_cast<std::size_t>(kind) - 1]) +
                " has " + std::to_string(bytes.size()) + " bytes for " + std::to_string(rows) +
                " times " + std::to_string(columns) + " numbers");
    return bytes;
  }
  template <class T>
  std::vector<T> numbers(Kind kind, std::uint64_t rows, std::uint64_t columns) {
    const std::string_view bytes = take<T>(kind, rows, columns);
    std::vector<T> result(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }

  void read_rule() {
    const std::string_view bytes = take(Kind::rule);
    if (bytes.size() != sizeof(Rule)) corrupted("its rule has another size");
    std::memcpy(&rule_, bytes.data(), sizeof(Rule));
    constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
    if (rule_.task > 1 || rule_.scheme > 2 || rule_.form > 2 || rule_.numeric_classes > 1 ||
        rule_.sparse > 1 || rule_.float64 > 1 || rule_.dimension == 0 || rule_.dimension > most ||
        (rule_.form > 0 && rule_.support > 0) || (rule_.form == 2 && number<std::uint32_t>(8) < 2))
      corrupted("its rule is none that is known");
  }

  void read_classes(Model& m) {
    std::string_view bytes = take(Kind::classes);
    while (!bytes.empty()) {
      std::uint32_t length = 0;
      if (bytes.size() < sizeof length) corrupted("a class without a name");
      std::memcpy(&length, bytes.data(), sizeof length);
      bytes.remove_prefix(sizeof length);
      if (length > bytes.size()) corrupted("a class whose name has no end");
      m.classes.emplace_back(bytes.substr(0, length));
      bytes.remove_prefix(length);
    }
  }

  void read_sketch(Model& m) {
    std::string_view bytes = take(Kind::sketch);
    const auto take_word = [&]<class T>(T& value) {
      if (bytes.size() < sizeof value) corrupted("a sketch without an end");
      std::memcpy(&value, bytes.data(), sizeof value);
      bytes.remove_prefix(sizeof value);
    };
    Sketch s;
    s.dimension = rule_.dimension;
    std::uint64_t terms = 0;
    take_word(terms);
    for (std::uint64_t i = 0; i < terms; ++i) {
      Sketch::Term& t = s.terms.emplace_back();
      std::uint64_t size = 0;
      std::uint64_t factors = 0;
      take_word(size);
      take_word(t.amplitude);
      take_word(t.variance);
      take_word(factors);
      t.size = size;
      const std::uint64_t columns = rule_.dimension + 1;
      for (std::uint64_t j = 0; j < factors; ++j) {
        if (columns > bytes.size() / 16) corrupted("a sketch without an end");
        Sketch::Factor& f = t.factors.emplace_back();
        f.weight.resize(columns);
        for (std::uint64_t c = 0; c < columns; ++c) {
          std::uint64_t bucket = 0;
          take_word(bucket);
          if (bucket > std::numeric_limits<std::uint32_t>::max()) corrupted("a bucket of a sketch");
          f.bucket.push_back(static_cast<std::uint32_t>(bucket));
        }
        for (double& w : f.weight) take_word(w);
      }
    }
    if (!bytes.empty()) corrupted("a sketch with more than it has");
    m.sketch = std::move(s);
  }

  void read_form(Model& m) {
    if (rule_.form == 2) return read_sketch(m);
    const bool kernel = rule_.form == 0;
    const std::string written = text(kernel ? Kind::kernel : Kind::map);
    const std::string what = kernel ? "its kernel, " : "its feature map, ";
    try {
      if (kernel) {
        m.kernel = Kernel::parse(written);
      } else {
        m.map = FeatureMap::parse(written, static_cast<std::uint32_t>(rule_.dimension));
      }
    } catch (const ParseError& error) {
      data::fail(source_.name,
                 what + data::shown(written) + ", is not understood: " + error.line());
    } catch (const Error& error) {
      data::fail(source_.name,
                 what + data::shown(written) + ", is not understood: " + error.what());
    }
  }

  void read_encoding(Model& m) {
    try {
      m.encoding = Encoding::parse(take(Kind::encoding));
    } catch (const Error& error) {
      corrupted(error.what());
    }
  }

  void read_coefficients(Model& m) {
    m.coefficients.rows = rule_.coefficient_rows;
    m.coefficients.columns = rule_.coefficient_columns;
    m.coefficients.values =
        numbers<double>(Kind::coefficients, rule_.coefficient_rows, rule_.coefficient_columns);
    const auto whole = [](std::string_view bytes, std::size_t size) { return bytes.size() / size; };
    const auto& offsets = sections_[static_cast<std::size_t>(Kind::offsets) - 1];
    m.offsets = numbers<double>(Kind::offsets, whole(offsets.value_or(""), sizeof(double)), 1);
    constexpr std::size_t two = 2 * sizeof(double);
    const auto& sigmoids = sections_[static_cast<std::size_t>(Kind::calibration) - 1];
    const auto pairs = numbers<double>(Kind::calibration, whole(sigmoids.value_or(""), two), 2);
    for (std::size_t i = 0; i < pairs.size(); i += 2)
      m.calibration.push_back({pairs[i], pairs[i + 1]});
    const bool blocks = rule_.form == 0 && m.scheme == Model::Scheme::pairs;
    const auto counts =
        numbers<std::uint64_t>(Kind::support_counts, blocks ? m.classes.size() : 0, 1);
    m.support_counts.assign(counts.begin(), counts.end());
  }

  template <class T>
  static const T* in_place(std::string_view bytes) {
    return reinterpret_cast<const T*>(bytes.data());
  }

  void read_support(Model& m) {
    if (rule_.float64 == 1) {
      m.support = support<double>();
    } else {
      m.support = support<float>();
    }
  }

  template <class T>
  Points support() {
    const std::uint64_t rows = rule_.support;
    const std::uint64_t columns = rule_.dimension;
    if (rule_.sparse == 0)
      return Points::dense(in_place<T>(take<T>(Kind::support_values, rows, columns)), rows, columns,
                           0, source_.owner);
    if (rows == 0) return Points::own({0}, {}, std::vector<T>(), columns);
    const std::string_view starts =
        take<std::int64_t>(Kind::support_rows, rows > content_.size() ? 0 : rows + 1, 1);
    if (starts.empty()) corrupted("sparse support points without rows");
    const auto* offsets = in_place<std::int64_t>(starts);
    if (offsets[0] != 0 || offsets[rows] < 0) corrupted("the rows of its support points");
    const auto entries = static_cast<std::uint64_t>(offsets[rows]);
    const auto* values = in_place<T>(take<T>(Kind::support_values, entries, 1));
    const auto* indices =
        in_place<std::int32_t>(take<std::int32_t>(Kind::support_columns, entries, 1));
    for (std::size_t i = 0; i < rows; ++i) {
      if (offsets[i + 1] < offsets[i] || offsets[i + 1] > offsets[rows])
        corrupted("the rows of its support points");
      std::int64_t before = -1;
      for (auto e = offsets[i]; e < offsets[i + 1]; ++e) {
        if (indices[e] <= before || static_cast<std::uint64_t>(indices[e]) >= columns)
          corrupted("a column of its support points");
        before = indices[e];
      }
    }
    return Points::sparse(offsets, indices, values, rows, columns, source_.owner);
  }

  data::Source source_;
  std::string_view content_;
  std::array<std::optional<std::string_view>, kinds> sections_{};
  Rule rule_;
};

// Numbers are used in place, which needs memory of its own and, for them, well aligned.
data::Source owned(const data::Source& source) {
  const auto place = reinterpret_cast<std::uintptr_t>(source.content.data());
  if (source.owner && place % alignof(double) == 0) return source;
  const auto copy = std::make_shared<Aligned<char>>(source.content.size() + 1);
  std::ranges::copy(source.content, copy->data());
  return {{copy->data(), source.content.size()}, source.name, copy, source.packed, 0, 0};
}

}  // namespace

void write_file(const Model& model, const std::function<void(std::string_view)>& put) {
  Writer(model).run(put);
}

Model read_file(const data::Source& source, Model::FileFacts* facts, bool trusted) {
  Reader reader(owned(source), trusted);
  Model m = reader.run();
  if (facts != nullptr) *facts = reader.facts();
  return m;
}

}  // namespace mercer::model

namespace mercer {

void Model::save(const std::string& path) const {
  check();
  data::FileSink sink(path, false);
  model::write_file(compacted(), [&](std::string_view bytes) {
    constexpr std::size_t piece = std::size_t{1} << 18U;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
      sink.text += bytes.substr(0, piece);
      sink.flush_if_full();
    }
  });
  sink.commit();
}

std::string Model::bytes() const {
  check();
  std::string bytes;
  model::write_file(compacted(), [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

Model Model::load(const std::string& path, FileFacts* facts) {
  return model::read_file(data::open_source(path), facts);
}

Model Model::parse(std::string_view bytes, const std::string& name, FileFacts* facts) {
  return model::read_file(data::source_of(bytes, name), facts);
}

}  // namespace mercer
