// Any text at all: it is read or refused with a ParseError, in bounded time; what is read prints,
// reads back as itself, has properties, and has a value or an Error at every point.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <mercer/properties.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

using mercer::Kernel;

[[noreturn]] void violation(const char* law, std::string_view input, std::string_view detail) {
  std::fprintf(stderr, "%s\n  input:  %.*s\n  detail: %.*s\n", law, static_cast<int>(input.size()),
               input.data(), static_cast<int>(detail.size()), detail.data());
  std::abort();
}

// A printed form reads back as the same kernel and prints the same again.
void check_round_trip(std::string_view input, const Kernel& k, const std::string& printed,
                      std::string (Kernel::*print)() const) {
  try {
    const Kernel again = Kernel::parse(printed);
    if (!(again == k)) violation("reads back as another kernel", input, printed);
    if (again.hash() != k.hash()) violation("equal kernels, different hashes", input, printed);
    if ((again.*print)() != printed) violation("prints differently again", input, printed);
  } catch (const mercer::ParseError& e) {
    // Printed without names a kernel may grow beyond the bounds of the parser.
    if (printed.size() <= 4096) violation("its own text does not parse", input, e.what());
  }
}

void check_error(std::string_view input, const mercer::ParseError& e) {
  const auto& details = e.details();
  if (details.message.empty()) violation("an error without a message", input, e.what());
  if (details.begin > details.end || details.end > details.text.size())
    violation("an error outside of the text", input, e.what());
  if (e.column() < 1 || e.column() > details.text.size() + 1)
    violation("an error in no column", input, e.what());
}

void check_values(std::string_view input, const Kernel& k) {
  const std::size_t dimension = k.least_dimension();
  if (dimension > 64) return;
  std::vector<double> x(dimension);
  std::vector<double> z(dimension);
  for (const double scale : {0.0, 0.5, -3.0, 1e9}) {
    for (std::size_t i = 0; i < dimension; ++i) {
      x[i] = scale * (1 + 0.25 * static_cast<double>(i));
      z[i] = scale * (0.75 - 0.5 * static_cast<double>(i));
    }
    try {
      if (!std::isfinite(k(x, z))) violation("a value that is not finite", input, k.text());
    } catch (const mercer::Error&) {  // undefined there
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    const Kernel k = Kernel::parse(input);
    check_round_trip(input, k, k.text(), &Kernel::text);
    check_round_trip(input, k, k.formula(), &Kernel::formula);
    static_cast<void>(k.tree());
    static_cast<void>(mercer::properties(k));
    try {
      static_cast<void>(mercer::properties(k, k.least_dimension()));
    } catch (const mercer::Error&) {  // no value in that dimension, as 1/anova(2) in dimension 1
    }
    check_values(input, k);
  } catch (const mercer::ParseError& e) {
    check_error(input, e);
  }
  return 0;
}
