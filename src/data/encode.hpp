// How later files are read for an encoding, and what becomes of them.
#pragma once

#include <mercer/encoding.hpp>
#include <set>

#include "data/source.hpp"

namespace mercer::data {

// As Encoding::apply, but no row need be left.
Table encoded(const Encoding& encoding, const Frame& frame, EncodingReport* report);

// The options by which a file of this format, of which the source holds the beginning, is read.
ReadOptions reading_for(const Encoding& encoding, const ReadOptions& options, const Source& source,
                        FileFormat format);

// Whether the columns are taken by place though the encoding has names for them.
bool names_ignored(const Encoding& encoding, const ReadOptions& reading, FileFormat format);

// The numbers, from 1, of columns that are named by number for the label, the weights, or to be
// ignored.
std::set<std::size_t> taken_columns(const ReadOptions& read);

}  // namespace mercer::data
