#include <algorithm>
#include <mercer/error.hpp>
#include <mercer/examples.hpp>
#include <numeric>

#include "data/columns.hpp"
#include "data/holes.hpp"
#include "data/reader.hpp"

namespace mercer {

Examples::Examples(Table table, const EncodingOptions& how) : table_(std::move(table)), how_(how) {}

Examples Examples::read(const std::string& path, const ReadOptions& options,
                        const EncodingOptions& how) {
  const data::Source source = data::open_source(path);
  const FileFormat format = data::format_in(source, options);
  const bool holes =
      format == FileFormat::npy && how.missing != Missing::error && data::npy_has_holes(source);
  Examples result(Table{}, how);
  if (format != FileFormat::csv && !holes) {
    ReadOptions read = options;
    read.scalar = how.scalar;
    result.table_ = data::read_source(source, read);
    return result;
  }
  result.frame_ = holes ? data::npy_frame(source, options)
                        : data::frame_of(data::read_cells(source, options), false);
  if (how.missing != Missing::drop) return result;
  std::vector<std::size_t> all(result.frame_->columns.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto whole = data::whole_rows(*result.frame_, all);
  if (whole.empty()) data::no_row_left(result.frame_->file, false);
  for (std::size_t i = 0, k = 0; i < result.frame_->rows; ++i) {
    if (k < whole.size() && whole[k] == i) {
      ++k;
    } else {
      result.dropped_.push_back(i);
    }
  }
  if (!result.dropped_.empty()) result.frame_ = data::selected(*result.frame_, whole);
  return result;
}

std::size_t Examples::rows() const { return frame_ ? frame_->rows : table_.rows(); }
const Labels& Examples::labels() const { return frame_ ? frame_->labels : table_.labels; }
const std::vector<double>& Examples::weights() const {
  return frame_ ? frame_->weights : table_.weights;
}
const std::vector<std::int64_t>& Examples::groups() const { return table_.groups; }

void Examples::set_labels(Labels labels) {
  if (labels.size() != rows() + dropped_.size())
    throw Error(std::to_string(labels.size()) + " labels for " +
                std::to_string(rows() + dropped_.size()) + " rows");
  if (!dropped_.empty()) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0, k = 0; i < labels.size(); ++i) {
      if (k < dropped_.size() && dropped_[k] == i) {
        ++k;
      } else {
        kept.push_back(i);
      }
    }
    labels = labels.select(kept);
  }
  (frame_ ? frame_->labels : table_.labels) = std::move(labels);
}

Examples Examples::select(std::span<const std::size_t> rows) const {
  Examples part(Table{}, how_);
  if (frame_) {
    part.frame_ = data::selected(*frame_, rows);
  } else {
    part.table_ = table_.select(rows);
  }
  return part;
}

EncodedTable Examples::fit() const {
  EncodedTable result;
  result.encoding = frame_ ? Encoding::fit(*frame_, how_) : Encoding::fit(table_, how_);
  result.table = encoded(result.encoding, &result.report);
  return result;
}

Table Examples::encoded(const Encoding& encoding, EncodingReport* report) const {
  return frame_ ? encoding.apply(*frame_, report) : encoding.apply(table_, report);
}

}  // namespace mercer
