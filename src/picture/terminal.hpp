// Pictures in the terminal itself, where it says that it can: by the graphics protocol of kitty, or
// by sixels.
#pragma once

#include <string>
#include <string_view>

#include "picture/write.hpp"

namespace mercer::picture {

enum class Inline { none, kitty, sixel };

// Asks the terminal behind stdin and stdout, and waits a moment for its answer; none where they are
// no terminal.
Inline inline_pictures();
// What the answer says.
Inline answered(std::string_view reply);

std::string kitty_text(std::string_view png);
std::string sixel_text(const Image& image);

}  // namespace mercer::picture
