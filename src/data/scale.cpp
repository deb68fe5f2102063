#include "data/scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/matrix.hpp>
#include <numeric>

#include "base/text.hpp"
#include "data/place.hpp"

namespace mercer::data {

namespace {

// visit(j, value) for every stored number.
template <class T, class Visit>
void for_each(const Points& points, const T* values, const Visit& visit) {
  for (std::size_t i = 0; i < points.rows(); ++i) {
    if (points.is_sparse()) {
      for (auto e = points.offsets()[i]; e < points.offsets()[i + 1]; ++e)
        visit(static_cast<std::size_t>(points.indices()[e]), static_cast<double>(values[e]));
    } else {
      for (std::size_t j = 0; j < points.columns(); ++j)
        visit(j, static_cast<double>(values[i * points.stride() + j]));
    }
  }
}

// What squares of such numbers are taken in, so that these neither overflow nor vanish: a power of
// two, which rounds nothing, and 1 for all but the oddest data.
double unit_of(double low, double high) {
  constexpr double large = 0x1p+500;
  if (low > high) return 1;  // a sparse column without an entry
  const double size = std::max(std::abs(low), std::abs(high));
  if (!(size > 0) || (size < large && size > 1 / large)) return 1;
  return std::ldexp(1.0, std::ilogb(size));
}

// In two passes, the second about the mean of the first: what is subtracted is then small.
template <class T>
Moments moments_of(const Points& points, const T* values) {
  const std::size_t d = points.columns();
  const auto n = static_cast<double>(points.rows());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Moments m{std::vector<double>(d), std::vector<double>(d), std::vector<double>(d, infinity),
            std::vector<double>(d, -infinity)};
  std::vector<double> stored(points.is_sparse() ? d : 0);
  for_each(points, values, [&](std::size_t j, double v) {
    m.mean[j] += v;
    m.low[j] = std::min(m.low[j], v);
    m.high[j] = std::max(m.high[j], v);
    if (!stored.empty()) ++stored[j];
  });
  std::vector<double> units(d);
  for (std::size_t j = 0; j < d; ++j) units[j] = unit_of(m.low[j], m.high[j]);
  const bool odd = std::ranges::any_of(units, [](double u) { return u != 1; });
  if (odd) {  // sums may have overflowed, too
    std::ranges::fill(m.mean, 0.0);
    for_each(points, values, [&](std::size_t j, double v) { m.mean[j] += v / units[j]; });
  }
  for (std::size_t j = 0; j < d; ++j) m.mean[j] = m.mean[j] / n * units[j];
  for_each(points, values, [&](std::size_t j, double v) {
    const double step = odd ? v / units[j] - m.mean[j] / units[j] : v - m.mean[j];
    m.deviation[j] += step * step;
  });
  for (std::size_t j = 0; j < d; ++j) {
    if (!stored.empty()) {  // and the zeros
      const double mean = m.mean[j] / units[j];
      m.deviation[j] += (n - stored[j]) * mean * mean;
      if (stored[j] < n) {
        m.low[j] = std::min(m.low[j], 0.0);
        m.high[j] = std::max(m.high[j], 0.0);
      }
    }
    m.deviation[j] = std::sqrt(m.deviation[j] / n) * units[j];
  }
  if (!stored.empty())
    m.share = std::accumulate(stored.begin(), stored.end(), 0.0) / (n * static_cast<double>(d));
  return m;
}

// Whether some columns cannot be seen beside others, see ScaleSparse.
bool uneven(const Moments& m) {
  constexpr double most_are_there = 0.5;
  constexpr double visible = 0.01;
  constexpr double some = 0.25;
  double largest = 0;
  for (const double v : m.deviation) largest = std::max(largest, v);
  if (m.share < most_are_there || !(largest > 0)) return false;
  double squares = 0;
  double varying = 0;
  for (const double v : m.deviation) {
    squares += v / largest * (v / largest);
    varying += v > 0 ? 1 : 0;
  }
  const double usual = largest * std::sqrt(squares / varying);
  const auto hidden =
      std::ranges::count_if(m.deviation, [&](double v) { return v > 0 && v < visible * usual; });
  return static_cast<double>(hidden) >= some * varying;
}

template <class T>
Points scaled_as(const Encoding& e, const Points& points, const T* values) {
  const auto scaled = [&](std::size_t j, T v) {
    return static_cast<T>((static_cast<double>(v) - e.centers[j]) / e.scales[j]);
  };
  if (points.is_sparse()) {
    const auto offsets = points.offsets();
    const auto begin = offsets[0];
    const auto count = static_cast<std::size_t>(offsets.back() - begin);
    std::vector<std::int64_t> starts(offsets.begin(), offsets.end());
    for (auto& s : starts) s -= begin;
    std::vector<std::int32_t> indices(points.indices() + begin, points.indices() + offsets.back());
    std::vector<T> result(count);
    for (std::size_t k = 0; k < count; ++k)
      result[k] = scaled(static_cast<std::size_t>(indices[k]),
                         values[begin + static_cast<std::int64_t>(k)]);
    return Points::own(std::move(starts), std::move(indices), std::move(result), points.columns());
  }
  std::vector<T> result(points.rows() * points.columns());
  for (std::size_t i = 0; i < points.rows(); ++i)
    for (std::size_t j = 0; j < points.columns(); ++j)
      result[i * points.columns() + j] = scaled(j, values[i * points.stride() + j]);
  return Points::own(std::move(result), points.rows(), points.columns());
}

}  // namespace

std::string coordinate_name(const Encoding& encoding, std::size_t j) {
  const auto names = encoding.names();
  return names.empty() ? std::to_string(j + 1) : shown(names[j]);
}

void fit_scales(Encoding& encoding, const Points& points, const std::vector<bool>& numbers,
                bool centered) {
  scales_from(encoding,
              points.scalar() == Points::Scalar::float32
                  ? moments_of(points, points.values<float>())
                  : moments_of(points, points.values<double>()),
              numbers, centered);
}

void scales_from(Encoding& encoding, const Moments& m, const std::vector<bool>& numbers,
                 bool centered) {
  if (encoding.sparse && encoding.columns.empty() &&
      encoding.options.scale_sparse == ScaleSparse::if_uneven && !uneven(m)) {
    encoding.options.scaling = Scaling::none;
    return;
  }
  const std::size_t columns = m.mean.size();
  const bool standard = encoding.options.scaling == Scaling::standard;
  encoding.centers.assign(columns, 0);
  encoding.scales.assign(columns, 1);
  for (std::size_t j = 0; j < columns; ++j) {
    if ((!numbers.empty() && !numbers[j]) || m.low[j] > m.high[j]) continue;
    if (!std::isfinite(m.high[j] - m.low[j]) || !std::isfinite(m.deviation[j]))
      throw Error("column " + coordinate_name(encoding, j) + " reaches from " + shortest(m.low[j]) +
                  " to " + shortest(m.high[j]) +
                  ", too far for a double to be scaled; correct it, or leave it as it is "
                  "(--scale none)");
    double scale = standard ? m.deviation[j] : m.high[j] - m.low[j];
    if (centered) {
      encoding.centers[j] = standard ? m.mean[j] : m.low[j];
    } else if (!standard) {
      scale = std::max(std::abs(m.low[j]), std::abs(m.high[j]));
    }
    // Rounding leaves a constant column a deviation that is not quite 0.
    const double size = std::max(std::abs(m.low[j]), std::abs(m.high[j]));
    const bool constant = m.low[j] == m.high[j] && centered;
    if (!constant && scale > size * 1e-300) encoding.scales[j] = scale;
  }
}

Points scaled(const Encoding& encoding, const Points& points) {
  if (encoding.scales.empty()) return points;
  // Zeros that are not stored move, too, where the columns are centred.
  if (points.is_sparse() && std::ranges::any_of(encoding.centers, [](double c) { return c != 0; }))
    return scaled(encoding, dense(points).points());
  return points.scalar() == Points::Scalar::float32
             ? scaled_as(encoding, points, points.values<float>())
             : scaled_as(encoding, points, points.values<double>());
}

}  // namespace mercer::data
