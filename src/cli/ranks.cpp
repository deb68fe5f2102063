#include "cli/ranks.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mercer/error.hpp>
#include <string>
#include <thread>

#include "base/machine.hpp"
#include "cli/modules.hpp"
#include "comm/agree.hpp"

namespace mercer::cli {

namespace {

unsigned long number_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::strtoul(text, nullptr, 10);
}

}  // namespace

Ranks::Ranks() : comm_(&comm::alone()), exceptions_(std::uncaught_exceptions()) {
  const auto ranks = count();
  if (ranks < 2) return;
  module_ = module_named("mercer_mpi.so");
  if (module_ == nullptr)
    throw Error(
        "this is one of " + std::to_string(ranks) +
        " ranks of mpirun, but mercer_mpi.so is not beside the program: build it where MPI is "
        "installed (libopenmpi-dev)");
  comm_ = function_of<const comm::Comm*()>(module_, "mercer_ranks_begin")();
}

comm::MakeDenseSystem Ranks::dense_systems() {
  return [](std::size_t n) {
    // Its BLAS has threads of its own, as many as there are cores, in each rank.
    ::setenv("OPENBLAS_NUM_THREADS", std::to_string(threads_each()).c_str(), 0);
    void* module = module_named("mercer_scalapack.so");
    if (module == nullptr)
      throw Error(
          "mercer_scalapack.so is not beside the program: build it where ScaLAPACK is installed "
          "(libscalapack-openmpi-dev), or use --approx");
    return std::unique_ptr<comm::DenseSystem>(
        function_of<comm::DenseSystem*(std::size_t)>(module, "mercer_dense_system")(n));
  };
}

Ranks::~Ranks() {
  if (module_ == nullptr) return;
  constexpr double any_time = -1;
  constexpr double seconds = 5;
  const bool failing = std::uncaught_exceptions() > exceptions_;
  function_of<void(double)>(module_, "mercer_ranks_end")(failing ? seconds : any_time);
}

void Ranks::abort(int code) const {
  if (module_ != nullptr) function_of<void(int)>(module_, "mercer_ranks_abort")(code);
  std::_Exit(code);
}

std::size_t Ranks::count() { return std::max(1UL, number_of("OMPI_COMM_WORLD_SIZE")); }
bool Ranks::speaks() { return count() < 2 || number_of("OMPI_COMM_WORLD_RANK") == 0; }

unsigned Ranks::threads_each() {
  const auto here = std::max(1UL, number_of("OMPI_COMM_WORLD_LOCAL_SIZE"));
  // Those that this rank was given may have been given to others, too.
  const unsigned all = std::max(1U, std::thread::hardware_concurrency());
  return std::clamp(all / static_cast<unsigned>(here), 1U, hardware_threads());
}

ExitCode on_ranks(const char* command, const std::function<ExitCode(const Ranks&)>& work) {
  const Ranks ranks;
  if (ranks.first()) return work(ranks);
  std::string why = "internal fault";
  int code = internal_fault;
  try {
    return work(ranks);
  } catch (const comm::Over&) {
    return done;  // the first rank has it
  } catch (const Error& error) {
    why = error.what();
    code = wrong_call;
  } catch (const std::exception& error) {
    why += std::string(": ") + error.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): an internal fault, and no more is known
  }
  // In one piece: others may be writing, too.
  std::cerr << "mercer " + std::string(command) + ": rank " + std::to_string(ranks.comm().rank()) +
                   ": " + why + "\n"
            << std::flush;
  ranks.abort(code);
}

}  // namespace mercer::cli
