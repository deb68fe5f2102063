// How fast is learning, and prediction? Beside LIBSVM and scikit-learn in one run, after the
// answers were compared; and the dense linear algebra under it beside the machine's peak.
//
//     learn_bench [dense] [predict] [ridge] [perceptron] [gd]      without a word: all of them
//
// Data come from MERCER_DATA (default ../shared/data); what is missing is skipped, aloud.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mercer/error.hpp>
#include <mercer/model.hpp>
#include <mercer/train.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/machine.hpp"
#include "base/random.hpp"
#include "command.hpp"
#include "gram/choose.hpp"
#include "numeric/cholesky.hpp"
#include "numeric/eigen.hpp"
#include "peak.hpp"
#include "roofline.hpp"
#include "timing.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;
using bench::best_of;
using bench::run;
using bench::seconds;

unsigned threads() { return hardware_threads(); }

std::optional<Table> data(const std::string& name) {
  const char* folder = std::getenv("MERCER_DATA");
  const fs::path path =
      fs::path(folder != nullptr ? folder : MERCER_DEFAULT_DATA) / (name + ".libsvm.gz");
  if (!fs::exists(path)) {
    fmt::print("{}: not there, skipped (MERCER_DATA names the folder)\n", path.string());
    return std::nullopt;
  }
  return read_table(path.string());
}

Points dense_points(const Points& x, std::size_t rows) {
  std::vector<double> values(rows * x.columns());
  for (std::size_t i = 0; i < rows; ++i)
    x.row(i, std::span(values).subspan(i * x.columns(), x.columns()));
  return Points::own(std::move(values), rows, x.columns());
}

Matrix one_against_all(const Labels& labels) {
  const Classes classes = classes_of(labels);
  Matrix y{labels.size(),
           classes.names.size(),
           std::vector<double>(labels.size() * classes.names.size(), -1.0),
           {}};
  for (std::size_t i = 0; i < labels.size(); ++i)
    y(i, static_cast<std::size_t>(classes.codes[i])) = 1;
  return y;
}

// ---- dense linear algebra

template <class T>
void dense_line(const char* name, std::size_t n, double peak) {
  RandomNumbers random(1);
  std::vector<T> A(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      A[i * n + j] = A[j * n + i] = static_cast<T>(i == j ? double(n) : random.normal());
  std::vector<T> C(n * n);
  const numeric::View<T> view{A.data(), n, n, n, 1};
  const double product = best_of(3, [&] { numeric::multiply_add(view, view, T(1), C.data(), n); });
  const double cube = std::pow(static_cast<double>(n), 3);
  double factor = 1e300;
  for (int r = 0; r < 3; ++r) {
    C = A;
    factor = std::min(factor, seconds([&] { numeric::cholesky(C.data(), n, n); }));
  }
  fmt::print(
      "{:<8} n = {:<6} product {:>6.1f} GFLOPS ({:>3.0f} % of peak)   Cholesky {:>6.1f} ({:>3.0f} "
      "%)\n",
      name, n, 2e-9 * cube / product, 100 * cube / product / peak, 1e-9 * cube / 3 / factor,
      100 * cube / 6 / factor / peak);
}

void dense_bench() {
  const double peak = bench::peak_multiply_adds(threads());
  fmt::print("peak: {:.0f} GFLOPS in floats, half of it in doubles\n", 2e-9 * peak);
  for (const std::size_t n : {std::size_t{1000}, std::size_t{4000}}) {
    dense_line<float>("float", n, peak);
    dense_line<double>("double", n, peak / 2);
  }
  for (const std::size_t n : {std::size_t{1000}, std::size_t{3000}}) {
    RandomNumbers random(1);
    std::vector<double> A(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) A[i * n + j] = A[j * n + i] = random.normal();
    const double time = seconds([&] { numeric::eigen(A.data(), n); });
    const std::string peer =
        run(fmt::format("/usr/bin/python3 -c \"import numpy, time; n = {}; "
                        "a = numpy.random.default_rng(0).normal(size=(n, n)); a = a + a.T; "
                        "t = time.perf_counter(); numpy.linalg.eigh(a); "
                        "print(time.perf_counter() - t)\" 2>&1",
                        n));
    fmt::print("eigenvalues and vectors, n = {}: {:.2f} s; numpy.linalg.eigh {}", n, time, peer);
  }
}

// ---- prediction

constexpr double letter_gamma = 8;

void write_libsvm_model(const std::string& path, const Points& support,
                        const std::vector<double>& alpha) {
  std::ofstream out(path);
  out << "svm_type epsilon_svr\nkernel_type rbf\ngamma " << letter_gamma
      << "\nnr_class 2\ntotal_sv " << support.rows() << "\nrho 0\nSV\n";
  std::vector<double> row(support.columns());
  for (std::size_t i = 0; i < support.rows(); ++i) {
    support.row(i, std::span(row));
    out << fmt::format("{} ", alpha[i]);
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] != 0) out << fmt::format("{}:{} ", j + 1, row[j]);
    out << '\n';
  }
}

