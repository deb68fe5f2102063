// mercer studio: the page in the browser, and the server behind it.
#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <mercer/error.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/table_options.hpp"
#include "cli/values.hpp"
#include "studio/answers.hpp"
#include "studio/server.hpp"

namespace mercer::cli {

namespace {

struct StudioCall {
  std::string data;
  std::string host = "127.0.0.1";
  std::optional<int> port;
  std::string token;
  bool no_open = false;
  bool json = false;
};

// Nothing is left to be saved, and nobody to be waited for.
extern "C" void on_end(int) { _exit(done); }

// In the browser of the desktop, where there is one; what it prints is not ours.
void open_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::array<std::string, 2> words{"xdg-open", address};
  std::array<char*, 3> arguments{words[0].data(), words[1].data(), nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&quiet, stream, "/dev/null", O_RDWR, 0);
  pid_t child = 0;
  if (posix_spawnp(&child, arguments[0], &quiet, nullptr, arguments.data(), environ) == 0)
    std::thread([child] { waitpid(child, nullptr, 0); }).detach();
  posix_spawn_file_actions_destroy(&quiet);
}

ExitCode run_studio(const StudioCall& options) {
  if (!studio::has_page())
    throw Error(
        "this program was built without the page of the studio; install nodejs and npm, and build "
        "it again");
  studio::Json start;
  if (!options.data.empty()) {
    start = studio::points_of(read_table(options.data));
    start["name"] = options.data;
  }
  studio::Address where{options.host, options.port, std::nullopt};
  if (!options.token.empty())
    where.token = options.token == "random" ? studio::random_token() : options.token;
  studio::Server server(where, start);
  std::signal(SIGINT, on_end);
  std::signal(SIGTERM, on_end);
  std::signal(SIGPIPE, SIG_IGN);
  if (options.json) {
    print(Json{{"address", server.address()}, {"port", server.port()}});
  } else {
    print(fmt::format("The studio is at {} (Ctrl-C ends it).", server.address()));
  }
  std::cout.flush();
  if (!options.no_open) open_browser(server.address());
  server.run();
  return done;
}

}  // namespace

void add_studio(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<StudioCall>();
  Command* command = add_command(program, chosen, "studio", "See it all at work, in the browser",
                                 options, run_studio);
  command->add_option("DATA", options->data,
                      "points to begin with: two columns of numbers and one of up to six classes");
  command
      ->add_option("--port", options->port,
                   "where to listen; 0: any that is free; else 7878, or another if it is taken")
      ->check(whole_number(0, 65535))
      ->type_name("PORT");
  command
      ->add_option(
          "--host", options->host,
          "the address to listen at; another than that of this machine alone needs --token")
      ->type_name("ADDRESS")
      ->capture_default_str();
  command
      ->add_option(
          "--token", options->token,
          "what a browser has to know: 16 letters, digits, - and _, or more; `random` makes "
          "one; it is a part of the address that is printed")
      ->type_name("TEXT");
  command->add_flag("--no-open", options->no_open, "do not open a browser");
  command->footer(
      "A page for this machine alone, if nothing else is said: paint points, type a kernel, and "
      "see its proof, "
      "the\n"
      "boundary as it is learned, the lift and the Gram matrix. All computing is done here.\n\n"
      "Examples:\n"
      "  mercer studio\n"
      "  mercer studio moons.csv --port 8000 --no-open\n"
      "  mercer studio --host 0.0.0.0 --token random");
}

}  // namespace mercer::cli
