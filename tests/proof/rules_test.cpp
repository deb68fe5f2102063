// Each rule of proof: an expression whose derivation cites it, and one a step beyond its border that
// has no derivation.
#include <gtest/gtest.h>

#include <algorithm>
#include <mercer/mercer.hpp>
#include <mercer/proof.hpp>
#include <set>

namespace {

using mercer::Derivation;
using mercer::Kernel;
using mercer::Verdict;

struct Statement {
  const char* text;
  const char* domain;
  std::uint32_t dimension;  // 0: every one
};

struct Row {
  const char* rule;
  Statement cites;
  Statement beyond;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
ROWS
  };
  return all;
}

Verdict judge(const Statement& s) {
  mercer::ProofOptions options;
  options.domain = mercer::Domain::parse(s.domain);
  if (s.dimension > 0) options.dimension = s.dimension;
  options.timeout = 60;
  return mercer::prove(Kernel::parse(s.text, {.dimension = options.dimension}), options);
}

void collect(const Derivation& step, std::set<std::string>& names) {
  names.insert(step.rule);
  for (const auto& premise : step.premises) collect(premise, names);
}

TEST(Rules, AreCitedWhereTheyApply) {
  for (const auto& row : rows()) {
    const Verdict v = judge(row.cites);
    ASSERT_TRUE(v.derivation.has_value()) << row.cites.text;
    std::set<std::string> names;
    collect(*v.derivation, names);
    EXPECT_TRUE(names.contains(row.rule))
        << row.cites.text << " is no longer proved by the rule " << row.rule;
  }
}

TEST(Rules, DoNotReachBeyondTheirBorder) {
  for (const auto& row : rows())
    EXPECT_NE(judge(row.beyond).kind, Verdict::Kind::kernel)
        << row.beyond.text << ", beyond the rule " << row.rule;
}

TEST(Rules, HaveARowEach) {
  // Others come before them wherever they apply.
  const std::set<std::string> overtaken{OVERTAKEN};
  for (const auto& rule : mercer::rules())
    EXPECT_TRUE(overtaken.contains(rule.name) ||
                std::ranges::any_of(rows(), [&](const Row& r) { return r.rule == rule.name; }))
        << "add a row for the rule " << rule.name;
}

TEST(Rules, AreTheOnesThatDerivationsCite) {
  std::set<std::string> known;
  for (const auto& rule : mercer::rules()) known.insert(rule.name);
  for (const auto& row : rows()) {
    const Verdict v = judge(row.cites);
    std::set<std::string> names;
    if (v.derivation) collect(*v.derivation, names);
    for (const auto& name : names) EXPECT_TRUE(known.contains(name)) << name;
  }
}

}  // namespace
