#include "picture/terminal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "picture/base64.hpp"

namespace mercer::picture {

namespace {

// A picture of one pixel, "can you show it?", in kitty's words, and a question that every terminal
// answers: what are you? (Its answer ends the waiting, and names sixels by the number 4.)
constexpr std::string_view question = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c";

// The end of an answer to "what are you?": ESC [ ? numbers c.
std::size_t identity(std::string_view reply, std::size_t* end) {
  const std::size_t begin = reply.find("\x1b[?");
  if (begin == std::string_view::npos) return begin;
  *end = reply.find('c', begin);
  return *end == std::string_view::npos ? *end : begin;
}

// Keys are not shown and arrive at once, while there is one.
class Raw {
 public:
  Raw() : ok_(tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!ok_) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    ok_ = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
  }
  ~Raw() {
    if (ok_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  termios before_{};
  bool ok_;
};

}  // namespace

Inline answered(std::string_view reply) {
  if (reply.find("\x1b_Gi=31;OK") != std::string_view::npos) return Inline::kitty;
  std::size_t end = 0;
  const std::size_t begin = identity(reply, &end);
  if (begin == std::string_view::npos) return Inline::none;
  const std::string numbers = ";" + std::string(reply.substr(begin + 3, end - begin - 3)) + ";";
  return numbers.find(";4;") != std::string::npos ? Inline::sixel : Inline::none;
}

Inline inline_pictures() {
  const char* kind = std::getenv("TERM");
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0 || kind == nullptr ||
      std::string_view(kind) == "dumb" || std::string_view(kind) == "linux")
    return Inline::none;
  const Raw raw;
  if (!raw.ok()) return Inline::none;
  if (::write(STDOUT_FILENO, question.data(), question.size()) < 0) return Inline::none;
  std::string reply;
  constexpr int patience = 300;  // milliseconds for each piece of the answer
  std::size_t end = 0;
  constexpr std::size_t longest = 4096;
  while (identity(reply, &end) == std::string::npos && reply.size() < longest) {
    pollfd wait{STDIN_FILENO, POLLIN, 0};
    if (poll(&wait, 1, patience) <= 0) break;
    std::array<char, 256> piece{};
    const auto count = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (count <= 0) break;
    reply.append(piece.data(), static_cast<std::size_t>(count));
  }
  return answered(reply);
}

std::string kitty_text(std::string_view png) {
  const std::string all = base64(png);
  constexpr std::size_t piece = 4096;
  std::string text;
  for (std::size_t at = 0; at < all.size(); at += piece)
    text += fmt::format("\x1b_G{}m={};{}\x1b\\", at == 0 ? "a=T,f=100," : "",
                        at + piece < all.size() ? 1 : 0, all.substr(at, piece));
  return text + "\n";
}

std::string sixel_text(const Image& image) {
  // Colours to five bits a part; the most frequent ones are kept, and others become the nearest.
  constexpr unsigned levels = 31;
  constexpr std::size_t most = 255;
  const auto key = [](const Colour& c) {
    const auto part = [](double v) { return static_cast<unsigned>(std::lround(v * levels)); };
    return part(c.r) << 10U | part(c.g) << 5U | part(c.b);
  };
  std::map<unsigned, std::size_t> counts;
  for (const auto& c : image.pixels) ++counts[key(c)];
  std::vector<std::pair<unsigned, std::size_t>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.second > b.second; });
  const std::size_t kept = std::min(most, order.size());
  std::map<unsigned, std::size_t> number;
  const auto part = [](unsigned k, unsigned shift) {
    return static_cast<int>(k >> shift & levels);
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::size_t best = i;
    if (i >= kept) {
      int least = 1 << 20U;
      for (std::size_t j = 0; j < kept; ++j) {
        int distance = 0;
        for (const unsigned shift : {10U, 5U, 0U}) {
          const int d = part(order[i].first, shift) - part(order[j].first, shift);
          distance += d * d;
        }
        if (distance < least) {
          least = distance;
          best = j;
        }
      }
    }
    number[order[i].first] = best;
  }
  std::string text = fmt::format("\x1bP0;1q\"1;1;{};{}", image.width, image.height);
  for (std::size_t i = 0; i < kept; ++i) {
    const auto percent = [&](unsigned shift) {
      return part(order[i].first, shift) * 100 / static_cast<int>(levels);
    };
    text += fmt::format("#{};2;{};{};{}", i, percent(10), percent(5), percent(0));
  }
  // Bands of six rows; in each, every colour once over.
  for (std::size_t top = 0; top < image.height; top += 6) {
    std::map<std::size_t, std::string> bands;
    for (std::size_t x = 0; x < image.width; ++x)
      for (std::size_t k = 0; k < 6 && top + k < image.height; ++k) {
        auto& band = bands[number[key(image.pixels[(top + k) * image.width + x])]];
        if (band.empty()) band.assign(image.width, '?');
        band[x] = static_cast<char>(band[x] + (1 << k));
      }
    bool first = true;
    for (const auto& [colour, band] : bands) {
      text += fmt::format("{}#{}", first ? "" : "$", colour);
      first = false;
      for (std::size_t x = 0; x < band.size();) {
        std::size_t run = 1;
        while (x + run < band.size() && band[x + run] == band[x]) ++run;
        text += run > 3 ? fmt::format("!{}{}", run, band[x]) : std::string(run, band[x]);
        x += run;
      }
    }
    text += "-";
  }
  return text + "\x1b\\\n";
}

}  // namespace mercer::picture
