#include "picture/write.hpp"

#include <algorithm>
#include <cctype>
#include <mercer/error.hpp>

#include "data/sink.hpp"
#include "picture/cairo_canvas.hpp"
#include "picture/colours.hpp"
#include "picture/svg_canvas.hpp"

namespace mercer::picture {

namespace {

void draw_on(Canvas& canvas, const Drawing& drawing) {
  canvas.fill(Box{0, 0, drawing.width, drawing.height}, white);
  drawing.draw(canvas);
}

}  // namespace

Format format_of(const std::string& path) {
  std::string name = path;
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name.ends_with(".png")) return Format::png;
  if (name.ends_with(".svg")) return Format::svg;
  if (name.ends_with(".pdf")) return Format::pdf;
  throw Error(path + ": a picture is written as .png, .svg or .pdf, told by the end of its name");
}

std::string rendered(const Drawing& drawing, Format format) {
  if (format == Format::svg) {
    SvgCanvas canvas(drawing.width, drawing.height, drawing.title);
    draw_on(canvas, drawing);
    return canvas.finish();
  }
  CairoCanvas canvas(format == Format::png ? CairoCanvas::Kind::png : CairoCanvas::Kind::pdf,
                     drawing.width, drawing.height);
  draw_on(canvas, drawing);
  return canvas.finish();
}

Image pixels_of(const Drawing& drawing) {
  CairoCanvas canvas(CairoCanvas::Kind::png, drawing.width, drawing.height);
  draw_on(canvas, drawing);
  return canvas.pixels();
}

void write_picture(const std::string& path, const Drawing& drawing) {
  const std::string bytes = rendered(drawing, format_of(path));
  data::FileSink file(path, false);
  file.text = bytes;
  file.flush();
  file.commit();
}

}  // namespace mercer::picture
