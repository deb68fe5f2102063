#include "svm/score_all.hpp"

#include <algorithm>
#include <type_traits>

#include "base/parallel.hpp"
#include "base/tiny.hpp"
#include "svm/passes.hpp"

namespace mercer::support {

namespace {

constexpr std::size_t tile = 512;  // columns at a time
static_assert(tile % pass_step == 0);

struct Piece {
  std::size_t fold;
  std::size_t begin;
  std::size_t end;
};

template <class T>
class Scorer {
 public:
  Scorer(const AllValues<T>& K, const Passes<T>& passes, const Piece& piece)
      : K_(K),
        passes_(passes),
        piece_(piece),
        // Whole steps, which rows consist of.
        first_(piece.begin / pass_step * pass_step),
        sums_(filled(piece.end) - first_) {}

  void score(std::size_t number, const HeldOut& machine, const TakeScores& take) {
    // Those of the machine itself.
    const auto own = std::ranges::lower_bound(machine.rows, piece_.begin);
    const auto own_end = std::lower_bound(own, machine.rows.end(), piece_.end);
    const std::size_t count = piece_.end - piece_.begin;
    const bool strangers = static_cast<std::size_t>(own_end - own) < count;
    std::ranges::fill(sums_, 0);
    for (std::size_t c = 0; c < machine.scores.size(); ++c) {
      double* scores = sums_.data() + (piece_.begin - first_);
      if (strangers) {
        add(machine.outside[piece_.fold][c]);
        result_.resize(count);
        for (std::size_t i = 0; i < count; ++i)
          result_[i] = scores[i] + machine.outside[piece_.fold][c].offset;
      } else {
        result_.resize(count);
      }
      for (auto i = own; i != own_end; ++i)
        result_[*i - piece_.begin] =
            machine.scores[c][static_cast<std::size_t>(i - machine.rows.begin())];
      take(number, c, piece_.begin, result_);
    }
  }

 private:
  void add(const Outside& more) {
    const TinyIsZero tiny_is_zero;
    if (more.scaled != 1)
      for (double& s : sums_) s *= more.scaled;
    rows_.clear();
    for (const std::uint32_t r : more.rows) rows_.push_back(K_.row(r) + first_);
    // Nobody is trained by these scores: floats will do where K is of floats.
    if constexpr (std::is_same_v<T, float>) {
      by_.assign(more.by.begin(), more.by.end());
      passes_.add_roughly(sums_.data(), rows_.data(), by_.data(), rows_.size(), 0, sums_.size());
    } else {
      passes_.add_rows(sums_.data(), rows_.data(), more.by.data(), rows_.size(), 0, sums_.size());
    }
  }

  const AllValues<T>& K_;
  const Passes<T>& passes_;
  const Piece& piece_;
  std::size_t first_;
  std::vector<double> sums_;
  std::vector<double> result_;
  std::vector<const T*> rows_;
  std::vector<float> by_;
};

}  // namespace

template <class T>
void score_all(const AllValues<T>& K, const HeldOutOptions& options, unsigned threads,
               const std::vector<HeldOut>& machines, const TakeScores& take) {
  std::vector<Piece> pieces;
  for (std::size_t f = 0; f + 1 < options.folds.size(); ++f)
    for (std::size_t i = options.folds[f]; i < options.folds[f + 1];) {
      const std::size_t end = std::min(options.folds[f + 1], i / tile * tile + tile);
      pieces.push_back({f, i, end});
      i = end;
    }
  const Passes<T>& use = passes<T>(options.instructions);
  parallel_for(pieces.size(), threads, [&](std::size_t k) {
    Scorer<T> scorer(K, use, pieces[k]);
    for (std::size_t m = 0; m < machines.size(); ++m) scorer.score(m, machines[m], take);
  });
}

template void score_all(const AllValues<float>&, const HeldOutOptions&, unsigned,
                        const std::vector<HeldOut>&, const TakeScores&);
template void score_all(const AllValues<double>&, const HeldOutOptions&, unsigned,
                        const std::vector<HeldOut>&, const TakeScores&);

}  // namespace mercer::support
