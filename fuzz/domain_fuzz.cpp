// Any text at all as a domain: it is read or refused with a ParseError; what is read prints and
// reads back as itself, and decides for every point whether it lies in it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mercer/domain.hpp>
#include <mercer/error.hpp>
#include <string_view>
#include <vector>

namespace {

[[noreturn]] void violation(const char* law, const mercer::Domain& domain) {
  std::fprintf(stderr, "%s\n  domain: %s\n", law, domain.text().c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using mercer::Domain;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    const Domain domain = Domain::parse(input);
    const Domain again = Domain::parse(domain.text());
    if (!(again == domain)) violation("reads back as another domain", domain);
    if (again.text() != domain.text()) violation("prints differently again", domain);
    constexpr double infinite = std::numeric_limits<double>::infinity();
    for (const double v : {0.0, -0.0, 1.0, -2.5, 1e300, 5e-324, infinite, -infinite}) {
      const std::vector<double> point{v, 1};
      if (again.contains(point) != domain.contains(point)) violation("equal, but differs", domain);
    }
    if (domain.kind() == Domain::Kind::interval || domain.kind() == Domain::Kind::finite) {
      const auto bounds = domain.bounds();
      if (!(bounds.low <= bounds.high)) violation("its bounds are the wrong way round", domain);
    }
  } catch (const mercer::ParseError&) {  // refused
  }
  return 0;
}
