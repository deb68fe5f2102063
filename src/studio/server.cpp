#include "studio/server.hpp"

#include <fmt/format.h>
#include <httplib.h>
#include <mercer/error.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "studio/answers.hpp"
#include "studio/connections.hpp"
#include "studio/page.hpp"
#include "studio/places.hpp"

namespace mercer::studio {

namespace {

constexpr int usual_port = 7878;
constexpr std::size_t most_connections = 512;
constexpr std::size_t at_once = 4;  // computations

// An error for the page: in the core's own words, with the place in the kernel where there is one.
Json as_json(const std::exception& error) {
  Json json{{"message", error.what()}};
  if (const auto* parse = dynamic_cast<const ParseError*>(&error)) {
    const auto& d = parse->details();
    json = {{"message", d.message},
            {"text", d.text},
            {"begin", d.begin},
            {"end", d.end},
            {"suggestion", d.suggestion}};
  }
  return {{"error", json}};
}

// Numbers that are not finite have no place in JSON and become null; bytes that are no UTF-8 are
// replaced.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

bool has_page() { return !page_files().empty(); }

struct Server::Body {
  explicit Body(const Address& where) : gate(where) {}

  httplib::Server http;
  Gate gate;
  int port = 0;
  Json start;
  Places places{at_once};
  int listening = -1;

  // The request as JSON; otherwise it is refused.
  static std::optional<Json> read(const httplib::Request& request, httplib::Response& response) {
    if (!request.get_header_value("Content-Type").starts_with("application/json")) {
      refuse(response, 415, "a question is JSON: Content-Type: application/json");
      return std::nullopt;
    }
    Json json = Json::parse(request.body, nullptr, false);
    if (!json.is_object()) {
      refuse(response, 400, "the request is not a JSON object");
      return std::nullopt;
    }
    return json;
  }

  void answer(const char* path, Json (*question)(const Json&)) {
    http.Post(path, [this, question](const httplib::Request& request, httplib::Response& response) {
      const auto json = read(request, response);
      if (!json) return;
      const Place place(places);
      if (!place.taken()) return refuse(response, 503, "too many computations are running");
      try {
        response.set_content(text_of(question(*json)), json_type);
      } catch (const Error& error) {
        response.status = 400;
        response.set_content(text_of(as_json(error)), json_type);
      }
    });
  }

  // Frames as server-sent events. When the client goes away, the training ends.
  void learn(const httplib::Request& request, httplib::Response& response) {
    const auto json = read(request, response);
    if (!json) return;
    std::function<void(const Tell&)> work;
    try {
      work = learning(*json);
    } catch (const Error& error) {
      response.status = 400;
      response.set_content(text_of(as_json(error)), json_type);
      return;
    }
    response.set_header("Cache-Control", "no-store");
    response.set_chunked_content_provider(
        "text/event-stream", [this, work](std::size_t /*offset*/, httplib::DataSink& sink) {
          const auto send = [&](const Json& frame) {
            if (!sink.is_writable()) return false;
            const std::string event = "data: " + text_of(frame) + "\n\n";
            return sink.write(event.data(), event.size());
          };
          try {
            const Place place(places);
            if (!place.taken()) throw Error("too many computations are running");
            work(send);
          } catch (const Error& error) {
            send(as_json(error));
          }
          sink.done();
          return true;
        });
  }

  void set_routes() {
    http.new_task_queue = [] { return new Connections(most_connections); };  // NOLINT: httplib's
    http.set_payload_max_length(most_bytes);
    // httplib looks for a request only every tenth of a second where it is not there at once. So
    // there is a connection for each request, made in no time on this machine, and (below) it is
    // seen when the request has come.
    http.set_keep_alive_max_count(1);
    http.set_keep_alive_timeout(10);
    http.set_read_timeout(10);
    http.set_write_timeout(10);
    http.set_tcp_nodelay(true);
    // httplib's own would share the port with another server that does the same.
    http.set_socket_options([this](int socket) {
      listening = socket;
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      const int seconds = 10;
      setsockopt(socket, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds);
    });
    http.set_default_headers(
        {{"X-Content-Type-Options", "nosniff"},
         {"Referrer-Policy", "no-referrer"},
         {"Cross-Origin-Resource-Policy", "same-origin"},
         {"Content-Security-Policy",
          "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
          "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"}});
    http.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          using Answer = httplib::Server::HandlerResponse;
          return gate.lets_in(request, response) ? Answer::Unhandled : Answer::Handled;
        });
    http.set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, std::exception_ptr error) {
          try {
            std::rethrow_exception(std::move(error));
          } catch (const std::exception& e) {
            refuse(response, 500, std::string("internal fault: ") + e.what());
          } catch (...) {
            refuse(response, 500, "internal fault");
          }
        });
    http.set_error_handler([](const httplib::Request& request, httplib::Response& response) {
      if (!response.body.empty()) return;
      const std::string message = response.status == 404 ? "there is nothing at " + request.path
                                  : response.status == 413
                                      ? fmt::format("a question has at most {} bytes", most_bytes)
                                      : fmt::format("the request is wrong ({})", response.status);
      refuse(response, response.status, message);
    });
    for (const PageFile& file : page_files())
      http.Get(std::string(file.path) == "/index.html" ? "/" : std::string(file.path),
               [file](const httplib::Request&, httplib::Response& response) {
                 response.set_header("Cache-Control", "no-cache");
                 response.set_content(file.content.data(), file.content.size(),
                                      std::string(file.type));
               });
    http.Get("/api/about", [this](const httplib::Request&, httplib::Response& response) {
      Json json = about();
      json["start"] = start;
      response.set_content(text_of(json), json_type);
    });
    answer("/api/made", made);
    answer("/api/text", from_text);
    answer("/api/kernel", parsed);
    answer("/api/proof", proved);
    answer("/api/lift", lifted);
    answer("/api/gram", gram);
    answer("/api/tiles", tiles);
    answer("/api/map", kernel_behind);
    answer("/api/step", learned_at);
    http.Post("/api/learn", [this](const httplib::Request& request, httplib::Response& response) {
      learn(request, response);
    });
  }
};

Server::Server(const Address& where, Json start) {
  check(where);
  body_ = std::make_unique<Body>(where);
  Body& b = *body_;
  b.start = std::move(start);
  b.set_routes();
  const char* host = where.host.c_str();
  const int wanted = where.port.value_or(usual_port);
  if (wanted != 0 && b.http.bind_to_port(host, wanted)) {
    b.port = wanted;
  } else if (where.port && *where.port != 0) {
    throw Error(is_loopback(where.host)
                    ? fmt::format("port {} is taken; --port 0 finds one that is free", wanted)
                    : fmt::format("{} port {} cannot be listened at: taken, or no address of this "
                                  "machine",
                                  where.host, wanted));
  } else {
    b.port = b.http.bind_to_any_port(host);
    if (b.port <= 0)
      throw Error(where.host + " is no address of this machine, or no port of it is free");
  }
  b.gate.set_port(b.port);
  // httplib lets five wait to be accepted; a browser with a few pages has more.
  ::listen(b.listening, static_cast<int>(most_connections));
}

Server::~Server() = default;

int Server::port() const { return body_->port; }
std::string Server::address() const { return body_->gate.address(); }
void Server::run() { body_->http.listen_after_bind(); }

}  // namespace mercer::studio
