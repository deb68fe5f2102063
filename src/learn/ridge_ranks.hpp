// Exact ridge regression where K is too large for one machine: S K S + λI is spread over the ranks
// (comm/dense_system.hpp), each of which computes its own kernel values, from the points of its
// rows and columns alone.
//
// Rank 0 solves, and the others serve:
//
//     RidgeRanks ranks(comm, make);
//     if (comm.rank() != 0) return ranks.serve();
//     Ridge r = ranks.solve(k, x, y, options);       // any number of times
#pragma once

#include <mercer/ridge.hpp>

#include "comm/dense_system.hpp"

namespace mercer::learn {

class RidgeRanks {
 public:
  // `threads` for kernel values, of each rank its own.
  RidgeRanks(const comm::Comm& comm, comm::MakeDenseSystem make, unsigned threads = 0)
      : comm_(comm), make_(std::move(make)), threads_(threads) {}
  RidgeRanks(const RidgeRanks&) = delete;
  RidgeRanks& operator=(const RidgeRanks&) = delete;
  ~RidgeRanks();  // at rank 0: the others are sent home

  // Kernel values are doubles. The solution is refined by residuals of kernel values that are
  // computed again, until they are down to the tolerance. Throws Error, also where K + λI has no
  // factor or would take more than `memory` at each rank.
  Ridge solve(const Kernel& k, const Points& x, const Matrix& y, const RidgeOptions& options);
  // Until rank 0 is done. Throws comm::Over where it has failed.
  void serve();

 private:
  struct Task;
  Ridge work(Task& task, const Points* x);

  const comm::Comm& comm_;
  comm::MakeDenseSystem make_;
  unsigned threads_;
  bool over_ = false;
};

}  // namespace mercer::learn
