#include "learn/perceptron_space.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/parallel.hpp"

namespace mercer::learn {

namespace {

constexpr std::size_t block_size = 512;  // examples looked ahead
constexpr std::size_t row_group = 1024;  // rows of earlier mistakes computed together

struct Update {
  std::size_t example;
  std::size_t output;
  double delta;
};

// Scores are up to date for the examples of the present block. Of the others, those ahead in the
// pass lack the updates of this pass, and those behind what came after their block: they get it
// when their block comes, and when the pass ends. So each score sees all updates in their order,
// and is rounded as if each had been applied at once.
template <class T>
class GramSpace final : public PerceptronSpace {
 public:
  GramSpace(const Gram& K, std::size_t outputs, unsigned threads, IsMistake is_mistake)
      : K_(K),
        outputs_(outputs),
        threads_(threads),
        is_mistake_(std::move(is_mistake)),
        scores_(outputs * K.rows()) {}

  void start_pass(std::span<const std::size_t> order) override {
    order_ = order;
    log_.clear();
    after_.clear();
    begin_ = end_ = 0;
    next_ = 0;
  }

  void visit() override {
    if (next_ == end_) {
      leave_block();
      begin_ = next_;
      end_ = std::min(order_.size(), begin_ + block_size);
      load(begin_, end_);
      add(0, log_.size());
    }
    now_ = next_++ - begin_;
  }

  double score(std::size_t output) override { return block_[output * block_size + now_]; }

  void update(std::size_t example, std::size_t output, double delta) override {
    log_.push_back({example, output, delta});
    const T* row = row_of(example);
    double* to = block_.data() + output * block_size;
    for (std::size_t i = 0; i < size(); ++i) to[i] += delta * static_cast<double>(row[i]);
  }

  void end_pass() override {
    leave_block();
    if (log_.empty()) return;
    for (std::size_t b = 0; b < after_.size(); ++b) {
      load(b * block_size, std::min(order_.size(), (b + 1) * block_size));
      add(after_[b], log_.size());
      store();
    }
  }

  [[nodiscard]] double score_of(std::size_t example, std::size_t output) const override {
    return scores_[output * K_.rows() + example];
  }

 private:
  [[nodiscard]] std::size_t size() const { return block_rows_.size(); }

  void load(std::size_t begin, std::size_t end) {
    block_rows_.assign(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                       order_.begin() + static_cast<std::ptrdiff_t>(end));
    block_.resize(outputs_ * block_size);
    for (std::size_t c = 0; c < outputs_; ++c)
      for (std::size_t i = 0; i < size(); ++i)
        block_[c * block_size + i] = scores_[c * K_.rows() + block_rows_[i]];
    rows_.clear();
    row_at_.clear();
  }

  void store() {
    for (std::size_t c = 0; c < outputs_; ++c)
      for (std::size_t i = 0; i < size(); ++i)
        scores_[c * K_.rows() + block_rows_[i]] = block_[c * block_size + i];
  }

  void leave_block() {
    if (end_ == 0) return;
    store();
    after_.push_back(log_.size());
  }

  // Applies updates [begin, end) of the log to the block.
  void add(std::size_t begin, std::size_t end) {
    while (begin < end) {
      // As many as have row_group different examples.
      std::vector<std::size_t> rows;
      std::vector<std::size_t> row_of_update;
      std::unordered_map<std::size_t, std::size_t> seen;
      std::size_t stop = begin;
      for (; stop < end; ++stop) {
        const auto [at, is_new] = seen.try_emplace(log_[stop].example, rows.size());
        if (is_new && rows.size() == row_group) break;
        if (is_new) rows.push_back(log_[stop].example);
        row_of_update.push_back(at->second);
      }
      values_.resize(rows.size() * block_size);
      K_.block(rows, block_rows_, values_.data(), block_size);
      apply(begin, stop, row_of_update);
      begin = stop;
    }
  }

  void apply(std::size_t begin, std::size_t end, const std::vector<std::size_t>& row_of_update) {
    constexpr std::size_t share = 64;  // of the examples, in the nearest cache
    parallel_for((size() + share - 1) / share, threads_, [&](std::size_t task) {
      const std::size_t from = task * share;
      const std::size_t until = std::min(size(), from + share);
      for (std::size_t u = begin; u < end; ++u) {
        const T* row = values_.data() + row_of_update[u - begin] * block_size;
        double* to = block_.data() + log_[u].output * block_size;
        const double delta = log_[u].delta;
        for (std::size_t i = from; i < until; ++i) to[i] += delta * static_cast<double>(row[i]);
      }
    });
  }

  // The row of an example for this block. With it come the rows of those ahead that would be
  // mistakes as things stand.
  const T* row_of(std::size_t example) {
    if (const auto at = row_at_.find(example); at != row_at_.end())
      return rows_[at->second.first].data() + at->second.second * block_size;
    std::vector<std::size_t> list{example};
    for (std::size_t i = now_; i < size() && list.size() < block_size; ++i) {
      const std::size_t other = block_rows_[i];
      if (other == example || row_at_.contains(other)) continue;
      for (std::size_t c = 0; c < outputs_; ++c)
        if (is_mistake_(other, c, block_[c * block_size + i])) {
          list.push_back(other);
          break;
        }
    }
    std::vector<T>& values = rows_.emplace_back(list.size() * block_size);
    K_.block(list, block_rows_, values.data(), block_size);
    for (std::size_t r = 0; r < list.size(); ++r) row_at_[list[r]] = {rows_.size() - 1, r};
    return values.data();
  }

