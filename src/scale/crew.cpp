#include "scale/crew.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <mercer/error.hpp>
#include <mutex>

#include "base/checksum.hpp"
#include "base/mix.hpp"
#include "base/parallel.hpp"
#include "data/points_checksum.hpp"
#include "scale/message.hpp"

namespace mercer::scale {

namespace {

// log(1 + exp(t)) and 1 / (1 + exp(-t)), neither of which overflows.
double softplus(double t) { return std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t))); }
double sigmoid(double t) {
  const double e = std::exp(-std::abs(t));
  return t >= 0 ? 1 / (1 + e) : e / (1 + e);
}

// Rows are drawn in an order that depends on their numbers alone.
std::uint64_t lot(std::size_t row) { return mixed(row + golden_step); }

void draw(std::vector<std::size_t>& rows, std::size_t most) {
  if (rows.size() <= most) return;
  std::ranges::nth_element(rows, rows.begin() + static_cast<std::ptrdiff_t>(most), {}, lot);
  rows.resize(most);
}

}  // namespace

Crew::Crew(const comm::Comm& comm, const Examples& mine) : comm_(comm), mine_(mine) {
  auto entries = static_cast<double>(mine.points.entries());
  comm::sum(comm, std::span(&entries, 1));
  comm::broadcast(comm, std::as_writable_bytes(std::span(&entries, 1)));
  entries_ = entries / static_cast<double>(std::max<std::size_t>(mine.all, 1));
  const std::size_t block = block_rows(mine.all, entries_);
  std::vector<std::size_t> ends = mine.files;
  ends.push_back(mine.rows());
  borders_ = {0};
  for (const std::size_t end : ends)
    while (borders_.back() < end) borders_.push_back(std::min(borders_.back() + block, end));
  dismissed_ = comm.ranks() == 1 || comm.rank() != 0;
}

Crew::~Crew() {
  try {
    dismiss();
  } catch (...) {  // NOLINT(bugprone-empty-catch): there is nobody left to tell
  }
}

void Crew::dismiss() {
  if (dismissed_) return;
  dismissed_ = true;
  std::string order = Message().put(Order::end).bytes();
  comm::broadcast(comm_, order);
}

void Crew::serve() {
  while (true) {
    std::string order;
    comm::broadcast(comm_, order);
    if (MessageReader(order).get<Order>() == Order::end) return;
    comm::WideSums sums;
    const std::string answer = obey(order, sums);
    if (MessageReader(order).get<Order>() == Order::sample) add_up();
    comm::sum(comm_, sums);
    comm::gather(comm_, answer);
  }
}

std::string Crew::obey(const std::string& order, comm::WideSums& sums) {
  const auto mistake = [&](std::size_t row, const std::string& what, bool evaluation) {
    failure_ = Failure{row, what, evaluation};
  };
  std::string answer;
  try {
    answer = carry_out(order, sums);
  } catch (const EvaluationError& error) {
    mistake(mine_.first, error.what(), true);
  } catch (const Error& error) {
    mistake(mine_.first, error.what(), false);
  } catch (const std::bad_alloc&) {
    mistake(mine_.first, "there is not enough memory", false);
  }
  sums.resize(sums.size() + 1);
  if (failure_) sums.add(sums.size() - 1, 1);
  return answer;
}

std::vector<double> Crew::ask(const std::string& order, std::size_t count,
                              std::vector<std::string>* answers) {
  std::string text = order;
  comm::broadcast(comm_, text);
  comm::WideSums sums;
  const std::string mine = obey(order, sums);
  if (MessageReader(order).get<Order>() == Order::sample) add_up();
  assert(sums.size() == count + 1);
  comm::sum(comm_, sums);
  auto all = comm::gather(comm_, mine);
  std::vector<double> values = sums.values();
  if (values.back() > 0) complain();
  values.resize(count);
  if (answers != nullptr) *answers = std::move(all);
  return values;
}

