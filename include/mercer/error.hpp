// What the library throws.
//
// An Error is the caller's mistake, told in one sentence that names the place and the remedy. Our
// own mistakes are assertions, not exceptions. The library never prints and never exits.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace mercer {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A text could not be read. what() is the whole story in three lines: the message, the text, and a
// caret under the place.
//
//   column 5: unknown name 'rfb'; expected a kernel or a function; did you mean 'rbf'?
//     2 * rfb(1)
//         ^~~
class ParseError : public Error {
 public:
  struct Details {
    std::string message;    // one line, without the position
    std::string text;       // the text that was read
    std::size_t begin = 0;  // byte offsets of the offending part, [begin, end)
    std::size_t end = 0;
    std::string found;       // what stands there; empty at the end of the text
    std::string expected;    // what could stand there; may be empty
    std::string suggestion;  // the nearest known name; may be empty
  };

  explicit ParseError(Details details);

  [[nodiscard]] const Details& details() const noexcept { return details_; }
  [[nodiscard]] std::size_t column() const noexcept { return column_; }  // in characters, from 1
  [[nodiscard]] const std::string& line() const noexcept {
    return line_;
  }  // the first line of what()

 private:
  Details details_;
  std::size_t column_;
  std::string line_;
};

// A kernel has no value at a point: log of a negative number, a division by zero, an overflow, a
// point of the wrong dimension.
class EvaluationError : public Error {
 public:
  using Error::Error;
};

// In particular, the expression is not defined there: a division by zero, the root of a negative
// number. (An overflow, say, is none of these.)
class UndefinedError : public EvaluationError {
 public:
  using EvaluationError::EvaluationError;
};

}  // namespace mercer
