// The kernels that the laws hold for. A new kernel joins by one line.
#pragma once

#include <ostream>
#include <string>
#include <vector>

struct Member {
  std::string text;
  bool is_kernel = true;   // positive semidefinite on its domain, for these parameters
  bool has_values = true;  // can be evaluated at points
};

inline void PrintTo(const Member& member, std::ostream* out) { *out << member.text; }

inline const std::vector<Member>& roster() {
  static const std::vector<Member> members{
      {"linear"},
      {"poly(2)"},
      {"poly(degree=3, c=0.5, gamma=2)"},
      {"poly(5, 0)"},
      {"rbf(0.5)"},
      {"rbf(sigma=2)"},
      {"laplacian(1)"},
      {"laplacian(gamma=0.3)"},
      {"matern(0.5)"},
      {"matern(1.5, length=2)"},
      {"matern(2.5)"},
      {"matern(nu=0.8, length=0.7)"},
      {"matern(7, 3)"},
      {"matern(250)"},
      {"rq(1)"},
      {"rq(alpha=0.4, length=3)"},
      {"periodic(1)"},
      {"periodic(period=3, length=0.8)"},
      {"sigmoid(1)", false},
      {"sigmoid(gamma=0.5, c=-1)", false},
      {"cosine"},
      {"intersection"},
      {"chi2(1)"},
      {"chi2(gamma=0.2)"},
      {"subsets"},
      {"anova(2)"},
      {"anova(degree=3)"},
      {"const(1)"},
      {"const(c=2.5)"},
      {"precomputed", true, false},

      // Compositions.
      {"rbf(0.5)*poly(2) + 0.1*linear"},
      {"exp(-|x|^2/2) * exp(x.z) * exp(-|z|^2/2)"},
      {"normalize(poly(3) + laplacian(1))"},
      {"1/(1 + |x-z|)"},
      {"exp(0.1*x.z)^2 + cosh(x.z)"},
      {"sum(i, exp(-(x[i]-z[i])^2)) * prod(i, 2 + cos(x[i]-z[i]))"},
      {"asin(x.z/sqrt((1 + |x|^2)*(1 + |z|^2)))"},
      {"sqrt(1 + |x|)*sqrt(1 + |z|)/3"},
      {"|x| + |z| - |x-z|"},
  };
  return members;
}
