// Scores in blocks of rows.
#include <algorithm>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>
#include <mercer/model.hpp>
#include <optional>

#include "base/parallel.hpp"
#include "model/decide.hpp"
#include "model/images.hpp"
#include "model/score_rounding.hpp"

namespace mercer {

namespace {

// A block is large enough to be worth the preparation of the support points, and small enough for
// memory to stay what it is.
std::size_t block_rows(std::size_t columns) {
  constexpr std::size_t numbers = std::size_t{1} << 22U;
  constexpr std::size_t least = 256;
  constexpr std::size_t most = 4096;
  return std::clamp(numbers / std::max<std::size_t>(columns, 1), least, most);
}

class KernelForm {
 public:
  KernelForm(const Model& model, const PredictOptions& options) : model_(model), rounding_(model) {
    how_.threads = options.threads;
    how_.instructions = options.instructions;
    how_.storage = GramOptions::Storage::recomputed;
    // Of few support points there is little to gain.
    constexpr std::size_t many = 1024;
    how_.rough_sums = model.support.rows() >= many;
    if (options.float64) how_.precision = GramOptions::Precision::float64;
  }

  // out: as many rows as x, a column for each score, each beginning at the offset. `before`: the
  // rows of the data in front of them.
  void scores(const Points& x, std::size_t before, std::span<double> out) const {
    GramOptions how = how_;
    while (true) {
      for (std::size_t e = 0; e < out.size(); ++e) out[e] = model_.offsets[e % model_.scores()];
      if (model_.support.rows() == 0) return;
      const Gram K(*model_.kernel, x, model_.support, how);
      if (model_.scheme == Model::Scheme::pairs) {
        add_pairs(K, before, out);
      } else {
        const auto sums = product(K, before, 0, model_.support.rows());
        for (std::size_t e = 0; e < out.size(); ++e) out[e] += sums[e];
      }
      if (K.report().precision != "float32" || !rounding_.matters(x, out)) return;
      how.precision = GramOptions::Precision::float64;
    }
  }

 private:
  // K α for `count` of the support points.
  std::vector<double> product(const Gram& K, std::size_t before, std::size_t begin,
                              std::size_t count) const {
    const std::size_t width = model_.coefficients.columns;
    std::vector<double> sums(K.rows() * width);
    try {
      K.apply(Rows::all(), Rows(begin, begin + count),
              std::span(model_.coefficients.values).subspan(begin * width, count * width), width,
              sums);
    } catch (const GramError& error) {
      throw EvaluationError("row " + std::to_string(before + error.row() + 1) +
                            " and support point " + std::to_string(error.column() + 1) + ": " +
                            error.why());
    }
    return sums;
  }

  // Each class's support points take part in the pairs of that class alone: the kernel is computed
  // once for each point, and no α is stored for pairs that it has no part in.
  void add_pairs(const Gram& K, std::size_t before, std::span<double> out) const {
    const std::size_t classes = model_.classes.size();
    const std::size_t width = classes - 1;
    const std::size_t pairs = model_.scores();
    std::size_t begin = 0;
    for (std::size_t a = 0; a < classes; begin += model_.support_counts[a++]) {
      const std::size_t count = model_.support_counts[a];
      if (count == 0) continue;
      const auto sums = product(K, before, begin, count);
      for (std::size_t b = 0; b < classes; ++b) {
        if (b == a) continue;
        const std::size_t pair = place(std::min(a, b), std::max(a, b));
        const std::size_t column = b < a ? b : b - 1;
        for (std::size_t i = 0; i < K.rows(); ++i)
          out[i * pairs + pair] += sums[i * width + column];
      }
    }
  }

  // Of the pair a < b among (0,1), (0,2), …, (1,2), ….
  [[nodiscard]] std::size_t place(std::size_t a, std::size_t b) const {
    const std::size_t classes = model_.classes.size();
    return a * (2 * classes - a - 1) / 2 + (b - a - 1);
  }

  const Model& model_;
  model::ScoreRounding rounding_;
  GramOptions how_;
};

Points image_of(const Model& model, const Points& x, std::size_t before, unsigned threads) {
  if (model.map) return model::images(*model.map, x, threads, before);
  try {
    return model.sketch->map(x, threads);
  } catch (const GramError& error) {
    throw EvaluationError("row " + std::to_string(before + error.row() + 1) + ": " + error.why());
  }
}

void add_explicit(const Model& model, const Points& x, std::size_t before, std::span<double> out,
                  unsigned threads) {
  const Points image = image_of(model, x, before, threads);
  const std::size_t features = image.columns();
  const std::size_t scores = model.scores();
  const auto* phi = image.values<double>();
  const double* w = model.coefficients.values.data();
  constexpr std::size_t piece = 256;
  parallel_for((x.rows() + piece - 1) / piece, threads, [&](std::size_t task) {
    for (std::size_t i = task * piece; i < std::min(x.rows(), (task + 1) * piece); ++i)
      for (std::size_t j = 0; j < features; ++j)
        for (std::size_t c = 0; c < scores; ++c)
          out[i * scores + c] += w[j * scores + c] * phi[i * features + j];
  });
}

void check_points(const Model& model, const Points& x) {
  if (x.rows() > 0 && x.columns() != model.dimension())
    throw Error("the model is for points of dimension " + std::to_string(model.dimension()) +
                ", and these have " + std::to_string(x.columns()));
}

// Sparse points of any dimension, where the model's is open: coordinates beyond their own are 0.
void meet(Model& model, Points& x) {
  if (!model.encoding.open || !x.is_sparse() || !model.support.is_sparse()) return;
  const std::size_t wider = std::max(x.columns(), model.support.columns());
  x = x.with_columns(wider);
  model.support = model.support.with_columns(wider);
}

Prediction predicted(const Model& model, const Points& x, const PredictOptions& options) {
  const std::size_t scores = model.scores();
  Prediction result;
  result.scores = Matrix::zeros(x.rows(), scores);
  const std::size_t step = block_rows(
      model.kernel ? x.entries() / std::max<std::size_t>(x.rows(), 1) : model.coefficients.rows);
  std::optional<KernelForm> form;
  if (model.kernel) form.emplace(model, options);
  for (std::size_t begin = 0; begin < x.rows(); begin += step) {
    const Points block = x.part(begin, std::min(begin + step, x.rows()));
    const std::span<double> out =
        std::span(result.scores.values).subspan(begin * scores, block.rows() * scores);
    if (form) {
      form->scores(block, options.rows_before + begin, out);
    } else {
      for (std::size_t e = 0; e < out.size(); ++e) out[e] = model.offsets[e % scores];
      add_explicit(model, block, options.rows_before + begin, out, options.threads);
    }
  }
  result.probabilities = probabilities_by_score(model, result.scores);
  result.classes = model.calibration.empty() ? classes_by_score(model, result.scores)
                                             : model::most_probable(result.probabilities);
  return result;
}

}  // namespace

Prediction predict(const Model& model, const Points& x, const PredictOptions& options) {
  model.check();
  // Sums then run over the same support points as after saving and loading.
  Model kept = model.compacted();
  Points points = x;
  meet(kept, points);
  check_points(kept, points);
  return predicted(kept, points, options);
}

}  // namespace mercer
