#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/nystrom.hpp>

#include "scale/centres.hpp"
#include "scale/crew.hpp"
#include "scale/factor.hpp"
#include "scale/falkon.hpp"
#include "scale/solve.hpp"

namespace mercer {

namespace scale {

namespace {

constexpr std::size_t most_held_out = 5000;

double mean_loss(const Crew::Chosen& examples, const Matrix& f, NystromOptions::Loss loss) {
  double sum = 0;
  double weight = 0;
  for (std::size_t i = 0; i < f.rows; ++i) {
    for (std::size_t c = 0; c < f.columns; ++c) {
      const double y = examples.y(i, c);
      const double t = -y * f(i, c);
      double value = 0;
      switch (loss) {
        case NystromOptions::Loss::squared:
          value = (f(i, c) - y) * (f(i, c) - y);
          break;
        case NystromOptions::Loss::logistic:
          value = std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t)));
          break;
        case NystromOptions::Loss::hinge:
          value = std::max(0.0, 1 + t);
          break;
      }
      sum += examples.weights[i] * value;
    }
    weight += examples.weights[i];
  }
  return weight > 0 ? sum / weight : 0;
}

// Whether passes may add up floats. Their sums are off by some 1e-7 of what is added up; L⁻¹
// enlarges that where centres are nearly dependent, and A⁻¹ where λ is small beside the trace,
// `size` for each row. What is left must be far below the tolerance, since no pass looks at the
// true residual.
bool rough_sums_do(const NystromOptions& options, const Factor& factor, double rows, double size) {
  constexpr double independent = 1e-2;
  constexpr double large = 1e-6;
  constexpr double loose = 1e-5;
  return options.loss == NystromOptions::Loss::squared && options.tolerance >= loose &&
         factor.least_left() >= independent && options.lambda &&
         *options.lambda >= large * rows * size;
}

class Solver {
 public:
  Solver(Crew& crew, const NystromOptions& options) : crew_(crew), options_(options) {}

  Nystrom run(const Basis& basis, Factor& factor, const Sample& sample, double size) {
    Nystrom result;
    result.centres = basis.centres;
    GramOptions passes = options_.gram;
    passes.rough_sums = rough_sums_do(options_, factor, static_cast<double>(crew_.rows()), size);
    crew_.set_basis(basis, passes);
    Falkon falkon(crew_, factor, basis, sample, options_);
    result.lambda = options_.lambda ? *options_.lambda : choose(falkon, basis, result, size);
    if (!falkon.interrupted) falkon.solve(result.lambda, options_.tolerance);
    result.alpha = falkon.alpha();
    result.offsets = falkon.offsets();
    // Over C, as it was solved.
    result.primal = falkon.primal / (2 * result.lambda);
    result.dual = falkon.dual / (2 * result.lambda);
    result.converged = falkon.converged;
    result.interrupted = falkon.interrupted;
    result.residual = falkon.residual;
    result.iterations = falkon.iterations;
    result.newton_steps = falkon.newton_steps;
    result.factors = falkon.factors;
    result.factor_rows = falkon.factor_rows;
    result.loss = falkon.loss;
    result.passes = crew_.passes();
    if (result.interrupted) {
      result.message = fmt::format("interrupted at a residual of {:.2g}", result.residual);
    } else if (!result.converged && options_.loss == NystromOptions::Loss::hinge) {
      result.message = fmt::format("stopped at a gap of {:.2g}, above the tolerance of {:.2g}",
                                   result.residual, options_.tolerance);
    } else if (!result.converged) {
      result.message = fmt::format(
          "stopped at a residual of {:.2g}, above the tolerance of {:.2g}: a larger lambda is "
          "easier to solve",
          result.residual, options_.tolerance);
    }
    return result;
  }

 private:
  // From large to small, each from the answer of the one before; ends where two in a row are worse
  // than the best. Rough answers are enough to compare.
  double choose(Falkon& falkon, const Basis& basis, Nystrom& result, double size) {
    const bool hinge = options_.loss == NystromOptions::Loss::hinge;
    const double rough = hinge ? 2e-2 : 1e-3;
    falkon.rough = true;
    constexpr double worth_it = 0.999;
    const std::size_t n = crew_.rows();
    if (n < 5) throw Error("lambda cannot be chosen from fewer than 5 examples: say which");
    const auto rows =
        sample_of(n, std::clamp<std::size_t>(n / 5, 1, most_held_out), options_.seed + 4);
    const auto examples = crew_.fetch(rows);
    crew_.leave_out(rows);
    result.held_out = rows.size();
    std::size_t best = 0;
    int worse = 0;
    // Of the hinge C k(x,x) is 0.01 … 100; others are prices beside the n of the loss.
    const int largest = hinge ? 2 : -1;
    const int smallest = hinge ? -2 : -10;
    const double unit = size * (hinge ? 0.5 : static_cast<double>(n));
    for (int power = largest; power >= smallest && worse < 2 && !falkon.interrupted; --power) {
      const double lambda = unit * std::pow(10.0, power);
      falkon.solve(lambda, rough);
      Matrix f = basis.product(examples.points, falkon.alpha(), options_.gram);
      for (std::size_t i = 0; i < f.rows; ++i)
        for (std::size_t c = 0; c < f.columns; ++c) f(i, c) += falkon.offsets()[c];
      const double loss = mean_loss(examples, f, options_.loss);
      const bool better = result.path.empty() || loss < worth_it * result.path[best].held_out;
      worse = better ? 0 : worse + 1;
      if (better) best = result.path.size();
      result.path.push_back({lambda, loss});
    }
    crew_.leave_out({});
    falkon.rows_changed();
    falkon.rough = false;
    return result.path[best].lambda;
  }

