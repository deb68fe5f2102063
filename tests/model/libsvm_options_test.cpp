// svm-train's command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mercer/error.hpp>
#include <mercer/libsvm.hpp>

namespace {

using mercer::Kernel;
using mercer::LibsvmKernel;
using mercer::LibsvmType;
using mercer::parse_libsvm_options;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

TEST(LibsvmOptions, DefaultsAreThoseOfSvmTrain) {
  const auto o = parse_libsvm_options(" ");
  EXPECT_EQ(o.type, LibsvmType::c_svc);
  EXPECT_EQ(o.kernel_type, LibsvmKernel::rbf);
  EXPECT_EQ(o.degree, 3);
  EXPECT_FALSE(o.gamma);
  EXPECT_EQ(o.coef0, 0);
  EXPECT_EQ(o.cost, 1);
  EXPECT_EQ(o.nu, 0.5);
  EXPECT_EQ(o.epsilon, 0.1);
  EXPECT_EQ(o.cache, 100);
  EXPECT_EQ(o.tolerance, 0.001);
  EXPECT_TRUE(o.shrinking);
  EXPECT_FALSE(o.probability);
  EXPECT_TRUE(o.weights.empty());
  EXPECT_FALSE(o.folds);
  EXPECT_FALSE(o.quiet);
}

TEST(LibsvmOptions, EveryFlagIsRead) {
  const auto o = parse_libsvm_options(
      "-s 4 -t 1 -d 5 -g 0.25\t-r -1.5 -c 1e3 -n 0.2 -p 0.01 -m 512 -e 1e-5 -h 0 -b 1 -w1 2 "
      "-w-1 0.5 -w1 3 -v 5 -q");
  EXPECT_EQ(o.type, LibsvmType::nu_svr);
  EXPECT_EQ(o.kernel_type, LibsvmKernel::polynomial);
  EXPECT_EQ(o.degree, 5);
  EXPECT_EQ(o.gamma, 0.25);
  EXPECT_EQ(o.coef0, -1.5);
  EXPECT_EQ(o.cost, 1000);
  EXPECT_EQ(o.nu, 0.2);
  EXPECT_EQ(o.epsilon, 0.01);
  EXPECT_EQ(o.cache, 512);
  EXPECT_EQ(o.tolerance, 1e-5);
  EXPECT_FALSE(o.shrinking);
  EXPECT_TRUE(o.probability);
  EXPECT_THAT(o.weights, ElementsAre(Pair(1, 2), Pair(-1, 0.5), Pair(1, 3)));
  EXPECT_EQ(o.folds, 5);
  EXPECT_TRUE(o.quiet);
}

TEST(LibsvmOptions, TheKernelOfSoManyFeatures) {
  const auto kernel = [](const char* text) { return parse_libsvm_options(text).kernel(4); };
  EXPECT_EQ(kernel(""), mercer::rbf(0.25));
  EXPECT_EQ(kernel("-g 0"), mercer::rbf(0.25));  // as svm-train takes it
  EXPECT_EQ(kernel("-g 2"), mercer::rbf(2));
  EXPECT_EQ(kernel("-t 0"), mercer::linear());
  EXPECT_EQ(kernel("-t 1 -d 2 -r 1"), Kernel::parse("(0.25*x.z + 1)^2"));
  EXPECT_EQ(kernel("-t 1 -d 0"), Kernel(1));
  EXPECT_EQ(kernel("-t 3 -g 2 -r -1"), Kernel::parse("tanh(2*x.z - 1)"));
  EXPECT_EQ(kernel("-t 4"), mercer::precomputed());
  EXPECT_THROW(static_cast<void>(parse_libsvm_options("").kernel(0)), mercer::Error);
  EXPECT_EQ(parse_libsvm_options("-t 0").kernel(0), mercer::linear());
}

TEST(LibsvmOptions, MistakesNameTheFlag) {
  const std::vector<std::pair<const char*, const char*>> bad{
      {"-x 1", "there is no flag '-x'"},
      {"-gamma 1", "there is no flag '-gamma'"},
      {"-", "'-' found"},
      {"data.libsvm", "'data.libsvm' found, expected a flag"},
      {"-c", "-c needs a value"},
      {"-c 1 2", "'2' found, expected a flag"},
      {"-c one", "-c 'one': expected a number"},
      {"-c inf", "-c 'inf': expected a number"},
      {"-c 0", "-c: expected a number above 0"},
      {"-s 5", "-s 5: expected a number from 0 to 4"},
      {"-t 1.5", "-t '1.5': expected a number from 0 to 4"},
      {"-h 2", "-h 2: expected a number from 0 to 1"},
      {"-b yes", "-b 'yes': expected a number from 0 to 1"},
      {"-d 2.5", "-d '2.5': expected a whole number"},
      {"-d -1", "-d: a degree"},
      {"-g -1", "-g: expected"},
      {"-s 1 -n 0", "-n: expected a number above 0, up to 1"},
      {"-s 2 -n 1.5", "-n: expected a number above 0, up to 1"},
      {"-s 3 -p -1", "-p: "},
      {"-m 0", "-m: expected"},
      {"-e 0", "-e: expected"},
      {"-v 1", "-v 1: there are 2 folds"},
      {"-w 1", "-w: expected a whole number, the class, behind -w"},
      {"-wx 1", "-wx: expected a whole number"},
      {"-w1", "-w1 needs a value"},
      {"-s 2 -b 1", "-b 1: one-class"},
  };
  for (const auto& [text, part] : bad) {
    try {
      static_cast<void>(parse_libsvm_options(text));
      ADD_FAILURE() << text;
    } catch (const mercer::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(part));
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    }
  }
  // What is not used is not looked at, as in svm-train.
  EXPECT_NO_THROW(static_cast<void>(parse_libsvm_options("-s 0 -n 7 -p -1")));
  EXPECT_NO_THROW(static_cast<void>(parse_libsvm_options("-s 1 -c -1")));
}

}  // namespace
