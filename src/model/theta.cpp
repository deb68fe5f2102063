#include <algorithm>
#include <mercer/mapped.hpp>
#include <mercer/theta.hpp>

namespace mercer {

namespace {

// What score c takes of support point i.
class Shares {
 public:
  explicit Shares(const Model& m) : m_(m) {
    if (m.scheme != Model::Scheme::pairs) return;
    for (std::size_t a = 0; a < m.support_counts.size(); ++a)
      class_of_.insert(class_of_.end(), m.support_counts[a], a);
    for (std::size_t a = 0; a < m.classes.size(); ++a)
      for (std::size_t b = a + 1; b < m.classes.size(); ++b) pairs_.emplace_back(a, b);
  }

  [[nodiscard]] double operator()(std::size_t i, std::size_t c) const {
    if (m_.scheme != Model::Scheme::pairs) return m_.coefficients(i, c);
    const auto [a, b] = pairs_[c];
    if (class_of_[i] == a) return m_.coefficients(i, b - 1);
    return class_of_[i] == b ? m_.coefficients(i, a) : 0;
  }

 private:
  const Model& m_;
  std::vector<std::size_t> class_of_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
};

std::string too_many(const std::string& count, std::size_t most) {
  return "φ has " + count + " features, more than the " + std::to_string(most) +
         " that are written out";
}

}  // namespace

Theta theta(const Model& model, std::size_t most_features) {
  Theta t;
  if (model.sketch) {
    t.why = "φ is a sketch of " + std::to_string(model.sketch->size()) + " features";
    return t;
  }
  if (model.map) {
    if (model.map->coordinates.size() > most_features) {
      t.why = too_many(std::to_string(model.map->coordinates.size()), most_features);
      return t;
    }
    t.map = *model.map;
    t.weights = model.coefficients;
    return t;
  }
  const Features f = features(*model.kernel, static_cast<std::uint32_t>(model.dimension()),
                              {.coordinates = most_features});
  using Kind = Features::Kind;
  if (f.kind == Kind::infinite || f.known_infinite) {
    t.why = "φ has infinitely many features";
  } else if (f.kind == Kind::none) {
    t.why = "there is no φ: " + f.reason;
  } else if (f.kind == Kind::unknown) {
    t.why = "φ is not known: " + f.reason;
  } else if (!f.complete) {
    t.why = too_many(f.count, most_features);
  }
  if (!t.why.empty()) return t;
  t.map = f.map;
  const std::size_t count = f.map.coordinates.size();
  t.weights = Matrix::zeros(count, model.scores());
  if (model.support.rows() == 0) return t;
  const Points phi = mapped(f.map, model.support);
  const Shares share(model);
  std::vector<double> point(count);
  for (std::size_t i = 0; i < phi.rows(); ++i) {
    phi.row(i, std::span(point));
    for (std::size_t c = 0; c < model.scores(); ++c) {
      const double alpha = share(i, c);
      if (alpha == 0) continue;
      for (std::size_t j = 0; j < count; ++j) t.weights(j, c) += alpha * point[j];
    }
  }
  return t;
}

}  // namespace mercer
