// Support vectors: two α move at a time. Of more than two classes there is a machine for each pair
// of them, as in `mercer train`, and each makes so many moves.
#include <mercer/svm.hpp>

#include <algorithm>
#include <numeric>

#include "studio/frames.hpp"

namespace mercer::studio {

namespace {

constexpr double most_seconds = 10;

const char* name_of(Svm::End end) {
  switch (end) {
    case Svm::End::converged:
      return "converged";
    case Svm::End::moves:
      return "moves";
    case Svm::End::seconds:
      return "seconds";
    case Svm::End::interrupted:
      return "interrupted";
    case Svm::End::stalled:
      return "stalled";
    case Svm::End::not_separable:
      break;
  }
  return "not separable";
}

struct Machine {
  std::vector<std::size_t> rows;
  std::vector<double> y;
};

std::vector<Machine> machines_of(const Work& work) {
  const Problem& p = work.problem;
  std::vector<Machine> machines;
  if (work.decision.scheme == Model::Scheme::one) {
    Machine all{std::vector<std::size_t>(p.rows()), work.y.values};
    std::iota(all.rows.begin(), all.rows.end(), std::size_t{0});
    return {all};
  }
  const auto rows_of = [&](int label) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < p.rows(); ++i)
      if (p.labels[i] == label) rows.push_back(i);
    return rows;
  };
  for (std::size_t a = 0; a < p.classes.size(); ++a)
    for (std::size_t b = a + 1; b < p.classes.size(); ++b) {
      Machine pair{rows_of(p.classes[a]), {}};
      pair.y.assign(pair.rows.size(), 1.0);
      const auto second = rows_of(p.classes[b]);
      pair.rows.insert(pair.rows.end(), second.begin(), second.end());
      pair.y.resize(pair.rows.size(), -1.0);
      machines.push_back(std::move(pair));
    }
  return machines;
}

struct Solved {
  Rule rule;
  std::vector<Svm> machines;

  [[nodiscard]] std::size_t moves() const {
    std::size_t most = 0;
    for (const Svm& s : machines) most = std::max(most, s.moves);
    return most;
  }
  [[nodiscard]] bool any(Svm::End end) const {
    return std::ranges::any_of(machines, [&](const Svm& s) { return s.end == end; });
  }
};

// At most so many moves each; 0: any number.
Solved solve(const Work& work, double C, std::size_t moves, const Tell* tell) {
  Solved solved{Rule::zero(work), {}};
  const auto machines = machines_of(work);
  for (std::size_t m = 0; m < machines.size(); ++m) {
    SvmOptions how;
    how.C = C;
    how.threads = 1;
    how.moves = moves;
    how.seconds = most_seconds / static_cast<double>(machines.size());
    if (tell != nullptr)
      how.observe = [&](const SvmProgress& p) {
        return (*tell)({{"progress", {{"moves", p.moves}, {"violation", p.violation}}}});
      };
    const bool all = machines.size() == 1;
    Svm s = all ? svm(work.K, machines[m].y, how)
                : svm(work.K.part(machines[m].rows, 1), machines[m].y, how);
    for (std::size_t i = 0; i < machines[m].rows.size(); ++i)
      solved.rule.beta(machines[m].rows[i], m) = s.coefficients[i];
    solved.rule.b[m] = s.offset;
    solved.machines.push_back(std::move(s));
    if (solved.machines.back().end == Svm::End::interrupted) break;
  }
  return solved;
}

Json frame_of(const Work& work, const Solved& solved, std::size_t step) {
  Json frame = frame_of(work, solved.rule, step);
  const Matrix& beta = solved.rule.beta;
  std::size_t support = 0;
  for (std::size_t i = 0; i < beta.rows; ++i)
    if (std::ranges::any_of(beta.row(i), [](double v) { return v != 0; })) ++support;
  std::size_t bounded = 0;
  double violation = 0;
  std::string message;
  for (const Svm& s : solved.machines) {
    bounded += s.bounded;
    violation = std::max(violation, s.violation);
    if (!s.message.empty() && s.end != Svm::End::moves) message = s.message;
  }
  frame["support"] = support;
  frame["bounded"] = bounded;
  frame["violation"] = violation;
  frame["message"] = message;
  if (solved.machines.size() == 1) {
    const Svm& s = solved.machines[0];
    double slack = 0;  // Σ ξ_i
    for (std::size_t i = 0; i < work.problem.rows(); ++i)
      slack += std::max(0.0, 1 - work.y(i, 0) * frame["outputs"][i].get<double>());
    frame["slack"] = slack;
    frame["margin"] = s.margin ? Json(*s.margin) : Json(nullptr);
    frame["primal"] = s.primal;
    frame["dual"] = s.dual;
    frame["end"] = name_of(s.end);
  } else {
    frame["end"] = solved.any(Svm::End::seconds) ? "seconds"
                   : solved.any(Svm::End::moves) ? "moves"
                                                 : "converged";
  }
  return frame;
}

}  // namespace

Json svm_at(const Work& work, double C, std::size_t moves) {
  if (moves == 0) return frame_of(work, Rule::zero(work), 0);
  const Solved s = solve(work, C, moves, nullptr);
  Json frame = frame_of(work, s, s.moves());
  frame["ended"] = !s.any(Svm::End::moves);
  return frame;
}

void learn_svm(const Work& work, double C, const Tell& tell) {
  const Solved s = solve(work, C, 0, &tell);
  if (s.any(Svm::End::interrupted)) return;
  Json frame = frame_of(work, s, s.moves());
  frame["done"] = true;
  frame["schedule"] = schedule_to(s.moves());
  tell(frame);
}

}  // namespace mercer::studio
