#include "cli/large_training.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <mercer/error.hpp>
#include <mercer/plan.hpp>

#include "comm/agree.hpp"
#include "learn/train_large.hpp"
#include "scale/examples.hpp"
#include "scale/message.hpp"

namespace mercer::cli {

namespace {

namespace fs = std::filesystem;

std::size_t peak_mebibytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<std::size_t>(used.ru_maxrss) / 1024;
}

void put(scale::Message& to, const data::StoredFile& f) {
  to.put(f.path).put(f.rows).put(f.columns).put(f.entries);
  to.put(f.sparse).put(f.weighted).put(f.labelled).put(f.numeric).put(f.label);
  to.put(f.classes.size());
  for (const auto& name : f.classes) to.put(name);
  to.put(f.values).put(f.counts).put(f.sums).put(f.low).put(f.high).put(f.stored);
  to.put(f.report.filled).put(f.report.ignored).put(f.report.by_place).put(f.report.dropped);
}

data::StoredFile file_in(scale::MessageReader& from) {
  data::StoredFile f;
  f.path = from.text();
  f.rows = from.get<std::size_t>();
  f.columns = from.get<std::size_t>();
  f.entries = from.get<std::size_t>();
  f.sparse = from.get<bool>();
  f.weighted = from.get<bool>();
  f.labelled = from.get<bool>();
  f.numeric = from.get<bool>();
  f.label = from.text();
  f.classes.resize(from.get<std::size_t>());
  for (auto& name : f.classes) name = from.text();
  f.values = from.get_all<double>();
  f.counts = from.get_all<std::size_t>();
  f.sums = from.get_all<double>();
  f.low = from.get_all<double>();
  f.high = from.get_all<double>();
  f.stored = from.get_all<std::size_t>();
  f.report.filled = from.get<std::size_t>();
  f.report.ignored = from.get<std::size_t>();
  f.report.by_place = from.get<bool>();
  f.report.dropped = from.get_all<std::size_t>();
  return f;
}

std::vector<data::StoredFile> files_in(const std::string& text) {
  std::vector<data::StoredFile> files;
  for (scale::MessageReader reader(text); !reader.ended();) files.push_back(file_in(reader));
  return files;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const auto& p : parts) all += p;
  return all;
}

// The rows of a rank. Of one file, the first rank reads it, and each maps a range of what it wrote;
// of several, each rank reads files of its own.
class Shard {
 public:
  Shard(const comm::Comm& comm, const LargeCall& call) : comm_(comm), call_(call) {
    const std::size_t count = call.paths.size();
    if (count == 1) {
      end_ = comm.rank() == 0 ? 1 : 0;
    } else {
      begin_ = count * comm.rank() / comm.ranks();
      end_ = count * (comm.rank() + 1) / comm.ranks();
    }
    read();
    scale();
  }

  data::StoreFacts facts;
  data::StoredRows rows;
  std::vector<std::size_t> files;  // the first rows here of further files

  [[nodiscard]] Points some(std::size_t most) const {
    return data::stored_rows(store_->folder(), facts, 0, std::min(most, stored_)).points;
  }

  // Once the first rank knows that all goes well. What was read has no name any more then.
  void map() {
    std::string where;
    if (call_.paths.size() == 1) where = comm::told(comm_, [&] { return store_->folder(); });
    comm::together(comm_, [&] {
      if (call_.paths.size() == 1) {
        const double each = static_cast<double>(facts.entries) / static_cast<double>(facts.rows);
        const auto share = scale::share_of(facts.rows, scale::block_rows(facts.rows, each),
                                           comm_.rank(), comm_.ranks());
        try {
          rows = data::stored_rows(where, facts, share.begin, share.end);
        } catch (const Error& error) {
          throw Error(std::string(error.what()) +
                      "; all ranks need to see the folder of the model");
        }
      } else {
        rows = data::stored_rows(store_->folder(), facts, 0, stored_);
        for (std::size_t f = 0; f < begin_; ++f) rows.first += facts.files[f].rows;
        std::size_t at = 0;
        for (std::size_t f = begin_; f + 1 < end_; ++f) files.push_back(at += facts.files[f].rows);
      }
      return std::string();
    });
    store_.reset();
  }

