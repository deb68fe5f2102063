#include "base/huge.hpp"

#include <sys/mman.h>

#include <new>

namespace mercer {

HugeMemory::HugeMemory(std::size_t bytes) {
  if (bytes == 0) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  madvise(memory, bytes, MADV_HUGEPAGE);  // a wish
  data_ = {memory, Unmap{bytes}};
}

void HugeMemory::Unmap::operator()(void* p) const { munmap(p, bytes); }

}  // namespace mercer
