#include "picture/contour.hpp"

#include <array>
#include <cmath>
#include <map>

namespace mercer::picture {

namespace {

// A point of a line lies on an edge between neighbours of the grid: from (i, j) to the right, or
// downwards. Lines are found by edges, so that their ends meet exactly.
class Lines {
 public:
  Lines(std::span<const double> values, std::size_t columns, double level)
      : values_(values), columns_(columns), level_(level) {
    const std::size_t rows = values.size() / columns;
    for (std::size_t j = 0; j + 1 < rows; ++j)
      for (std::size_t i = 0; i + 1 < columns; ++i) cell(i, j);
  }

  std::vector<std::vector<Spot>> chained() {
    std::vector<std::vector<Spot>> lines;
    // Open lines from their ends first, then those that close.
    for (const bool open : {true, false})
      for (const auto& [edge, ends] : next_)
        if (!done_.contains(edge) && (!open || ends[1] == none)) lines.push_back(follow(edge));
    return lines;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  [[nodiscard]] std::size_t right_of(std::size_t i, std::size_t j) const {
    return 2 * (j * columns_ + i);
  }
  [[nodiscard]] std::size_t below(std::size_t i, std::size_t j) const { return right_of(i, j) + 1; }
  [[nodiscard]] double at(std::size_t i, std::size_t j) const {
    return values_[j * columns_ + i] - level_;
  }

  void join(std::size_t a, std::size_t b) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      auto& ends = next_.try_emplace(from, std::array{none, none}).first->second;
      (ends[0] == none ? ends[0] : ends[1]) = to;
    }
  }

  void cell(std::size_t i, std::size_t j) {
    const std::array<double, 4> v{at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)};
    unsigned which = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      if (!std::isfinite(v[k])) return;
      if (v[k] > 0) which |= 1U << k;
    }
    const std::size_t top = right_of(i, j);
    const std::size_t bottom = right_of(i, j + 1);
    const std::size_t left = below(i, j);
    const std::size_t right = below(i + 1, j);
    switch (which < 8 ? which : 15 - which) {  // a sign and its opposite have the same lines
      case 1:
        join(left, top);
        break;
      case 2:
        join(top, right);
        break;
      case 3:
        join(left, right);
        break;
      case 4:
        join(right, bottom);
        break;
      case 6:
        join(top, bottom);
        break;
      case 7:
        join(left, bottom);
        break;
      case 5: {
        const bool high = v[0] + v[1] + v[2] + v[3] > 0;
        // Do the corners (i, j) and (i+1, j+1) belong together through the middle?
        if (high == (v[0] > 0)) {
          join(top, right);
          join(left, bottom);
        } else {
          join(left, top);
          join(right, bottom);
        }
        break;
      }
      default:
        break;
    }
  }

  [[nodiscard]] Spot spot(std::size_t edge) const {
    const std::size_t i = edge / 2 % columns_;
    const std::size_t j = edge / 2 / columns_;
    const bool down = edge % 2 == 1;
    const double a = at(i, j);
    const double b = down ? at(i, j + 1) : at(i + 1, j);
    const double share = a / (a - b);
    return {static_cast<double>(i) + (down ? 0 : share),
            static_cast<double>(j) + (down ? share : 0)};
  }

  std::vector<Spot> follow(std::size_t edge) {
    std::vector<Spot> line;
    const std::size_t start = edge;
    std::size_t from = none;
    while (edge != none && !done_.contains(edge)) {
      done_[edge] = true;
      line.push_back(spot(edge));
      const auto& ends = next_.at(edge);
      const std::size_t to = ends[0] != from ? ends[0] : ends[1];
      from = edge;
      edge = to;
    }
    if (edge == start && line.size() > 2) line.push_back(line.front());
    return line;
  }

  std::span<const double> values_;
  std::size_t columns_;
  double level_;
  std::map<std::size_t, std::array<std::size_t, 2>> next_;
  std::map<std::size_t, bool> done_;
};

}  // namespace

std::vector<std::vector<Spot>> contours(std::span<const double> values, std::size_t columns,
                                        double level) {
  return Lines(values, columns, level).chained();
}

}  // namespace mercer::picture
