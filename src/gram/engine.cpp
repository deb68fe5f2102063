#include "gram/engine.hpp"

#include <cctype>
#include <cstdlib>
#include <mercer/error.hpp>
#include <string_view>

#include "gram/engine_table.hpp"

namespace mercer::gram {

namespace {

// As people write it: AVX-512, AVX2, SSE4, NEON, scalar.
std::string plain_name(const std::string& target) {
  if (target == "AVX3") return "AVX-512";
  if (target == "SCALAR" || target == "EMU128") return "scalar";
  return target;
}

bool same_name(std::string_view a, std::string_view b) {
  const auto next = [](std::string_view s, std::size_t& i) {
    while (i < s.size() && (s[i] == '-' || s[i] == '_')) ++i;
    return i < s.size() ? std::tolower(static_cast<unsigned char>(s[i++])) : 0;
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (true) {
    const int c = next(a, i);
    if (c != next(b, j)) return false;
    if (c == 0) return true;
  }
}

template <class T>
const Engine<T>& find(const std::string& wanted, const std::string& asked) {
  std::string names;
  for (const auto& e : engines<T>()) {
    if (same_name(e.name, wanted)) return e;
    names += (names.empty() ? "" : ", ") + e.name;
  }
  throw Error(asked + ": there is no such instruction set here; this machine has " + names);
}

template <class T>
const Engine<T>& chosen() {
  const char* wanted = std::getenv("MERCER_ISA");  // NOLINT(concurrency-mt-unsafe): once
  if (wanted == nullptr || *wanted == '\0') return engines<T>().front();
  return find<T>(wanted, "MERCER_ISA=" + std::string(wanted));
}

template <class T>
std::vector<Engine<T>> named_engines() {
  auto all = all_engines<T>();
  for (auto& e : all) e.name = plain_name(e.name);
  return all;
}

}  // namespace

template <>
const std::vector<Engine<float>>& engines<float>() {
  static const auto all = named_engines<float>();
  return all;
}
template <>
const std::vector<Engine<double>>& engines<double>() {
  static const auto all = named_engines<double>();
  return all;
}

template <>
const Engine<float>& engine<float>() {
  static const Engine<float>& one = chosen<float>();
  return one;
}
template <>
const Engine<double>& engine<double>() {
  static const Engine<double>& one = chosen<double>();
  return one;
}

template <>
const Engine<float>& engine_named<float>(const std::string& name) {
  return name.empty() ? engine<float>() : find<float>(name, name);
}
template <>
const Engine<double>& engine_named<double>(const std::string& name) {
  return name.empty() ? engine<double>() : find<double>(name, name);
}

}  // namespace mercer::gram
