// Marks of points, their legend, and the scale of colours.
#pragma once

#include <string>
#include <vector>

#include "picture/axes.hpp"
#include "picture/canvas.hpp"

namespace mercer::picture {

// Classes differ by shape, too.
void draw_mark(Canvas& canvas, Spot at, std::size_t shape, double radius, const Colour& inside,
               const Pen& edge);
void draw_cross(Canvas& canvas, Spot at, double radius, const Pen& pen);

struct LegendEntry {
  enum class Kind { mark, line, ring, cross, plain };
  Kind kind = Kind::mark;
  std::string text;
  std::size_t shape = 0;
  Colour colour = {};
  Pen pen = {};
};

double legend_width(const std::vector<LegendEntry>& entries);
// Below each other from there on; what has no room is counted.
void draw_legend(Canvas& canvas, const Box& box, const std::vector<LegendEntry>& entries);

// A bar of the colours of the axis's values, with ticks at its right.
inline constexpr double bar_room = 84;
void draw_bar(Canvas& canvas, const Box& box, const Axis& values, Colour (*colour)(double),
              double share_low, double share_high);

// Title and what is to be said of the picture, at its top: how many pixels they took.
double title_room(const std::string& note, double width);
double draw_title(Canvas& canvas, const std::string& title, const std::string& note);

}  // namespace mercer::picture
