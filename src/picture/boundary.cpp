#include "picture/boundary.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <mercer/error.hpp>
#include <nlohmann/json.hpp>

#include "picture/colours.hpp"
#include "picture/contour.hpp"
#include "picture/marks.hpp"
#include "select/truth.hpp"

namespace mercer::picture {

namespace {

// The rows that are drawn: all, or so many of them evenly.
std::vector<std::size_t> some_rows(std::size_t rows, std::size_t most) {
  std::vector<std::size_t> list;
  const std::size_t count = std::min(rows, most);
  for (std::size_t k = 0; k < count; ++k) list.push_back(k * rows / count);
  return list;
}

bool is_svm(const Model& model) {
  const auto training = nlohmann::json::parse(model.training, nullptr, false);
  if (!training.is_object() || training.value("learner", "") != "svm") return false;
  return training.value("problem", "") != "one class";
}

std::vector<LegendEntry> legend_of(const Boundary& b) {
  std::vector<LegendEntry> entries;
  using Kind = LegendEntry::Kind;
  const Pen edge{white, 0.8};
  for (std::size_t c = 0; c < b.names.size(); ++c)
    entries.push_back({Kind::mark, b.names[c], c, class_colour(c), edge});
  if (std::ranges::any_of(b.points, [](const auto& p) { return p.truth < 0 && !p.number; }))
    entries.push_back({Kind::mark, b.classes ? "class not known" : "data", 0, grey, edge});
  if (b.mistakes > 0)
    entries.push_back({Kind::cross,
                       fmt::format("mistaken ({} of {})", b.mistakes, b.labelled),
                       0,
                       {},
                       {black, 1.6}});
  if (!b.support.empty())
    entries.push_back(
        {Kind::ring, fmt::format("support vector ({})", b.support.size()), 0, {}, {black, 1}});
  if (b.classes && !b.score.empty()) entries.push_back({Kind::line, "boundary", 0, {}, {black, 2}});
  if (b.margins) entries.push_back({Kind::line, "margin", 0, {}, {black, 1.2, {5, 4}}});
  return entries;
}

std::pair<double, double> range_of(const Boundary& b) {
  double low = b.score.front();
  double high = low;
  for (const double v : b.score) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  for (const auto& p : b.points)
    if (p.number) {
      low = std::min(low, *p.number);
      high = std::max(high, *p.number);
    }
  if (!(high > low)) high = low + 1;
  return {low, high};
}

std::string note_of(const Boundary& b) {
  if (b.hidden == 0) return b.plane.note;
  return fmt::format("{}{}{} of {} points are drawn", b.plane.note,
                     b.plane.note.empty() ? "" : "; ", b.points.size(), b.points.size() + b.hidden);
}

void set_box(Boundary& b, double width, double height) {
  constexpr double margin = 16;
  const double title = title_room(note_of(b), width);
  const double plot_height = height - title - room_below - margin;
  const double left = room_at_left(b.plane.y, plot_height) + 6;
  const double right = b.classes ? legend_width(legend_of(b)) + margin : bar_room + margin;
  b.box = {left, title, width - left - right - margin / 2, plot_height};
  if (b.box.width < 80 || b.box.height < 80)
    throw Error("the picture is too small for its texts; give it a larger --size");
}

void set_points(Boundary& b, const Model& model, const Table& table, const PredictOptions& how) {
  constexpr std::size_t most = 5000;
  const auto drawn = some_rows(table.rows(), most);
  b.hidden = table.rows() - drawn.size();
  std::vector<std::int32_t> truth(table.rows(), -1);
  std::vector<bool> mistaken(table.rows());
  if (b.classes && !table.labels.empty()) {
    const select::ClassFinder known(model.classes);
    const Prediction p = predict(model, table.points, how);
    for (std::size_t i = 0; i < table.rows(); ++i) {
      truth[i] = known(table.labels.text(i)).value_or(-1);
      ++b.labelled;
      mistaken[i] = p.classes[i] != truth[i];
      if (mistaken[i]) ++b.mistakes;
    }
  }
  std::vector<double> row(table.columns());
  for (const std::size_t i : drawn) {
    table.points.row(i, std::span(row));
    BoundaryPoint point{b.plane.of(row), truth[i], std::nullopt, mistaken[i]};
    if (!b.classes && !table.labels.numbers.empty()) point.number = table.labels.numbers[i];
    b.points.push_back(point);
  }
}

// Scores at the middle of all cells, some rows of them at a time.
void set_field(Boundary& b, const Model& model, const PredictOptions& how) {
  const std::size_t d = b.plane.origin.size();
  // Cells of two pixels, or of more where that would take long.
  const auto support = static_cast<double>(model.kernel ? model.support.rows() : 1);
  constexpr double much = 4e9;  // products of coordinates
  double pixels = 2;
  while (pixels < 8 &&
         b.box.width * b.box.height / (pixels * pixels) * support * static_cast<double>(d) > much)
    pixels *= 2;
  b.columns = static_cast<std::size_t>(std::max(2.0, std::round(b.box.width / pixels)));
  b.rows = static_cast<std::size_t>(std::max(2.0, std::round(b.box.height / pixels)));
  constexpr std::size_t most_numbers = std::size_t{1} << 22U;
  const std::size_t at_once = std::clamp<std::size_t>(most_numbers / (d * b.columns), 1, b.rows);
  const bool one = model.scheme == Model::Scheme::one;
  for (std::size_t from = 0; from < b.rows; from += at_once) {
    const std::size_t count = std::min(at_once, b.rows - from);
    Matrix x = Matrix::zeros(count * b.columns, d);
    for (std::size_t k = 0; k < x.rows; ++k) {
      const std::size_t row = from + k / b.columns;
      const double right =
          (static_cast<double>(k % b.columns) + 0.5) / static_cast<double>(b.columns);
      const double down = (static_cast<double>(row) + 0.5) / static_cast<double>(b.rows);
      const double s = b.plane.x.low + right * (b.plane.x.high - b.plane.x.low);
      const double t = b.plane.y.high - down * (b.plane.y.high - b.plane.y.low);
      for (std::size_t j = 0; j < d; ++j)
        x(k, j) = b.plane.origin[j] + s * b.plane.u[j] + t * b.plane.v[j];
    }
    const Prediction p = predict(model, std::move(x).points(), how);
    b.class_at.insert(b.class_at.end(), p.classes.begin(), p.classes.end());
    if (one) b.score.insert(b.score.end(), p.scores.values.begin(), p.scores.values.end());
  }
}

// Of models with one score: a strong colour where it is large, and the margins are within.
double score_share(const Boundary& b, double score) {
  constexpr double large = 2;
  return std::min(1.0, std::abs(score) / (b.margins ? large : 1));
}

void draw_lines(Canvas& canvas, const Boundary& b, double level, const Pen& pen) {
  const double across = b.box.width / static_cast<double>(b.columns);
  const double down = b.box.height / static_cast<double>(b.rows);
  for (auto& line : contours(b.score, b.columns, level)) {
    for (Spot& s : line) s = {b.box.x + (s.x + 0.5) * across, b.box.y + (s.y + 0.5) * down};
    canvas.stroke(line, pen);
  }
}

}  // namespace

Boundary boundary(const Model& model, const Table& table, const BoundaryOptions& options) {
  if (table.rows() == 0) throw Error("there are no rows to show");
  Boundary b;
  b.title = "What " + options.name + " says";
  b.classes = model.task == Model::Task::classification;
  b.names = model.classes;
  b.plane = plane_of(model.encoding, table, options.columns);
  if (!b.classes && !table.labels.empty() && table.labels.numbers.empty())
    throw Error("the label " + table.labels.text(0) + " is text, and the model predicts numbers");
  set_points(b, model, table, options.predict);
  b.margins =
      b.classes && model.scheme == Model::Scheme::one && model.calibration.empty() && is_svm(model);
  if (b.margins && model.kernel)
    for (std::size_t i = 0; i < model.support.rows(); ++i) {
      std::vector<double> row(model.support.columns());
      model.support.row(i, std::span(row));
      row.resize(b.plane.origin.size());
      b.support.push_back(b.plane.of(row));
    }
  // The legend tells of a boundary that is computed only now.
  if (model.scheme == Model::Scheme::one) b.score.assign(1, 0);
  set_box(b, options.width, options.height);
  b.score.clear();
  set_field(b, model, options.predict);
  return b;
}

Colour region_colour(const Boundary& b, std::size_t cell) {
  if (!b.classes) {
    const auto [low, high] = range_of(b);
    return value_colour((b.score[cell] - low) / (high - low));
  }
  const Colour full = class_colour(static_cast<std::size_t>(b.class_at[cell]));
  if (b.score.empty()) return mixed(white, full, 0.36);
  return mixed(white, full, 0.16 + 0.34 * score_share(b, b.score[cell]));
}

void draw(Canvas& canvas, const Boundary& b) {
  draw_title(canvas, b.title, note_of(b));

  const auto range = b.classes ? std::pair(0.0, 1.0) : range_of(b);
  canvas.begin("regions");
  Image image{b.columns, b.rows, {}};
  image.pixels.reserve(b.columns * b.rows);
  for (std::size_t k = 0; k < b.columns * b.rows; ++k)
    image.pixels.push_back(
        b.classes ? region_colour(b, k)
                  : value_colour((b.score[k] - range.first) / (range.second - range.first)));
  canvas.image(b.box, image);
  canvas.end();

  Axis x = b.plane.x;
  Axis y = b.plane.y;
  x.grid = y.grid = false;
  canvas.clip(b.box);
  canvas.begin("boundary");
  if (b.classes && !b.score.empty()) {
    if (b.margins)
      for (const double level : {-1.0, 1.0}) draw_lines(canvas, b, level, {black, 1.2, {5, 4}});
    draw_lines(canvas, b, 0, {black, 2});
  }
  if (!b.classes) {
    constexpr std::size_t lines = 8;
    Axis values{"", range.first, range.second};
    for (const auto& t : ticks_of(values, lines))
      draw_lines(canvas, b, t.value, {{1, 1, 1, 0.6}, 1});
  }
  canvas.end();
  const double radius = b.points.size() <= 300 ? 4.5 : b.points.size() <= 1500 ? 3.4 : 2.4;
  constexpr std::size_t many = 200;
  const Pen ring = b.support.size() > many ? Pen{{0, 0, 0, 0.5}, 0.7} : Pen{black, 1};
  canvas.begin("support");
  for (const Spot& s : b.support)
    canvas.circle(place(b.box, x, y, s.x, s.y), radius + 2.4, std::nullopt, ring);
  canvas.end();
  canvas.begin("points");
  for (const auto& p : b.points) {
    const Spot at = place(b.box, x, y, p.at.x, p.at.y);
    const auto c = static_cast<std::size_t>(std::max(p.truth, 0));
    const Colour inside =
        p.number      ? value_colour((*p.number - range.first) / (range.second - range.first))
        : p.truth < 0 ? grey
                      : class_colour(c);
    draw_mark(canvas, at, p.truth < 0 ? 0 : c, radius, inside, {p.number ? black : white, 0.8});
  }
  canvas.end();
  canvas.begin("mistakes");
  for (const auto& p : b.points)
    if (p.mistaken)
      draw_cross(canvas, place(b.box, x, y, p.at.x, p.at.y), radius + 0.5, {black, 1.6});
  canvas.end();
  canvas.unclip();
  draw_axes(canvas, b.box, x, y);
  const double right = b.box.right() + 16;
  if (b.classes) {
    draw_legend(canvas, {right, b.box.y, canvas.width() - right, b.box.height}, legend_of(b));
  } else {
    draw_bar(canvas, {right, b.box.y + 16, 16, b.box.height - 16}, {"", range.first, range.second},
             value_colour, 0, 1);
  }
}

}  // namespace mercer::picture
