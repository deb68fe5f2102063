// Any bytes as a model of LIBSVM: a model whose parts fit, or an Error of one line; and what is
// written reads back the same.
#include <cstdint>
#include <mercer/error.hpp>
#include <mercer/libsvm.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "checks.hpp"

namespace {

// What `make` gives, or nothing where it throws an Error with a good message.
template <class Make>
auto unless_refused(const Make& make) -> std::optional<decltype(make())> {
  try {
    return make();
  } catch (const mercer::Error& error) {
    const std::string_view what = error.what();
    if (what.empty()) fuzz::violation("an error without a message");
    if (what.find('\n') != std::string_view::npos) fuzz::violation("an error of several lines");
    return std::nullopt;
  }
}

void check(const mercer::Model& model) {
  model.check();
  if (model.support.rows() > 0) {
    mercer::Table table;
    table.points = model.support;
    fuzz::check(table);
  }
  if (mercer::Model::parse(model.bytes(), "again").bytes() != model.bytes())
    fuzz::violation("not saved and loaded the same");
  // A kernel that is constant may be too large a number for LIBSVM.
  const auto text = unless_refused([&] { return libsvm_model_text(model); });
  if (text && libsvm_model_text(mercer::parse_libsvm_model(*text, "again")) != *text)
    fuzz::violation("not read back the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  if (content.starts_with("\x1f\x8b")) return 0;  // the table's affair
  for (const std::size_t columns : {std::size_t{0}, std::size_t{5}})
    if (const auto model =
            unless_refused([&] { return mercer::parse_libsvm_model(content, "input", columns); }))
      check(*model);
  return 0;
}
