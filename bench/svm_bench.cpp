// How fast are support vector machines trained? Whole commands, file to model, beside LIBSVM's
// svm-train in one run; the objectives are compared before any time is printed.
//
//     svm_bench [letter] [usps] …   without a word these, memory and growth; all but mnist, which
//                                   takes LIBSVM ten minutes
//     svm_bench memory              the time against the memory for kernel values (usps)
//     svm_bench growth              the time against n, on samples of covtype
//     svm_bench grid [full]         not only tuned pairs: many C and γ, and the worst of them
//     svm_bench exact [SET]         are the answers right, on every data set?
//     svm_bench intelex             beside scikit-learn-intelex; MERCER_PYTHON names a python that
//                                   has it (python3 -m venv V; V/bin/pip install
//                                   scikit-learn-intelex; MERCER_PYTHON=V/bin/python)
//
// Data come from MERCER_DATA (default ../shared/data); what is missing is skipped, aloud.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <optional>
#include <set>

#include "base/machine.hpp"
#include "base/random.hpp"
#include "peak.hpp"
#include "svm_workshop.hpp"

namespace mercer {
namespace {

using bench::Json;
using bench::run;
using bench::seconds;
using bench::Theirs;
using bench::Workshop;

struct Case {
  const char* name;
  const char* C;
  const char* gamma;
};
constexpr std::array cases{Case{"letter", "16", "8"},
                           Case{"usps", "10", "0.0078125"},
                           Case{"spam", "10", "0.5"},
                           Case{"ijcnn1", "32", "2"},
                           Case{"shuttle", "1024", "8"},
                           Case{"a9a", "1", "0.05"},
                           Case{"reuters-money-fx", "10", "0.5"},
                           Case{"mnist", "10", "0.02"}};

class Bench {
 public:
  void run_case(const Case& c) {
    const auto train = unpacked(std::string(c.name) + ".train");
    const auto test = unpacked(std::string(c.name) + ".test");
    if (!train || !test) return;
    const bool large = std::string(c.name) == "mnist";
    Json ours;
    const auto train_ours = [&] { ours = trained(*train, c, ""); };
    const double time = large ? seconds(train_ours) : machine_.best_of(3, train_ours);
    const Json measured = Json::parse(
        run(fmt::format("{} evaluate {} {} --json", MERCER_PROGRAM, file("ours"), *test)));
    fmt::print("{:<17} {:>8.3f} s  {:>6} support vectors, {:.2f} % right, gap {:.1e}", c.name, time,
               ours["training"]["support"].get<int>(), 100 * measured["accuracy"].get<double>(),
               ours["training"]["gap"].get<double>());
    std::fflush(stdout);
    if (shop_.peer()) beside_libsvm(c, *train, *test, ours, measured, time);
    fmt::print("\n");
    std::fflush(stdout);
  }

  void memory() {
    const auto train = unpacked("usps.train");
    if (!train) return;
    // n = 7291: all of K is 213 MB. Below 30 the rows would be too many to learn exactly.
    for (const int mib : {32, 64, 128, 192, 208, 224, 512}) {
      double time = 1e300;
      for (int r = 0; r < 3; ++r)
        time = std::min(time, seconds([&] {
                          trained(*train, {"usps", "10", "0.0078125"},
                                  fmt::format("--multiclass rest --memory {}", mib));
                        }));
      fmt::print("usps, each class against the rest, {:>4} MiB: {:.3f} s\n", mib, time);
    }
  }

  [[nodiscard]] const Workshop& shop() const { return shop_; }

