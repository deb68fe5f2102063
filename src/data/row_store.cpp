#include "data/row_store.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <mercer/error.hpp>
#include <mercer/frame.hpp>
#include <mercer/table_stream.hpp>
#include <set>
#include <utility>

#include "data/place.hpp"
#include "data/reader.hpp"
#include "data/scale.hpp"
#include "data/source.hpp"

namespace mercer::data {

namespace {

namespace fs = std::filesystem;
constexpr std::size_t batch_rows = 8192;
constexpr std::size_t most_classes = 1000;

[[noreturn]] void failed(const std::string& file, const std::string& what) {
  throw Error(file + ": " + what + ": " + std::strerror(errno));
}

// A file of numbers that is appended to, and later read and changed in pieces.
class Array {
 public:
  explicit Array(std::string path, int flags = O_RDWR | O_CREAT | O_EXCL)
      : path_(std::move(path)), file_(::open(path_.c_str(), flags | O_CLOEXEC, 0600)) {
    if (file_ < 0) failed(path_, "cannot be opened");
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { ::close(file_); }

  template <class T>
  void append(std::span<const T> values) {
    write(values, end_);
    end_ += values.size_bytes();
  }
  template <class T>
  void write(std::span<const T> values, std::size_t at) {
    const auto* bytes = reinterpret_cast<const char*>(values.data());
    for (std::size_t done = 0; done < values.size_bytes();) {
      const auto n =
          ::pwrite(file_, bytes + done, values.size_bytes() - done, static_cast<off_t>(at + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) failed(path_, "cannot be written");
      done += static_cast<std::size_t>(n);
    }
  }
  template <class T>
  void read(std::span<T> values, std::size_t at) const {
    auto* bytes = reinterpret_cast<char*>(values.data());
    for (std::size_t done = 0; done < values.size_bytes();) {
      const auto n =
          ::pread(file_, bytes + done, values.size_bytes() - done, static_cast<off_t>(at + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) failed(path_, "cannot be read");
      done += static_cast<std::size_t>(n);
    }
  }

  // change(values, number of the first) for all of them, in pieces of whole groups.
  template <class T, class Change>
  void in_pieces(std::size_t count, std::size_t group, const Change& change, bool write_back) {
    const std::size_t step = std::max<std::size_t>(1, (std::size_t{1} << 17U) / group) * group;
    std::vector<T> values;
    for (std::size_t begin = 0; begin < count; begin += step) {
      values.resize(std::min(step, count - begin));
      read(std::span(values), begin * sizeof(T));
      change(std::span(values), begin);
      if (write_back) write(std::span<const T>(values), begin * sizeof(T));
    }
  }

  // Bytes of it in memory, for as long as the owner lives.
  [[nodiscard]] std::shared_ptr<const void> map(std::size_t begin, std::size_t size,
                                                const char*& at) const {
    static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t before = begin % page;
    void* memory = ::mmap(nullptr, size + before, PROT_READ, MAP_SHARED, file_,
                          static_cast<off_t>(begin - before));
    if (memory == MAP_FAILED) failed(path_, "cannot be mapped into memory");
    at = static_cast<const char*>(memory) + before;
    return {memory, [size, before](const void* p) {
              ::munmap(const_cast<void*>(p), size + before);  // NOLINT
            }};
  }

 private:
  std::string path_;
  int file_;
  std::size_t end_ = 0;
};

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

// How the columns are read: as numbers, as they are.
Encoding plain_encoding(const std::string& path, const ReadOptions& options,
                        const EncodingOptions& how, FileFormat format) {
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
                  "` holds categories; data that are read in a stream are numbers. Allow more "
                  "memory (--memory), or encode it before");
  return Encoding::fit(frame, unscaled);
}

}  // namespace

RowStore::RowStore(const std::string& path, const ReadOptions& options, const EncodingOptions& how,
                   const std::string& where) {
  if (how.missing == Missing::mean || how.missing == Missing::indicator)
    throw Error(path +
                ": missing values can be refused or dropped where data are read in a stream; their "
                "means are known at its end only");
  folder_ = (where.empty() ? "." : where) + "/.mercer-rows-XXXXXX";
  if (::mkdtemp(folder_.data()) == nullptr) {
    const std::string folder = std::exchange(folder_, "");
    failed(folder, "cannot be made");
  }
  try {
    read(path, options, how);
    finish_labels();
    scale();
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    throw;
  }
}

RowStore::~RowStore() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

void RowStore::read(const std::string& path, const ReadOptions& options,
                    const EncodingOptions& how) {
  FileFormat format = FileFormat::csv;
  {
    ByteStream in(path);
    std::string start(std::size_t{1} << 16U, '\0');
    start.resize(in.read(start.data(), start.size()));
    format = format_in(Source{start, path, {}, false, 0, 0}, options);
  }
  ReadOptions reading = options;
  facts_.encoding = plain_encoding(path, reading, how, format);
  TableStream in(path, facts_.encoding, reading);
  Array values(file("values"));
  Array offsets(file("offsets"));
  Array indices(file("indices"));
  Array numbers(file("numbers"));
  Array codes(file("codes"));
  Array weights(file("weights"));
  std::map<std::string, std::int32_t> known;
  std::set<double> different;
  bool many = false;
  std::vector<double> row;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto grow = [&](std::size_t d) {
    facts_.columns = std::max(facts_.columns, d);
    sums_.resize(facts_.columns);
    low_.resize(facts_.columns, infinity);
    high_.resize(facts_.columns, -infinity);
    stored_.resize(facts_.columns);
  };
  const auto count = [&](std::size_t j, double v) {
    sums_[j] += v;
    low_[j] = std::min(low_[j], v);
    high_[j] = std::max(high_[j], v);
    ++stored_[j];
  };
  const std::int64_t zero = 0;
  offsets.append(std::span(&zero, 1));
  while (const auto batch = in.next(batch_rows)) {
    const Points& x = batch->points;
    facts_.sparse = x.is_sparse();
    grow(x.columns());
    if (x.is_sparse()) {
      std::vector<double> some;
      std::vector<std::int32_t> where;
      std::vector<std::int64_t> ends;
      for (std::size_t i = 0; i < x.rows(); ++i) {
        for (auto e = x.offsets()[i]; e < x.offsets()[i + 1]; ++e) {
          const auto j = static_cast<std::size_t>(x.indices()[e]);
          some.push_back(x.scalar() == Points::Scalar::float32
                             ? static_cast<double>(x.values<float>()[e])
                             : x.values<double>()[e]);
          where.push_back(x.indices()[e]);
          count(j, some.back());
        }
        ends.push_back(static_cast<std::int64_t>(facts_.entries + some.size()));
      }
      facts_.entries += some.size();
      values.append(std::span<const double>(some));
      indices.append(std::span<const std::int32_t>(where));
      offsets.append(std::span<const std::int64_t>(ends));
    } else {
      row.resize(x.rows() * x.columns());
      for (std::size_t i = 0; i < x.rows(); ++i) {
        x.row(i, std::span(row).subspan(i * x.columns(), x.columns()));
        for (std::size_t j = 0; j < x.columns(); ++j) count(j, row[i * x.columns() + j]);
      }
      facts_.entries += row.size();
      values.append(std::span<const double>(row));
    }
    if (!batch->weights.empty()) {
      facts_.weighted = true;
      weights.append(std::span<const double>(batch->weights));
    }
    const Labels& labels = batch->labels;
    if (!labels.empty()) {
      const bool text = labels.numbers.empty();
      if (facts_.labelled && text == facts_.numeric)
        throw Error(
            path + ": labels are numbers in some rows and text in others, here within rows " +
            std::to_string(facts_.rows + 1) + " to " + std::to_string(facts_.rows + x.rows()));
      facts_.labelled = true;
      facts_.numeric = !text;
      facts_.label = labels.name;
      if (!text) {
        numbers.append(std::span<const double>(labels.numbers));
        for (const double v : labels.numbers) {
          if (many) break;
          different.insert(v);
          many = different.size() > most_classes;
        }
      } else {
        std::vector<std::int32_t> own;
        for (std::size_t i = 0; i < x.rows(); ++i) {
          const auto [at, fresh] =
              known.emplace(labels.text(i), static_cast<std::int32_t>(known.size()));
          if (fresh) provisional_.push_back(at->first);
          own.push_back(at->second);
        }
        codes.append(std::span<const std::int32_t>(own));
      }
    }
    facts_.rows += x.rows();
  }
  facts_.report = in.report();
  if (facts_.encoding.open) {
    facts_.encoding.open = false;
    facts_.encoding.dimension = facts_.columns;
  }
  facts_.encoding.label = facts_.encoding.label.empty() ? facts_.label : facts_.encoding.label;
  facts_.encoding.options = how;
  if (facts_.numeric && !many) {
    Labels each;
    each.numbers.assign(different.begin(), different.end());
    facts_.classes = classes_of(each).names;
    std::vector<double> sorted(different.begin(), different.end());
    facts_.counts.assign(sorted.size(), 0);
    numbers.in_pieces<double>(
        facts_.rows, 1,
        [&](std::span<double> some, std::size_t) {
          std::vector<std::int32_t> own;
          for (const double v : some) {
            own.push_back(
                static_cast<std::int32_t>(std::ranges::lower_bound(sorted, v) - sorted.begin()));
            ++facts_.counts[static_cast<std::size_t>(own.back())];
          }
          codes.append(std::span<const std::int32_t>(own));
        },
        false);
  }
}

// Classes stand in their order, not in that of the rows.
void RowStore::finish_labels() {
  if (!facts_.labelled || facts_.numeric) return;
  const Classes classes = classes_of(named_labels(provisional_));
  facts_.classes = classes.names;
  facts_.counts.assign(classes.names.size(), 0);
  Array codes(file("codes"), O_RDWR);
  codes.in_pieces<std::int32_t>(
      facts_.rows, 1,
      [&](std::span<std::int32_t> some, std::size_t) {
        for (auto& c : some) {
          c = classes.codes[static_cast<std::size_t>(c)];
          ++facts_.counts[static_cast<std::size_t>(c)];
        }
      },
      true);
}

// As fit_scales and scaled do, on what is on disk.
void RowStore::scale() {
  Encoding& e = facts_.encoding;
  if (facts_.sparse && !e.options.scale_sparse) e.options.scaling = Scaling::none;
  if (e.options.scaling == Scaling::none) return;
  const std::size_t d = facts_.columns;
  const auto n = static_cast<double>(facts_.rows);
  std::vector<double> deviation(d);
  std::vector<double> mean = sums_;
  for (double& m : mean) m /= n;
  Array values(file("values"), O_RDWR);
  std::vector<std::int32_t> where;
  const Array indices(file("indices"), O_RDONLY);
  const auto column = [&](std::size_t begin, std::size_t count) {
    where.resize(count);
    if (facts_.sparse) {
      indices.read(std::span(where), begin * sizeof(std::int32_t));
    } else {
      for (std::size_t k = 0; k < count; ++k) where[k] = static_cast<std::int32_t>((begin + k) % d);
    }
  };
  values.in_pieces<double>(
      facts_.entries, 1,
      [&](std::span<double> some, std::size_t begin) {
        column(begin, some.size());
        for (std::size_t k = 0; k < some.size(); ++k) {
          const auto j = static_cast<std::size_t>(where[k]);
          deviation[j] += (some[k] - mean[j]) * (some[k] - mean[j]);
        }
      },
      false);
  Moments m{mean, deviation, low_, high_};
  for (std::size_t j = 0; j < d; ++j) {
    const auto there = static_cast<double>(stored_[j]);
    if (facts_.sparse) {
      m.deviation[j] += (n - there) * mean[j] * mean[j];
      if (there < n) {
        m.low[j] = std::min(m.low[j], 0.0);
        m.high[j] = std::max(m.high[j], 0.0);
      }
    }
    m.deviation[j] = std::sqrt(m.deviation[j] / n);
  }
  scales_from(e, m, {}, !facts_.sparse);
  values.in_pieces<double>(
      facts_.entries, 1,
      [&](std::span<double> some, std::size_t begin) {
        column(begin, some.size());
        for (std::size_t k = 0; k < some.size(); ++k) {
          const auto j = static_cast<std::size_t>(where[k]);
          some[k] = (some[k] - e.centers[j]) / e.scales[j];
        }
      },
      true);
}

StoredRows stored_rows(const std::string& folder, const StoreFacts& facts, std::size_t begin,
                       std::size_t end) {
  StoredRows rows;
  rows.first = begin;
  const std::size_t count = end - begin;
  std::vector<std::shared_ptr<const void>> kept;
  const auto map = [&]<class T>(const char* name, std::size_t from, std::size_t size,
                                const T*& to) {
    if (size == 0) return;
    const Array array(folder + "/" + name, O_RDONLY);
    const char* at = nullptr;
    kept.push_back(array.map(from * sizeof(T), size * sizeof(T), at));
    to = reinterpret_cast<const T*>(at);
  };
  const double* numbers = nullptr;
  const double* weights = nullptr;
  const std::int32_t* codes = nullptr;
  if (facts.numeric) map("numbers", begin, count, numbers);
  if (!facts.classes.empty()) map("codes", begin, count, codes);
  if (facts.weighted) map("weights", begin, count, weights);
  if (numbers != nullptr) rows.numbers = {numbers, count};
  if (codes != nullptr) rows.codes = {codes, count};
  if (weights != nullptr) rows.weights = {weights, count};
  const double* values = nullptr;
  const std::int64_t* offsets = nullptr;
  const std::int32_t* indices = nullptr;
  if (facts.sparse && count > 0) {
    map("offsets", begin, count + 1, offsets);
    const auto first = static_cast<std::size_t>(offsets[0]);
    const auto size = static_cast<std::size_t>(offsets[count]) - first;
    map("values", first, size, values);
    map("indices", first, size, indices);
    // Offsets count from the beginning of all rows: these are seen from there.
    std::vector<std::int64_t> own(offsets, offsets + count + 1);
    for (auto& o : own) o -= static_cast<std::int64_t>(first);
    struct Owner {
      std::vector<std::int64_t> offsets;
      std::vector<std::shared_ptr<const void>> kept;
    };
    const auto owner = std::make_shared<const Owner>(Owner{std::move(own), std::move(kept)});
    rows.points =
        Points::sparse(owner->offsets.data(), indices, values, count, facts.columns, owner);
    return rows;
  }
  if (!facts.sparse) map("values", begin * facts.columns, count * facts.columns, values);
  const auto owner =
      std::make_shared<const std::vector<std::shared_ptr<const void>>>(std::move(kept));
  if (facts.sparse) {
    rows.points = Points::own({0}, {}, std::vector<double>(), facts.columns);
  } else {
    rows.points = Points::dense(values, count, facts.columns, 0, owner);
  }
  return rows;
}

}  // namespace mercer::data
