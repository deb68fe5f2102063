// Any bytes as a checkpoint, below its checksum: one that is written as it was read, or an Error.
#include <cstdint>
#include <mercer/error.hpp>
#include <string>

#include "checks.hpp"
#include "model/checkpoint_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const bool trusted : {true, false}) {
    try {
      const std::string written = mercer::model::bytes_of(
          mercer::model::read_checkpoint({bytes, "input", {}, false, 0, 0}, trusted));
      const auto again = mercer::model::read_checkpoint({written, "again", {}, false, 0, 0});
      if (mercer::model::bytes_of(again) != written) fuzz::violation("not read back the same");
    } catch (const mercer::Error& error) {
      if (*error.what() == '\0') fuzz::violation("an error without a message");
    }
  }
  return 0;
}
