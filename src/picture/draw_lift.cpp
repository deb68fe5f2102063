// How a lift is seen: a box in space, turned and tilted, with a little perspective.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <numeric>

#include "picture/axes.hpp"
#include "picture/colours.hpp"
#include "picture/lift.hpp"
#include "picture/marks.hpp"

namespace mercer::picture {

namespace {

using Triple = std::array<double, 3>;

double dot(const Triple& a, const Triple& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Each coordinate of the box is in [-1, 1].
class View {
 public:
  View(const Box& box, double turn, double tilt) {
    const double t = turn * std::numbers::pi / 180;
    const double e = tilt * std::numbers::pi / 180;
    towards_ = {std::cos(e) * std::cos(t), std::cos(e) * std::sin(t), std::sin(e)};
    right_ = {-std::sin(t), std::cos(t), 0};
    up_ = {-std::sin(e) * std::cos(t), -std::sin(e) * std::sin(t), std::cos(e)};
    scale_ = std::min(box.width, box.height) / 3.55;
    middle_ = {box.x + box.width / 2, box.y + box.height / 2};
  }

  [[nodiscard]] Spot spot(const Triple& p) const {
    const double near = distance / (distance - dot(p, towards_));
    return {middle_.x + scale_ * near * dot(p, right_), middle_.y - scale_ * near * dot(p, up_)};
  }
  [[nodiscard]] double depth(const Triple& p) const { return dot(p, towards_); }
  [[nodiscard]] Triple eye() const {
    return {towards_[0] * distance, towards_[1] * distance, towards_[2] * distance};
  }
  [[nodiscard]] Spot middle() const { return middle_; }

 private:
  static constexpr double distance = 9;
  Triple towards_;
  Triple right_;
  Triple up_;
  double scale_;
  Spot middle_;
};

struct Space {
  std::array<Axis, 3> axes;
  [[nodiscard]] Triple in_box(const Triple& p) const {
    Triple r{};
    for (std::size_t c = 0; c < 3; ++c) r[c] = position(axes[c], p[c], -1, 1);
    return r;
  }
};

// Where w·q + b = 0 meets the box: a polygon with its corners in order.
std::vector<Triple> in_cube(const Triple& w, double b) {
  std::vector<Triple> corners;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (w[axis] == 0) continue;
    for (const double p : {-1.0, 1.0})
      for (const double q : {-1.0, 1.0}) {
        Triple at{};
        at[(axis + 1) % 3] = p;
        at[(axis + 2) % 3] = q;
        at[axis] = -(b + dot(w, at)) / w[axis];
        if (std::abs(at[axis]) <= 1) corners.push_back(at);
      }
  }
  if (corners.size() < 3) return {};
  Triple centre{};
  for (const auto& c : corners)
    for (std::size_t k = 0; k < 3; ++k) centre[k] += c[k] / static_cast<double>(corners.size());
  // Two directions in the plane.
  const double length = std::sqrt(dot(w, w));
  const Triple n{w[0] / length, w[1] / length, w[2] / length};
  const std::size_t least = std::abs(n[0]) < std::abs(n[1])
                                ? (std::abs(n[0]) < std::abs(n[2]) ? 0U : 2U)
                                : (std::abs(n[1]) < std::abs(n[2]) ? 1U : 2U);
  Triple axis{};
  axis[least] = 1;
  const Triple a{n[1] * axis[2] - n[2] * axis[1], n[2] * axis[0] - n[0] * axis[2],
                 n[0] * axis[1] - n[1] * axis[0]};
  const Triple c{n[1] * a[2] - n[2] * a[1], n[2] * a[0] - n[0] * a[2], n[0] * a[1] - n[1] * a[0]};
  const auto angle = [&](const Triple& p) {
    const Triple r{p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]};
    return std::atan2(dot(r, c), dot(r, a));
  };
  std::ranges::sort(corners, {}, angle);
  return corners;
}

// The plane in coordinates of the box: q = (p - low) / (high - low) * 2 - 1.
Lift::Surface plane_in(const Space& space, const Lift::Surface& plane) {
  Lift::Surface result{{}, plane.b};
  for (std::size_t c = 0; c < 3; ++c) {
    const double half = (space.axes[c].high - space.axes[c].low) / 2;
    result.w[c] = plane.w[c] * half;
    result.b += plane.w[c] * (space.axes[c].low + half);
  }
  return result;
}

// From where the plane is seen neither from its edge nor from straight above, and none of the
// axes from its end.
double good_turn(const Lift& l, const Space& space) {
  constexpr double usual = -60;
  if (!l.plane) return usual;
  const Triple w = plane_in(space, *l.plane).w;
  const double length = std::sqrt(dot(w, w));
  double best = usual;
  double least = 1;
  for (const double turn : {usual, -30.0, -45.0, -120.0, 30.0, -150.0, 60.0}) {
    const double t = turn * std::numbers::pi / 180;
    const double e = l.tilt * std::numbers::pi / 180;
    const Triple towards{std::cos(e) * std::cos(t), std::cos(e) * std::sin(t), std::sin(e)};
    constexpr double good = 0.4;
    const double far = std::abs(std::abs(dot(w, towards)) / length - good);
    if (far < 0.15 && turn == usual) return usual;
    if (far < least) {
      least = far;
      best = turn;
    }
  }
  return best;
}

// The walls that are behind everything, with lines at the ticks.
void draw_walls(Canvas& canvas, const View& view, const Space& space) {
  canvas.begin("walls");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Triple out{};
    out[axis] = 1;
    const double side = view.depth(out) > 0 ? -1 : 1;
    const std::size_t p = (axis + 1) % 3;
    const std::size_t q = (axis + 2) % 3;
    const auto at = [&](double a, double b) {
      Triple r{};
      r[axis] = side;
      r[p] = a;
      r[q] = b;
      return view.spot(r);
    };
    const std::array<Spot, 4> wall{at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)};
    canvas.fill(wall, {0.965, 0.965, 0.965});
    for (const auto& t : ticks_of(space.axes[p], 5)) {
      const double v = position(space.axes[p], t.value, -1, 1);
      canvas.line(at(v, -1), at(v, 1), {{0, 0, 0, 0.1}, 1});
    }
    for (const auto& t : ticks_of(space.axes[q], 5)) {
      const double v = position(space.axes[q], t.value, -1, 1);
      canvas.line(at(-1, v), at(1, v), {{0, 0, 0, 0.1}, 1});
    }
    canvas.stroke(wall, {grey, 1}, true);
  }
  canvas.end();
}

