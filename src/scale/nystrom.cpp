#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
      sum += examples.weights[i] * (loss == NystromOptions::Loss::squared
                                        ? (f(i, c) - y) * (f(i, c) - y)
                                        : std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t))));
    }
    weight += examples.weights[i];
  }
  return weight > 0 ? sum / weight : 0;
}

class Solver {
 public:
  Solver(Crew& crew, const Kernel& k, const NystromOptions& options)
      : crew_(crew), kernel_(k), options_(options) {}

  // With these centres (or frequencies), of which the factor keeps some.
  Nystrom run(const Points& centres, const Factor& factor, const Sample& sample, double size) {
    Nystrom result;
    result.left_out = centres.rows() - factor.size();
    result.centres = result.left_out == 0 ? centres : centres.select(factor.kept());
    if (factor.size() == 0)
      throw Error("the kernel is 0 at every centre: there is nothing to learn with");
    crew_.set_centres(kernel_, result.centres, options_.gram);
    Falkon falkon(crew_, factor, sample, options_);
    result.lambda = options_.lambda ? *options_.lambda : choose(falkon, result, size);
    if (!falkon.interrupted) falkon.solve(result.lambda, options_.tolerance);
    result.alpha = falkon.alpha();
    result.converged = falkon.converged;
    result.interrupted = falkon.interrupted;
    result.residual = falkon.residual;
    result.iterations = falkon.iterations;
    result.newton_steps = falkon.newton_steps;
    result.loss = falkon.loss;
    result.passes = crew_.passes();
    if (result.interrupted) {
      result.message = fmt::format("interrupted at a residual of {:.2g}", result.residual);
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
  double choose(Falkon& falkon, Nystrom& result, double size) {
    constexpr double rough = 1e-3;
    constexpr double worth_it = 0.999;
    constexpr int smallest = -10;
    const std::size_t n = crew_.rows();
    if (n < 5) throw Error("lambda cannot be chosen from fewer than 5 examples: say which");
    const auto rows =
        sample_of(n, std::clamp<std::size_t>(n / 5, 1, most_held_out), options_.seed + 4);
    const auto examples = crew_.fetch(rows);
    crew_.leave_out(rows);
    const Gram K(kernel_, examples.points, result.centres, options_.gram);
    result.held_out = rows.size();
    std::size_t best = 0;
    int worse = 0;
    Matrix f = Matrix::zeros(rows.size(), crew_.width());
    for (int power = -1; power >= smallest && worse < 2 && !falkon.interrupted; --power) {
      const double lambda = size * static_cast<double>(n) * std::pow(10.0, power);
      falkon.solve(lambda, rough);
      K.apply(falkon.alpha().values, crew_.width(), f.values);
      const double loss = mean_loss(examples, f, options_.loss);
      const bool better = result.path.empty() || loss < worth_it * result.path[best].held_out;
      worse = better ? 0 : worse + 1;
      if (better) best = result.path.size();
      result.path.push_back({lambda, loss});
    }
    crew_.leave_out({});
    falkon.rows_changed();
    return result.path[best].lambda;
  }

  Crew& crew_;
  const Kernel& kernel_;
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

// The rows that the preconditioner knows. The centres alone are few: with some times as many rows
// the iterations are far fewer, and for m that are not too large that costs less than they would.
Sample sample_for(Crew& crew, const Kernel& k, const Centres& centres, const Factor& factor,
                  const NystromOptions& options) {
  constexpr std::size_t largest = 3000;
  constexpr std::size_t times = 4;
  Sample sample;
  const std::size_t n = crew.rows();
  const std::size_t m = factor.size();
  if (m <= largest) {
    const auto some = crew.fetch(sample_of(n, times * m, options.seed + 5));
    const std::size_t rows = some.points.rows();
    sample.values = Matrix::zeros(rows, m);
    Gram(k, some.points, centres.points.select(factor.kept()), options.gram)
        .block(Rows::all(), Rows::all(), sample.values.values.data(), m);
    for (const double w : some.weights)
      sample.D.push_back(w * static_cast<double>(n) / static_cast<double>(rows));
    return sample;
  }
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

}  // namespace

// Where a whole kernel matrix is asked for, floats are the limit.
double dependence(const GramOptions& gram) {
  return gram.precision == GramOptions::Precision::float64 ? 1e-10 : 1e-7;
}

Nystrom nystrom(Crew& crew, const Kernel& k, const NystromOptions& options) {
  check(options);
  Centres centres = choose_centres(crew, k, options);
  const Factor factor(k, centres.points, dependence(options.gram),
                      {options.gram.threads, options.gram.instructions});
  const Sample sample = sample_for(crew, k, centres, factor, options);
  const double size = size_of(k, centres.points, centres.D, crew.rows());
  return Solver(crew, k, options).run(centres.points, factor, sample, size);
}

Nystrom in_features(Crew& crew, const Kernel& k, const Points& frequencies,
                    const std::vector<double>& amplitudes, const NystromOptions& options) {
  check(options);
  std::vector<double> price;
  for (const double a : amplitudes) price.push_back(1 / a);
  const Factor factor(price, {options.gram.threads, options.gram.instructions});
  const std::size_t n = crew.rows();
  const auto some = crew.fetch(sample_of(n, 2 * frequencies.rows(), options.seed));
  Sample sample;
  sample.values = Matrix::zeros(some.points.rows(), frequencies.rows());
  Gram(k, some.points, frequencies, options.gram)
      .block(Rows::all(), Rows::all(), sample.values.values.data(), frequencies.rows());
  double weight = 0;
  for (const double w : some.weights) {
    sample.D.push_back(w * static_cast<double>(n) / static_cast<double>(some.points.rows()));
    weight += w / static_cast<double>(some.points.rows());
  }
  // Σ φ_j² is k(x,x), and that Σ amplitudes² up to a factor.
  double squares = 0;
  for (const double a : amplitudes) squares += a * a;
  const double size = std::pow(10.0, std::round(std::log10(std::max(squares * weight, 1e-300))));
  return Solver(crew, k, options).run(frequencies, factor, sample, size);
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
    if (options.loss == NystromOptions::Loss::logistic && v != 1 && v != -1)
      throw Error(fmt::format("label {} is neither +1 nor -1, which the logistic loss needs",
                              i / y.columns + 1));
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
