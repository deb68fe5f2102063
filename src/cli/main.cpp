// The program: finds the command, runs it, and turns what it throws into one line and an exit code.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <iostream>
#include <mercer/error.hpp>
#include <new>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/more.hpp"
#include "cli/output.hpp"
#include "cli/ranks.hpp"
#include "cli/words.hpp"

namespace mercer::cli {

namespace {

extern "C" void on_interrupt(int) {
  constexpr std::string_view text = "\nmercer: interrupted\n";
  // Nobody is left to be told that stderr is closed.
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(interrupted);
  _exit(interrupted);
}

constexpr const char* about =
    "mercer: kernels you can say, know and learn with.\n\n"
    "A kernel is written as an expression in two points x and z, by name or as a formula:\n"
    "  rbf(0.5)*poly(2) + 0.1*linear      exp(-|x-z|^2/2)      prod(i, 1 + x[i]*z[i])";

constexpr const char* examples =
    "Examples:\n"
    "  mercer kernel 'rbf(0.5)*poly(2) + 0.1*linear'\n"
    "  mercer eval 'exp(-|x-z|^2/2)' --x 1,2 --z 3,4\n"
    "  mercer prove 'min(x,z)' --over R+\n"
    "  mercer features '(1 + x.z)^2' --dim 2\n"
    "  mercer equal '(1 + x.z)^2' '1 + 2*x.z + (x.z)^2'\n"
    "  mercer separable data.csv --map '[x1, x2, x1*x2]'\n"
    "  mercer make moons -o moons.csv && mercer data moons.csv\n"
    "  mercer gram 'rbf(0.5)' moons.csv -o K.npy\n"
    "  mercer train moons.csv && mercer evaluate moons.mercer other.csv\n"
    "  mercer predict moons.mercer new.csv && mercer evaluate moons.mercer test.csv\n"
    "  mercer plot boundary moons.mercer moons.csv && mercer studio\n"
    "  mercer kernels\n\n"
    "`mercer COMMAND --help` tells more about a command.\n"
    "Exit codes: 0 done, 1 the answer is no, 2 the call or the input is wrong, 3 undecided,\n"
    "or not converged (what was reached is written), 4 internal fault, 130 interrupted.";

// The command that was called; of `plot boundary` the latter.
const Command& called(const Command& program) {
  const Command* used = program.called();
  return used == nullptr ? program : called(*used);
}

// The command that was mistyped, or the option.
std::string suggestion_for(const Command& program, const std::vector<std::string>& unexpected) {
  if (unexpected.empty()) return {};
  std::vector<std::string> names;
  const auto add_options = [&](const Command& command) {
    for (const auto& option : command.options())
      for (const auto& name : option.long_names()) names.push_back("--" + name);
  };
  add_options(program);
  const Command& last = called(program);
  for (const auto& command : last.commands()) names.push_back(command.name());
  if (&last != &program) add_options(last);
  const std::vector<std::string_view> known(names.begin(), names.end());
  return nearest(unexpected.front(), known);
}

std::string called_as(const Command& program) {
  std::string name = "mercer";
  for (const Command* at = program.called(); at != nullptr; at = at->called())
    name += " " + at->name();
  return name;
}

// The part of a message before or behind the first such text.
std::string before(const std::string& message, const std::string& text) {
  return message.substr(0, message.find(text));
}
std::string behind(const std::string& message, const std::string& text) {
  const auto at = message.find(text);
  return at == std::string::npos ? std::string() : message.substr(at + text.size());
}

// CLI11's sentences in our words, where they differ much.
std::string in_our_words(const WrongCall& error) {
  std::string message = unmarked(error.what());
  if (error.kind() == WrongCall::Kind::conversion) {
    const std::string call = behind(message, "Could not convert: ");
    if (!call.empty()) return before(call, " = ") + ": '" + behind(call, " = ") + "' is no number";
  }
  if (error.kind() == WrongCall::Kind::mismatch && message.find(": At Most ") != std::string::npos)
    return before(message, ": ") + " is given more than once";
  if (error.kind() == WrongCall::Kind::mismatch && message.find(" required ") != std::string::npos)
    return before(message, ": ") + " needs a value";
  if (error.kind() == WrongCall::Kind::exclude)
    return before(message, " excludes ") + " and " + behind(message, " excludes ") +
           " do not go together";
  return message;
}

// What is wrong with the call, in one line.
std::string explained(const Command& program, const WrongCall& error) {
  const auto unexpected = program.remaining();
  const bool incomplete = !called(program).commands().empty();
  const bool extra = error.kind() == WrongCall::Kind::extra_words;
  if (error.kind() == WrongCall::Kind::something_missing && incomplete && unexpected.empty()) {
    std::string names;
    for (const auto& command : called(program).commands())
      names += (names.empty() ? "" : ", ") + command.name();
    return called(program).name() + " what? One of " + names;
  }
  if ((extra || incomplete) && !unexpected.empty()) {
    const bool is_option = unexpected.front().starts_with("-");
    const bool has_command = !incomplete;
    const std::string kind = is_option     ? "unknown option"
                             : has_command ? "unexpected argument"
                                           : "unknown command";
    const std::string guess = suggestion_for(program, unexpected);
    return unmarked(kind + " '" + unexpected.front() + "'" +
                    (guess.empty() ? "" : "; did you mean '" + guess + "'?"));
  }
  return in_our_words(error);
}

// What was printed has to arrive: a full disk is an error too.
int finish(int code) {
  std::cout.flush();
  if (std::cout) return code;
  std::cerr << "mercer: cannot write the output: " << std::strerror(errno) << '\n';
  return wrong_call;
}

int fail(const Command& program, bool json, const std::exception& error,
         const std::string& help = {}) {
  if (!Ranks::speaks()) return done;  // the first rank says it
  if (json) print(as_json(error));
  std::cerr << called_as(program) << ": " << error.what() << help << '\n';
  return finish(wrong_call);
}

// Of a call that could not be read, only the words tell.
bool asks_for_json(int argc, const char* const* argv) {
  return std::any_of(argv, argv + argc,
                     [](const char* word) { return word == std::string_view("--json"); });
}

constexpr Adder in_more = nullptr;
constexpr std::array<More::Named, 25> commands{{{"kernel", add_kernel},
                                                {"eval", add_eval},
                                                {"kernels", add_kernels},
                                                {"prove", in_more},
                                                {"features", in_more},
                                                {"equal", in_more},
                                                {"separable", in_more},
                                                {"check-gram", in_more},
                                                {"gram", add_gram},
                                                {"train", add_train},
                                                {"plan", add_plan},
                                                {"cv", add_cv},
                                                {"tune", add_tune},
                                                {"auto", add_auto},
                                                {"predict", add_predict},
                                                {"evaluate", add_evaluate},
                                                {"inspect", add_inspect},
                                                {"import", add_import},
                                                {"export", add_export},
                                                {"data", add_data},
                                                {"make", add_make},
                                                {"convert", add_convert},
                                                {"plot", in_more},
                                                {"studio", in_more},
                                                {"completion", add_completion}}};

Adder added_by(const More::Named& command) {
  if (command.add != in_more) return command.add;
  return std::ranges::find(more().commands, command.name, &More::Named::name)->add;
}

// The one that the first word names, where it names one: all of them take longer. Completion is
// about all, the version about none.
void add_commands(Command& program, Chosen& chosen, std::string_view first) {
  if (first == "--version") return;
  const bool one =
      first != "completion" && std::ranges::count(commands, first, &More::Named::name) > 0;
  for (const More::Named& command : commands)
    if (!one || command.name == first) added_by(command)(program, chosen);
}

int run(int argc, const char* const* argv) {
  Command program(about, "mercer");
  Chosen chosen;
  bool version = false;
  bool json = false;
  program.add_flag("--version", version, "version, compiler, instruction set, threads");
  program.add_flag("--json", json, "with --version: as JSON");
  try {
    add_commands(program, chosen, argc > 1 ? argv[1] : "");
  } catch (const Error& error) {
    return fail(program, asks_for_json(argc, argv), error);
  }
  program.require_subcommand(0, 1);
  program.footer(examples);
  unmark_options(program);
  try {
    if (!program.parse(marked_words(program, argc, argv))) return finish(done);
  } catch (const WrongCall& error) {
    return fail(program, asks_for_json(argc, argv), Error(explained(program, error)),
                " (see " + called_as(program) + " --help)");
  }
  try {
    if (version) return finish(print_version(json));
    if (!chosen.run) {
      std::cout << program.help();
      return finish(done);
    }
    const std::string& name = called(program).name();
    if (Ranks::count() > 1 && name != "train" && name != "tune")
      throw Error(
          "this is one of several ranks of mpirun, which are for `mercer train` and `mercer tune`");
    return finish(chosen.run());
  } catch (const Error& error) {
    return fail(program, chosen.json, error);
  } catch (const std::bad_alloc&) {
    return fail(program, chosen.json, Error("there is not enough memory for this"));
  }
}

}  // namespace

}  // namespace mercer::cli

namespace {

// Memory that was given back is used again before new memory is asked for: a system that clears
// each page of it once more took a tenth of the time of short trainings. What is larger than half
// of glibc's heaps comes from the system and goes back to it as ever.
void keep_memory() {
#ifdef __GLIBC__
  constexpr int largest = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, largest);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_TOP_PAD, 4 << 20);
#endif
}

}  // namespace

#ifdef __SANITIZE_ADDRESS__
// What fontconfig keeps to the end is lost to the sanitizer, as it was loaded late.
extern "C" const char* __lsan_default_suppressions();  // NOLINT: the sanitizer's names
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig"; }  // NOLINT
extern "C" const char* __lsan_default_options();                                       // NOLINT
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }     // NOLINT
#endif

int main(int argc, char** argv) {
  keep_memory();
  std::signal(SIGINT, mercer::cli::on_interrupt);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  try {
    return mercer::cli::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "mercer: internal fault: " << error.what()
              << "\nPlease report this with the command.\n";
  } catch (...) {
    std::cerr << "mercer: internal fault\nPlease report this with the command.\n";
  }
  return mercer::cli::internal_fault;
}
