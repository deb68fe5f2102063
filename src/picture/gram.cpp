#include "picture/gram.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>
#include <numeric>

#include "base/text.hpp"
#include "numeric/eigen.hpp"
#include "picture/axes.hpp"
#include "picture/colours.hpp"
#include "picture/marks.hpp"

namespace mercer::picture {

namespace {

constexpr std::size_t most_groups = 50;

// Rows by class, or as they stand.
std::vector<std::size_t> ordered_rows(const Table& table, GramPicture& g) {
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), 0);
  if (table.labels.empty()) return rows;
  const Classes classes = classes_of(table.labels);
  if (classes.names.size() > most_groups) {  // numbers to be predicted: in their order
    std::ranges::stable_sort(rows, {}, [&](std::size_t i) { return table.labels.numbers[i]; });
    return rows;
  }
  std::ranges::stable_sort(rows, {}, [&](std::size_t i) { return classes.codes[i]; });
  for (std::size_t c = 0; c < classes.names.size(); ++c)
    g.groups.emplace_back(classes.names[c], classes.counts[c]);
  return rows;
}

void draw_spectrum(Canvas& canvas, const Box& box, const GramPicture& g) {
  double largest = 0;
  for (const double v : g.eigenvalues) largest = std::max(largest, std::abs(v));
  if (largest == 0) largest = 1;
  const double zero = g.rounding;
  double least = largest;
  std::size_t negative = 0;
  std::size_t none = 0;
  for (const double v : g.eigenvalues) {
    if (std::abs(v) > zero) least = std::min(least, std::abs(v));
    if (v < -zero) ++negative;
    if (std::abs(v) <= zero) ++none;
  }
  constexpr double room = 1.6;
  Axis y{"eigenvalue", least / room, largest * room, true};
  Axis x{"number", 1, static_cast<double>(std::max<std::size_t>(g.n, 2))};
  x.whole = true;
  x.log = g.n > 40;
  if (x.log) {
    x.low = 0.85;
    x.high *= 1.15;
  } else {
    x.low = 0.5;
    x.high += 0.5;
  }
  draw_axes(canvas, box, x, y);
  canvas.clip({box.x - 4, box.y - 4, box.width + 8, box.height + 8});
  canvas.begin("spectrum");
  const double radius = g.n > 100 ? 2.2 : 3.2;
  for (std::size_t i = 0; i < g.eigenvalues.size(); ++i) {
    const double v = g.eigenvalues[i];
    if (std::abs(v) <= zero) continue;
    const bool below = v < 0;
    draw_mark(canvas, place(box, x, y, static_cast<double>(i + 1), std::abs(v)), below ? 4 : 0,
              radius, class_colour(below ? 1 : 0), {white, 0.4});
  }
  canvas.end();
  canvas.unclip();
  std::string text = negative == 0 ? "all ≥ 0" : fmt::format("{} below 0 (▼)", negative);
  if (none > 0) text += fmt::format(", {} ≈ 0", none);
  canvas.text({box.x, box.y - 8}, shortened(text, 11, box.width + 10),
              {11, Anchor::start, negative == 0 ? grey : class_colour(1)});
}

}  // namespace

