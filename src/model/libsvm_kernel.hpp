// LIBSVM's kernels as ours, and ours as LIBSVM's.
#pragma once

#include <array>
#include <mercer/libsvm.hpp>
#include <optional>
#include <string_view>

namespace mercer::model {

// In the order of -s and -t.
inline constexpr std::array<std::string_view, 5> libsvm_types{"c_svc", "nu_svc", "one_class",
                                                              "epsilon_svr", "nu_svr"};
inline constexpr std::array<std::string_view, 5> libsvm_kernels{"linear", "polynomial", "rbf",
                                                                "sigmoid", "precomputed"};

struct KernelOfLibsvm {
  LibsvmKernel type = LibsvmKernel::linear;
  int degree = 0;
  double gamma = 0;
  double coef0 = 0;
};
// Throws Error where a number is too large for exact arithmetic.
Kernel kernel_of(const KernelOfLibsvm& k);

// k = factor k' + constant with k' a kernel of LIBSVM.
struct InLibsvm {
  KernelOfLibsvm kernel;
  double factor = 1;
  double constant = 0;
};
// Absent where it is none, by the form that the kernel has after simplification.
std::optional<InLibsvm> in_libsvm(const Kernel& kernel);

}  // namespace mercer::model
