// How later files are read for an encoding, and what becomes of them.
#pragma once

#include <mercer/encoding.hpp>

#include "data/source.hpp"

namespace mercer::data {

// As Encoding::apply, but no row need be left.
Table encoded(const Encoding& encoding, const Frame& frame, EncodingReport* report);

// The options by which a file of this format, of which the source holds the beginning, is read.
ReadOptions reading_for(const Encoding& encoding, const ReadOptions& options, const Source& source,
                        FileFormat format);

}  // namespace mercer::data
