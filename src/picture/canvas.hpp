// What pictures are drawn on: a sheet of so many pixels, x to the right and y downwards, the same
// for every format.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::picture {

struct Colour {  // each in [0, 1]
  double r = 0;
  double g = 0;
  double b = 0;
  double a = 1;
  bool operator==(const Colour&) const = default;
};

struct Spot {
  double x = 0;
  double y = 0;
};

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  [[nodiscard]] double right() const { return x + width; }
  [[nodiscard]] double bottom() const { return y + height; }
};

struct Pen {
  Colour colour;
  double width = 1;
  std::vector<double> dashes = {};
};

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 12;
  Anchor anchor = Anchor::start;
  Colour colour = {0.13, 0.13, 0.13};
  bool bold = false;
  bool upwards = false;  // turned by a quarter, read from below
};

// Pixels row by row from the top.
struct Image {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<Colour> pixels;  // opaque
  Colour& at(std::size_t x, std::size_t y) { return pixels[y * width + x]; }
};

class Canvas {
 public:
  Canvas(double width, double height) : width_(width), height_(height) {}
  virtual ~Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return height_; }

  virtual void fill(std::span<const Spot> polygon, const Colour& colour) = 0;
  virtual void stroke(std::span<const Spot> line, const Pen& pen, bool closed = false) = 0;
  virtual void circle(Spot centre, double radius, const std::optional<Colour>& inside,
                      const std::optional<Pen>& edge) = 0;
  // Its pixels stay sharp.
  virtual void image(const Box& box, const Image& image) = 0;
  // Until `unclip`, nothing is drawn outside of the box.
  virtual void clip(const Box& box) = 0;
  virtual void unclip() = 0;
  // What follows until `end` belongs together; a format that can say so does.
  virtual void begin(std::string_view name) = 0;
  virtual void end() = 0;

  // At its baseline. Bytes that are no UTF-8 are replaced.
  void text(Spot at, std::string_view text, const TextStyle& style);

  void fill(const Box& box, const Colour& colour);
  void line(Spot a, Spot b, const Pen& pen);

 private:
  virtual void put_text(Spot at, const std::string& text, const TextStyle& style) = 0;

  double width_;
  double height_;
};

// In pixels, as the font of all pictures has it.
double text_width(std::string_view text, double size, bool bold = false);
// As much of it as fits, with … where something is missing.
std::string shortened(std::string_view text, double size, double width, bool bold = false);
// In lines that fit, at most so many; the last one is shortened.
std::vector<std::string> wrapped(std::string_view text, double size, double width,
                                 std::size_t lines);
// Valid UTF-8 without control characters.
std::string clean(std::string_view text);

}  // namespace mercer::picture
