// What the parser says about texts it refuses, and that it always says something, soon.
#include <gtest/gtest.h>

#include <ctime>
#include <functional>
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <mercer/properties.hpp>
#include <optional>
#include <string>
#include <vector>

namespace {

using mercer::Kernel;
using mercer::ParseError;

std::optional<ParseError> refusal(const std::string& text) {
  try {
    static_cast<void>(Kernel::parse(text));
  } catch (const ParseError& e) {
    return e;
  }
  return std::nullopt;
}

struct Case {
  std::string text;
  std::size_t column;      // in characters, from 1
  std::string found;       // what the caret and its tail mark
  std::string message;     // part of what is said
  std::string suggestion;  // the nearest name
};

void expect_refused(const std::vector<Case>& cases) {
  for (const auto& c : cases) {
    const auto e = refusal(c.text);
    ASSERT_TRUE(e) << c.text << " was read";
    EXPECT_EQ(e->column(), c.column) << e->what();
    EXPECT_EQ(e->details().found, c.found) << e->what();
    EXPECT_NE(e->line().find(c.message), std::string::npos)
        << "without \"" << c.message << "\": " << e->what();
    EXPECT_EQ(e->details().suggestion, c.suggestion) << e->what();
  }
}

TEST(ParseError, MistypedNames) {
  expect_refused({
      {"2 * rfb(1)", 5, "rfb", "unknown name 'rfb'", "rbf"},
      {"lineer", 1, "lineer", "unknown name", "linear"},
      {"ploy(2)", 1, "ploy", "unknown name", "poly"},
      {"x.z + ex(x1)", 7, "ex", "unknown name", "exp"},
      {"normalise(x.z)", 1, "normalise", "unknown name", "normalize"},
      {"gaussian", 1, "gaussian", "unknown name", "rbf"},
      {"polynomial(2)", 1, "polynomial", "unknown name", "poly"},
      {"laplace", 1, "laplace", "unknown name", "laplacian"},
      {"y.z", 1, "y", "unknown name", ""},
      {"rbf(gama=1)", 5, "gama=1", "no parameter 'gama'", "gamma"},
      {"matern(nu=2, lenght=3)", 14, "lenght=3", "no parameter 'lenght'", "length"},
  });
}

TEST(ParseError, Parameters) {
  expect_refused({
      {"rbf(1, 2)", 8, "2", "only 1 parameter", ""},
      {"poly(1, 2, 3, 4)", 15, "4", "only 3 parameters", ""},
      {"linear(3)", 8, "3", "no parameters", ""},
      {"rbf(gamma=1, gamma=2)", 20, "2", "given twice", ""},
      {"poly(2, degree=3)", 16, "3", "given twice", ""},
      {"poly(degree=2, 3)", 16, "3", "by position after one by name", ""},
      {"rbf(x1)", 5, "x1", "must be a constant", ""},
      {"2 + rbf(x.z)", 9, "x.z", "must be a constant", ""},
      {"rbf(gamma=?[2,1])", 11, "?[2,1]", "empty range", ""},
      {"rbf(gamma=?[1])", 14, "]", "unexpected ']'", ""},
      {"? + 1", 1, "?", "open parameter outside", ""},
      {"exp(?)", 5, "?", "open parameter outside", ""},
  });
}

TEST(ParseError, ParameterValues) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"rbf(gamma=1, sigma=1)", "gamma or sigma, not both"},
           {"rbf(sigma=0)", "sigma must be > 0"},
           {"matern(nu=-1)", "nu must be > 0"},
           {"matern(1, 0)", "length must be > 0"},
           {"rq(0)", "alpha must be != 0"},
           {"periodic(0)", "period must be != 0"},
           {"anova(1.5)", "degree must be whole"},
           {"anova(0)", "degree must be whole"},
           {"matern(nu=?[-1,2])", "nu must be > 0"}}) {
    const auto e = refusal(text);
    ASSERT_TRUE(e) << text;
    EXPECT_NE(e->line().find(message), std::string::npos) << e->what();
  }
}

TEST(ParseError, Brackets) {
  expect_refused({
      {"x.z)", 4, ")", "closes nothing", ""},
      {"(x.z", 5, "", "')' to close the '(' at column 1", ""},
      {"1 + (x.z * (2 + x1)", 20, "", "to close the '(' at column 5", ""},
      {"|x-z", 5, "", "'|' to close the '|' at column 1", ""},
      {"<x,z", 5, "", "'>' to close the '<' at column 1", ""},
      {"<x z>", 4, "z", "','", ""},
      {"exp(x.z", 8, "", "to close 'exp('", ""},
      {"rbf(1 2)", 7, "2", "to close 'rbf('", ""},
      {"linear[1", 9, "", "']'", ""},
      {"()", 2, ")", "unexpected ')'", ""},
      {"(x.z]", 5, "]", "unexpected ']'", ""},
  });
}

