// Where a statement about a kernel is made: the set that x and z range over.
//
//   R (all reals, the default) · R+ (>= 0) · R++ (> 0) · Z · N (from 1) · [a,b] · (a,b) and the
//   half-open ones · {v1,v2,…}: each coordinate of the point lies in it;
//   ball(r) = {x : |x| <= r} · sphere = {x : |x| = 1}: the point as a whole does.
//
// Numbers are exact: 0.1 is one tenth, 1/3 a third.
#pragma once

#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mercer {

class Domain {
 public:
  enum class Kind { reals, integers, naturals, interval, finite, ball, sphere };

  Domain();                                    // R
  static Domain parse(std::string_view text);  // throws ParseError

  static Domain reals();
  static Domain nonnegative();  // R+
  static Domain positive();     // R++

  [[nodiscard]] Kind kind() const;
  [[nodiscard]] std::string text() const;  // parse(d.text()) == d

  // Whether the point lies in it, decided exactly for the doubles given (on the sphere: to within
  // rounding, since hardly any point of it has coordinates that are doubles).
  [[nodiscard]] bool contains(std::span<const double> point) const;

  // For the interval kind (R+, R++ and [a,b] alike) and the finite one: bounds as doubles, infinite
  // where there is none, and whether they belong to it.
  struct Bounds {
    double low;
    double high;
    bool low_open;
    bool high_open;
  };
  [[nodiscard]] Bounds bounds() const;

  friend bool operator==(const Domain& a, const Domain& b);

  struct Body;  // for the library
  [[nodiscard]] const Body& body() const { return *body_; }

 private:
  explicit Domain(std::shared_ptr<const Body> body);
  std::shared_ptr<const Body> body_;
};

std::ostream& operator<<(std::ostream& out, const Domain& domain);

}  // namespace mercer
