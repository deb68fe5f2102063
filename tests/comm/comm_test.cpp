#include "comm/comm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <stdexcept>

namespace mercer::comm {
namespace {

TEST(Comm, EveryRankHearsTheFirst) {
  for (std::size_t ranks = 1; ranks <= 9; ++ranks) {
    std::vector<std::string> heard(ranks);
    on_threads(ranks, [&](const Comm& comm) {
      std::string text = comm.rank() == 0 ? "come" : "";
      broadcast(comm, text);
      std::string nothing = comm.rank() == 0 ? "" : "not this";
      broadcast(comm, nothing);
      heard[comm.rank()] = text + nothing;
    });
    for (const auto& text : heard) EXPECT_EQ(text, "come") << ranks;
  }
}

TEST(Comm, SumsAreTheSameEachTimeAndOverAllRanks) {
  for (std::size_t ranks = 1; ranks <= 9; ++ranks) {
    std::vector<double> first;
    for (int again = 0; again < 20; ++again) {
      std::vector<double> result;
      on_threads(ranks, [&](const Comm& comm) {
        // Numbers of which another order would make another sum.
        std::vector<double> mine{1, std::pow(0.1, static_cast<double>(comm.rank())),
                                 comm.rank() % 2 == 0 ? 1e17 : -1e17};
        sum(comm, mine);
        if (comm.rank() == 0) result = mine;
      });
      EXPECT_EQ(result[0], static_cast<double>(ranks));
      EXPECT_NEAR(result[1], (1 - std::pow(0.1, static_cast<double>(ranks))) / 0.9, 1e-14);
      if (first.empty()) first = result;
      EXPECT_EQ(result, first);
    }
  }
}

TEST(Comm, WideSumsDoNotDependOnWhoHasWhat) {
  // 1e16 + 1 - 1e16 + …: doubles alone lose the ones.
  std::vector<double> terms;
  for (int i = 0; i < 60; ++i) terms.push_back(i % 3 == 0 ? 1e16 : i % 3 == 1 ? 1 : -1e16);
  for (std::size_t ranks = 1; ranks <= 7; ++ranks) {
    double result = 0;
    on_threads(ranks, [&](const Comm& comm) {
      WideSums mine(1);
      for (std::size_t i = 0; i < terms.size(); ++i)
        if (i * ranks / terms.size() == comm.rank()) mine.add(0, terms[i]);
      sum(comm, mine);
      if (comm.rank() == 0) result = mine.values()[0];
    });
    EXPECT_EQ(result, 20) << ranks;
  }
}

TEST(Comm, WhatEachHasIsGatheredInOrder) {
  std::vector<std::string> all;
  on_threads(5, [&](const Comm& comm) {
    const auto got = gather(comm, std::string(comm.rank(), 'x'));
    meet(comm);
    if (comm.rank() == 0) all = got;
  });
  EXPECT_EQ(all, (std::vector<std::string>{"", "x", "xx", "xxx", "xxxx"}));
}

TEST(Comm, AnExceptionOfARankComesOut) {
  EXPECT_THROW(on_threads(3,
                          [](const Comm& comm) {
                            if (comm.rank() == 2) throw std::runtime_error("no");
                          }),
               std::runtime_error);
}

}  // namespace
}  // namespace mercer::comm
