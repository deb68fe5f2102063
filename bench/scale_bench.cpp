// Past one Gram matrix, in pieces by name:
//
//     scale_bench [pass] [made] [covtype] [mnist] [ranks] [alone]     without a word: all of them
//
//     pass     a pass of the solver, there and back, beside the Gram engine's own product K·v
//     made     ridge on 1,000,000 × 18 made numbers, m = 2000, beside scikit-learn's Nystroem and
//              Ridge
//     covtype, mnist   the same on classes from MERCER_DATA (default ../shared/data)
//     ranks    the program on the made rows, on disk: 1 rank of 1 and of 2 threads, 2 ranks of 1
//     alone    without scikit-learn
//
// MERCER_LARGE_ROWS rows are made (1000000). Errors on rows that were not trained on are printed
// before times; what is missing is skipped, aloud.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mercer/data.hpp>
#include <mercer/nystrom.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/machine.hpp"
#include "base/random.hpp"
#include "command.hpp"
#include "timing.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t d = 18;
constexpr std::size_t m = 2000;
constexpr std::size_t tests = 10000;

std::size_t rows() {
  const char* text = std::getenv("MERCER_LARGE_ROWS");
  return text != nullptr ? std::stoul(text) : 1'000'000;
}

// A folder of one's own, that goes.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("scale_bench.{}", getpid())) {
    fs::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

template <class T>
void write_array(std::ofstream& out, const std::vector<T>& values) {
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(T)));
}

// Examples, of which the last `tests` are not trained on; a column of y for each class, or numbers.
struct Data {
  std::size_t n = 0;
  std::size_t columns = 0;
  std::size_t held_out = 0;
  std::size_t outputs = 1;
  std::vector<float> x;
  std::vector<double> y;
};

// A smooth function of 18 numbers, and noise.
Data made(std::size_t n) {
  RandomNumbers random(1);
  Data data{n, d, tests, 1, std::vector<float>(n * d), std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    float* x = data.x.data() + i * d;
    for (std::size_t j = 0; j < d; ++j) x[j] = static_cast<float>(random.normal());
    data.y[i] = std::sin(2.0 * double(x[0])) + double(x[1]) * double(x[2]) +
                std::tanh(double(x[3]) + double(x[4])) + 0.1 * random.normal();
  }
  return data;
}

// Classes from two files; columns by deviations where they are to be scaled.
std::optional<Data> from_files(const std::string& name, bool scaled) {
  const char* folder = std::getenv("MERCER_DATA");
  const fs::path where = folder != nullptr ? folder : MERCER_DEFAULT_DATA;
  std::vector<Table> parts;
  for (const char* part : {"train", "test"}) {
    const fs::path path = where / fmt::format("{}.{}.libsvm.gz", name, part);
    if (!fs::exists(path)) {
      fmt::print("{}: not there, skipped (MERCER_DATA names the folder)\n", path.string());
      return std::nullopt;
    }
    parts.push_back(read_table(path.string()));
  }
  Data data;
  for (const Table& t : parts) data.columns = std::max(data.columns, t.columns());
  std::vector<double> labels;
  for (const Table& t : parts) {
    std::vector<double> row(t.columns());
    for (std::size_t i = 0; i < t.rows(); ++i) {
      t.points.row(i, std::span(row));
      data.x.insert(data.x.end(), row.begin(), row.end());
      data.x.resize(data.x.size() + data.columns - t.columns());
    }
    labels.insert(labels.end(), t.labels.numbers.begin(), t.labels.numbers.end());
    data.n += t.rows();
    data.held_out = t.rows();
  }
  const std::set<double> classes(labels.begin(), labels.end());
  data.outputs = classes.size();
  for (const double label : labels)
    for (const double c : classes) data.y.push_back(label == c ? 1 : -1);
  if (!scaled) return data;
  for (std::size_t j = 0; j < data.columns; ++j) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < data.n; ++i) {
      const auto v = static_cast<double>(data.x[i * data.columns + j]);
      sum += v;
      squares += v * v;
    }
    const double mean = sum / static_cast<double>(data.n);
    const double deviation = std::sqrt(squares / static_cast<double>(data.n) - mean * mean);
    for (std::size_t i = 0; i < data.n; ++i) {
      float& v = data.x[i * data.columns + j];
      v = deviation > 0 ? static_cast<float>((double(v) - mean) / deviation) : 0;
    }
  }
  return data;
}

