#include <fmt/format.h>

#include <chrono>
#include <mercer/error.hpp>
#include <mercer/split.hpp>
#include <mercer/tune.hpp>

#include "choose/on_ranks.hpp"
#include "choose/outer.hpp"

namespace mercer {

CrossValidation tune_nested(const Examples& examples, const TuneOptions& options,
                            const CrossValidationOptions& outer) {
  return choose::tune_nested(examples, options, outer, comm::alone());
}

CrossValidation choose::tune_nested(const Examples& examples, const TuneOptions& options,
                                    const CrossValidationOptions& outer, const comm::Comm& comm) {
  return choose::cross_validate_by(
      examples, options.train, outer,
      [&](const EncodedTable& training, const std::vector<std::size_t>& rows) {
        TuneOptions inner = options;
        inner.known.clear();
        inner.groups.clear();
        if (!outer.groups.empty())
          for (const std::size_t i : rows) inner.groups.push_back(outer.groups[i]);
        if (options.observe)  // to be ended, not to be told about
          inner.observe = [&](const std::vector<Candidate>&) { return options.observe({}); };
        const Tuned tuned = choose::tune(training.table, inner, comm);
        Trained trained = train(training.table, training.encoding, chosen_options(tuned, inner));
        trained.chosen = {fmt::format("{} with {} = {:g}", tuned.best().kernel.text(),
                                      tuned.learner == Learner::ridge ? "lambda" : "C",
                                      tuned.best().price)};
        if (tuned.interrupted && options.seconds == 0 && options.candidates == 0)
          trained.interrupted = true;
        return trained;
      });
}

}  // namespace mercer
