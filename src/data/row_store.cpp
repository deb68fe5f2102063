#include "data/row_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
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
#include <numeric>
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

// Part of a file in memory.
struct Mapped {
  std::shared_ptr<void> memory;
  std::size_t size = 0;
};

// It is taken from the file again where it is looked at again.
void forget(const std::vector<Mapped>& all) {
  for (const Mapped& m : all) ::madvise(m.memory.get(), m.size, MADV_DONTNEED);
}

// A file of numbers that is appended to, and later read and changed in pieces.
class Array {
 public:
  Array(std::string path, int flags)
      : path_(std::move(path)), file_(::open(path_.c_str(), flags | O_CLOEXEC, 0600)) {
    if (file_ < 0) failed(path_, "cannot be opened");
    end_ = static_cast<std::size_t>(::lseek(file_, 0, SEEK_END));
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

  // change(values, number of the first) for so many from `from` on, some at a time.
  template <class T, class Change>
  void in_pieces(std::size_t count, const Change& change, bool write_back, std::size_t from = 0) {
    constexpr std::size_t step = std::size_t{1} << 17U;
    std::vector<T> values;
    for (std::size_t begin = 0; begin < count; begin += step) {
      values.resize(std::min(step, count - begin));
      read(std::span(values), (from + begin) * sizeof(T));
      change(std::span(values), begin);
      if (write_back) write(std::span<const T>(values), (from + begin) * sizeof(T));
    }
  }

  // Bytes of it in memory, for as long as the owner lives.
  [[nodiscard]] Mapped map(std::size_t begin, std::size_t size, const char*& at) const {
    static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t before = begin % page;
    void* memory = ::mmap(nullptr, size + before, PROT_READ, MAP_SHARED, file_,
                          static_cast<off_t>(begin - before));
    if (memory == MAP_FAILED) failed(path_, "cannot be mapped into memory");
    at = static_cast<const char*>(memory) + before;
    return {{memory, [size, before](void* p) { ::munmap(p, size + before); }}, size + before};
  }

 private:
  std::string path_;
  int file_;
  std::size_t end_ = 0;  // where more is appended
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

// Folders of stores that were killed: nobody holds their lock.
constexpr const char* prefix = ".mercer-rows-";
constexpr const char* lock_name = "/lock";

void remove_left_over(const std::string& where) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(where, error)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    const std::string folder = entry.path().string();
    const int lock = ::open((folder + lock_name).c_str(), O_RDWR | O_CLOEXEC);
    if (lock < 0) continue;
    std::error_code ignored;
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0) fs::remove_all(folder, ignored);
    ::close(lock);
  }
}

std::vector<double> means_of(const StoreFacts& facts) {
  std::vector<double> mean(facts.columns);
  for (const StoredFile& f : facts.files)
    for (std::size_t j = 0; j < f.columns; ++j) mean[j] += f.sums[j];
  for (double& m : mean) m /= static_cast<double>(facts.rows);
  return mean;
}

