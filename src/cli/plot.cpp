#include "cli/plot.hpp"

#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <mercer/error.hpp>

#include "cli/model_options.hpp"
#include "cli/writing.hpp"
#include "picture/terminal.hpp"

namespace mercer::cli {

namespace {

constexpr int least_side = 240;
constexpr int largest_side = 10'000;

// "800x600"
std::pair<int, int> size_of(const std::string& text) {
  int width = 0;
  int height = 0;
  const char* end = text.data() + text.size();
  auto [at, status] = std::from_chars(text.data(), end, width);
  if (status == std::errc() && at != end && *at == 'x') {
    const auto rest = std::from_chars(at + 1, end, height);
    if (rest.ec == std::errc() && rest.ptr == end && width >= least_side && height >= least_side &&
        width <= largest_side && height <= largest_side)
      return {width, height};
  }
  throw Error(fmt::format("--size: '{}' is not WIDTHxHEIGHT in pixels, each from {} to {}", text,
                          least_side, largest_side));
}

}  // namespace

void add_picture_options(Command& command, PictureOptions& options) {
  command
      .add_option("-o,--out", options.out,
                  "where to write: .png, .svg or .pdf; else a PNG named after the input, here")
      ->type_name("OUT");
  command.add_option("--size", options.size, "width and height in pixels")
      ->type_name("WxH")
      ->capture_default_str();
  command.add_flag("--force", options.force, "replace the file if it is there");
  command.add_flag("--no-inline", options.no_inline,
                   "do not show the picture in the terminal, even where it can");
}

std::string picture_path(const PictureOptions& options, const std::string& input,
                         const std::string& kind, const std::vector<std::string>& inputs) {
  std::filesystem::path name = std::filesystem::path(input).filename();
  if (name.extension() == ".gz") name = name.stem();
  std::string path = options.out.empty() ? name.stem().string() + "-" + kind + ".png" : options.out;
  picture::format_of(path);
  size_of(options.size);
  check_apart(inputs, {path});
  check_new_file(path, options.force);
  return path;
}

picture::Drawing sheet(const PictureOptions& options) {
  const auto [width, height] = size_of(options.size);
  picture::Drawing drawing;
  drawing.width = width;
  drawing.height = height;
  return drawing;
}

ExitCode finish_picture(const PictureOptions& options, const std::string& path,
                        const picture::Drawing& drawing, const std::string& about,
                        const Json& facts, const std::vector<std::string>& notes) {
  picture::write_picture(path, drawing);
  if (options.json) {
    Json json{{"picture", path}, {"width", drawing.width}, {"height", drawing.height}};
    json.update(facts);
    json["notes"] = notes;
    print(json);
    return done;
  }
  const auto how = options.no_inline ? picture::Inline::none : picture::inline_pictures();
  if (how == picture::Inline::kitty)
    std::cout << picture::kitty_text(picture::rendered(drawing, picture::Format::png));
  if (how == picture::Inline::sixel) std::cout << picture::sixel_text(picture::pixels_of(drawing));
  print(path + (about.empty() ? "" : ": " + about));
  print_notes(notes);
  return done;
}

}  // namespace mercer::cli
