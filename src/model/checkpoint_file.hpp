// The bytes of a checkpoint: what a training that was ended from outside goes on from. A header
// like that of a model (docs/model-format.md), a JSON text that says what there is, and all
// numbers behind it, eight bytes each, exactly as they were in memory:
//
//     0   "\x89mercck\n"          32  length of the text
//     8   format, 1; 0            40  {"fingerprint": {name: text, …},
//     16  length of the file            "records": {key: {"texts": {name: text, …},
//     24  checksum of the rest                            "numbers": {name: how many, …},
//                                                         "whole": {name: how many, …}}, …}}
//
// The arrays stand in the order of the keys, `numbers` before `whole`. What a record means is for
// the learner to say. Like that of a model, a file is taken for a claim.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/source.hpp"

namespace mercer::model {

inline constexpr std::uint32_t checkpoint_version = 1;

struct Record {
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::vector<std::uint64_t>> whole;
};

struct CheckpointFile {
  std::map<std::string, std::string> fingerprint;  // of the training that it belongs to
  std::map<std::string, Record> records;
};

std::string bytes_of(const CheckpointFile& checkpoint);

// Throws Error. `trusted`: the checksum is not looked at, for those who change bytes on purpose.
CheckpointFile read_checkpoint(const data::Source& source, bool trusted = false);

}  // namespace mercer::model