FileFormat format_of(const std::string& path, const ReadOptions& options) {
  ByteStream in(path);
  std::string start(std::size_t{1} << 16U, '\0');
  start.resize(in.read(start.data(), start.size()));
  return format_in(Source{start, path, {}, false, 0, 0}, options);
}

}  // namespace

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
  if (facts.numeric && !many && values.size() <= most_classes) {
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

RowStore::RowStore(const std::string& where) {
  const std::string folder = where.empty() ? "." : where;
  remove_left_over(folder);
  // It gets its name when its lock is held.
  std::string fresh = folder + "/.mercer-new-XXXXXX";
  if (::mkdtemp(fresh.data()) == nullptr) failed(fresh, "cannot be made");
  lock_ = ::open((fresh + lock_name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const std::string name = folder + "/" + prefix + fresh.substr(fresh.size() - 6);
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0 ||
      ::rename(fresh.c_str(), name.c_str()) != 0) {
    const int reason = errno;
    folder_ = fresh;
    remove();
    errno = reason;
    failed(fresh, "cannot be made");
  }
  folder_ = name;
  try {
    for (const char* array : {"values", "offsets", "indices", "numbers", "codes", "weights"})
      const Array make(file(array), O_RDWR | O_CREAT | O_EXCL);
  } catch (...) {
    remove();
    throw;
  }
}

RowStore::RowStore(const std::string& path, const ReadOptions& options, const EncodingOptions& how,
                   const std::string& where)
    : RowStore(where) {  // from here on the destructor removes the folder
  const Encoding columns = stored_columns(path, options, how);
  facts_ = facts_of({read(path, options, columns)}, columns, how);
  finish(facts_, 0);
  if (scales_wanted(facts_)) fit_scales(facts_, deviations(facts_));
  scale(facts_);
}

RowStore::~RowStore() { remove(); }

void RowStore::remove() noexcept {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
  if (lock_ >= 0) ::close(lock_);
  lock_ = -1;
}

std::size_t RowStore::rows() const {
  std::size_t sum = 0;
  for (const Range& f : files_) sum += f.rows;
  return sum;
}
std::size_t RowStore::entries() const {
  std::size_t sum = 0;
  for (const Range& f : files_) sum += f.entries;
  return sum;
}

StoredFile RowStore::read(const std::string& path, const ReadOptions& options,
                          const Encoding& columns) {
  StoredFile facts;
  facts.path = path;
  TableStream in(path, columns, options);
  Array values(file("values"), O_RDWR);
  Array offsets(file("offsets"), O_RDWR);
  Array indices(file("indices"), O_RDWR);
  Array numbers(file("numbers"), O_RDWR);
  Array codes(file("codes"), O_RDWR);
  Array weights(file("weights"), O_RDWR);
  const std::size_t entries_before = entries();
  std::map<std::string, std::size_t> known;
  std::map<double, std::size_t> different;
  bool many = false;
  std::vector<double> row;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto grow = [&](std::size_t d) {
    facts.columns = std::max(facts.columns, d);
    facts.sums.resize(facts.columns);
    facts.low.resize(facts.columns, infinity);
    facts.high.resize(facts.columns, -infinity);
    facts.stored.resize(facts.columns);
  };
  const auto count = [&](std::size_t j, double v) {
    facts.sums[j] += v;
    facts.low[j] = std::min(facts.low[j], v);
    facts.high[j] = std::max(facts.high[j], v);
    ++facts.stored[j];
  };
  if (files_.empty()) {
    const std::int64_t zero = 0;
    offsets.append(std::span(&zero, 1));
  }
  while (const auto batch = in.next(batch_rows)) {
    const Points& x = batch->points;
    facts.sparse = x.is_sparse();
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
        ends.push_back(static_cast<std::int64_t>(entries_before + facts.entries + some.size()));
      }
      facts.entries += some.size();
      values.append(std::span<const double>(some));
      indices.append(std::span<const std::int32_t>(where));
      offsets.append(std::span<const std::int64_t>(ends));
    } else {
      row.resize(x.rows() * x.columns());
      for (std::size_t i = 0; i < x.rows(); ++i) {
        x.row(i, std::span(row).subspan(i * x.columns(), x.columns()));
        for (std::size_t j = 0; j < x.columns(); ++j) count(j, row[i * x.columns() + j]);
      }
      facts.entries += row.size();
      values.append(std::span<const double>(row));
    }
    if (!batch->weights.empty()) {
      facts.weighted = true;
      weights.append(std::span<const double>(batch->weights));
    }
    const Labels& labels = batch->labels;
    if (!labels.empty()) {
      const bool text = labels.numbers.empty();
      if (facts.labelled && text == facts.numeric)
        throw Error(
            path + ": labels are numbers in some rows and text in others, here within rows " +
            std::to_string(facts.rows + 1) + " to " + std::to_string(facts.rows + x.rows()));
      facts.labelled = true;
      facts.numeric = !text;
      facts.label = labels.name;
      if (!text) {
        numbers.append(std::span<const double>(labels.numbers));
        for (const double v : labels.numbers) {
          if (many) break;
          ++different[v];
          many = different.size() > most_classes;
        }
      } else {
        std::vector<std::int32_t> own;
        for (std::size_t i = 0; i < x.rows(); ++i) {
          const auto [at, fresh] = known.emplace(labels.text(i), known.size());
          if (fresh) {
            facts.classes.push_back(at->first);
            facts.counts.push_back(0);
          }
          ++facts.counts[at->second];
          own.push_back(static_cast<std::int32_t>(at->second));
        }
        codes.append(std::span<const std::int32_t>(own));
      }
    }
    facts.rows += x.rows();
  }
  if (facts.numeric && !many)
    for (const auto& [value, rows] : different) {
      facts.values.push_back(value);
      facts.counts.push_back(rows);
    }
  facts.report = in.report();
  files_.push_back({facts.rows, facts.entries, facts.sparse});
  return facts;
}

