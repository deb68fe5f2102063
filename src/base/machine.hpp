// What this machine offers, for reports and for choices that depend on it.
#pragma once

namespace mercer {

// The threads that may run at once.
unsigned hardware_threads();

}  // namespace mercer
