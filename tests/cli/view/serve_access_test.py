"""Images in a browser: who gets an answer, and requests that do no harm."""

import os
import signal
import socket

from program import main
from runs import wait_until
from served import Served, Server


class Access(Served):
    def setUp(self):
        super().setUp()
        self.render("--share", "1/2")
        self.write("secret.txt", "secret")

    def test_bad_requests_have_an_error_and_the_server_goes_on(self):
        server = Server(self, "a.h5")
        for target, status in (("/../secret.txt", 404), ("/%2e%2e/secret.txt", 404), ("/secret.txt", 404),
                               ("/api/images/1", 404), ("/api/images/-1", 404), ("/api/images/a.h5", 404),
                               ("/api/images/99999999999999999999", 404), ("/api/images/..%2fsecret.txt", 404),
                               ("/tiles/0/0/5/0.png", 404), ("/tiles/0/9/0/0.png", 404), ("/tiles/0/0/0/0.jpg", 404),
                               ("/tiles/0/0/0/0.png?palette=secret.txt", 400), ("/tiles/0/0/0/0.png?offset=x", 400),
                               ("/tiles/0/0/0/0.png?field=smooth", 400), ("/tiles/0/0/0/0.png?distance=1", 400),
                               ("/tiles/0/0/0/0.png?light=90", 400), ("/tiles/0/0/0/0.png?light=NaN", 400),
                               ("/api/images/0?distance=1", 400), ("/tiles/0/0/0/0.png?inside=%00", 400),
                               ("/api/images/0/pixel?x=1100&y=0", 400), ("/api/images/0/pixel", 400),
                               ("/api/run", 404), ("/" + "a/" * 100, 400)):
            answer = server.get(target)
            self.assertEqual(answer.status, status, target)
            self.assertEqual(list(answer.json()), ["error"], target)
            self.assertNotIn(self.folder, answer.json()["error"])
        self.assertEqual(server.get("/", method="POST").status, 405)
        self.assertEqual(server.stop(), (0, ""))

    def test_every_answer_has_the_headers_that_protect_the_page(self):
        server = Server(self, "a.h5")
        for target in ("/", "/app.js", "/leaflet/leaflet.js", "/api/images", "/tiles/0/0/0/0.png", "/none"):
            headers = server.get(target).headers
            self.assertIn("default-src 'self'", headers["content-security-policy"], target)
            self.assertEqual(headers["x-content-type-options"], "nosniff", target)
            self.assertEqual(headers["referrer-policy"], "no-referrer", target)

    def test_the_page_has_nothing_inline_and_nothing_from_elsewhere(self):
        page = Server(self, "a.h5").get("/").body.decode()
        self.assertNotRegex(page, r"<script(?![^>]*\bsrc=)|\bon[a-z]+=|\bstyle=|https?://")

    def test_floods_and_rubbish_end_their_connection_only(self):
        server = Server(self, "a.h5")
        flood = b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 10000 + b"\r\n"
        self.assertNotIn(b"200 OK", server.raw(flood))
        for rubbish in (b"\x00" * 1000 + b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\r\n\r\n",
                        b"GET / HTTP/9\r\n\r\n", b"G" * 20000, b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n\r\n"):
            self.assertNotIn(b"200 OK", server.raw(rubbish), rubbish[:20])
        body = b"POST /api/images HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 1000
        self.assertNotIn(b"200 OK", server.raw(body))
        ranges = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nRange: bytes=" + b"0-,".join([b""] * 1000)
        self.assertIn(b"HTTP/1.1", server.raw(ranges + b"1-2\r\n\r\n"))
        self.assertEqual(server.get("/api/images").status, 200)

    def test_nothing_behind_rubbish_is_a_request(self):
        server = Server(self)
        got = server.raw(b"no request\r\n\r\nGET /api/palettes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        self.assertEqual(got.count(b"HTTP/1.1 400"), 1)
        self.assertNotIn(b"200 OK", got)

    def test_clients_that_send_half_a_request_do_not_keep_others_waiting(self):
        server = Server(self, "a.h5", "--threads", "1")
        clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
        for client in clients:
            client.sendall(b"GET /tiles/0/0/0/0.png HT")
        self.assertEqual(server.get("/tiles/0/0/0/0.png").status, 200)
        for client in clients:
            client.close()

    def test_a_connection_too_many_is_told_so(self):
        server = Server(self, "a.h5")
        idle = []

        def is_told():
            """On a busy machine, the system may drop some of the connections that the server has not accepted yet."""
            idle.extend(socket.create_connection(("127.0.0.1", server.port)) for _ in range(32))
            while len(idle) > 640:
                idle.pop(0).close()
            return server.get("/api/images").status == 429
        wait_until("a connection too many", is_told)
        for client in idle:
            client.close()
        wait_until("room again", lambda: server.get("/api/images").status == 200)

    def test_a_name_of_another_machine_is_refused(self):
        server = Server(self, "a.h5")
        self.assertEqual(server.get("/api/images", Host="evil.example").status, 403)
        self.assertEqual(server.get("/api/images", Host="localhost:1").status, 200)

    def test_other_machines_need_the_token(self):
        server = Server(self, "a.h5", "--listen", "0.0.0.0:0", token=True)
        self.assertRegex(server.query, r"^token=[0-9a-f]{32}$")
        for target in ("/", "/api/images", "/tiles/0/0/0/0.png", "/?token=" + "0" * 32, "/none"):
            self.assertEqual(server.get(target).status, 401, target)
        first = server.get("/?" + server.query)
        self.assertEqual((first.status, first.headers["location"]), (303, "/"))
        cookie = first.headers["set-cookie"].split(";")[0]
        self.assertEqual(server.get("/api/images", Cookie=cookie).status, 200)
        self.assertEqual(server.get("/api/images", Authorization="Bearer " + server.query[6:]).status, 200)
        self.assertEqual(len(server.get("/api/images?" + server.query).json()["images"]), 1)
        self.assertEqual(server.get("/tiles/0/0/0/0.png?" + server.query).pixels().shape, (256, 256, 4))

    def test_other_users_of_the_machine_need_the_token_which_stays_the_same_as_does_the_port(self):
        state = {**os.environ, "XDG_STATE_HOME": self.path("state")}
        server = Server(self, "a.h5", token=True, env=state)
        self.assertRegex(server.query, r"^token=[0-9a-f]{32}$")
        self.assertEqual(server.get("/api/images").status, 401)
        first = server.get("/?" + server.query)
        self.assertIn("Max-Age=", first.headers["set-cookie"])
        self.assertEqual(os.stat(self.path("state/tessera/pages")).st_mode & 0o777, 0o600)
        beside = Server(self, "a.h5", token=True, env=state)
        self.assertNotEqual(beside.port, server.port)
        self.assertEqual(beside.query, server.query)
        server.stop()
        again = Server(self, "a.h5", token=True, env=state)
        self.assertEqual(again.address, server.address)
        # What others could have read is no secret.
        again.stop()
        os.chmod(self.path("state/tessera/pages"), 0o644)
        self.assertNotEqual(Server(self, "a.h5", token=True, env=state).query, server.query)

    def test_the_token_is_dropped_only_where_other_machines_do_not_come(self):
        self.assertEqual(Server(self, "a.h5").query, "")
        self.assert_refused(("serve", "a.h5", "--listen", "0.0.0.0:0", "--no-token"), 2, "--no-token", "0.0.0.0:0")
        self.assert_refused(("explore", "--allow-render", "--no-token"), 2, "--no-token", "--allow-render")

    def test_in_a_job_of_slurm_the_way_there_is_printed(self):
        server = Server(self, "a.h5", env={**os.environ, "SLURM_SUBMIT_HOST": "login1"})
        _, said = server.stop()
        self.assertIn(f"ssh -N -L {server.port}:127.0.0.1:{server.port} -J login1 ", said)
        self.assertIn(f"http://127.0.0.1:{server.port}/", said)

    def test_it_ends_well_by_any_signal(self):
        for by in (signal.SIGTERM, signal.SIGINT):
            server = Server(self, "a.h5")
            with socket.create_connection(("127.0.0.1", server.port)):
                self.assertEqual(server.stop(by), (0, ""))

    def test_what_cannot_be_served_is_an_error(self):
        self.assert_refused(("serve", "none.h5"), 3, "none.h5")
        self.assert_refused(("serve", "secret.txt"), 2, "secret.txt", "not an HDF5 file")
        for listen in ("300.1.1.1:0", "127.0.0.1:99999", "127.0.0.1:x"):
            self.assert_refused(("serve", "a.h5", "--listen", listen), 2, "--listen")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            self.assert_refused(("serve", "a.h5", "--listen", str(taken.getsockname()[1])), 2, "--listen")


if __name__ == "__main__":
    main()
