#include "choose/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mercer/catalogue.hpp>
#include <mercer/error.hpp>

#include "base/text.hpp"
#include "learn/width.hpp"

namespace mercer::choose {

namespace {

// Rounded to three digits: candidates are to be read by people.
double short_number(double v) { return with_digits(v, 3); }

std::vector<double> powers(double from, double to, double factor) {
  std::vector<double> values;
  const auto steps =
      static_cast<std::size_t>(std::max(1.0, std::round(std::log(to / from) / std::log(factor))));
  for (std::size_t i = 0; i <= steps; ++i)
    values.push_back(short_number(
        from * std::pow(to / from, static_cast<double>(i) / static_cast<double>(steps))));
  return values;
}

const ParameterInfo* parameter_of(const OpenParameter& open) {
  const KernelInfo* kernel = find_kernel(open.kernel);
  if (kernel == nullptr) return nullptr;
  for (const auto& p : kernel->parameters)
    if (p.name == open.parameter) return &p;
  return nullptr;
}

Axis axis_of(const OpenParameter& open, const ParameterInfo* info, double gamma, bool fine) {
  Axis axis{open.parameter, {}, false, false};
  axis.whole = info != nullptr && info->range.find("whole") != std::string_view::npos;
  const double factor = fine ? 2 : 4;
  if (open.range) {
    const auto [low, high] = *open.range;
    if (axis.whole) {
      for (double v = std::ceil(low); v <= high && axis.values.size() < 20; ++v)
        axis.values.push_back(v);
    } else if (low > 0) {
      axis.values = powers(low, high, factor);
    } else {
      constexpr int steps = 6;
      for (int i = 0; i <= steps; ++i) axis.values.push_back(low + (high - low) * i / steps);
    }
    if (axis.values.empty())
      throw Error(fmt::format("{} of {} may take no value between {} and {}", open.parameter,
                              open.kernel, shortest(low), shortest(high)));
    return axis;
  }
  if (axis.whole) {
    axis.values = {2, 3, 4};
    return axis;
  }
  // Widths of kernels are about distances: the median one is the middle.
  const bool width =
      open.parameter == "sigma" || open.parameter == "length" || open.parameter == "period";
  const bool distance = open.kernel == "rbf" || open.kernel == "laplacian" || open.kernel == "rq" ||
                        open.kernel == "matern" || open.kernel == "periodic" ||
                        open.kernel == "rbf_sigma" || open.kernel == "chi2";
  if (open.parameter == "gamma" && distance) {
    const double middle = open.kernel == "laplacian" ? std::sqrt(gamma) : gamma;
    axis.values = powers(middle / 64, middle * 16, factor);
  } else if (width && distance) {
    const double middle = std::sqrt(1 / (2 * gamma));
    axis.values = powers(middle / 8, middle * 8, fine ? std::sqrt(2.0) : 2);
  } else if (open.parameter == "c") {
    axis.values = {0, 0.25, 1, 4};
  } else {
    axis.values = powers(1.0 / 16, 16, factor);
  }
  return axis;
}

}  // namespace

Space space_of(const Kernel& kernel, const Points& x,
               const std::map<std::string, std::vector<double>>& given, std::uint64_t seed,
               bool fine) {
  Space space{kernel, {}};
  const auto open = kernel.open_parameters();
  if (open.empty()) return space;
  const double gamma = learn::width_from_data(x, seed);
  for (const OpenParameter& p : open) {
    const auto at = given.find(p.parameter);
    if (at != given.end()) {
      Axis axis{p.parameter, at->second, true, false};
      std::ranges::sort(axis.values);
      space.axes.push_back(std::move(axis));
    } else {
      space.axes.push_back(axis_of(p, parameter_of(p), gamma, fine));
    }
  }
  return space;
}

Axis price_axis(Learner learner, const std::map<std::string, std::vector<double>>& given,
                double scale, bool fine) {
  const std::string name = learner == Learner::ridge ? "lambda" : "C";
  const auto at = given.find(name);
  Axis axis{name, {}, at != given.end(), false};
  if (axis.fixed) {
    axis.values = at->second;
    std::ranges::sort(axis.values);
    for (const double v : axis.values)
      if (!(v > 0) || !std::isfinite(v)) throw Error(name + " must be a number > 0");
    return axis;
  }
  const double factor = fine ? 4 : 16;
  axis.values = learner == Learner::ridge ? powers(1e-6 * scale, 1e2 * scale, factor)
                                          : powers(scale / 16, scale * 4096, factor);
  return axis;
}

std::vector<std::vector<double>> product(const std::vector<Axis>& axes) {
  std::vector<std::vector<double>> all{{}};
  constexpr std::size_t most = 100'000;
  for (const Axis& axis : axes) {
    std::vector<std::vector<double>> longer;
    for (const auto& head : all)
      for (const double v : axis.values) {
        longer.push_back(head);
        longer.back().push_back(v);
      }
    if (longer.size() > most)
      throw Error(fmt::format("more than {} kernels to try: leave fewer parameters open", most));
    all = std::move(longer);
  }
  return all;
}

std::vector<double> between(const Axis& axis, const std::vector<double>& there, double value) {
  std::vector<double> result;
  if (axis.fixed) return result;
  std::vector<double> sorted = there;
  std::ranges::sort(sorted);
  const auto middle = [&](double a, double b) {
    if (axis.whole) return std::round((a + b) / 2);
    return short_number(a > 0 && b > 0 ? std::sqrt(a * b) : (a + b) / 2);
  };
  const auto at = std::ranges::find(sorted, value);
  if (at == sorted.end()) return result;
  constexpr double near = 1.15;  // no finer than that: noise
  const auto add = [&](double a, double b) {
    if (a > 0 && b / a < near) return;
    const double m = middle(a, b);
    if (std::ranges::find(sorted, m) == sorted.end()) result.push_back(m);
  };
  if (at != sorted.begin()) add(*(at - 1), *at);
  if (at + 1 != sorted.end()) add(*at, *(at + 1));
  return result;
}

}  // namespace mercer::choose
