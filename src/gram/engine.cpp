#include "gram/engine.hpp"

#include "base/instructions.hpp"
#include "gram/engine_table.hpp"

namespace mercer::gram {

namespace {

template <class T>
std::vector<Engine<T>> named_engines() {
  auto all = all_engines<T>();
  for (auto& e : all) e.name = instructions_name(e.name);
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
  static const Engine<float>& one = instructions_in(engines<float>());
  return one;
}
template <>
const Engine<double>& engine<double>() {
  static const Engine<double>& one = instructions_in(engines<double>());
  return one;
}

template <>
const Engine<float>& engine_named<float>(const std::string& name) {
  return name.empty() ? engine<float>() : instructions_in(engines<float>(), name);
}
template <>
const Engine<double>& engine_named<double>(const std::string& name) {
  return name.empty() ? engine<double>() : instructions_in(engines<double>(), name);
}

}  // namespace mercer::gram
