#include "learn/ridge_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <optional>

#include "comm/agree.hpp"
#include "learn/ridge_system.hpp"
#include "scale/message.hpp"

namespace mercer::learn {

// What all ranks have to know.
struct RidgeRanks::Task {
  std::string kernel;
  std::size_t n = 0;
  std::size_t width = 1;
  double lambda = 1;
  double tolerance = 0;
  std::size_t memory = 0;  // of each rank
  std::string instructions;
  std::vector<double> scales;  // roots of the weights; empty: 1
  std::vector<double> right;   // n × width

  [[nodiscard]] double scale(std::size_t i) const { return scales.empty() ? 1.0 : scales[i]; }
};

namespace {

// Points of some rows, out of all that rank 0 has: they come by in pieces.
Points points_of(const comm::Comm& comm, const Points* all, std::size_t n,
                 const std::vector<std::size_t>& rows) {
  constexpr std::size_t together = 2048;
  std::vector<Points> parts;
  for (std::size_t begin = 0; begin < n; begin += together) {
    const std::size_t end = std::min(n, begin + together);
    const std::string text =
        comm::told(comm, [&] { return scale::Message().put(all->part(begin, end)).bytes(); });
    const Points some = scale::MessageReader(text).points();
    std::vector<std::size_t> wanted;
    for (auto i = std::ranges::lower_bound(rows, begin); i != rows.end() && *i < end; ++i)
      wanted.push_back(*i - begin);
    if (!wanted.empty() || (begin == 0 && rows.empty())) parts.push_back(some.select(wanted));
  }
  return scale::joined(parts);
}

std::vector<std::size_t> both(const std::vector<std::size_t>& a,
                              const std::vector<std::size_t>& b) {
  std::vector<std::size_t> all;
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
}

std::vector<std::size_t> places(const std::vector<std::size_t>& of,
                                const std::vector<std::size_t>& in) {
  std::vector<std::size_t> result;
  result.reserve(of.size());
  for (const std::size_t i : of)
    result.push_back(static_cast<std::size_t>(std::ranges::lower_bound(in, i) - in.begin()));
  return result;
}

}  // namespace

RidgeRanks::~RidgeRanks() {
  if (comm_.rank() != 0 || over_) return;
  std::string end;
  comm::broadcast(comm_, end);
}

Ridge RidgeRanks::solve(const Kernel& k, const Points& x, const Matrix& y,
                        const RidgeOptions& options) {
  const RidgeSystem system(k, x, y, options);  // looks at what it is given
  if (options.leave_one_out)
    throw Error("leave-one-out errors need the factor in one process: leave them out");
  Task task;
  task.kernel = k.text();
  task.n = system.size();
  task.width = system.width();
  task.lambda = options.lambda;
  task.tolerance = options.tolerance;
  task.memory = options.memory;
  task.instructions = options.gram.instructions;
  task.scales.assign(system.scales().begin(), system.scales().end());
  task.right = system.right().values;
  std::string order = scale::Message()
                          .put(task.kernel)
                          .put(task.n)
                          .put(task.width)
                          .put(task.lambda)
                          .put(task.tolerance)
                          .put(task.memory)
                          .put(task.instructions)
                          .put(task.scales)
                          .put(task.right)
                          .bytes();
  over_ = true;  // where this throws, the others know
  comm::broadcast(comm_, order);
  Ridge result = work(task, &x);
  result.alpha = system.alpha(std::move(result.alpha));
  over_ = false;
  return result;
}

void RidgeRanks::serve() {
  while (true) {
    std::string order;
    comm::broadcast(comm_, order);
    if (order.empty()) return;
    scale::MessageReader reader(order);
    Task task;
    task.kernel = reader.text();
    task.n = reader.get<std::size_t>();
    task.width = reader.get<std::size_t>();
    task.lambda = reader.get<double>();
    task.tolerance = reader.get<double>();
    task.memory = reader.get<std::size_t>();
    task.instructions = reader.text();
    task.scales = reader.get_all<double>();
    task.right = reader.get_all<double>();
    work(task, nullptr);
  }
}

Ridge RidgeRanks::work(Task& task, const Points* x) {
  const std::size_t n = task.n;
  const std::size_t w = task.width;
  comm::told(comm_, [&] {
    const double bytes = static_cast<double>(n) * static_cast<double>(n) * sizeof(double) /
                         static_cast<double>(comm_.ranks());
    if (bytes > static_cast<double>(task.memory))
      throw Error(fmt::format(
          "K has {} × {} numbers, {:.0f} MiB for each of {} ranks: allow more (--memory), use more "
          "ranks, or an approximation (--approx)",
          n, n, std::ceil(bytes / (1 << 20U)), comm_.ranks()));
    return std::string();
  });
  std::unique_ptr<comm::DenseSystem> system;
  comm::together(comm_, [&] {
    system = make_(n);
    return std::string();
  });
  const auto& rows = system->rows();
  const auto& columns = system->columns();
  const auto needed = both(rows, columns);
  const Points own = points_of(comm_, x, n, needed);
  const auto row_places = places(rows, needed);
  const auto column_places = places(columns, needed);
  const Kernel k = Kernel::parse(task.kernel);
  std::optional<Gram> K;  // k(x_j, x_i): the columns here are its rows, so that they stand together
  comm::together(comm_, [&] {
    if (rows.empty() || columns.empty()) return std::string();
    GramOptions how;
    how.precision = GramOptions::Precision::float64;
    how.storage = GramOptions::Storage::recomputed;
    how.instructions = task.instructions;
    how.threads = threads_;
    K.emplace(k, own.select(column_places), own.select(row_places), how);
    constexpr std::size_t strip = 256;
    try {
      for (std::size_t begin = 0; begin < columns.size(); begin += strip) {
        const std::size_t end = std::min(columns.size(), begin + strip);
        // Rows above the diagonal of all of these columns are not needed.
        const auto first =
            static_cast<std::size_t>(std::ranges::lower_bound(rows, columns[begin]) - rows.begin());
        if (first == rows.size()) break;
        K->block(Rows(begin, end), Rows(first, rows.size()),
                 system->part() + begin * rows.size() + first, rows.size());
        for (std::size_t c = begin; c < end; ++c)
          for (std::size_t r = first; r < rows.size(); ++r) {
            double& value = system->part()[c * rows.size() + r];
            value *= task.scale(rows[r]) * task.scale(columns[c]);
            if (rows[r] == columns[c]) value += task.lambda;
          }
      }
    } catch (const GramError& error) {
      throw EvaluationError(fmt::format("points {} and {}: {}", columns[error.row()] + 1,
                                        rows[error.column()] + 1, error.why()));
    }
    return std::string();
  });
  if (!system->factor()) {
    if (comm_.rank() != 0) throw comm::Over();
    throw Error(fmt::format(
        "K + λI has no Cholesky factor with lambda = {:.4g}: {} is not a kernel on these points "
        "(see `mercer prove`), or lambda is lost in rounding: a larger one helps",
        task.lambda, task.kernel));
  }

  // r = S y - (S K S + λI) β, of kernel values that are computed again.
  const auto residual = [&](const std::vector<double>& beta, std::vector<double>& r) {
    std::vector<double> sums(n * w);
    if (K) {
      // Kᵀ of what is here is asked for: its rows are the columns.
      std::vector<double> V(rows.size() * w);
      for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t c = 0; c < w; ++c)
          V[i * w + c] = task.scale(rows[i]) * beta[rows[i] * w + c];
      std::vector<double> part(columns.size() * w);
      K->apply(V, w, part);
      for (std::size_t j = 0; j < columns.size(); ++j)
        for (std::size_t c = 0; c < w; ++c)
          sums[columns[j] * w + c] = task.scale(columns[j]) * part[j * w + c];
    }
    comm::sum(comm_, sums);
    comm::broadcast(comm_, std::as_writable_bytes(std::span(sums)));
    r.resize(n * w);
    std::vector<double> above(w);
    std::vector<double> below(w);
    for (std::size_t e = 0; e < r.size(); ++e) {
      r[e] = task.right[e] - sums[e] - task.lambda * beta[e];
      above[e % w] += r[e] * r[e];
      below[e % w] += task.right[e] * task.right[e];
    }
    double worst = 0;
    for (std::size_t c = 0; c < w; ++c)
      if (above[c] > 0)
        worst = std::max(worst, std::sqrt(below[c] > 0 ? above[c] / below[c] : above[c]));
    return worst;
  };
  std::vector<double> beta = task.right;
  system->solve(beta, w);
  std::vector<double> r;
  Ridge result;
  result.residual = residual(beta, r);
  constexpr std::size_t most = 3;
  while (result.residual > task.tolerance && result.iterations < most) {
    system->solve(r, w);
    std::vector<double> next = beta;
    for (std::size_t e = 0; e < next.size(); ++e) next[e] += r[e];
    const double now = residual(next, r);
    if (!(now < result.residual)) break;
    result.residual = now;
    beta = std::move(next);
    ++result.iterations;
  }
  result.solver = fmt::format("double factor, {}", system->name());
  result.converged = result.residual <= task.tolerance;
  if (!result.converged)
    result.message = fmt::format("stopped at a residual of {:.2g}, above the tolerance of {:.2g}",
                                 result.residual, task.tolerance);
  result.alpha = Matrix{n, w, std::move(beta), {}};
  return result;
}

}  // namespace mercer::learn
