// The lines of a LIBSVM model above its support vectors.
#pragma once

#include <cstddef>
#include <map>
#include <mercer/libsvm.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/libsvm_kernel.hpp"

namespace mercer::model {

struct LibsvmHeader {
  LibsvmType type = LibsvmType::c_svc;
  KernelOfLibsvm kernel;
  std::size_t classes = 0;  // 2 for one_class and regression
  std::size_t vectors = 0;
  std::vector<double> rho;
  std::vector<std::string> labels;
  std::vector<std::size_t> counts;  // of support vectors of each class
  std::vector<double> prob_a;
  std::vector<double> prob_b;
  std::map<std::string, std::size_t, std::less<>> lines;  // of the keywords

  [[nodiscard]] bool classification() const {
    return type == LibsvmType::c_svc || type == LibsvmType::nu_svc;
  }
};

// Lines of a file with their numbers.
class Lines {
 public:
  explicit Lines(std::string_view content) : rest_(content) {}

  // False at the end; a line end that is missing there is no matter.
  bool next();
  [[nodiscard]] std::string_view line() const { return line_; }  // without its end
  [[nodiscard]] std::size_t number() const { return number_; }   // of the line, from 1
  [[nodiscard]] bool ended() const { return ended_; }            // the line had its end

 private:
  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;
  bool ended_ = true;
};

// Reads up to the line `SV`, and sees to it that all is there and fits. Throws Error.
LibsvmHeader read_libsvm_header(Lines& lines, const std::string& name);

}  // namespace mercer::model
