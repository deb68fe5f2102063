// A file that is read for an encoding some rows at a time, in memory that does not depend on its
// length: what read_encoded gives, in pieces.
//
//     TableStream in("new.csv.gz", model.encoding);
//     while (const auto batch = in.next(4096)) predict(model, batch->points);
//
// All formats, packed or not, also from a pipe (/dev/stdin). The points, labels and weights of all
// batches together are those of read_encoded, and so are the mistakes in the file, with their line
// and column; they are found when it is their turn. What is decided from the first lines is decided
// from the first megabyte. Only an array of NumPy in the order of Fortran is read as a whole.
//
// Labels of a batch are numbers where all of the batch are; `text_labels` makes them names in all.
#pragma once

#include <cstddef>
#include <memory>
#include <mercer/encoding.hpp>
#include <optional>
#include <string>

namespace mercer {

class TableStream {
 public:
  // With `ignored`, the labels' column may be there or not, and holds what it likes: by its name,
  // in LIBSVM in front, and without names as the one column more than those of the training data.
  // Nor need any row be left then.
  enum class Labels { read, ignored };

  // Throws Error, as read_encoded does.
  TableStream(const std::string& path, const Encoding& encoding, const ReadOptions& options = {},
              Labels labels = Labels::read);
  ~TableStream();
  TableStream(TableStream&&) noexcept;
  TableStream& operator=(TableStream&&) noexcept;

  // The next rows, at most so many and at least one; nothing at the end. Throws Error.
  std::optional<Table> next(std::size_t rows);

  [[nodiscard]] FileFormat format() const;
  // Of the file so far, rows that were left out included.
  [[nodiscard]] std::size_t rows_read() const;
  // What was done to them; of unseen levels the first thousand are told.
  [[nodiscard]] const EncodingReport& report() const;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace mercer
