// Where a perceptron lives: behind a Gram matrix, or in features that are written out.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mercer/gram.hpp>
#include <mercer/matrix.hpp>
#include <mercer/perceptron.hpp>
#include <span>
#include <vector>

namespace mercer::learn {

// The scores f_c of the examples under the present w, which begins with 0.
class PerceptronSpace {
 public:
  PerceptronSpace() = default;
  PerceptronSpace(const PerceptronSpace&) = delete;
  PerceptronSpace& operator=(const PerceptronSpace&) = delete;
  virtual ~PerceptronSpace() = default;

  // The examples will be visited in this order, each once.
  virtual void start_pass(std::span<const std::size_t> order) = 0;
  // The next one; then its scores, which follow later updates.
  virtual void visit() = 0;
  [[nodiscard]] virtual double score(std::size_t output) = 0;
  // w_c += delta φ(x_i) for any example i.
  virtual void update(std::size_t example, std::size_t output, double delta) = 0;
  virtual void end_pass() = 0;

  // After a pass: f_c(x_i) of all examples.
  [[nodiscard]] virtual double score_of(std::size_t example, std::size_t output) const = 0;
};

// Whether f_c(x_i) = score is a mistake.
using IsMistake = std::function<bool(std::size_t example, std::size_t output, double score)>;

std::unique_ptr<PerceptronSpace> gram_space(const Gram& K, std::size_t outputs, unsigned threads,
                                            IsMistake is_mistake);
// w: features × outputs, kept up to date.
std::unique_ptr<PerceptronSpace> feature_space(const Points& phi, Matrix& w);

// Features of the examples, computed when they are needed.
class FeatureRows {
 public:
  FeatureRows() = default;
  FeatureRows(const FeatureRows&) = delete;
  FeatureRows& operator=(const FeatureRows&) = delete;
  virtual ~FeatureRows() = default;
  [[nodiscard]] virtual std::size_t rows() const = 0;
  [[nodiscard]] virtual std::size_t features() const = 0;
  // φ of these examples, one after the other.
  [[nodiscard]] virtual Matrix of(std::span<const std::size_t> examples) const = 0;
};
std::unique_ptr<PerceptronSpace> feature_space(const FeatureRows& phi, Matrix& w);
// As perceptron(phi, …) of points.
Perceptron perceptron_on(const FeatureRows& phi, const Matrix& y, const PerceptronOptions& options);

}  // namespace mercer::learn