// Classes stand in their order, not in that of the rows.
void RowStore::finish(const StoreFacts& facts, std::size_t first) {
  if (facts.classes.empty()) return;
  if (facts.numeric) {
    std::vector<double> sorted;
    for (const StoredFile& f : facts.files)
      sorted.insert(sorted.end(), f.values.begin(), f.values.end());
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    Array numbers(file("numbers"), O_RDWR);
    Array codes(file("codes"), O_RDWR);
    numbers.in_pieces<double>(
        rows(),
        [&](std::span<double> some, std::size_t) {
          std::vector<std::int32_t> own;
          for (const double v : some)
            own.push_back(
                static_cast<std::int32_t>(std::ranges::lower_bound(sorted, v) - sorted.begin()));
          codes.append(std::span<const std::int32_t>(own));
        },
        false);
    return;
  }
  std::vector<std::vector<std::int32_t>> of_file;
  for (std::size_t f = 0; f < files_.size(); ++f) {
    of_file.emplace_back();
    for (const auto& name : facts.files[first + f].classes)
      of_file.back().push_back(static_cast<std::int32_t>(std::ranges::find(facts.classes, name) -
                                                         facts.classes.begin()));
  }
  Array codes(file("codes"), O_RDWR);
  std::size_t now = 0;
  std::size_t end = files_.empty() ? 0 : files_[0].rows;
  codes.in_pieces<std::int32_t>(
      rows(),
      [&](std::span<std::int32_t> some, std::size_t begin) {
        for (std::size_t k = 0; k < some.size(); ++k) {
          while (begin + k >= end) end += files_[++now].rows;
          some[k] = of_file[now][static_cast<std::size_t>(some[k])];
        }
      },
      true);
}

// use(file, numbers, column of each) for all numbers, some at a time.
template <class Use>
void RowStore::in_columns(const StoreFacts& facts, bool write_back, const Use& use) const {
  Array values(file("values"), O_RDWR);
  const Array indices(file("indices"), O_RDONLY);
  std::vector<std::int32_t> where;
  std::size_t before = 0;
  for (std::size_t f = 0; f < files_.size(); before += files_[f].entries, ++f)
    values.in_pieces<double>(
        files_[f].entries,
        [&](std::span<double> some, std::size_t begin) {
          where.resize(some.size());
          if (facts.sparse) {
            indices.read(std::span(where), (before + begin) * sizeof(std::int32_t));
          } else {
            for (std::size_t k = 0; k < some.size(); ++k)
              where[k] = static_cast<std::int32_t>((begin + k) % facts.columns);
          }
          use(f, some, where);
        },
        write_back, before);
}

std::vector<std::vector<double>> RowStore::deviations(const StoreFacts& facts) const {
  const auto mean = means_of(facts);
  std::vector<std::vector<double>> all(files_.size(), std::vector<double>(facts.columns));
  in_columns(facts, false,
             [&](std::size_t f, std::span<double> some, const std::vector<std::int32_t>& where) {
               for (std::size_t k = 0; k < some.size(); ++k) {
                 const auto j = static_cast<std::size_t>(where[k]);
                 all[f][j] += (some[k] - mean[j]) * (some[k] - mean[j]);
               }
             });
  return all;
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

void RowStore::scale(const StoreFacts& facts) {
  if (!scales_wanted(facts)) return;
  const Encoding& e = facts.encoding;
  in_columns(facts, true,
             [&](std::size_t, std::span<double> some, const std::vector<std::int32_t>& where) {
               for (std::size_t k = 0; k < some.size(); ++k) {
                 const auto j = static_cast<std::size_t>(where[k]);
                 some[k] = (some[k] - e.centers[j]) / e.scales[j];
               }
             });
}

StoredRows stored_rows(const std::string& folder, const StoreFacts& facts, std::size_t begin,
                       std::size_t end) {
  StoredRows rows;
  rows.first = begin;
  const std::size_t count = end - begin;
  std::vector<Mapped> kept;
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
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): count + 1 of them were mapped
    const auto first = static_cast<std::size_t>(offsets[0]);
    const auto size = static_cast<std::size_t>(offsets[count]) - first;
    map("values", first, size, values);
    map("indices", first, size, indices);
    // Offsets count from the beginning of all rows: these are seen from there.
    std::vector<std::int64_t> own(offsets, offsets + count + 1);
    for (auto& o : own) o -= static_cast<std::int64_t>(first);
    struct Owner {
      std::vector<std::int64_t> offsets;
      std::vector<Mapped> kept;
    };
    const auto owner = std::make_shared<const Owner>(Owner{std::move(own), std::move(kept)});
    rows.forget = [owner] { forget(owner->kept); };
    rows.points =
        Points::sparse(owner->offsets.data(), indices, values, count, facts.columns, owner);
    return rows;
  }
  if (!facts.sparse) map("values", begin * facts.columns, count * facts.columns, values);
  const auto owner = std::make_shared<const std::vector<Mapped>>(std::move(kept));
  rows.forget = [owner] { forget(*owner); };
  if (facts.sparse) {
    rows.points = Points::own({0}, {}, std::vector<double>(), facts.columns);
  } else {
    rows.points = Points::dense(values, count, facts.columns, 0, owner);
  }
  return rows;
}

}  // namespace mercer::data