TEST(ParseError, OperatorsAndOperands) {
  expect_refused({
      {"", 1, "", "empty", ""},
      {"   ", 4, "", "empty", ""},
      {"x +", 4, "", "ends too early", ""},
      {"x.", 3, "", "ends too early", ""},
      {"-", 2, "", "ends too early", ""},
      {"x + * z", 5, "*", "unexpected '*'", ""},
      {"x ** z", 4, "*", "a power is written a ^ b", ""},
      {"2 x", 3, "x", "a product is written a*b", ""},
      {"x.z rbf", 5, "rbf", "an operator before it", ""},
      {"sin x", 5, "x", "unexpected 'x'", ""},
      {"exp", 1, "exp", "argument in parentheses", ""},
      {"x.z.x", 4, ".", "two vectors", ""},
      {"x(z)", 1, "x(z)", "a product without its sign", ""},
      {"x = z", 3, "=", "unexpected '='", ""},
  });
}

TEST(ParseError, VectorsAndNumbers) {
  expect_refused({
      {"x.2", 3, "2", "inner product of a number", ""},
      {"dot(x, z1)", 8, "z1", "inner product of a number", ""},
      {"1 + x[1:2].z", 12, "z", "different columns", ""},
      {"min(x1)", 1, "min(x1)", "at least two arguments", ""},
      {"exp(x1, x2)", 1, "exp(x1, x2)", "takes 1 argument, not 2", ""},
      {"sum(i)", 1, "sum(i)", "takes 2 arguments, not 1", ""},
      {"exp(u=1)", 1, "exp(u=1)", "no named arguments", ""},
  });
}

TEST(ParseError, CoordinatesAndColumns) {
  expect_refused({
      {"1 + x0", 5, "x0", "counted from 1", ""},
      {"x[0]", 3, "0", "not a column", ""},
      {"x[1.5]", 3, "1.5", "not a column", ""},
      {"x[i]", 1, "x[i]", "not the index of a sum", ""},
      {"sum(i, x[j])", 8, "x[j]", "'j' is not the index", ""},
      {"prod(i, x[i]) + x[i]", 17, "x[i]", "'i' is not the index", ""},
      {"sum(x, 1)", 5, "x", "the name of its index", ""},
      {"sum(i, i)", 8, "i", "is an index", ""},
      {"linear[2,2]", 8, "2,2", "selected twice", ""},
      {"linear[1:3,2]", 8, "1:3,2", "selected twice", ""},
      {"linear[3:1]", 8, "3:1", "is empty", ""},
      {"linear[]", 8, "]", "unexpected ']'", ""},
      {"linear[1,\"age\"]", 8, "1,\"age\"", "by name and by number", ""},
      {"linear[\"age", 8, "\"age", "never closed", ""},
      {"\"age\"", 1, "\"age\"", "outside of a selection", ""},
      {"linear[2147483648]", 8, "2147483648", "beyond the largest", ""},
      {"x99999999999999999999", 1, "x99999999999999999999", "unknown name", ""},
  });
}

TEST(ParseError, PrimesAndStrangeCharacters) {
  expect_refused({
      {"z'", 1, "z'", "only x has a prime", ""},
      {"x' '", 4, "'", "stray prime", ""},
      {"x1'2", 4, "2", "unexpected '2'", ""},
      {"x.z & 1", 5, "&", "unexpected character '&'", ""},
      {"x.z + é", 7, "é", "unexpected character 'é'", ""},
      {"|x-z|_3", 7, "3", "the norms are", ""},
      {std::string("x\0z", 3), 2, std::string(1, '\0'), "unexpected", ""},
      {"x.z + \xff", 7, "\xff", "unexpected", ""},
  });
}

TEST(ParseError, UndefinedConstants) {
  expect_refused({
      {"1/0", 1, "1/0", "division by zero", ""},
      {"x1 + 2/(1-1)", 6, "2/(1-1)", "division by zero", ""},
      {"0^-1", 1, "0^-1", "division by zero", ""},
      {"1 + sqrt(-1)", 5, "sqrt(-1)", "not a real number", ""},
      {"(-8)^(1/3)", 1, "(-8)^(1/3)", "not a real number", ""},
  });
}

// ---- the picture

