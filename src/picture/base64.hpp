#pragma once

#include <string>
#include <string_view>

namespace mercer::picture {

std::string base64(std::string_view bytes);

}  // namespace mercer::picture
