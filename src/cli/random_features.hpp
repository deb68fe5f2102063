// mercer features --random D EXPR DATA: random features of data, written out.
#pragma once

#include <cstdint>
#include <string>

#include "cli/exit_code.hpp"

namespace mercer::cli {

struct RandomFeaturesCall {
  std::string expression;
  std::string data;
  std::string out;
  std::size_t count = 0;
  bool orthogonal = false;
  bool sketch = false;
  std::uint64_t seed = 0;
  bool force = false;
  bool json = false;
};

ExitCode write_random_features(const RandomFeaturesCall& call);

}  // namespace mercer::cli