// The lines of what(): message, text, caret.
std::vector<std::string> lines(const ParseError& e) {
  std::vector<std::string> result(1);
  for (const char c : std::string(e.what())) {
    if (c == '\n') {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  return result;
}

// A column for every character, as a terminal shows it.
std::size_t characters(const std::string& text) {
  std::size_t count = 0;
  for (const char c : text)
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++count;
  return count;
}

TEST(ParseError, ThreeLinesWithACaret) {
  const auto e = refusal("2 * rfb(1)");
  ASSERT_TRUE(e);
  const auto shown = lines(*e);
  ASSERT_EQ(shown.size(), 3U);
  EXPECT_EQ(shown[0], e->line());
  EXPECT_TRUE(shown[0].starts_with("column 5: unknown name 'rfb'"));
  EXPECT_TRUE(shown[0].ends_with("did you mean 'rbf'?"));
  EXPECT_EQ(shown[1], "  2 * rfb(1)");
  EXPECT_EQ(shown[2], "      ^~~");
}

TEST(ParseError, CaretStandsUnderTheMistake) {
  for (const std::string before :
       {"", "x1 + ", "x·z + ", "‖x−z‖² × π + ", "\tx.z +\t", "x.z +\n "}) {
    const auto e = refusal(before + "rfb + x1");
    ASSERT_TRUE(e);
    EXPECT_EQ(e->column(), characters(before) + 1);
    EXPECT_EQ(e->details().begin, before.size());
    EXPECT_EQ(e->details().end, before.size() + 3);
    const auto shown = lines(*e);
    ASSERT_EQ(shown.size(), 3U) << e->what();
    EXPECT_EQ(shown[2].find('^'), characters(shown[1].substr(0, shown[1].find("rfb"))));
    EXPECT_TRUE(shown[2].ends_with("^~~"));
  }
}

TEST(ParseError, LongTextsAreShownInPart) {
  std::string text = "x1";
  for (int i = 0; i < 500; ++i) text += " + x1";
  const auto e = refusal(text + " + rfb" + text);
  ASSERT_TRUE(e);
  const auto shown = lines(*e);
  ASSERT_EQ(shown.size(), 3U);
  EXPECT_LT(characters(shown[1]), 120U);
  EXPECT_EQ(characters(shown[2].substr(0, shown[2].find('^'))),
            characters(shown[1].substr(0, shown[1].find("rfb"))));
}

TEST(ParseError, KnownDimension) {
  const auto message = [](const char* text, std::uint32_t dimension) {
    try {
      static_cast<void>(Kernel::parse(text, {.dimension = dimension}));
    } catch (const ParseError& e) {
      return e.line();
    }
    return std::string("read");
  };
  EXPECT_NE(message("1 + x*z", 2).find("column 5: a vector of dimension 2"), std::string::npos)
      << message("1 + x*z", 2);
  EXPECT_NE(message("x1 + x3", 2).find("column 6: there is no coordinate 3"), std::string::npos)
      << message("x1 + x3", 2);
  EXPECT_EQ(message("1 + x*z", 1), "read");
  EXPECT_EQ(message("x1 + x3", 3), "read");
}

// ---- bounds: whatever the input, an answer comes soon

// Reads, prints and looks at it, or refuses it; either way it does not hang. The bound is on
// processor time and generous: it tells polynomial from exponential, not fast from slow.
void expect_soon(const std::string& what, const std::string& text) {
  const std::clock_t start = std::clock();
  try {
    const Kernel k = Kernel::parse(text);
    static_cast<void>(k.text());
    static_cast<void>(k.formula());
    static_cast<void>(k.tree());
    static_cast<void>(mercer::properties(k));
  } catch (const ParseError& e) {
    EXPECT_LE(e.details().end, e.details().text.size()) << what;
  }
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr double limit = 200;
#else
  constexpr double limit = 10;
#endif
  EXPECT_LT(took, limit) << what;
}

std::string repeated(const std::string& part, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += part;
  return result;
}

TEST(ParseError, DeepNesting) {
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"(", ")"},  {"-", ""},        {"exp(", ")"},    {"|", "|"},          {"<x,", ">"},
      {"2^", ""},  {"1/(1+", ")"},   {"sum(i,", ")"},  {"normalize(", ")"}, {"min(1,", ")"},
      {"(-", ")"}, {"-(", ")"},      {"rbf(", ")"},    {"(x1+", ")"},       {"sqrt(1+", ")"},
      {"+", ""},   {"abs(-2*", ")"}, {"prod(j,", ")"}, {"2*(", ")"},        {"(1+", ")^2"}};
  for (const auto& [open, close] : pairs) {
    for (const std::size_t depth : {50U, 150U, 250U, 5000U}) {
      expect_soon(open + "…" + close, repeated(open, depth) + "x1" + repeated(close, depth));
      expect_soon(open + "…", repeated(open, depth));
    }
  }
  EXPECT_TRUE(refusal(repeated("(", 1000) + "x1" + repeated(")", 1000)));
  EXPECT_FALSE(refusal(repeated("(", 90) + "x1" + repeated(")", 90)));
}

