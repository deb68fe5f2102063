#include "gram/engine.hpp"

#include "base/instructions.hpp"
#include "gram/engine_table.hpp"

namespace mercer::gram {

template <>
const std::vector<Engine<float>>& engines<float>() {
  static const auto all = all_engines<float>();
  return all;
}
template <>
const std::vector<Engine<double>>& engines<double>() {
  static const auto all = all_engines<double>();
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
