// The named kernels, as data: what `mercer kernels` prints and every front end reads.
#pragma once

#include <span>
#include <string_view>

namespace mercer {

struct ParameterInfo {
  std::string_view name;
  std::string_view default_value;  // as text; empty for an alternative to another parameter
  std::string_view range;          // "real", "> 0", "!= 0", "whole, >= 1"
  std::string_view help;
  std::string_view definition;  // of an alternative: "gamma = 1/(2*sigma^2)"; else empty
};

struct KernelInfo {
  std::string_view name;
  std::span<const ParameterInfo> parameters;  // in the order in which they go by position
  std::string_view formula;                   // in the language, where the language can say it
  std::string_view domain;                    // on which it is a kernel
  std::string_view summary;                   // one line
};

std::span<const KernelInfo> catalogue();

// One of them; nullptr for a name that is not there.
const KernelInfo* find_kernel(std::string_view name);

// The functions that the language knows besides (exp, log, …).
std::span<const std::string_view> language_functions();

}  // namespace mercer
