// How fast are files read? Beside scikit-learn's load_svmlight_file, LIBSVM's own reader and a
// plain memcpy of the same bytes, in one run, after the answers were compared.
//
//     read_bench [FILE]      FILE in LIBSVM's format; without one, like MNIST: 60,000 rows, 784
//                            columns, a fifth of them not zero, 90 MB
//
// LIBSVM reads inside of svm-train; called with -c -1 it reads the file, finds the parameter wrong
// and ends: that whole command is timed. It shows nothing of what it read, so there is no answer to
// compare.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/made_data.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <unistd.h>

#include "base/machine.hpp"
#include "base/random.hpp"

namespace {

using mercer::Points;
using mercer::ReadOptions;
using mercer::Table;
namespace fs = std::filesystem;

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The best of several: others use the machine, too.
double best(const std::function<void()>& work, int rounds = 5) {
  double result = seconds(work);
  for (int r = 1; r < rounds; ++r) result = std::min(result, seconds(work));
  return result;
}

Table made() {
  constexpr std::size_t rows = 60000;
  constexpr std::int32_t columns = 784;
  mercer::RandomNumbers random(1);
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  Table table;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::int32_t j = 0; j < columns; ++j) {
      if (random.below(5) != 0) continue;
      indices.push_back(j);
      // Pixels divided by 255, to four digits.
      values.push_back(std::round(static_cast<double>(1 + random.below(255)) / 255 * 1e4) / 1e4);
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
    table.labels.numbers.push_back(static_cast<double>(random.below(10)));
  }
  table.points = Points::own(std::move(offsets), std::move(indices), std::move(values), columns);
  return table;
}

struct Answer {
  std::size_t rows = 0;
  std::size_t entries = 0;
  double checksum = 0;
};

Answer answer_of(const Table& table) {
  Answer a{table.rows(), table.points.entries(), 0};
  for (std::size_t e = 0; e < a.entries; ++e)
    a.checksum += table.points.values<double>()[e] * (table.points.indices()[e] % 97 + 1);
  for (const double y : table.labels.numbers) a.checksum += y;
  return a;
}

std::optional<std::string> output_of(const std::string& command) {
  FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  std::array<char, 256> piece{};
  while (std::fgets(piece.data(), static_cast<int>(piece.size()), pipe) != nullptr)
    text += piece.data();
  return ::pclose(pipe) == 0 ? std::optional(text) : std::nullopt;
}

class Report {
 public:
  explicit Report(double megabytes) : megabytes_(megabytes) {}
  void line(const std::string& what, double time, std::optional<double> reference = {}) const {
    fmt::print("{:<46} {:>7.3f} s {:>7.0f} MB/s{}\n", what, time, megabytes_ / time,
               reference ? fmt::format("   {:.1f} x", *reference / time) : "");
  }

 private:
  double megabytes_;
};

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("mercer_bench_{}", ::getpid())) {
    fs::create_directory(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

double read_time(const std::string& path, unsigned threads, Points::Scalar scalar) {
  ReadOptions options;
  options.threads = threads;
  options.scalar = scalar;
  return best([&] { mercer::read_table(path, options); });
}

// Formats without a peer here; text and arrays of dense numbers with six decimals.
void others(const Folder& folder, const Table& sparse) {
  mercer::MakeOptions blobs;
  blobs.rows = 200000;
  blobs.dimension = 50;
  const Table dense = mercer::make_data("blobs", blobs);
  for (const std::string ending : {"csv", "npy", "libsvm.gz"}) {
    const std::string path = folder.file("other." + ending);
    mercer::write_table(path, ending == "libsvm.gz" ? sparse : dense);
    const Report report(static_cast<double>(fs::file_size(path)) * 1e-6);
    for (const unsigned threads : {1U, mercer::hardware_threads()})
      report.line(fmt::format("mercer, .{}{}, {} thread{}", ending,
                              ending == "libsvm.gz" ? " (packed bytes)" : "", threads,
                              threads == 1 ? "" : "s"),
                  read_time(path, threads, Points::Scalar::float64));
    fs::remove(path);
  }
}

int compare(const std::string& path, const Folder& folder) {
  const double megabytes = static_cast<double>(fs::file_size(path)) * 1e-6;
  const Report report(megabytes);
  const Table table = mercer::read_table(path);
  const Answer ours = answer_of(table);
  fmt::print("{}: {:.0f} MB, {} rows, {} columns, {} entries\n", path, megabytes, ours.rows,
             table.columns(), ours.entries);

  std::optional<double> sklearn;
  const auto peer = output_of("/usr/bin/python3 " MERCER_BENCH_DIR "/load_svmlight.py " + path);
  if (peer) {
    Answer theirs;
    double time = 0;
    std::istringstream(*peer) >> theirs.rows >> theirs.entries >> theirs.checksum >> time;
    if (theirs.rows != ours.rows || theirs.entries != ours.entries ||
        std::abs(theirs.checksum - ours.checksum) > 1e-9 * std::abs(ours.checksum)) {
      fmt::print(
          "DIFFERENT ANSWERS: {} rows, {} entries, checksum {} by scikit-learn; {}, {}, {}\n",
          theirs.rows, theirs.entries, theirs.checksum, ours.rows, ours.entries, ours.checksum);
      return 1;
    }
    fmt::print("the same rows, entries and checksum by scikit-learn\n\n");
    sklearn = time;
    report.line("scikit-learn, load_svmlight_file", time, time);
  } else {
    fmt::print("scikit-learn is not there (python3-sklearn)\n\n");
  }
  if (std::system("command -v svm-train >/dev/null") == 0) {
    const std::string call = "svm-train -c -1 " + path + " /dev/null >/dev/null 2>&1";
    const double time = best([&] { static_cast<void>(std::system(call.c_str())); }, 3);
    report.line("LIBSVM, svm-train -c -1 (reads, then refuses)", time, sklearn);
  } else {
    fmt::print("LIBSVM is not there (libsvm-tools)\n");
  }
  for (const unsigned threads : {1U, mercer::hardware_threads()})
    for (const auto scalar : {Points::Scalar::float64, Points::Scalar::float32})
      report.line(fmt::format("mercer, {}, {} thread{}",
                              scalar == Points::Scalar::float64 ? "double" : "float", threads,
                              threads == 1 ? "" : "s"),
                  read_time(path, threads, scalar), sklearn);
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::string copy(bytes.size(), '\0');
  report.line("memcpy of the file, 1 thread",
              best([&] { std::memcpy(copy.data(), bytes.data(), bytes.size()); }), sklearn);
  if (copy != bytes) return 1;
  fmt::print("\n");
  others(folder, table);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Folder folder;
    std::string path;
    for (int i = 1; i < argc; ++i)
      if (argv[i][0] != '-') path = argv[i];  // words for other benchmarks begin with a minus
    if (path.empty()) {
      path = folder.file("made.libsvm");
      mercer::write_table(path, made());
    }
    return compare(path, folder);
  } catch (const std::exception& error) {
    std::fputs("read_bench: ", stderr);
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return 2;
  }
}
