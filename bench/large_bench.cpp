// Past one Gram matrix: a pass of Nyström beside the Gram engine's own product, and the whole of it
// beside scikit-learn's Nystroem + Ridge, on the same centres' number, in one run.
//
//     large_bench [pass] [sklearn]        without a word: both; MERCER_LARGE_ROWS rows (200000)
//
// Errors on rows that were not trained on are printed before times; what is missing is skipped,
// aloud.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mercer/nystrom.hpp>
#include <set>
#include <sstream>

#include "base/machine.hpp"
#include "base/random.hpp"
#include "command.hpp"
#include "timing.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t d = 18;
constexpr std::size_t m = 2000;
constexpr std::size_t tests = 10000;
constexpr double gamma = 0.05;
constexpr double lambda = 1;

std::size_t rows() {
  const char* text = std::getenv("MERCER_LARGE_ROWS");
  return text != nullptr ? std::stoul(text) : 200000;
}

struct Made {
  std::vector<float> x;
  std::vector<double> y;
};

// A smooth function of 18 numbers, and noise.
Made made(std::size_t n) {
  RandomNumbers random(1);
  Made data{std::vector<float>(n * d), std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    float* x = data.x.data() + i * d;
    for (std::size_t j = 0; j < d; ++j) x[j] = static_cast<float>(random.normal());
    data.y[i] = std::sin(2.0 * double(x[0])) + double(x[1]) * double(x[2]) +
                std::tanh(double(x[3]) + double(x[4])) + 0.1 * random.normal();
  }
  return data;
}

void pass(const Made& data, std::size_t n) {
  const Points x = Points::dense(data.x.data(), n, d);
  const Points centres = x.part(0, m);
  GramOptions how;
  how.storage = GramOptions::Storage::recomputed;
  const Gram K(rbf(gamma), x, centres, how);
  std::vector<double> V(m, 1.0);
  std::vector<double> F(n);
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
  const double values = static_cast<double>(n) * static_cast<double>(m);
  fmt::print(
      "pass     K v {:.3f} s ({:.2f} G values/s), K v and Kᵀ(K v) {:.3f} s: {:.2f} times, {} "
      "threads\n",
      there, values / there * 1e-9, both, both / there, hardware_threads());
}

void beside_sklearn(const Made& data, std::size_t n) {
  const Points x = Points::dense(data.x.data(), n - tests, d);
  const Points held = Points::dense(data.x.data() + (n - tests) * d, tests, d);
  Nystrom r;
  Matrix y{n - tests, 1, {data.y.begin(), data.y.end() - std::ptrdiff_t{tests}}, {}};
  const double ours =
      bench::seconds([&] { r = nystrom(rbf(gamma), x, y, {.centres = m, .lambda = lambda}); });
  std::vector<double> f(tests);
  Gram(rbf(gamma), held, r.centres).apply(r.alpha.values, 1, f);
  double squares = 0;
  for (std::size_t i = 0; i < tests; ++i) {
    const double e = f[i] - data.y[n - tests + i];
    squares += e * e;
  }
  fmt::print("mercer   RMSE {:.4f} in {:.2f} s: {} passes, {} centres\n",
             std::sqrt(squares / tests), ours, r.passes, r.centres.rows());
  const fs::path folder = fs::temp_directory_path() / fmt::format("large_bench.{}", n);
  fs::create_directories(folder);
  std::ofstream(folder / "x", std::ios::binary)
      .write(reinterpret_cast<const char*>(data.x.data()),
             static_cast<std::streamsize>(data.x.size() * sizeof(float)));
  std::ofstream(folder / "y", std::ios::binary)
      .write(reinterpret_cast<const char*>(data.y.data()),
             static_cast<std::streamsize>(data.y.size() * sizeof(double)));
  const std::string said = bench::run(fmt::format(
      "python3 {}/sklearn_nystroem.py {}/x {}/y {} {} {} {} {} {} 2>&1", MERCER_BENCH_DIR,
      folder.string(), folder.string(), n, d, tests, m, gamma, lambda));
  fs::remove_all(folder);
  std::istringstream words(said);
  double rmse = 0;
  double theirs = 0;
  std::string blas;
  if (!(words >> rmse >> theirs >> blas)) {
    fmt::print("sklearn  skipped: {}\n", said.substr(said.rfind('\n', said.size() - 2) + 1));
    return;
  }
  fmt::print("sklearn  RMSE {:.4f} in {:.2f} s ({}): {:.1f} times ours\n", rmse, theirs, blas,
             theirs / ours);
}

}  // namespace
}  // namespace mercer

int main(int count, char** words) {
  const std::set<std::string> wanted(words + 1, words + count);
  const std::size_t n = mercer::rows();
  fmt::print("{} rows, {} columns, {} centres\n", n, mercer::d, mercer::m);
  const auto data = mercer::made(n);
  if (wanted.empty() || wanted.contains("pass")) mercer::pass(data, n);
  if (wanted.empty() || wanted.contains("sklearn")) mercer::beside_sklearn(data, n);
}
