// How fast is a search over C and γ by cross-validation? Whole commands, the same grid with as many
// folds, beside svm-train -v in two processes and scikit-learn's GridSearchCV with two jobs; the
// accuracies are compared before any time is printed.
//
//     choose_bench [six] [letter]
//
// six: 4435 points in 36 dimensions of six classes, made here; 10 × 10 candidates. letter: 16,000
// points of 26 classes from MERCER_DATA (default ../shared/data), 5 × 5 candidates.
#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <mercer/data.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "base/random.hpp"
#include "command.hpp"
#include "timing.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using bench::run;
using bench::seconds;

// Nine neighbouring pixels in four bands of light; some of them belong to a neighbour of another
// class.
Table pixels() {
  constexpr std::array<std::size_t, 6> sizes{1072, 479, 961, 415, 470, 1038};
  constexpr std::array<std::array<double, 4>, 6> means{{{-0.3, -0.1, 0.5, 0.3},
                                                        {-0.9, -1.2, 1.1, 0.9},
                                                        {0.6, 0.7, 0.5, 0.3},
                                                        {0.2, 0.25, 0.2, 0.1},
                                                        {-0.4, -0.6, 0.0, -0.1},
                                                        {-0.05, -0.05, -0.1, -0.15}}};
  RandomNumbers random(1);
  std::vector<std::pair<double, std::vector<double>>> rows;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    std::array<std::array<double, 4>, 4> mix{};
    for (auto& row : mix)
      for (double& v : row) v = 0.12 * random.normal();
    for (std::size_t i = 0; i < sizes[c]; ++i) {
      std::array<double, 4> own{};
      std::array<double, 4> shared{};
      for (double& v : own) v = random.normal();
      for (std::size_t a = 0; a < 4; ++a) {
        shared[a] = 0.08 * random.normal();
        for (std::size_t b = 0; b < 4; ++b) shared[a] += mix[a][b] * own[b];
      }
      std::vector<double> x;
      const bool border = random.uniform() < 0.25;
      const std::size_t other = random.below(6);
      std::set<std::size_t> foreign;
      for (int k = 0; border && k < 3; ++k) foreign.insert(random.below(9));
      for (std::size_t p = 0; p < 9; ++p)
        for (std::size_t a = 0; a < 4; ++a) {
          const double v = foreign.contains(p) ? means[other][a] + 0.1 * random.normal()
                                               : means[c][a] + shared[a] + 0.09 * random.normal();
          x.push_back(std::round(std::clamp(v / 1.5, -1.0, 1.0) * 1e6) / 1e6);
        }
      rows.emplace_back(static_cast<double>(c + 1), std::move(x));
    }
  }
  random.shuffle(rows);
  Table t;
  std::vector<double> values;
  for (const auto& [label, x] : rows) {
    t.labels.numbers.push_back(label);
    values.insert(values.end(), x.begin(), x.end());
  }
  t.points = Points::own(std::move(values), rows.size(), 36);
  return t;
}

