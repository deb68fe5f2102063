#include "studio/gate.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <mercer/error.hpp>
#include <nlohmann/json.hpp>
#include <sys/random.h>
#include <unistd.h>

namespace mercer::studio {

namespace {

constexpr std::size_t shortest_token = 16;

bool is_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> binary{};
  return inet_pton(AF_INET, text.c_str(), binary.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), binary.data()) == 1;
}

bool is_everywhere(std::string_view host) { return host == "0.0.0.0" || host == "::"; }

// "[::1]:80" and "name:80" without the port; nothing where the port is another one.
std::optional<std::string> without_port(std::string_view host, int port) {
  const std::string end = fmt::format(":{}", port);
  if (!host.ends_with(end)) {
    if (port != 80) return std::nullopt;
  } else {
    host.remove_suffix(end.size());
  }
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  return std::string(host);
}

std::string name_of_machine() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

}  // namespace

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

void check(const Address& a) {
  if (!is_loopback(a.host) && !a.token)
    throw Error("--host " + a.host +
                " lets other machines ask, too: give a --token that they have to know, or --token "
                "random for a new one");
  if (!a.token) return;
  if (a.token->size() < shortest_token)
    throw Error(fmt::format("--token has {} characters, and could be guessed: at least {}",
                            a.token->size(), shortest_token));
  for (const char c : *a.token) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    if (!plain)
      throw Error("--token is a part of an address: letters, digits, - and _ only, not '" +
                  std::string(1, c) + "'");
  }
}

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  for (std::size_t done = 0; done < bytes.size();) {
    const auto got = getrandom(bytes.data() + done, bytes.size() - done, 0);
    if (got < 0 && errno != EINTR) throw Error("the system has no random numbers");
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  std::string text;
  for (const unsigned char b : bytes) text += fmt::format("{:02x}", b);
  return text;
}

bool same_secret(std::string_view given, std::string_view secret) {
  if (secret.empty()) return false;
  // As many comparisons as the guess is long, wherever it goes wrong.
  unsigned different = given.size() == secret.size() ? 0U : 1U;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char other = secret[i % secret.size()];
    different |= given[i] == other ? 0U : 1U;
  }
  return different == 0;
}

void refuse(httplib::Response& response, int status, const std::string& message) {
  response.status = status;
  const nlohmann::ordered_json json{{"error", {{"message", message}}}};
  response.set_content(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
                       json_type);
}

Gate::Gate(const Address& address)
    : host_(address.host), token_(address.token), session_(random_token()) {}

bool Gate::is_ours(std::string_view host) const {
  const auto name = without_port(host, port_);
  if (!name) return false;
  if (*name == host_) return true;
  if (is_loopback(host_)) return *name == "localhost" || *name == "127.0.0.1";
  if (!is_everywhere(host_)) return false;
  // Any address is one of this machine, or the request would not be here; a name must be known.
  return *name == "localhost" || is_address(*name) || *name == name_of_machine();
}

std::string Gate::cookie_name() const { return fmt::format("mercer_{}", port_); }

bool Gate::knows_token(const httplib::Request& request) const {
  constexpr std::string_view bearer = "Bearer ";
  const std::string header = request.get_header_value("Authorization");
  if (header.starts_with(bearer) && same_secret(header.substr(bearer.size()), *token_)) return true;
  const std::string start = cookie_name() + "=";
  const std::string cookies = request.get_header_value("Cookie");
  for (std::size_t at = 0; at < cookies.size();) {
    const std::size_t end = std::min(cookies.find(';', at), cookies.size());
    std::string_view one = std::string_view(cookies).substr(at, end - at);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(start) && same_secret(one.substr(start.size()), session_)) return true;
    at = end + 1;
  }
  return false;
}

bool Gate::lets_in(const httplib::Request& request, httplib::Response& response) const {
  const std::string host = request.get_header_value("Host");
  const std::string origin = request.get_header_value("Origin");
  const std::string site = request.get_header_value("Sec-Fetch-Site");
  const bool a_question = request.path.starts_with("/api/");
  if (!is_ours(host) || (!origin.empty() && origin != "http://" + host) ||
      (a_question && !site.empty() && site != "same-origin" && site != "none")) {
    refuse(response, 403,
           fmt::format("this server answers its own page only, at http://{}:{}/", shown_host(),
                       port_));
    return false;
  }
  if (!token_) return true;
  if (request.method == "GET" && request.path == "/" && request.has_param("token")) {
    if (!same_secret(request.get_param_value("token"), *token_)) {
      refuse(response, 403, "the token is wrong");
      return false;
    }
    // Lax: also where a link from elsewhere led here; other sites' requests come without it.
    response.set_header("Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Lax",
                                                  cookie_name(), session_));
    response.set_header("Cache-Control", "no-store");
    response.set_redirect("/", 303);
    return false;
  }
  if (knows_token(request)) return true;
  response.set_header("WWW-Authenticate", "Bearer");
  refuse(response, 401, "this studio asks for its token: open the address that it printed");
  return false;
}

std::string Gate::shown_host() const {
  if (is_everywhere(host_)) return "127.0.0.1";
  return host_.find(':') == std::string::npos ? host_ : "[" + host_ + "]";
}

std::string Gate::address() const {
  return fmt::format("http://{}:{}/{}", shown_host(), port_, token_ ? "?token=" + *token_ : "");
}

}  // namespace mercer::studio
