// What learning leaves behind: a rule in feature space, and all that is needed to apply it to new
// data.
//
// The rule has one or more scores. In kernel form a score is a sum over the support points s_i,
//
//     f_c(x) = Σ_i α_ic k(s_i, x) + b_c,
//
// in explicit form it is linear in the features, f_c(x) = Σ_j w_jc φ_j(x) + b_c, which are written
// out or those of a sketch. What scores say:
//     one        a number (regression), or its sign: the second class where > 0, else the first
//     per_class  the class with the largest score; the first of them where several are equal
//     pairs      a score for each pair of classes a < b, in the order (0,1), (0,2), …, (1,2), …:
//                a vote for a where it is > 0, else for b; the class with the most votes, the first
//                of them where several are equal
// A model with a calibration knows probabilities, and says the most probable class instead, the
// first of them where several are equal.
//
// A model keeps only support points with some α ≠ 0, and with them the encoding that turns columns
// of a file into points, so that the training data are not needed again.
//
//     Model m = Model::load("spam.mercer");
//     Prediction p = predict(m, table.points);
//     p.classes[0], p.scores(0, 0)
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/encoding.hpp>
#include <mercer/features.hpp>
#include <mercer/kernel.hpp>
#include <mercer/matrix.hpp>
#include <mercer/points.hpp>
#include <mercer/sketch.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct Model {
  enum class Task { classification, regression };
  enum class Scheme { one, per_class, pairs };

  Task task = Task::classification;
  Scheme scheme = Scheme::one;
  std::vector<std::string> classes;  // of classification, two or more
  bool numeric_classes = false;      // the names are numbers, and are written as such

  // Kernel form.
  std::optional<Kernel> kernel;
  Points support;
  // Explicit form: one of these.
  std::optional<FeatureMap> map;
  std::optional<Sketch> sketch;
  // α: a row for each support point, or w: a row for each feature; a column for each score. For
  // pairs in kernel form the support points stand in the order of their classes, `support_counts`
  // of each, and row i of class a has its α for the pairs of a with each other class, in the order
  // of the classes: classes - 1 columns.
  Matrix coefficients;
  std::vector<std::size_t> support_counts;
  std::vector<double> offsets;  // b, one for each score

  // 1 / (1 + exp(slope f + offset)), for each score: P(second class) of one, P(class c) per class,
  // which are then divided by their sum, P(a | a or b) of pairs, from which the classes get the p
  // with the least Σ (P(b | a or b) p_a - P(a | a or b) p_b)² (Wu, Lin and Weng 2004; iterated as
  // far as LIBSVM does). Empty: none. See <mercer/calibration.hpp> for how they are found.
  struct Sigmoid {
    double slope = 0;
    double offset = 0;
    bool operator==(const Sigmoid&) const = default;
  };
  std::vector<Sigmoid> calibration;

  Encoding encoding;
  std::string label;     // the name of the labels' column
  std::string training;  // how it was trained: a JSON object (learner, options, summary)

  [[nodiscard]] std::size_t dimension() const;  // of the points that it is for
  [[nodiscard]] std::size_t scores() const;     // how many a point has
  // Throws Error where the parts do not fit together.
  void check() const;
  // Without the support points whose α are all 0, which change no score. An encoding that was left
  // out becomes the one that takes points as they are.
  [[nodiscard]] Model compacted() const;

  // One file, compacted: see docs/model-format.md. Written under another name first: it is there as
  // a whole or not at all. Loading maps the file into memory, and the support points stay there.
  // Both throw Error: a model that check() refuses; a file that is none of ours, or newer,
  // truncated or corrupted.
  struct FileFacts {
    std::uint32_t format = 0;
    std::uint64_t size = 0;  // in bytes
    std::uint64_t checksum = 0;
  };
  void save(const std::string& path) const;
  static Model load(const std::string& path, FileFacts* facts = nullptr);
  // The same in memory; `name` is for messages.
  [[nodiscard]] std::string bytes() const;
  static Model parse(std::string_view bytes, const std::string& name, FileFacts* facts = nullptr);
};

struct PredictOptions {
  unsigned threads = 0;         // 0: as many as the machine has; the scores are the same
  bool float64 = false;         // kernel values in double
  std::string instructions;     // as in GramOptions
  std::size_t rows_before = 0;  // of the data, in front of these points: for messages
};

struct Prediction {
  Matrix scores;                      // a row for each point
  std::vector<std::int32_t> classes;  // of classification: the number of the class
  Matrix probabilities;               // with a calibration: a column for each class
};

// Of points that went through the model's encoding, in blocks of rows: beside the answer it needs
// the same memory for a thousand points and for a billion. Throws Error where their dimension is
// another (sparse points of any dimension suit a model whose encoding is open), and
// EvaluationError, with the row, where the kernel or a feature has no value.
Prediction predict(const Model& model, const Points& x, const PredictOptions& options = {});

// What scores alone say: the class of each row, and where the model is calibrated the
// probabilities. `predict` has done so already.
std::vector<std::int32_t> classes_by_score(const Model& model, const Matrix& scores);
Matrix probabilities_by_score(const Model& model, const Matrix& scores);

// What the classes are ranked by, a column for each, or one for the second of two. Of pairs:
// probabilities where there are, else votes, and among equally many the sum of the scores, squeezed
// to less than a vote.
Matrix merits(const Model& model, const Prediction& prediction);

}  // namespace mercer