// Ticks and the name of an axis along an edge of the box that nothing is in front of.
void draw_edge(Canvas& canvas, const View& view, const Axis& axis, std::size_t which,
               const Triple& edge) {
  const auto on_edge = [&](double v) {
    Triple r = edge;
    r[which] = v;
    return view.spot(r);
  };
  const Spot a = on_edge(-1);
  const Spot b = on_edge(1);
  // Away from the middle, at right angles to the edge.
  Spot away{-(b.y - a.y), b.x - a.x};
  const double length = std::hypot(away.x, away.y);
  if (length < 1) return;
  away = {away.x / length, away.y / length};
  const Spot half{(a.x + b.x) / 2, (a.y + b.y) / 2};
  if ((half.x - view.middle().x) * away.x + (half.y - view.middle().y) * away.y < 0)
    away = {-away.x, -away.y};
  const Anchor anchor = away.x < -0.35  ? Anchor::end
                        : away.x > 0.35 ? Anchor::start
                                        : Anchor::middle;
  canvas.line(a, b, {ink, 1});
  constexpr double size = 10.5;
  double widest = 0;
  const double drop = size * (0.36 + 0.4 * std::max(0.0, away.y));
  for (const auto& t : ticks_of(axis, 5)) {
    const double v = position(axis, t.value, -1, 1);
    if (std::abs(v) > 0.93) continue;  // corners belong to two axes
    const Spot s = on_edge(v);
    canvas.line(s, {s.x + 4 * away.x, s.y + 4 * away.y}, {ink, 1});
    canvas.text({s.x + 9 * away.x, s.y + 9 * away.y + drop}, t.text, {size, anchor});
    widest = std::max(widest, text_width(t.text, size));
  }
  constexpr double letters = 13;
  double out = 20 + widest * std::abs(away.x) + size * std::abs(away.y);
  // Along a slanted edge the name has to keep clear of ticks at both of its ends.
  if (anchor == Anchor::middle) out += text_width(axis.name, letters) / 2 * std::abs(away.x);
  TextStyle style{letters, anchor};
  Spot at{half.x + out * away.x, half.y + out * away.y + letters * 0.36};
  double room = 230;
  if (which == 2) {
    style.upwards = true;
    style.anchor = Anchor::middle;
    at = {half.x + out * away.x, half.y};
    room = 300;
  } else if (anchor == Anchor::end) {
    room = at.x - 6;
  } else if (anchor == Anchor::start) {
    room = canvas.width() - at.x - 6;
  }
  canvas.text(at, shortened(axis.name, letters, room), style);
}

}  // namespace

