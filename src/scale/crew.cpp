#include "scale/crew.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <mercer/error.hpp>
#include <mutex>

#include "base/checksum.hpp"
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

}  // namespace

Crew::Crew(const comm::Comm& comm, const Examples& mine) : comm_(comm), mine_(mine) {
  auto entries = static_cast<double>(mine.points.entries());
  comm::sum(comm, std::span(&entries, 1));
  comm::broadcast(comm, std::as_writable_bytes(std::span(&entries, 1)));
  const std::size_t block =
      block_rows(mine.all, entries / static_cast<double>(std::max<std::size_t>(mine.all, 1)));
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
  std::vector<std::string> answers;
  ask(Message().put(Order::fetch).put(rows).bytes(), 0, &answers);
  Chosen chosen;
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

void Crew::set_centres(const Kernel& k, const Points& centres, const GramOptions& gram) {
  kernel_ = k;  // with the user's functions, which have no text
  ask(Message()
          .put(Order::centres)
          .put(k.text())
          .put(gram.precision)
          .put(gram.instructions)
          .put(gram.threads)
          .put(gram.memory)
          .put(centres)
          .bytes(),
      0);
}

void Crew::leave_out(const std::vector<std::size_t>& rows) {
  ask(Message().put(Order::leave_out).put(rows).bytes(), 0);
}

Crew::Sums Crew::pass(Pass kind, const Matrix& V) {
  ++passes_;
  const std::size_t m = V.rows;
  const std::string order =
      Message().put(Order::pass).put(kind).put(V.rows).put(V.columns).put(V.values).bytes();
  const std::size_t count = m * width() + 1;
  const std::uint64_t question = journal_ != nullptr ? mercer::checksum(order) : 0;
  std::vector<double> sums;
  if (journal_ != nullptr)
    if (auto known = journal_->find(passes_, question, count)) sums = *std::move(known);
  if (sums.empty()) {
    sums = ask(order, count);
    if (journal_ != nullptr) journal_->keep(passes_, question, sums);
  }
  Sums result;
  result.loss = sums.back();
  sums.pop_back();
  result.product = Matrix{m, width(), std::move(sums), {}};
  return result;
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
      std::vector<double> y;
      std::vector<double> weights;
      for (const std::size_t row : reader.get_all<std::size_t>()) {
        if (row < mine_.first || row >= mine_.first + mine_.rows()) continue;
        const std::size_t i = row - mine_.first;
        here.push_back(i);
        for (std::size_t c = 0; c < mine_.columns; ++c) y.push_back(mine_.y(i, c));
        weights.push_back(mine_.weight(i));
      }
      return Message().put(mine_.points.select(here)).put(y).put(weights).bytes();
    }
    case Order::centres: {
      const std::string text = reader.text();
      if (comm_.rank() != 0) kernel_ = Kernel::parse(text);
      gram_.precision = reader.get<GramOptions::Precision>();
      gram_.instructions = reader.text();
      gram_.threads = reader.get<unsigned>();
      gram_.memory = reader.get<std::size_t>();
      gram_.storage = GramOptions::Storage::recomputed;
      centres_ = reader.points();
      kept_.clear();
      const double number = gram_.precision == GramOptions::Precision::float64 ? 8 : 4;
      const double bytes = 1.5 * number * static_cast<double>(mine_.points.entries());
      if (bytes <= static_cast<double>(gram_.memory) / 2)
        for (std::size_t b = 0; b + 1 < borders_.size(); ++b) kept_.push_back(gram_of(b));
      return {};
    }
    case Order::leave_out:
      out_ = reader.get_all<std::size_t>();
      return {};
    case Order::pass: {
      const auto kind = reader.get<Pass>();
      Matrix V;
      V.rows = reader.get<std::size_t>();
      V.columns = reader.get<std::size_t>();
      V.values = reader.get_all<double>();
      sums.resize(V.rows * mine_.columns + 1);
      pass_over(kind, V, sums);
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
  }
  return all;
}

Gram Crew::gram_of(std::size_t block) const {
  const std::size_t begin = borders_[block];
  const Points x = mine_.points.part(begin, borders_[block + 1]);
  try {
    return {*kernel_, x, centres_, gram_};
  } catch (const EvaluationError& error) {
    throw EvaluationError("in rows " + std::to_string(mine_.first + begin + 1) + " to " +
                          std::to_string(mine_.first + begin + x.rows()) + ": " + error.what());
  }
}

bool Crew::left_out(std::size_t row) const { return std::ranges::binary_search(out_, row); }

void Crew::pass_over(Pass kind, const Matrix& V, comm::WideSums& sums) const {
  const std::size_t w = mine_.columns;
  const std::size_t v = V.columns;
  std::vector<double> part(V.rows * w);
  for (std::size_t b = 0; b + 1 < borders_.size(); ++b) {
    std::optional<Gram> now;
    if (kept_.empty()) now.emplace(gram_of(b));
    const Gram& K = now ? *now : kept_[b];
    // Losses of strips are summed in the order of the rows, whoever computes them.
    std::vector<std::pair<std::size_t, double>> losses;
    std::mutex mutex;
    const auto middle = [&](std::size_t first, std::size_t rows, std::span<const double> F,
                            std::span<double> T) {
      double loss = 0;
      for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t i = borders_[b] + first + r;
        const double c = left_out(mine_.first + i) ? 0.0 : mine_.weight(i);
        for (std::size_t j = 0; j < w; ++j) {
          const double f = F[r * v + j];
          double& t = T[r * w + j];
          const double y = kind == Pass::residual || kind == Pass::gradient ? mine_.y(i, j) : 0;
          switch (kind) {
            case Pass::residual:
              t = c * (y - f);
              loss += c * (y - f) * (y - f);
              break;
            case Pass::normal:
              t = c * f;
              break;
            case Pass::gradient:
              t = c * y * sigmoid(-y * f);
              loss += c * softplus(-y * f);
              break;
            case Pass::hessian: {
              const double s = sigmoid(f);
              t = c * s * (1 - s) * F[r * v + w + j];
              break;
            }
          }
        }
      }
      const std::scoped_lock lock(mutex);
      losses.emplace_back(first, loss);
    };
    try {
      K.apply_both(V.values, v, middle, w, part);
    } catch (const GramError& error) {
      throw EvaluationError("row " + std::to_string(mine_.first + borders_[b] + error.row() + 1) +
                            " and centre " + std::to_string(error.column() + 1) + ": " +
                            error.why());
    }
    for (std::size_t j = 0; j < part.size(); ++j) sums.add(j, part[j]);
    std::ranges::sort(losses);
    double total = 0;
    for (const auto& [first, loss] : losses) total += loss;
    sums.add(part.size(), total);
  }
}

}  // namespace mercer::scale
