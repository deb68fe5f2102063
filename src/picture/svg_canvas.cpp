#include "picture/svg_canvas.hpp"

#include <cmath>
#include <fmt/format.h>

#include "picture/base64.hpp"
#include "picture/cairo_canvas.hpp"
#include "picture/colours.hpp"
#include "picture/font.hpp"

namespace mercer::picture {

namespace {

// Two decimals are enough for any eye, and "-0" is 0.
std::string number(double value) {
  constexpr double decimals = 100;
  const double rounded = std::round(value * decimals) / decimals;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string opacity(const char* name, const Colour& c) {
  return c.a >= 1 ? "" : fmt::format(" {}=\"{}\"", name, number(c.a));
}

std::string path_of(std::span<const Spot> line, bool closed) {
  std::string d;
  for (const Spot& s : line)
    d += fmt::format("{}{},{}", d.empty() ? "M" : " ", number(s.x), number(s.y));
  return d + (closed ? "Z" : "");
}

std::string fill_of(const std::optional<Colour>& c) {
  return c ? fmt::format(" fill=\"{}\"{}", hex(*c), opacity("fill-opacity", *c)) : " fill=\"none\"";
}

std::string pen_of(const Pen& pen) {
  std::string text =
      fmt::format(" stroke=\"{}\"{}", hex(pen.colour), opacity("stroke-opacity", pen.colour));
  if (pen.width != 1) text += fmt::format(" stroke-width=\"{}\"", number(pen.width));
  if (!pen.dashes.empty()) {
    std::string dashes;
    for (const double d : pen.dashes) dashes += (dashes.empty() ? "" : " ") + number(d);
    text += fmt::format(" stroke-dasharray=\"{}\"", dashes);
  }
  return text;
}

}  // namespace

std::string xml(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

SvgCanvas::SvgCanvas(double width, double height, const std::string& title)
    : Canvas(width, height),
      text_(fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
          "{0} "
          "{1}\" role=\"img\" font-family=\"{2}, Verdana, sans-serif\" stroke-linejoin=\"round\">\n"
          "<title>{3}</title>\n",
          number(width), number(height), font_name, xml(clean(title)))) {}

void SvgCanvas::fill(std::span<const Spot> polygon, const Colour& colour) {
  text_ += fmt::format("<path d=\"{}\"{}/>\n", path_of(polygon, true), fill_of(colour));
}

void SvgCanvas::stroke(std::span<const Spot> line, const Pen& pen, bool closed) {
  text_ += fmt::format("<path d=\"{}\" fill=\"none\"{}/>\n", path_of(line, closed), pen_of(pen));
}

void SvgCanvas::circle(Spot centre, double radius, const std::optional<Colour>& inside,
                       const std::optional<Pen>& edge) {
  text_ +=
      fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}{}/>\n", number(centre.x),
                  number(centre.y), number(radius), fill_of(inside), edge ? pen_of(*edge) : "");
}

void SvgCanvas::image(const Box& box, const Image& image) {
  text_ += fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
      "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>\n",
      number(box.x), number(box.y), number(box.width), number(box.height), base64(png_of(image)));
}

void SvgCanvas::clip(const Box& box) {
  ++clips_;
  text_ += fmt::format(
      "<clipPath id=\"clip{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" "
      "height=\"{4}\"/></clipPath>\n"
      "<g clip-path=\"url(#clip{0})\">\n",
      clips_, number(box.x), number(box.y), number(box.width), number(box.height));
}

void SvgCanvas::unclip() { text_ += "</g>\n"; }

void SvgCanvas::begin(std::string_view name) {
  text_ += fmt::format("<g class=\"{}\">\n", xml(clean(name)));
}

void SvgCanvas::end() { text_ += "</g>\n"; }

void SvgCanvas::put_text(Spot at, const std::string& text, const TextStyle& style) {
  const char* anchor = style.anchor == Anchor::start    ? ""
                       : style.anchor == Anchor::middle ? " text-anchor=\"middle\""
                                                        : " text-anchor=\"end\"";
  const std::string turn =
      style.upwards ? fmt::format(" transform=\"rotate(-90 {} {})\"", number(at.x), number(at.y))
                    : "";
  text_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{}{}{}{}>{}</text>\n", number(at.x),
                       number(at.y), number(style.size), fill_of(style.colour), anchor,
                       style.bold ? " font-weight=\"bold\"" : "", turn, xml(text));
}

std::string SvgCanvas::finish() { return std::move(text_) + "</svg>\n"; }

}  // namespace mercer::picture
