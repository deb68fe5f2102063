// What commands print: aligned lines for people, JSON for programs.
#pragma once

#include <mercer/error.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

// Compiled once, in output.cpp.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace mercer::cli {

// Keys in the order in which they are set.
using Json = nlohmann::ordered_json;

void print(const std::string& text);  // with a newline
void print(const Json& json);

// Throws Json::parse_error.
Json parsed(const std::string& text);

// "name   value" lines, the values aligned.
std::string aligned(const std::vector<std::pair<std::string, std::string>>& rows);

// Numbers below names, aligned at the right; the first column at the left. Begins with a newline.
std::string grid(const std::vector<std::vector<std::string>>& lines);

// The width of text in characters, and text filled up to a width.
std::string padded(const std::string& text, std::size_t width);

// An error for programs: message, and position and suggestion where there are.
Json as_json(const std::exception& error);

}  // namespace mercer::cli
