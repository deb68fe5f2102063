#include "picture/roc.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <mercer/error.hpp>
#include <mercer/metrics.hpp>
#include <numeric>

#include "picture/axes.hpp"
#include "picture/colours.hpp"
#include "picture/marks.hpp"
#include "select/truth.hpp"

namespace mercer::picture {

std::optional<RocCurve> roc_curve(std::span<const double> merits, std::span<const bool> positive) {
  const auto area = auc(merits, positive);
  if (!area) return std::nullopt;
  RocCurve curve{"", *area, {{0, 0}}};
  std::vector<std::size_t> order(merits.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return merits[a] > merits[b]; });
  const auto up = static_cast<double>(std::ranges::count(positive, true));
  const auto down = static_cast<double>(merits.size()) - up;
  double found = 0;
  double mistaken = 0;
  for (std::size_t k = 0; k < order.size();) {
    const double merit = merits[order[k]];
    for (; k < order.size() && merits[order[k]] == merit; ++k)
      (positive[order[k]] ? found : mistaken) += 1;
    const Spot corner{mistaken / down, found / up};
    // On the way up or to the right, only the corners matter.
    auto& all = curve.corners;
    if (all.size() > 1) {
      const Spot& a = all[all.size() - 2];
      const Spot& b = all.back();
      if ((a.x == b.x && b.x == corner.x) || (a.y == b.y && b.y == corner.y)) all.pop_back();
    }
    all.push_back(corner);
  }
  return curve;
}

Roc roc(const Model& model, const Table& table, const PredictOptions& options) {
  if (model.task != Model::Task::classification)
    throw Error("the model predicts numbers: a ROC curve is about classes");
  if (table.labels.empty()) throw Error("there are no labels: a ROC curve needs the truth");
  const Matrix ranks = merits(model, predict(model, table.points, options));
  const select::ClassFinder known(model.classes);
  std::vector<std::size_t> rows;
  std::vector<std::int32_t> truth;
  for (std::size_t i = 0; i < table.rows(); ++i)
    if (const auto c = known(table.labels.text(i))) {
      rows.push_back(i);
      truth.push_back(*c);
    }
  if (rows.empty())
    throw Error("no label is a class of the model: the first one is " + table.labels.text(0));
  Roc r;
  const std::size_t classes = model.classes.size();
  const auto positive = std::make_unique<bool[]>(rows.size());  // NOLINT: std::vector<bool> is none
  std::vector<double> of(rows.size());
  std::vector<std::string> missing;
  for (std::size_t c = classes == 2 ? 1 : 0; c < classes; ++c) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto merit = ranks.row(rows[k]);
      of[k] = merit.size() == 1 ? merit[0] : classes == 2 ? merit[1] - merit[0] : merit[c];
      positive[k] = truth[k] == static_cast<std::int32_t>(c);
    }
    auto curve = roc_curve(of, {positive.get(), rows.size()});
    if (!curve) {
      missing.push_back(model.classes[c]);
      continue;
    }
    curve->name = model.classes[c];
    r.curves.push_back(std::move(*curve));
  }
  if (r.curves.empty())
    throw Error("the labels are all of one side: a ROC curve needs rows of both");
  r.note = classes == 2 ? fmt::format("{} against {}, {} rows", model.classes[1], model.classes[0],
                                      rows.size())
                        : fmt::format("each class against the rest, {} rows", rows.size());
  if (rows.size() < table.rows())
    r.note += fmt::format("; {} rows with labels unknown to the model are left out",
                          table.rows() - rows.size());
  if (!missing.empty()) r.note += fmt::format("; no rows of {}", fmt::join(missing, ", "));
  return r;
}

void draw(Canvas& canvas, const Roc& r) {
  const double top = draw_title(canvas, r.title, r.note) + 6;
  std::vector<LegendEntry> entries;
  const bool several = r.curves.size() > 1;
  for (std::size_t k = 0; k < r.curves.size(); ++k) {
    Pen pen{class_colour(k), 2};
    if (k >= 8) pen.dashes = {6, 3};
    entries.push_back({LegendEntry::Kind::line,
                       (several ? shortened(r.curves[k].name, 12, 90) + ": " : std::string()) +
                           fmt::format("AUC {:.4f}", r.curves[k].auc),
                       0,
                       {},
                       pen});
  }
  entries.push_back({LegendEntry::Kind::line, "chance", 0, {}, {grey, 1, {4, 4}}});
  Axis x{"false positive rate", 0, 1};
  Axis y{"true positive rate", 0, 1};
  constexpr double margin = 16;
  const double left = room_at_left(y, 400) + 6;
  const double side = std::min(canvas.height() - top - room_below - margin,
                               canvas.width() - left - legend_width(entries) - 2 * margin);
  if (side < 80) throw Error("the picture is too small for its texts; give it a larger --size");
  const Box box{left, top, side, side};
  draw_axes(canvas, box, x, y);
  canvas.line({box.x, box.bottom()}, {box.right(), box.y}, {grey, 1, {4, 4}});
  canvas.begin("curves");
  for (std::size_t k = 0; k < r.curves.size(); ++k) {
    std::vector<Spot> line;
    for (const Spot& s : r.curves[k].corners) line.push_back(place(box, x, y, s.x, s.y));
    canvas.stroke(line, entries[k].pen);
  }
  canvas.end();
  draw_legend(canvas, {box.right() + margin, box.y, canvas.width(), box.height}, entries);
}

}  // namespace mercer::picture
