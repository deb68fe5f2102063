#include "learn/checkpoint.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <mercer/error.hpp>
#include <mercer/version.hpp>

#include "base/checksum.hpp"
#include "data/place.hpp"
#include "data/points_checksum.hpp"
#include "data/sink.hpp"
#include "learn/fingerprint.hpp"

namespace mercer::learn {

namespace {

template <class T>
void add(Checksum& sum, const T* values, std::size_t count) {
  if (count > 0) sum.add({reinterpret_cast<const char*>(values), count * sizeof(T)});
}
void add(Checksum& sum, std::size_t number) { add(sum, &number, 1); }
void add(Checksum& sum, const std::string& text) {
  add(sum, text.size());
  sum.add(text);
}

// A checksum stands for what is too long to be shown.
constexpr char long_mark = '#';
std::string text_of(const Checksum& sum) {
  return fmt::format("{}{:016x}", long_mark, sum.value());
}

std::string data_text(const Table& table, const GramOptions& gram) {
  Checksum sum;
  const Points& x = table.points;
  const bool floats = x.scalar() == Points::Scalar::float32;
  for (const std::size_t fact : {x.rows(), x.columns(), std::size_t{x.is_sparse()},
                                 std::size_t{floats}, table.labels.size(), table.weights.size()})
    add(sum, fact);
  data::add(sum, x);
  const Labels& y = table.labels;
  add(sum, y.numbers.size());
  add(sum, y.numbers.data(), y.numbers.size());
  add(sum, y.codes.data(), y.codes.size());
  for (const auto& name : y.classes) add(sum, name);
  add(sum, y.name);
  add(sum, table.weights.data(), table.weights.size());
  if (gram.precomputed)
    add(sum, gram.precomputed->values, gram.precomputed->rows * gram.precomputed->columns);
  return text_of(sum);
}

const char* yes(bool value) { return value ? "yes" : "no"; }

}  // namespace

namespace {

// What every training has.
Checkpoint::Fingerprint in_common(const Encoding& encoding, const TrainOptions& o) {
  Checkpoint::Fingerprint all;
  all["version of mercer"] = version_text;
  Checksum columns;
  add(columns, encoding.text());
  all["encoding"] = text_of(columns);
  all["kernel"] = o.kernel ? o.kernel->text() : o.map ? o.map->text() : "to be chosen";
  all["task"] = !o.task                                  ? "by the labels"
                : *o.task == Model::Task::classification ? "classification"
                                                         : "regression";
  all["seed"] = std::to_string(o.seed);
  Checksum weights;
  for (const auto& [name, weight] : o.class_weights) {
    add(weights, name);
    add(weights, &weight, 1);
  }
  all["class weights"] = o.balanced ? "balanced" : text_of(weights);
  all["precision"] = o.gram.precision == GramOptions::Precision::float64 ? "double" : "float";
  all["instructions"] =
      o.gram.instructions.empty() ? gram_instructions_in_use() : o.gram.instructions;
  return all;
}

}  // namespace

Checkpoint::Fingerprint fingerprint_of(const Table& table, const Encoding& encoding,
                                       const TrainOptions& o) {
  Checkpoint::Fingerprint all = in_common(encoding, o);
  all["data"] = data_text(table, o.gram);
  all["problem"] = std::to_string(static_cast<int>(o.svm.problem));
  all["C"] = o.C ? fmt::format("{}", *o.C) : "to be chosen";
  all["C of regression"] = fmt::format("{}", o.svm.C);
  all["nu"] = fmt::format("{}", o.svm.nu);
  all["epsilon"] = fmt::format("{}", o.svm.epsilon);
  all["offset"] = yes(o.offset.value_or(o.svm.offset));
  all["tolerance"] = fmt::format("{}", o.svm.tolerance);
  all["number of moves"] = std::to_string(o.svm.moves);
  all["working set"] = std::to_string(o.svm.working_set);
  all["shrinking"] = yes(o.svm.shrinking);
  all["memory"] = std::to_string(o.svm.memory);
  all["multiclass"] = o.multiclass == TrainOptions::Multiclass::pairs ? "pairs" : "rest";
  all["probability"] = yes(o.probability);
  return all;
}

Checkpoint::Fingerprint fingerprint_of(std::uint64_t rows, const std::vector<std::string>& classes,
                                       const Encoding& encoding, const Approximation& approx,
                                       const TrainOptions& o) {
  Checkpoint::Fingerprint all = in_common(encoding, o);
  Checksum data;
  add(data, &rows, 1);
  for (const auto& name : classes) add(data, name);
  all["data"] = text_of(data);
  all["learner"] = o.learner ? std::to_string(static_cast<int>(*o.learner)) : "by the task";
  all["kind of approximation"] = std::to_string(static_cast<int>(approx.kind));
  all["size of approximation"] = std::to_string(approx.size);
  all["choice of centres"] = std::to_string(static_cast<int>(approx.choice));
  Checksum centres;
  data::add(centres, approx.given);
  all["centres"] = text_of(centres);
  all["loss"] = std::to_string(static_cast<int>(o.loss));
  all["lambda"] = o.lambda ? fmt::format("{}", *o.lambda) : "to be chosen";
  all["residual"] = fmt::format("{}", o.tolerance);
  all["C"] = o.C ? fmt::format("{}", *o.C) : "to be chosen";
  all["tolerance"] = fmt::format("{}", o.svm.tolerance);
  all["offset"] = o.offset ? yes(*o.offset) : "by the task";
  return all;
}

Checkpoint::Checkpoint(const TrainOptions::Checkpoint& options, Fingerprint fingerprint)
    : path_(options.path), every_(options.seconds) {
  std::error_code error;
  if (std::filesystem::exists(path_, error)) {
    if (!std::filesystem::is_regular_file(path_, error))
      data::fail(path_, "is not an ordinary file; give the checkpoint another name");
    file_ = model::read_checkpoint(data::open_source(path_));
    refuse_others(fingerprint);
    resumed_ = true;
  }
  file_.fingerprint = std::move(fingerprint);
}

void Checkpoint::refuse_others(const Fingerprint& fingerprint) const {
  constexpr std::size_t most = 3;
  std::vector<std::string> shown;
  std::size_t count = 0;
  for (const auto& [name, value] : fingerprint) {
    const auto old = file_.fingerprint.find(name);
    const std::string before = old == file_.fingerprint.end() ? "not told" : old->second;
    if (before == value || ++count > most) continue;
    const bool is_long = value.starts_with(long_mark) || before.starts_with(long_mark);
    shown.push_back(
        is_long ? fmt::format("other {}", name)
                : fmt::format("{}: {}, now {}", name, data::shown(before), data::shown(value)));
  }
  if (count == 0) return;
  if (count > most) shown.push_back(fmt::format("and {} more", count - most));
  data::fail(path_, fmt::format("is the checkpoint of another training ({}); give another file, or "
                                "remove this one to begin anew",
                                fmt::join(shown, "; ")));
}

std::optional<model::Record> Checkpoint::find(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  const auto at = file_.records.find(key);
  if (at == file_.records.end()) return std::nullopt;
  return at->second;
}

void Checkpoint::put(const std::string& key, model::Record record) {
  const std::scoped_lock lock(mutex_);
  file_.records.insert_or_assign(key, std::move(record));
  if (std::chrono::steady_clock::now() - written_ >= every_) write_locked();
}

void Checkpoint::write() {
  const std::scoped_lock lock(mutex_);
  write_locked();
}

void Checkpoint::write_locked() {
  data::FileSink sink(path_, false);
  sink.text = model::bytes_of(file_);
  sink.commit();
  written_ = std::chrono::steady_clock::now();
}

}  // namespace mercer::learn
