// The one font of all pictures.
#pragma once

#include <cairo.h>

namespace mercer::picture {

inline constexpr const char* font_name = "DejaVu Sans";

void choose_font(cairo_t* cr, double size, bool bold);

}  // namespace mercer::picture