 private:
  void read() {
    const auto columns = Encoding::parse(comm::told(comm_, [&] {
      return data::stored_columns(call_.paths[0], call_.reading, call_.encoding).text();
    }));
    const auto parts = comm::together(comm_, [&] {
      scale::Message mine;
      if (begin_ == end_ && comm_.rank() != 0) return mine.bytes();
      std::error_code none;
      const bool there = call_.folder.empty() || fs::is_directory(call_.folder, none);
      store_.emplace(there ? call_.folder : fs::temp_directory_path().string());
      for (std::size_t f = begin_; f < end_; ++f) {
        const auto file = store_->read(call_.paths[f], call_.reading, columns);
        stored_ += file.rows;
        put(mine, file);
      }
      return mine.bytes();
    });
    const std::string all = comm::told(comm_, [&] {
      std::string text = joined(parts);
      data::facts_of(files_in(text), columns, call_.encoding);  // throws where they do not fit
      return text;
    });
    facts = data::facts_of(files_in(all), columns, call_.encoding);
    comm::together(comm_, [&] {
      if (store_) store_->finish(facts, begin_);
      return std::string();
    });
  }

  void scale() {
    if (!data::scales_wanted(facts)) return;
    const auto parts = comm::together(comm_, [&] {
      scale::Message mine;
      if (store_)
        for (const auto& of_file : store_->deviations(facts)) mine.put(of_file);
      return mine.bytes();
    });
    const std::string all = comm::told(comm_, [&] { return joined(parts); });
    std::vector<std::vector<double>> deviations;
    for (scale::MessageReader reader(all); !reader.ended();)
      deviations.push_back(reader.get_all<double>());
    data::fit_scales(facts, deviations);
    comm::together(comm_, [&] {
      if (store_) store_->scale(facts);
      return std::string();
    });
  }

  const comm::Comm& comm_;
  const LargeCall& call_;
  std::size_t begin_ = 0;  // files of this rank
  std::size_t end_ = 0;
  std::size_t stored_ = 0;  // rows in them
  std::optional<data::RowStore> store_;
};

}  // namespace

bool file_too_large(const std::string& path, std::size_t memory) {
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  if (unknown) return false;
  return rows_too_large(static_cast<double>(size) * (path.ends_with(".gz") ? 5 : 1), memory);
}

Table without_rows(const data::StoreFacts& facts) {
  Table t;
  t.points = Points::own(std::vector<double>(), 0, facts.columns);
  t.names = facts.encoding.names();
  t.sources = facts.encoding.sources();
  return t;
}

EncodedTable read_files(const LargeCall& call) {
  Shard shard(comm::alone(), call);
  shard.map();
  const data::StoreFacts& facts = shard.facts;
  Table t = without_rows(facts);
  t.points = shard.rows.points;
  if (facts.numeric) {
    t.labels.numbers.assign(shard.rows.numbers.begin(), shard.rows.numbers.end());
  } else if (facts.labelled) {
    t.labels.codes.assign(shard.rows.codes.begin(), shard.rows.codes.end());
    t.labels.classes = facts.classes;
  }
  t.labels.name = facts.label;
  t.weights.assign(shard.rows.weights.begin(), shard.rows.weights.end());
  return {std::move(t), facts.encoding, facts.report};
}

std::optional<LargeResult> train_on_disk(
    const comm::Comm& comm, const LargeCall& call, TrainOptions& options,
    const std::function<void(const data::StoreFacts&, const Points& some)>& prepare) {
  Shard shard(comm, call);
  comm::told(comm, [&] {
    constexpr std::size_t enough = 300;
    prepare(shard.facts, shard.some(enough));
    return std::string();
  });
  shard.map();
  const data::StoreFacts& facts = shard.facts;
  learn::LargeTable table;
  table.points = shard.rows.points;
  table.first = shard.rows.first;
  table.all = facts.rows;
  table.files = shard.files;
  table.numbers = shard.rows.numbers;
  table.codes = shard.rows.codes;
  table.classes = facts.classes;
  table.counts = facts.counts;
  table.numeric = facts.numeric;
  table.weights = shard.rows.weights;
  table.label = facts.label;
  table.forget = shard.rows.forget;
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
  LargeResult result{std::move(shard.facts), std::move(*trained), {}};
  for (const auto& p : peaks) result.peaks.push_back(std::stoul(p));
  return result;
}

}  // namespace mercer::cli
