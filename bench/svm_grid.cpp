// Not only on tuned pairs: the time beside svm-train for C = 2^-5 … 2^15 and γ = 2^-9 … 2^5, the
// worst ratio and the worst gap. What is below a limit of time for svm-train is exact, above it a
// lower bound of the ratio.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/libsvm.hpp>

#include "base/random.hpp"
#include "svm_workshop.hpp"

namespace mercer::bench {

namespace {

struct Worst {
  double value = 0;
  std::string where;

  void least(double v, const std::string& at) {
    if (where.empty() || v < value) *this = {v, at};
  }
  void largest(double v, const std::string& at) {
    if (where.empty() || v > value) *this = {v, at};
  }
};

struct Worsts {
  Worst ratio;  // their time to ours
  Worst gap;    // of ours
  Worst below;  // how far our dual value is below theirs, relative
  std::size_t unfinished = 0;
};

std::vector<double> powers(double from, double to, double step) {
  std::vector<double> all;
  for (std::size_t k = 0; from + static_cast<double>(k) * step < to; ++k)
    all.push_back(from + static_cast<double>(k) * step);
  all.push_back(to);
  return all;
}

void run_one(const Workshop& shop, const std::string& data, const std::string& name, double C,
             double gamma, double limit, Worsts& worst) {
  const std::string at = fmt::format("{} C=2^{:g} γ=2^{:g}", name, std::log2(C), std::log2(gamma));
  Ours ours = shop.ours(data, fmt::format("-k 'rbf({})' -C {}", gamma, C));
  const double again = shop.ours(data, fmt::format("-k 'rbf({})' -C {}", gamma, C)).seconds;
  ours.seconds = std::min(ours.seconds, again);
  const double dual = ours.number("dual");
  const double primal = ours.number("primal");
  if (!ours.said["converged"].get<bool>()) {
    ++worst.unfinished;
    fmt::print("{}: NOT CONVERGED: {}\n", at, ours.said["training"].value("message", ""));
  }
  worst.gap.largest(ours.number("gap"), at);
  fmt::print("{:<32} {:>8.3f} s, gap {:.1e}", at, ours.seconds, ours.number("gap"));
  std::fflush(stdout);
  if (shop.peer()) {
    Theirs theirs = shop.theirs(data, fmt::format("-c {} -g {}", C, gamma), limit);
    if (theirs.ended) theirs.dual = dual_of(read_libsvm_model(shop.file("theirs")));
    if (theirs.ended) {
      // No dual value is above a primal one, whoever found it.
      if (theirs.dual > primal * (1 + 1e-5))
        throw Error(fmt::format("{}: the dual value of LIBSVM is {}, our primal one {}", at,
                                theirs.dual, primal));
      const double below = (theirs.dual - dual) / theirs.dual;
      worst.below.largest(below, at);
      if (below > 1e-3)
        throw Error(fmt::format("{}: our dual value is {}, LIBSVM's {}", at, dual, theirs.dual));
      fmt::print("; LIBSVM {:>8.3f} s{}, {:.1e} above ours", theirs.seconds,
                 theirs.gave_up ? " (gave up)" : "", below);
    } else {
      fmt::print("; LIBSVM > {:g} s", limit);
    }
    const double ratio = theirs.seconds / ours.seconds;
    worst.ratio.least(ratio, at);
    fmt::print(": {}{:.1f}x", theirs.ended ? "" : "> ", ratio);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

void svm_grid(const Workshop& shop, bool full) {
  // Samples, so that all of svm-train's runs take some minutes; `full`: all rows, every 2^2.
  struct Set {
    const char* name;
    std::size_t rows;
  };
  const double limit = full ? 600 : 20;
  Worsts worst;
  for (const Set& set : {Set{"spam", 1500}, Set{"letter", 3000}, Set{"ijcnn1", 3000}}) {
    const auto train = shop.unpacked(std::string(set.name) + ".train");
    if (!train) continue;
    std::string data = *train;
    if (!full) {
      const Table table = read_table(*train);
      data = shop.file(std::string(set.name) + ".part");
      write_table(data, table.select(RandomNumbers(1).sample(table.rows(), set.rows)),
                  {.format = FileFormat::libsvm});
    }
    for (const double c : powers(-5, 15, full ? 2 : 4))
      for (const double g : powers(-9, 5, full ? 2 : 3))
        run_one(shop, data, set.name, std::exp2(c), std::exp2(g), limit, worst);
  }
  if (worst.gap.where.empty()) return;
  fmt::print("worst gap {:.1e} ({}), {} not converged\n", worst.gap.value, worst.gap.where,
             worst.unfinished);
  if (worst.ratio.where.empty()) return;
  fmt::print("farthest below LIBSVM's dual value: {:.1e} ({})\n", worst.below.value,
             worst.below.where);
  fmt::print("worst ratio {:.2f}x ({})\n", worst.ratio.value, worst.ratio.where);
}

}  // namespace mercer::bench
