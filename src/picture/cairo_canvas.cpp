#include "picture/cairo_canvas.hpp"

#include <algorithm>
#include <cairo-pdf.h>
#include <cmath>
#include <mercer/error.hpp>
#include <new>
#include <numbers>

#include "picture/font.hpp"

namespace mercer::picture {

namespace {

constexpr double largest_part = 255;

cairo_status_t append(void* to, const unsigned char* data, unsigned int length) {
  try {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

cairo_surface_t* new_surface(CairoCanvas::Kind kind, double width, double height,
                             std::string* bytes) {
  if (kind == CairoCanvas::Kind::png)
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width),
                                      static_cast<int>(height));
  constexpr double points = 0.75;  // of a pixel of 1/96 inch
  cairo_surface_t* surface =
      cairo_pdf_surface_create_for_stream(append, bytes, width * points, height * points);
  // The same picture is the same file, at any time.
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
  return surface;
}

std::uint32_t part(double value) {
  return static_cast<std::uint32_t>(std::lround(std::clamp(value, 0.0, 1.0) * largest_part));
}

cairo_surface_t* surface_of(const Image& image) {
  cairo_surface_t* surface = cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, static_cast<int>(image.width), static_cast<int>(image.height));
  unsigned char* data = cairo_image_surface_get_data(surface);
  if (data == nullptr) return surface;
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface));
  for (std::size_t y = 0; y < image.height; ++y)
    for (std::size_t x = 0; x < image.width; ++x) {
      const Colour& c = image.pixels[y * image.width + x];
      const std::uint32_t pixel = part(c.r) << 16U | part(c.g) << 8U | part(c.b);
      std::copy_n(reinterpret_cast<const unsigned char*>(&pixel), sizeof pixel,  // NOLINT
                  data + y * stride + x * sizeof pixel);
    }
  cairo_surface_mark_dirty(surface);
  return surface;
}

}  // namespace

void choose_font(cairo_t* cr, double size, bool bold) {
  cairo_select_font_face(cr, font_name, CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr, size);
  // No hints: they would make a line of text longer in one format than in another.
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(cr, options);
  cairo_font_options_destroy(options);
}

CairoCanvas::CairoCanvas(Kind kind, double width, double height)
    : Canvas(width, height),
      kind_(kind),
      surface_(new_surface(kind, width, height, &bytes_), cairo_surface_destroy),
      cr_(cairo_create(surface_.get()), cairo_destroy) {
  if (kind == Kind::pdf) cairo_scale(cr_.get(), 0.75, 0.75);
  cairo_set_line_join(cr_.get(), CAIRO_LINE_JOIN_ROUND);
}

void CairoCanvas::path(std::span<const Spot> line, bool closed) {
  cairo_new_path(cr_.get());
  for (const Spot& s : line) cairo_line_to(cr_.get(), s.x, s.y);
  if (closed) cairo_close_path(cr_.get());
}

void CairoCanvas::use(const Pen& pen) {
  const Colour& c = pen.colour;
  cairo_set_source_rgba(cr_.get(), c.r, c.g, c.b, c.a);
  cairo_set_line_width(cr_.get(), pen.width);
  cairo_set_dash(cr_.get(), pen.dashes.data(), static_cast<int>(pen.dashes.size()), 0);
}

void CairoCanvas::fill(std::span<const Spot> polygon, const Colour& colour) {
  path(polygon, true);
  cairo_set_source_rgba(cr_.get(), colour.r, colour.g, colour.b, colour.a);
  cairo_fill(cr_.get());
}

void CairoCanvas::stroke(std::span<const Spot> line, const Pen& pen, bool closed) {
  path(line, closed);
  use(pen);
  cairo_stroke(cr_.get());
}

