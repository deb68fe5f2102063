#include "scale/hinge.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace mercer::scale {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Vector column_of(const Matrix& M, std::size_t c) {
  Vector v(M.rows);
  for (std::size_t i = 0; i < M.rows; ++i) v[i] = M(i, c);
  return v;
}

void put(const Vector& v, Matrix& M, std::size_t c) {
  for (std::size_t i = 0; i < M.rows; ++i) M(i, c) = v[i];
}

// A vector with a number for the offset behind it.
struct Long {
  Vector v;
  double b = 0;

  [[nodiscard]] double squared() const { return dot(v, v) + b * b; }
  [[nodiscard]] double times(const Long& o) const { return dot(v, o.v) + b * o.b; }
  void add(double by, const Long& o) {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += by * o.v[i];
    b += by * o.b;
  }
};

// A matrix over a row for the offset: M⁻¹ and M⁻ᵀ with
//     M Mᵀ = [A Aᵀ, g; gᵀ, h],     M = [A, 0; lᵀ, δ],  l = A⁻¹ g,  δ² = h - l·l.
class Bordered {
 public:
  Bordered(const Preconditioner& A, double h, bool offset) : A_(A), offset_(offset) {
    if (!offset) return;
    l_ = through(A.sums(), &Preconditioner::lower);
    delta_ = std::sqrt(std::max(h - dot(l_, l_), 1e-12 * h));
  }
  void lower(Long& x) const {
    x.v = through(std::move(x.v), &Preconditioner::lower);
    if (offset_) x.b = (x.b - dot(l_, x.v)) / delta_;
  }
  void upper(Long& x) const {
    if (offset_) {
      x.b /= delta_;
      for (std::size_t i = 0; i < x.v.size(); ++i) x.v[i] -= l_[i] * x.b;
    }
    x.v = through(std::move(x.v), &Preconditioner::upper);
  }

 private:
  Vector through(Vector v, void (Preconditioner::*solve)(Matrix&) const) const {
    Matrix B{v.size(), 1, std::move(v), {}};
    (A_.*solve)(B);
    return std::move(B.values);
  }

  const Preconditioner& A_;
  bool offset_;
  Vector l_;
  double delta_ = 1;
};

}  // namespace

// Where a column is, and what a pass over the data says of it.
struct Hinge::Point {
  Long at;               // γ, b
  Long r;                // less the gradient of the rounded objective
  double objective = 0;  // the rounded one
  double hinge = 0;      // Σ c ξ
  double primal = 0;
  double dual = 0;
  double rounding = 0;              // its share of primal - dual
  std::vector<std::size_t> corner;  // rows in it, or some of them
  double corner_weight = 0;         // Σ c of all of them
  [[nodiscard]] double gap() const { return primal - dual; }
};

struct Hinge::Column {
  std::size_t number = 0;
  double width = 0;     // of the corner
  double at_start = 0;  // Σ c ξ at w = 0
  Point now = {};
  std::size_t steps = 0;
  bool stuck = false;
  bool done = false;
};

struct Hinge::Trial {
  const Column* column;
  Long at;
};

// Of one column.
struct Hinge::Step {
  Column* column;
  Preconditioner* A;
  std::optional<Bordered> M = {};
  bool solved = false;  // A is the matrix of the system itself
  Long move = {};
};

Hinge::Hinge(Crew& crew, Factor& factor, Preconditioner& A, const Basis& basis,
             const NystromOptions& options, std::function<bool(double gap)> tell)
    : crew_(crew),
      factor_(factor),
      basis_(basis),
      options_(options),
      tell_(std::move(tell)),
      m_(factor.size()),
      A_{&A},
      columns_(crew.width()) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].number = c;
    columns_[c].now.at.v.assign(m_, 0.0);
  }
  while (A_.size() < columns_at_once()) {
    const numeric::How how{options.gram.threads, options.gram.instructions};
    further_.push_back(std::make_unique<Preconditioner>(factor, how, true));
    A_.push_back(further_.back().get());
  }
}

Hinge::~Hinge() = default;

