// From a drawing to the bytes of a file.
#pragma once

#include <functional>
#include <string>

#include "picture/canvas.hpp"

namespace mercer::picture {

enum class Format { png, svg, pdf };

// By the ending of the name. Throws Error for another one.
Format format_of(const std::string& path);

struct Drawing {
  double width = 800;
  double height = 600;
  std::string title;
  std::function<void(Canvas&)> draw;
};

std::string rendered(const Drawing& drawing, Format format);
// As pixels, for terminals.
Image pixels_of(const Drawing& drawing);

// The file is there as a whole or not at all. Throws Error.
void write_picture(const std::string& path, const Drawing& drawing);

}  // namespace mercer::picture
