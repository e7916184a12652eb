#include "view/http/connection.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>

namespace tessera::view {
namespace {

using std::chrono::milliseconds;

/// A client at the other end of a connection.
class ConnectionLimit : public testing::Test {
 protected:
  ConnectionLimit() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  ~ConnectionLimit() override { ::close(ends_[1]); }

  void send(const std::string& text) const {
    EXPECT_EQ(::send(ends_[1], text.data(), text.size(), 0), std::ssize(text));
  }
  static std::string read_all(Connection& connection) {
    std::string text;
    for (char letter = 0; connection.read(&letter, 1) == 1;) text += letter;
    return text;
  }

  std::array<int, 2> ends_{};
};

TEST_F(ConnectionLimit, a_request_has_a_largest_size) {
  Connection connection(ends_[0], {.head_bytes = 10, .request = milliseconds(50)});
  send("0123456789abc");
  ASSERT_TRUE(connection.wait_for_request());
  EXPECT_EQ(read_all(connection), "0123456789");
}

TEST_F(ConnectionLimit, half_a_request_ends) {
  Connection connection(ends_[0], {.request = milliseconds(50)});
  send("GET / HT");
  ASSERT_TRUE(connection.wait_for_request());
  EXPECT_EQ(read_all(connection), "GET / HT");
}

TEST_F(ConnectionLimit, bytes_one_by_one_do_not_make_it_longer) {
  Connection connection(ends_[0], {.head_bytes = 1 << 20, .request = milliseconds(50)});
  std::atomic<bool> ended = false;
  std::thread client([&] {
    while (!ended) {
      send("x");
      std::this_thread::sleep_for(milliseconds(1));
    }
  });
  ASSERT_TRUE(connection.wait_for_request());
  read_all(connection);  // it returns
  ended = true;
  client.join();
}

TEST_F(ConnectionLimit, a_connection_without_a_request_ends) {
  Connection connection(ends_[0], {.idle = milliseconds(20)});
  EXPECT_FALSE(connection.wait_for_request());
}

TEST_F(ConnectionLimit, requests_that_came_together_are_answered_one_by_one) {
  Connection connection(ends_[0], {.head_bytes = 3, .request = milliseconds(50)});
  send("abcdef");
  for (const std::string wanted : {"abc", "def"}) {
    ASSERT_TRUE(connection.wait_for_request());
    std::string text(3, ' ');
    for (char& letter : text) EXPECT_EQ(connection.read(&letter, 1), 1);
    EXPECT_EQ(text, wanted);
  }
}

TEST_F(ConnectionLimit, a_connection_too_many_gets_an_answer) {
  Connection connection(ends_[0], {});
  send("GET / HTTP/1.1\r\n\r\n");
  connection.refuse("too many");
  std::array<char, 20> got{};
  EXPECT_EQ(::recv(ends_[1], got.data(), got.size(), MSG_WAITALL), 8);
  EXPECT_EQ(std::string(got.data()), "too many");
}

TEST_F(ConnectionLimit, a_client_that_does_not_read_ends) {
  Connection connection(ends_[0], {.answer = milliseconds(50), .slowest_bytes_per_s = 1e9});
  const std::string piece(1 << 20, 'x');
  int pieces = 0;
  while (pieces < 100 && connection.write(piece.data(), piece.size()) > 0) ++pieces;
  EXPECT_LT(pieces, 100);
}

TEST_F(ConnectionLimit, a_client_that_reads_gets_everything) {
  std::string got;
  std::thread client([&] {
    std::array<char, 4096> piece{};
    for (ssize_t n = 0; (n = ::recv(ends_[1], piece.data(), piece.size(), 0)) > 0;) {
      got.append(piece.data(), static_cast<std::size_t>(n));
    }
  });
  {
    Connection connection(ends_[0], {});
    EXPECT_EQ(connection.write("head", 4), 4);
    const std::string body(300000, 'x');
    EXPECT_EQ(connection.write(body.data(), body.size()), std::ssize(body));
    EXPECT_EQ(connection.write("tail", 4), 4);
    EXPECT_TRUE(connection.flush());
  }
  client.join();
  EXPECT_EQ(got, "head" + std::string(300000, 'x') + "tail");
}

TEST_F(ConnectionLimit, hanging_up_ends_a_wait) {
  Connection connection(ends_[0], {});
  std::thread other([&] { connection.hang_up(); });
  EXPECT_FALSE(connection.wait_for_request());
  other.join();
}

}  // namespace
}  // namespace tessera::view
