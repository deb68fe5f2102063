// Ranks of MPI, for a program that loads this module by name: see cli/ranks.hpp.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "comm/comm.hpp"

namespace {

// Messages of more bytes than an int counts go in pieces.
constexpr std::size_t piece = std::size_t{1} << 30U;

// Whoever started this rank; where it was killed, nobody else would end it.
pid_t starter = 0;  // NOLINT(*-avoid-non-const-global-variables)
void end_without_starter() {
  if (::getppid() != starter) std::_Exit(EXIT_FAILURE);
}

class MpiComm final : public mercer::comm::Comm {
 public:
  [[nodiscard]] std::size_t rank() const override {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return static_cast<std::size_t>(rank);
  }
  [[nodiscard]] std::size_t ranks() const override {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return static_cast<std::size_t>(size);
  }
  void send(std::size_t to, std::span<const std::byte> bytes) const override {
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      const auto part = bytes.subspan(at, std::min(piece, bytes.size() - at));
      MPI_Send(part.data(), static_cast<int>(part.size()), MPI_BYTE, static_cast<int>(to), 0,
               MPI_COMM_WORLD);
    }
  }
  void receive(std::size_t from, std::span<std::byte> bytes) const override {
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      const auto part = bytes.subspan(at, std::min(piece, bytes.size() - at));
      wait_for(static_cast<int>(from));
      MPI_Recv(part.data(), static_cast<int>(part.size()), MPI_BYTE, static_cast<int>(from), 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }

 private:
  // MPI waits by asking again and again, which takes the time of others where there are more ranks
  // than cores: after some of it, with a pause between.
  static void wait_for(int from) {
    constexpr int eager = 2000;
    for (int asked = 0;; ++asked) {
      int there = 0;
      MPI_Iprobe(from, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
      if (there != 0) return;
      if (asked <= eager) continue;
      end_without_starter();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
};

}  // namespace

// A failure inside of MPI ends all ranks, which is its default.
extern "C" const mercer::comm::Comm* mercer_ranks_begin() {
  starter = ::getppid();
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
  static const MpiComm comm;
  return &comm;
}

// When all ranks are here; where they are not after so many seconds (< 0: any number), not at all,
// and mpirun ends the others when this one has ended.
extern "C" void mercer_ranks_end(double seconds) {
  using Clock = std::chrono::steady_clock;
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &all);
  const auto begun = Clock::now();
  for (int there = 0; there == 0;) {
    MPI_Test(&all, &there, MPI_STATUS_IGNORE);
    if (there != 0) break;
    end_without_starter();
    if (seconds >= 0 && std::chrono::duration<double>(Clock::now() - begun).count() > seconds)
      return;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  MPI_Finalize();
}

extern "C" void mercer_ranks_abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }
