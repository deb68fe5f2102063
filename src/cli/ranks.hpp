// Whether this process is one of several that mpirun started, and how it talks to the others.
//
// The program does not link MPI: where mpirun says that there are several ranks (by the variables
// that Open MPI sets), the module mercer_mpi.so beside the program, or in ../lib, is loaded.
#pragma once

#include <cstddef>
#include <functional>

#include "cli/exit_code.hpp"
#include "comm/dense_system.hpp"

namespace mercer::cli {

class Ranks {
 public:
  Ranks();  // throws Error where the module is needed and not there
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  // The others are waited for; in an exception, not for long, and then mpirun ends them.
  ~Ranks();

  [[nodiscard]] const comm::Comm& comm() const { return *comm_; }
  [[nodiscard]] bool several() const { return comm_->ranks() > 1; }
  [[nodiscard]] bool first() const { return comm_->rank() == 0; }
  [[noreturn]] void abort(int code) const;  // all of them, at once
  // Matrices over all ranks, by the module mercer_scalapack.so.
  [[nodiscard]] static comm::MakeDenseSystem dense_systems();
  // Threads for each of the ranks on this machine.
  [[nodiscard]] static unsigned threads_each();
  // That mpirun started; and whether this one tells the user what is to be told: of several the
  // first.
  [[nodiscard]] static std::size_t count();
  [[nodiscard]] static bool speaks();

 private:
  const comm::Comm* comm_;
  void* module_ = nullptr;
  int exceptions_ = 0;
};

// work(ranks), with one voice: what the first rank throws comes out here, and of several that fail
// together (comm::together) only the first does. What another one throws alone is told in one line
// with its number, and ends all of them.
ExitCode on_ranks(const char* command, const std::function<ExitCode(const Ranks&)>& work);

}  // namespace mercer::cli