void Crew::complain() {
  std::string order = Message().put(Order::complain).bytes();
  comm::broadcast(comm_, order);
  comm::WideSums sums;
  const std::string mine = carry_out(order, sums);
  sums.resize(1);
  comm::sum(comm_, sums);
  std::optional<Failure> first;
  for (const auto& text : comm::gather(comm_, mine)) {
    if (text.empty()) continue;
    MessageReader reader(text);
    Failure f;
    f.row = reader.get<std::size_t>();
    f.evaluation = reader.get<bool>();
    f.what = reader.text();
    if (!first || f.row < first->row) first = f;
  }
  if (first && first->evaluation) throw EvaluationError(first->what);
  throw Error(first ? first->what : "a rank failed");
}

Crew::Chosen Crew::fetch(const std::vector<std::size_t>& rows) {
  if (comm_.ranks() == 1) return rows_here(rows);
  Chosen chosen;
  std::vector<std::string> answers;
  ask(Message().put(Order::fetch).put(rows).bytes(), 0, &answers);
  std::vector<Points> parts;
  chosen.y = Matrix{rows.size(), width(), {}, {}};
  for (const auto& text : answers) {
    MessageReader reader(text);
    parts.push_back(reader.points());
    for (const double v : reader.get_all<double>()) chosen.y.values.push_back(v);
    for (const double v : reader.get_all<double>()) chosen.weights.push_back(v);
  }
  chosen.points = joined(parts);
  return chosen;
}

void Crew::set_basis(const Basis& basis, const GramOptions& gram) {
  basis_.kernel = basis.kernel;  // with the user's functions, which have no text
  ask(Message()
          .put(Order::centres)
          .put(basis.sketch ? std::string() : basis.kernel->text())
          .put(gram.precision)
          .put(gram.instructions)
          .put(gram.threads)
          .put(gram.memory)
          .put(gram.rough_sums)
          .put(basis.centres)
          .put(basis.sketch ? *basis.sketch : Sketch{})
          .bytes(),
      0);
}

void Crew::leave_out(const std::vector<std::size_t>& rows) {
  ask(Message().put(Order::leave_out).put(rows).bytes(), 0);
}

std::size_t Crew::columns(const PassOptions& options) const {
  return options.columns.empty() ? mine_.columns : options.columns.size();
}

std::size_t Crew::back_columns(Pass kind, const PassOptions& options) const {
  const bool twice = kind == Pass::start || (kind == Pass::hinge && !options.offsets.empty());
  return (twice ? 2 : 1) * columns(options);
}

std::size_t Crew::tallies(Pass kind, const PassOptions& options) const {
  return kind == Pass::hinge    ? tally_count * columns(options)
         : kind == Pass::corner ? columns(options)
         : kind == Pass::start  ? 2
                                : 1;
}

