// The rows of a file before an encoding is fitted to them.
//
// Whoever tests a rule on rows that it did not learn from must not have learnt the encoding from
// them either: which categories there are, the mean that fills a hole, the scale of a column. Here
// rows are chosen first, and the encoding is fitted to what was chosen.
//
//     Examples all = Examples::read("adult.csv", {}, {.scaling = Scaling::standard});
//     Split s = split(all.labels());
//     EncodedTable train = all.select(s.train).fit();
//     Table test = all.select(s.test).encoded(train.encoding);
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/encoding.hpp>
#include <mercer/frame.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mercer {

class Examples {
 public:
  // Rows with a missing value are left out at once where they are to be dropped. Throws Error.
  static Examples read(const std::string& path, const ReadOptions& options,
                       const EncodingOptions& how);
  // Points that are numbers already.
  explicit Examples(Table table, const EncodingOptions& how = {});

  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] const Labels& labels() const;
  [[nodiscard]] const std::vector<double>& weights() const;       // empty: all 1
  [[nodiscard]] const std::vector<std::int64_t>& groups() const;  // qid; empty without
  [[nodiscard]] const std::vector<std::size_t>& dropped() const { return dropped_; }  // from 0
  // Labels that came from elsewhere: as many as rows. Throws Error.
  void set_labels(Labels labels);

  // These rows, in this order.
  [[nodiscard]] Examples select(std::span<const std::size_t> rows) const;
  // With an encoding of their own, or by that of others. Throw Error.
  [[nodiscard]] EncodedTable fit() const;
  [[nodiscard]] Table encoded(const Encoding& encoding, EncodingReport* report = nullptr) const;

 private:
  std::optional<Frame> frame_;  // text in columns
  Table table_;                 // else
  EncodingOptions how_;
  std::vector<std::size_t> dropped_;
};

}  // namespace mercer