GramPicture gram_picture(const Kernel& k, const Table& table, std::size_t most_rows,
                         unsigned threads) {
  if (table.rows() == 0) throw Error("there are no rows to show");
  GramPicture g;
  std::vector<std::size_t> rows = ordered_rows(table, g);
  const std::size_t all = rows.size();
  if (all > most_rows) {
    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < most_rows; ++i) taken.push_back(rows[i * all / most_rows]);
    rows = std::move(taken);
    if (!g.groups.empty()) {
      const Classes classes = classes_of(table.labels);
      for (auto& group : g.groups) group.second = 0;
      for (const std::size_t i : rows)
        ++g.groups[static_cast<std::size_t>(classes.codes[i])].second;
    }
  }
  std::erase_if(g.groups, [](const auto& group) { return group.second == 0; });
  g.n = rows.size();
  GramOptions how;
  how.precision = GramOptions::Precision::float64;
  how.storage = GramOptions::Storage::recomputed;
  how.threads = threads;
  const Points x = table.points.select(rows);
  const Gram gram(k, x, x, how);
  g.values.resize(g.n * g.n);
  gram.block(Rows::all(), Rows::all(), g.values.data(), g.n);
  std::vector<double> half(g.values.size());
  double size = 0;
  for (std::size_t i = 0; i < g.n; ++i)
    for (std::size_t j = 0; j < g.n; ++j) {
      const double a = g.values[i * g.n + j];
      const double b = g.values[j * g.n + i];
      g.asymmetry = std::max(g.asymmetry, std::abs(a - b));
      size = std::max(size, std::abs(a));
      half[i * g.n + j] = a / 2 + b / 2;
    }
  if (g.asymmetry <= size * 1e-10) g.asymmetry = 0;
  g.eigenvalues = numeric::eigen(half.data(), g.n, {threads, {}}).values;
  std::ranges::reverse(g.eigenvalues);
  g.rounding = std::max(std::abs(g.eigenvalues.front()), std::abs(g.eigenvalues.back())) *
               static_cast<double>(g.n) * std::numeric_limits<double>::epsilon();
  g.title = "Gram matrix of " + k.text();
  g.note = all > g.n ? fmt::format("{} of {} rows, evenly taken", g.n, all) : counted(g.n, "row");
  if (!g.groups.empty()) {
    g.note +=
        fmt::format(", ordered by {}", table.labels.name.empty() ? "class" : table.labels.name);
  } else if (!table.labels.empty()) {
    g.note += ", ordered by label";
  }
  if (g.asymmetry > 0)
    g.note += fmt::format(
        "; not symmetric (by up to {:.3g}): the eigenvalues are those of (K + Kᵀ)/2", g.asymmetry);
  return g;
}

void draw(Canvas& canvas, const GramPicture& g) {
  const double top = draw_title(canvas, g.title, g.note) + 22;
  Axis rows{"", 0, static_cast<double>(g.n)};
  rows.grid = false;
  rows.whole = true;
  if (!g.groups.empty()) {
    double before = 0;
    for (const auto& [name, count] : g.groups) {
      const auto size = static_cast<double>(count);
      rows.ticks.push_back({before + size / 2, name});
      before += size;
    }
  }
  Axis down = rows;  // its first row is at the top
  std::swap(down.low, down.high);
  if (down.ticks.empty()) down.ticks = ticks_of(rows, 6);
  constexpr double margin = 16;
  const double left = room_at_left(down, 300) + margin;
  const double spectrum_left = 66;
  const double side = std::min({canvas.height() - top - room_below - margin,
                                (canvas.width() - left - bar_room - spectrum_left) * 0.66});
  if (side < 80) throw Error("the picture is too small for its texts; give it a larger --size");
  const Box box{left, top, side, side};

  const auto [least, largest] = std::ranges::minmax(g.values);
  const bool signs = least < 0 && largest > 0;
  const double size = std::max(-least, largest);
  const double low = least;
  const double high = largest > least ? largest : least + 1;
  Image image{g.n, g.n, {}};
  image.pixels.reserve(g.n * g.n);
  for (const double v : g.values)
    image.pixels.push_back(signs ? signed_colour(v / size)
                                 : value_colour((v - low) / (high - low)));
  canvas.begin("matrix");
  canvas.image(box, image);
  double before = 0;
  for (std::size_t c = 0; c + 1 < g.groups.size(); ++c) {
    before += static_cast<double>(g.groups[c].second);
    const double at = before / static_cast<double>(g.n) * side;
    const Pen pen{signs ? black : white, 1};
    canvas.line({box.x + at, box.y}, {box.x + at, box.bottom()}, pen);
    canvas.line({box.x, box.y + at}, {box.right(), box.y + at}, pen);
  }
  canvas.end();
  draw_axes(canvas, box, rows, down);
  draw_bar(canvas, {box.right() + 14, box.y, 14, side}, {"", low, high},
           signs ? signed_colour : value_colour, signs ? low / size : 0, signs ? high / size : 1);
  const double x = box.right() + bar_room + spectrum_left;
  draw_spectrum(canvas, {x, box.y, canvas.width() - x - margin, side}, g);
}

}  // namespace mercer::picture
