// "nystrom(m=500, centres=leverage)", "fourier(D=1000)", "sketch(D=1000)"
#include <fmt/format.h>

#include <mercer/error.hpp>
#include <mercer/train.hpp>

#include "data/cell.hpp"

namespace mercer {

namespace {

constexpr std::size_t most = 1'000'000;

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

std::size_t count_in(const std::string& text, const std::string& name) {
  const auto value = data::number_in(text);
  if (!value || *value < 1 || *value > static_cast<double>(most) ||
      *value != static_cast<double>(static_cast<std::size_t>(*value)))
    throw Error(fmt::format("approximation: {} is a whole number from 1 to {}, not `{}`", name,
                            most, text));
  return static_cast<std::size_t>(*value);
}

}  // namespace

Approximation Approximation::parse(std::string_view text) {
  const std::string all = trimmed(text);
  const auto open = all.find('(');
  const std::string name = trimmed(all.substr(0, open));
  Approximation a;
  a.kind = name == "fourier"      ? Kind::fourier
           : name == "orthogonal" ? Kind::orthogonal
           : name == "sketch"     ? Kind::sketch
                                  : Kind::nystrom;
  const bool centres = a.kind == Kind::nystrom;
  if (centres && name != "nystrom")
    throw Error(
        fmt::format("approximation: `{}` is unknown; there are nystrom(m=2000), fourier(D=2000), "
                    "orthogonal(D=2000) and sketch(D=2000)",
                    name));
  const std::string count = centres ? "m" : "D";
  if (open == std::string::npos) return a;
  if (all.back() != ')')
    throw Error(fmt::format("approximation: `{}` wants a `)` at its end", all));
  std::string rest = all.substr(open + 1, all.size() - open - 2);
  bool first = true;
  while (!trimmed(rest).empty()) {
    const auto comma = rest.find(',');
    const std::string item = trimmed(rest.substr(0, comma));
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    const auto equal = item.find('=');
    const std::string key = equal == std::string::npos ? count : trimmed(item.substr(0, equal));
    const std::string value = equal == std::string::npos ? item : trimmed(item.substr(equal + 1));
    if (equal == std::string::npos && !first)
      throw Error(fmt::format("approximation: `{}` needs a name, as in centres=leverage", item));
    if (key == count) {
      a.size = count_in(value, count);
    } else if (key == "centres" && centres) {
      using Choice = NystromOptions::Choice;
      a.choice = value == "uniform"    ? Choice::uniform
                 : value == "leverage" ? Choice::leverage
                 : value == "kmeans"   ? Choice::kmeans
                                       : Choice::given;
      if (a.choice == Choice::given) a.file = value;
      if (value.empty())
        throw Error("approximation: centres is one of uniform, leverage, kmeans, or a file");
    } else {
      throw Error(fmt::format("approximation: {} has {}, and no `{}`", name,
                              centres ? "m and centres" : "D", key));
    }
    first = false;
  }
  return a;
}

}  // namespace mercer