void draw(Canvas& canvas, const Lift& l) {
  constexpr double margin = 16;
  const double top = draw_title(canvas, l.title, l.note);
  std::vector<LegendEntry> entries;
  for (std::size_t c = 0; c < l.class_names.size(); ++c)
    entries.push_back(
        {LegendEntry::Kind::mark, l.class_names[c], c, class_colour(c), {white, 0.8}});
  const double legend = legend_width(entries) + margin;
  const Box box{0, top, canvas.width() - legend, canvas.height() - top};
  Space space;
  for (std::size_t c = 0; c < 3; ++c) {
    double low = l.points[0][c];
    double high = low;
    for (const auto& p : l.points) {
      low = std::min(low, p[c]);
      high = std::max(high, p[c]);
    }
    space.axes[c] = axis_around(l.names[c], low, high, 0.05);
  }
  const View view(box, l.turn.value_or(good_turn(l, space)), l.tilt);
  draw_walls(canvas, view, space);
  canvas.begin("axes");
  for (std::size_t which = 0; which < 2; ++which) {
    Triple best{0, 0, -1};
    double lowest = -1e300;
    // Of two that are about as low the one at the right: at the left is the third axis.
    constexpr double as_low = 60;
    for (const double side : {-1.0, 1.0}) {
      Triple edge{0, 0, -1};
      edge[1 - which] = side;
      const Spot at = view.spot(edge);
      const double low = at.y + (at.x > view.middle().x ? as_low : 0);
      if (low > lowest) {
        lowest = low;
        best = edge;
      }
    }
    draw_edge(canvas, view, space.axes[which], which, best);
  }
  Triple best{};
  double leftmost = 1e300;
  for (const double p : {-1.0, 1.0})
    for (const double q : {-1.0, 1.0})
      if (view.spot({p, q, 0}).x < leftmost) {
        leftmost = view.spot({p, q, 0}).x;
        best = {p, q, 0};
      }
  draw_edge(canvas, view, space.axes[2], 2, best);
  canvas.end();

  std::vector<Triple> at;
  for (const auto& p : l.points) at.push_back(space.in_box(p));
  std::vector<std::size_t> order(at.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return view.depth(at[i]); });
  const double radius = at.size() <= 300 ? 4.2 : 3;
  const auto draw_point = [&](std::size_t i) {
    draw_mark(canvas, view.spot(at[i]), l.classes[i], radius, class_colour(l.classes[i]),
              {white, 0.7});
  };

  const Lift::Surface plane = l.plane ? plane_in(space, *l.plane) : Lift::Surface{};
  const Triple& w = plane.w;
  const double b = plane.b;
  const double eye_side = dot(w, view.eye()) + b;
  const auto behind = [&](std::size_t i) { return (dot(w, at[i]) + b) * eye_side < 0; };
  canvas.begin("points behind");
  if (l.plane)
    for (const std::size_t i : order)
      if (behind(i)) draw_point(i);
  canvas.end();
  canvas.begin("plane");
  if (l.plane) {
    std::vector<Spot> polygon;
    for (const auto& c : in_cube(w, b)) polygon.push_back(view.spot(c));
    if (polygon.size() >= 3) {
      canvas.fill(polygon, {0.2, 0.2, 0.2, 0.22});
      canvas.stroke(polygon, {ink, 1.2}, true);
    }
  }
  canvas.end();
  canvas.begin("points");
  for (const std::size_t i : order)
    if (!l.plane || !behind(i)) draw_point(i);
  canvas.end();
  draw_legend(canvas, {canvas.width() - legend, top + 10, legend, canvas.height() - top - margin},
              entries);
}

}  // namespace mercer::picture
