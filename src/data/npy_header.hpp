// The header of a .npy file: a magic word, a version, a dictionary in the syntax of Python.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/source.hpp"

namespace mercer::data {

struct NpyHeader {
  std::string descr;  // the type of the numbers: "<f8"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::string_view body;  // what follows
};

bool is_npy(std::string_view content);

// Throws Error where it is damaged.
NpyHeader npy_header(const Source& source);

// What stands before the numbers of a matrix, row by row, floats if `single` and else doubles:
// version 1, filled up to a multiple of 64 bytes.
std::string npy_start(bool single, std::size_t rows, std::size_t columns);
std::string npy_start_as(const std::string& descr, std::size_t rows, std::size_t columns);

}  // namespace mercer::data
