// What mercer_more.so has for the program.
#include "cli/more.hpp"

#include <array>

namespace mercer::cli {

namespace {

constexpr std::array<More::Named, 7> commands{{{"prove", add_prove},
                                               {"features", add_features},
                                               {"equal", add_equal},
                                               {"separable", add_separable},
                                               {"check-gram", add_check_gram},
                                               {"plot", add_plot},
                                               {"studio", add_studio}}};

constexpr More all{commands, prove};

}  // namespace

extern "C" const More* mercer_more() { return &all; }

}  // namespace mercer::cli