Crew::Sums Crew::pass(Pass kind, const Matrix& V, const PassOptions& options) {
  ++passes_;
  const std::size_t numbers = V.rows * back_columns(kind, options);
  const std::size_t count = numbers + tallies(kind, options);
  // Behind the sums the rows in the corner, for each column as many places as there may be.
  const std::size_t places = kind == Pass::hinge ? columns(options) * options.sample : 0;
  const std::string order = Message()
                                .put(Order::pass)
                                .put(kind)
                                .put(options.columns)
                                .put(options.widths)
                                .put(options.offsets)
                                .put(options.sample)
                                .put(V.rows)
                                .put(V.columns)
                                .put(V.values)
                                .bytes();
  const std::uint64_t question = journal_ != nullptr ? mercer::checksum(order) : 0;
  std::vector<double> sums;
  if (journal_ != nullptr)
    if (auto known = journal_->find(passes_, question, count + places)) sums = *std::move(known);
  constexpr double vacant = -1;
  if (sums.empty()) {
    std::vector<std::string> answers;
    sums = ask(order, count, &answers);
    std::vector<std::vector<std::size_t>> rows(places > 0 ? columns(options) : 0);
    for (const auto& text : answers) {
      MessageReader reader(text);
      for (auto& some : rows)
        for (const std::size_t row : reader.get_all<std::size_t>()) some.push_back(row);
    }
    for (auto& some : rows) {
      draw(some, options.sample);
      std::ranges::sort(some);
      sums.insert(sums.end(), some.begin(), some.end());
      sums.resize(sums.size() + options.sample - some.size(), vacant);
    }
    if (journal_ != nullptr) journal_->keep(passes_, question, sums);
  }
  Sums result;
  const auto end = sums.begin() + static_cast<std::ptrdiff_t>(numbers);
  const auto behind = sums.begin() + static_cast<std::ptrdiff_t>(count);
  result.tallies.assign(end, behind);
  result.loss = result.tallies[0];
  if (places > 0) result.corner.resize(columns(options));
  for (std::size_t k = 0; k < places; ++k) {
    const double row = behind[static_cast<std::ptrdiff_t>(k)];
    if (row != vacant) result.corner[k / options.sample].push_back(static_cast<std::size_t>(row));
  }
  sums.erase(end, sums.end());
  result.product = Matrix{V.rows, back_columns(kind, options), std::move(sums), {}};
  return result;
}

void Crew::add_sample(const SampleRows& rows, Triangle& to, Matrix& right) {
  if (comm_.ranks() == 1) return add_share(rows, to, right);
  triangle_ = &to;
  right_ = &right;
  Message order;
  order.put(Order::sample).put(rows.points).put(rows.roots).put(rows.unit);
  order.put(rows.width).put(rows.targets).put(rows.target_unit);
  order.put(rows.L.size).put(rows.L.inverse).put(rows.L.columns.size());
  for (const auto& columns : rows.L.columns) order.put(columns);
  ask(order.bytes(), 0);
}

void Crew::add_share(const SampleRows& rows, Triangle& to, Matrix& right) const {
  const std::size_t others = rows.blocks() - 1;
  const std::size_t first = 1 + others * comm_.rank() / comm_.ranks();
  const std::size_t last = 1 + others * (comm_.rank() + 1) / comm_.ranks();
  GramOptions gram = gram_;
  gram.storage = GramOptions::Storage::recomputed;
  scale::add_sample(rows, first, last, basis_, gram, {gram.threads, gram.instructions}, to, right);
}

void Crew::add_up() {
  const Triangle none(basis_.size(), nullptr, 0);  // of a rank that failed: zeros
  const Triangle& mine = triangle_ != nullptr ? *triangle_ : none;
  std::vector<double> some;
  for (std::size_t k = 0; k < mine.blocks(); ++k) {
    some.clear();
    if (triangle_ != nullptr)
      mine.for_block(k, [&](const double* from, std::size_t count) {
        some.insert(some.end(), from, from + count);
      });
    some.resize(Triangle::width * Triangle::width + mine.block(k) * mine.behind(k));
    comm::sum(comm_, some);
    if (comm_.rank() != 0) continue;
    const double* from = some.data();
    mine.for_block(k, [&](double* to, std::size_t count) {
      std::copy_n(from, count, to);
      from += count;
    });
  }
  // As many numbers everywhere, of a rank that failed zeros.
  std::vector<double> right(basis_.size() * mine_.columns);
  const bool own = right_ != nullptr && right_->values.size() == right.size();
  if (own) right = right_->values;
  comm::sum(comm_, right);
  if (own && comm_.rank() == 0) right_->values = right;
  triangle_ = nullptr;
  right_ = nullptr;
  own_triangle_.reset();
  own_right_ = {};
}

std::uint64_t Crew::checksum() {
  std::vector<std::string> answers;
  ask(Message().put(Order::checksum).bytes(), 0, &answers);
  Checksum all;  // of the blocks, which are the same for any number of ranks
  for (const auto& text : answers) all.add(text);
  return all.value();
}

