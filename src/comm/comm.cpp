#include "comm/comm.hpp"

#include <cassert>
#include <cstdint>

namespace mercer::comm {

namespace {

class Alone final : public Comm {
 public:
  [[nodiscard]] std::size_t rank() const override { return 0; }
  [[nodiscard]] std::size_t ranks() const override { return 1; }
  void send(std::size_t, std::span<const std::byte>) const override { assert(false); }
  void receive(std::size_t, std::span<std::byte>) const override { assert(false); }
};

// The steps of the tree that are below all ranks: 1, 2, 4, …
std::size_t past_all(std::size_t ranks) {
  std::size_t step = 1;
  while (step < ranks) step *= 2;
  return step;
}

void send_text(const Comm& comm, std::size_t to, const std::string& text) {
  const std::uint64_t size = text.size();
  comm.send(to, std::as_bytes(std::span(&size, 1)));
  if (size > 0) comm.send(to, std::as_bytes(std::span(text)));
}

std::string receive_text(const Comm& comm, std::size_t from) {
  std::uint64_t size = 0;
  comm.receive(from, std::as_writable_bytes(std::span(&size, 1)));
  std::string text(size, '\0');
  if (size > 0) comm.receive(from, std::as_writable_bytes(std::span(text)));
  return text;
}

// towards(rank): the one from which a rank hears; then those that hear from it, far ones first.
template <class Hear, class Tell>
void down_the_tree(const Comm& comm, const Hear& hear, const Tell& tell) {
  const std::size_t me = comm.rank();
  std::size_t step = past_all(comm.ranks());
  if (me != 0) {
    step = me & (~me + 1);  // the lowest bit
    hear(me - step);
  }
  for (step /= 2; step > 0; step /= 2)
    if (me + step < comm.ranks()) tell(me + step);
}

}  // namespace

const Comm& alone() {
  static const Alone one;
  return one;
}

void broadcast(const Comm& comm, std::span<std::byte> bytes) {
  down_the_tree(
      comm, [&](std::size_t from) { comm.receive(from, bytes); },
      [&](std::size_t to) { comm.send(to, bytes); });
}

void broadcast(const Comm& comm, std::string& text) {
  down_the_tree(
      comm, [&](std::size_t from) { text = receive_text(comm, from); },
      [&](std::size_t to) { send_text(comm, to, text); });
}

void sum(const Comm& comm, std::span<double> values) {
  const std::size_t me = comm.rank();
  std::vector<double> other;
  for (std::size_t step = 1; step < comm.ranks(); step *= 2) {
    if ((me & step) != 0) {
      comm.send(me - step, std::as_bytes(values));
      return;
    }
    if (me + step >= comm.ranks()) continue;
    other.resize(values.size());
    comm.receive(me + step, std::as_writable_bytes(std::span(other)));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += other[i];
  }
}

void WideSums::add(std::size_t i, double value) {
  // What the sum of two doubles loses is a double (Knuth); it goes to the low part.
  const double sum = high_[i] + value;
  const double back = sum - high_[i];
  low_[i] += (high_[i] - (sum - back)) + (value - back);
  high_[i] = sum;
}

void WideSums::add(const WideSums& other) {
  for (std::size_t i = 0; i < size(); ++i) {
    add(i, other.high_[i]);
    low_[i] += other.low_[i];
  }
}

std::vector<double> WideSums::values() const {
  std::vector<double> result(size());
  for (std::size_t i = 0; i < size(); ++i) result[i] = high_[i] + low_[i];
  return result;
}

void sum(const Comm& comm, WideSums& sums) {
  const std::size_t me = comm.rank();
  for (std::size_t step = 1; step < comm.ranks(); step *= 2) {
    if ((me & step) != 0) {
      comm.send(me - step, std::as_bytes(std::span(sums.high_)));
      comm.send(me - step, std::as_bytes(std::span(sums.low_)));
      return;
    }
    if (me + step >= comm.ranks()) continue;
    WideSums other(sums.size());
    comm.receive(me + step, std::as_writable_bytes(std::span(other.high_)));
    comm.receive(me + step, std::as_writable_bytes(std::span(other.low_)));
    sums.add(other);
  }
}

std::vector<std::string> gather(const Comm& comm, const std::string& mine) {
  if (comm.rank() != 0) {
    send_text(comm, 0, mine);
    return {};
  }
  std::vector<std::string> all{mine};
  for (std::size_t from = 1; from < comm.ranks(); ++from) all.push_back(receive_text(comm, from));
  return all;
}

void meet(const Comm& comm) {
  double nothing = 0;
  sum(comm, std::span(&nothing, 1));
  broadcast(comm, std::as_writable_bytes(std::span(&nothing, 1)));
}

}  // namespace mercer::comm
