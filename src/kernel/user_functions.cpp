#include "kernel/user_functions.hpp"

#include <map>
#include <mercer/error.hpp>
#include <mutex>
#include <shared_mutex>

#include "base/text.hpp"

namespace mercer {

namespace algebra {

namespace {

struct Registry {
  std::shared_mutex mutex;
  std::map<std::string, std::shared_ptr<const UserFunctionEntry>, std::less<>> entries;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

std::shared_ptr<const UserFunctionEntry> register_user(std::string_view name,
                                                       UserFunction function) {
  if (name.empty()) throw Error("a user function needs a name");
  if (!function) throw Error("the user function " + in_quotes(name) + " is empty");
  auto entry = std::make_shared<const UserFunctionEntry>(
      UserFunctionEntry{std::string(name), std::move(function)});
  Registry& r = registry();
  const std::unique_lock lock(r.mutex);
  if (!r.entries.emplace(std::string(name), entry).second)
    throw Error("a user function " + in_quotes(name) +
                " is registered already; call forget_user first to replace it");
  return entry;
}

std::shared_ptr<const UserFunctionEntry> find_user(std::string_view name) {
  Registry& r = registry();
  const std::shared_lock lock(r.mutex);
  const auto found = r.entries.find(name);
  return found == r.entries.end() ? nullptr : found->second;
}

std::vector<std::string> user_names() {
  Registry& r = registry();
  const std::shared_lock lock(r.mutex);
  std::vector<std::string> names;
  for (const auto& [name, entry] : r.entries) names.push_back(name);
  return names;
}

}  // namespace algebra

void forget_user(std::string_view name) {
  auto& r = algebra::registry();
  const std::unique_lock lock(r.mutex);
  const auto found = r.entries.find(name);
  if (found != r.entries.end()) r.entries.erase(found);
}

}  // namespace mercer
