// How fast are kernel values made? Beside the machine's limit and beside scikit-learn, in one run,
// after the answers were compared.
//
//     gram_bench [N] [TEXT]    N points, 8000 by default; only kernels that contain TEXT;
//                              MERCER_THREADS=2 pins the threads
//
// `G/s` are values of a table with itself, stored. Their limit is that of the kernel
// (roofline.hpp), for half of the values where the other half is known by symmetry; or the time of
// writing all values to memory, if that is longer: cheap kernels of few coordinates are made faster
// than memory takes them. `between` are values between two tables, stored, where each is computed;
// `apply` those of a product K·v, which stores none; what the product takes is added to its limit:
// each vector of floats becomes two of doubles, which are multiplied and added. A share is the
// limit over the time taken.
// Results also go to gram_bench.json in the current folder.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "base/aligned.hpp"
#include "base/machine.hpp"
#include "gram/choose.hpp"
#include "gram/engine.hpp"
#include "peak.hpp"
#include "roofline.hpp"
#include "support/random.hpp"
#include "support/random_kernel.hpp"
#include "timing.hpp"

namespace {

using namespace mercer;
using Json = nlohmann::ordered_json;

unsigned threads() {
  const char* wanted = std::getenv("MERCER_THREADS");
  return wanted != nullptr ? static_cast<unsigned>(std::atoi(wanted)) : hardware_threads();
}

// ---- a peer

struct Peer {
  double time = 0;
  std::vector<double> values;
};

std::optional<Peer> scikit_learn(const std::vector<float>& x, std::size_t n, std::size_t d,
                                 const std::string& kernel) {
  const std::string path = "gram_bench.f32";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(x.data()),
             static_cast<std::streamsize>(x.size() * sizeof(float)));
  const std::string command = fmt::format("/usr/bin/python3 {}/sklearn_kernel.py {} {} {} {} 2>&1",
                                          MERCER_BENCH_DIR, path, n, d, kernel);
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> part{};
  while (pipe && fgets(part.data(), part.size(), pipe.get()) != nullptr) text += part.data();
  std::remove(path.c_str());
  std::istringstream in(text);
  Peer peer;
  if (!(in >> peer.time)) return std::nullopt;
  for (double v = 0; in >> v;) peer.values.push_back(v);
  return peer;
}

// ---- runs

struct Data {
  std::size_t n;
  std::size_t d;
  std::vector<float> x;
  double share = 1;  // of coordinates that are not zero

  [[nodiscard]] Points points() const { return Points::dense(x.data(), n, d); }
};

Data made(std::size_t n, std::size_t d, double share) {
  Random random(d);
  Data data{n, d, std::vector<float>(n * d), share};
  const double scale = 1 / std::sqrt(static_cast<double>(d) * share);
  for (auto& v : data.x)
    if (share == 1 || random.uniform(0, 1) < share)
      v = static_cast<float>(scale * random.uniform(0, 2));
  return data;
}

void compare(const Kernel& k, const Data& data, const Aligned<float>& K) {
  std::vector<double> a(data.d);
  std::vector<double> b(data.d);
  const Points points = data.points();
  double largest = 0;
  for (std::size_t i = 0; i < 200; ++i) largest = std::max(largest, std::abs(double(K[i])));
  for (std::size_t t = 0; t < 200; ++t) {
    const std::size_t i = t * 37 % data.n;
    const std::size_t j = t * 101 % data.n;
    points.row(i, std::span(a));
    points.row(j, std::span(b));
    const double exact = k(a, b);
    const double error = std::abs(double(K[i * data.n + j]) - exact);
    if (!(error <= 2e-5 * (std::abs(exact) + 0.1 * largest)))
      throw Error(
          fmt::format("{}: {} at {}, {} instead of {}", k.text(), K[i * data.n + j], i, j, exact));
  }
}

