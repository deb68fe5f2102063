#include "learn/svm_records.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <string_view>
#include <type_traits>

namespace mercer::learn {

namespace {

constexpr const char* kind = "is";

[[noreturn]] void refuse() {
  throw Error("the checkpoint does not fit this training; remove it to begin anew");
}

// The parts of each, for writing and for reading.
template <class S, class Visit>
void visit_state(S& s, const Visit& visit) {
  visit("beta", s.beta);
  visit("variables", s.variables);
  visit("f", s.f);
  visit("newest", s.newest);
  visit("known f", s.known_f);
  visit("known", s.known);
  visit("rows", s.rows);
  visit("rows used", s.rows_used);
  visit("next row", s.next_row);
  visit("rounds", s.rounds);
  visit("moves", s.moves);
  visit("computed", s.computed);
  visit("since better", s.since_better);
  visit("last active", s.last_active);
  visit("looked early", s.looked_early);
  visit("in double", s.in_double);
  visit("best objective", s.best_objective);
  visit("largest value", s.largest_value);
  visit("violation aside", s.violation_aside);
  visit("shrinks", s.shrinks);
  visit("work", s.work);
  visit("faces", s.faces);
  visit("looked at", s.looked_at);
  visit("objective then", s.objective_then);
  visit("violation then", s.violation_then);
  visit("in vain", s.in_vain);
}

template <class M, class Visit>
void visit_machine(M& m, const Visit& visit) {
  visit("coefficients", m.coefficients);
  visit("offset", m.offset);
  visit("violation", m.violation);
  visit("primal", m.primal);
  visit("dual", m.dual);
  visit("norm", m.norm);
  visit("margin", m.margin);
  visit("tube", m.tube);
  visit("support", m.support);
  visit("bounded", m.bounded);
  visit("rounds", m.rounds);
  visit("moves", m.moves);
}

template <class C, class Visit>
void visit_choice(C& c, const Visit& visit) {
  visit("C", c.C);
  visit("gamma", c.gamma);
  visit("accuracy", c.merit);
  visit("rows", c.rows);
}

struct Write {
  model::Record& record;

  void operator()(const char* name, const std::vector<double>& v) const {
    record.numbers[name] = v;
  }
  void operator()(const char* name, const std::vector<std::uint64_t>& v) const {
    record.whole[name] = v;
  }
  void operator()(const char* name, double v) const { record.numbers[name] = {v}; }
  void operator()(const char* name, std::uint64_t v) const { record.whole[name] = {v}; }
  void operator()(const char* name, const std::optional<double>& v) const {
    record.numbers[name] = v ? std::vector<double>{*v} : std::vector<double>();
  }
};

struct Read {
  const model::Record& record;

  template <class T>
  static const std::vector<T>& in(const std::map<std::string, std::vector<T>>& all,
                                  const char* name) {
    const auto at = all.find(name);
    if (at == all.end()) refuse();
    return at->second;
  }
  template <class T>
  static T one(const std::vector<T>& values) {
    if (values.size() != 1) refuse();
    return values[0];
  }

  void operator()(const char* name, std::vector<double>& v) const { v = in(record.numbers, name); }
  void operator()(const char* name, std::vector<std::uint64_t>& v) const {
    v = in(record.whole, name);
  }
  void operator()(const char* name, double& v) const { v = one(in(record.numbers, name)); }
  void operator()(const char* name, std::uint64_t& v) const { v = one(in(record.whole, name)); }
  void operator()(const char* name, std::optional<double>& v) const {
    const auto& values = in(record.numbers, name);
    v = values.empty() ? std::nullopt : std::optional(one(values));
  }
};

std::string_view kind_of(const model::Record& record) {
  const auto at = record.texts.find(kind);
  return at == record.texts.end() ? std::string_view() : std::string_view(at->second);
}

}  // namespace

static_assert(std::is_same_v<std::size_t, std::uint64_t>, "counts are kept as words");

model::Record record_of(const support::State& state) {
  model::Record record;
  record.texts[kind] = "state";
  visit_state(state, Write{record});
  return record;
}

support::State state_in(const model::Record& record) {
  if (kind_of(record) != "state") refuse();
  support::State state;
  visit_state(state, Read{record});
  return state;
}

model::Record record_of(const Svm& machine) {
  model::Record record;
  record.texts[kind] = "machine";
  record.texts["message"] = machine.message;
  visit_machine(machine, Write{record});
  record.whole["end"] = {static_cast<std::uint64_t>(machine.end)};
  return record;
}

std::optional<Svm> machine_in(const model::Record& record, std::size_t points) {
  if (kind_of(record) == "state") return std::nullopt;
  if (kind_of(record) != "machine") refuse();
  Svm machine;
  visit_machine(machine, Read{record});
  std::uint64_t end = 0;
  Read{record}("end", end);
  const auto message = record.texts.find("message");
  if (end > static_cast<std::uint64_t>(Svm::End::not_separable) || message == record.texts.end() ||
      machine.coefficients.size() != points || !std::isfinite(machine.offset) ||
      !std::ranges::all_of(machine.coefficients, [](double c) { return std::isfinite(c); }))
    refuse();
  machine.end = static_cast<Svm::End>(end);
  machine.message = message->second;
  return machine;
}

model::Record record_of(const std::optional<SvmChoice>& choice) {
  model::Record record;
  record.texts[kind] = choice ? "choice" : "no choice";
  if (choice) visit_choice(*choice, Write{record});
  return record;
}

std::optional<SvmChoice> choice_in(const model::Record& record) {
  if (kind_of(record) == "no choice") return std::nullopt;
  if (kind_of(record) != "choice") refuse();
  SvmChoice choice;
  visit_choice(choice, Read{record});
  if (!(choice.C > 0) || !std::isfinite(choice.C) || !(choice.gamma >= 0) ||
      !std::isfinite(choice.gamma))
    refuse();
  return choice;
}

}  // namespace mercer::learn
