// A Gram matrix as it looks: its values, the rows ordered by class, and its eigenvalues.
#pragma once

#include <mercer/data.hpp>
#include <mercer/kernel.hpp>
#include <string>
#include <utility>
#include <vector>

#include "picture/write.hpp"

namespace mercer::picture {

struct GramPicture {
  std::string title;
  std::string note;
  std::size_t n = 0;
  std::vector<double> values;                               // n × n
  std::vector<std::pair<std::string, std::size_t>> groups;  // classes and how many rows of each
  std::vector<double> eigenvalues;                          // descending
  double rounding = 0;                                      // eigenvalues up to it are as good as 0
  double asymmetry = 0;                                     // the largest |K_ij - K_ji|
};

// Of at most so many rows, evenly taken from each class; threads as in GramOptions. Throws Error.
GramPicture gram_picture(const Kernel& k, const Table& table, std::size_t most_rows,
                         unsigned threads = 0);

void draw(Canvas& canvas, const GramPicture& g);

}  // namespace mercer::picture
