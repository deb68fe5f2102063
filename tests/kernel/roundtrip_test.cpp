// Ten thousand random trees: what is printed reads back as the same kernel, and simplification
// changes neither a value nor where there is one.
#include <gtest/gtest.h>

#include <cmath>
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/plain_eval.hpp"
#include "support/random_kernel.hpp"

namespace {

using mercer::Kernel;

struct Sample {
  std::string text;
  std::uint32_t dimension = 1;
  std::vector<std::string> names;
};

const std::vector<std::string> column_names{"age", "colour", "age", "height"};

// Kinds of samples take turns: numbers, vectors, vectors with named columns.
Sample sample(Random& random, int number, bool open) {
  RandomKernelOptions options;
  options.size = 2 + static_cast<int>(random.below(14));
  options.open = open;
  switch (number % 3) {
    case 0:
      options.numbers = true;
      options.dimension = 1;
      break;
    case 1:
      options.dimension = 2 + static_cast<std::uint32_t>(random.below(3));
      break;
    default:
      options.dimension = static_cast<std::uint32_t>(column_names.size());
      options.names = column_names;
  }
  return {random_kernel_text(random, options), options.dimension, options.names};
}

// Whether the text as written has a value at any of some points, as far as that can be told.
bool has_values(const Sample& s) {
  if (s.text.find('?') != std::string::npos) return false;
  Random random(7);
  for (int i = 0; i < 20; ++i) {
    const double low = i % 2 == 0 ? -2 : 0.1;
    const auto x = random.point(s.dimension, low, 2);
    const auto z = random.point(s.dimension, low, 2);
    const plain::Outcome outcome = plain::evaluate(s.text, x, z, s.names);
    if (outcome.value && !outcome.doubtful) return true;
  }
  return false;
}

// Builds the kernel. It may be refused only where it is undefined everywhere: a division by the
// number 0, the root of a negative one.
template <class Build>
std::optional<Kernel> build(const Sample& s, const Build& how) {
  try {
    return how();
  } catch (const mercer::Error& e) {
    if (has_values(s)) ADD_FAILURE() << s.text << "\n  was refused: " << e.what();
    return std::nullopt;
  }
}

std::optional<Kernel> parse(const Sample& s) {
  return build(s, [&] { return Kernel::parse(s.text, {.dimension = s.dimension}); });
}

std::optional<Kernel> resolved(const Sample& s, const Kernel& k) {
  return build(s, [&] { return k.with_columns(s.names); });
}

void expect_round_trip(const Kernel& k, const std::string& printed,
                       std::string (Kernel::*print)() const, const std::string& source) {
  try {
    const Kernel again = Kernel::parse(printed);
    const std::string reprinted = (again.*print)();
    EXPECT_TRUE(again == k && again.hash() == k.hash() && reprinted == printed)
        << source << "\n  prints as " << printed << "\n  which reads as " << reprinted;
  } catch (const mercer::ParseError& e) {
    ADD_FAILURE() << source << "\n  prints as " << printed << "\n" << e.what();
  }
}

TEST(RoundTrip, PrintedKernelsReadBackAsThemselves) {
  Random random(20240601);
  int parsed = 0;
  for (int i = 0; parsed < 10'000 && i < 20'000; ++i) {
    const Sample s = sample(random, i, i % 4 == 0);
    const auto k = parse(s);
    if (!k) continue;
    ++parsed;
    expect_round_trip(*k, k->text(), &Kernel::text, s.text);
    expect_round_trip(*k, k->formula(), &Kernel::formula, s.text);
    if (!s.names.empty()) {
      const auto by_index = resolved(s, *k);
      if (!by_index) continue;
      EXPECT_FALSE(by_index->has_named_columns()) << s.text;
      expect_round_trip(*by_index, by_index->text(), &Kernel::text, s.text);
    }
    if (HasFailure() && i % 1000 == 0) break;
  }
  EXPECT_GT(parsed, 9'000);
}

// k/(f(x) f(z)) with f(x)^2 = k(x,x) is normalize(k), which is 0 where the quotient is 0/0.
bool is_normalized_by_hand(const std::string& source, const Kernel& k) {
  const auto mentions = [](const std::string& text) {
    return text.find("normalize(") != std::string::npos || text.find("cosine") != std::string::npos;
  };
  return mentions(k.text()) && !mentions(source);
}

struct Tally {
  int compared = 0;
  int undefined = 0;
};

void expect_same_value(const Sample& s, const Kernel& k, const std::vector<double>& x,
                       const std::vector<double>& z, Tally& tally) {
  const plain::Outcome expected = plain::evaluate(s.text, x, z, s.names);
  if (expected.doubtful) return;
  const auto where = [&] {
    std::string text = s.text + "\n  as " + k.text() + "\n  at x =";
    for (const double v : x) text += " " + std::to_string(v);
    text += ", z =";
    for (const double v : z) text += " " + std::to_string(v);
    return text;
  };
  try {
    const double got = k(x, z);
    if (!expected.value && is_normalized_by_hand(s.text, k)) return;
    if (!expected.value) {
      ADD_FAILURE() << where() << "\n  is " << got
                    << ", but undefined as written: " << expected.why;
      return;
    }
    ++tally.compared;
    const long double value = expected.value->value;
    const long double tolerance = 64 * 0x1p-53L * (expected.value->scale + std::fabs(value));
    EXPECT_LE(std::fabs(static_cast<long double>(got) - value), tolerance)
        << where() << "\n  is " << got << ", as written " << static_cast<double>(value);
  } catch (const mercer::EvaluationError& e) {
    ++tally.undefined;
    if (expected.value)
      ADD_FAILURE() << where() << "\n  is " << static_cast<double>(expected.value->value)
                    << " as written, but: " << e.what();
  }
}

TEST(RoundTrip, SimplificationKeepsValuesAndWhereTheyExist) {
  Random random(20240602);
  Tally tally;
  for (int i = 0; i < 10'000; ++i) {
    const Sample s = sample(random, i, false);
    auto k = parse(s);
    if (k && !s.names.empty()) k = resolved(s, *k);
    if (!k) continue;
    const std::ptrdiff_t d = s.dimension;
    const std::size_t two = std::size_t{2} * s.dimension;
    const auto compare = [&](const std::vector<double>& x, const std::vector<double>& z) {
      expect_same_value(s, *k, x, z, tally);
    };
    const auto any = random.point(two, -2, 2);  // two points at once
    const auto positive = random.point(two, 0.1, 1);
    const auto round = random.round_point(two, -2, 2);
    const auto natural = random.round_point(two, 0, 2);
    for (const auto& both : {any, positive, round, natural})
      compare({both.begin(), both.begin() + d}, {both.begin() + d, both.end()});
    const std::vector<double> one(round.begin(), round.begin() + d);
    compare(one, one);
    compare(std::vector<double>(one.size(), 0), one);
    if (HasFailure() && i % 1000 == 0) break;
  }
  // The comparison has teeth only if most points are decided, and some of them undefined.
  EXPECT_GT(tally.compared, 20'000);
  EXPECT_GT(tally.undefined, 3'000);
}

}  // namespace