void pass(const Data& data, double gamma) {
  const Points x = Points::dense(data.x.data(), data.n, d);
  const Points centres = x.part(0, m);
  GramOptions how;
  how.storage = GramOptions::Storage::recomputed;
  const Gram K(rbf(gamma), x, centres, how);
  std::vector<double> V(m, 1.0);
  std::vector<double> F(data.n);
  std::vector<double> out(m);
  double there = 1e300;
  double both = 1e300;
  for (int round = 0; round < 3; ++round) {
    there = std::min(there, bench::seconds([&] { K.apply(V, 1, F); }));
    both = std::min(both, bench::seconds([&] {
                      K.apply_both(
                          V, 1,
                          [](std::size_t, std::size_t, std::span<const double> f,
                             std::span<double> t) { std::ranges::copy(f, t.begin()); },
                          1, out);
                    }));
  }
  // The solver's own, as it is by itself: two answers that differ in the number of iterations
  // alone.
  const Matrix y{data.n, 1, data.y, {}};
  const auto solve = [&](std::size_t iterations) {
    NystromOptions o{.centres = m, .lambda = 1e-3};
    o.tolerance = 1e-5;
    o.iterations = iterations;
    Nystrom r;
    double time = 1e300;
    for (int round = 0; round < 3; ++round)
      time = std::min(time, bench::seconds([&] { r = nystrom(rbf(gamma), x, y, o); }));
    return std::pair{time, static_cast<double>(r.passes)};
  };
  const auto few = solve(2);
  const auto more = solve(22);
  const double iteration = (more.first - few.first) / (more.second - few.second);
  const double values = static_cast<double>(data.n) * static_cast<double>(m);
  fmt::print(
      "pass     K v {:.3f} s ({:.2f} G values/s); K v and Kᵀ(K v) {:.3f} s, {:.2f} times; an "
      "iteration of the solver {:.3f} s, {:.2f} times; {} threads\n",
      there, values / there * 1e-9, both, both / there, iteration, iteration / there,
      hardware_threads());
}

// RMSE of numbers, the share of wrong classes else.
double error_of(const Data& data, const std::vector<double>& f) {
  double sum = 0;
  const std::size_t c = data.outputs;
  for (std::size_t i = 0; i < data.held_out; ++i) {
    const double* y = data.y.data() + (data.n - data.held_out + i) * c;
    const double* g = f.data() + i * c;
    sum += c == 1 ? (g[0] - y[0]) * (g[0] - y[0])
                  : double(std::max_element(g, g + c) - g != std::max_element(y, y + c) - y);
  }
  sum /= static_cast<double>(data.held_out);
  return c == 1 ? std::sqrt(sum) : sum;
}

struct Peer {
  double error = 0;
  double seconds = 0;
  std::string blas;
  Points centres;
};

std::optional<Peer> scikit_learn(const std::string& name, const Data& data, double gamma,
                                 double lambda) {
  const Folder folder;
  {
    std::ofstream points(folder.file("x"), std::ios::binary);
    write_array(points, data.x);
    std::ofstream labels(folder.file("y"), std::ios::binary);
    write_array(labels, data.y);
  }
  const std::string said = bench::run(
      fmt::format("/usr/bin/python3 {}/sklearn_nystroem.py {} {} {} {} {} {} {} {} {} 2>&1",
                  MERCER_BENCH_DIR, folder.file("x"), folder.file("y"), data.n, data.columns,
                  data.held_out, m, gamma, lambda, folder.file("centres")));
  std::istringstream words(said);
  Peer peer;
  if (!(words >> peer.error >> peer.seconds >> peer.blas)) {
    fmt::print("{:8} sklearn  skipped: {}\n", name,
               said.empty() ? "no answer" : said.substr(said.rfind('\n', said.size() - 2) + 1));
    return std::nullopt;
  }
  std::vector<std::int64_t> rows(m);
  std::ifstream(folder.file("centres"), std::ios::binary)
      .read(reinterpret_cast<char*>(rows.data()),
            static_cast<std::streamsize>(m * sizeof(std::int64_t)));
  peer.centres = Points::dense(data.x.data(), data.n, data.columns)
                     .select(std::vector<std::size_t>(rows.begin(), rows.end()));
  return peer;
}

