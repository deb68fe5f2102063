// Choices that Python names by words.
#pragma once

#include <array>
#include <mercer/error.hpp>
#include <mercer/model.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace mercer::python {

template <class Value, std::size_t n>
using Words = std::array<std::pair<std::string_view, Value>, n>;

template <class Value, std::size_t n>
std::string word_of(const Words<Value, n>& words, Value value) {
  for (const auto& [word, meaning] : words)
    if (meaning == value) return std::string(word);
  return {};
}

// Throws Error that lists the words there are.
template <class Value, std::size_t n>
Value meaning_of(const Words<Value, n>& words, const std::string& said, const std::string& name) {
  std::string all;
  for (const auto& [word, meaning] : words) {
    if (word == said) return meaning;
    all += (all.empty() ? "'" : ", '") + std::string(word) + "'";
  }
  throw Error(name + " must be one of " + all + ", not '" + said + "'");
}

inline constexpr Words<Model::Task, 2> tasks{
    {{"classification", Model::Task::classification}, {"regression", Model::Task::regression}}};

}  // namespace mercer::python
