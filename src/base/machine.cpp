#include "base/machine.hpp"

#include <algorithm>
#include <thread>

namespace mercer {

unsigned hardware_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace mercer
