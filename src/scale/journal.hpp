// What passes over the rows have answered, in their order.
//
// A solver at rank 0 knows of the rows only what they answer. So one that begins anew, and is told
// the answers of before, does what it did before, to the last bit: it goes on where the journal
// ends, and until then no row is looked at. Each answer is kept with a checksum of its question:
// where another question comes, the journal is not of this training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mercer::scale {

class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  virtual ~Journal() = default;

  // The answer of so many numbers to the question of this pass, from 1; nothing where the journal
  // has ended. Throws Error.
  virtual std::optional<std::vector<double>> find(std::size_t pass, std::uint64_t question,
                                                  std::size_t count) = 0;
  // Throws Error.
  virtual void keep(std::size_t pass, std::uint64_t question,
                    const std::vector<double>& answer) = 0;
};

}  // namespace mercer::scale
