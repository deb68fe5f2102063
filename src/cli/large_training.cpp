#include "cli/large_training.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <mercer/error.hpp>

#include "learn/train_large.hpp"
#include "scale/examples.hpp"
#include "scale/message.hpp"

namespace mercer::cli {

namespace {

std::size_t peak_mebibytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<std::size_t>(used.ru_maxrss) / 1024;
}

// What the other ranks have to know to find their rows.
std::string told(const std::string& folder, const data::StoreFacts& f) {
  return scale::Message()
      .put(folder)
      .put(f.rows)
      .put(f.columns)
      .put(f.entries)
      .put(f.sparse)
      .put(f.weighted)
      .put(f.numeric)
      .put(f.classes.size())
      .bytes();
}

data::StoreFacts heard(const std::string& text, std::string& folder) {
  scale::MessageReader reader(text);
  data::StoreFacts f;
  folder = reader.text();
  f.rows = reader.get<std::size_t>();
  f.columns = reader.get<std::size_t>();
  f.entries = reader.get<std::size_t>();
  f.sparse = reader.get<bool>();
  f.weighted = reader.get<bool>();
  f.numeric = reader.get<bool>();
  f.classes.resize(reader.get<std::size_t>());
  return f;
}

}  // namespace

Table without_rows(const data::StoreFacts& facts) {
  Table t;
  t.points = Points::own(std::vector<double>(), 0, facts.columns);
  t.names = facts.encoding.names();
  t.sources = facts.encoding.sources();
  return t;
}

std::optional<LargeResult> train_on_disk(
    const comm::Comm& comm, const LargeCall& call, TrainOptions& options,
    const std::function<void(const data::StoreFacts&, const Points& some)>& prepare) {
  // The first rank reads; nothing told means that it failed, and says so by itself.
  std::optional<data::RowStore> store;
  std::string words;
  data::StoreFacts facts;
  std::string folder;
  if (comm.rank() == 0) {
    try {
      store.emplace(call.path, call.reading, call.encoding, call.folder);
      facts = store->facts();
      folder = store->folder();
      constexpr std::size_t enough = 300;
      prepare(facts, data::stored_rows(folder, facts, 0, std::min(enough, facts.rows)).points);
    } catch (...) {
      comm::broadcast(comm, words);
      throw;
    }
    words = told(folder, facts);
  }
  comm::broadcast(comm, words);
  if (words.empty()) return std::nullopt;
  if (comm.rank() != 0) facts = heard(words, folder);

  const double each = static_cast<double>(facts.entries) / static_cast<double>(facts.rows);
  const auto share =
      scale::share_of(facts.rows, scale::block_rows(facts.rows, each), comm.rank(), comm.ranks());
  data::StoredRows rows;
  std::string trouble;
  try {
    rows = data::stored_rows(folder, facts, share.begin, share.end);
  } catch (const Error& error) {
    trouble = "rank " + std::to_string(comm.rank()) + ": " + error.what() +
              "; all ranks need to see the folder of the model";
  }
  const auto troubles = comm::gather(comm, trouble);
  const auto worst =
      std::ranges::find_if(troubles, [](const std::string& t) { return !t.empty(); });
  std::string go_on = worst == troubles.end() ? "yes" : "";
  comm::broadcast(comm, go_on);
  store.reset();  // mapped by all: the names are not needed any more
  if (go_on.empty()) {
    if (comm.rank() == 0) throw Error(*worst);
    return std::nullopt;
  }

  learn::LargeTable table;
  table.points = rows.points;
  table.first = rows.first;
  table.all = facts.rows;
  table.numbers = rows.numbers;
  table.codes = rows.codes;
  table.classes = facts.classes;
  table.counts = facts.counts;
  table.numeric = facts.numeric;
  table.weights = rows.weights;
  table.label = facts.label;
  std::optional<Trained> trained;
  const auto end = [&] { return comm::gather(comm, std::to_string(peak_mebibytes())); };
  try {
    trained = learn::train_large(comm, table, facts.encoding, options);
  } catch (...) {
    end();
    throw;
  }
  const auto peaks = end();
  if (!trained) return std::nullopt;
  LargeResult result{std::move(facts), std::move(*trained), {}};
  for (const auto& p : peaks) result.peaks.push_back(std::stoul(p));
  return result;
}

}  // namespace mercer::cli
