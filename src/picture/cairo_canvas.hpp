// Pictures of pixels (PNG) and of pages (PDF), drawn by Cairo.
#pragma once

#include <cairo.h>
#include <memory>
#include <string>

#include "picture/canvas.hpp"

namespace mercer::picture {

class CairoCanvas : public Canvas {
 public:
  enum class Kind { png, pdf };
  CairoCanvas(Kind kind, double width, double height);

  using Canvas::fill;
  void fill(std::span<const Spot> polygon, const Colour& colour) override;
  void stroke(std::span<const Spot> line, const Pen& pen, bool closed) override;
  void circle(Spot centre, double radius, const std::optional<Colour>& inside,
              const std::optional<Pen>& edge) override;
  void image(const Box& box, const Image& image) override;
  void clip(const Box& box) override;
  void unclip() override;
  void begin(std::string_view /*name*/) override {}
  void end() override {}

  // The file's content; nothing is drawn afterwards.
  std::string finish();
  // The pixels of a PNG, row by row.
  [[nodiscard]] Image pixels() const;

 private:
  void put_text(Spot at, const std::string& text, const TextStyle& style) override;
  void path(std::span<const Spot> line, bool closed);
  void use(const Pen& pen);
  void check() const;

  using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
  Kind kind_;
  std::string bytes_;
  Surface surface_;
  std::unique_ptr<cairo_t, decltype(&cairo_destroy)> cr_;
};

// An image as a PNG file.
std::string png_of(const Image& image);

}  // namespace mercer::picture
