// Ranks that work on one task together: one of them, the first, asks, and all of them answer.
//
// All that a kind of ranks has to know is how to send bytes from one to another. What is done
// together is written once, on top of that: along a tree whose form depends on the number of ranks
// alone, so that a sum of doubles has the same value whichever rank is late.
//
//     0 ← 1, 2 ← 3, 4 ← 5, …      then 0 ← 2, 4 ← 6, …      then 0 ← 4, …
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mercer::comm {

class Comm {
 public:
  Comm() = default;
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  virtual ~Comm() = default;

  [[nodiscard]] virtual std::size_t rank() const = 0;
  [[nodiscard]] virtual std::size_t ranks() const = 0;
  // What is sent from one rank to another arrives in its order; the receiver knows how much it is.
  virtual void send(std::size_t to, std::span<const std::byte> bytes) const = 0;
  virtual void receive(std::size_t from, std::span<std::byte> bytes) const = 0;
};

// One rank.
const Comm& alone();

// So many ranks as threads of this process: work(comm) is called on each. Where some throw, the
// exception of the lowest rank is thrown on; work must not leave others waiting.
void on_threads(std::size_t ranks, const std::function<void(const Comm&)>& work);

// From rank 0 to all.
void broadcast(const Comm& comm, std::span<std::byte> bytes);
void broadcast(const Comm& comm, std::string& text);
// At rank 0 the sums over all ranks; what others have is undefined then.
void sum(const Comm& comm, std::span<double> values);
// Sums that come out the same however the terms are spread over ranks: each is kept as two doubles,
// whose error is some 1e-32 of the largest term, and is rounded once, at the end.
class WideSums {
 public:
  explicit WideSums(std::size_t count = 0) : high_(count), low_(count) {}
  [[nodiscard]] std::size_t size() const { return high_.size(); }
  void resize(std::size_t count) {
    high_.resize(count);
    low_.resize(count);
  }
  void add(std::size_t i, double value);
  void add(const WideSums& other);
  [[nodiscard]] std::vector<double> values() const;
  // At rank 0 the sums over all ranks.
  friend void sum(const Comm& comm, WideSums& sums);

 private:
  std::vector<double> high_;
  std::vector<double> low_;
};
void sum(const Comm& comm, WideSums& sums);
// At rank 0 what each has; elsewhere nothing.
std::vector<std::string> gather(const Comm& comm, const std::string& mine);
// Nobody goes on before all are here.
void meet(const Comm& comm);

}  // namespace mercer::comm
