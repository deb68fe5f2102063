// For engine.cpp: the engines as the files per number type make them.
#pragma once

#include <vector>

#include "gram/engine.hpp"

namespace mercer::gram {

template <class T>
std::vector<Engine<T>> all_engines();  // of this machine, widest first
template <>
std::vector<Engine<float>> all_engines<float>();
template <>
std::vector<Engine<double>> all_engines<double>();

}  // namespace mercer::gram
