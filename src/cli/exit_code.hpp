// How the program ends.
#pragma once

namespace mercer::cli {

enum ExitCode : int {
  done = 0,          // `prove`: it is a kernel
  answer_is_no = 1,  // `prove`: not a kernel
  wrong_call = 2,    // the call or the input is wrong
  undecided = 3,     // or not converged; what was found is still written
  internal_fault = 4,
  interrupted = 130,  // Ctrl-C
};

}  // namespace mercer::cli
