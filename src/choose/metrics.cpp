#include <mercer/cross_validation.hpp>
#include <mercer/error.hpp>

namespace mercer {

const std::vector<Metric>& metrics() {
  using Task = Model::Task;
  static const std::vector<Metric> all{
      {"accuracy", true, Task::classification},  {"balanced_accuracy", true, Task::classification},
      {"f1", true, Task::classification},        {"auc", true, Task::classification},
      {"log_loss", false, Task::classification}, {"rmse", false, Task::regression},
      {"mae", false, Task::regression},          {"r2", true, Task::regression}};
  return all;
}

const Metric& metric_named(const std::string& name, Model::Task task) {
  std::string known;
  for (const Metric& m : metrics()) {
    if (m.name == name && m.task == task) return m;
    if (m.name == name)
      throw Error("the metric " + name + " is for " +
                  (m.task == Model::Task::regression ? "regression" : "classes") +
                  ", and this is " +
                  (task == Model::Task::regression ? "regression" : "classification"));
    if (m.task == task) known += (known.empty() ? "" : ", ") + m.name;
  }
  throw Error("there is no metric `" + name + "`; there are " + known);
}

std::optional<double> measure(const Metric& metric, const ClassificationScore& score) {
  if (metric.name == "accuracy") return score.accuracy();
  if (metric.name == "balanced_accuracy") return score.balanced_accuracy();
  if (metric.name == "f1") return score.macro_f1();
  return metric.name == "auc" ? score.auc() : score.log_loss();
}

std::optional<double> measure(const Metric& metric, const RegressionScore& score) {
  if (metric.name == "rmse") return score.rmse();
  return metric.name == "mae" ? score.mae() : score.r2();
}

}  // namespace mercer
