// The studio's server: one page and its questions.
//
// It listens on 127.0.0.1, or where it is told to, with a token then (gate.hpp). A connection has a
// thread of its own, as an event stream keeps it for long; computations share a few places, and one
// whose client is gone ends.
#pragma once

#include <memory>
#include <string>

#include "studio/gate.hpp"
#include "studio/problem.hpp"

namespace mercer::studio {

// Whether the page was built into this program.
bool has_page();

class Server {
 public:
  // `start`: what the page shows first, as points_of says it; null: its own choice. Throws Error
  // where the port is taken.
  Server(const Address& where, Json start);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] int port() const;
  [[nodiscard]] std::string address() const;  // "http://127.0.0.1:7878/", with the token

  void run();  // until the program ends

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace mercer::studio
