// The studio's server: one page and its questions, for this machine alone.
//
// It listens on 127.0.0.1 and answers only what is addressed to it by that name, so that a page
// from elsewhere that points another name here gets nothing, nor one that merely sends requests:
// these must be JSON from the studio's own origin. A connection has a thread of its own, as an
// event stream keeps it for long; computations share a few places, and one whose client is gone
// ends.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "studio/problem.hpp"

namespace mercer::studio {

// Whether the page was built into this program.
bool has_page();

class Server {
 public:
  // `start`: what the page shows first, as points_of says it; null: its own choice. Without a port,
  // the usual one, or any other that is free. Throws Error where the port is taken.
  Server(std::optional<int> port, Json start);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] int port() const;
  [[nodiscard]] std::string address() const;  // "http://127.0.0.1:7878/"

  void run();  // until the program ends

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace mercer::studio
