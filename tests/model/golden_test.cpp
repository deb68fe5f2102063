// Files that earlier versions wrote stay readable, and say the same.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <mercer/model.hpp>

namespace {

using mercer::Model;
using mercer::Points;

std::string golden_path(const std::string& name) {
  return MERCER_SOURCE_DIR "/tests/model/golden/" + name;
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What the files were written from.
Model dense_model() {
  Model m;
  m.scheme = Model::Scheme::per_class;
  m.classes = {"adenine", "böse", "c, \"quoted\""};
  m.kernel = mercer::Kernel::parse("rbf(0.5)*poly(2) + 0.1*linear");
  m.support = Points::own(std::vector<double>{0, 0, 1, 0.5, -1, 2, 3, -0.25}, 4, 2);
  m.coefficients = {4, 3, {1, 0, -0.5, 0, 2, 0.25, -1, -1, 1, 0.125, 0, 0}, {}};
  m.offsets = {0, 0.5, -0.5};
  m.calibration = {{-1, 0}, {-2, 0.5}, {-0.5, 0.25}};
  m.encoding = mercer::Encoding::parse(
      "mercer-encoding 1\n"
      "missing mean  scaling standard  scalar float64  named yes  sparse no  dimension 2\n"
      "label \"kind\"\nnumber \"u\" 1.5\nnumber \"v\" -2\nscale 1.5 0.5\nscale -2 3\n");
  m.label = "kind";
  m.training = R"({"learner":"by hand","seed":7})";
  return m;
}

Model sparse_model() {
  Model m;
  m.scheme = Model::Scheme::pairs;
  m.classes = {"-1", "0", "1"};
  m.numeric_classes = true;
  m.kernel = mercer::Kernel::parse("laplacian(0.5)");
  m.support = Points::own({0, 2, 2, 3}, {0, 4, 2}, std::vector<float>{1.5F, -2, 0.75F}, 5);
  m.coefficients = {3, 2, {1, 0.5, -1, 2, -0.5, -2}, {}};
  m.support_counts = {1, 1, 1};
  m.offsets = {0.125, -0.25, 0};
  m.encoding.dimension = 5;
  m.encoding.sparse = true;
  m.encoding.options.scalar = Points::Scalar::float32;
  return m;
}

Model map_model() {
  Model m;
  m.task = Model::Task::regression;
  m.map = mercer::FeatureMap::parse("[1, sqrt(2)*x1, x1*x2, exp(-x2^2)]", 2);
  m.coefficients = {4, 1, {0.5, 1, -2, 3}, {}};
  m.offsets = {-0.125};
  m.encoding.dimension = 2;
  return m;
}

Model sketch_model() {
  Model m;
  m.task = Model::Task::regression;
  mercer::Sketch s;
  s.dimension = 2;
  s.terms = {{4, 0.5, 0.25, {{{0, 3, 1}, {1, -2, 0.5}}, {{2, 1, 0}, {-1, 1, 3}}}},
             {2, 2, 0, {{{0, 1, 1}, {1, 1, -1}}}}};
  m.sketch = s;
  m.coefficients = {6, 1, {1, -0.5, 2, 0.25, -1, 3}, {}};
  m.offsets = {-0.125};
  m.encoding.dimension = 2;
  return m;
}

struct Golden {
  const char* name;
  Model (*model)();
  std::vector<double> x;
  // Straight from the formulas in the comments of model.hpp, computed in Python.
  std::vector<double> scores;
};

const std::vector<Golden>& all() {
  static const std::vector<Golden> list{
      {"v1-dense.mercer",
       dense_model,
       {0, 0, 1, 1, -0.5, 2.25},
       {0.9192609024569195, 1.4884378584140818, -0.7840996442463537, 0.08283028050686037,
        11.40287128781185, 1.1608016841983047, -31.247988450421634, -30.296629833613057,
        30.819301516741486}},
      {"v1-sparse.mercer",
       sparse_model,
       {0, 0, 0, 0, 0, 1, 0, -1, 0.5, 2},
       {-0.7012260565495548, -0.5067576676702635, 0.6254214424180555, 0.06938784380599962,
        -0.26132634433319374, 0.06591893505522575}},
      {"v1-map.mercer",
       map_model,
       {0, 0, 1, 2, -0.5, 0.25},
       {3.375, -2.1558395209607024, 2.73613240725388}},
      {"v2-sketch.mercer", sketch_model, {0, 0, 1, 2, -0.5, 0.25}, {-6.5, -2.0625, -5}},
  };
  return list;
}

TEST(Golden, PredictionsStayTheSame) {
  for (const auto& golden : all()) {
    const Model m = Model::load(golden_path(golden.name));
    const std::size_t rows = golden.x.size() / m.dimension();
    mercer::PredictOptions options;
    options.float64 = true;
    const auto p = predict(m, Points::own(golden.x, rows, m.dimension()), options);
    ASSERT_EQ(p.scores.values.size(), golden.scores.size()) << golden.name;
    for (std::size_t i = 0; i < golden.scores.size(); ++i)
      EXPECT_NEAR(p.scores.values[i], golden.scores[i], 1e-12) << golden.name << " " << i;
  }
}

// The writer is as settled as the reader, until the format gets a new number; then this goes, and
// the files stay.
TEST(Golden, TheSameModelIsTheSameFile) {
  for (const auto& golden : all())
    EXPECT_EQ(golden.model().bytes(), bytes_of(golden_path(golden.name)));
}

}  // namespace
