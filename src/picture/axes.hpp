// Axes: a scale with ticks at round numbers, names, and a frame around what is drawn.
#pragma once

#include <string>
#include <vector>

#include "picture/canvas.hpp"

namespace mercer::picture {

struct Tick {
  double value = 0;
  std::string text;
};

struct Axis {
  std::string name;
  double low = 0;
  double high = 1;
  bool log = false;              // low > 0 then
  std::vector<Tick> ticks = {};  // empty: at round numbers
  double center = 0;             // ticks tell value * scale + center, so that an axis
  double scale = 1;              // is in the units of the file
  bool grid = true;              // pale lines at the ticks
  bool whole = false;            // no ticks between whole numbers
};

// Where a value is, between the pixels `from` and `to`.
double position(const Axis& axis, double value, double from, double to);

// Round numbers, about so many at most. All of them have texts of the same precision.
std::vector<Tick> ticks_of(const Axis& axis, std::size_t most);

// An axis around values: a bit more at both ends; around one value alone too.
Axis axis_around(std::string name, double least, double largest, double more = 0.06);

// The pixels that tick labels of an axis at the left need, with its name.
double room_at_left(const Axis& y, double height);
inline constexpr double room_below = 44;

// The frame, ticks, their texts and names, around `box`.
void draw_axes(Canvas& canvas, const Box& box, const Axis& x, const Axis& y);

inline Spot place(const Box& box, const Axis& x, const Axis& y, double a, double b) {
  return {position(x, a, box.x, box.right()), position(y, b, box.bottom(), box.y)};
}

}  // namespace mercer::picture
