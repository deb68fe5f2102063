#include "picture/marks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "picture/colours.hpp"

namespace mercer::picture {

namespace {

constexpr double text_size = 12;
constexpr double line_height = 20;
constexpr double symbol_width = 26;
constexpr double widest_text = 190;
constexpr double title_margin = 16;
constexpr double title_size = 16;
constexpr std::size_t note_lines = 3;

std::vector<Spot> polygon(Spot at, double radius, std::size_t corners, double turn) {
  std::vector<Spot> spots;
  for (std::size_t k = 0; k < corners; ++k) {
    const double angle =
        turn + 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(corners);
    spots.push_back({at.x + radius * std::sin(angle), at.y - radius * std::cos(angle)});
  }
  return spots;
}

}  // namespace

void draw_mark(Canvas& canvas, Spot at, std::size_t shape, double radius, const Colour& inside,
               const Pen& edge) {
  constexpr double pi = std::numbers::pi;
  struct Shape {
    std::size_t corners;
    double turn;
    double size;  // so that all look equally large
  };
  constexpr std::array<Shape, 7> shapes{{{0, 0, 1},
                                         {4, pi / 4, 1.2},
                                         {3, 0, 1.35},
                                         {4, 0, 1.25},
                                         {3, pi, 1.35},
                                         {5, 0, 1.15},
                                         {6, 0, 1.1}}};
  const Shape& s = shapes[shape % shapes.size()];
  if (s.corners == 0) {
    canvas.circle(at, radius, inside, edge);
    return;
  }
  const auto spots = polygon(at, radius * s.size, s.corners, s.turn);
  canvas.fill(spots, inside);
  canvas.stroke(spots, edge, true);
}

void draw_cross(Canvas& canvas, Spot at, double radius, const Pen& pen) {
  canvas.line({at.x - radius, at.y - radius}, {at.x + radius, at.y + radius}, pen);
  canvas.line({at.x - radius, at.y + radius}, {at.x + radius, at.y - radius}, pen);
}

double legend_width(const std::vector<LegendEntry>& entries) {
  double width = 0;
  for (const auto& e : entries)
    width = std::max(width, std::min(text_width(e.text, text_size), widest_text));
  return entries.empty() ? 0 : width + symbol_width + 14;
}

void draw_legend(Canvas& canvas, const Box& box, const std::vector<LegendEntry>& entries) {
  canvas.begin("legend");
  const auto room = static_cast<std::size_t>(std::max(1.0, box.height / line_height));
  const std::size_t count = entries.size() <= room ? entries.size() : room - 1;
  double y = box.y + line_height / 2;
  const double middle = box.x + symbol_width / 2;
  for (std::size_t i = 0; i < count; ++i, y += line_height) {
    const auto& e = entries[i];
    switch (e.kind) {
      case LegendEntry::Kind::mark:
        draw_mark(canvas, {middle, y}, e.shape, 4.5, e.colour, e.pen);
        break;
      case LegendEntry::Kind::line:
        canvas.line({box.x + 3, y}, {box.x + symbol_width - 3, y}, e.pen);
        break;
      case LegendEntry::Kind::ring:
        canvas.circle({middle, y}, 6.5, std::nullopt, e.pen);
        break;
      case LegendEntry::Kind::cross:
        draw_cross(canvas, {middle, y}, 4.5, e.pen);
        break;
      case LegendEntry::Kind::plain:
        break;
    }
    canvas.text({box.x + symbol_width + 4, y + text_size * 0.36},
                shortened(e.text, text_size, widest_text), {text_size});
  }
  if (count < entries.size())
    canvas.text({box.x + symbol_width + 4, y + text_size * 0.36},
                fmt::format("… and {} more", entries.size() - count), {text_size});
  canvas.end();
}

void draw_bar(Canvas& canvas, const Box& box, const Axis& values, Colour (*colour)(double),
              double share_low, double share_high) {
  canvas.begin("values");
  constexpr std::size_t steps = 128;
  Image image{1, steps, std::vector<Colour>(steps)};
  for (std::size_t k = 0; k < steps; ++k) {
    const double share = 1 - (static_cast<double>(k) + 0.5) / steps;
    image.pixels[k] = colour(share_low + (share_high - share_low) * share);
  }
  canvas.image(box, image);
  canvas.stroke(std::array<Spot, 4>{{{box.x, box.y},
                                     {box.right(), box.y},
                                     {box.right(), box.bottom()},
                                     {box.x, box.bottom()}}},
                {ink, 1}, true);
  constexpr double size = 11;
  for (const auto& t : ticks_of(values, static_cast<std::size_t>(std::max(2.0, box.height / 40)))) {
    const double at = position(values, t.value, box.bottom(), box.y);
    canvas.line({box.right(), at}, {box.right() + 4, at}, {ink, 1});
    canvas.text({box.right() + 8, at + size * 0.36}, t.text, {size});
  }
  if (!values.name.empty())
    canvas.text({box.x, box.y - 8}, shortened(values.name, size + 1, bar_room), {size + 1});
  canvas.end();
}

double title_room(const std::string& note, double width) {
  const auto lines = wrapped(note, text_size, width - 2 * title_margin, note_lines).size();
  return title_margin + title_size + static_cast<double>(lines) * (text_size + 6) + 18;
}

double draw_title(Canvas& canvas, const std::string& title, const std::string& note) {
  canvas.begin("title");
  const double width = canvas.width() - 2 * title_margin;
  double y = title_margin + title_size;
  TextStyle style{title_size};
  style.bold = true;
  canvas.text({title_margin, y}, shortened(title, title_size, width, true), style);
  for (const auto& line : wrapped(note, text_size, width, note_lines)) {
    y += text_size + 6;
    canvas.text({title_margin, y}, line, {text_size, Anchor::start, grey});
  }
  canvas.end();
  return title_room(note, canvas.width());
}

}  // namespace mercer::picture