std::string Crew::carry_out(const std::string& order, comm::WideSums& sums) {
  MessageReader reader(order);
  switch (reader.get<Order>()) {
    case Order::fetch: {
      std::vector<std::size_t> here;
      for (const std::size_t row : reader.get_all<std::size_t>())
        if (row >= mine_.first && row < mine_.first + mine_.rows())
          here.push_back(row - mine_.first);
      const Chosen chosen = rows_here(here);
      return Message().put(chosen.points).put(chosen.y.values).put(chosen.weights).bytes();
    }
    case Order::centres: {
      const std::string text = reader.text();
      if (comm_.rank() != 0 && !text.empty()) basis_.kernel = Kernel::parse(text);
      gram_.precision = reader.get<GramOptions::Precision>();
      gram_.instructions = reader.text();
      gram_.threads = reader.get<unsigned>();
      gram_.memory = reader.get<std::size_t>();
      gram_.rough_sums = reader.get<bool>();
      gram_.storage = GramOptions::Storage::recomputed;
      basis_.centres = reader.points();
      basis_.sketch = reader.sketch();
      if (basis_.sketch->terms.empty()) basis_.sketch.reset();
      kept_.clear();
      const double number = gram_.precision == GramOptions::Precision::float64 ? 8 : 4;
      const auto memory = static_cast<double>(gram_.memory);
      const auto rows = static_cast<double>(mine_.rows());
      const auto size = static_cast<double>(basis_.size());
      const auto entries = static_cast<double>(mine_.points.entries());
      const bool full = !basis_.sketch && keeps_values(rows, size, entries, number, memory);
      if (full) gram_.storage = GramOptions::Storage::full;
      if (full || (basis_.sketch ? rows * size : 1.5 * entries) * number <= memory / 2)
        keep_values();
      return {};
    }
    case Order::leave_out:
      out_ = reader.get_all<std::size_t>();
      return {};
    case Order::pass: {
      const auto kind = reader.get<Pass>();
      PassOptions options;
      options.columns = reader.get_all<std::size_t>();
      options.widths = reader.get_all<double>();
      options.offsets = reader.get_all<double>();
      options.sample = reader.get<std::size_t>();
      Matrix V;
      V.rows = reader.get<std::size_t>();
      V.columns = reader.get<std::size_t>();
      V.values = reader.get_all<double>();
      sums.resize(V.rows * back_columns(kind, options) + tallies(kind, options));
      Message rows;
      for (const auto& some : pass_over(kind, V, options, sums)) rows.put(some);
      return rows.bytes();
    }
    case Order::sample: {
      if (comm_.rank() != 0) {
        own_triangle_.emplace(basis_.size());
        own_triangle_->clear();
        triangle_ = &*own_triangle_;
        own_right_ = Matrix::zeros(basis_.size(), mine_.columns);
        right_ = &own_right_;
      }
      SampleRows rows;
      rows.points = reader.points();
      rows.roots = reader.get_all<float>();
      rows.unit = reader.get<double>();
      rows.width = reader.get<std::size_t>();
      rows.targets = reader.get_all<float>();
      rows.target_unit = reader.get<double>();
      rows.L.size = reader.get<std::size_t>();
      rows.L.inverse = reader.get_all<float>();
      rows.L.columns.resize(reader.get<std::size_t>());
      for (auto& columns : rows.L.columns) columns = reader.get_all<float>();
      add_share(rows, *triangle_, *right_);
      return {};
    }
    case Order::checksum:
      return checksums_of_blocks();
    case Order::complain: {
      if (!failure_) return {};
      const Failure f = *failure_;
      failure_.reset();
      return Message().put(f.row).put(f.evaluation).put(f.what).bytes();
    }
    case Order::end:
      break;
  }
  return {};
}

