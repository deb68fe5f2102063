// Writing, one function per format.
#include <cstdint>
#include <cstring>
#include <mercer/data.hpp>

#include "base/text.hpp"
#include "data/cell.hpp"
#include "data/npy_header.hpp"
#include "data/place.hpp"
#include "data/sink.hpp"

namespace mercer {

namespace {

using data::append_cell;
using data::append_number;
using data::Sink;

// Calls visit(const T* values) with the type of the points.
template <class Visit>
void with_values(const Points& points, const Visit& visit) {
  if (points.scalar() == Points::Scalar::float32) {
    visit(points.values<float>());
  } else {
    visit(points.values<double>());
  }
}

// Row by row with all zeros.
template <class T, class Visit>
void for_each_row(const Points& points, const T* values, const Visit& visit) {
  std::vector<T> row(points.columns());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    if (points.is_sparse()) {
      points.row(i, std::span(row));
      visit(i, row.data());
    } else {
      visit(i, values + i * points.stride());
    }
  }
}

void write_names(const Table& table, char delimiter, Sink& sink) {
  if (table.names.empty() && table.labels.name.empty() && table.weights.empty()) return;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (j > 0) sink.text += delimiter;
    append_cell(sink.text, table.names.empty() ? "x" + std::to_string(j + 1) : table.names[j]);
    sink.flush_if_full();
  }
  if (!table.weights.empty()) sink.text += delimiter + std::string("weight");
  if (!table.labels.empty()) {
    sink.text += delimiter;
    append_cell(sink.text, table.labels.name.empty() ? "label" : table.labels.name);
  }
  sink.text += '\n';
}

void write_columns(const Table& table, char delimiter, Sink& sink) {
  write_names(table, delimiter, sink);
  with_values(table.points, [&](const auto* values) {
    for_each_row(table.points, values, [&](std::size_t i, const auto* row) {
      for (std::size_t j = 0; j < table.columns(); ++j) {
        if (j > 0) sink.text += delimiter;
        append_number(sink.text, row[j]);
        sink.flush_if_full();
      }
      if (!table.weights.empty()) {
        sink.text += delimiter;
        append_number(sink.text, table.weights[i]);
      }
      if (!table.labels.empty()) {
        sink.text += delimiter;
        append_cell(sink.text, table.labels.text(i));
      }
      sink.text += '\n';
    });
  });
}

void write_libsvm(const Table& table, Sink& sink) {
  const std::vector<std::string> labels = libsvm_classes(table.labels);
  const auto begin = [&](std::size_t i) {
    if (table.labels.empty()) {
      sink.text += '0';
    } else if (table.labels.numbers.empty()) {
      sink.text += labels[static_cast<std::size_t>(table.labels.codes[i])];
    } else {
      append_number(sink.text, table.labels.numbers[i]);
    }
    if (!table.groups.empty()) {
      sink.text += " qid:";
      append_number(sink.text, table.groups[i]);
    }
  };
  const auto entry = [&](std::size_t j, auto value) {
    sink.text += ' ';
    append_number(sink.text, j + 1);
    sink.text += ':';
    append_number(sink.text, value);
    sink.flush_if_full();
  };
  const Points& points = table.points;
  with_values(points, [&](const auto* values) {
    for (std::size_t i = 0; i < points.rows(); ++i) {
      begin(i);
      if (points.is_sparse()) {
        for (auto e = points.offsets()[i]; e < points.offsets()[i + 1]; ++e)
          entry(static_cast<std::size_t>(points.indices()[e]), values[e]);
      } else {
        const auto* row = values + i * points.stride();
        for (std::size_t j = 0; j < points.columns(); ++j)
          if (row[j] != 0) entry(j, row[j]);
      }
      sink.text += '\n';
    }
  });
}

// Labels are the last column.
void write_npy(const Table& table, Sink& sink) {
  const bool labels = !table.labels.empty();
  const bool single = table.points.scalar() == Points::Scalar::float32;
  sink.text += data::npy_start(single, table.rows(), table.columns() + (labels ? 1 : 0));
  with_values(table.points, [&](const auto* values) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(values)>>;
    for_each_row(table.points, values, [&](std::size_t i, const T* row) {
      sink.text.append(reinterpret_cast<const char*>(row), table.columns() * sizeof(T));
      if (labels) {
        const T label = static_cast<T>(table.labels.numbers[i]);
        sink.text.append(reinterpret_cast<const char*>(&label), sizeof(T));
      }
      sink.flush_if_full();
    });
  });
}

void write(const Table& table, FileFormat format, Sink& sink) {
  switch (format) {
    case FileFormat::libsvm:
      return write_libsvm(table, sink);
    case FileFormat::csv:
      return write_columns(table, ',', sink);
    case FileFormat::tsv:
      return write_columns(table, '\t', sink);
    case FileFormat::npy:
      return write_npy(table, sink);
  }
}

void refuse_text(const std::string& name, const Table& table, FileFormat format) {
  if (format != FileFormat::npy || table.labels.classes.empty()) return;
  data::fail(name, "a .npy file holds numbers only, and the labels are text (" +
                       data::shown(table.labels.classes[0]) +
                       ", …); write .csv, or leave the labels out");
}

// Formats with a place for every number are none for the widest of sparse points.
void refuse_width(const std::string& name, const Table& table, FileFormat format) {
  constexpr std::size_t most = std::size_t{1} << 27U;
  if (format == FileFormat::libsvm || table.columns() <= most) return;
  data::fail(name, std::to_string(table.columns()) +
                       " columns, each of which would be written in every row; write .libsvm, "
                       "which leaves zeros out");
}

}  // namespace

std::vector<std::string> libsvm_classes(const Labels& labels) {
  std::vector<std::string> names;
  const std::size_t count = labels.classes.size();
  for (std::size_t c = 0; c < count; ++c)
    names.push_back(count == 2 ? (c == 0 ? "-1" : "1") : std::to_string(c + 1));
  return names;
}

WrittenAs written_as(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  WrittenAs how;
  how.packed = name.ends_with(".gz");
  if (how.packed) name.resize(name.size() - 3);
  const auto dot = name.rfind('.');
  const std::string ending = dot == std::string::npos ? "" : name.substr(dot + 1);
  if (ending == "npy") {
    how.format = FileFormat::npy;
  } else if (ending == "csv" || ending == "txt") {
    how.format = FileFormat::csv;
  } else if (ending == "tsv" || ending == "tab") {
    how.format = FileFormat::tsv;
  } else if (ending == "libsvm" || ending == "svm" || ending == "svmlight" || ending == "dat") {
    how.format = FileFormat::libsvm;
  } else {
    data::fail(path,
               "the ending tells the format to write: expected .libsvm, .csv, .tsv or .npy, each "
               "also with .gz");
  }
  return how;
}

void write_table(const std::string& path, const Table& table, WrittenAs how) {
  refuse_text(path, table, how.format);
  refuse_width(path, table, how.format);
  data::FileSink sink(path, how.packed);
  write(table, how.format, sink);
  sink.commit();
}

std::string table_text(const Table& table, FileFormat format) {
  refuse_text("the output", table, format);
  refuse_width("the output", table, format);
  data::TextSink sink;
  write(table, format, sink);
  return sink.take();
}

}  // namespace mercer
