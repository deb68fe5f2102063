// Whether this process is one of several that mpirun started, and how it talks to the others.
//
// The program does not link MPI: where mpirun says that there are several ranks (by the variables
// that Open MPI sets), the module mercer_mpi.so beside the program, or in ../lib, is loaded.
#pragma once

#include <cstddef>

#include "comm/comm.hpp"

namespace mercer::cli {

class Ranks {
 public:
  Ranks();  // throws Error where the module is needed and not there
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  ~Ranks();  // the others are waited for; in an exception of another rank than the first, all end

  [[nodiscard]] const comm::Comm& comm() const { return *comm_; }
  [[nodiscard]] bool several() const { return comm_->ranks() > 1; }
  [[nodiscard]] bool first() const { return comm_->rank() == 0; }
  // Threads for each of the ranks on this machine.
  [[nodiscard]] static unsigned threads_each();

 private:
  const comm::Comm* comm_;
  void* module_ = nullptr;
  int exceptions_ = 0;
};

}  // namespace mercer::cli
