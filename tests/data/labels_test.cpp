// Labels as classes: the different ones in order, each with its code, however many there are.
#include <gtest/gtest.h>

#include <map>
#include <mercer/labels.hpp>
#include <string>
#include <vector>

#include "support/random.hpp"

namespace {

TEST(Labels, CodesAreThePlacesAmongTheDifferentOnes) {
  Random random(3);
  for (const std::size_t values : {1U, 2U, 26U, 255U, 256U, 257U, 1000U})
    for (const bool sorted : {false, true}) {
      mercer::Labels labels;
      std::vector<std::string> texts;
      for (std::size_t i = 0; i < 3000; ++i) {
        const std::size_t v = sorted ? i * values / 3000 : random.below(values);
        labels.numbers.push_back(static_cast<double>(v) - 100.5);
        texts.push_back("class " + std::to_string(v));
      }
      std::map<double, std::int32_t> place;
      std::map<std::string, std::int32_t> place_of_text;
      for (const double v : labels.numbers) place[v] = 0;
      for (const auto& text : texts) place_of_text[text] = 0;
      std::int32_t next = 0;
      for (auto& [value, code] : place) code = next++;
      next = 0;
      for (auto& [text, code] : place_of_text) code = next++;

      const mercer::Classes classes = mercer::classes_of(labels);
      const mercer::Labels named = mercer::named_labels(texts);
      ASSERT_EQ(classes.names.size(), place.size());
      ASSERT_EQ(named.classes.size(), place_of_text.size());
      std::vector<std::size_t> counts(place.size());
      for (std::size_t i = 0; i < labels.size(); ++i) {
        ASSERT_EQ(classes.codes[i], place[labels.numbers[i]]);
        ASSERT_EQ(named.codes[i], place_of_text[texts[i]]);
        ++counts[static_cast<std::size_t>(classes.codes[i])];
      }
      EXPECT_EQ(classes.counts, counts);
    }
}

}  // namespace
