#include "picture/canvas.hpp"

#include <array>
#include <cairo.h>
#include <memory>

#include "base/text.hpp"
#include "picture/font.hpp"

namespace mercer::picture {

namespace {

// The length of the UTF-8 character at the beginning, 0 where there is none.
std::size_t valid_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((static_cast<unsigned char>(text[k]) & 0xc0U) != 0x80) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  // Longer than need be, a surrogate, or beyond the last character.
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90))
    return 0;
  return length;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = valid_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      result += "\xef\xbf\xbd";
    } else if (first < 0x20 || first == 0x7f) {
      result += ' ';
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

void Canvas::text(Spot at, std::string_view text, const TextStyle& style) {
  const std::string shown = clean(text);
  if (!shown.empty()) put_text(at, shown, style);
}

void Canvas::fill(const Box& box, const Colour& colour) {
  fill(std::array<Spot, 4>{{{box.x, box.y},
                            {box.right(), box.y},
                            {box.right(), box.bottom()},
                            {box.x, box.bottom()}}},
       colour);
}

void Canvas::line(Spot a, Spot b, const Pen& pen) { stroke(std::array<Spot, 2>{a, b}, pen); }

double text_width(std::string_view text, double size, bool bold) {
  // A canvas of its own, so that a picture has the same layout in every format.
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1), cairo_surface_destroy);
  const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> cr(cairo_create(surface.get()),
                                                              cairo_destroy);
  choose_font(cr.get(), size, bold);
  cairo_text_extents_t extents;
  cairo_text_extents(cr.get(), clean(text).c_str(), &extents);
  return extents.x_advance;
}

std::string shortened(std::string_view text, double size, double width, bool bold) {
  std::string whole = clean(text);
  if (text_width(whole, size, bold) <= width) return whole;
  std::vector<std::size_t> ends{0};
  for (std::size_t at = 0; at < whole.size();)
    ends.push_back(at += character_length(std::string_view(whole).substr(at)));
  std::size_t fits = 0;
  std::size_t too_long = ends.size() - 1;
  while (fits + 1 < too_long) {
    const std::size_t middle = (fits + too_long) / 2;
    const bool ok = text_width(whole.substr(0, ends[middle]) + "…", size, bold) <= width;
    (ok ? fits : too_long) = middle;
  }
  return whole.substr(0, ends[fits]) + "…";
}

std::vector<std::string> wrapped(std::string_view text, double size, double width,
                                 std::size_t lines) {
  std::vector<std::string> result;
  std::string rest = clean(text);
  while (!rest.empty() && result.size() + 1 < lines && text_width(rest, size) > width) {
    std::size_t cut = 0;
    for (std::size_t at = rest.find(' '); at != std::string::npos; at = rest.find(' ', at + 1)) {
      if (text_width(rest.substr(0, at), size) > width) break;
      cut = at;
    }
    if (cut == 0) break;
    result.push_back(rest.substr(0, cut));
    rest.erase(0, cut + 1);
  }
  if (!rest.empty()) result.push_back(shortened(rest, size, width));
  return result;
}

}  // namespace mercer::picture