void CairoCanvas::circle(Spot centre, double radius, const std::optional<Colour>& inside,
                         const std::optional<Pen>& edge) {
  cairo_new_path(cr_.get());
  cairo_arc(cr_.get(), centre.x, centre.y, radius, 0, 2 * std::numbers::pi);
  if (inside) {
    cairo_set_source_rgba(cr_.get(), inside->r, inside->g, inside->b, inside->a);
    cairo_fill_preserve(cr_.get());
  }
  if (edge) {
    use(*edge);
    cairo_stroke_preserve(cr_.get());
  }
  cairo_new_path(cr_.get());
}

void CairoCanvas::image(const Box& box, const Image& image) {
  const Surface pixels(surface_of(image), cairo_surface_destroy);
  cairo_save(cr_.get());
  cairo_translate(cr_.get(), box.x, box.y);
  cairo_scale(cr_.get(), box.width / static_cast<double>(image.width),
              box.height / static_cast<double>(image.height));
  cairo_set_source_surface(cr_.get(), pixels.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cr_.get()), CAIRO_FILTER_NEAREST);
  cairo_rectangle(cr_.get(), 0, 0, static_cast<double>(image.width),
                  static_cast<double>(image.height));
  cairo_fill(cr_.get());
  cairo_restore(cr_.get());
}

void CairoCanvas::clip(const Box& box) {
  cairo_save(cr_.get());
  cairo_rectangle(cr_.get(), box.x, box.y, box.width, box.height);
  cairo_clip(cr_.get());
}

void CairoCanvas::unclip() { cairo_restore(cr_.get()); }

void CairoCanvas::put_text(Spot at, const std::string& text, const TextStyle& style) {
  choose_font(cr_.get(), style.size, style.bold);
  const double width = style.anchor == Anchor::start ? 0 : text_width(text, style.size, style.bold);
  cairo_save(cr_.get());
  cairo_translate(cr_.get(), at.x, at.y);
  if (style.upwards) cairo_rotate(cr_.get(), -std::numbers::pi / 2);
  cairo_move_to(cr_.get(), style.anchor == Anchor::middle ? -width / 2 : -width, 0);
  const Colour& c = style.colour;
  cairo_set_source_rgba(cr_.get(), c.r, c.g, c.b, c.a);
  cairo_show_text(cr_.get(), text.c_str());
  cairo_restore(cr_.get());
}

void CairoCanvas::check() const {
  auto status = cairo_status(cr_.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface_.get());
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error(std::string("the picture cannot be drawn: ") + cairo_status_to_string(status));
}

std::string CairoCanvas::finish() {
  check();
  if (kind_ == Kind::png) {
    cairo_surface_write_to_png_stream(surface_.get(), append, &bytes_);
  } else {
    cairo_surface_finish(surface_.get());
  }
  return std::move(bytes_);
}

Image CairoCanvas::pixels() const {
  check();
  cairo_surface_flush(surface_.get());
  const unsigned char* data = cairo_image_surface_get_data(surface_.get());
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface_.get()));
  Image image{static_cast<std::size_t>(width()), static_cast<std::size_t>(height()), {}};
  image.pixels.reserve(image.width * image.height);
  for (std::size_t y = 0; y < image.height; ++y)
    for (std::size_t x = 0; x < image.width; ++x) {
      const unsigned char* p = data + y * stride + 4 * x;
      std::uint32_t pixel = 0;
      std::copy_n(p, sizeof pixel, reinterpret_cast<unsigned char*>(&pixel));  // NOLINT
      image.pixels.push_back({static_cast<double>(pixel >> 16U & 0xffU) / largest_part,
                              static_cast<double>(pixel >> 8U & 0xffU) / largest_part,
                              static_cast<double>(pixel & 0xffU) / largest_part});
    }
  return image;
}

std::string png_of(const Image& image) {
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      surface_of(image), cairo_surface_destroy);
  std::string bytes;
  cairo_surface_write_to_png_stream(surface.get(), append, &bytes);
  return bytes;
}

}  // namespace mercer::picture
