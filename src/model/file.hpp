// The bytes of a model's file, as docs/model-format.md describes them: a header, a table of
// sections, the sections. What stands in a file is taken for a claim: every size is held against
// the length of the file before it is used.
#pragma once

#include <cstdint>
#include <functional>
#include <mercer/model.hpp>
#include <string_view>

#include "data/source.hpp"

namespace mercer::model {

// A file says the least format that has all that is in it: sketches came with 2.
inline constexpr std::uint32_t format_version = 2;

// Passes the whole file on, in pieces; the model has passed check().
void write_file(const Model& model, const std::function<void(std::string_view)>& put);

// Throws Error. `trusted`: the checksum is not looked at, for those who change bytes on purpose.
Model read_file(const data::Source& source, Model::FileFacts* facts, bool trusted = false);

}  // namespace mercer::model