void predict_bench() {
  const auto train = data("letter.train");
  const auto test = data("letter.test");
  if (!train || !test) return;
  RandomNumbers random(1);
  Model model;
  model.task = Model::Task::regression;
  model.kernel = rbf(letter_gamma);
  model.support = dense_points(train->points, train->rows());
  model.coefficients = Matrix{train->rows(), 1, std::vector<double>(train->rows()), {}};
  for (double& a : model.coefficients.values) a = random.normal();
  model.offsets = {0};
  model.encoding = Encoding::fit(*train);

  const fs::path folder = fs::temp_directory_path() / "mercer_learn_bench";
  fs::create_directories(folder);
  const auto file = [&](const char* name) { return (folder / name).string(); };
  model.save(file("letter.mercer"));
  write_libsvm_model(file("letter.model"), model.support, model.coefficients.values);
  write_table(file("test.libsvm"), *test);
  std::ofstream(file("one.libsvm")) << "1 1:0.5\n";

  const Points x = dense_points(test->points, test->rows());
  Prediction p;
  bench::AtPeak machine(threads());
  const double ours = machine.best_of(10, [&] { p = predict(model, x); });
  const auto command = [&](const std::string& text) {
    return machine.best_of(3, [&] { run(text + " 2>&1"); });
  };
  const double whole =
      command(fmt::format("{} predict {} {} -o {} --force", MERCER_PROGRAM, file("letter.mercer"),
                          file("test.libsvm"), file("ours.csv")));
  // At the machine's limit: the values, and a product in double with each.
  const double peak = machine.peak() / threads();
  const auto plan = gram::choose(std::span(&*model.kernel, 1), x, model.support, false, {}).plan;
  const double values = static_cast<double>(x.rows()) * static_cast<double>(model.support.rows());
  const double limit = values / threads() * (bench::limit(plan, peak) + 2 / peak);
  fmt::print(
      "predict: {} support points, {} rows: {:.4f} s ({:.4f} s at the machine's limit), as a "
      "command {:.3f} s\n",
      model.support.rows(), x.rows(), ours, limit, whole);
  if (run("command -v svm-predict").empty()) {
    fmt::print("svm-predict is not there, skipped (libsvm-tools)\n");
  } else {
    const double all = command(fmt::format("svm-predict {} {} {}", file("test.libsvm"),
                                           file("letter.model"), file("theirs.txt")));
    const double reading = command(fmt::format("svm-predict {} {} {}", file("one.libsvm"),
                                               file("letter.model"), file("one.txt")));
    run(fmt::format("svm-predict {} {} {} 2>&1", file("test.libsvm"), file("letter.model"),
                    file("theirs.txt")));
    std::ifstream in(file("theirs.txt"));
    double worst = 0;
    double size = 0;
    for (std::size_t i = 0; i < x.rows(); ++i) {
      double value = 0;
      if (!(in >> value)) throw Error("svm-predict gave no answer");
      worst = std::max(worst, std::abs(value - p.scores(i, 0)));
      size = std::max(size, std::abs(value));
    }
    if (worst > 1e-4 * size) throw Error("svm-predict's answer differs");
    fmt::print(
        "  LIBSVM: {:.3f} s as a command, {:.3f} s of it reading: {:.0f}x without files ({:.0f}x "
        "at "
        "the limit), {:.0f}x as commands\n",
        all, reading, (all - reading) / ours, (all - reading) / limit, all / whole);
  }
  fs::remove_all(folder);
}

// ---- ridge

void ridge_bench() {
  const auto train = data("letter.train");
  if (!train) return;
  const std::size_t n = 10'000;
  const double lambda = 1;
  const Points x = dense_points(train->points, n);
  Matrix y{n,
           1,
           std::vector<double>(train->labels.numbers.begin(), train->labels.numbers.begin() + n),
           {}};
  Ridge r;
  const double ours = best_of(2, [&] { r = ridge(rbf(letter_gamma), x, y, {.lambda = lambda}); });
  fmt::print("ridge: n = {}: {:.2f} s, {}, {} refinements, residual {:.1g}\n", n, ours, r.solver,
             r.iterations, r.residual);
  std::ofstream("ridge_x.f64", std::ios::binary)
      .write(reinterpret_cast<const char*>(x.raw()),
             static_cast<std::streamsize>(n * x.columns() * sizeof(double)));
  std::ofstream("ridge_y.f64", std::ios::binary)
      .write(reinterpret_cast<const char*>(y.values.data()),
             static_cast<std::streamsize>(n * sizeof(double)));
  // Debian's OpenBLAS does not know newer processors: it is told.
  for (const char* core : {"", "OPENBLAS_CORETYPE=Haswell ", "OPENBLAS_CORETYPE=Zen ",
                           "OPENBLAS_CORETYPE=SkylakeX "}) {
    std::istringstream in(
        run(fmt::format("{}/usr/bin/python3 {}/sklearn_ridge.py ridge_x.f64 "
                        "ridge_y.f64 {} {} {} {} 2>/dev/null",
                        core, MERCER_BENCH_DIR, n, x.columns(), letter_gamma, lambda)));
    double time = 0;
    std::string blas;
    if (!(in >> time >> blas)) {
      fmt::print("  scikit-learn {}: no answer, skipped\n", core);
      continue;
    }
    double size = 0;
    for (const double a : r.alpha.values) size = std::max(size, std::abs(a));
    double value = 0;
    for (std::size_t i = 0; in >> value; i += n / 50)
      if (std::abs(value - r.alpha(i, 0)) > 1e-5 * size)
        throw Error("scikit-learn's KernelRidge differs");
    fmt::print("  scikit-learn KernelRidge, {}: {:.2f} s: {:.1f}x\n", blas, time, time / ours);
    if (blas.find("Prescott") == std::string::npos) break;
  }
  fs::remove("ridge_x.f64");
  fs::remove("ridge_y.f64");
}

