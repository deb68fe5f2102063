// What a file says beside what a model says.
#pragma once

#include <map>
#include <mercer/model.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mercer::select {

// The classes of a model by what a file calls them: "1.0" is the class 1.
class ClassFinder {
 public:
  explicit ClassFinder(const std::vector<std::string>& names);
  [[nodiscard]] std::optional<std::int32_t> operator()(const std::string& text) const;

 private:
  std::map<std::string, std::int32_t> numbers_;
};

}  // namespace mercer::select
