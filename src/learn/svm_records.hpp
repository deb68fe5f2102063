// Support vector machines in a checkpoint: under way, done, and what was chosen for them.
#pragma once

#include <mercer/svm.hpp>
#include <optional>

#include "learn/choose_svm.hpp"
#include "model/checkpoint_file.hpp"
#include "svm/state.hpp"

namespace mercer::learn {

model::Record record_of(const support::State& state);
model::Record record_of(const Svm& machine);
// None: it could not be chosen, which is an outcome, too.
model::Record record_of(const std::optional<SvmChoice>& choice);

// Nothing where the record is of a machine under way. Throws Error where it is none for so many
// points.
std::optional<Svm> machine_in(const model::Record& record, std::size_t points);
// Throw Error.
support::State state_in(const model::Record& record);
std::optional<SvmChoice> choice_in(const model::Record& record);

}  // namespace mercer::learn