Crew::Chosen Crew::rows_here(std::span<const std::size_t> rows) const {
  Chosen chosen;
  std::vector<Points> parts;
  // A page that is mapped brings others along, which are not wanted.
  const std::size_t together = mine_.forget ? 256 : std::max<std::size_t>(rows.size(), 1);
  for (std::size_t begin = 0; begin < rows.size() || begin == 0; begin += together) {
    const auto some = rows.subspan(begin, std::min(together, rows.size() - begin));
    parts.push_back(mine_.points.select({some.begin(), some.end()}));
    for (const std::size_t i : some) {
      for (std::size_t c = 0; c < mine_.columns; ++c) chosen.y.values.push_back(mine_.y(i, c));
      chosen.weights.push_back(mine_.weight(i));
    }
    if (mine_.forget) mine_.forget();
  }
  chosen.y.rows = rows.size();
  chosen.y.columns = mine_.columns;
  chosen.points = parts.size() == 1 ? std::move(parts[0]) : joined(parts);
  return chosen;
}

std::string Crew::checksums_of_blocks() const {
  std::string all;
  for (std::size_t b = 0; b + 1 < borders_.size(); ++b) {
    const std::size_t begin = borders_[b];
    const std::size_t end = borders_[b + 1];
    Checksum sum;
    data::add(sum, mine_.points.part(begin, end));
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < mine_.columns; ++c) {
        const double y = mine_.y(i, c);
        sum.add({reinterpret_cast<const char*>(&y), sizeof y});
      }
      const double weight = mine_.weight(i);
      sum.add({reinterpret_cast<const char*>(&weight), sizeof weight});
    }
    const std::uint64_t value = sum.value();
    all.append(reinterpret_cast<const char*>(&value), sizeof value);
    if (mine_.forget) mine_.forget();
  }
  return all;
}

BasisValues Crew::values_of(std::size_t block, bool keep) const {
  const std::size_t begin = borders_[block];
  const Points x = mine_.points.part(begin, borders_[block + 1]);
  try {
    return {basis_, x, gram_, keep};
  } catch (const GramError& error) {
    throw EvaluationError("row " + std::to_string(mine_.first + begin + error.row() + 1) + ": " +
                          error.why());
  } catch (const EvaluationError& error) {
    throw EvaluationError("in rows " + std::to_string(mine_.first + begin + 1) + " to " +
                          std::to_string(mine_.first + begin + x.rows()) + ": " + error.what());
  }
}

// Much of what is done for a block is one thread's work. Of rows that come from disk one block is
// there at a time.
void Crew::keep_values() {
  const std::size_t blocks = borders_.size() - 1;
  std::vector<std::optional<BasisValues>> made(blocks);
  parallel_for(blocks, mine_.forget ? 1 : gram_.threads, [&](std::size_t b) {
    made[b].emplace(values_of(b, true));
    if (mine_.forget) mine_.forget();
  });
  for (auto& values : made) kept_.push_back(std::move(*values));
}

bool Crew::left_out(std::size_t row) const { return std::ranges::binary_search(out_, row); }

