#include "picture/axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "picture/colours.hpp"

namespace mercer::picture {

namespace {

constexpr double label_size = 11;
constexpr double name_size = 13;
constexpr double gap = 5;  // between a tick and its text

// 1e-8, not 1e-08: beside each other on an axis, 1.0e6 and not 1.0e+06.
std::string with_exponent(double value, int digits) {
  std::string text = fmt::format("{:.{}e}", value, digits);
  const std::size_t e = text.find('e') + 1;
  std::size_t zeros = e + 1;
  while (zeros + 1 < text.size() && text[zeros] == '0') ++zeros;
  return text.substr(0, e) + (text[e] == '-' ? "-" : "") + text.substr(zeros);
}

// Of numbers that are all multiples of a step.
std::string tick_text(double value, double step, double largest) {
  constexpr double huge = 1e6;
  constexpr double tiny = 1e-4;
  if (std::abs(value) < step / 1e6) return "0";
  if (largest >= huge || step < tiny) {
    const double digits = std::floor(std::log10(std::abs(value))) - std::floor(std::log10(step));
    return with_exponent(value, static_cast<int>(std::clamp(digits, 0.0, 15.0)));
  }
  const int decimals = static_cast<int>(std::max(0.0, -std::floor(std::log10(step) + 1e-9)));
  return fmt::format("{:.{}f}", value, decimals);
}

// A power of ten, or 2 and 5 times one.
std::string log_text(double value) {
  constexpr double plain = 4;
  if (std::abs(std::log10(value)) <= plain) return fmt::format("{:.6g}", value);
  return with_exponent(value, 0);
}

std::vector<Tick> log_ticks(const Axis& axis, std::size_t most) {
  const double low = axis.low * (1 - 1e-9);
  const double high = axis.high * (1 + 1e-9);
  const auto first = static_cast<int>(std::floor(std::log10(axis.low)));
  const auto last = static_cast<int>(std::ceil(std::log10(axis.high)));
  const auto with = [&](std::initializer_list<double> digits, int step) {
    std::vector<Tick> ticks;
    for (int e = first; e <= last; ++e) {
      if ((e % step + step) % step != 0) continue;
      for (const double d : digits) {
        const double v = d * std::pow(10.0, e);
        if (v >= low && v <= high) ticks.push_back({v, log_text(v)});
      }
    }
    return ticks;
  };
  std::vector<Tick> best = with({1, 2, 5}, 1);
  if (best.size() <= most) return best;
  for (int step = 1;; ++step) {
    best = with({1}, step);
    if (best.size() <= most) return best;
  }
}

std::vector<Tick> multiples(const Axis& axis, double step, std::size_t most) {
  const double low = axis.low * axis.scale + axis.center;
  const double high = axis.high * axis.scale + axis.center;
  std::vector<Tick> ticks;
  const double slack = step * 1e-9;
  const double largest = std::max(std::abs(low), std::abs(high));
  for (double k = std::ceil((low - slack) / step); k * step <= high + slack; ++k) {
    const double shown = k * step;
    ticks.push_back({(shown - axis.center) / axis.scale, tick_text(shown, step, largest)});
    if (ticks.size() > most + 1) break;  // numbers so close that steps are lost in rounding
  }
  return ticks;
}

std::vector<Tick> plain_ticks(const Axis& axis, std::size_t most) {
  const double rough =
      (axis.high - axis.low) * axis.scale / static_cast<double>(std::max<std::size_t>(most, 1));
  if (!(rough > 0) || !std::isfinite(rough)) return {};
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  double finer = 5 * power;
  for (const double digit : {5.0, 2.0, 1.0}) {
    if (digit * power < rough * (1 - 1e-9)) break;
    step = digit * power;
    finer = digit == 5 ? 2 * power : step / 2;
  }
  if (axis.whole) step = std::max(step, 1.0);
  std::vector<Tick> ticks = multiples(axis, step, most);
  // One alone says where something is, but not how large anything is.
  if (ticks.size() > 1 || (axis.whole && finer < 1)) return ticks;
  auto more = multiples(axis, finer, most);
  return more.size() <= most + 1 ? more : ticks;
}

std::vector<Tick> vertical_ticks(const Axis& y, double height) {
  constexpr double apart = 34;
  if (!y.ticks.empty()) return y.ticks;
  return ticks_of(y, static_cast<std::size_t>(std::max(2.0, height / apart)));
}

double widest(const std::vector<Tick>& ticks) {
  double width = 0;
  for (const auto& t : ticks) width = std::max(width, text_width(t.text, label_size));
  return width;
}

// As many ticks as have room beside each other.
std::vector<Tick> horizontal_ticks(const Axis& x, double width) {
  if (!x.ticks.empty()) return x.ticks;
  constexpr double between = 12;
  for (std::size_t most = 12; most > 2; --most) {
    auto ticks = ticks_of(x, most);
    if (static_cast<double>(ticks.size()) * (widest(ticks) + between) <= width) return ticks;
  }
  return ticks_of(x, 2);
}

// Texts that were given may be too many or too long: those that fit are shown.
std::vector<bool> shown_texts(const std::vector<Tick>& ticks, const Axis& axis, const Box& box,
                              bool upright) {
  std::vector<bool> shown;
  double before = 0;  // the last text that is shown, and half of its length
  double before_half = -1;
  for (const auto& t : ticks) {
    const double at = upright ? position(axis, t.value, box.bottom(), box.y)
                              : position(axis, t.value, box.x, box.right());
    const double half = upright ? label_size / 2 + 1 : text_width(t.text, label_size) / 2 + 3;
    shown.push_back(before_half < 0 || std::abs(at - before) >= before_half + half);
    if (!shown.back()) continue;
    before = at;
    before_half = half;
  }
  return shown;
}

}  // namespace

double position(const Axis& axis, double value, double from, double to) {
  const auto on = [&](double v) { return axis.log ? std::log(v) : v; };
  return from + (on(value) - on(axis.low)) / (on(axis.high) - on(axis.low)) * (to - from);
}

std::vector<Tick> ticks_of(const Axis& axis, std::size_t most) {
  if (!axis.log) return plain_ticks(axis, most);
  auto ticks = log_ticks(axis, most);
  return ticks.size() > 1 ? ticks : plain_ticks(axis, most);
}

Axis axis_around(std::string name, double least, double largest, double more) {
  double room = (largest - least) * more;
  // Values that are all the same, or as good as.
  const double size = std::max(std::abs(least), std::abs(largest));
  if (!(largest - least > size * 1e-12)) room = size > 0 ? size * 0.1 : 1;
  Axis axis;
  axis.name = std::move(name);
  axis.low = least - room;
  axis.high = largest + room;
  return axis;
}

double room_at_left(const Axis& y, double height) {
  const double most = 150;
  return std::min(widest(vertical_ticks(y, height)), most) + gap + 8 +
         (y.name.empty() ? 0 : name_size + 10);
}

void draw_axes(Canvas& canvas, const Box& box, const Axis& x, const Axis& y) {
  canvas.begin("axes");
  const Pen thin{ink, 1};
  const Pen faint{{0, 0, 0, 0.08}, 1};
  constexpr double length = 4;
  const auto across = horizontal_ticks(x, box.width);
  const auto across_shown = shown_texts(across, x, box, false);
  for (std::size_t i = 0; i < across.size(); ++i) {
    const double at = position(x, across[i].value, box.x, box.right());
    if (x.grid) canvas.line({at, box.y}, {at, box.bottom()}, faint);
    canvas.line({at, box.bottom()}, {at, box.bottom() + length}, thin);
    if (across_shown[i])
      canvas.text({at, box.bottom() + length + gap + 8}, across[i].text,
                  {label_size, Anchor::middle});
  }
  const auto up = vertical_ticks(y, box.height);
  const auto up_shown = shown_texts(up, y, box, true);
  constexpr double most = 150;
  for (std::size_t i = 0; i < up.size(); ++i) {
    const double at = position(y, up[i].value, box.bottom(), box.y);
    if (y.grid) canvas.line({box.x, at}, {box.right(), at}, faint);
    canvas.line({box.x - length, at}, {box.x, at}, thin);
    if (up_shown[i])
      canvas.text({box.x - length - gap, at + label_size * 0.36},
                  shortened(up[i].text, label_size, most), {label_size, Anchor::end});
  }
  canvas.stroke(std::array<Spot, 4>{{{box.x, box.y},
                                     {box.right(), box.y},
                                     {box.right(), box.bottom()},
                                     {box.x, box.bottom()}}},
                thin, true);
  canvas.text({box.x + box.width / 2, box.bottom() + room_below - 7},
              shortened(x.name, name_size, box.width), {name_size, Anchor::middle});
  TextStyle upwards{name_size, Anchor::middle};
  upwards.upwards = true;
  canvas.text({box.x - room_at_left(y, box.height) + name_size, box.y + box.height / 2},
              shortened(y.name, name_size, box.height), upwards);
  canvas.end();
}

}  // namespace mercer::picture
