// A solver that goes on from any of its rounds ends as if it had never stopped, to the last bit.
#include "svm/state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mercer/error.hpp>

#include "base/random.hpp"
#include "learn/svm_records.hpp"
#include "support/plain_learners.hpp"
#include "svm/machine.hpp"

namespace mercer::support {
namespace {

using mercer::testing::points_of;
using mercer::testing::random_matrix;
using Problem = SvmOptions::Problem;

// As it is in a file.
State through_a_file(const State& state) {
  model::CheckpointFile file;
  file.records["machine"] = learn::record_of(state);
  const std::string bytes = model::bytes_of(file);
  const auto again = model::read_checkpoint({bytes, "memory", {}, false, 0, 0});
  return learn::state_in(again.records.at("machine"));
}

void expect_same(const Svm& a, const Svm& b) {
  EXPECT_EQ(a.end, b.end);
  EXPECT_EQ(a.coefficients, b.coefficients);
  EXPECT_EQ(a.offset, b.offset);
  EXPECT_EQ(a.primal, b.primal);
  EXPECT_EQ(a.dual, b.dual);
  EXPECT_EQ(a.violation, b.violation);
  EXPECT_EQ(a.rounds, b.rounds);
  EXPECT_EQ(a.moves, b.moves);
  EXPECT_EQ(a.tube, b.tube);
}

struct Setting {
  Problem problem = Problem::classification;
  std::size_t columns = 3;
  std::size_t working_set = 16;
  std::size_t memory = std::size_t{1} << 20U;
  bool shrinking = true;
  GramOptions::Precision precision = GramOptions::Precision::float32;
  double C = 3;
  double tolerance = 1e-3;
  std::size_t points = 200;
};

struct Problems {
  Points x;
  std::vector<double> y;
};

Problems problem_of(std::size_t n, std::size_t columns, std::uint64_t seed) {
  Problems p{points_of(random_matrix(n, columns, seed)), {}};
  RandomNumbers random(seed);
  for (std::size_t i = 0; i < n; ++i) {
    double length = 0;
    for (std::size_t j = 0; j < columns; ++j) length += p.x(i, j) * p.x(i, j);
    const bool outside = length > 0.33 * static_cast<double>(columns);
    p.y.push_back(outside != (random.uniform() < 0.05) ? 1 : -1);
  }
  p.y[0] = 1;
  p.y[1] = -1;
  return p;
}

TEST(SvmState, GoingOnFromAnyRoundChangesNothing) {
  constexpr std::size_t expensive = 200;  // columns: rows of K are kept
  const std::vector<Setting> settings{
      {},
      {.shrinking = false},
      {.precision = GramOptions::Precision::float64},
      {.columns = expensive},
      {.columns = expensive, .memory = 20'000},  // a few rows, that push each other out
      {.columns = expensive, .working_set = 40, .memory = 60'000},
      {.working_set = 0},  // all at once
      // … and so many that those that do not move are left aside
      {.working_set = 0, .points = 700},
      {.problem = Problem::regression, .working_set = 0, .points = 400},
      {.problem = Problem::regression},
      {.problem = Problem::nu_regression},
      {.problem = Problem::nu_classification, .working_set = 30},
      {.problem = Problem::one_class, .columns = expensive, .memory = 20'000},
      {.problem = Problem::hard_margin},
      {.working_set = 40, .C = 30, .tolerance = 4e-6},  // floats become too coarse on the way
      // All between their bounds are moved together on the way.
      {.precision = GramOptions::Precision::float64, .C = 1e5, .tolerance = 1e-6},
      {.problem = Problem::regression, .working_set = 24, .C = 1e4, .tolerance = 1e-5},
  };
  std::size_t with_some_aside = 0;
  std::size_t with_rows = 0;
  std::size_t switches = 0;
  std::size_t faces = 0;
  for (std::size_t k = 0; k < settings.size(); ++k) {
    const Setting& s = settings[k];
    SCOPED_TRACE(k);
    const Problems p = problem_of(s.points, s.columns, k + 1);
    GramOptions how;
    how.precision = s.precision;
    how.storage = GramOptions::Storage::recomputed;
    const Gram K(rbf(s.columns > 3 ? 0.02 : 1), p.x, how);
    SvmOptions o;
    o.problem = s.problem;
    o.C = s.C;
    o.nu = 0.3;
    o.tolerance = s.tolerance;
    o.working_set = s.working_set;
    o.memory = s.memory;
    o.shrinking = s.shrinking;
    const Svm plain = machine(K, p.y, o, {});
    std::vector<State> states;
    const Svm watched = machine(
        K, p.y, o, {}, {nullptr, {}, [&](State&& state) { states.push_back(std::move(state)); }});
    expect_same(watched, plain);
    ASSERT_EQ(states.size() + 1, plain.rounds);
    if (!states.empty() && states.front().in_double != states.back().in_double) ++switches;
    for (std::size_t r = 1; r < states.size(); ++r)
      faces += states[r].work == 0 && states[r - 1].work > 0 ? 1U : 0U;
    const std::size_t step = std::max<std::size_t>(1, states.size() / 5);
    for (std::size_t r = 0; r < states.size(); r += step) {
      SCOPED_TRACE(r);
      const State from = through_a_file(states[r]);
      EXPECT_TRUE(from == states[r]);
      with_some_aside += from.known.empty() ? 0U : 1U;
      with_rows += from.rows.empty() ? 0U : 1U;
      std::vector<State> later;
      o.threads = 1 + static_cast<unsigned>(r % 3);
      expect_same(machine(K, p.y, o, {},
                          {&from, {}, [&](State&& state) { later.push_back(std::move(state)); }}),
                  plain);
      // The round that it was left in is looked at once more.
      ASSERT_EQ(later.size(), states.size() - r);
      for (std::size_t i = 0; i < later.size(); ++i) EXPECT_TRUE(later[i] == states[r + i]) << i;
    }
  }
  EXPECT_GT(with_some_aside, 0U);
  EXPECT_GT(with_rows, 0U);
  EXPECT_GT(switches, 0U);
  EXPECT_GT(faces, 0U);
}

TEST(SvmState, IsHandedOutWhenItIsDueOrWhenItEnds) {
  const Problems p = problem_of(200, 3, 5);
  const Gram K(rbf(1), p.x);
  SvmOptions o{.C = 3, .working_set = 16};
  std::size_t kept = 0;
  const auto keep = [&](const State&) { ++kept; };
  static_cast<void>(machine(K, p.y, o, {}, {nullptr, [] { return false; }, keep}));
  EXPECT_EQ(kept, 0U);
  o.observe = [](const SvmProgress& progress) { return progress.rounds < 3; };
  EXPECT_EQ(machine(K, p.y, o, {}, {nullptr, [] { return false; }, keep}).end,
            Svm::End::interrupted);
  EXPECT_EQ(kept, 1U);
}

TEST(SvmState, OfAnotherProblemIsRefused) {
  const Problems p = problem_of(400, 60, 7);
  const Gram K(rbf(0.01), p.x);
  const SvmOptions o{.C = 0.3, .working_set = 16, .memory = 20'000};
  std::vector<State> states;
  static_cast<void>(
      machine(K, p.y, o, {}, {nullptr, {}, [&](State&& s) { states.push_back(std::move(s)); }}));
  const auto aside = std::ranges::find_if(
      states, [](const State& s) { return !s.known.empty() && !s.rows.empty(); });
  ASSERT_TRUE(aside != states.end());
  const auto refused = [&](const std::function<void(State&)>& spoil) {
    State s = *aside;
    spoil(s);
    try {
      static_cast<void>(machine(K, p.y, o, {}, {&s, {}, {}}));
    } catch (const Error& error) {
      return std::string(error.what()).find("none of this problem") != std::string::npos;
    }
    return false;
  };
  EXPECT_FALSE(refused([](State&) {}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::function<void(State&)>> ways{
      [](State& s) { s.beta.pop_back(); },
      [](State& s) { s.beta[0] = 31; },
      [&](State& s) { s.beta[0] = nan; },
      [](State& s) { s.variables.clear(); },
      [](State& s) { s.variables[0] = 400; },
      [](State& s) { s.variables[0] = s.variables[1]; },
      [](State& s) { s.variables.pop_back(); },
      [](State& s) { s.f.push_back(0); },
      [&](State& s) { s.f[0] = nan; },
      [](State& s) { s.newest = {s.variables.size()}; },
      [](State& s) {
        s.newest = {0, 0};
      },
      [](State& s) { s.newest = {0, 1, 2, 3, 4, 5, 6, 7, 8}; },
      [](State& s) { s.known.clear(); },
      [](State& s) { s.known_f.pop_back(); },
      [](State& s) { s.rows.push_back(s.f.size()); },
      [](State& s) { s.rows_used.push_back(0); },
      [](State& s) {
        s.rows.resize(s.f.size());
        for (std::size_t i = 0; i < s.rows.size(); ++i) s.rows[i] = i;
        s.rows_used.assign(s.rows.size(), 0);
      },
      [](State& s) { s.rows_used[0] = s.rounds + 1; },
      [](State& s) { s.next_row = s.rows.size(); },
      [](State& s) { s.rounds = 0; },
      [](State& s) { s.looked_early = 2; },
      [](State& s) { s.in_double = 2; },
      [](State& s) { s.shrinks = 2; },
      [](State& s) { s.faces = 2; },
      [&](State& s) { s.work = nan; },
      [&](State& s) { s.violation_aside = nan; },
      [&](State& s) { s.largest_value = nan; },
      [&](State& s) { s.best_objective = nan; },
      [&](State& s) { s.looked_at = nan; },
      [&](State& s) { s.objective_then = nan; },
      [&](State& s) { s.violation_then = nan; },
  };
  for (std::size_t i = 0; i < ways.size(); ++i) EXPECT_TRUE(refused(ways[i])) << i;
}

TEST(SvmState, MachinesAndChoicesComeBackFromTheirRecords) {
  const Problems p = problem_of(50, 3, 7);
  for (const auto problem :
       {Problem::classification, Problem::nu_regression, Problem::hard_margin}) {
    const Svm s = svm(Gram(rbf(1), p.x), p.y, {.problem = problem});
    const auto again = learn::machine_in(learn::record_of(s), 50);
    ASSERT_TRUE(again);
    expect_same(*again, s);
    EXPECT_EQ(again->margin, s.margin);
    EXPECT_EQ(again->message, s.message);
    EXPECT_EQ(again->support, s.support);
    EXPECT_EQ(again->bounded, s.bounded);
    EXPECT_THROW(static_cast<void>(learn::machine_in(learn::record_of(s), 51)), Error);
    auto record = learn::record_of(s);
    record.whole["end"] = {9};
    EXPECT_THROW(static_cast<void>(learn::machine_in(record, 50)), Error);
    record = learn::record_of(s);
    record.numbers.erase("offset");
    EXPECT_THROW(static_cast<void>(learn::machine_in(record, 50)), Error);
  }
  EXPECT_FALSE(learn::machine_in(learn::record_of(State{}), 50));
  const learn::SvmChoice choice{10, 0.37, 0.9, 400};
  const auto again = learn::choice_in(learn::record_of(std::optional(choice)));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->C, choice.C);
  EXPECT_EQ(again->gamma, choice.gamma);
  EXPECT_EQ(again->merit, choice.merit);
  EXPECT_EQ(again->rows, choice.rows);
  EXPECT_FALSE(learn::choice_in(learn::record_of(std::optional<learn::SvmChoice>())));
  EXPECT_THROW(static_cast<void>(learn::choice_in(learn::record_of(State{}))), Error);
  EXPECT_THROW(static_cast<void>(learn::state_in(learn::record_of(std::optional(choice)))), Error);
}

}  // namespace
}  // namespace mercer::support
