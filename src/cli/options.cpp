#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

namespace mercer::cli {

namespace {

CLI::Validator validator(const Check& check) { return {check, "", ""}; }

WrongCall::Kind kind_of(const CLI::ParseError& error) {
  using Kind = WrongCall::Kind;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return Kind::extra_words;
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return Kind::something_missing;
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return Kind::conversion;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return Kind::mismatch;
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) return Kind::exclude;
  return Kind::other;
}

}  // namespace

Option* Option::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

Option* Option::required() {
  option_->required();
  return this;
}

Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}

Option* Option::check(const Check& check) {
  option_->check(validator(check));
  return this;
}

Option* Option::transform(const Check& change) {
  option_->transform(validator(change));
  return this;
}

Option* Option::range(std::size_t least, std::size_t most) {
  option_->check(CLI::Range(least, most));
  return this;
}

Option* Option::delimiter(char between) {
  option_->delimiter(between);
  return this;
}

Option* Option::allow_extra_args(bool allow) {
  option_->allow_extra_args(allow);
  return this;
}

Option* Option::excludes(const Option* other) {
  option_->excludes(other->option_);
  return this;
}

Option* Option::excludes(const std::string& other) {
  option_->excludes(other);
  return this;
}

Option* Option::needs(const Option* other) {
  option_->needs(other->option_);
  return this;
}

const std::vector<std::string>& Option::long_names() const { return option_->get_lnames(); }
const std::vector<std::string>& Option::short_names() const { return option_->get_snames(); }
std::string Option::operand() const { return option_->get_name(true); }
std::string Option::type() const { return option_->get_type_name(); }
const std::string& Option::description() const { return option_->get_description(); }
bool Option::takes_value() const { return option_->get_items_expected_max() > 0; }

Command::Command(const std::string& about, const std::string& name)
    : program_(std::make_unique<CLI::App>(about, name)), app_(program_.get()) {
  for (auto* option : app_->get_options()) added(option);
}

Command::Command(CLI::App& app) : app_(&app) {
  for (auto* option : app_->get_options()) added(option);
}

Command::~Command() = default;

Option* Command::added(CLI::Option* option) { return &options_.emplace_back(*option); }

Option* Command::add_flag(const Text& name, bool& value, const Text& help) {
  return added(app_->add_flag(name, value, help));
}

Option* Command::add_option(const Text& name, std::string& value, const Text& help) {
  return added(app_->add_option(name, value, help));
}

Option* Command::add_option(const Text& name, double& value, const Text& help) {
  return added(app_->add_option(name, value, help));
}

Option* Command::add_option(const Text& name, std::uint32_t& value, const Text& help) {
  return added(app_->add_option(name, value, help));
}

Option* Command::add_option(const Text& name, std::uint64_t& value, const Text& help) {
  return added(app_->add_option(name, value, help));
}

Option* Command::add_option(const Text& name, std::optional<std::string>& value, const Text& help) {
  return added(app_->add_option(name, value, help));
}

Option* Command::add_option(const Text& name, std::optional<double>& value, const Text& help) {
  return added(app_->add_option(name, value, help));
}

Option* Command::add_option(const Text& name, std::optional<int>& value, const Text& help) {
  return added(app_->add_option(name, value, help));
}

Option* Command::add_option(const Text& name, std::optional<std::uint32_t>& value,
                            const Text& help) {
  return added(app_->add_option(name, value, help));
}

Option* Command::add_option(const Text& name, std::optional<std::uint64_t>& value,
                            const Text& help) {
  return added(app_->add_option(name, value, help));
}

Option* Command::add_option(const Text& name, std::vector<std::string>& value, const Text& help) {
  return added(app_->add_option(name, value, help));
}

Option* Command::add_option(const Text& name, std::vector<std::uint64_t>& value, const Text& help) {
  return added(app_->add_option(name, value, help));
}

Option* Command::get_option(const std::string& name) {
  const CLI::Option* option = app_->get_option(name);
  const auto at = std::ranges::find_if(options_, [&](const Option& o) { return o.is(*option); });
  return &*at;
}

Command* Command::add_subcommand(const std::string& name, const std::string& summary) {
  return &commands_.emplace_back(*app_->add_subcommand(name, summary));
}

Command* Command::require_subcommand(std::size_t least, std::size_t most) {
  app_->require_subcommand(least, most);
  return this;
}

Command* Command::callback(std::function<void()> run) {
  app_->callback(std::move(run));
  return this;
}

Command* Command::footer(const std::string& text) {
  app_->footer(text);
  return this;
}

const std::string& Command::name() const { return app_->get_name(); }
std::string Command::description() const { return app_->get_description(); }
std::string Command::help() const { return app_->help(); }
std::vector<std::string> Command::remaining() const { return app_->remaining(true); }

bool Command::parse(std::vector<std::string> words) {
  try {
    app_->parse(std::move(words));
    return true;
  } catch (const CLI::Success& help) {
    app_->exit(help);
    return false;
  } catch (const CLI::ParseError& error) {
    throw WrongCall(kind_of(error), error.what());
  }
}

const Command* Command::called() const {
  const auto used = app_->get_subcommands();
  if (used.empty()) return nullptr;
  const auto at =
      std::ranges::find_if(commands_, [&](const Command& c) { return c.app_ == used[0]; });
  return &*at;
}

}  // namespace mercer::cli
