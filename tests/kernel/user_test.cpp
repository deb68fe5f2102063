// A user's own function as an opaque leaf.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <mercer/properties.hpp>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace {

using mercer::Kernel;
using Point = std::vector<double>;
using Span = std::span<const double>;

double first_minus_last(Span x, Span z) { return x.front() - z.back(); }

// Registered for one test.
class Registered {
 public:
  Registered(std::string name, mercer::UserFunction function)
      : name_(std::move(name)), kernel_(mercer::user(name_, std::move(function))) {}
  ~Registered() { mercer::forget_user(name_); }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }

 private:
  std::string name_;
  Kernel kernel_;
};

const Point x{1, 2, 3};
const Point z{4, 5, 6};

TEST(User, IsCalled) {
  const Registered mine("mine", first_minus_last);
  EXPECT_EQ(mine.kernel()(x, z), -5);
  EXPECT_EQ((2 * mine.kernel() + mercer::linear())(x, z), -10 + 32);
}

TEST(User, PrintsAndParsesWhereRegistered) {
  const Registered mine("mine", first_minus_last);
  EXPECT_EQ(mine.kernel().text(), "user(\"mine\")");
  EXPECT_EQ(Kernel::parse("user(\"mine\")"), mine.kernel());
  const Kernel k = Kernel::parse("2*user(\"mine\")*rbf(1) + 1");
  EXPECT_EQ(Kernel::parse(k.text()), k);
  EXPECT_EQ(k, 2 * mine.kernel() * mercer::rbf(1) + 1);
  EXPECT_EQ(k.user_functions(), std::vector<std::string>{"mine"});
  EXPECT_TRUE(mercer::rbf(1).user_functions().empty());
}

TEST(User, UnknownNamesAreRefused) {
  const Registered mine("distance", first_minus_last);
  try {
    static_cast<void>(Kernel::parse("1 + user(\"distence\")"));
    ADD_FAILURE();
  } catch (const mercer::ParseError& e) {
    EXPECT_EQ(e.column(), 10U);
    EXPECT_EQ(e.details().suggestion, "distance");
  }
}

TEST(User, ANameStandsForOneFunction) {
  const Registered mine("mine", first_minus_last);
  EXPECT_THROW(mercer::user("mine", first_minus_last), mercer::Error);
  const Kernel& before = mine.kernel();
  mercer::forget_user("mine");
  EXPECT_THROW(Kernel::parse("user(\"mine\")"), mercer::ParseError);
  EXPECT_EQ(before(x, z), -5);  // kernels already built keep their function
  const Kernel after = mercer::user("mine", [](Span, Span) { return 7.0; });
  EXPECT_EQ(after(x, z), 7);
  EXPECT_EQ(before(x, z), -5);
}

TEST(User, ForgettingTheUnknownIsHarmless) { EXPECT_NO_THROW(mercer::forget_user("nobody")); }

TEST(User, SeesTheSelectedColumns) {
  const Registered sizes("size", [](Span a, Span) { return static_cast<double>(a.size()); });
  const Registered mine("mine", first_minus_last);
  EXPECT_EQ(sizes.kernel().on({1, 3})(x, z), 2);
  EXPECT_EQ(mine.kernel().on({2, 1})(x, z), 2 - 4);  // in this order
  EXPECT_EQ(mine.kernel().on({1, 2})(x, z), 1 - 5);
  EXPECT_NE(mine.kernel().on({1, 2}), mine.kernel().on({2, 1}));
  EXPECT_EQ(Kernel::parse("user(\"mine\")[2,1]"), mine.kernel().on({2, 1}));
  const Kernel k = mine.kernel().on({2, 1});
  EXPECT_EQ(Kernel::parse(k.text()), k) << k.text();
}

TEST(User, IsOpaque) {
  const Registered mine("mine", first_minus_last);
  const auto p = mercer::properties(mine.kernel());
  EXPECT_FALSE(p.symmetric || p.dot_product || p.stationary || p.isotropic);
  EXPECT_FALSE(p.degree);
  EXPECT_EQ(p.features.kind, mercer::Properties::FeatureSpace::Kind::unknown);
  EXPECT_EQ(mine.kernel() - mine.kernel() + 1, mine.kernel() - mine.kernel() + 1);
}

TEST(User, NormalizedAndSwapped) {
  const Registered dot("dot2", [](Span a, Span b) { return a[0] * b[0] + 1; });
  const Kernel k = mercer::normalize(dot.kernel());
  EXPECT_DOUBLE_EQ(k(x, z), 5 / std::sqrt(2.0 * 17.0));
  EXPECT_DOUBLE_EQ(k(x, x), 1);
}

TEST(User, ValuesThatAreNoNumbersAreErrors) {
  const Registered nan("nan", [](Span, Span) { return std::nan(""); });
  const Registered infinite("infinite",
                            [](Span, Span) { return std::numeric_limits<double>::infinity(); });
  for (const auto* k : {&nan.kernel(), &infinite.kernel()}) {
    try {
      static_cast<void>((*k)(x, z));
      ADD_FAILURE();
    } catch (const mercer::EvaluationError& e) {
      EXPECT_NE(std::string(e.what()).find("user("), std::string::npos) << e.what();
    }
  }
}

TEST(User, ExceptionsOfTheFunctionPassThrough) {
  const Registered broken("broken", [](Span, Span) -> double { throw std::out_of_range("mine"); });
  EXPECT_THROW(broken.kernel()(x, z), std::out_of_range);
}

TEST(User, NamesWithStrangeCharacters) {
  for (const std::string name : {"a \"b\"", "back\\slash", "größe", "x", "rbf(1)"}) {
    const Registered mine(name, first_minus_last);
    EXPECT_EQ(Kernel::parse(mine.kernel().text()), mine.kernel()) << mine.kernel().text();
  }
}

TEST(User, RegistryIsSafeFromSeveralThreads) {
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 50; ++i) {
        const Registered mine("thread" + std::to_string(t), first_minus_last);
        EXPECT_EQ(Kernel::parse("user(\"thread" + std::to_string(t) + "\")")(x, z), -5);
      }
    });
  }
}

}  // namespace
