// Any bytes as a model's file, below its checksum: a model whose parts fit and that is written as
// it was read, or an Error.
#include <cmath>
#include <cstdint>
#include <mercer/error.hpp>
#include <mercer/model.hpp>
#include <string>

#include "checks.hpp"
#include "model/file.hpp"

namespace {

void check(const mercer::Model& model) {
  model.check();
  if (model.support.rows() > 0) {
    mercer::Table table;
    table.points = model.support;
    fuzz::check(table);
  }
  for (const double v : model.coefficients.values)
    if (!std::isfinite(v)) fuzz::violation("a coefficient is not finite");
  const std::string bytes = model.bytes();
  if (mercer::Model::parse(bytes, "again").bytes() != bytes)
    fuzz::violation("not read back the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const mercer::data::Source source{bytes, "input", {}, false, 0, 0};
  for (const bool trusted : {true, false}) {
    try {
      check(mercer::model::read_file(source, nullptr, trusted));
    } catch (const mercer::Error& error) {
      if (*error.what() == '\0') fuzz::violation("an error without a message");
    }
  }
  return 0;
}
