// The functions that users have registered, by name. Safe to use from several threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/expr.hpp"

namespace mercer::algebra {

std::shared_ptr<const UserFunctionEntry> register_user(std::string_view name,
                                                       UserFunction function);
std::shared_ptr<const UserFunctionEntry> find_user(std::string_view name);  // null where unknown
std::vector<std::string> user_names();

}  // namespace mercer::algebra
