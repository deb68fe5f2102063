#include <algorithm>
#include <cmath>
#include <limits>
#include <mercer/domain.hpp>
#include <mercer/error.hpp>
#include <ostream>

#include "kernel/domain_body.hpp"
#include "kernel/elaborate.hpp"

namespace mercer {

namespace {

constexpr const char* forms = "R, R+, R++, Z, N, [a,b], (a,b), {v1,v2,…}, ball(r) or sphere";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Reads one domain; parts of the text keep their offsets, for the caret.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), body_(trimmed(text)) {}

  Domain::Body run() {
    using Kind = Domain::Kind;
    Domain::Body d;
    if (body_ == "R") return d;
    if (body_ == "R+" || body_ == "R++") {
      d.kind = Kind::interval;
      d.low = Rational(0);
      d.low_open = body_ == "R++";
      return d;
    }
    if (body_ == "Z" || body_ == "N" || body_ == "sphere") {
      d.kind = body_ == "Z" ? Kind::integers : body_ == "N" ? Kind::naturals : Kind::sphere;
      return d;
    }
    if (body_.starts_with("ball(") && body_.ends_with(")")) {
      d.kind = Kind::ball;
      const auto inner = body_.substr(5, body_.size() - 6);
      d.radius = number(inner);
      if (d.radius.sign() <= 0) fail(inner, "a ball needs a radius > 0");
      return d;
    }
    if (body_.size() >= 2 && body_.front() == '{' && body_.back() == '}') return finite();
    if (body_.size() >= 2 && (body_.front() == '[' || body_.front() == '(') &&
        (body_.back() == ']' || body_.back() == ')'))
      return interval();
    fail(body_, body_.empty() ? "the domain is empty" : "unknown domain", forms);
  }

 private:
  [[noreturn]] void fail(std::string_view part, const std::string& message,
                         const std::string& expected = {}) const {
    const auto begin = static_cast<std::size_t>(part.data() - text_.data());
    algebra::fail(text_, {begin, begin + part.size()}, message, expected);
  }

  [[nodiscard]] Rational number(std::string_view part) const {
    try {
      return algebra::constant_from(part);
    } catch (const ParseError& e) {
      const auto offset = static_cast<std::size_t>(part.data() - text_.data());
      algebra::fail(text_, {offset + e.details().begin, offset + e.details().end},
                    e.details().message, "a number such as -1/3");
    }
  }

  [[nodiscard]] std::vector<std::string_view> parts() const {
    std::string_view inner = body_.substr(1, body_.size() - 2);
    std::vector<std::string_view> result;
    for (;;) {
      const auto comma = inner.find(',');
      result.push_back(inner.substr(0, comma));
      if (comma == std::string_view::npos) return result;
      inner.remove_prefix(comma + 1);
    }
  }

  [[nodiscard]] Domain::Body finite() const {
    Domain::Body d;
    d.kind = Domain::Kind::finite;
    for (const auto part : parts()) d.values.push_back(number(part));
    std::ranges::sort(d.values);
    d.values.erase(std::unique(d.values.begin(), d.values.end()), d.values.end());
    return d;
  }

  [[nodiscard]] Domain::Body interval() const {
    Domain::Body d;
    d.kind = Domain::Kind::interval;
    const auto ends = parts();
    if (ends.size() != 2) fail(body_, "an interval has two ends", "[a,b] or (a,b)");
    d.low_open = body_.front() == '(';
    d.high_open = body_.back() == ')';
    if (trimmed(ends[0]) != "-inf") d.low = number(ends[0]);
    if (trimmed(ends[1]) != "inf") d.high = number(ends[1]);
    if ((!d.low && !d.low_open) || (!d.high && !d.high_open))
      fail(body_, "infinity does not belong to an interval", "a round bracket at that end");
    if (d.low && d.high && (*d.high < *d.low || (*d.high == *d.low && (d.low_open || d.high_open))))
      fail(body_, "the interval is empty");
    if (!d.low && !d.high) d = {};  // all reals
    return d;
  }

