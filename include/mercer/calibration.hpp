// From scores to probabilities: which sigmoid says how sure a score is?
//
// Of scores f_i that were held out of the training, and whether each is positive (y_i = 1), the
// slope A and offset B of P(y = 1 | f) = 1 / (1 + exp(A f + B)) are those with the least
//
//     - Σ w_i (t_i log p_i + (1 - t_i) log(1 - p_i)),   p_i = 1 / (1 + exp(A f_i + B)),
//
// where the targets t are not 0 and 1 but (Platt 2000), with N₊ and N₋ the weights of either side,
//
//     t = (N₊ + 1) / (N₊ + 2) of positive scores,   t = 1 / (N₋ + 2) of the others,
//
// so that sides which are apart still get a finite slope. The problem is convex; Newton's method
// with backtracking solves it (Lin, Lin and Weng 2007).
//
//     model.calibration = {fit_sigmoid(held_out_scores, is_second_class)};
#pragma once

#include <mercer/model.hpp>
#include <span>

namespace mercer {

// `positive`: not 0 where the score is of that side. Without weights all are 1. Where the scores
// are all the same, or there are none, the slope is 0: the probability is that of the counts, (N₊ +
// 1) / (N₊ + N₋ + 2). Throws Error for scores that are not finite, weights that are negative, and
// spans of different lengths.
Model::Sigmoid fit_sigmoid(std::span<const double> scores, std::span<const char> positive,
                           std::span<const double> weights = {});

}  // namespace mercer
