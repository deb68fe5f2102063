// The command line of svm-train.
#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/libsvm.hpp>

#include "data/cell.hpp"
#include "data/place.hpp"
#include "model/libsvm_kernel.hpp"

namespace mercer {

namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  LibsvmOptions run() {
    while (next()) flag();
    check();
    return o_;
  }

 private:
  [[noreturn]] static void fail(const std::string& message) {
    throw Error("options of LIBSVM: " + message);
  }

  // The next word is in word_; false at the end.
  bool next() {
    constexpr std::string_view blanks = " \t\n\r";
    rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
    word_ = rest_.substr(0, rest_.find_first_of(blanks));
    rest_.remove_prefix(word_.size());
    return !word_.empty();
  }

  void flag() {
    flag_ = word_;
    if (flag_.size() < 2 || flag_[0] != '-')
      fail(data::shown(flag_) + " found, expected a flag as -c");
    if (flag_[1] == 'w') {
      const int label = whole(flag_.substr(2), "a whole number, the class, behind -w");
      const double weight = number();
      o_.weights.emplace_back(label, weight);
      return;
    }
    if (flag_.size() > 2) unknown();
    switch (flag_[1]) {
      case 's':
        o_.type = static_cast<LibsvmType>(up_to(4));
        break;
      case 't':
        o_.kernel_type = static_cast<LibsvmKernel>(up_to(4));
        break;
      case 'd':
        o_.degree = whole(value(), "a whole number");
        break;
      case 'g':
        o_.gamma = number();
        if (*o_.gamma == 0) o_.gamma.reset();
        break;
      case 'r':
        o_.coef0 = number();
        break;
      case 'c':
        o_.cost = number();
        break;
      case 'n':
        o_.nu = number();
        break;
      case 'p':
        o_.epsilon = number();
        break;
      case 'm':
        o_.cache = number();
        break;
      case 'e':
        o_.tolerance = number();
        break;
      case 'h':
        o_.shrinking = up_to(1) == 1;
        break;
      case 'b':
        o_.probability = up_to(1) == 1;
        break;
      case 'v':
        o_.folds = whole(value(), "a whole number");
        if (*o_.folds < 2) fail("-v " + std::string(word_) + ": there are 2 folds or more");
        break;
      case 'q':
        o_.quiet = true;
        break;
      default:
        unknown();
    }
  }

  [[noreturn]] void unknown() const {
    fail("there is no flag " + data::shown(flag_) +
         "; expected one of -s -t -d -g -r -c -n -p -m -e -h -b -wi -v -q");
  }

  std::string_view value() {
    if (!next()) fail(std::string(flag_) + " needs a value behind it");
    return word_;
  }
  double number() {
    const std::string_view text = value();
    const auto found = data::number_in(text);
    if (!found || !std::isfinite(*found))
      fail(std::string(flag_) + " " + data::shown(text) + ": expected a number");
    return *found;
  }
  int whole(std::string_view text, const char* expected) const {
    const auto found = data::number_in(text);
    if (!found || *found != std::floor(*found) ||
        std::abs(*found) > std::numeric_limits<int>::max())
      fail(std::string(flag_) + (text == flag_.substr(2) ? "" : " " + data::shown(text)) +
           ": expected " + expected);
    return static_cast<int>(*found);
  }
  int up_to(int most) {
    const std::string expected = "a number from 0 to " + std::to_string(most);
    const int found = whole(value(), expected.c_str());
    if (found < 0 || found > most)
      fail(std::string(flag_) + " " + std::string(word_) + ": expected " + expected);
    return found;
  }

  // What svm-train refuses before it trains.
  void check() const {
    const auto positive = [](const char* flag, double v) {
      if (!(v > 0)) fail(std::string(flag) + ": expected a number above 0");
    };
    const auto is = [&](LibsvmType type) { return o_.type == type; };
    if (o_.gamma && *o_.gamma < 0) fail("-g: expected a number above 0");
    if (o_.degree < 0) fail("-d: a degree is not negative");
    positive("-m", o_.cache);
    positive("-e", o_.tolerance);
    if (is(LibsvmType::c_svc) || is(LibsvmType::epsilon_svr) || is(LibsvmType::nu_svr))
      positive("-c", o_.cost);
    if (is(LibsvmType::nu_svc) || is(LibsvmType::one_class) || is(LibsvmType::nu_svr))
      if (!(o_.nu > 0 && o_.nu <= 1)) fail("-n: expected a number above 0, up to 1");
    if (is(LibsvmType::epsilon_svr) && o_.epsilon < 0) fail("-p: an epsilon is not negative");
    if (is(LibsvmType::one_class) && o_.probability)
      fail("-b 1: one-class SVM (-s 2) has no probabilities");
  }

  std::string_view rest_;
  std::string_view flag_;
  std::string_view word_;
  LibsvmOptions o_;
};

}  // namespace

Kernel LibsvmOptions::kernel(std::size_t features) const {
  const bool takes_gamma =
      kernel_type != LibsvmKernel::linear && kernel_type != LibsvmKernel::precomputed;
  if (takes_gamma && !gamma && features == 0)
    throw Error("gamma is 1 / number of features, and there are none");
  return model::kernel_of(
      {kernel_type, degree, gamma ? *gamma : 1 / static_cast<double>(features), coef0});
}

LibsvmOptions parse_libsvm_options(std::string_view text) { return Reader(text).run(); }

}  // namespace mercer
