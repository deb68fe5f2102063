// LIBSVM's models and options: what was trained there is used here, and the other way.
//
//     Model m = read_libsvm_model("a9a.model");     // of svm-train
//     write_libsvm_model("spam.model", m);          // for svm-predict
//
// A score here is a decision value there, f(x) = Σ α_i k(s_i, x) - rho, with the same sign:
//     c_svc, nu_svc       two classes: one score. It says LIBSVM's first label where > 0, and our
//                         second class, so the classes stand in the other order than the labels.
//                         More: a score for each pair, the classes in the order of the labels
//     one_class           one score; the classes are -1 and, where it is > 0, 1
//     epsilon_svr, nu_svr a regression
// probA and probB become the calibration. Of a regression, probA is the width of the errors'
// distribution, which a model here has no place for: it is left out.
//
// A file of LIBSVM does not tell how many columns the training data had. The largest index among
// the support vectors is taken, and the encoding is open: sparse points of any dimension suit it.
#pragma once

#include <cstddef>
#include <mercer/kernel.hpp>
#include <mercer/model.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer {

// `columns` of the training data, where they are known: the encoding is not open then. Both throw
// Error, with file and line, for all that is no model of LIBSVM or not a whole one, and for
// precomputed kernels, whose values are not in the file. `name` is for messages.
Model read_libsvm_model(const std::string& path, std::size_t columns = 0);
Model parse_libsvm_model(std::string_view text, const std::string& name, std::size_t columns = 0);

// Classification is written as c_svc, regression as epsilon_svr; numbers so that they read back the
// same. Throws Error for what LIBSVM cannot express: kernels other than a k + b with k one of x·z,
// (γ x·z + c)^d, exp(-γ |x-z|²) and tanh(γ x·z + c), where a goes into α and b into rho; feature
// maps; a score for each class; an encoding that changes numbers. The file is there as a whole or
// not at all.
std::string libsvm_model_text(const Model& model);
void write_libsvm_model(const std::string& path, const Model& model);
// What the classes are called there, in their order here: whole numbers stay, names become -1 and
// 1, of more than two classes 1, 2, …, as in tables that are written as LIBSVM. Throws Error for
// other numbers.
std::vector<std::string> libsvm_labels(const Model& model);

enum class LibsvmType { c_svc, nu_svc, one_class, epsilon_svr, nu_svr };
enum class LibsvmKernel { linear, polynomial, rbf, sigmoid, precomputed };

// The options of svm-train, with its defaults.
struct LibsvmOptions {
  LibsvmType type = LibsvmType::c_svc;           // -s
  LibsvmKernel kernel_type = LibsvmKernel::rbf;  // -t
  int degree = 3;                                // -d
  std::optional<double> gamma;                   // -g; absent, also by -g 0: 1 / features
  double coef0 = 0;                              // -r
  double cost = 1;                               // -c
  double nu = 0.5;                               // -n
  double epsilon = 0.1;                          // -p: of the loss of epsilon_svr
  double cache = 100;                            // -m, in MB
  double tolerance = 0.001;                      // -e
  bool shrinking = true;                         // -h
  bool probability = false;                      // -b
  std::vector<std::pair<int, double>> weights;   // -wi: C of class i is multiplied by each of its
  std::optional<int> folds;                      // -v
  bool quiet = false;                            // -q

  // For points with so many features.
  [[nodiscard]] Kernel kernel(std::size_t features) const;
};

// "-s 0 -t 2 -g 0.5 -w-1 3": as svm-train reads them, but for an Error, which names the flag, where
// svm-train would take the first letter of a longer flag, or text for 0. The values are checked as
// svm-train does before it trains.
LibsvmOptions parse_libsvm_options(std::string_view text);

}  // namespace mercer
