// All rules, in the order of their files' names.
#pragma once

#include "proof/prover.hpp"

namespace mercer::proof {

Rules rules_of_all_files();

}  // namespace mercer::proof