  Crew& crew_;
  const NystromOptions& options_;
};

// 10 to a whole power, near to the mean of k(x,x) times that of the weights.
double size_of(const Kernel& k, const Points& centres, const std::vector<double>& D,
               std::size_t n) {
  std::vector<double> own(centres.rows());
  Gram(k, centres, GramOptions{}).diagonal(own);
  double mean = 0;
  for (const double v : own) mean += std::abs(v) / static_cast<double>(own.size());
  double weight = 0;
  for (const double d : D) weight += d / static_cast<double>(n);
  const double size = (mean > 0 ? mean : 1) * (weight > 0 ? weight : 1);
  return std::pow(10.0, std::round(std::log10(size)));
}

void check(const NystromOptions& o) {
  if (o.lambda && (!(*o.lambda > 0) || !std::isfinite(*o.lambda)))
    throw Error("lambda is a number > 0");
  if (!(o.tolerance > 0)) throw Error("the tolerance is a number > 0");
}

// So many rows, each of which stands for as many as there are for it.
Sample sample_of_rows(Crew& crew, const Basis& basis, std::size_t count, std::uint64_t seed,
                      const GramOptions& gram) {
  const std::size_t n = crew.rows();
  const auto some = crew.fetch(sample_of(n, count, seed));
  Sample sample{.points = some.points, .basis = &basis, .gram = gram, .y = some.y};
  sample.add_others = [&crew](const SampleRows& rows, Triangle& to, Matrix& right) {
    crew.add_sample(rows, to, right);
  };
  for (const double w : some.weights)
    sample.D.push_back(w * static_cast<double>(n) / static_cast<double>(some.points.rows()));
  return sample;
}

// The rows that the preconditioner knows: a sample, or for m that are large the centres.
Sample sample_for(Crew& crew, const Basis& basis, const Centres& centres, const Factor& factor,
                  const NystromOptions& options) {
  if (options.loss == NystromOptions::Loss::hinge) return {};  // it looks for rows of its own
  if (factor.size() <= most_sampled_centres) {
    const std::size_t times = rows_per_centre(
        static_cast<double>(crew.rows()), static_cast<double>(factor.size()),
        crew.entries_per_row(), static_cast<double>(crew.width()), options.tolerance);
    return sample_of_rows(crew, basis, times * factor.size(), options.seed + 5, options.gram);
  }
  Sample sample;
  // Those left out are like those kept: the weight that they stand for goes to all.
  double all = 0;
  double kept = 0;
  for (const double d : centres.D) all += d;
  for (const std::size_t j : factor.kept()) {
    sample.D.push_back(centres.D[j]);
    kept += centres.D[j];
  }
  if (kept > 0)
    for (double& d : sample.D) d *= all / kept;
  return sample;
}

// Features of which Σ φ_j(x)² is about `square`; their prices are 1/amplitudes².
Nystrom in_basis(Crew& crew, const Basis& basis, const std::vector<double>& amplitudes,
                 const Sample& sample, double square, const NystromOptions& options) {
  std::vector<double> price;
  price.reserve(amplitudes.size());
  for (const double a : amplitudes) price.push_back(1 / a);
  Factor factor(price, {options.gram.threads, options.gram.instructions});
  double weight = 0;
  for (const double d : sample.D) weight += d / static_cast<double>(crew.rows());
  const double size = std::pow(10.0, std::round(std::log10(std::max(square * weight, 1e-300))));
  return Solver(crew, options).run(basis, factor, sample, size);
}

}  // namespace

