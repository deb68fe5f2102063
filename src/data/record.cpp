#include "data/record.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "data/cell.hpp"
#include "data/place.hpp"

namespace mercer::data {

namespace {

void refuse_control(const Source& source, std::string_view text) {
  for (const char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f)
      fail_at(source, &c,
              "a control character (byte " + std::to_string(byte) +
                  "): this is neither text nor a .npy file");
  }
}

Cell quoted_cell(const Source& source, const char*& p, const char* end, char delimiter,
                 std::deque<std::string>& storage) {
  Cell cell{{}, p, true};
  const char* begin = ++p;
  std::string* joined = nullptr;
  while (true) {
    const auto* close =
        static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
    if (close == nullptr) fail_at(source, cell.place, "a quote that is never closed");
    const bool doubled = close + 1 != end && close[1] == '"';
    if (doubled && joined == nullptr) joined = &storage.emplace_back();
    if (joined != nullptr) joined->append(begin, doubled ? close + 1 : close);
    p = close + (doubled ? 2 : 1);
    if (!doubled) {
      cell.text = joined != nullptr
                      ? std::string_view(*joined)
                      : std::string_view(begin, static_cast<std::size_t>(close - begin));
      break;
    }
    begin = p;
  }
  if (joined == nullptr) refuse_control(source, cell.text);
  while (p != end && (*p == ' ' || *p == '\r')) ++p;
  if (p != end && *p != delimiter && *p != '\n')
    fail_at(source, p, "text after a closing quote: " + shown({p, 1}));
  return cell;
}

}  // namespace

Cell read_cell(const Source& source, const char*& p, const char* end, char delimiter,
               std::deque<std::string>& storage) {
  while (p != end && *p == ' ') ++p;
  if (p != end && *p == '"') return quoted_cell(source, p, end, delimiter, storage);
  const char* begin = p;
  while (p != end && *p != delimiter && *p != '\n') ++p;
  std::string_view text(begin, static_cast<std::size_t>(p - begin));
  if (text.ends_with('\r') && (p == end || *p == '\n')) text.remove_suffix(1);
  if (const auto at = text.find('\r'); at != std::string_view::npos)
    fail_at(source, text.data() + at,
            "a carriage return inside a line; save the file with ordinary line ends");
  refuse_control(source, text);
  return {trimmed(text), begin, false};
}

std::vector<Cell> read_record(const Source& source, const char*& p, const char* end, char delimiter,
                              std::deque<std::string>& storage) {
  std::vector<Cell> cells;
  while (true) {
    cells.push_back(read_cell(source, p, end, delimiter, storage));
    if (p == end) return cells;
    if (*p++ == '\n') return cells;
  }
}

std::size_t record_end(std::string_view text, std::size_t begin, char delimiter) {
  constexpr auto npos = std::string_view::npos;
  const auto stop = text.find('\n', begin);
  if (stop == npos) return npos;
  if (std::memchr(text.data() + begin, '"', stop - begin) == nullptr) return stop + 1;
  for (std::size_t p = begin; p < text.size(); ++p) {  // cell by cell
    p = text.find_first_not_of(' ', p);
    if (p == npos) return npos;
    if (text[p] == '"') {
      do {  // a doubled quote closes and opens again
        p = text.find('"', p + 1);
        if (p == npos || p + 1 == text.size()) return npos;
        ++p;
      } while (text[p] == '"');
    }
    while (p < text.size() && text[p] != delimiter && text[p] != '\n') ++p;
    if (p < text.size() && text[p] == '\n') return p + 1;
  }
  return npos;
}

bool is_blank(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
}

namespace {

// How often each of the candidates stands in the next line, outside of quotes.
constexpr std::array candidates{'\t', ';', ','};
using Counts = std::array<std::size_t, candidates.size()>;

Counts count_in_line(std::string_view& text) {
  Counts counts{};
  bool quoted = false;
  std::size_t at = 0;
  for (; at < text.size() && (quoted || text[at] != '\n'); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (quoted) continue;
    for (std::size_t c = 0; c < candidates.size(); ++c) counts[c] += text[at] == candidates[c];
  }
  text.remove_prefix(std::min(text.size(), at + 1));
  return counts;
}

}  // namespace

char guess_delimiter(std::string_view text) {
  const Counts first = count_in_line(text);
  const Counts second = is_blank(text) ? first : count_in_line(text);
  for (std::size_t c = 0; c < candidates.size(); ++c)
    if (first[c] > 0 && first[c] == second[c]) return candidates[c];
  for (std::size_t c = 0; c < candidates.size(); ++c)
    if (first[c] > 0) return candidates[c];
  return ';';
}

}  // namespace mercer::data
