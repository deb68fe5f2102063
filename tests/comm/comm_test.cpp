#include "comm/comm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <stdexcept>

#include "comm/agree.hpp"

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
  std::vector<double> terms(60);
  for (std::size_t i = 0; i < terms.size(); ++i)
    terms[i] = i % 3 == 0 ? 1e16 : i % 3 == 1 ? 1 : -1e16;
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

TEST(Comm, AMistakeOfOneRankIsToldByTheFirstAndKnownToAll) {
  for (std::size_t ranks = 1; ranks <= 5; ++ranks)
    for (std::size_t bad = 0; bad <= ranks; ++bad) {  // the last: nobody
      std::vector<std::string> seen(ranks);
      on_threads(ranks, [&](const Comm& comm) {
        try {
          const auto all = together(comm, [&]() -> std::string {
            if (comm.rank() >= bad) throw Error("no " + std::to_string(comm.rank()));
            return std::to_string(comm.rank());
          });
          for (const auto& text : all) seen[comm.rank()] += text;
          seen[comm.rank()] += "!";
        } catch (const Over&) {
          seen[comm.rank()] = "over";
        } catch (const Error& error) {
          seen[comm.rank()] = error.what();
        }
      });
      for (std::size_t r = 0; r < ranks; ++r) {
        if (bad == ranks) {
          EXPECT_EQ(seen[r], r > 0 ? "!" : std::string("01234").substr(0, ranks) + "!");
        } else if (r > 0) {
          EXPECT_EQ(seen[r], "over");
        } else {
          EXPECT_EQ(seen[0], "no " + std::to_string(bad) +
                                 (bad == 0 ? "" : " (rank " + std::to_string(bad) + ")"));
        }
      }
    }
}

TEST(Comm, WhatTheFirstMakesIsToldOrOver) {
  for (const bool fails : {false, true}) {
    std::vector<std::string> seen(4);
    on_threads(4, [&](const Comm& comm) {
      try {
        seen[comm.rank()] = told(comm, [&]() -> std::string {
          if (fails) throw Error("no");
          return comm.rank() == 0 ? "" : "never asked";
        });
      } catch (const Over&) {
        seen[comm.rank()] = "over";
      } catch (const Error& error) {
        seen[comm.rank()] = error.what();
      }
    });
    const auto expected = fails ? std::vector<std::string>{"no", "over", "over", "over"}
                                : std::vector<std::string>(4);
    EXPECT_EQ(seen, expected);
  }
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
