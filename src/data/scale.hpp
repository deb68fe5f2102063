// Scaling of coordinates.
#pragma once

#include <mercer/encoding.hpp>
#include <string>
#include <vector>

namespace mercer::data {

// Of each column.
struct Moments {
  std::vector<double> mean, deviation, low, high;
  double share = 1;  // of the entries, those that are stored
};
// Centers and scales by them, as below. Where the points stay as they are after all, the encoding
// says that there is no scaling.
void scales_from(Encoding& encoding, const Moments& m, const std::vector<bool>& numbers,
                 bool centered);

// Centers and scales by the points; coordinates where `numbers` is false stay as they are (empty:
// none does). Without `centered`, zero stays zero.
void fit_scales(Encoding& encoding, const Points& points, const std::vector<bool>& numbers,
                bool centered);

// For messages: by name, or by number from 1.
std::string coordinate_name(const Encoding& encoding, std::size_t j);

// The points scaled, in memory of their own; as they are without scaling.
Points scaled(const Encoding& encoding, const Points& points);

}  // namespace mercer::data