class Bench {
 public:
  Bench(std::size_t n, std::string only) : n_(n), only_(std::move(only)), machine_(threads()) {
    fmt::print("{} threads, {}; peak {:.1f} G multiply-adds/s ({:.0f} GFLOPS)\n\n", threads(),
               gram::engine<float>().name, machine_.peak() / 1e9, 2 * machine_.peak() / 1e9);
    fmt::print("{:<44} {:>4} {:>7} {:>8} {:>8} {:>7} {:>7} {:>5} {:>7} {:>5} {:>7} {:>8}\n",
               "kernel", "d", "density", "G/s", "written", "share", "between", "share", "apply",
               "share", "sklearn", "ratio");
  }

  void run(const std::string& text, const Data& data, const std::string& peer = "") {
    if (text.find(only_) == std::string::npos) return;
    Kernel k = Kernel::parse(text, {.dimension = static_cast<std::uint32_t>(data.d)});
    GramOptions options;
    options.threads = threads();
    options.storage = GramOptions::Storage::recomputed;
    std::optional<Gram> gram;
    Aligned<float> K = Aligned<float>::whole(data.n * data.n);
    try {
      gram.emplace(k, data.points(), options);
      gram->block(Rows::all(), Rows::all(), K.data(), data.n);
      compare(k, data, K);
    } catch (const EvaluationError&) {
      return;  // a random one, undefined on these points
    }
    const double values = static_cast<double>(data.n) * static_cast<double>(data.n);
    // How fast the same memory is filled now: it varies from minute to minute.
    double written = 0;
    machine_.best_of(1, [&] {
      written = std::max(written,
                         bench::write_rate(K.data(), data.n * data.n * sizeof(float), threads()));
    });
    const double time =
        machine_.best_of(3, [&] { gram->block(Rows::all(), Rows::all(), K.data(), data.n); });
    // The limit of all threads: that of one, as often.
    const auto limit_of = [&](const Points& z, bool same) {
      const auto plan = gram::choose(std::span(&k, 1), data.points(), z, same, options).plan;
      return bench::limit(plan, machine_.peak() / threads(), data.share) / threads() /
             (same && plan.symmetric ? 2 : 1);
    };
    const auto share_of = [&](double seconds_for_one, double taken) {
      return std::max(seconds_for_one, sizeof(float) / written) * values / taken;
    };
    const double share = share_of(limit_of(data.points(), true), time);
    Json row{{"kernel", text},
             {"d", data.d},
             {"density", data.share},
             {"g_per_second", values / time / 1e9},
             {"written_bytes_per_second", written},
             {"share", share},
             {"precision", gram->report().precision},
             {"layout", gram->report().layout}};
    std::string beside;
    if (!peer.empty()) {
      // The best that it does while the machine can, or at all.
      std::optional<Peer> other;
      machine_.best_of(1, [&] {
        const auto now = scikit_learn(data.x, data.n, data.d, peer);
        if (now && (!other || now->time < other->time)) other = now;
      });
      if (other) {
        for (std::size_t i = 0; i < other->values.size(); ++i) {
          const float ours = K[i * 37 % data.n * data.n + i * 101 % data.n];
          if (std::abs(double(ours) - other->values[i]) > 1e-4 * (1 + std::abs(other->values[i])))
            throw Error(text + ": scikit-learn's answer differs");
        }
        beside = fmt::format(" {:>7.4f} {:>7.1f}x", values / other->time / 1e9, other->time / time);
        row["sklearn_g_per_second"] = values / other->time / 1e9;
        row["ratio"] = other->time / time;
      } else {
        beside = " (scikit-learn is missing: skipped)";
      }
    }
    // Other points: the same ones, from the last number to the first.
    const std::vector<float> others(data.x.rbegin(), data.x.rend());
    const Points z = Points::dense(others.data(), data.n, data.d);
    const Gram two(k, data.points(), z, options);
    std::vector<double> v(data.n, 1);
    std::vector<double> Kv(data.n);
    const double apply = machine_.best_of(2, [&] { two.apply(v, 1, Kv); });
    const double between =
        machine_.best_of(2, [&] { two.block(Rows::all(), Rows::all(), K.data(), data.n); });
    const double computed = limit_of(z, false);
    const double share_between = share_of(computed, between);
    const double product = (two.report().precision == "float64" ? 2 : 4) / machine_.peak();
    const double share_apply = (computed + product) * values / apply;
    row["between_g_per_second"] = values / between / 1e9;
    row["between_share"] = share_between;
    row["apply_g_per_second"] = values / apply / 1e9;
    row["apply_share"] = share_apply;
    fmt::print(
        "{:<44} {:>4} {:>7.2f} {:>8.4f} {:>8.2f} {:>6.0f}% {:>7.4f} {:>4.0f}% {:>7.4f} "
        "{:>4.0f}%{}{}\n",
        text.substr(0, 44), data.d, data.share, values / time / 1e9, written / 1e9 / sizeof(float),
        100 * share, values / between / 1e9, 100 * share_between, values / apply / 1e9,
        100 * share_apply, beside, gram->report().precision == "float64" ? "  (double)" : "");
    std::fflush(stdout);
    rows_.push_back(row);
  }

