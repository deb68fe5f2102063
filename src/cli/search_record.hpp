// The record of a search as JSON: what was tried, what it gave, and what it was about, so that a
// search can go on where it was interrupted.
#pragma once

#include <mercer/tune.hpp>
#include <string>
#include <vector>

#include "cli/output.hpp"

namespace mercer::cli {

// Of data and options together: another one means another search.
std::string fingerprint(const Table& table, const TuneOptions& options);

Json to_json(const Candidate& candidate, const std::string& price);
Json to_json(const Tuned& tuned);

// Written under another name first. Throws Error.
void write_record(const std::string& path, const Json& record);
// The candidates of an unfinished or finished search of the expected fingerprint. Throws Error: no
// such file, not a record, a record of another search.
std::vector<Candidate> read_record(const std::string& path, const std::string& expected);

}  // namespace mercer::cli
