#include "base/aligned.hpp"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace mercer {

void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  constexpr std::size_t page = std::size_t{1} << 21U;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  // A wish: where it cannot be granted, nothing changes.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the whole pages inside
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace mercer