std::string list(const std::vector<double>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

class Bench {
 public:
  Bench() : folder_(fs::temp_directory_path() / fmt::format("mercer_choose_bench_{}", getpid())) {
    fs::create_directories(folder_);
  }
  ~Bench() { fs::remove_all(folder_); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void six() {
    write_table(file("six.libsvm"), pixels());
    std::vector<double> prices;
    std::vector<double> gammas;
    for (int i = 0; i < 10; ++i) {
      prices.push_back(std::pow(2.0, -1 + 1.5 * i));
      gammas.push_back(std::pow(2.0, -9 + 1.2 * i));
    }
    grid("six", file("six.libsvm"), prices, gammas);
  }

  void letter() {
    const char* folder = std::getenv("MERCER_DATA");
    const fs::path path =
        fs::path(folder != nullptr ? folder : MERCER_DEFAULT_DATA) / "letter.train.libsvm.gz";
    if (!fs::exists(path)) {
      fmt::print("{}: not there, skipped (MERCER_DATA names the folder)\n", path.string());
      return;
    }
    run(fmt::format("gzip -dc {} > {}", path.string(), file("letter.libsvm")));
    grid("letter", file("letter.libsvm"), {1, 4, 16, 64, 256}, {0.5, 1, 2, 4, 8});
  }

 private:
  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_ / name).string();
  }

  void grid(const std::string& name, const std::string& data, const std::vector<double>& prices,
            const std::vector<double>& gammas) {
    Json ours;
    double time = 1e300;
    for (int r = 0; r < 3; ++r)
      time = std::min(time, seconds([&] {
                        ours = Json::parse(run(fmt::format(
                            "{} tune {} --search grid --grid C={} --grid gamma={} --folds 5 -o {} "
                            "--force --json",
                            MERCER_PROGRAM, data, list(prices), list(gammas), file("model"))));
                      }));
    const std::size_t all = prices.size() * gammas.size();
    std::vector<double> scores(all);
    for (const Json& c : ours["search"]["candidates"]) {
      const auto near = [](const std::vector<double>& values, double v) {
        return static_cast<std::size_t>(
            std::ranges::min_element(values, {}, [&](double w) { return std::abs(w - v); }) -
            values.begin());
      };
      const Json& p = c["parameters"];
      scores[near(gammas, p["gamma"]) * prices.size() + near(prices, p["C"])] = c["score"];
    }
    fmt::print(
        "{}: {} candidates, 5 folds, file to model {:.3f} s, {:.3g} million kernel values, "
        "best {:.4f}\n",
        name, all, time, ours["search"]["kernel_values"].get<double>() / 1e6,
        ours["search"]["best"]["score"].get<double>());
    std::fflush(stdout);
    beside_libsvm(data, prices, gammas, scores, time);
    beside_sklearn(data, prices, gammas, scores, time);
  }

  // The largest and the mean difference of two grids of accuracies: folds differ, and so does
  // chance.
  static void compare(const std::string& peer, const std::vector<double>& a,
                      const std::vector<double>& b, double time, double peer_time) {
    double worst = 0;
    double mean = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      worst = std::max(worst, std::abs(a[k] - b[k]));
      mean += (a[k] - b[k]) / static_cast<double>(a.size());
    }
    fmt::print("  {}: best {:.4f}; accuracies differ by {:.4f} at most, by {:+.4f} in the mean\n",
               peer, *std::ranges::max_element(b), worst, mean);
    constexpr double chance = 0.02;
    if (worst > chance || std::abs(mean) > chance / 4) {
      fmt::print("  the accuracies are not the same: no time is printed\n");
      return;
    }
    fmt::print("  {}: {:.1f} s, {:.1f} times as long\n", peer, peer_time, peer_time / time);
    std::fflush(stdout);
  }

  void beside_libsvm(const std::string& data, const std::vector<double>& prices,
                     const std::vector<double>& gammas, const std::vector<double>& scores,
                     double time) const {
    if (run("command -v svm-train").empty()) {
      fmt::print("  svm-train is not there, skipped (libsvm-tools)\n");
      return;
    }
    std::vector<double> theirs(scores.size());
    const double peer_time = seconds([&] {
      std::vector<std::jthread> processes;
      for (std::size_t half = 0; half < 2; ++half)
        processes.emplace_back([&, half] {
          for (std::size_t k = half; k < theirs.size(); k += 2) {
            const std::string text =
                run(fmt::format("svm-train -q -v 5 -m 1000 -c {} -g {} {}",
                                prices[k % prices.size()], gammas[k / prices.size()], data));
            const auto at = text.find("= ");
            if (at != std::string::npos) theirs[k] = std::stod(text.substr(at + 2)) / 100;
          }
        });
    });
    compare("svm-train -v in two processes", scores, theirs, time, peer_time);
  }

  static void beside_sklearn(const std::string& data, const std::vector<double>& prices,
                             const std::vector<double>& gammas, const std::vector<double>& scores,
                             double time) {
    const std::string text =
        run(fmt::format("/usr/bin/python3 {}/sklearn_grid.py {} 5 {} {} 2>/dev/null",
                        MERCER_BENCH_DIR, data, list(prices), list(gammas)));
    std::istringstream in(text);
    double peer_time = 0;
    if (!(in >> peer_time)) {
      fmt::print("  scikit-learn is not there, skipped (python3-sklearn)\n");
      return;
    }
    std::vector<double> theirs(scores.size());
    for (double& v : theirs) in >> v;
    compare("GridSearchCV(SVC, n_jobs=2)", scores, theirs, time, peer_time);
  }

  fs::path folder_;
};

}  // namespace
}  // namespace mercer

int main(int argc, char** argv) {
  try {
    const std::set<std::string> words(argv + 1, argv + argc);
    mercer::Bench bench;
    if (words.empty() || words.contains("six")) bench.six();
    if (words.empty() || words.contains("letter")) bench.letter();
  } catch (const std::exception& error) {
    std::fputs("choose_bench: ", stderr);
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return 1;
  }
  return 0;
}