  std::string_view text_;
  std::string_view body_;
};

bool in_interval(const Domain::Body& d, const Rational& v) {
  if (d.low && (v < *d.low || (d.low_open && v == *d.low))) return false;
  return !d.high || (v < *d.high) || (!d.high_open && v == *d.high);
}

}  // namespace

Domain::Domain() : body_(std::make_shared<const Body>()) {}

Domain::Domain(std::shared_ptr<const Body> body) : body_(std::move(body)) {}

Domain Domain::parse(std::string_view text) {
  return Domain(std::make_shared<const Body>(Reader(text).run()));
}

Domain Domain::reals() { return {}; }
Domain Domain::nonnegative() { return parse("R+"); }
Domain Domain::positive() { return parse("R++"); }

Domain::Kind Domain::kind() const { return body_->kind; }

std::string Domain::text() const {
  switch (body_->kind) {
    case Kind::reals:
      return "R";
    case Kind::integers:
      return "Z";
    case Kind::naturals:
      return "N";
    case Kind::sphere:
      return "sphere";
    case Kind::ball:
      return "ball(" + body_->radius.text() + ")";
    case Kind::finite: {
      std::string text;
      for (const auto& v : body_->values) text += (text.empty() ? "{" : ",") + v.text();
      return text + "}";
    }
    case Kind::interval:
      break;
  }
  if (body_->low && body_->low->is_zero() && !body_->high) return body_->low_open ? "R++" : "R+";
  return (body_->low_open ? "(" : "[") + (body_->low ? body_->low->text() : "-inf") + "," +
         (body_->high ? body_->high->text() : "inf") + (body_->high_open ? ")" : "]");
}

bool Domain::contains(std::span<const double> point) const {
  if (!std::ranges::all_of(point, [](double v) { return std::isfinite(v); })) return false;
  const Body& d = *body_;
  if (d.kind == Kind::sphere || d.kind == Kind::ball) {
    Rational squared;
    for (const double v : point) squared += Rational::exactly(v) * Rational::exactly(v);
    if (d.kind == Kind::ball) return squared <= d.radius * d.radius;
    const double off = std::abs((squared - Rational(1)).to_double());
    return off <=
           4 * static_cast<double>(point.size() + 1) * std::numeric_limits<double>::epsilon();
  }
  return std::ranges::all_of(point, [&](double v) {
    switch (d.kind) {
      case Kind::integers:
        return v == std::floor(v);
      case Kind::naturals:
        return v >= 1 && v == std::floor(v);
      case Kind::interval:
        return in_interval(d, Rational::exactly(v));
      case Kind::finite:
        // A value such as 1/3 is not a double: the nearest one stands for it.
        return std::ranges::any_of(d.values, [&](const Rational& w) { return w.to_double() == v; });
      default:
        return true;
    }
  });
}

Domain::Bounds Domain::bounds() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Body& d = *body_;
  switch (d.kind) {
    case Kind::interval:
      return {d.low ? d.low->to_double() : -infinity, d.high ? d.high->to_double() : infinity,
              d.low_open, d.high_open};
    case Kind::finite:
      return {d.values.front().to_double(), d.values.back().to_double(), false, false};
    case Kind::naturals:
      return {1, infinity, false, true};
    case Kind::ball:
      return {-d.radius.to_double(), d.radius.to_double(), false, false};
    case Kind::sphere:
      return {-1, 1, false, false};
    case Kind::reals:
    case Kind::integers:
      break;
  }
  return {-infinity, infinity, true, true};
}

bool operator==(const Domain& a, const Domain& b) { return *a.body_ == *b.body_; }

std::ostream& operator<<(std::ostream& out, const Domain& domain) { return out << domain.text(); }

}  // namespace mercer
