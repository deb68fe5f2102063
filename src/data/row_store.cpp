#include "data/row_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <map>
#include <mercer/error.hpp>
#include <mercer/table_stream.hpp>
#include <utility>

#include "data/place.hpp"
#include "data/stored_array.hpp"

namespace mercer::data {

namespace {

namespace fs = std::filesystem;
constexpr std::size_t batch_rows = 8192;

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

}  // namespace

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
      const StoredArray make(file(array), O_RDWR | O_CREAT | O_EXCL);
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
  StoredArray values(file("values"), O_RDWR);
  StoredArray offsets(file("offsets"), O_RDWR);
  StoredArray indices(file("indices"), O_RDWR);
  StoredArray numbers(file("numbers"), O_RDWR);
  StoredArray codes(file("codes"), O_RDWR);
  StoredArray weights(file("weights"), O_RDWR);
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
          many = different.size() > most_classes_stored;
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
    StoredArray numbers(file("numbers"), O_RDWR);
    StoredArray codes(file("codes"), O_RDWR);
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
  StoredArray codes(file("codes"), O_RDWR);
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
  StoredArray values(file("values"), O_RDWR);
  const StoredArray indices(file("indices"), O_RDONLY);
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
    const StoredArray array(folder + "/" + name, O_RDONLY);
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
