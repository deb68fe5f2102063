#include "cli/search_record.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <mercer/error.hpp>
#include <sstream>

#include "base/checksum.hpp"
#include "data/sink.hpp"

namespace mercer::cli {

namespace {

constexpr int format = 1;

template <class T>
std::string_view bytes_of(const T* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(T)};  // NOLINT(*-reinterpret-cast)
}

template <class T>
void add_points(const Points& x, Checksum& sum) {
  const T* values = x.values<T>();
  if (x.is_sparse()) {
    sum.add(bytes_of(x.offsets().data(), x.offsets().size()));
    sum.add(bytes_of(x.indices(), x.entries()));
    sum.add(bytes_of(values, x.entries()));
  } else {
    for (std::size_t i = 0; i < x.rows(); ++i)
      sum.add(bytes_of(values + i * x.stride(), x.columns()));
  }
}

[[noreturn]] void foreign(const std::string& path, const std::string& why) {
  throw Error(path + ": " + why + "; give another file, or --force to begin anew");
}

}  // namespace

std::string fingerprint(const Table& table, const TuneOptions& o) {
  Checksum sum;
  if (table.points.scalar() == Points::Scalar::float32) {
    add_points<float>(table.points, sum);
  } else {
    add_points<double>(table.points, sum);
  }
  for (std::size_t i = 0; i < table.labels.size(); ++i) sum.add(table.labels.text(i) + "\n");
  sum.add(bytes_of(table.weights.data(), table.weights.size()));
  sum.add(bytes_of(o.groups.data(), o.groups.size()));
  const TrainOptions& t = o.train;
  std::string text = fmt::format("{} {} {} {} {} {} {:.17g} {:.17g} {} {} {} {}", o.metric, o.folds,
                                 t.seed, t.learner ? static_cast<int>(*t.learner) : -1,
                                 t.task ? static_cast<int>(*t.task) : -1, t.balanced, t.svm.epsilon,
                                 t.svm.tolerance, static_cast<int>(t.multiclass),
                                 t.offset ? static_cast<int>(*t.offset) : -1,
                                 static_cast<int>(t.gram.precision), t.gram.instructions);
  for (const auto& [name, weight] : t.class_weights) text += fmt::format(" {}={}", name, weight);
  sum.add(text);
  return fmt::format("{:016x}", sum.value());
}

Json to_json(const Candidate& c, const std::string& price) {
  Json json{{"kernel", c.kernel.text()}, {"parameters", Json::object()}};
  for (const auto& [name, value] : c.parameters) json["parameters"][name] = value;
  json["parameters"][price] = c.price;
  json["price"] = c.price;
  json["score"] = std::isfinite(c.score) ? Json(c.score) : Json();
  json["deviation"] = c.deviation;
  json["by_fold"] = c.by_fold;
  json["rows"] = c.rows;
  json["support"] = c.support;
  json["converged"] = c.converged;
  return json;
}

Json to_json(const Tuned& tuned) {
  const std::string price = tuned.learner == Learner::ridge ? "lambda" : "C";
  Json json{{"format", format},
            {"metric", tuned.metric},
            {"more_is_better", tuned.more_is_better},
            {"learner", tuned.learner == Learner::ridge ? "ridge" : "svm"},
            {"task", tuned.task == Model::Task::regression ? "regression" : "classification"}};
  json["candidates"] = Json::array();
  for (const Candidate& c : tuned.candidates) json["candidates"].push_back(to_json(c, price));
  if (!tuned.candidates.empty()) {
    json["chosen"] = tuned.chosen;
    json["best"] = to_json(tuned.best(), price);
  }
  json["rows"] = tuned.rows;
  json["kernel_values"] = tuned.kernel_values;
  json["interrupted"] = tuned.interrupted;
  json["story"] = tuned.story;
  json["notes"] = tuned.notes;
  return json;
}

void write_record(const std::string& path, const Json& record) {
  data::FileSink out(path, false);
  out.text = record.dump(1) + "\n";
  out.flush();
  out.commit();
}

std::vector<Candidate> read_record(const std::string& path, const std::string& expected) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(path + ": cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  std::vector<Candidate> found;
  try {
    const Json record = parsed(text.str());
    if (!record.contains("fingerprint") || !record.contains("candidates"))
      foreign(path, "this is not the record of a search");
    if (record.at("format").get<int>() != format)
      foreign(path, "this record was written by another version of mercer");
    if (record.at("fingerprint").get<std::string>() != expected)
      foreign(path, "this is the record of another search: the data or the options differ");
    for (const Json& c : record.at("candidates")) {
      Candidate candidate;
      candidate.kernel = Kernel::parse(c.at("kernel").get<std::string>());
      candidate.price = c.at("price").get<double>();
      const Json& score = c.at("score");
      candidate.score = score.is_null() ? std::nan("") : score.get<double>();
      candidate.deviation = c.at("deviation").get<double>();
      candidate.by_fold = c.at("by_fold").get<std::vector<double>>();
      candidate.rows = c.at("rows").get<std::size_t>();
      candidate.support = c.at("support").get<std::size_t>();
      candidate.converged = c.at("converged").get<bool>();
      if (std::isfinite(candidate.score)) found.push_back(std::move(candidate));
    }
  } catch (const nlohmann::json::exception&) {
    foreign(path, "this is not the record of a search, or not whole");
  } catch (const ParseError&) {
    foreign(path, "this record has a kernel that cannot be read");
  }
  return found;
}

}  // namespace mercer::cli