  void write() const {
    std::ofstream("gram_bench.json") << Json{{"threads", threads()},
                                             {"points", n_},
                                             {"instructions", gram::engine<float>().name},
                                             {"peak_multiply_adds", machine_.peak()},
                                             {"rows", rows_}}
                                            .dump(1)
                                     << "\n";
  }

 private:
  std::size_t n_;
  std::string only_;
  bench::AtPeak machine_;
  Json rows_ = Json::array();
};

int run(int argc, char** argv) {
  const long wanted = argc > 1 ? std::atol(argv[1]) : 8000;
  if (wanted < 200 || argc > 3) throw Error("usage: gram_bench [N] [TEXT], with N at least 200");
  const auto n = static_cast<std::size_t>(wanted);
  Bench bench(n, argc > 2 ? argv[2] : "");
  for (const std::size_t d : {2U, 16U, 64U, 784U}) {
    const Data data = made(d == 784 ? std::min<std::size_t>(n, 4000) : n, d, 1);
    bench.run("rbf(0.5)", data, "rbf");
    bench.run("poly(3)", data, "poly");
    bench.run("laplacian(0.5)", data, d <= 16 ? "laplacian" : "");
    bench.run("subsets", data);
    bench.run("intersection", data);
    bench.run("matern(1.5) + 0.5*poly(2)*rbf(2) + 0.1*linear", data);
  }
  const Data sparse = made(n, 784, 0.01);
  for (const char* text : {"rbf(0.5)", "poly(3)", "laplacian(0.5)", "subsets", "intersection",
                           "chi2(0.5)", "cosine", "anova(2)"})
    bench.run(text, sparse);
  const Data small = made(std::min<std::size_t>(n, 4000), 16, 1);
  for (const char* text :
       {"chi2(1)", "periodic(3)", "anova(2)", "anova(3)", "rq(1)", "sigmoid(0.5)", "cosine",
        "matern(0.8)", "asin(x.z/sqrt((1+|x|^2)*(1+|z|^2)))", "sum(i, exp(-(x[i]-z[i])^2))",
        "prod(i, 2 + cos(x[i]-z[i]))"})
    bench.run(text, small);
  // Far from each other: products of kernels are tiny there.
  Data far = made(small.n, 2, 1);
  for (float& v : far.x) v *= 17;
  bench.run("rbf(0.5)*matern(1.5)", far);
  bench.run("laplacian(3)*matern(2.5)", far);
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    RandomKernelOptions how;
    how.dimension = 16;
    how.size = 6;
    bench.run(random_kernel_text(random, how), small);
  }
  bench.write();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fputs("gram_bench: ", stderr);
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return 1;
  }
}