// The centres alone are few. With t m rows
// the error falls by √t in each iteration (the eigenvalues of a sample of independent rows are
// between (1 ± 1/√t)² of the true ones), and t m³ multiply-adds are the price, half of it to solve
// for triangles. What a pass takes is counted in such, too: for
// each value its coordinates, its exponential, and the products in double. Beyond some coordinates
// the values are worth keeping, and cost no more.
std::size_t rows_per_centre(double n, double m, double coordinates, double columns,
                            double tolerance) {
  constexpr double solved = 1.1;
  constexpr double exponential = 16;
  constexpr double worth_keeping = 64;
  const double pass = n * m * (std::min(coordinates, worth_keeping) + exponential + 4 * columns);
  std::size_t best = 4;
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t times : {4U, 8U, 16U, 32U}) {
    const double passes = std::log(1 / tolerance) / std::log(std::sqrt(static_cast<double>(times)));
    const double price = solved * static_cast<double>(times) * m * m * m + passes * pass;
    if (price >= least) continue;
    least = price;
    best = times;
  }
  return best;
}

// Where a whole kernel matrix is asked for, floats are the limit.
double dependence(const GramOptions& gram) {
  return gram.precision == GramOptions::Precision::float64 ? 1e-10 : 1e-7;
}

ChosenCentres chosen_centres(Crew& crew, const Kernel& k, const NystromOptions& options) {
  Centres centres = choose_centres(crew, k, options);
  Factor factor(k, centres.points, dependence(options.gram),
                {options.gram.threads, options.gram.instructions});
  if (factor.size() == 0)
    throw Error("the kernel is 0 at every centre: there is nothing to learn with");
  const bool all = factor.size() == centres.points.rows();
  Basis basis{k, all ? centres.points : centres.points.select(factor.kept()), {}};
  return {std::move(centres), std::move(factor), std::move(basis)};
}

Nystrom nystrom(Crew& crew, const Kernel& k, const NystromOptions& options) {
  check(options);
  ChosenCentres chosen = chosen_centres(crew, k, options);
  auto& [centres, factor, basis] = chosen;
  const std::size_t left_out = centres.points.rows() - factor.size();
  const Sample sample = sample_for(crew, basis, centres, factor, options);
  const double size = size_of(k, centres.points, centres.D, crew.rows());
  Nystrom result = Solver(crew, options).run(basis, factor, sample, size);
  result.left_out = left_out;
  return result;
}

Nystrom in_features(Crew& crew, const Kernel& k, const Points& frequencies,
                    const std::vector<double>& amplitudes, const NystromOptions& options) {
  check(options);
  const Basis basis{k, frequencies, {}};
  const Sample sample = sample_of_rows(crew, basis, 2 * basis.size(), options.seed, options.gram);
  // Σ φ_j² is k(x,x), and that Σ amplitudes² up to a factor.
  double squares = 0;
  for (const double a : amplitudes) squares += a * a;
  return in_basis(crew, basis, amplitudes, sample, squares, options);
}

Nystrom in_sketch(Crew& crew, const Sketch& sketch, const NystromOptions& options) {
  check(options);
  const Basis basis{{}, {}, sketch};
  const Sample sample = sample_of_rows(crew, basis, 2 * basis.size(), options.seed, options.gram);
  const auto norms = sketch.norms(sample.points);
  double mean = 0;
  for (const double v : norms) mean += v / static_cast<double>(sample.points.rows());
  return in_basis(crew, basis, std::vector<double>(basis.size(), 1.0), sample, mean, options);
}

}  // namespace scale

Nystrom nystrom(const Kernel& k, const Points& x, const Matrix& y, const NystromOptions& options) {
  const std::size_t n = x.rows();
  if (n == 0) throw Error("there are no examples to learn from");
  if (y.rows != n || y.columns == 0)
    throw Error(fmt::format("there are {} examples, but {} labels", n, y.rows));
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    const double v = y.values[i];
    if (!std::isfinite(v))
      throw Error(fmt::format("label {} is not a finite number", i / y.columns + 1));
    if (options.loss != NystromOptions::Loss::squared && v != 1 && v != -1)
      throw Error(fmt::format("label {} is neither +1 nor -1, which the {} loss needs",
                              i / y.columns + 1,
                              options.loss == NystromOptions::Loss::hinge ? "hinge" : "logistic"));
  }
  if (!options.weights.empty() && options.weights.size() != n)
    throw Error(fmt::format("there are {} examples, but {} weights", n, options.weights.size()));
  for (std::size_t i = 0; i < options.weights.size(); ++i)
    if (!(options.weights[i] >= 0) || !std::isfinite(options.weights[i]))
      throw Error(fmt::format("weight {} is not a number >= 0", i + 1));
  scale::Examples mine{.points = x, .first = 0, .all = n, .columns = y.columns};
  mine.numbers = y.values;
  mine.weights = options.weights;
  scale::Crew crew(comm::alone(), mine);
  return scale::nystrom(crew, k, options);
}

}  // namespace mercer
