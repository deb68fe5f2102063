#include "data/store_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mercer/error.hpp>
#include <mercer/frame.hpp>
#include <numeric>
#include <utility>

#include "data/place.hpp"
#include "data/reader.hpp"
#include "data/scale.hpp"
#include "data/source.hpp"

namespace mercer::data {

namespace {

// The lines that the first megabyte holds as a whole, or all of a shorter file.
std::string beginning_of(const std::string& path) {
  constexpr std::size_t size = std::size_t{1} << 20U;
  ByteStream in(path);
  std::string text(size, '\0');
  text.resize(in.read(text.data(), size));
  if (text.size() < size) return text;
  const auto end = text.rfind('\n');
  if (end == std::string::npos)
    throw Error(path + ": its first line is longer than a megabyte, too long for a stream");
  text.resize(end + 1);
  return text;
}

FileFormat format_of(const std::string& path, const ReadOptions& options) {
  ByteStream in(path);
  std::string start(std::size_t{1} << 16U, '\0');
  start.resize(in.read(start.data(), start.size()));
  return format_in(Source{start, path, {}, false, 0, 0}, options);
}

}  // namespace

std::vector<double> means_of(const StoreFacts& facts) {
  std::vector<double> mean(facts.columns);
  for (const StoredFile& f : facts.files)
    for (std::size_t j = 0; j < f.columns; ++j) mean[j] += f.sums[j];
  for (double& m : mean) m /= static_cast<double>(facts.rows);
  return mean;
}

Encoding stored_columns(const std::string& path, const ReadOptions& options,
                        const EncodingOptions& how) {
  if (how.missing == Missing::mean || how.missing == Missing::indicator)
    throw Error(path +
                ": missing values can be refused or dropped where data are read in a stream; their "
                "means are known at its end only");
  const FileFormat format = format_of(path, options);
  EncodingOptions unscaled = how;
  unscaled.scaling = Scaling::none;
  Encoding e;
  if (format == FileFormat::npy) {
    ByteStream in(path);
    std::string start(std::size_t{1} << 16U, '\0');
    start.resize(in.read(start.data(), start.size()));
    const NpyFacts facts = npy_facts(Source{start, path, {}, false, 0, 0});
    e.options = unscaled;
    e.dimension = facts.columns - (options.labels == ReadOptions::Labels::none ? 0 : 1);
    if (e.dimension == 0) fail(path, "has one column: no room for points and labels");
    e.label_place = npy_label_place(facts, options, path);
    return e;
  }
  const std::string text = beginning_of(path);
  if (format == FileFormat::libsvm) {
    e = Encoding::fit(parse_table(text, path, options), unscaled);
    e.open = true;
    return e;
  }
  const Frame frame = parse_frame(text, path, options);
  for (const auto& c : frame.columns)
    if (c.categorical)
      throw Error(path + ": column `" + c.name +
                  "` holds categories; data that are read in a stream, as several files are, are "
                  "numbers. Encode it before (mercer convert), or take one file and more memory "
                  "(--memory)");
  return Encoding::fit(frame, unscaled);
}

StoreFacts facts_of(std::vector<StoredFile> files, const Encoding& columns,
                    const EncodingOptions& how) {
  StoreFacts facts;
  std::map<double, std::size_t> values;
  std::map<std::string, std::size_t> names;
  std::size_t dropped = 0;
  bool many = false;
  const StoredFile& one = files.front();
  for (const StoredFile& f : files) {
    const auto differs = [&](const char* what, const char* here, const char* there) {
      throw Error(f.path + ": " + what + " " + here + ", but in " + one.path + " " + there);
    };
    if (f.sparse != one.sparse)
      differs("the points are", f.sparse ? "sparse (LIBSVM)" : "dense",
              one.sparse ? "sparse (LIBSVM)" : "dense");
    if (f.labelled != one.labelled)
      differs("labels are", f.labelled ? "there" : "missing",
              one.labelled ? "they are there" : "there are none");
    if (f.numeric != one.numeric)
      differs("labels are", f.numeric ? "numbers" : "text",
              one.numeric ? "they are numbers" : "they are text");
    if (f.weighted != one.weighted)
      differs("weights are", f.weighted ? "there" : "missing",
              one.weighted ? "they are there" : "there are none");
    facts.columns = std::max(facts.columns, f.columns);
    facts.entries += f.entries;
    many = many || (f.labelled && f.numeric && f.values.empty());
    for (std::size_t k = 0; k < f.values.size(); ++k) values[f.values[k]] += f.counts[k];
    for (std::size_t k = 0; k < f.classes.size(); ++k) names[f.classes[k]] += f.counts[k];
    facts.report.filled += f.report.filled;
    facts.report.ignored += f.report.ignored;
    facts.report.by_place = facts.report.by_place || f.report.by_place;
    for (const std::size_t row : f.report.dropped)
      facts.report.dropped.push_back(facts.rows + dropped + row);
    dropped += f.report.dropped.size();
    facts.rows += f.rows;
  }
  facts.sparse = one.sparse;
  facts.weighted = one.weighted;
  facts.labelled = one.labelled;
  facts.numeric = one.numeric;
  facts.label = one.label;
  if (facts.numeric && !many && values.size() <= most_classes_stored) {
    Labels each;
    for (const auto& [value, count] : values) {
      each.numbers.push_back(value);
      facts.counts.push_back(count);
    }
    facts.classes = classes_of(each).names;
  } else if (facts.labelled && !facts.numeric) {
    std::vector<std::string> texts;
    texts.reserve(names.size());
    for (const auto& [name, count] : names) texts.push_back(name);
    const Classes classes = classes_of(named_labels(texts));
    facts.classes = classes.names;
    facts.counts.assign(classes.names.size(), 0);
    for (std::size_t k = 0; k < texts.size(); ++k)
      facts.counts[static_cast<std::size_t>(classes.codes[k])] += names[texts[k]];
  }
  facts.encoding = columns;
  if (facts.encoding.open) {
    facts.encoding.open = false;
    facts.encoding.dimension = facts.columns;
  }
  facts.encoding.label = facts.encoding.label.empty() ? facts.label : facts.encoding.label;
  facts.encoding.options = how;
  if (facts.sparse && how.scale_sparse == ScaleSparse::no)
    facts.encoding.options.scaling = Scaling::none;
  facts.files = std::move(files);
  // The columns were looked at in the beginning of the first file only.
  if (!facts.sparse && facts.encoding.columns.size() == facts.columns) {
    const auto mean = means_of(facts);
    for (std::size_t j = 0; j < facts.columns; ++j) facts.encoding.columns[j].fill = mean[j];
  }
  return facts;
}

bool scales_wanted(const StoreFacts& facts) {
  return facts.encoding.options.scaling != Scaling::none;
}

// As fit_scales of points does.
void fit_scales(StoreFacts& facts, const std::vector<std::vector<double>>& deviations) {
  const std::size_t d = facts.columns;
  const auto n = static_cast<double>(facts.rows);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Moments m{means_of(facts), std::vector<double>(d), std::vector<double>(d, infinity),
            std::vector<double>(d, -infinity)};
  std::vector<std::size_t> stored(d);
  for (const StoredFile& f : facts.files)
    for (std::size_t j = 0; j < f.columns; ++j) {
      m.low[j] = std::min(m.low[j], f.low[j]);
      m.high[j] = std::max(m.high[j], f.high[j]);
      stored[j] += f.stored[j];
    }
  for (const auto& of_file : deviations)
    for (std::size_t j = 0; j < d; ++j) m.deviation[j] += of_file[j];
  for (std::size_t j = 0; j < d; ++j) {
    const auto there = static_cast<double>(stored[j]);
    if (facts.sparse) {
      m.deviation[j] += (n - there) * m.mean[j] * m.mean[j];
      if (there < n) {
        m.low[j] = std::min(m.low[j], 0.0);
        m.high[j] = std::max(m.high[j], 0.0);
      }
    }
    m.deviation[j] = std::sqrt(m.deviation[j] / n);
  }
  if (facts.sparse)
    m.share = static_cast<double>(std::accumulate(stored.begin(), stored.end(), std::size_t{0})) /
              (n * static_cast<double>(d));
  scales_from(facts.encoding, m, {}, !facts.sparse);
}

}  // namespace mercer::data
