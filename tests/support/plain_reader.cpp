#include "support/plain_reader.hpp"

#include <cstdlib>
#include <sstream>

std::vector<PlainRow> plain_libsvm(const std::string& text) {
  std::vector<PlainRow> rows;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream tokens(line.substr(0, line.find('#')));
    PlainRow row;
    if (!(tokens >> row.label)) continue;
    std::string token;
    while (tokens >> token) {
      const auto colon = token.find(':');
      const std::string value = token.substr(colon + 1);
      if (token.starts_with("qid")) {
        row.group = std::atoll(value.c_str());
      } else {
        row.entries[std::stoul(token) - 1] = std::strtod(value.c_str(), nullptr);
      }
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::vector<double>> plain_csv(const std::string& text) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string cell;
    rows.emplace_back();
    while (std::getline(cells, cell, ','))
      rows.back().push_back(std::strtod(cell.c_str(), nullptr));
  }
  return rows;
}