// Each needs a matrix of its own. Whatever memory is allowed, as many share their passes: rounding
// must not depend on it.
std::size_t Hinge::columns_at_once() const {
  constexpr double bytes = 64 << 20;
  const double each = sizeof(double) * static_cast<double>(m_) * static_cast<double>(m_ + 256);
  return std::clamp<std::size_t>(1 + static_cast<std::size_t>(bytes / each), 1, columns_.size());
}

Matrix Hinge::gamma() const {
  Matrix all = Matrix::zeros(m_, columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) put(columns_[c].now.at.v, all, c);
  return all;
}

std::vector<double> Hinge::offsets() const {
  std::vector<double> all;
  for (const Column& c : columns_) all.push_back(c.now.at.b);
  return all;
}

std::vector<Hinge::Point> Hinge::at(std::vector<Trial> trials) {
  const std::size_t k = trials.size();
  const bool offset = options_.offset;
  PassOptions how;
  Matrix V = Matrix::zeros(m_, k);
  for (std::size_t c = 0; c < k; ++c) {
    how.columns.push_back(trials[c].column->number);
    how.widths.push_back(trials[c].column->width);
    if (offset) how.offsets.push_back(trials[c].at.b);
    put(trials[c].at.v, V, c);
  }
  // As many rows as cost about as much as a pass or two, where there are not too many centres.
  constexpr std::size_t many = 3000;
  how.sample = (m_ <= many ? 4 : 1) * m_;
  factor_.upper(V);
  auto sums = crew_.pass(Crew::Pass::hinge, V, how);
  // Σ a y φ, of both sides by themselves where there is an offset.
  factor_.lower(sums.product);
  std::vector<Point> points(k);
  for (std::size_t c = 0; c < k; ++c) {
    Point& p = points[c];
    const double* tally = sums.tallies.data() + Crew::tally_count * c;
    p.at = std::move(trials[c].at);
    const double square = lambda_ * dot(p.at.v, p.at.v);
    p.objective = tally[Crew::rounded] + square;
    p.hinge = tally[Crew::exact];
    p.primal = p.hinge + square;
    p.rounding = tally[Crew::rounding];
    p.corner_weight = tally[Crew::in_corner];
    p.corner = std::move(sums.corner[c]);
    const double plus = tally[Crew::plus];
    const double minus = tally[Crew::minus];
    double of_plus = 1;
    double of_minus = 1;
    if (offset) {
      p.r.b = plus - minus;
      of_plus = plus > minus ? minus / plus : 1;
      of_minus = minus > plus ? plus / minus : 1;
    }
    double norm = 0;
    p.r.v.resize(m_);
    for (std::size_t i = 0; i < m_; ++i) {
      const double first = sums.product(i, c);
      const double second = offset ? sums.product(i, k + c) : 0;
      p.r.v[i] = first + second - 2 * lambda_ * p.at.v[i];
      const double v = of_plus * first + of_minus * second;
      norm += v * v;
    }
    // Of all multiples s a, s <= 1, the best one.
    const double sum = of_plus * plus + of_minus * minus;
    const double s = norm > 0 ? std::min(1.0, 2 * lambda_ * sum / norm) : 1.0;
    p.dual = s * sum - s * s * norm / (4 * lambda_);
  }
  return points;
}

// A of the rows in the corner.
std::size_t Hinge::prepare(Step& step) {
  const Point& now = step.column->now;
  // One that does not count, where there is none.
  const bool none = now.corner.empty();
  const auto rows = crew_.fetch(none ? std::vector<std::size_t>{0} : now.corner);
  double weight = 0;
  for (const double c : rows.weights) weight += c;
  Sample sample{rows.points, &basis_, options_.gram, {}};
  const double each = none || !(weight > 0) ? 0 : now.corner_weight / weight / step.column->width;
  double h = 0;
  for (const double c : rows.weights) {
    sample.D.push_back(each * c);
    h += each * c;
  }
  const double price = 2 * lambda_;
  step.A->prepare(sample, sample.D, price);
  // b has no price: where next to no row is in the corner, this one keeps the step finite.
  step.M.emplace(*step.A, h + 1e-4 * price, options_.offset);
  constexpr double rounding = 1e-9;
  step.solved = none || std::abs(now.corner_weight - weight) <= rounding * weight;
  return rows.points.rows();
}

