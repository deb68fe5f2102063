#include "comm/agree.hpp"

#include <algorithm>
#include <new>

namespace mercer::comm {

namespace {

constexpr char good = '+';
constexpr char bad = '-';

}  // namespace

std::vector<std::string> together(const Comm& comm, const std::function<std::string()>& make) {
  if (comm.ranks() == 1) return {make()};
  std::string mine;
  try {
    mine = good + make();
  } catch (const Error& error) {
    mine = bad + std::string(error.what());
  } catch (const std::bad_alloc&) {
    mine = bad + std::string("there is not enough memory");
  }
  auto all = gather(comm, mine);
  const auto failed = std::ranges::find_if(all, [](const std::string& t) { return t[0] == bad; });
  std::string verdict = failed == all.end() ? "go on" : "";
  broadcast(comm, verdict);
  if (!verdict.empty()) {
    for (auto& text : all) text.erase(0, 1);
    return all;
  }
  if (comm.rank() != 0) throw Over();
  std::string why = failed->substr(1);
  if (failed != all.begin()) why += " (rank " + std::to_string(failed - all.begin()) + ")";
  throw Error(why);
}

std::string told(const Comm& comm, const std::function<std::string()>& make) {
  std::string text;
  if (comm.rank() == 0) {
    try {
      text = good + make();
    } catch (...) {
      text.clear();
      broadcast(comm, text);
      throw;
    }
  }
  broadcast(comm, text);
  if (text.empty()) throw Over();
  return text.substr(1);
}

}  // namespace mercer::comm
