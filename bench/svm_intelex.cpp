// Beside scikit-learn-intelex, which is Intel's oneDAL under scikit-learn's name: the whole process
// of each, file to answer, and what each says of the fit alone.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <sstream>

#include "svm_workshop.hpp"

namespace mercer::bench {

namespace {

struct Case {
  const char* name;
  const char* C;
  const char* gamma;
};
constexpr std::array cases{Case{"spam", "10", "0.5"},
                           Case{"letter", "16", "8"},
                           Case{"usps", "10", "0.0078125"},
                           Case{"ijcnn1", "32", "2"},
                           Case{"shuttle", "1024", "8"},
                           Case{"a9a", "1", "0.05"},
                           Case{"reuters-money-fx", "10", "0.5"}};

void run_case(const Workshop& shop, const std::string& python, const Case& c) {
  const auto train = shop.unpacked(std::string(c.name) + ".train");
  const auto test = shop.unpacked(std::string(c.name) + ".test");
  if (!train || !test) return;
  Ours ours;
  double whole = 1e300;
  double fit = 1e300;
  for (int r = 0; r < 3; ++r) {
    ours = shop.ours(*train, fmt::format("-k 'rbf({})' -C {}", c.gamma, c.C));
    whole = std::min(whole, ours.seconds);
    fit = std::min(fit, ours.said["seconds"].get<double>());
  }
  const Json measured = Json::parse(
      run(fmt::format("{} evaluate {} {} --json", MERCER_PROGRAM, shop.file("ours"), *test)));
  std::string said;
  const double theirs = seconds([&] {
    said = run(fmt::format("{} {}/sklearnex_svm.py {} {} {} {} {} 2>/dev/null", python,
                           MERCER_BENCH_DIR, *train, *test, c.C, c.gamma,
                           ours.said["columns"].get<std::size_t>()));
  });
  double their_fit = 0;
  double right = 0;
  double of = 0;
  double support = 0;
  std::string dual_text;
  std::istringstream words(said);
  if (!(words >> their_fit >> right >> of >> support >> dual_text))
    throw Error(fmt::format("{}: scikit-learn-intelex said `{}`", c.name, said));
  const double dual = std::strtod(dual_text.c_str(), nullptr);
  // No dual value is above a primal one, and ours is to be no worse.
  if (dual > ours.number("primal") * (1 + 1e-4) || dual > ours.number("dual") * (1 + 1e-3))
    throw Error(
        fmt::format("{}: their dual value is {}, ours {}", c.name, dual, ours.number("dual")));
  const double accuracy = 100 * measured["accuracy"].get<double>();
  fmt::print("{:<17} {:.2f} % right, theirs {:.2f} %", c.name, accuracy, 100 * right / of);
  if (std::isfinite(dual))
    fmt::print(", their dual value is {:.1e} above ours", dual / ours.number("dual") - 1);
  fmt::print(
      "; the fit {:.3f} s, theirs {:.3f} s: {:.1f}x; the whole {:.3f} s, theirs with its "
      "predictions {:.3f} s\n",
      fit, their_fit, their_fit / fit, whole, theirs);
  std::fflush(stdout);
}

}  // namespace

void svm_intelex(const Workshop& shop) {
  const char* named = std::getenv("MERCER_PYTHON");
  const std::string python = named != nullptr ? named : "python3";
  if (run(python + " -c 'import sklearnex; print(1)' 2>/dev/null").empty()) {
    fmt::print(
        "scikit-learn-intelex is not there, skipped (MERCER_PYTHON names a python that has it)\n");
    return;
  }
  for (const Case& c : cases) run_case(shop, python, c);
}

}  // namespace mercer::bench
