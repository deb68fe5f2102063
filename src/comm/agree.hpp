// What ranks do each for itself, and where all of them have to know whether it went well.
#pragma once

#include <functional>
#include <mercer/error.hpp>
#include <string>
#include <vector>

#include "comm/comm.hpp"

namespace mercer::comm {

// Thrown in other ranks than the first, which has the mistake and tells about it.
class Over : public Error {
 public:
  Over() : Error("another rank has failed") {}
};

// At rank 0 what each has made; elsewhere nothing. Where one throws Error, rank 0 throws that of
// the lowest rank, with its number, and the others Over.
std::vector<std::string> together(const Comm& comm, const std::function<std::string()>& make);
// What rank 0 has made, at all ranks. Where it throws, the others throw Over.
std::string told(const Comm& comm, const std::function<std::string()>& make);

}  // namespace mercer::comm
