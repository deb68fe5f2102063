#include "base/machine.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace mercer {

unsigned hardware_threads() {
  // Of the machine's, those that this process was given: mpirun gives each rank some of them.
  cpu_set_t given;
  CPU_ZERO(&given);
  if (::sched_getaffinity(0, sizeof given, &given) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&given)));
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace mercer
