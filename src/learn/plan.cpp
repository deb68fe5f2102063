#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <mercer/error.hpp>
#include <mercer/plan.hpp>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <unistd.h>

#include "base/random.hpp"
#include "numeric/cholesky.hpp"
#include "scale/basis.hpp"
#include "scale/solve.hpp"

namespace mercer {

namespace {

using Json = nlohmann::ordered_json;

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Again until there is something to measure; the best.
template <class Work>
double best(const Work& work) {
  double least = seconds(work);
  double all = least;
  for (int i = 0; i < 20 && all < 0.1; ++i) {
    const double now = seconds(work);
    all += now;
    least = std::min(least, now);
  }
  return std::max(least, 1e-9);
}

Table part_of(const Table& table, std::size_t count, std::uint64_t seed) {
  if (count >= table.rows()) return table;
  return table.select(RandomNumbers(seed).sample(table.rows(), count));
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0;
  double resident = 0;
  if (!(file >> all >> resident)) return 0;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

class Planner {
 public:
  Planner(const PlanInput& input, const TrainOptions& options)
      : input_(input), options_(options), n_(static_cast<double>(input.rows)) {
    options_.observe = {};
    options_.checkpoint.reset();
    if (input.sample.rows() == 0) throw Error("there are no rows to plan for");
  }

  Plan run() {
    // The first, small training chooses what was not said: kernel, task.
    const TrainOptions exact = without_approx(options_);
    small_ = part_of(input_.sample, most_small, options_.seed);
    half_ = part_of(input_.sample, small_.rows() / 2, options_.seed + 1);
    Trained once;
    const double second = seconds([&] { once = train(small_, input_.encoding, exact); });
    const double first = seconds([&] { (void)train(half_, input_.encoding, exact); });
    result_.chosen = once.chosen;
    kernel_ = once.model.kernel;
    columns_ = once.model.scheme == Model::Scheme::per_class ? once.model.classes.size() : 1;
    const Json summary = Json::parse(once.model.training);
    result_.learner = summary.value("learner", "");
    resident_ = resident_bytes() - input_.row_bytes * static_cast<double>(input_.sample.rows());
    if (kernel_) measure();
    result_.routes.push_back(exact_route(once, summary, first, second));
    if (kernel_) add_nystrom();
    decide();
    return std::move(result_);
  }

 private:
  static constexpr std::size_t most_small = 3000;

  static TrainOptions without_approx(TrainOptions o) {
    o.approx.reset();
    o.loss = NystromOptions::Loss::squared;
    return o;
  }

  void measure() {
    const Points x = part_of(input_.sample, 4096, options_.seed + 2).points;
    const std::size_t rows = x.rows();
    GramOptions how = options_.gram;
    how.storage = GramOptions::Storage::recomputed;
    const std::size_t m = std::min<std::size_t>(rows, 2000);
    const Gram K(*kernel_, x, x.part(0, m), how);
    std::vector<double> V(m, 1.0);
    std::vector<double> F(rows);
    std::vector<double> out(m);
    const double values = static_cast<double>(rows) * static_cast<double>(m);
    result_.rates.values = values / best([&] { K.apply(V, 1, F); });
    result_.rates.both = values / best([&] {
                           K.apply_both(
                               V, 1,
                               [](std::size_t, std::size_t, std::span<const double> f,
                                  std::span<double> t) { std::ranges::copy(f, t.begin()); },
                               1, out);
                         });
    constexpr std::size_t size = 2560;  // smaller ones are slower than large ones
    const numeric::How threads{options_.gram.threads, options_.gram.instructions};
    const auto factor = [&]<class T>(T one) {
      std::vector<T> A(size * size);
      return best([&] {
        std::ranges::fill(A, T(0.5));
        for (std::size_t i = 0; i < size; ++i) A[i * size + i] = static_cast<T>(size) * one;
        numeric::cholesky(A.data(), size, size, threads);
      });
    };
    const double cube = std::pow(static_cast<double>(size), 3);
    result_.rates.factor = cube / 3 / factor(1.0F);
    result_.rates.double_factor = cube / 3 / factor(1.0);
    std::vector<double> C(size * size);
    const auto product = [&]<class T>(T half) {
      const std::vector<T> A(size * size, half);
      const numeric::View<T> view{A.data(), size, size, size, 1};
      return best([&] {
        if constexpr (std::is_same_v<T, float>) {
          numeric::multiply_add(view, view, C.data(), size, threads);
        } else {
          numeric::multiply_add(view, view, half, C.data(), size, numeric::Part::all, threads);
        }
      });
    };
    result_.rates.product = cube / product(1.0);
    result_.rates.float_product = cube / product(1.0F);
  }

  // Kernel values a second, there and back, for all columns at once: computed, and kept. The latter
  // of more rows than the caches have room for.
  struct PassRates {
    double computed = 0;
    double kept = 0;
  };
  [[nodiscard]] PassRates pass_rates() const {
    const Points& x = input_.sample.points;
    const std::size_t m = std::min<std::size_t>(x.rows(), 2000);
    const std::vector<double> V(m * columns_, 1.0);
    std::vector<double> out(m * columns_);
    const double values = static_cast<double>(x.rows()) * static_cast<double>(m);
    const auto rate = [&](GramOptions::Storage storage) {
      GramOptions how = options_.gram;
      how.storage = storage;
      const Gram K(*kernel_, x, x.part(0, m), how);
      const auto there_and_back = [&] {
        K.apply_both(
            V, columns_,
            [](std::size_t, std::size_t, std::span<const double> f, std::span<double> t) {
              std::ranges::copy(f, t.begin());
            },
            columns_, out);
      };
      there_and_back();
      return values / best(there_and_back);
    };
    return {rate(GramOptions::Storage::recomputed), rate(GramOptions::Storage::full)};
  }

  [[nodiscard]] double rows_bytes() const { return n_ * input_.row_bytes; }

  PlanRoute exact_route(const Trained& once, const Json& summary, double first, double second) {
    const auto small = static_cast<double>(small_.rows());
    PlanRoute route{"exact", {}, second, resident_ + 2.5 * rows_bytes(), true};
    // What is prepared for the kernel, in floats, beside the rows: 1.5 times them at most.
    if (result_.learner == "ridge" && kernel_) {
      const double matrix = 4 * n_ * n_;
      constexpr double touched = 0.7;  // of it, below the diagonal and beside
      // λ, where it is not given, is chosen on 1500 rows, whatever n: the small training has it.
      const bool factored = matrix <= static_cast<double>(input_.memory);
      const double own = factored ? small * small * small / 3 / result_.rates.factor : 0;
      const double choice = std::max(0.0, second - own);
      if (factored) {
        route.how = "a factor of n² floats, refined";
        route.seconds = choice + n_ * n_ * n_ / 3 / result_.rates.factor +
                        (0.5 + 3 * 2) * n_ * n_ / result_.rates.values;
        route.bytes += touched * matrix;
      } else {
        const double iterations = std::max(30.0, summary.value("iterations", 0.0));
        route.how = fmt::format("conjugate gradients, some {:.0f} products K·v", iterations);
        route.seconds = choice + iterations * n_ * n_ / result_.rates.values;
        route.bytes += static_cast<double>(input_.memory) / 3;
      }
    } else {
      const double ratio = small / std::max(1.0, static_cast<double>(half_.rows()));
      const double power =
          ratio > 1 ? std::clamp(std::log(second / first) / std::log(ratio), 1.0, 2.5) : 2.0;
      route.how = fmt::format("{}, growing with n^{:.2g} from {} rows on", result_.learner, power,
                              small_.rows());
      route.seconds = second * std::pow(std::max(1.0, n_ / small), power);
      if (result_.learner == "svm") {
        const double share = static_cast<double>(once.model.support.rows()) / small;
        route.bytes += std::min(static_cast<double>(input_.memory), 4 * n_ * n_ * share);
      }
    }
    route.fits = !rows_too_large(rows_bytes(), input_.memory);
    return route;
  }

  void add_nystrom() {
    const bool asked = options_.approx.has_value();
    TrainOptions o = options_;
    if (!asked) o.approx = Approximation{};
    if (!o.learner && result_.learner == "svm") o.learner = Learner::svm;
    const auto size = static_cast<double>(std::min<std::size_t>(o.approx->size, input_.rows));
    // A machine takes many passes: its trial is a smaller one.
    const bool machine = o.learner == Learner::svm;
    const std::size_t few = machine ? 100 : 400;
    const Table rows_tried =
        machine ? part_of(input_.sample, 2000, options_.seed + 3) : input_.sample;
    Trained once;
    o.approx->size = std::min(o.approx->size, few);
    // Beside the loss, which grows with the rows.
    const double share = static_cast<double>(rows_tried.rows()) / n_;
    if (o.lambda) *o.lambda *= share;
    if (machine && o.C) *o.C /= share;
    try {
      once = train(rows_tried, input_.encoding, o);
    } catch (const Error&) {
      if (asked) throw;
      return;  // this learner has none
    }
    const Json summary = Json::parse(once.model.training);
    const double passes = summary.contains("mistakes")
                              ? static_cast<double>(summary["mistakes"].size()) + 2
                              : summary.value("passes", 0.0);
    const double prepared =
        summary.contains("path") ? static_cast<double>(summary["path"].size()) + 1 : 1.0;
    const bool sketched = o.approx->kind == Approximation::Kind::sketch;
    const bool centres = o.approx->kind == Approximation::Kind::nystrom;
    const double m = size;
    PlanRoute route;
    route.name =
        centres ? fmt::format("nystrom(m={:.0f})", m)
        : sketched
            ? fmt::format("sketch(D={:.0f})", m)
            : fmt::format("{}(D={:.0f})",
                          o.approx->kind == Approximation::Kind::fourier ? "fourier" : "orthogonal",
                          m);
    const auto columns = static_cast<double>(columns_);
    const double coordinates = static_cast<double>(input_.sample.points.entries()) /
                               static_cast<double>(std::max<std::size_t>(input_.sample.rows(), 1));
    const bool doubles = o.gram.precision == GramOptions::Precision::float64;
    const double number = doubles ? 8 : 4;
    const auto memory = static_cast<double>(o.gram.memory);
    const bool kept = !sketched && scale::keeps_values(n_, m, n_ * coordinates, number, memory);
    const bool sampled = centres && !machine && m <= double(scale::most_sampled_centres);
    // An iteration wins √t, with t rows for each function: in the trial's number and in ours.
    const auto times = [&](double rows, double functions) {
      const double t = !centres ? 2
                       : sampled
                           ? static_cast<double>(scale::rows_per_centre(
                                 rows, functions, coordinates, columns, NystromOptions{}.tolerance))
                           : 1;
      return std::min(t, rows / functions);
    };
    const double mine = times(n_, m);
    const double theirs =
        times(static_cast<double>(rows_tried.rows()), static_cast<double>(o.approx->size));
    const double fewer = sampled && mine > 1 && theirs > 1 ? std::log(theirs) / std::log(mine) : 1;
    const double expected = std::max(3.0, passes * fewer);
    route.how = fmt::format("some {:.0f} passes over the rows{}", expected,
                            kept ? ", whose values are kept" : "");
    const PassRates rates = pass_rates();
    const double again = kept ? rates.kept : rates.computed;
    // Rows of a sample are solved for in floats; a machine has its own, in doubles.
    constexpr double solved = 1.1;
    const double row = m * m * (centres ? (doubles || machine ? 1.0 : solved) : 0.5) /
                       (doubles || machine ? result_.rates.product : result_.rates.float_product);
    // What the sample knows is kept for all λ of a path.
    const bool keeps_sums = !doubles && !machine && o.loss == NystromOptions::Loss::squared;
    const double summed = keeps_sums ? 1 : prepared;
    const double solves = 4 * m * m * columns / result_.rates.double_factor;
    const double factor = m * m * m / 3 / result_.rates.double_factor;
    if (machine)
      route.how += fmt::format(", and {:.0f} steps of Newton's", summary.value("factors", 0.0));
    // A machine has a factor for each of Newton's steps, of the rows in a corner: as large a share
    // of all as in the trial.
    const double factors = machine ? summary.value("factors", prepared) : prepared;
    const double cornered =
        machine ? summary.value("factor_rows", 0.0) / std::max(factors, 1.0) : 0;
    const double together = machine ? std::min(4 * m, cornered / share) : mine * m;
    route.seconds = n_ * m / rates.computed + expected * (n_ * m / again + solves) +
                    (centres ? factor + m * m / result_.rates.values : 0) +
                    (machine ? factors : summed) * together * row + factors * factor;
    route.bytes = resident_ + 8 * m * m + 256 * m * 8 * 3 + (kept ? n_ * m * number : 0) +
                  (summed < prepared ? 2 * m * m : 0);
    const double rows = rows_bytes();
    const bool on_disk = rows_too_large(rows, input_.memory);
    route.bytes += on_disk ? 64e6 : 2.5 * rows;
    if (on_disk) route.how += ", which stay on disk";
    result_.routes.push_back(std::move(route));
  }

  void decide() {
    const bool asked = options_.approx.has_value();
    if (result_.routes.size() < 2) {
      result_.why = "there is no other";
      return;
    }
    result_.taken = asked || !result_.routes[0].fits ? 1 : 0;
    result_.why = asked                ? "it is asked for"
                  : result_.taken == 0 ? "the rows fit into the memory allowed"
                                       : "the rows would take more than half of the memory allowed";
  }

  const PlanInput& input_;
  TrainOptions options_;
  double n_;
  Table small_;
  Table half_;
  std::optional<Kernel> kernel_;
  std::size_t columns_ = 1;
  double resident_ = 0;
  Plan result_;
};

}  // namespace

bool rows_too_large(double bytes, std::size_t memory) {
  return bytes > static_cast<double>(memory) / 2;
}

Plan plan(const PlanInput& input, const TrainOptions& options) {
  return Planner(input, options).run();
}

}  // namespace mercer
