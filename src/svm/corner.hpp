// K among the points that were solved for lately, close together: the points that are asked for
// next are mostly among them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "svm/passes.hpp"

namespace mercer::support {

template <class T>
class Corner {
 public:
  explicit Corner(std::size_t points) : slot_of_(points, nobody) {}

  // Makes room for these points, which are numbers of columns in their rows; row(p) is the row of K
  // of point p. Others that are here give way only where there is no room.
  template <class Row>
  void hold(const std::vector<std::uint32_t>& points, const Row& row) {
    ++round_;
    std::vector<std::uint32_t> missing;
    for (const std::uint32_t p : points) {
      if (slot_of_[p] == nobody) {
        missing.push_back(p);
      } else {
        wanted_[slot_of_[p]] = round_;
      }
    }
    const std::size_t room = std::max(usual, points.size());
    if (2 * points_.size() > 3 * room) forget_others(room - missing.size());
    if (missing.empty()) return;
    std::vector<std::uint32_t> slots;
    for (const std::uint32_t p : missing) {
      const std::uint32_t slot = free_slot(room);
      if (slot == points_.size()) {
        points_.push_back(p);
        wanted_.push_back(round_);
      } else {
        slot_of_[points_[slot]] = nobody;
        points_[slot] = p;
        wanted_[slot] = round_;
      }
      slot_of_[p] = slot;
      slots.push_back(slot);
    }
    make_room();
    for (const std::uint32_t i : slots) {
      const T* from = row(points_[i]);
      T* to = values_.data() + i * stride_;
      for (std::size_t j = 0; j < points_.size(); ++j) to[j] = from[points_[j]];
    }
    // Into the columns, too: a few rows at a time, which stay at hand.
    for (std::size_t begin = 0; begin < points_.size(); begin += pass_step) {
      const std::size_t end = std::min(begin + pass_step, points_.size());
      for (const std::uint32_t i : slots)
        for (std::size_t j = begin; j < end; ++j)
          values_[j * stride_ + i] = values_[i * stride_ + j];
    }
  }

  [[nodiscard]] std::size_t size() const { return points_.size(); }
  [[nodiscard]] std::uint32_t point(std::size_t slot) const { return points_[slot]; }
  [[nodiscard]] const T* row(std::size_t slot) const { return values_.data() + slot * stride_; }

 private:
  static constexpr std::size_t usual = 160;

  // Closes ranks: of those not wanted, so many stay that there are `room` in all.
  void forget_others(std::size_t room) {
    std::vector<std::uint32_t> stay;
    std::size_t unwanted = points_.size() - room;
    for (std::uint32_t i = 0; i < points_.size(); ++i) {
      if (wanted_[i] != round_ && unwanted > 0) {
        --unwanted;
        slot_of_[points_[i]] = nobody;
      } else {
        stay.push_back(i);
      }
    }
    for (std::uint32_t a = 0; a < stay.size(); ++a) {
      slot_of_[points_[stay[a]]] = a;
      points_[a] = points_[stay[a]];
      wanted_[a] = wanted_[stay[a]];
      T* to = values_.data() + a * stride_;
      const T* from = values_.data() + stay[a] * stride_;
      for (std::size_t b = 0; b < stay.size(); ++b) to[b] = from[stay[b]];
      std::fill(to + stay.size(), to + stride_, T(0));
    }
    std::fill(values_.data() + stay.size() * stride_, values_.data() + points_.size() * stride_,
              T(0));
    points_.resize(stay.size());
    wanted_.resize(stay.size());
  }

  // A new one, or that of somebody who is not wanted, in turn.
  std::uint32_t free_slot(std::size_t room) {
    if (points_.size() < room) return static_cast<std::uint32_t>(points_.size());
    while (true) {
      hand_ = hand_ + 1 < points_.size() ? hand_ + 1 : 0;
      if (wanted_[hand_] != round_) return static_cast<std::uint32_t>(hand_);
    }
  }

  // Rows of an odd number of cache lines: columns are written, too.
  void make_room() {
    const std::size_t wanted = std::max(usual, points_.size());
    if (wanted <= capacity_) return;
    const std::size_t capacity = wanted + wanted / 4;
    const std::size_t stride =
        filled(capacity) / pass_step % 2 == 1 ? filled(capacity) : filled(capacity) + pass_step;
    Aligned<T> values(capacity * stride);
    std::fill_n(values.data(), values.size(), T(0));
    for (std::size_t i = 0; i < std::min(capacity_, points_.size()); ++i)
      std::copy_n(values_.data() + i * stride_, std::min(stride_, stride),
                  values.data() + i * stride);
    values_ = std::move(values);
    capacity_ = capacity;
    stride_ = stride;
  }

  std::vector<std::uint32_t> slot_of_;  // of each point
  std::vector<std::uint32_t> points_;   // of each slot
  std::vector<std::size_t> wanted_;     // the round in which the point of each slot was asked for
  std::size_t round_ = 0;
  std::size_t hand_ = 0;  // the slot that was given away last
  std::size_t capacity_ = 0;
  std::size_t stride_ = 0;
  Aligned<T> values_;
};

}  // namespace mercer::support
