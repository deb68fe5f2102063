#include "scale/message.hpp"

#include <algorithm>
#include <utility>

namespace mercer::scale {

namespace {

using Scalar = Points::Scalar;

template <class T>
void put_points(Message& to, const Points& p) {
  if (!p.is_sparse()) {
    std::vector<T> values(p.rows() * p.columns());
    for (std::size_t i = 0; i < p.rows(); ++i)
      std::copy_n(p.values<T>() + i * p.stride(), p.columns(),
                  values.begin() + static_cast<std::ptrdiff_t>(i * p.columns()));
    to.put(values);
    return;
  }
  std::vector<std::int64_t> offsets(p.offsets().begin(), p.offsets().end());
  const std::int64_t first = offsets.front();
  for (auto& o : offsets) o -= first;
  to.put(offsets);
  to.put_all(p.indices() + first, p.entries());
  to.put_all(p.values<T>() + first, p.entries());
}

template <class T>
Points get_points(MessageReader& from, std::size_t rows, std::size_t columns, bool sparse) {
  if (!sparse) return Points::own(from.get_all<T>(), rows, columns);
  auto offsets = from.get_all<std::int64_t>();
  auto indices = from.get_all<std::int32_t>();
  return Points::own(std::move(offsets), std::move(indices), from.get_all<T>(), columns);
}

template <class T>
Points join(const std::vector<Points>& parts) {
  const Points& one = parts.front();
  if (!one.is_sparse()) {
    std::vector<T> values;
    std::size_t rows = 0;
    for (const Points& p : parts)
      for (std::size_t i = 0; i < p.rows(); ++i, ++rows)
        values.insert(values.end(), p.values<T>() + i * p.stride(),
                      p.values<T>() + i * p.stride() + p.columns());
    return Points::own(std::move(values), rows, one.columns());
  }
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<T> values;
  for (const Points& p : parts)
    for (std::size_t i = 0; i < p.rows(); ++i) {
      const auto begin = p.offsets()[i];
      const auto end = p.offsets()[i + 1];
      indices.insert(indices.end(), p.indices() + begin, p.indices() + end);
      values.insert(values.end(), p.values<T>() + begin, p.values<T>() + end);
      offsets.push_back(static_cast<std::int64_t>(values.size()));
    }
  return Points::own(std::move(offsets), std::move(indices), std::move(values), one.columns());
}

}  // namespace

Message& Message::put(const Points& points) {
  put(points.rows()).put(points.columns()).put(points.is_sparse());
  put(points.scalar() == Scalar::float32);
  if (points.scalar() == Scalar::float32) {
    put_points<float>(*this, points);
  } else {
    put_points<double>(*this, points);
  }
  return *this;
}

Points MessageReader::points() {
  const auto rows = get<std::size_t>();
  const auto columns = get<std::size_t>();
  const bool sparse = get<bool>();
  return get<bool>() ? get_points<float>(*this, rows, columns, sparse)
                     : get_points<double>(*this, rows, columns, sparse);
}

Message& Message::put(const Sketch& sketch) {
  put(sketch.dimension).put(sketch.terms.size());
  for (const auto& t : sketch.terms) {
    put(t.size).put(t.amplitude).put(t.variance).put(t.factors.size());
    for (const auto& f : t.factors) put(f.bucket).put(f.weight);
  }
  return *this;
}

Sketch MessageReader::sketch() {
  Sketch s;
  s.dimension = get<std::size_t>();
  s.terms.resize(get<std::size_t>());
  for (auto& t : s.terms) {
    t.size = get<std::size_t>();
    t.amplitude = get<double>();
    t.variance = get<double>();
    t.factors.resize(get<std::size_t>());
    for (auto& f : t.factors) {
      f.bucket = get_all<std::uint32_t>();
      f.weight = get_all<double>();
    }
  }
  return s;
}

Points joined(const std::vector<Points>& parts) {
  return parts.front().scalar() == Scalar::float32 ? join<float>(parts) : join<double>(parts);
}

}  // namespace mercer::scale
