#include "picture/colours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace mercer::picture {

namespace {

constexpr Colour of(std::uint32_t rgb) {
  return {static_cast<double>(rgb >> 16U) / 255, static_cast<double>(rgb >> 8U & 0xffU) / 255,
          static_cast<double>(rgb & 0xffU) / 255};
}

template <std::size_t N>
Colour between(const std::array<std::uint32_t, N>& stops, double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (N - 1);
  const auto k = std::min(static_cast<std::size_t>(at), N - 2);
  return mixed(of(stops[k]), of(stops[k + 1]), at - static_cast<double>(k));
}

}  // namespace

Colour mixed(const Colour& a, const Colour& b, double share) {
  const auto mix = [&](double p, double q) { return p + (q - p) * share; };
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), mix(a.a, b.a)};
}

Colour class_colour(std::size_t number) {
  constexpr std::array<std::uint32_t, 8> colours{0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                                 0xe69f00, 0x56b4e9, 0xf0e442, 0x4d4d4d};
  const Colour c = of(colours[number % colours.size()]);
  const std::size_t round = number / colours.size() % 3;
  constexpr double share = 0.45;
  return round == 0 ? c : mixed(c, round == 1 ? black : white, share);
}

Colour value_colour(double share) {
  // viridis at equal distances
  return between(std::array<std::uint32_t, 9>{0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c,
                                              0x28ae80, 0x5ec962, 0xaddc30, 0xfde725},
                 share);
}

Colour signed_colour(double share) {
  return between(std::array<std::uint32_t, 5>{0x08457e, 0x5aa2d6, 0xf7f7f7, 0xe89a5b, 0x8c3a00},
                 (share + 1) / 2);
}

std::string hex(const Colour& c) {
  const auto part = [](double v) {
    return static_cast<unsigned>(std::lround(std::clamp(v, 0.0, 1.0) * 255));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(c.r), part(c.g), part(c.b));
}

}  // namespace mercer::picture