void Hinge::solve_by_gradients(std::vector<Step>& steps, End& end) {
  const double price = 2 * lambda_;
  constexpr double share = 0.1;  // of the residual that may be left
  struct Running {
    Step* step;
    Long r;
    Long p;
    double start;
    double rr;
    std::size_t iterations = 0;
  };
  std::vector<Running> running;
  for (Step& s : steps) {
    s.move = {Vector(m_, 0.0), 0};
    Long r = s.column->now.r;
    s.M->lower(r);
    if (s.solved) {
      s.M->upper(r);
      s.move = std::move(r);
      continue;
    }
    const double start = r.squared();
    if (start > 0) running.push_back({&s, r, r, start, start});
  }
  while (!running.empty()) {
    const std::size_t k = running.size();
    PassOptions how;
    Matrix V = Matrix::zeros(m_, 2 * k);
    std::vector<Long> directions;
    for (std::size_t c = 0; c < k; ++c) {
      const Column& column = *running[c].step->column;
      how.columns.push_back(column.number);
      how.widths.push_back(column.width);
      Long direction = running[c].p;
      running[c].step->M->upper(direction);
      put(column.now.at.v, V, c);
      put(direction.v, V, k + c);
      if (options_.offset) how.offsets.push_back(column.now.at.b);
      directions.push_back(std::move(direction));
    }
    if (options_.offset)
      for (const Long& d : directions) how.offsets.push_back(d.b);
    factor_.upper(V);
    auto sums = crew_.pass(Crew::Pass::corner, V, how);
    ++end.iterations;
    factor_.lower(sums.product);
    for (std::size_t c = 0; c < k; ++c) {
      Running& now = running[c];
      Long q{column_of(sums.product, c), options_.offset ? sums.tallies[c] : 0};
      for (std::size_t i = 0; i < m_; ++i) q.v[i] += price * directions[c].v[i];
      q.b += 1e-4 * price * directions[c].b;
      now.step->M->lower(q);
      const double pq = now.p.times(q);
      if (!(pq > 0)) {
        now.iterations = options_.iterations;
        continue;
      }
      const double by = now.rr / pq;
      now.step->move.add(by, directions[c]);
      now.r.add(-by, q);
      const double next = now.r.squared();
      Long p = now.r;
      p.add(next / now.rr, now.p);
      now.p = std::move(p);
      now.rr = next;
      ++now.iterations;
    }
    std::erase_if(running, [&](const Running& r) {
      return r.rr <= share * share * r.start || r.iterations >= options_.iterations;
    });
    if (!tell_(worst_)) {
      end.interrupted = true;
      return;
    }
  }
}

// The objective is convex: some part of a step is good. Along it the slope falls; where it has
// become negative, the part was too large, and the next one is where a line through both has 0.
void Hinge::search_along(std::vector<Step>& steps) {
  struct Search {
    Step* step;
    double slope;
    double part = 1;
    std::optional<Point> best = {};
    bool done = false;
  };
  std::vector<Search> all;
  all.reserve(steps.size());
  for (Step& s : steps) all.push_back({&s, s.column->now.r.times(s.move)});
  constexpr int tries = 30;
  for (int i = 0; i < tries; ++i) {
    std::vector<Search*> open;
    std::vector<Trial> trials;
    for (Search& s : all) {
      if (s.done) continue;
      open.push_back(&s);
      Long next = s.step->column->now.at;
      next.add(s.part, s.step->move);
      trials.push_back({s.step->column, std::move(next)});
    }
    if (open.empty()) break;
    auto points = at(std::move(trials));
    for (std::size_t k = 0; k < open.size(); ++k) {
      Search& s = *open[k];
      Point& next = points[k];
      const double before = s.step->column->now.objective;
      const double slope = next.r.times(s.step->move);
      const bool better = next.objective <= before - 1e-4 * s.part * s.slope;
      if (better && (!s.best || next.objective < s.best->objective)) s.best = std::move(next);
      constexpr double flat = 0.3;
      s.done = (better && slope >= -flat * s.slope) || slope > 0;
      // Near the end rounding is larger than what is won.
      if (s.part * std::abs(s.slope) < 1e-13 * std::abs(before)) s.done = true;
      s.part *= std::clamp(s.slope / (s.slope - slope), 0.05, 0.9);
    }
  }
  for (Search& s : all) {
    s.step->column->stuck = !s.best;
    if (s.best) s.step->column->now = std::move(*s.best);
  }
}

