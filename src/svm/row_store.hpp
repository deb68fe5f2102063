// Rows of a Gram matrix that were computed and may be needed again, within a limit of memory. Where
// there is no more room, a row is given up only if it has not been used for a while: rows that all
// come back in turn would otherwise push each other out, and nothing would ever be found.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/huge.hpp"
#include "svm/passes.hpp"

namespace mercer::support {

template <class T>
class RowStore {
 public:
  RowStore(std::size_t columns, std::size_t bytes)
      : stride_(filled(columns)),
        slot_of_(columns, none),
        most_(std::min(columns, bytes / std::max<std::size_t>(1, stride_ * sizeof(T)))) {}

  // Row i, with zeros up to a multiple of pass_step, or null; it has been used in this round then.
  const T* find(std::size_t i, std::size_t round) {
    if (slot_of_[i] == none) return nullptr;
    used_[slot_of_[i]] = round;
    return at(slot_of_[i]);
  }

  // Room for row i, which is not here, or null.
  T* add(std::size_t i, std::size_t round) {
    std::uint32_t slot = none;
    if (row_.size() < most_) {
      slot = static_cast<std::uint32_t>(row_.size());
      if (slot % rows_per_slab == 0)
        slabs_.emplace_back(std::min(rows_per_slab, most_ - slot) * stride_ * sizeof(T));
      row_.push_back(i);
      used_.push_back(round);
    } else {
      slot = old_slot(round);
      if (slot == none) return nullptr;
      slot_of_[row_[slot]] = none;
    }
    row_[slot] = i;
    used_[slot] = round;
    slot_of_[i] = slot;
    return at(slot);
  }

  // Which rows are here, slot by slot, when each was used last, and where the search for an old one
  // goes on.
  [[nodiscard]] const std::vector<std::size_t>& held() const { return row_; }
  [[nodiscard]] const std::vector<std::size_t>& used() const { return used_; }
  [[nodiscard]] std::size_t next() const { return hand_; }
  [[nodiscard]] std::size_t most() const { return most_; }
  // Of an empty one: the same again. Row by row, the places where its values have to be put.
  std::vector<T*> restore(const std::vector<std::size_t>& held,
                          const std::vector<std::size_t>& used, std::size_t next) {
    std::vector<T*> to;
    for (std::size_t s = 0; s < held.size(); ++s) to.push_back(add(held[s], used[s]));
    hand_ = next;
    return to;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::size_t patience = 8;  // rounds
  static constexpr std::size_t rows_per_slab = 256;

  T* at(std::uint32_t slot) const {
    return static_cast<T*>(slabs_[slot / rows_per_slab].data()) + slot % rows_per_slab * stride_;
  }

  // The next one, going round, that was not used for a while.
  std::uint32_t old_slot(std::size_t round) {
    for (std::size_t tries = 0; tries < std::min<std::size_t>(row_.size(), 64); ++tries) {
      hand_ = (hand_ + 1) % row_.size();
      if (used_[hand_] + patience < round) return static_cast<std::uint32_t>(hand_);
    }
    return none;
  }

  std::size_t stride_;
  std::vector<std::uint32_t> slot_of_;  // of each row
  std::size_t most_;
  std::vector<HugeMemory> slabs_;
  std::vector<std::size_t> row_;   // of each slot
  std::vector<std::size_t> used_;  // the last round
  std::size_t hand_ = 0;
};

}  // namespace mercer::support
