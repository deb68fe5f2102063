// Who may ask.
//
// A request must be addressed to this server by one of its own names: a page from elsewhere that
// points a name of its own here (DNS rebinding) is refused by that name. It must come from the
// studio's own page: browsers say so in Origin and Sec-Fetch-Site. And where there is a token, it
// must know it: as ?token=… of the first request, which is answered by a cookie and the same
// address without it, or in the header `Authorization: Bearer …`.
#pragma once

#include <httplib.h>
#include <optional>
#include <string>
#include <string_view>

namespace mercer::studio {

struct Address {
  std::string host = "127.0.0.1";  // where to listen
  std::optional<int> port = {};    // none: the usual one, or any other that is free
  std::optional<std::string> token = {};
};

// Throws Error where others than this machine could ask without a token, or guess it.
void check(const Address& address);
// A token that nobody guesses: 128 bits from the system.
std::string random_token();
// Whether they are equal, in a time that does not tell where they differ.
bool same_secret(std::string_view given, std::string_view secret);
bool is_loopback(std::string_view host);

class Gate {
 public:
  explicit Gate(const Address& address);
  void set_port(int port) { port_ = port; }

  // Whether it is to be answered; else the response says why not, or sends the browser on.
  bool lets_in(const httplib::Request& request, httplib::Response& response) const;

  [[nodiscard]] std::string address() const;  // "http://127.0.0.1:7878/", with the token

 private:
  [[nodiscard]] bool is_ours(std::string_view host) const;
  [[nodiscard]] bool knows_token(const httplib::Request& request) const;
  [[nodiscard]] std::string cookie_name() const;
  [[nodiscard]] std::string shown_host() const;

  std::string host_;
  int port_ = 0;
  std::optional<std::string> token_;
  std::string session_;  // what the cookie holds, so that it is not the token
};

// With the character set: httplib would compress plain "application/json" as well as it can, which
// takes a second for a Gram matrix, and there is no network between us and the page.
inline constexpr const char* json_type = "application/json; charset=utf-8";

// An answer that says what is wrong.
void refuse(httplib::Response& response, int status, const std::string& message);

}  // namespace mercer::studio
