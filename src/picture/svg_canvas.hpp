// Pictures as SVG, written here rather than by Cairo, which makes outlines of all letters: text
// stays text, that can be searched, read aloud and edited.
#pragma once

#include <string>

#include "picture/canvas.hpp"

namespace mercer::picture {

class SvgCanvas : public Canvas {
 public:
  SvgCanvas(double width, double height, const std::string& title);

  using Canvas::fill;
  void fill(std::span<const Spot> polygon, const Colour& colour) override;
  void stroke(std::span<const Spot> line, const Pen& pen, bool closed) override;
  void circle(Spot centre, double radius, const std::optional<Colour>& inside,
              const std::optional<Pen>& edge) override;
  void image(const Box& box, const Image& image) override;
  void clip(const Box& box) override;
  void unclip() override;
  void begin(std::string_view name) override;
  void end() override;

  std::string finish();

 private:
  void put_text(Spot at, const std::string& text, const TextStyle& style) override;

  std::string text_;
  std::size_t clips_ = 0;
};

// For text inside of XML.
std::string xml(std::string_view text);

}  // namespace mercer::picture
