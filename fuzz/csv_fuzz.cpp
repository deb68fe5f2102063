// Any bytes as text in columns: a frame or an Error; a frame can be encoded in every way, by its
// encoding once more, and by the encoding's text.
#include <cstdint>
#include <mercer/encoding.hpp>
#include <mercer/error.hpp>
#include <string_view>

#include "checks.hpp"

namespace {

using mercer::Encoding;
using mercer::Missing;
using mercer::Scaling;

void encode(const mercer::Frame& frame, Missing missing, Scaling scaling) {
  mercer::EncodingOptions how;
  how.missing = missing;
  how.scaling = scaling;
  try {
    const Encoding e = Encoding::fit(frame, how);
    const mercer::Table table = e.apply(frame);
    if (scaling == Scaling::none) fuzz::check(table);  // scaling may leave the range of doubles
    if (table.columns() != e.dimension) fuzz::violation("the dimension is another");
    if (scaling == Scaling::none && !(Encoding::parse(e.text()) == e))
      fuzz::violation("the text is another encoding");
  } catch (const mercer::Error& error) {
    if (*error.what() == '\0') fuzz::violation("an error without a message");
  }
}

void read(std::string_view content, const mercer::ReadOptions& options, bool mixed) {
  try {
    const mercer::Frame frame = mercer::parse_frame(content, "input", options, mixed);
    for (const auto missing : {Missing::error, Missing::drop, Missing::mean, Missing::indicator})
      encode(frame, missing, Scaling::none);
    encode(frame, Missing::mean, Scaling::standard);
  } catch (const mercer::Error& error) {
    if (*error.what() == '\0') fuzz::violation("an error without a message");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  mercer::ReadOptions options;
  options.format = mercer::FileFormat::csv;
  read(content, options, false);
  read(content, options, true);
  options.labels = mercer::ReadOptions::Labels::none;
  options.categories = {"1"};
  read(content, options, false);
  options.header = true;
  read(content, options, true);
  options = {};
  options.format = mercer::FileFormat::csv;
  options.weight = "2";
  options.ignore = {"3"};
  read(content, options, true);
  return 0;
}