void Hinge::take_steps(const std::vector<Column*>& columns, End& end) {
  std::vector<Step> steps;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    steps.push_back({columns[k], A_[k]});
    end.rows += prepare(steps.back());
    ++columns[k]->steps;
    ++end.newton_steps;
  }
  solve_by_gradients(steps, end);
  if (!end.interrupted) search_along(steps);
}

void Hinge::solve(std::span<Column> columns, double tolerance, bool rough, End& end) {
  constexpr std::size_t steps_each = 4;  // there are several widths
  constexpr double least_width = 1e-8;
  const auto look = [&](const std::vector<Column*>& which) {
    std::vector<Trial> trials;
    trials.reserve(which.size());
    for (const Column* c : which) trials.push_back({c, c->now.at});
    auto points = at(std::move(trials));
    for (std::size_t k = 0; k < which.size(); ++k) which[k]->now = std::move(points[k]);
  };
  std::vector<Column*> all;
  for (Column& c : columns) {
    // At w = 0 all rows are in a corner of this width.
    constexpr double widest = 2;
    c.width = c.width > 0 ? std::min(widest, 2 * c.width) : widest;
    c.steps = 0;
    c.done = c.stuck = false;
    all.push_back(&c);
  }
  look(all);
  for (Column& c : columns)
    if (c.at_start == 0) c.at_start = c.now.hinge;
  const double before = end.residual;
  while (true) {
    std::vector<Column*> narrower;
    std::vector<Column*> movers;
    worst_ = before;
    bool converged = true;
    for (Column& c : columns) {
      const double size = rough ? c.at_start : c.now.primal;
      const double gap = size > 0 ? c.now.gap() / size : 0;
      worst_ = std::max(worst_, gap);
      c.done = c.done || gap <= tolerance || c.steps >= steps_each * options_.newton_steps;
      converged = converged && gap <= tolerance;
      if (c.done) continue;
      constexpr double small = 0.25;
      if (c.now.gap() - c.now.rounding > small * c.now.rounding && !c.stuck) {
        movers.push_back(&c);
        continue;
      }
      if (c.width <= least_width) {
        c.done = true;
        continue;
      }
      const double goal = 0.5 * tolerance * size;
      const double factor = c.now.rounding > 0 ? std::sqrt(goal / c.now.rounding) : 0.5;
      c.width *= std::clamp(factor, 0.25, 0.5);
      c.stuck = false;
      narrower.push_back(&c);
    }
    end.residual = worst_;
    if (narrower.empty() && movers.empty()) {
      end.converged = end.converged && converged;
      return;
    }
    if (!tell_(worst_)) end.interrupted = true;
    if (!end.interrupted) {
      if (!narrower.empty()) {
        look(narrower);
      } else {
        take_steps(movers, end);
      }
    }
    if (end.interrupted) {
      end.converged = false;
      return;
    }
  }
}

Hinge::End Hinge::solve(double lambda, double tolerance, bool rough) {
  lambda_ = lambda;
  End end;
  for (std::size_t begin = 0; begin < columns_.size() && !end.interrupted; begin += A_.size()) {
    const std::size_t count = std::min(A_.size(), columns_.size() - begin);
    solve(std::span(columns_).subspan(begin, count), tolerance, rough, end);
  }
  for (const Column& c : columns_) {
    end.loss += c.now.hinge;
    end.primal += c.now.primal;
    end.dual += c.now.dual;
  }
  return end;
}

}  // namespace mercer::scale
