// Models as files of LIBSVM.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/libsvm.hpp>
#include <numeric>
#include <set>

#include "data/cell.hpp"
#include "data/place.hpp"
#include "data/sink.hpp"
#include "model/libsvm_kernel.hpp"

namespace mercer {

namespace {

using data::append_number;
using model::InLibsvm;

[[noreturn]] void refuse(const std::string& what) {
  throw Error("not for a file of LIBSVM: " + what);
}

void check_encoding(const Encoding& e) {
  if (e.options.scaling != Scaling::none) {
    const std::string how = e.options.scaling == Scaling::standard ? "standard" : "minmax";
    refuse("the model scales its columns (" + how +
           "), and LIBSVM does not; write scaled data by `mercer convert --scale " + how +
           "`, and train on them with --scale none");
  }
  for (std::size_t j = 0; j < e.columns.size(); ++j) {
    const auto& c = e.columns[j];
    if (!c.categorical && !c.indicator) continue;
    refuse("the model makes several coordinates of column " +
           (c.name.empty() ? std::to_string(j + 1) : data::shown(c.name)) + ", for its " +
           (c.categorical ? "categories" : "missing values") +
           "; `mercer convert` writes data with them, to train on");
  }
}

InLibsvm check(const Model& m) {
  m.check();
  if (m.sketch)
    refuse(
        "the model has a sketch, and LIBSVM knows kernels alone; train it with another --approx, "
        "or "
        "without");
  if (!m.kernel)
    refuse(
        "the model has a feature map, and LIBSVM knows kernels alone; train it with -k, "
        "without --map or --explicit");
  if (m.scheme == Model::Scheme::per_class)
    refuse(
        "the model has a score for each class, and LIBSVM one for each pair of them; a model "
        "of two classes, or one that was trained on pairs, can be written");
  const auto k = model::in_libsvm(*m.kernel);
  if (!k)
    refuse(
        "its kernel, " + m.kernel->text() +
        ", is none of LIBSVM's (linear, poly, rbf, sigmoid, each times and plus a number); train "
        "with one of these");
  check_encoding(m.encoding);
  return *k;
}

// Σ α of each score: of pairs, of the support points of either class.
std::vector<double> sums_of_alpha(const Model& m) {
  if (m.scheme == Model::Scheme::one)
    return {std::accumulate(m.coefficients.values.begin(), m.coefficients.values.end(), 0.0)};
  const std::size_t classes = m.classes.size();
  Matrix sums = Matrix::zeros(classes, classes - 1);  // of a class, for each other one
  std::size_t i = 0;
  for (std::size_t a = 0; a < classes; ++a)
    for (const std::size_t end = i + m.support_counts[a]; i < end; ++i)
      for (std::size_t c = 0; c + 1 < classes; ++c) sums(a, c) += m.coefficients(i, c);
  std::vector<double> result;
  for (std::size_t a = 0; a < classes; ++a)
    for (std::size_t b = a + 1; b < classes; ++b) result.push_back(sums(a, b - 1) + sums(b, a));
  return result;
}

// The model with LIBSVM's kernel instead of its own: the factor goes into α, the constant, which
// adds the same to every value of a score, into b.
Model with_plain_kernel(Model m, const InLibsvm& k) {
  const auto sums = sums_of_alpha(m);
  for (std::size_t s = 0; s < sums.size(); ++s) m.offsets[s] += k.constant * sums[s];
  for (double& a : m.coefficients.values) a *= k.factor;
  const auto finite = [](double v) { return std::isfinite(v); };
  if (!std::ranges::all_of(m.offsets, finite) ||
      !std::ranges::all_of(m.coefficients.values, finite))
    refuse("a number becomes too large with the kernel's factor or constant");
  return m.compacted();
}

class Writer {
 public:
  Writer(const Model& m, const model::KernelOfLibsvm& k, data::Sink& sink)
      : m_(m), k_(k), sink_(sink) {}

  void run() {
    const bool classes = m_.task == Model::Task::classification;
    word("svm_type", classes ? "c_svc" : "epsilon_svr");
    kernel();
    word("nr_class", std::to_string(m_.scheme == Model::Scheme::pairs ? m_.classes.size() : 2));
    word("total_sv", std::to_string(m_.support.rows()));
    std::vector<double> rho;
    for (const double b : m_.offsets) rho.push_back(0 - b);
    numbers("rho", rho);
    std::vector<std::size_t> order(m_.support.rows());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (classes) {
      std::vector<std::string> labels = libsvm_labels(m_);
      std::vector<std::size_t> counts = m_.support_counts;
      if (m_.scheme == Model::Scheme::one) {
        std::swap(labels[0], labels[1]);  // theirs is the first where f > 0
        counts = positive_first(order);
      }
      line("label", labels);
      calibration();
      std::vector<std::string> texts;
      texts.reserve(counts.size());
      for (const std::size_t n : counts) texts.push_back(std::to_string(n));
      line("nr_sv", texts);
    }
    sink_.text += "SV\n";
    for (const std::size_t i : order) vector(i);
  }