// ---- perceptron

double error_rate(const Gram& K, const Matrix& coefficients,
                  const std::vector<std::int32_t>& codes) {
  std::vector<double> scores(K.rows() * coefficients.columns);
  K.apply(coefficients.values, coefficients.columns, scores);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < K.rows(); ++i) {
    const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(i * coefficients.columns);
    const auto best =
        std::max_element(begin, begin + static_cast<std::ptrdiff_t>(coefficients.columns));
    wrong += best - begin == codes[i] ? 0U : 1U;
  }
  return static_cast<double>(wrong) / static_cast<double>(K.rows());
}

void perceptron_bench() {
  const auto train = data("mnist.train");
  auto test = data("mnist.test");
  if (!train || !test) return;
  const Kernel k = rbf(0.02);
  const Matrix y = one_against_all(train->labels);
  Perceptron p;
  GramOptions how;
  how.storage = GramOptions::Storage::recomputed;
  const double time = seconds([&] {
    const Gram K(k, train->points, how);
    p = perceptron(K, y, {.passes = 5, .averaged = true});
  });
  std::string mistakes;
  for (const auto& pass : p.passes) mistakes += fmt::format(" {}", pass.mistakes);
  const Points z = test->points.with_columns(train->columns());
  const double error =
      error_rate(Gram(k, z, train->points, how), p.coefficients, classes_of(test->labels).codes);
  fmt::print(
      "perceptron: MNIST, {} × {}, ten classes, 5 passes: {:.1f} s (25 asked for); mistakes{}, "
      "{} support points; test error {:.2f} %\n",
      train->rows(), train->columns(), time, mistakes, p.passes.back().support, 100 * error);
}

// ---- gradient descent

void descent_bench() {
  const auto train = data("letter.train");
  if (!train) return;
  const Kernel k = rbf(letter_gamma);
  const Points x = dense_points(train->points, train->rows());
  const Matrix y = one_against_all(train->labels);
  Ridge r;
  const double solved = seconds([&] { r = ridge(k, x, y, {.lambda = 1, .tolerance = 1e-6}); });
  // The residual of the solution is λα.
  double loss = 0;
  for (const double a : r.alpha.values) loss += a * a;
  std::size_t needed = 0;
  GradientDescentOptions options{.passes = 60, .tolerance = 0, .eigenvectors = 500};
  options.gram.storage = GramOptions::Storage::recomputed;
  options.observe = [&](const GradientPass& pass) {
    if (pass.loss <= 1.01 * loss && needed == 0) needed = pass.pass;
    return needed == 0;
  };
  GradientDescent g;
  const double time = seconds([&] { g = gradient_descent(k, x, y, options); });
  fmt::print(
      "gradient descent: letter, rbf({}), {} eigenvectors: 1.01 × the loss of ridge ({:.4g}) after "
      "{} "
      "passes (30 asked for), {:.1f} s; ridge itself {:.1f} s\n",
      letter_gamma, g.eigenvectors, loss, needed == 0 ? "more than 60" : std::to_string(needed),
      time, solved);
}

}  // namespace
}  // namespace mercer

int main(int argc, char** argv) {
  const std::set<std::string> asked(argv + 1, argv + argc);
  const auto part = [&](const char* name, void (*run)()) {
    if (!asked.empty() && !asked.contains(name)) return;
    run();
  };
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a line is seen when it is there
  try {
    part("dense", mercer::dense_bench);
    part("predict", mercer::predict_bench);
    part("ridge", mercer::ridge_bench);
    part("perceptron", mercer::perceptron_bench);
    part("gd", mercer::descent_bench);
  } catch (const std::exception& error) {
    fmt::print(stderr, "learn_bench: {}\n", error.what());
    return 1;
  }
}