  const Gram& K_;
  std::size_t outputs_;
  unsigned threads_;
  IsMistake is_mistake_;
  std::vector<double> scores_;      // of each output, by example
  std::vector<Update> log_;         // of this pass
  std::vector<std::size_t> after_;  // how long the log was when each block was left
  std::span<const std::size_t> order_;
  std::size_t next_ = 0;
  std::size_t begin_ = 0;  // the present block
  std::size_t end_ = 0;
  std::size_t now_ = 0;  // in the block
  std::vector<std::size_t> block_rows_;
  std::vector<double> block_;  // scores of the block, by output
  std::vector<T> values_;
  std::vector<std::vector<T>> rows_;  // computed for the block
  std::unordered_map<std::size_t, std::pair<std::size_t, std::size_t>> row_at_;
};

class FeatureSpace final : public PerceptronSpace {
 public:
  FeatureSpace(const Points& phi, Matrix& w) : phi_(phi), w_(w), point_(phi.columns()) {}

  void start_pass(std::span<const std::size_t> order) override {
    order_ = order;
    next_ = 0;
  }
  void visit() override {
    now_ = order_[next_++];
    phi_.row(now_, std::span(point_));
  }
  double score(std::size_t output) override { return dot(point_, output); }
  void update(std::size_t example, std::size_t output, double delta) override {
    std::vector<double> other;
    if (example != now_) {
      other.resize(point_.size());
      phi_.row(example, std::span(other));
    }
    const std::vector<double>& point = example == now_ ? point_ : other;
    for (std::size_t j = 0; j < point.size(); ++j) w_(j, output) += delta * point[j];
  }
  void end_pass() override {}
  [[nodiscard]] double score_of(std::size_t example, std::size_t output) const override {
    std::vector<double> point(point_.size());
    phi_.row(example, std::span(point));
    return dot(point, output);
  }

 private:
  [[nodiscard]] double dot(const std::vector<double>& point, std::size_t output) const {
    double sum = 0;
    for (std::size_t j = 0; j < point.size(); ++j) sum += point[j] * w_(j, output);
    return sum;
  }

  const Points& phi_;
  Matrix& w_;
  std::vector<double> point_;
  std::span<const std::size_t> order_;
  std::size_t next_ = 0;
  std::size_t now_ = 0;
};

// The same where φ is computed in blocks of examples, in the order of the pass.
class StreamedSpace final : public PerceptronSpace {
 public:
  StreamedSpace(const FeatureRows& phi, Matrix& w) : phi_(phi), w_(w) {}

  void start_pass(std::span<const std::size_t> order) override {
    order_ = order;
    next_ = end_ = 0;
    scores_.clear();
  }
  void visit() override {
    if (next_ == end_) {
      begin_ = next_;
      end_ = std::min(order_.size(), begin_ + block_size);
      block_ = phi_.of(order_.subspan(begin_, end_ - begin_));
    }
    now_ = next_++ - begin_;
  }
  double score(std::size_t output) override { return dot(block_.row(now_), output); }
  void update(std::size_t example, std::size_t output, double delta) override {
    Matrix other;
    if (example != order_[begin_ + now_]) other = phi_.of(std::span(&example, 1));
    const auto point = other.rows > 0 ? other.row(0) : block_.row(now_);
    for (std::size_t j = 0; j < point.size(); ++j) w_(j, output) += delta * point[j];
  }
  void end_pass() override {}
  [[nodiscard]] double score_of(std::size_t example, std::size_t output) const override {
    if (scores_.empty()) score_all();
    return scores_[example * w_.columns + output];
  }

 private:
  [[nodiscard]] double dot(std::span<const double> point, std::size_t output) const {
    double sum = 0;
    for (std::size_t j = 0; j < point.size(); ++j) sum += point[j] * w_(j, output);
    return sum;
  }
  void score_all() const {
    scores_.resize(phi_.rows() * w_.columns);
    std::vector<std::size_t> some;
    for (std::size_t begin = 0; begin < phi_.rows(); begin += block_size) {
      some.clear();
      for (std::size_t i = begin; i < std::min(phi_.rows(), begin + block_size); ++i)
        some.push_back(i);
      const Matrix block = phi_.of(some);
      for (std::size_t i = 0; i < some.size(); ++i)
        for (std::size_t c = 0; c < w_.columns; ++c)
          scores_[some[i] * w_.columns + c] = dot(block.row(i), c);
    }
  }

  const FeatureRows& phi_;
  Matrix& w_;
  std::span<const std::size_t> order_;
  std::size_t next_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t now_ = 0;
  Matrix block_;
  mutable std::vector<double> scores_;  // of all, after the last pass
};

}  // namespace

std::unique_ptr<PerceptronSpace> feature_space(const FeatureRows& phi, Matrix& w) {
  return std::make_unique<StreamedSpace>(phi, w);
}

std::unique_ptr<PerceptronSpace> gram_space(const Gram& K, std::size_t outputs, unsigned threads,
                                            IsMistake is_mistake) {
  if (K.report().precision == "float64")
    return std::make_unique<GramSpace<double>>(K, outputs, threads, std::move(is_mistake));
  return std::make_unique<GramSpace<float>>(K, outputs, threads, std::move(is_mistake));
}

std::unique_ptr<PerceptronSpace> feature_space(const Points& phi, Matrix& w) {
  return std::make_unique<FeatureSpace>(phi, w);
}

}  // namespace mercer::learn
