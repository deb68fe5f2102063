#include "base/tiny.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

namespace mercer {

namespace {

// The register that says it, and which bits of it: of results, and of what is computed with.
#if defined(__x86_64__) || defined(__i386__)
constexpr std::uint64_t tiny_bits = 0x8040;
std::uint64_t read_control() { return _mm_getcsr(); }
void write_control(std::uint64_t value) { _mm_setcsr(static_cast<unsigned>(value)); }
#elif defined(__aarch64__)
constexpr std::uint64_t tiny_bits = std::uint64_t{1} << 24U;
std::uint64_t read_control() {
  std::uint64_t value = 0;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void write_control(std::uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value)); }
#else
constexpr std::uint64_t tiny_bits = 0;
std::uint64_t read_control() { return 0; }
void write_control(std::uint64_t) {}
#endif

}  // namespace

TinyIsZero::TinyIsZero(bool zero) : before_(read_control()) {
  const std::uint64_t wanted = zero ? before_ | tiny_bits : before_ & ~tiny_bits;
  changed_ = wanted != before_;
  if (changed_) write_control(wanted);
}

TinyIsZero::~TinyIsZero() {
  if (changed_) write_control((read_control() & ~tiny_bits) | (before_ & tiny_bits));
}

bool TinyIsZero::in_force() { return tiny_bits != 0 && (read_control() & tiny_bits) == tiny_bits; }

}  // namespace mercer
