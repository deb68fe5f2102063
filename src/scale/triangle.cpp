#include "scale/triangle.hpp"

namespace mercer::scale {

Triangle::Triangle(std::size_t m)
    : m_(m), stride_(m), own_(m * m), buffer_(own_.data()), corners_(blocks() * width * width) {}

Triangle::Triangle(std::size_t m, double* buffer, std::size_t stride)
    : m_(m), stride_(stride), buffer_(buffer), corners_(blocks() * width * width) {}

double Triangle::trace() const {
  double sum = 0;
  for (std::size_t i = 0; i < m_; ++i) sum += corner(i / width)[i % width * width + i % width];
  return sum;
}

void Triangle::clear() const {
  for_all([](double* values, std::size_t count) { std::fill_n(values, count, 0.0); });
}

}  // namespace mercer::scale
