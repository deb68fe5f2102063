// From a table to a model, with all choices that were not made taken from the data.
//
//     EncodedTable data = read_training("iris.csv", {}, {.scaling = Scaling::standard});
//     Trained t = train(data.table, data.encoding);
//     t.model.save("iris.mercer");
//
// Classes: two are +1 (the later one) and -1; more get a score each, +1 for the class and -1 for
// the others, and the largest wins; support vector machines decide between each two of them, and
// the most votes win. What is chosen where nothing is said:
//     task     classification where labels are names, or whole numbers with at most 50 values: two,
//              or each of them twice in the mean
//     kernel   rbf(γ), γ = 1 / median |x_i - x_j|²
//     learner  svm for classes; ridge for regression
//     C        the most accurate in cross-validation on up to 1000 of the points, and with it the
//              width of the kernel where none is given
//     λ        the least leave-one-out error on up to 1500 of the points, over powers of ten times
//              the mean weight of the rows
//     offset   in regression by ridge and gradient descent: the constant kernel 1 is added to k
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mercer/data.hpp>
#include <mercer/encoding.hpp>
#include <mercer/gradient_descent.hpp>
#include <mercer/model.hpp>
#include <mercer/nystrom.hpp>
#include <mercer/perceptron.hpp>
#include <mercer/ridge.hpp>
#include <mercer/svm.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer {

enum class Learner { perceptron, gradient_descent, ridge, svm };

// A line of the trace: a pass or an iteration, and what there is to say of it.
struct TrainingStep {
  std::string unit;  // "pass", "iteration"
  std::size_t number = 0;
  std::vector<std::pair<std::string, double>> values;  // "mistakes", "loss", "residual", …
};

// What stands in for the kernel where its Gram matrix is too large.
struct Approximation {
  // See nystrom.hpp, random_features.hpp, sketch.hpp.
  enum class Kind { nystrom, fourier, orthogonal, sketch };
  Kind kind = Kind::nystrom;
  std::size_t size = 2000;  // centres, or features, at most
  NystromOptions::Choice choice = NystromOptions::Choice::uniform;
  // The centres of Choice::given; where there are none, they are read from this file, by the
  // encoding of the training data: labels in it are passed over.
  Points given = {};
  std::string file = {};
  // Not asked for: the rows do not fit into memory. Then classes are learned by support vectors,
  // as they would be exactly.
  bool automatic = false;

  // "nystrom(m=500, centres=leverage)", "fourier(D=1000)", "orthogonal(D=1000)", "sketch(D=1000)".
  // Throws Error.
  static Approximation parse(std::string_view text);
};

struct TrainOptions {
  std::optional<Learner> learner = {};
  std::optional<Kernel> kernel = {};
  std::optional<FeatureMap> map = {};  // explicit form, instead of a kernel
  std::optional<Model::Task> task = {};
  std::optional<double> lambda = {};  // of ridge
  // Of ridge, support vectors for classes and the perceptron; λ and C are then chosen by what is
  // held out.
  std::optional<Approximation> approx = {};
  NystromOptions::Loss loss = NystromOptions::Loss::squared;  // of ridge with an approximation
  double tolerance = NystromOptions{}.tolerance;              // likewise
  std::optional<double> C = {};     // of support vector machines for classes
  std::optional<bool> offset = {};  // add the constant kernel 1, or the feature 1
  // Weights by class name, or "balanced": n / (classes · rows of the class).
  std::vector<std::pair<std::string, double>> class_weights = {};
  bool balanced = false;
  std::uint64_t seed = 0;
  // For the learners; weights, seed, threads and observers in them are set by what is here.
  PerceptronOptions perceptron = {};
  GradientDescentOptions gradient_descent = {};
  RidgeOptions ridge = {};
  SvmOptions svm = {};  // its C is used for regression; its seconds are for all machines together
  // Of more than two classes, support vectors: a machine for each pair of them, or for each against
  // the rest.
  enum class Multiclass { pairs, rest };
  Multiclass multiclass = Multiclass::pairs;
  // Support vectors, classes: probabilities, from scores of examples that were held out of the
  // training in five folds. The model then says the most probable class.
  bool probability = false;
  // Support vectors: what is reached is written there every so many seconds. Where the file is
  // there already, training goes on from it, and ends with the very model that it would have ended
  // with; where it is of other data or options, it is refused. Whoever has kept the model removes
  // it.
  struct Checkpoint {
    std::string path;
    double seconds = 60;
  };
  std::optional<Checkpoint> checkpoint = {};
  GramOptions gram = {};
  // After each pass or iteration; false ends the training with the best so far.
  std::function<bool(const TrainingStep&)> observe = {};
};

struct Trained {
  Model model;
  bool converged = false;
  bool interrupted = false;
  bool resumed = false;             // from a checkpoint
  bool unfinished = false;          // interrupted, or out of time: the checkpoint is worth keeping
  std::vector<std::string> chosen;  // what was not said: "kernel: rbf(0.37), from the median …"
  std::vector<std::pair<std::string, std::string>> report;  // of the learner, in words
  std::string message;                                      // one line
  // Kernel form: the rows of the table that became the support points, in the order of these.
  std::vector<std::size_t> support_rows = {};
  // The class that the model says of each row of the table, as far as training has found it out: -1
  // where it has not, and empty where of none.
  std::vector<std::int32_t> said = {};
};

// Throws Error: no labels, one class only, weights for a class that is not there, ….
Trained train(const Table& table, const Encoding& encoding, const TrainOptions& options = {});

// rbf(1 / median |x_i - x_j|²), over pairs of a sample.
Kernel rbf_from_data(const Points& x, std::uint64_t seed = 0);

}  // namespace mercer