// With the centres that scikit-learn drew, so that both solve the same problem.
void beside_sklearn(const std::string& name, const Data& data, double gamma, double lambda,
                    bool alone) {
  const std::size_t train = data.n - data.held_out;
  const Points x = Points::dense(data.x.data(), train, data.columns);
  const Points held =
      Points::dense(data.x.data() + train * data.columns, data.held_out, data.columns);
  const Matrix y{train,
                 data.outputs,
                 {data.y.begin(), data.y.begin() + std::ptrdiff_t(train * data.outputs)},
                 {}};
  const auto peer = alone ? std::nullopt : scikit_learn(name, data, gamma, lambda);
  NystromOptions how{.centres = m, .lambda = lambda};
  if (peer) {
    how.choice = NystromOptions::Choice::given;
    how.given = peer->centres;
  }
  Nystrom r;
  const double ours = bench::seconds([&] { r = nystrom(rbf(gamma), x, y, how); });
  std::vector<double> f(data.held_out * data.outputs);
  Gram(rbf(gamma), held, r.centres).apply(r.alpha.values, data.outputs, f);
  const char* what = data.outputs == 1 ? "RMSE" : "error";
  fmt::print("{:8} mercer   {} {:.4f} in {:.2f} s: {} rows, {} columns, {} passes, {} centres\n",
             name, what, error_of(data, f), ours, train, data.columns, r.passes, r.centres.rows());
  if (peer)
    fmt::print("{:8} sklearn  {} {:.4f} in {:.2f} s ({}), the same centres: {:.1f} times ours\n",
               name, what, peer->error, peer->seconds, peer->blas, peer->seconds / ours);
}

// The program on rows that stay on disk.
void over_ranks(const Data& data, double gamma) {
  const Folder folder;
  {
    std::ofstream out(folder.file("made.npy"), std::ios::binary);
    std::string head = fmt::format(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", data.n, d + 1);
    head.append((64 - (head.size() + 11) % 64) % 64, ' ');
    head += '\n';
    out << "\x93NUMPY\x01" << '\0' << static_cast<char>(head.size() & 0xFFU)
        << static_cast<char>(head.size() >> 8U) << head;
    std::vector<float> row(d + 1);
    for (std::size_t i = 0; i < data.n; ++i) {
      std::copy_n(data.x.data() + i * d, d, row.begin());
      row[d] = static_cast<float>(data.y[i]);
      write_array(out, row);
    }
  }
  const auto run = [&](unsigned ranks, unsigned threads) -> double {
    const std::string mpirun =
        ranks == 1 ? "" : fmt::format("mpirun --allow-run-as-root --oversubscribe -n {} ", ranks);
    const std::string said = bench::run(fmt::format(
        "{}{} train {} -k 'rbf({})' --scale none --no-offset --task regression --approx "
        "'nystrom(m={})' --lambda 1 --memory 60M --threads {} --json --force -o {} 2>&1",
        mpirun, MERCER_PROGRAM, folder.file("made.npy"), gamma, m, threads,
        folder.file("m.mercer")));
    const Json json = Json::parse(said, nullptr, false);
    if (json.is_discarded() || !json.contains("seconds")) {
      fmt::print("ranks    {} × {}: skipped: {}\n", ranks, threads, said.substr(0, 200));
      return 0;
    }
    const double seconds = json["seconds"];
    fmt::print("ranks    {} × {}: {:.2f} s, {} passes, peaks {} MiB\n", ranks, threads, seconds,
               json["training"]["passes"].dump(), json["peak_memory"].dump());
    return seconds;
  };
  const double one = run(1, 1);
  const double threads = run(1, 2);
  const double two = run(2, 1);
  if (one > 0 && threads > 0 && two > 0)
    fmt::print(
        "ranks    2 × 1 is {:.2f} times as fast as 1 × 1, and takes {:.2f} times the time of "
        "1 × 2\n",
        one / two, two / threads);
}

void run_all(int count, char** words) {
  std::set<std::string> wanted(words + 1, words + count);
  const bool alone = wanted.erase("alone") > 0;
  const auto is = [&](const char* name) { return wanted.empty() || wanted.contains(name); };
  constexpr double gamma = 0.05;
  if (is("pass") || is("made") || is("ranks")) {
    const std::size_t n = rows();
    fmt::print("made     {} rows, {} columns, {} centres\n", n, d, m);
    const auto data = made(n);
    if (is("pass")) pass(data, gamma);
    if (is("made")) beside_sklearn("made", data, gamma, 1, alone);
    if (is("ranks")) over_ranks(data, gamma);
  }
  if (is("covtype"))
    if (const auto data = from_files("covtype", true))
      beside_sklearn("covtype", *data, 0.1, 1, alone);
  if (is("mnist"))
    if (const auto data = from_files("mnist", false))
      beside_sklearn("mnist", *data, 0.02, 0.1, alone);
}

}  // namespace
}  // namespace mercer

int main(int count, char** words) {
  try {
    mercer::run_all(count, words);
  } catch (const std::exception& error) {
    std::fputs("scale_bench: ", stderr);
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return 1;
  }
  return 0;
}
