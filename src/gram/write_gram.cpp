#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>

#include "data/npy_header.hpp"
#include "data/place.hpp"
#include "data/sink.hpp"

namespace mercer {

namespace {

// visit(row of values) for every row, in their order; computed in blocks.
template <class T, class Visit>
void for_rows(const Gram& gram, const Visit& visit) {
  const std::size_t m = gram.columns();
  constexpr std::size_t numbers = std::size_t{1} << 23U;
  const std::size_t at_once =
      std::clamp<std::size_t>(numbers / std::max<std::size_t>(1, m), 1, 4096);
  std::vector<T> block(std::min(at_once, gram.rows()) * m);
  for (std::size_t i = 0; i < gram.rows(); i += at_once) {
    const std::size_t end = std::min(gram.rows(), i + at_once);
    gram.block(Rows(i, end), Rows::all(), block.data(), m);
    for (std::size_t r = i; r < end; ++r) visit(std::span<const T>(block).subspan((r - i) * m, m));
  }
}

class Survey {
 public:
  template <class T>
  void add(std::span<const T> row) {
    double total = 0;
    for (const T v : row) {
      total += static_cast<double>(v);
      least_ = std::min(least_, static_cast<double>(v));
      largest_ = std::max(largest_, static_cast<double>(v));
    }
    total_ += total;
    count_ += static_cast<double>(row.size());
  }
  [[nodiscard]] ValueRange range() const {
    if (count_ == 0) return {};
    return {least_, total_ / count_, largest_};
  }

 private:
  double least_ = std::numeric_limits<double>::infinity();
  double largest_ = -std::numeric_limits<double>::infinity();
  double total_ = 0;
  double count_ = 0;
};

template <class T>
ValueRange write(const std::string& path, const Gram& gram, WrittenAs how) {
  data::FileSink sink(path, how.packed);
  Survey survey;
  if (how.format == FileFormat::npy)
    sink.text += data::npy_start(sizeof(T) == sizeof(float), gram.rows(), gram.columns());
  for_rows<T>(gram, [&](std::span<const T> row) {
    survey.add(row);
    if (how.format == FileFormat::npy) {
      sink.text.append(reinterpret_cast<const char*>(row.data()), row.size_bytes());
      sink.flush_if_full();
      return;
    }
    const char between = how.format == FileFormat::csv ? ',' : '\t';
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (j > 0) sink.text += between;
      fmt::format_to(std::back_inserter(sink.text), "{}", row[j]);
      sink.flush_if_full();
    }
    sink.text += '\n';
  });
  sink.commit();
  return survey.range();
}

bool is_single(const Gram& gram) { return gram.report().precision == "float32"; }

}  // namespace

ValueRange write_gram(const std::string& path, const Gram& gram, WrittenAs how) {
  if (how.format == FileFormat::libsvm)
    data::fail(path, "a Gram matrix is written as .npy, .csv or .tsv");
  return is_single(gram) ? write<float>(path, gram, how) : write<double>(path, gram, how);
}

ValueRange value_range(const Gram& gram) {
  Survey survey;
  if (is_single(gram)) {
    for_rows<float>(gram, [&](std::span<const float> row) { survey.add(row); });
  } else {
    for_rows<double>(gram, [&](std::span<const double> row) { survey.add(row); });
  }
  return survey.range();
}

}  // namespace mercer