std::vector<std::vector<std::size_t>> Crew::pass_over(Pass kind, const Matrix& V,
                                                      const PassOptions& options,
                                                      comm::WideSums& sums) const {
  const std::size_t w = columns(options);
  const std::size_t v = V.columns;
  const std::size_t back = back_columns(kind, options);
  const bool offset = !options.offsets.empty();
  const bool sampled = kind == Pass::hinge && options.sample > 0;
  std::vector<std::vector<std::size_t>> corner(sampled ? w : 0);
  std::vector<double> part(V.rows * back);
  for (std::size_t b = 0; b + 1 < borders_.size(); ++b) {
    std::optional<BasisValues> now;
    if (kept_.empty()) now.emplace(values_of(b, false));
    const BasisValues& K = now ? *now : kept_[b];
    // Tallies of strips are summed in the order of the rows, whoever computes them.
    std::vector<std::pair<std::size_t, std::vector<double>>> strips;
    std::mutex mutex;
    const auto middle = [&](std::size_t first, std::size_t rows, std::span<const double> F,
                            std::span<double> T) {
      std::vector<double> tally(tallies(kind, options));
      std::vector<std::vector<std::size_t>> found(corner.size());
      const auto value = [&](std::size_t r, std::size_t j) {
        return F[r * v + j] + (offset ? options.offsets[j] : 0);
      };
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t i = borders_[b] + first + r;
        const double c = left_out(mine_.first + i) ? 0.0 : mine_.weight(i);
        for (std::size_t j = 0; j < w; ++j) {
          const double f = value(r, j);
          double& t = T[r * back + j];
          const std::size_t column = options.columns.empty() ? j : options.columns[j];
          const double y = kind == Pass::normal || kind == Pass::hessian ? 0 : mine_.y(i, column);
          switch (kind) {
            case Pass::residual:
              t = c * (y - f);
              tally[0] += c * (y - f) * (y - f);
              break;
            case Pass::normal:
              t = c * f;
              break;
            case Pass::start:
              t = c * (y - f);
              T[r * back + w + j] = c * y;
              tally[0] += c * (y - f) * (y - f);
              tally[1] += c * y * y;
              break;
            case Pass::gradient:
              t = c * y * sigmoid(-y * f);
              tally[0] += c * softplus(-y * f);
              break;
            case Pass::hessian: {
              const double s = sigmoid(f);
              t = c * s * (1 - s) * F[r * v + w + j];
              break;
            }
            case Pass::hinge: {
              const double width = options.widths[j];
              const double short_of = std::max(0.0, 1 - y * f);
              const double a = c * std::min(1.0, short_of / width);
              double* mine = tally.data() + tally_count * j;
              mine[rounded] +=
                  c * (short_of < width ? short_of * short_of / (2 * width) : short_of - width / 2);
              mine[exact] += c * short_of;
              mine[rounding] += (c - a) * short_of;
              mine[y > 0 ? plus : minus] += a;
              t = offset && y < 0 ? 0 : a * y;
              if (offset) T[r * back + w + j] = y < 0 ? a * y : 0;
              if (short_of > 0 && short_of < width && c > 0) {
                mine[in_corner] += c;
                if (sampled) found[j].push_back(mine_.first + i);
              }
              break;
            }
            case Pass::corner: {
              const double width = options.widths[j];
              const double short_of = 1 - y * f;
              t = short_of > 0 && short_of < width ? c / width * value(r, w + j) : 0;
              tally[j] += t;
              break;
            }
          }
        }
      }
      const std::scoped_lock lock(mutex);
      strips.emplace_back(first, std::move(tally));
      for (std::size_t j = 0; j < found.size(); ++j) {
        corner[j].insert(corner[j].end(), found[j].begin(), found[j].end());
        if (corner[j].size() > 4 * options.sample) draw(corner[j], options.sample);
      }
    };
    try {
      K.apply_both(V.values, v, middle, back, part);
    } catch (const GramError& error) {
      throw EvaluationError("row " + std::to_string(mine_.first + borders_[b] + error.row() + 1) +
                            " and centre " + std::to_string(error.column() + 1) + ": " +
                            error.why());
    }
    for (std::size_t j = 0; j < part.size(); ++j) sums.add(j, part[j]);
    std::ranges::sort(strips);
    std::vector<double> total(tallies(kind, options));
    for (const auto& [first, tally] : strips)
      for (std::size_t j = 0; j < total.size(); ++j) total[j] += tally[j];
    for (std::size_t j = 0; j < total.size(); ++j) sums.add(part.size() + j, total[j]);
    if (mine_.forget) mine_.forget();
  }
  for (auto& some : corner) draw(some, options.sample);
  return corner;
}

}  // namespace mercer::scale