  void growth() {
    const auto train = unpacked("covtype.train");
    if (!train) return;
    Table table = read_table(*train);
    for (double& label : table.labels.numbers) label = label == 2 ? 1 : -1;
    std::vector<std::pair<double, double>> points;
    for (std::size_t n = 2000; n < table.rows(); n *= 2) {
      write_table(file("part"), table.select(RandomNumbers(1).sample(table.rows(), n)),
                  {.format = FileFormat::libsvm});
      const double time = seconds([&] { trained(file("part"), {"covtype", "10", "4"}, ""); });
      points.emplace_back(std::log(static_cast<double>(n)), std::log(time));
      fmt::print("covtype, class 2 against the rest, n = {:>6}: {:.3f} s\n", n, time);
      std::fflush(stdout);
    }
    double x = 0;
    double y = 0;
    double xx = 0;
    double xy = 0;
    for (const auto& [a, b] : points) {
      x += a;
      y += b;
      xx += a * a;
      xy += a * b;
    }
    const auto count = static_cast<double>(points.size());
    fmt::print("time grows as n^{:.2f}\n", (count * xy - x * y) / (count * xx - x * x));
  }

 private:
  [[nodiscard]] std::string file(const std::string& name) const { return shop_.file(name); }
  std::optional<std::string> unpacked(const std::string& name) { return shop_.unpacked(name); }

  Json trained(const std::string& data, const Case& c, const std::string& more) {
    return shop_.ours(data, fmt::format("-k 'rbf({})' -C {} {}", c.gamma, c.C, more)).said;
  }

  void beside_libsvm(const Case& c, const std::string& train, const std::string& test,
                     const Json& ours, const Json& measured, double time) {
    Theirs other;
    const auto train_theirs = [&] {
      other = shop_.theirs(train, fmt::format("-c {} -g {}", c.C, c.gamma));
    };
    double theirs = seconds(train_theirs);
    constexpr double long_enough = 10;  // for what happens now and then to make no difference
    if (theirs < long_enough) theirs = machine_.best_of(2, train_theirs);
    const double objective = other.dual;
    const double dual = ours["training"]["dual"].get<double>();
    // Both are below the optimum by no more than their gap.
    if (std::abs(dual - objective) > 1e-4 * objective)
      throw Error(fmt::format("{}: the dual value is {}, LIBSVM's {}", c.name, dual, objective));
    const std::string accuracy =
        run(fmt::format("svm-predict {} {} {} 2>&1", test, file("theirs"), file("answers")));
    const auto at = accuracy.find("= ");
    const double right =
        at == std::string::npos ? 0 : std::strtod(accuracy.c_str() + at + 2, nullptr);
    fmt::print("; LIBSVM {:.3f} s, {:.2f} % right: {:.1f}x, objectives {:.1e} apart", theirs, right,
               theirs / time, (dual - objective) / objective);
    if (std::abs(right - 100 * measured["accuracy"].get<double>()) > 0.1)
      fmt::print(" (the accuracies differ)");
  }

  Workshop shop_;
  bench::AtPeak machine_{hardware_threads()};
};

}  // namespace

int run_all(int argc, char** argv) {
  const std::set<std::string> wanted(argv + 1, argv + argc);
  const std::string first = argc > 1 ? argv[1] : "";
  const std::string second = argc > 2 ? argv[2] : "";
  Bench bench;
  if (first == "grid" && (second.empty() || second == "full")) {
    bench::svm_grid(bench.shop(), second == "full");
    return 0;
  }
  if (first == "exact") {
    bench::svm_exact(bench.shop(), second);
    return 0;
  }
  if (first == "intelex") {
    bench::svm_intelex(bench.shop());
    return 0;
  }
  std::set<std::string> known{"memory", "growth"};
  for (const Case& c : cases) known.insert(c.name);
  for (const auto& word : wanted)
    if (!known.contains(word)) throw Error("there is no benchmark `" + word + "`");
  for (const Case& c : cases)
    if (wanted.contains(c.name) || (wanted.empty() && std::string(c.name) != "mnist"))
      bench.run_case(c);
  if (wanted.contains("memory") || wanted.empty()) bench.memory();
  if (wanted.contains("growth") || wanted.empty()) bench.growth();
  return 0;
}

}  // namespace mercer

int main(int argc, char** argv) {
  try {
    return mercer::run_all(argc, argv);
  } catch (const std::exception& error) {
    std::fputs("svm_bench: ", stderr);
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return 1;
  }
}
