#include "model/libsvm_header.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "base/text.hpp"
#include "data/cell.hpp"
#include "data/place.hpp"

namespace mercer::model {

namespace {

constexpr std::size_t most_classes = std::size_t{1} << 24U;

std::string one_of(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string(names[i]);
  return text;
}

// The first word of the text, which it then lacks; empty at the end.
std::string_view word_of(std::string_view& text) {
  constexpr std::string_view blanks = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

class HeaderReader {
 public:
  HeaderReader(Lines& lines, const std::string& name) : lines_(lines), name_(name) {}

  LibsvmHeader run() {
    while (lines_.next()) {
      rest_ = lines_.line();
      key_ = word_of(rest_);
      if (key_.empty()) continue;
      const auto [at, fresh] = header_.lines.emplace(key_, lines_.number());
      if (!fresh)
        fail(std::string(key_) + " was there already, in line " + std::to_string(at->second));
      if (key_ == "SV") {
        end_of_line();
        check();
        return std::move(header_);
      }
      keyword();
      end_of_line();
    }
    fail("the file ends before its support vectors: it is truncated");
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    data::fail(name_, std::max<std::size_t>(lines_.number(), 1), message);
  }
  [[noreturn]] void fail_at(std::string_view key, const std::string& message) const {
    const auto at = header_.lines.find(key);
    data::fail(name_, at == header_.lines.end() ? lines_.number() : at->second, message);
  }

  void keyword() {
    LibsvmHeader& h = header_;
    if (key_ == "svm_type") {
      h.type = static_cast<LibsvmType>(name_among(libsvm_types));
    } else if (key_ == "kernel_type") {
      h.kernel.type = static_cast<LibsvmKernel>(name_among(libsvm_kernels));
      if (h.kernel.type == LibsvmKernel::precomputed)
        fail(
            "a precomputed kernel: its values are not in the file, and without them the model "
            "cannot be used");
    } else if (key_ == "degree") {
      h.kernel.degree = static_cast<int>(whole(0, std::numeric_limits<int>::max()));
    } else if (key_ == "gamma") {
      h.kernel.gamma = number();
    } else if (key_ == "coef0") {
      h.kernel.coef0 = number();
    } else if (key_ == "nr_class") {
      h.classes = static_cast<std::size_t>(whole(1, most_classes));
    } else if (key_ == "total_sv") {
      h.vectors = static_cast<std::size_t>(whole(0, std::numeric_limits<std::int32_t>::max()));
    } else if (key_ == "rho") {
      h.rho = numbers();
    } else if (key_ == "label") {
      constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
      while (!at_end()) h.labels.push_back(std::to_string(whole(-most - 1, most)));
    } else if (key_ == "nr_sv") {
      while (!at_end())
        h.counts.push_back(
            static_cast<std::size_t>(whole(0, std::numeric_limits<std::int32_t>::max())));
    } else if (key_ == "probA") {
      h.prob_a = numbers();
    } else if (key_ == "probB") {
      h.prob_b = numbers();
    } else if (key_ == "prob_density_marks") {
      numbers();  // how likely points are under one_class: nothing that a prediction here says
    } else {
      unknown();
    }
  }

  [[noreturn]] void unknown() const {
    static constexpr std::array<std::string_view, 13> keywords{
        "svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv",
        "rho",      "label",       "nr_sv",  "probA", "probB", "SV"};
    const std::string guess = nearest(key_, keywords);
    fail(data::shown(key_) + " is no keyword of a LIBSVM model" +
         (guess.empty() ? "" : "; did you mean '" + guess + "'?"));
  }

  bool at_end() { return rest_.find_first_not_of(" \t") == std::string_view::npos; }
  void end_of_line() {
    if (!at_end())
      fail(data::shown(word_of(rest_)) + " is too much in a line of " + std::string(key_));
  }
  std::string_view value() {
    const std::string_view word = word_of(rest_);
    if (word.empty()) fail("the value of " + std::string(key_) + " is missing");
    return word;
  }

  std::size_t name_among(std::span<const std::string_view> names) {
    const std::string_view word = value();
    const auto at = std::ranges::find(names, word);
    if (at == names.end())
      fail(std::string(key_) + " " + data::shown(word) + " is not known; expected " +
           one_of(names));
    return static_cast<std::size_t>(at - names.begin());
  }
  double number() {
    const std::string_view word = value();
    const auto found = data::number_in(word);
    if (!found || !std::isfinite(*found))
      fail(std::string(key_) + ": " + data::shown(word) +
           (found ? " is not a finite number" : " is not a number"));
    return *found;
  }
  std::vector<double> numbers() {
    std::vector<double> all;
    while (!at_end()) all.push_back(number());
    return all;
  }
  std::int64_t whole(std::int64_t least, std::int64_t most) {
    std::string_view word = value();
    const std::string_view written = word;
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
    std::int64_t found = 0;
    const auto [stop, status] = std::from_chars(word.data(), word.data() + word.size(), found);
    if (status != std::errc() || stop != word.data() + word.size() || found < least || found > most)
      fail(std::string(key_) + ": " + data::shown(written) +
           " found, expected a whole number from " + std::to_string(least) + " to " +
           std::to_string(most));
    return found;
  }

  // ---- does it fit?

  void need(std::string_view key) const {
    if (!header_.lines.contains(key))
      fail("the lines above have no " + std::string(key) + ", which this kind of model needs");
  }
  void count(std::string_view key, std::size_t found, std::size_t expected) const {
    need(key);
    if (found != expected)
      fail_at(key, std::string(key) + " has " + std::to_string(found) + " values, expected " +
                       std::to_string(expected) + " for nr_class " +
                       std::to_string(header_.classes));
  }

  void check() const {
    const LibsvmHeader& h = header_;
    for (const char* key : {"svm_type", "kernel_type", "nr_class", "total_sv"}) need(key);
    if (h.kernel.type != LibsvmKernel::linear) need("gamma");
    if (h.kernel.type == LibsvmKernel::polynomial) need("degree");
    if (h.kernel.type == LibsvmKernel::polynomial || h.kernel.type == LibsvmKernel::sigmoid)
      need("coef0");
    if (h.classification()) {
      check_classes();
    } else {
      if (h.classes != 2)
        fail_at("nr_class", "nr_class is 2 in LIBSVM's models of regression and of one class");
      count("rho", h.rho.size(), 1);
    }
  }

  void check_classes() const {
    const LibsvmHeader& h = header_;
    if (h.classes == 1)
      fail_at("nr_class",
              "trained on a single class, which it always says: there is no rule in it");
    const std::size_t pairs = h.classes * (h.classes - 1) / 2;
    count("rho", h.rho.size(), pairs);
    count("label", h.labels.size(), h.classes);
    count("nr_sv", h.counts.size(), h.classes);
    if (std::set<std::string>(h.labels.begin(), h.labels.end()).size() != h.classes)
      fail_at("label", "two classes have the same label");
    std::size_t sum = 0;
    for (const std::size_t n : h.counts) sum += n;
    if (sum != h.vectors)
      fail_at("nr_sv", "the counts of nr_sv add up to " + std::to_string(sum) +
                           ", and total_sv is " + std::to_string(h.vectors));
    if (!h.lines.contains("probA") && !h.lines.contains("probB")) return;
    count("probA", h.prob_a.size(), pairs);
    count("probB", h.prob_b.size(), pairs);
  }

  Lines& lines_;
  const std::string& name_;
  LibsvmHeader header_;
  std::string_view key_;
  std::string_view rest_;  // of the line
};

}  // namespace

bool Lines::next() {
  if (rest_.empty()) return false;
  const auto stop = rest_.find('\n');
  ended_ = stop != std::string_view::npos;
  line_ = rest_.substr(0, stop);
  rest_.remove_prefix(ended_ ? stop + 1 : rest_.size());
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++number_;
  return true;
}

LibsvmHeader read_libsvm_header(Lines& lines, const std::string& name) {
  return HeaderReader(lines, name).run();
}

}  // namespace mercer::model