TEST(ParseError, LongTexts) {
  for (const std::string part :
       {"x1 + ", "x1*", "x1^2*z1 + ", "rbf(1)*", "-", "x1 - ", "((", "[1]", "2^", "1/",
        "'",     "\"",  "|",          "?",       "x", "1",     ".",  "e",   "<",  "9"}) {
    expect_soon(part, repeated(part, 65'000 / part.size()));
    expect_soon(part, repeated(part, 65'000 / part.size()) + "x1");
  }
  expect_soon("100000 terms", repeated("x1 + ", 100'000) + "1");
  const auto too_long = refusal(repeated("x1 + ", 100'000) + "1");
  ASSERT_TRUE(too_long);
  EXPECT_STREQ(too_long->what(), "the expression is 500001 bytes long; at most 65536 are read");
  EXPECT_TRUE(refusal(std::string(66'000, ' ') + "x1"));
  EXPECT_FALSE(refusal(repeated("x1 + ", 10'000) + "1"));
}

TEST(ParseError, ManyDifferentTerms) {
  std::string sum = "0";
  std::string product = "1";
  std::string tower = "x1";
  for (int i = 1; i <= 2500; ++i) {
    sum += " + x" + std::to_string(i) + "*z" + std::to_string(i);
    product += "*(1 + x" + std::to_string(i) + ")";
    if (i <= 150) tower = "(" + tower + ")*x" + std::to_string(i) + " + 1";
  }
  std::string factors = "x1";
  std::string quotients = "x1";
  std::string exponentials = "exp(x1)";
  for (int i = 2; i <= 5000; ++i) {
    factors += "*x" + std::to_string(i);
    quotients += "/x" + std::to_string(i);
    exponentials += "*exp(x" + std::to_string(i) + ")";
  }
  expect_soon("factors", factors);
  expect_soon("quotients", quotients);
  expect_soon("exponentials", exponentials);
  expect_soon("sum", sum);
  expect_soon("product", product);
  expect_soon("tower", tower);
  expect_soon("power of a long sum", "(" + sum + ")^20");
  expect_soon("square root of a long product", "sqrt(" + product + ")");
  expect_soon("absolute value of a long product", "abs(" + product + ")");
}

TEST(ParseError, HugeNumbers) {
  for (const std::string text : {"1e99999",
                                 "1e-99999",
                                 "1e999999999999",
                                 "2^(10^9)",
                                 "(10^9)^(10^9)",
                                 "2^2^2^2^2^2^2",
                                 "10^10^10^10",
                                 "1.5^(2^40)",
                                 "x1^1e300",
                                 "x1^(10^20)",
                                 "(1+x.z)^(10^9)",
                                 "(1+x.z)^1e300",
                                 "sqrt(2)^(10^9)",
                                 "(2/3)^(-10^6)",
                                 "9^9^9^9",
                                 "1e308*1e308*1e308",
                                 "anova(1e9)",
                                 "anova(100000)",
                                 "poly(1e15)",
                                 "matern(1e300)",
                                 "matern(1e-300)",
                                 "rbf(1e-300)",
                                 "linear[1:2147483647]",
                                 "x2147483647*z1",
                                 "prod(i, 2)[1:2147483647]",
                                 "sum(i, 1)[1:2147483647]",
                                 "subsets[1:2147483647]",
                                 "anova(3)[1:2147483647]",
                                 "(x.z + 1)^100000[1:1000]",
                                 "(x1 + z1 + 1)^1000",
                                 "(x1 + x2 + x3 + z1 + z2 + z3 + 1)^200",
                                 "(0.1*x1 + 0.3333333333333)^64 * (x1 + 1/7)^99",
                                 "(x1 + z1 + 0.123456789)^60",
                                 "0.1^4000",
                                 "1/3^5000",
                                 "123456789012345678901234567890^(1/2)",
                                 "1000000007^(1/3)",
                                 "340282366920938463463374607431768211507^0.5"})
    expect_soon(text, text);
  expect_soon("a long number", std::string(60'000, '7'));
  expect_soon("a long fraction", "0." + std::string(60'000, '3'));
  expect_soon("a root of a long number", "sqrt(" + std::string(1000, '7') + ")");
}

TEST(ParseError, ManyReductions) {
  std::string nested = "x[i0]*z[i0]";
  for (int i = 0; i < 40; ++i) {
    const std::string index = "i" + std::to_string(i);
    nested = "sum(" + index + ", x[" + index + "] + " + nested + ")";
    if (i == 5 || i == 15 || i == 39) expect_soon("nested sums", nested);
  }
  expect_soon("nested selections", "linear" + repeated("[1:9]", 16));
  expect_soon("too many selections", "linear" + repeated("[1:9]", 1000));
  expect_soon("selected names", "linear" + repeated("[\"a\"]", 10));
}

}  // namespace
