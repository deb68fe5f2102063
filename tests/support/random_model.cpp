#include "random_model.hpp"

#include <string>

namespace {

using mercer::Model;
using mercer::Points;
using Scheme = Model::Scheme;

}  // namespace

std::vector<ModelShape> model_shapes() {
  std::vector<ModelShape> shapes;
  for (const bool kernel : {true, false})
    for (const bool sparse : {false, true})
      for (const bool single : {false, true}) {
        if (!kernel && (sparse || single)) continue;
        for (const Scheme scheme : {Scheme::one, Scheme::per_class, Scheme::pairs}) {
          shapes.push_back({kernel, sparse, single, scheme, false, true});
          shapes.push_back({kernel, sparse, single, scheme, false, false});
        }
        shapes.push_back({kernel, sparse, single, Scheme::one, true, false});
      }
  return shapes;
}

Points random_points(Random& random, std::size_t rows, std::size_t columns, bool sparse,
                     bool single) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      if (sparse && random.one_in(2)) continue;
      indices.push_back(static_cast<std::int32_t>(j));
      values.push_back(random.uniform(-2, 2));
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  const std::vector<float> floats(values.begin(), values.end());
  if (sparse && single) return Points::own(offsets, indices, floats, columns);
  if (sparse) return Points::own(offsets, indices, values, columns);
  return single ? Points::own(floats, rows, columns) : Points::own(values, rows, columns);
}

Model random_model(Random& random, const ModelShape& shape) {
  Model m;
  m.task = shape.regression ? Model::Task::regression : Model::Task::classification;
  m.scheme = shape.scheme;
  const std::size_t classes = shape.scheme == Scheme::one ? 2 : 2 + random.below(4);
  if (!shape.regression)
    for (std::size_t c = 0; c < classes; ++c)
      m.classes.push_back((c == 1 ? "ü \"b\",\n" : "class ") + std::to_string(c));
  const std::size_t d = 1 + random.below(5);
  const bool blocks = shape.kernel_form && shape.scheme == Scheme::pairs;
  if (shape.kernel_form) {
    m.kernel = mercer::Kernel::parse(
        random.pick<const char*>({"rbf(0.5)", "rbf(0.3)*poly(2) + 0.1*linear", "laplacian(0.7)",
                                  "(1 + x.z)^3", "matern(1.5, 0.8)", "normalize(1 + x.z)"}));
    const std::size_t n = random.below(40);
    m.support = random_points(random, n, d, shape.sparse, shape.single);
    m.coefficients.rows = n;
    m.encoding.sparse = shape.sparse;
  } else {
    m.map = mercer::FeatureMap::parse("[1, sqrt(2)*x1, x1^2/3, exp(-x1^2), sin(x1)]",
                                      static_cast<std::uint32_t>(d));
    m.coefficients.rows = m.map->coordinates.size();
  }
  m.coefficients.columns = blocks ? classes - 1 : m.scores();
  for (std::size_t i = 0; i < m.coefficients.rows; ++i) {
    const bool unused = shape.kernel_form && random.one_in(4);
    for (std::size_t c = 0; c < m.coefficients.columns; ++c)
      m.coefficients.values.push_back(unused ? 0 : random.uniform(-1, 1));
  }
  if (blocks) {
    m.support_counts.assign(classes, 0);
    for (std::size_t i = 0; i < m.coefficients.rows; ++i) ++m.support_counts[random.below(classes)];
  }
  for (std::size_t s = 0; s < m.scores(); ++s) {
    m.offsets.push_back(random.uniform(-1, 1));
    if (shape.calibrated) m.calibration.push_back({random.uniform(-2, 2), random.uniform(-1, 1)});
  }
  m.encoding.dimension = d;
  m.label = "y";
  m.training = R"({"learner": "none", "seed": 1})";
  return m;
}

std::vector<double> plain_scores(const Model& m, const std::vector<double>& x) {
  std::vector<double> f = m.offsets;
  if (m.map) {
    for (std::size_t j = 0; j < m.coefficients.rows; ++j)
      for (std::size_t s = 0; s < f.size(); ++s)
        f[s] += m.coefficients(j, s) * m.map->coordinates[j](x, x);
    return f;
  }
  std::vector<double> z(m.support.columns());
  std::vector<double> k;
  for (std::size_t i = 0; i < m.support.rows(); ++i) {
    m.support.row(i, std::span(z));
    k.push_back((*m.kernel)(x, z));
  }
  if (m.scheme != Scheme::pairs) {
    for (std::size_t i = 0; i < k.size(); ++i)
      for (std::size_t s = 0; s < f.size(); ++s) f[s] += m.coefficients(i, s) * k[i];
    return f;
  }
  // The class of each support point, then for each pair those of its two classes.
  std::vector<std::size_t> class_of;
  for (std::size_t c = 0; c < m.classes.size(); ++c)
    class_of.insert(class_of.end(), m.support_counts[c], c);
  std::size_t pair = 0;
  for (std::size_t a = 0; a < m.classes.size(); ++a)
    for (std::size_t b = a + 1; b < m.classes.size(); ++b, ++pair)
      for (std::size_t i = 0; i < k.size(); ++i) {
        if (class_of[i] == a) f[pair] += m.coefficients(i, b - 1) * k[i];
        if (class_of[i] == b) f[pair] += m.coefficients(i, a) * k[i];
      }
  return f;
}
