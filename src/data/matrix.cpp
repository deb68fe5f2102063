#include <mercer/matrix.hpp>

namespace mercer {

Matrix dense(const Points& points) {
  Matrix m;
  m.rows = points.rows();
  m.columns = points.columns();
  m.values.resize(m.rows * m.columns);
  for (std::size_t i = 0; i < m.rows; ++i)
    points.row(i, std::span(m.values).subspan(i * m.columns, m.columns));
  return m;
}

}  // namespace mercer
