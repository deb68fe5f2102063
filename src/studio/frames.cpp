#include "studio/frames.hpp"

#include <algorithm>

namespace mercer::studio {

Work::Work(Problem p, bool pairs)
    : problem(std::move(p)),
      y(problem.targets()),
      K(*problem.kernel, problem.x, gram_options()),
      decision(problem.decision(pairs)),
      field(problem) {}

Rule Rule::zero(const Work& work) {
  const std::size_t scores = work.decision.scores();
  return {Matrix::zeros(work.problem.rows(), scores), std::vector<double>(scores)};
}

namespace {

// What the rule says of the points themselves. A score of 0 is on neither side, and a mistake.
void add_answers(Json& frame, const Work& work, const Rule& rule) {
  const std::size_t n = work.problem.rows();
  Matrix scores = Matrix::zeros(n, rule.beta.columns);
  work.K.apply(rule.beta.values, rule.beta.columns, scores.values);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < scores.columns; ++c) scores(i, c) += rule.b[c];
  std::vector<std::size_t> wrong;
  if (work.decision.scheme == Model::Scheme::one) {
    for (std::size_t i = 0; i < n; ++i)
      if (work.y(i, 0) * scores(i, 0) <= 0) wrong.push_back(i);
    frame["outputs"] = scores.values;
  } else {
    const auto said = classes_by_score(work.decision, scores);
    for (std::size_t i = 0; i < n; ++i)
      if (work.problem.classes[static_cast<std::size_t>(said[i])] != work.problem.labels[i])
        wrong.push_back(i);
  }
  frame["mistakes"] = wrong.size();
  frame["wrong"] = wrong;
}

Json names_of_scores(const Work& work) {
  const auto& names = work.decision.classes;
  Json list = Json::array();
  switch (work.decision.scheme) {
    case Model::Scheme::one:
      list.push_back(names[1] + " against " + names[0]);
      break;
    case Model::Scheme::per_class:
      for (const auto& name : names) list.push_back(name + " against the rest");
      break;
    case Model::Scheme::pairs:
      for (std::size_t a = 0; a < names.size(); ++a)
        for (std::size_t b = a + 1; b < names.size(); ++b)
          list.push_back(names[a] + " against " + names[b]);
      break;
  }
  return list;
}

}  // namespace

Json frame_of(const Work& work, const Rule& rule, std::size_t step) {
  Json columns = Json::array();
  for (std::size_t c = 0; c < rule.beta.columns; ++c) {
    Json column = Json::array();
    for (std::size_t i = 0; i < rule.beta.rows; ++i) column.push_back(rule.beta(i, c));
    columns.push_back(std::move(column));
  }
  Json frame{{"step", step},
             {"scores", names_of_scores(work)},
             {"beta", std::move(columns)},
             {"offsets", rule.b}};
  add_answers(frame, work, rule);
  work.field.add_to(frame, rule.beta, rule.b, work.decision);
  return frame;
}

std::vector<std::size_t> schedule_to(std::size_t last) {
  std::vector<std::size_t> steps;
  for (std::size_t k = 0; k < last; k += 1 + k / 8) steps.push_back(k);
  steps.push_back(last);
  return steps;
}

}  // namespace mercer::studio
