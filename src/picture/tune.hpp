// What a search found: the score of each candidate over the parameters that were tried.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "picture/write.hpp"

namespace mercer::picture {

struct Tune {
  std::string title;
  std::string metric;                   // of the score
  bool less_is_better = false;          // of errors and losses
  std::vector<std::string> parameters;  // two, or one
  std::vector<std::string> others;      // not shown: of their values, the best counts
  struct Candidate {
    std::vector<double> values;  // of the parameters shown; the number of a text
    double score = 0;
  };
  std::vector<Candidate> candidates;
  std::vector<std::vector<std::string>>
      texts;  // of parameters that are texts: what the numbers say
  // Kernels without the parameter, as their candidates have no value of it: they stand beyond all
  // numbers, the first at `beyond`, the next at twice that.
  std::vector<std::vector<std::string>> kernels;
  static constexpr double beyond = 1e300;
  std::optional<std::size_t> best;  // of the candidates: the one that the search chose
  std::string chosen;               // in words, where it is not among those shown
  std::size_t without_score = 0;
  std::size_t elsewhere = 0;  // candidates without both parameters
};

// {"metric": "accuracy", "candidates": [{"parameters": {"C": 1}, "score": 0.97}, …]}. Of what
// `mercer tune --record` writes besides, it looks at "more_is_better", "chosen" (the number of a
// candidate) and the "kernel" of a candidate; other keys are passed over. `chosen`: the parameters
// to show; else the two with the most values. Throws Error.
Tune read_tune(std::string_view text, const std::string& name,
               const std::vector<std::string>& chosen);

void draw(Canvas& canvas, const Tune& t);

}  // namespace mercer::picture