 private:
  void line(const char* key, const std::vector<std::string>& values) {
    sink_.text += key;
    for (const auto& v : values) sink_.text += " " + v;
    sink_.text += '\n';
  }
  void word(const char* key, const std::string& value) { line(key, {value}); }
  void numbers(const char* key, const std::vector<double>& values) {
    sink_.text += key;
    for (const double v : values) {
      sink_.text += ' ';
      append_number(sink_.text, v);
    }
    sink_.text += '\n';
  }

  void kernel() {
    word("kernel_type", std::string(model::libsvm_kernels[static_cast<std::size_t>(k_.type)]));
    if (k_.type == LibsvmKernel::polynomial) word("degree", std::to_string(k_.degree));
    if (k_.type != LibsvmKernel::linear) numbers("gamma", {k_.gamma});
    if (k_.type == LibsvmKernel::polynomial || k_.type == LibsvmKernel::sigmoid)
      numbers("coef0", {k_.coef0});
  }

  void calibration() {
    if (m_.calibration.empty()) return;
    std::vector<double> a;
    std::vector<double> b;
    for (const auto& s : m_.calibration) {
      a.push_back(s.slope);
      b.push_back(s.offset);
    }
    numbers("probA", a);
    numbers("probB", b);
  }

  // Which of two classes a support vector is of is seen by the sign of its α.
  std::vector<std::size_t> positive_first(std::vector<std::size_t>& order) const {
    const auto rest = std::stable_partition(
        order.begin(), order.end(), [&](std::size_t i) { return m_.coefficients(i, 0) > 0; });
    const auto first = static_cast<std::size_t>(rest - order.begin());
    return {first, order.size() - first};
  }

  void vector(std::size_t i) {
    for (const double a : m_.coefficients.row(i)) {
      append_number(sink_.text, a);
      sink_.text += ' ';
    }
    if (m_.support.scalar() == Points::Scalar::float32) {
      entries(i, m_.support.values<float>());
    } else {
      entries(i, m_.support.values<double>());
    }
    sink_.text += '\n';
    sink_.flush_if_full();
  }

  template <class T>
  void entries(std::size_t i, const T* values) {
    const Points& s = m_.support;
    if (s.is_sparse()) {
      for (auto e = s.offsets()[i]; e < s.offsets()[i + 1]; ++e)
        entry(static_cast<std::size_t>(s.indices()[e]), static_cast<double>(values[e]));
    } else {
      for (std::size_t j = 0; j < s.columns(); ++j)
        entry(j, static_cast<double>(values[i * s.stride() + j]));
    }
  }
  void entry(std::size_t j, double value) {
    if (value == 0) return;
    append_number(sink_.text, j + 1);
    sink_.text += ':';
    append_number(sink_.text, value);
    sink_.text += ' ';
  }

  const Model& m_;
  const model::KernelOfLibsvm& k_;
  data::Sink& sink_;
};

}  // namespace

std::vector<std::string> libsvm_labels(const Model& model) {
  std::vector<std::string> labels;
  for (const auto& name : model.classes) {
    const auto value = data::number_in(name);
    if (!value) {
      Labels names;
      names.classes = model.classes;
      return libsvm_classes(names);
    }
    if (*value != std::floor(*value) || std::abs(*value) > std::numeric_limits<std::int32_t>::max())
      refuse("the class " + data::shown(name) + " is no whole number, as LIBSVM's labels are");
    labels.push_back(std::to_string(static_cast<std::int64_t>(*value)));
  }
  if (std::set<std::string>(labels.begin(), labels.end()).size() != labels.size())
    refuse("two classes are the same number");
  return labels;
}

std::string libsvm_model_text(const Model& model) {
  const InLibsvm k = check(model);
  data::TextSink sink;
  Writer(with_plain_kernel(model, k), k.kernel, sink).run();
  return sink.take();
}

void write_libsvm_model(const std::string& path, const Model& model) {
  const InLibsvm k = check(model);
  const Model plain = with_plain_kernel(model, k);
  data::FileSink sink(path, false);
  Writer(plain, k.kernel, sink).run();
  sink.commit();
}

}  // namespace mercer
