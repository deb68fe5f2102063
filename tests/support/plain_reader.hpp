// Readers of LIBSVM text and of numbers with commas, written the plainest way: a line, a token, the
// C library's strtod. They know no mistakes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

struct PlainRow {
  std::string label;
  std::int64_t group = -1;
  std::map<std::size_t, double> entries;  // by index from 0
};

std::vector<PlainRow> plain_libsvm(const std::string& text);
// All cells, as numbers.
std::vector<std::vector<double>> plain_csv(const std::string& text);
