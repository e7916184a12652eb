#include "view/http/http_server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "tests/hang.hpp"

namespace tessera::view {
namespace {

template <class Condition>
bool come(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kHang;
  while (!condition() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return condition();
}

std::atomic<int> worked_at = 0, let_go = 0;  ///< requests of /wait

HttpAnswer wait_for_end(const HttpRequest& request) {
  ++worked_at;
  let_go += come([&] { return request.gone->requested(); }) ? 1 : 0;
  return {};
}

HttpAnswer answer(const HttpRequest& request) {
  if (request.target == "/wait") return wait_for_end(request);
  if (request.target == "/long") {
    const auto body = std::make_shared<LongBody>();
    body->bytes = 1'000'000;
    body->read = [](std::uint64_t, std::size_t most) { return std::string(most, 'x'); };
    return {.type = "image/png", .long_body = body};
  }
  return {.status = request.target == "/same" ? 304 : 200,
          .type = "text/plain",
          .body = request.target == "/same"
                      ? ""
                      : request.method + " " + request.target + " " + request.cookie};
}

class Server : public testing::Test {
 protected:
  /// The socket of a client that has sent these bytes.
  int begin(const std::string& bytes) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port_));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
    EXPECT_EQ(::send(socket, bytes.data(), bytes.size(), 0), std::ssize(bytes));
    return socket;
  }
  /// All that comes back for these bytes, up to the end of the connection.
  std::string ask(const std::string& bytes) const {
    const int socket = begin(bytes);
    std::string got(1 << 16, '\0');
    std::string all;
    for (ssize_t n = 0; (n = ::recv(socket, got.data(), got.size(), 0)) > 0;) {
      all.append(got, 0, static_cast<std::size_t>(n));
    }
    ::close(socket);
    return all;
  }
  static std::string get(const std::string& target, const std::string& more = "") {
    return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + more + "\r\n";
  }
  static int count(const std::string& text, const std::string& part) {
    int times = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
    return times;
  }

  HttpServer server_{&answer, 8};
  int port_ = server_.listen("127.0.0.1", 0, "test");
  const std::string last_ = "Connection: close\r\n";
};

TEST_F(Server, answers_requests_that_arrive_together_in_their_order) {
  const std::string got = ask(get("/a", "Cookie: c\r\n") + get("/b") + get("/c", last_));
  EXPECT_EQ(count(got, "HTTP/1.1 200 OK\r\n"), 3);
  EXPECT_LT(got.find("GET /a c"), got.find("GET /b "));
  EXPECT_LT(got.find("GET /b "), got.find("GET /c "));
}

TEST_F(Server, sends_no_body_for_a_head) {
  const std::string got = ask("HEAD /abc HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_NE(got.find("Content-Length: 10\r\n"), std::string::npos) << got;
  EXPECT_TRUE(got.ends_with("\r\n\r\n")) << got;
}

TEST_F(Server, has_no_length_for_what_has_not_changed) {
  const std::string got = ask(get("/same", last_));
  EXPECT_TRUE(got.starts_with("HTTP/1.1 304 Not Modified\r\n")) << got;
  EXPECT_EQ(got.find("Content-Length"), std::string::npos) << got;
}

TEST_F(Server, sends_long_bodies_whole) {
  const std::string got = ask(get("/long", last_));
  EXPECT_EQ(got.size() - (got.find("\r\n\r\n") + 4), 1'000'000U);
}

TEST_F(Server, packs_text_for_who_takes_it) {
  const std::string target = "/" + std::string(4000, 'a');
  const std::string got = ask(get(target, last_ + "Accept-Encoding: br, gzip\r\n"));
  EXPECT_NE(got.find("Content-Encoding: gzip\r\n"), std::string::npos) << got.substr(0, 300);
  std::string packed = got.substr(got.find("\r\n\r\n") + 4);
  std::string text(5000, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  ASSERT_EQ(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  EXPECT_EQ(text, "GET " + target + " ");
}

TEST_F(Server, packs_nothing_for_who_does_not_take_it) {
  const auto is_packed = [&](const std::string& takes) {
    return count(ask(get("/a", last_ + "Accept-Encoding: " + takes + "\r\n")), "gzip") == 1;
  };
  for (const char* const takes : {"gzip", "br;q=1.0, GZIP ; q=0.5", "*", "*;q=0, gzip", "gzip;q=1"})
    EXPECT_TRUE(is_packed(takes)) << takes;
  for (const char* const takes :
       {"gzip;q=0", "br, gzip; q=0.000", "*, gzip;q=0", "br", "", "gzip2"})
    EXPECT_FALSE(is_packed(takes)) << takes;
}

TEST_F(Server, says_what_to_do_about_a_head_that_is_too_long) {
  for (const std::size_t bytes : {std::size_t{9000}, std::size_t{60000}}) {
    const std::string got = ask(get("/a", "Cookie: " + std::string(bytes, 'c') + "\r\n"));
    EXPECT_TRUE(got.starts_with("HTTP/1.1 431 ")) << got;
    EXPECT_NE(got.find("cookies of all ports"), std::string::npos) << got;
  }
}

TEST_F(Server, ends_a_connection_with_what_is_no_request_or_has_a_body) {
  const std::string nonsense = ask("nonsense\r\n\r\n" + get("/a"));
  EXPECT_EQ(count(nonsense, "HTTP/1.1"), 1) << nonsense;
  EXPECT_TRUE(nonsense.starts_with("HTTP/1.1 400 ")) << nonsense;
  const std::string body =
      ask("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" + get("/b"));
  EXPECT_EQ(count(body, "HTTP/1.1 200 "), 1) << body;
  EXPECT_NE(body.find("POST /a "), std::string::npos) << body;
}

TEST_F(Server, tells_the_handler_that_a_client_has_gone) {
  const int worked = worked_at, ended = let_go;
  // A request that nobody has read yet does not hide the end.
  const int leaves = begin(get("/wait") + get("/a"));
  const int stays = begin(get("/wait"));
  ASSERT_TRUE(come([&] { return worked_at == worked + 2; }));
  ::close(leaves);
  EXPECT_TRUE(come([&] { return let_go > ended; }));
  EXPECT_EQ(let_go, ended + 1);
  server_.stop();
  EXPECT_EQ(let_go, ended + 2);
  ::close(stays);
}

TEST_F(Server, says_why_it_cannot_listen) {
  HttpServer other(&answer, 8);
  for (const auto& [address, port] :
       {std::pair<std::string, int>{"127.0.0.1", port_}, {"192.0.2.1", 0}}) {
    try {
      other.listen(address, port, "--listen");
      FAIL() << address;
    } catch (const base::Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("--listen: cannot listen at " + address))
          << error.what();
    }
  }
}

}  // namespace
}  // namespace tessera::view
