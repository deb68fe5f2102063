#include "model/libsvm_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mercer/libsvm.hpp>

#include "data/number.hpp"
#include "data/place.hpp"
#include "model/libsvm_header.hpp"

namespace mercer::model {

namespace {

constexpr std::size_t most_columns = std::numeric_limits<std::int32_t>::max();

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The support vectors, one line after the other.
class Vectors {
 public:
  Vectors(Lines& lines, const std::string& name, const LibsvmHeader& header, std::size_t columns)
      : lines_(lines),
        name_(name),
        width_(header.classes - 1),
        expected_(header.vectors),
        most_(static_cast<std::int64_t>(columns == 0 ? most_columns : columns)) {}

  void run() {
    while (lines_.next()) {
      p_ = lines_.line().data();
      end_ = p_ + lines_.line().size();
      blanks();
      if (p_ == end_) continue;
      if (rows_ == expected_)
        fail("there are more support vectors than the " + std::to_string(expected_) +
             " of total_sv");
      for (std::size_t c = 0; c < width_; ++c) alpha(c);
      entries();
      offsets_.push_back(static_cast<std::int64_t>(values_.size()));
      ++rows_;
    }
    if (rows_ < expected_)
      fail("the file ends after " + std::to_string(rows_) + " of " + std::to_string(expected_) +
           " support vectors: it is truncated");
    if (!lines_.ended()) fail("the last line has no end: the file is truncated");
  }

  void put(Model& m, std::size_t columns) {
    m.coefficients = {rows_, width_, std::move(alpha_), {}};
    m.encoding.open = columns == 0;
    m.encoding.sparse = true;
    m.encoding.dimension =
        columns == 0 ? static_cast<std::size_t>(std::max<std::int64_t>(largest_, 1)) : columns;
    m.support = Points::own(std::move(offsets_), std::move(indices_), std::move(values_),
                            m.encoding.dimension);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    data::fail(name_, lines_.number(), message);
  }
  void blanks() {
    while (p_ != end_ && is_blank(*p_)) ++p_;
  }
  [[nodiscard]] std::string_view token(const char* from) const {
    return {from, static_cast<std::size_t>(std::find_if(from, end_, is_blank) - from)};
  }
  [[nodiscard]] std::string shown(const char* from) const { return data::shown(token(from)); }

  double number() {
    const char* start = p_;
    double value = 0;
    const char* stop = data::read_number(p_, end_, value);
    if (stop == nullptr || (stop != end_ && !is_blank(*stop)))
      fail(token(start).empty() ? "a number is missing"
                                : shown(start) + " found, expected a number");
    if (!std::isfinite(value)) fail(shown(start) + " is not a finite number");
    p_ = stop;
    return value;
  }

  void alpha(std::size_t c) {
    blanks();
    if (p_ == end_ || token(p_).find(':') != std::string_view::npos)
      fail("the line has " + std::to_string(c) + " coefficients, expected " +
           std::to_string(width_));
    alpha_.push_back(number());
  }

  void entries() {
    std::int64_t before = 0;
    for (blanks(); p_ != end_; blanks()) {
      const char* start = p_;
      std::int64_t index = 0;
      while (p_ != end_ && data::is_digit(*p_) && p_ - start < 11)
        index = index * 10 + (*p_++ - '0');
      if (p_ == start || p_ == end_ || *p_ != ':')
        fail(shown(start) + " found, expected index:value");
      if (index == 0) fail(shown(start) + ": indices begin at 1");
      if (index > most_) fail(shown(start) + ": the index is beyond " + std::to_string(most_));
      if (index <= before)
        fail(shown(start) + ": indices ascend within a line; " + std::to_string(before) +
             " stands before it");
      before = index;
      ++p_;
      values_.push_back(number());
      indices_.push_back(static_cast<std::int32_t>(index - 1));
    }
    largest_ = std::max(largest_, before);
  }

  Lines& lines_;
  const std::string& name_;
  std::size_t width_;
  std::size_t expected_;
  std::int64_t most_;
  const char* p_ = nullptr;
  const char* end_ = nullptr;
  std::size_t rows_ = 0;
  std::int64_t largest_ = 0;  // index, from 1
  std::vector<double> alpha_;
  std::vector<std::int64_t> offsets_{0};
  std::vector<std::int32_t> indices_;
  std::vector<double> values_;
};

Kernel kernel_in(const LibsvmHeader& header, const std::string& name) {
  try {
    return kernel_of(header.kernel);
  } catch (const Error& error) {
    data::fail(name, header.lines.at("kernel_type"), error.what());
  }
}

// All but the support vectors.
Model rule_of(LibsvmHeader header, const std::string& name) {
  Model m;
  m.kernel = kernel_in(header, name);
  m.training = R"({"learner": "LIBSVM", "svm_type": ")" +
               std::string(libsvm_types[static_cast<std::size_t>(header.type)]) + "\"}";
  for (const double rho : header.rho) m.offsets.push_back(0 - rho);
  if (!header.classification()) {
    if (header.type == LibsvmType::one_class) {
      m.classes = {"-1", "1"};
      m.numeric_classes = true;
    } else {
      m.task = Model::Task::regression;
    }
    return m;
  }
  m.classes = std::move(header.labels);
  m.numeric_classes = true;
  if (header.classes == 2) {
    // f > 0 is their first label and our second class.
    std::swap(m.classes[0], m.classes[1]);
  } else {
    m.scheme = Model::Scheme::pairs;
    m.support_counts = std::move(header.counts);
  }
  for (std::size_t s = 0; s < header.prob_a.size(); ++s)
    m.calibration.push_back({header.prob_a[s], header.prob_b[s]});
  return m;
}

}  // namespace

bool is_libsvm(std::string_view content) { return content.starts_with("svm_type"); }

Model read_libsvm(const data::Source& source, std::size_t columns) {
  if (!is_libsvm(source.content))
    data::fail(source.name, 1, "a model of LIBSVM begins with svm_type");
  if (columns > most_columns) throw Error("more than 2147483647 columns");
  Lines lines(source.content);
  const LibsvmHeader header = read_libsvm_header(lines, source.name);
  Model m = rule_of(header, source.name);
  Vectors vectors(lines, source.name, header, columns);
  vectors.run();
  vectors.put(m, columns);
  m.check();
  return m;
}

}  // namespace mercer::model

namespace mercer {

Model read_libsvm_model(const std::string& path, std::size_t columns) {
  return model::read_libsvm(data::open_source(path), columns);
}

Model parse_libsvm_model(std::string_view text, const std::string& name, std::size_t columns) {
  return model::read_libsvm(data::source_of(text, name), columns);
}

}  // namespace mercer
