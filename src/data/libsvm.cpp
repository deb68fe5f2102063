// LIBSVM and svmlight text: one point per line,
//
//     label [qid:group] index:value index:value …  # comment
//
// with indices from 1, ascending, and zeros left out.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "data/array.hpp"
#include "data/chunks.hpp"
#include "data/libsvm_lines.hpp"
#include "data/number.hpp"
#include "data/place.hpp"
#include "data/reader.hpp"

namespace mercer::data {

namespace {

// The entries of the whole file. An entry has a colon, so that counting them tells beforehand where
// those of each piece begin, and pieces write where the entries are to stay.
template <class T>
struct Memory {
  Array<std::int64_t> offsets;
  Array<std::int32_t> indices;
  Array<T> values;
};

// All labels are text where one is, or where they are meant to be.
Labels labels_in(const std::vector<std::size_t>& starts, std::vector<double> numbers,
                 const std::vector<std::vector<std::pair<std::size_t, std::string>>>& texts,
                 bool as_text) {
  Labels labels;
  if (!as_text && std::ranges::all_of(texts, [](const auto& t) { return t.empty(); })) {
    labels.numbers = std::move(numbers);
    return labels;
  }
  std::vector<std::string> all(numbers.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = shortest(numbers[i]);
  for (std::size_t c = 0; c < texts.size(); ++c)
    for (const auto& [row, text] : texts[c]) all[starts[c] + row] = text;
  return as_text ? named_labels(all) : labels_of(all);
}

// Colons of comments and groups are no entries: then gaps are closed.
template <class T>
void close_gaps(const std::vector<Rows<T>>& pieces, Memory<T>& memory) {
  std::int32_t* indices = memory.indices.data();
  T* values = memory.values.data();
  for (const auto& piece : pieces) {
    if (piece.indices != indices) {
      std::memmove(indices, piece.indices, piece.entries * sizeof(std::int32_t));
      std::memmove(values, piece.values, piece.entries * sizeof(T));
    }
    indices += piece.entries;
    values += piece.entries;
  }
}

template <class T>
Table joined(std::vector<Rows<T>>& pieces, const std::shared_ptr<Memory<T>>& memory,
             const ReadOptions& options) {
  close_gaps(pieces, *memory);
  std::size_t rows = 0;
  std::int64_t columns = 1;
  for (const auto& piece : pieces) {
    rows += piece.ends.size();
    columns = std::max(columns, piece.largest + 1);
  }
  Table table;
  std::vector<double> labels;
  std::vector<std::size_t> starts;
  std::vector<std::vector<std::pair<std::size_t, std::string>>> texts;
  memory->offsets = Array<std::int64_t>(rows + 1);
  std::int64_t* offset = memory->offsets.data();
  std::int64_t entries = 0;
  *offset++ = 0;
  for (auto& piece : pieces) {
    starts.push_back(labels.size());
    for (const std::int64_t end : piece.ends) *offset++ = entries + end;
    entries += static_cast<std::int64_t>(piece.entries);
    labels.insert(labels.end(), piece.labels.begin(), piece.labels.end());
    table.groups.insert(table.groups.end(), piece.groups.begin(), piece.groups.end());
    texts.push_back(std::move(piece.texts));
  }
  table.labels = labels_in(starts, std::move(labels), texts, options.text_labels);
  table.points =
      Points::sparse(memory->offsets.data(), memory->indices.data(), memory->values.data(), rows,
                     std::max(options.columns, static_cast<std::size_t>(columns)), memory);
  return table;
}

template <class T>
Table read_as(const Source& source, const ReadOptions& options, bool grouped) {
  const auto pieces = line_chunks(text_of(source), options.threads);
  std::vector<std::size_t> colons(pieces.size());
  parallel_for(pieces.size(), options.threads,
               [&](std::size_t c) { colons[c] = count_bytes(pieces[c], ':'); });
  const std::size_t most = std::accumulate(colons.begin(), colons.end(), std::size_t{0});
  const auto memory = std::make_shared<Memory<T>>();
  memory->indices = Array<std::int32_t>(most);
  memory->values = Array<T>(most);
  std::vector<Rows<T>> rows(pieces.size());
  for (std::size_t c = 0, at = 0; c < pieces.size(); at += colons[c++]) {
    rows[c].indices = memory->indices.data() + at;
    rows[c].values = memory->values.data() + at;
  }
  parallel_for(pieces.size(), options.threads,
               [&](std::size_t c) { read_lines(source, options, grouped, pieces[c], rows[c]); });
  return joined(rows, memory, options);
}

// 12:0.5, and mistakes close to it; not 12:30,4
bool looks_like_entry(std::string_view token) {
  const auto colon = token.find(':');
  if (colon == std::string_view::npos || token.find_first_of(",;\"/") != std::string_view::npos)
    return false;
  std::string_view index = token.substr(0, colon);
  if (index.starts_with('-')) index.remove_prefix(1);
  return index == "qid" || (!index.empty() && std::ranges::all_of(index, is_digit));
}

}  // namespace

bool is_libsvm(std::string_view content) {
  constexpr std::size_t enough = std::size_t{1} << 20U;
  content = without_mark(content).substr(0, enough);
  while (!content.empty()) {
    const auto stop = std::min(content.find('\n'), content.size());
    const std::string_view whole = content.substr(0, stop);  // comments are looked for in it alone
    const std::string_view line = whole.substr(0, whole.find('#'));
    content.remove_prefix(std::min(stop + 1, content.size()));
    std::size_t tokens = 0;
    std::size_t entries = 0;
    bool early = false;  // the first token or the one after it is an entry
    const char* p = line.data();
    const char* end = p + line.size();
    for (; p != end; ++p) {
      const std::string_view token = token_at(p, end);
      if (token.empty()) continue;
      const bool entry = looks_like_entry(token);
      if (entry) ++entries;
      early = early || (entry && tokens < 2);
      ++tokens;
      p += token.size() - 1;
    }
    // A label alone says nothing: look at the next line. With tabs it may be a table with times.
    const bool tabs = line.find('\t') != std::string_view::npos;
    if (tokens >= 2 || early) return early && (!tabs || entries + 1 >= tokens);
  }
  return false;
}

bool libsvm_grouped(std::string_view content) {
  content = without_mark(content);
  const char* p = content.data();
  const char* end = p + content.size();
  while (p != end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n' || *p == '#')) {
    if (*p == '#') p = std::find(p, end, '\n');
    if (p != end) ++p;
  }
  p += token_at(p, end).size();
  while (p != end && (*p == ' ' || *p == '\t')) ++p;
  return token_at(p, end).starts_with("qid:");
}

Table read_libsvm(const Source& source, const ReadOptions& options, bool grouped) {
  return options.scalar == Points::Scalar::float32 ? read_as<float>(source, options, grouped)
                                                   : read_as<double>(source, options, grouped);
}

Table read_libsvm(const Source& source, const ReadOptions& options) {
  Table table = read_libsvm(source, options, libsvm_grouped(source.content));
  if (table.rows() == 0) fail(source.name, "the file holds no data: nothing but blank lines");
  return table;
}

}  // namespace mercer::data
