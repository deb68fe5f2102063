#!/usr/bin/env python3
"""The studio's server: its answers are the program's, and what is wrong gets one clear sentence."""

import base64
import concurrent.futures
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import time
import unittest

from program import MERCER, Commands, run

XOR = [[-1, -1, 1], [1, 1, 1], [-1, 1, -1], [1, -1, -1]]


class Studio(Commands):
    @classmethod
    def setUpClass(cls):
        cls.start()

    @classmethod
    def start(cls, *words):
        cls.process = subprocess.Popen(
            [MERCER, "studio", "--no-open", "--port", "0", "--json", *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        text = ""
        while not text.endswith("}\n"):
            line = cls.process.stdout.readline()
            if not line:
                said = cls.process.stderr.read()
                if "built without the page" in said:
                    raise unittest.SkipTest(said)
                raise AssertionError(said)
            text += line
        cls.port = json.loads(text)["port"]

    @classmethod
    def tearDownClass(cls):
        cls.process.send_signal(signal.SIGINT)
        assert cls.process.wait(30) == 0
        cls.process.stdout.close()
        cls.process.stderr.close()

    def request(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.addCleanup(connection.close)
        connection.request(method, path, body, headers)
        return connection.getresponse()

    def post(self, path, body, **headers):
        headers = {"Content-Type": "application/json", **headers}
        return self.request("POST", path, body if isinstance(body, (str, bytes)) else
                            json.dumps(body), **headers)

    def ask(self, path, **body):
        response = self.post("/api/" + path, body)
        text = response.read().decode()
        self.assertEqual(response.status, 200, text)
        return json.loads(text)

    def refused(self, path, body, status=400):
        response = self.post("/api/" + path, body)
        answer = json.loads(response.read())
        self.assertEqual(response.status, status, answer)
        self.assertEqual(len(answer["error"]["message"].splitlines()), 1)
        return answer["error"]

    def frames(self, **body):
        response = self.post("/api/learn", body)
        self.assertEqual(response.status, 200)
        self.assertEqual(response.getheader("Content-Type"), "text/event-stream")
        events = response.read().decode().split("\n\n")
        return [json.loads(e[len("data: "):]) for e in events if e]

    def made(self, kind="moons", n=40):
        return self.ask("made", kind=kind, n=n)["points"]

    def csv(self, points):
        return self.file("p.csv", "x1,x2,label\n" + "".join(
            f"{a!r},{b!r},{y}\n" for a, b, y in points))


class Answers(Studio):
    def test_the_page(self):
        response = self.request("GET", "/")
        text = response.read().decode()
        self.assertEqual(response.status, 200)
        self.assertIn("default-src 'self'", response.getheader("Content-Security-Policy"))
        self.assertIn("<title>mercer studio</title>", text)
        for path in ("/studio.js", "/studio.css"):
            self.assertIn("." + path, text)
            self.assertGreater(len(self.request("GET", path).read()), 500)
        about = json.loads(self.request("GET", "/api/about").read())
        self.assertIn("rbf", [k["name"] for k in about["kernels"]])
        self.assertEqual({d["name"] for d in about["data"]},
                         {"moons", "rings", "xor", "spirals", "ellipse", "blobs"})
        self.assertIsNone(about["start"])

    def test_made_points_are_those_of_make(self):
        lines = run("make", "rings", "--n", "30").stdout.splitlines()[1:]
        self.assertEqual(self.made("rings", 30),
                         [[float(v) for v in line.split(",")] for line in lines])

    def test_verdicts_are_those_of_prove(self):
        for kernel, verdict in (("rbf(1)*poly(2)", "kernel"), ("tanh(x.z)", "not a kernel"),
                                ("x.z - 1", "not a kernel"), ("x1*z2", "not a kernel")):
            answer = self.ask("proof", kernel=kernel)
            self.assertEqual(answer["verdict"], verdict)
            said = json.loads(run("prove", kernel, "--dim", "2", "--json").stdout)
            if verdict == "kernel":
                self.assertEqual(answer["proof"]["rule"], said["derivation"]["rule"])
            else:
                self.assertEqual(answer["witness"]["points"], said["witness"]["points"])

    def test_features(self):
        f = self.ask("kernel", kernel="(x.z)^2")["features"]
        self.assertEqual((f["kind"], f["count"], f["map"]),
                         ("finite", "3", ["x1^2", "sqrt(2)*x1*x2", "x2^2"]))

    def test_the_perceptron_is_that_of_train(self):
        for kind, kernel in (("moons", "rbf(2)"), ("rings", "poly(2)"), ("xor", "poly(2)")):
            points = self.made(kind, 60)
            self.csv(points)
            self.ok("train", "p.csv", "--learner", "perceptron", "-k", kernel, "--scale", "none",
                    "--passes", "500", "--trace", "t.jsonl", "--force")
            with open(self.path("t.jsonl")) as file:
                trace = [json.loads(line) for line in file]
            # After every pass: as many mistakes, on as many points.
            for line in trace[:6]:
                at = self.ask("perceptron", points=points, kernel=kernel,
                              visits=len(points) * line["pass"])
                self.assertEqual(at["by_pass"][-1], line["mistakes"])
                self.assertEqual(sum(a > 0 for a in at["alpha"]), line["support"])
            last = self.ask("perceptron", points=points, kernel=kernel, visits=100000, bound=True)
            self.assertTrue(last["converged"])
            self.assertEqual(last["updates"], sum(line["mistakes"] for line in trace))
            self.assertLessEqual(last["updates"], last["bound"]["mistakes"])
            # The scores of the model are those of α.
            self.file("q.csv", "x1,x2\n0.3,0.4\n-1,0.5\n")
            scores = self.ok("predict", "p.mercer", "q.csv", "--scores", "--precision",
                             "double").splitlines()[1:]
            for line, q in zip(scores, ((0.3, 0.4), (-1, 0.5))):
                f = sum(b * self.answer("eval", kernel, f"--x={x},{y}", f"--z={q[0]},{q[1]}")["value"]
                        for b, (x, y, _) in zip(last["beta"], points) if b)
                self.assertAlmostEqual(f, float(line.split(",")[1]), places=9)

    def test_one_step_at_a_time(self):
        points = self.made("moons", 20)
        before = [0] * 20
        for visits in range(1, 45):
            at = self.ask("perceptron", points=points, kernel="rbf(1)", visits=visits)
            if at["converged"]:
                break
            grown = [i for i in range(20) if at["alpha"][i] != before[i]]
            last = at["last"]
            self.assertEqual(last["example"], (visits - 1) % 20)
            self.assertEqual(grown, [last["example"]] if last["mistaken"] else [])
            self.assertEqual(last["mistaken"], last["score"] <= 0)
            before = at["alpha"]

    def test_support_vectors_are_those_of_train(self):
        points = self.made("moons", 60)
        self.csv(points)
        (frame,) = [f for f in self.frames(points=points, kernel="rbf(2)", learner="svm", C=5,
                                           cells=4, view=[-2, 2, -2, 2]) if f.get("done")]
        report = self.answer("train", "p.csv", "-k", "rbf(2)", "-C", "5", "--scale", "none")
        machine = report["training"]
        self.assertAlmostEqual(frame["dual"], machine["dual"], delta=1e-3 * machine["dual"])
        self.assertEqual(frame["support"], machine["support"])
        # The field is what predict says at the middle of its cells, from the top.
        places = [(-1.5 + i, 1.5 - j) for j in range(4) for i in range(4)]
        self.file("q.csv", "x1,x2\n" + "".join(f"{x},{y}\n" for x, y in places))
        said = self.ok("predict", "p.mercer", "q.csv", "--scores").splitlines()[1:]
        field = struct.unpack("<16f", base64.b64decode(frame["field"]))
        for f, line in zip(field, said):
            self.assertAlmostEqual(f, float(line.split(",")[1]), delta=2e-3)

    def test_gradient_descent_is_that_of_train(self):
        points = self.made("moons", 50)
        self.csv(points)
        frames = self.frames(points=points, kernel="rbf(1)", learner="gd", passes=40)
        losses = [loss for f in frames for loss in f["losses"]]
        self.ok("train", "p.csv", "--learner", "gd", "-k", "rbf(1)", "--scale", "none", "--passes",
                "40", "--trace", "t.jsonl")
        with open(self.path("t.jsonl")) as file:
            trace = [json.loads(line)["loss"] for line in file]
        self.assertEqual(len(losses), 40)
        for a, b in zip(losses, trace):
            self.assertAlmostEqual(a, b, delta=1e-6 * abs(b))

    def test_ridge(self):
        frames = self.frames(points=XOR, kernel="poly(2)", learner="ridge", **{"lambda": 0.5})
        self.assertEqual((frames[-1]["done"], frames[-1]["mistakes"]), (True, 0))

    def test_lift_and_gram(self):
        lift = self.ask("lift", points=XOR, kernel="rbf(1)", map="[x1, x2, x1*x2]")
        self.assertEqual(lift["names"], ["x1", "x2", "x1*x2"])
        self.assertEqual(lift["points"], [[a, b, a * b] for a, b, _ in XOR])
        self.assertEqual(lift["wrong"], 0)
        gram = self.ask("gram", points=XOR, kernel="poly(2)")
        order = [p for p in XOR if p[2] < 0] + [p for p in XOR if p[2] > 0]
        self.assertEqual(gram["values"],
                         [(1 + a * c + b * d) ** 2 for a, b, _ in order for c, d, _ in order])
        self.assertEqual(gram["groups"], [["-1", 2], ["1", 2]])

    def test_a_file(self):
        answer = self.ask("text", text="a,b,kind\n1,2,no\n3,4,yes\n")
        self.assertEqual(answer["points"], [[1, 2, -1], [3, 4, 1]])


class Refusals(Studio):
    def test_one_clear_sentence(self):
        fine = {"points": XOR, "kernel": "rbf(1)", "learner": "svm"}
        for path, body, part in (
            ("kernel", {}, 'no "kernel"'),
            ("kernel", {"kernel": 3}, "kernel is not a text"),
            ("kernel", {"kernel": ""}, "the expression is empty"),
            ("kernel", {"kernel": "x" * 3000}, "longer than 2000"),
            ("kernel", {"kernel": "(" * 1900}, ""),
            ("kernel", {"kernel": "rbf(gamma=?)"}, "open parameter"),
            ("kernel", {"kernel": "x*z"}, ""),
            ("made", {"kind": "mooons"}, "mooons"),
            ("made", {"kind": "moons", "n": 1e9}, "n is not a number from 2 to 2000"),
            ("made", {"kind": "moons", "n": 7.5}, "not a whole number"),
            ("text", {"text": "a,b,c\n1,2"}, "the file"),
            ("text", {"text": "a,b,c,kind\n1,2,3,x\n4,5,6,y\n"}, "3 columns beside the label"),
            ("text", {"text": "a,b,kind\n1,2,x\n4,5,y\n6,7,z\n"}, ""),
            ("learn", {**fine, "points": []}, "there are no points"),
            ("learn", {**fine, "points": [[0, 0, 1]] * 2001}, "at most 2000"),
            ("learn", {**fine, "points": [[0, 0, 2]]}, "point 1 is not"),
            ("learn", {**fine, "points": [[0, "a", 1]]}, "point 1"),
            ("learn", {**fine, "points": [[0, 1e99, 1]]}, "point 1"),
            ("learn", {**fine, "points": [[0, 0, 1]]}, "one class only"),
            ("learn", {**fine, "points": 7}, "not a list"),
            ("learn", {**fine, "learner": "tree"}, "svm, ridge or gd"),
            ("learn", {**fine, "C": -1}, "C is not a number"),
            ("learn", {**fine, "C": "x"}, "C is not a number"),
            ("learn", {**fine, "cells": 5000}, "cells is not a number from 0 to 160"),
            ("learn", {**fine, "view": [1, 0, 0, 1]}, "left < right"),
            ("learn", {**fine, "kernel": "precomputed"}, "precomputed"),
            ("learn", {**fine, "kernel": "log(x.z - 100)"}, "log"),
            ("learn", {**fine, "kernel": "rbf(1)["}, ""),
            ("gram", {**fine, "kernel": 'rbf(1)["age"]'}, "names columns"),
            ("perceptron", {**fine, "visits": -1}, "visits"),
            ("lift", {**fine, "map": "[x1, x2]"}, "three coordinates"),
            ("lift", {**fine, "map": "[x1, x2, x3]"}, ""),
        ):
            with self.subTest(path=path, body=str(body)[:80]):
                self.assertIn(part, self.refused(path, body)["message"])

    def test_the_place_in_the_kernel(self):
        error = self.refused("kernel", {"kernel": "2 * rfb(1)"})
        self.assertEqual((error["begin"], error["end"], error["suggestion"]), (4, 7, "rbf"))

    def test_requests_that_are_none(self):
        self.refused("kernel", "{", 400)
        self.refused("kernel", "[]", 400)
        self.refused("kernel", b"\xff\xfe", 400)
        self.refused("kernel", " " * (1 << 21), 413)
        self.assertEqual(self.request("GET", "/nothing").status, 404)
        self.assertEqual(self.request("GET", "/../etc/passwd").status, 404)
        self.assertIn(self.request("DELETE", "/").status, (400, 404))
        plain = self.post("/api/kernel", {"kernel": "linear"}, **{"Content-Type": "text/plain"})
        self.assertEqual(plain.status, 415)

    def test_only_its_own_page(self):
        for headers in ({"Host": "evil.example"}, {"Host": f"evil.example:{self.port}"},
                        {"Host": "127.0.0.1:1"}, {"Origin": "http://evil.example"},
                        {"Origin": "null"}):
            response = self.post("/api/kernel", {"kernel": "linear"}, **headers)
            self.assertEqual(response.status, 403, headers)
        mine = {"Host": f"localhost:{self.port}", "Origin": f"http://localhost:{self.port}"}
        self.assertEqual(self.post("/api/kernel", {"kernel": "linear"}, **mine).status, 200)

    def test_only_this_machine(self):
        with open("/proc/net/tcp") as file:
            listening = [line.split()[1] for line in list(file)[1:] if line.split()[3] == "0A"]
        ours = [address for address in listening if address.endswith(f":{self.port:04X}")]
        self.assertEqual(ours, [f"0100007F:{self.port:04X}"])


class ManyAtOnce(Studio):
    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            parts = file.read().rsplit(")", 1)[1].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")

    def test_a_client_that_is_gone_stops_its_computation(self):
        points = self.made("moons", 1500)
        body = json.dumps({"points": points, "kernel": "rbf(1)", "learner": "gd", "passes": 20000,
                           "cells": 20}).encode()
        with socket.create_connection(("127.0.0.1", self.port)) as client:
            client.sendall(b"POST /api/learn HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                           b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" %
                           (self.port, len(body)) + body)
            self.assertIn(b"200 OK", client.recv(100))
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            before = self.cpu()
            time.sleep(0.5)
            if self.cpu() - before < 0.05:
                return
        self.fail("it goes on computing")

    def test_many_clients(self):
        points = self.made("moons", 60)

        def client(k):
            body = {"points": points, "kernel": f"rbf({k % 7 + 1})", "cells": 30}
            if k % 3 == 0:
                return self.ask("perceptron", visits=50, **body)["visits"]
            if k % 3 == 1:
                return self.ask("gram", **body)["n"]
            return self.frames(learner="gd", passes=100, **body)[-1]["done"]

        idle = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(50)]
        try:
            with concurrent.futures.ThreadPoolExecutor(40) as pool:
                self.assertEqual(len([a for a in pool.map(client, range(120)) if a]), 120)
        finally:
            for connection in idle:
                connection.close()


class Begin(Studio):
    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    def test_data_to_begin_with(self):
        self.file("d.csv", "a,b,kind\n1,2,no\n3,4,yes\n")
        Studio.start.__func__(type(self), self.path("d.csv"))
        try:
            start = json.loads(self.request("GET", "/api/about").read())["start"]
            self.assertEqual(start["points"], [[1, 2, -1], [3, 4, 1]])
            # A port that is taken is said, and not shared.
            done = run("studio", "--no-open", "--port", str(self.port))
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"port {self.port} is taken", done.stderr)
        finally:
            Studio.tearDownClass.__func__(type(self))

    def test_wrong_calls(self):
        self.file("d.csv", "a,b,c,kind\n1,2,3,no\n3,4,5,yes\n")
        for words, part in ((("d.csv",), "3 columns beside the label"), (("none.csv",), "none.csv"),
                            (("--port", "70000"), "--port"), (("--port", "x"), "--port")):
            done = self.call("studio", "--no-open", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(part, done.stderr)



if __name__ == "__main__":
    unittest.main()
