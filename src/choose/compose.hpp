// Kernels made of others. Each is a kernel because its parts are: sums and products of kernels, and
// kernels on some of the columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/data.hpp>
#include <mercer/kernel.hpp>
#include <vector>

namespace mercer::choose {

// best + part and best × part, without mere multiples of the best.
std::vector<Kernel> sums_and_products(const Kernel& best, const std::vector<Kernel>& parts);

// The coordinates, from 1, that each column of the data became.
using Sources = std::vector<std::vector<std::uint32_t>>;
Sources sources_of(const Table& table);

// Whether it is about some of the columns only, already.
bool names_columns(const Kernel& kernel);

// The kernel on all columns but these.
Kernel without(const Kernel& kernel, const Sources& sources, const std::vector<std::size_t>& left);
std::vector<Kernel> without_each(const Kernel& kernel, const Sources& sources);

// best + part on one of the columns alone, for each part and column.
std::vector<Kernel> with_column_apart(const Kernel& best, const std::vector<Kernel>& parts,
                                      const Sources& sources);

}  // namespace mercer::choose
