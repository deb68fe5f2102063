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
from xml.etree import ElementTree

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
        _, said = cls.process.communicate(timeout=30)
        assert cls.process.returncode == 0, said

    def request(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
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

    def made(self, kind="moons", n=40, **more):
        return self.ask("made", kind=kind, n=n, **more)["points"]

    def step(self, learner, step, **body):
        """How things stand after so many steps."""
        return self.ask("step", learner=learner, step=step, **body)

    def alphas(self, points, *words):
        """The coefficients of a model that `train` makes of these points, one for each."""
        self.csv(points)
        done = self.call("train", "p.csv", "--scale", "none", "-o", "a.mercer", "--force", *words)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        lines = self.ok("export", "a.mercer").split("\nSV\n")[1].splitlines()
        found = {}
        for line in lines:
            value, *at = line.split()
            found[tuple(float(v.split(":")[1]) for v in at)] = float(value)
        return [found.get((x, y), 0.0) for x, y, _ in points]

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
                at = self.step("perceptron", len(points) * line["pass"], points=points, kernel=kernel)
                self.assertEqual(at["by_pass"][-1], line["mistakes"])
                self.assertEqual(sum(a > 0 for a in at["alpha"][0]), line["support"])
            last = self.step("perceptron", 100000, points=points, kernel=kernel, bound=True)
            self.assertTrue(last["converged"])
            self.assertEqual(last["updates"], sum(line["mistakes"] for line in trace))
            self.assertLessEqual(last["updates"], last["bound"]["mistakes"])
            # The scores of the model are those of α.
            self.file("q.csv", "x1,x2\n0.3,0.4\n-1,0.5\n")
            scores = self.ok("predict", "p.mercer", "q.csv", "--scores", "--precision",
                             "double").splitlines()[1:]
            for line, q in zip(scores, ((0.3, 0.4), (-1, 0.5))):
                f = sum(b * self.answer("eval", kernel, f"--x={x},{y}", f"--z={q[0]},{q[1]}")["value"]
                        for b, (x, y, _) in zip(last["beta"][0], points) if b)
                self.assertAlmostEqual(f, float(line.split(",")[1]), places=9)

    def test_one_step_at_a_time(self):
        points = self.made("moons", 20)
        before = [0] * 20
        for visits in range(1, 45):
            at = self.step("perceptron", visits, points=points, kernel="rbf(1)")
            if at["converged"]:
                break
            grown = [i for i in range(20) if at["alpha"][0][i] != before[i]]
            last = at["last"]
            self.assertEqual(last["example"], (visits - 1) % 20)
            self.assertEqual(grown, [last["example"]] if last["mistaken"] else [])
            self.assertEqual(last["mistaken"], last["score"] <= 0)
            before = at["alpha"][0]

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

    def test_descent_can_be_followed(self):
        """Its first passes one by one, later ones in longer strides, however fast it is."""
        points = self.made("moons", 50)
        steps = [f["step"] for f in self.frames(points=points, kernel="rbf(4)", learner="gd",
                                                passes=2000, cells=10)]
        self.assertEqual(steps[:4], [1, 2, 3, 4])
        self.assertGreater(len(steps), 30)
        for a, b in zip(steps, steps[1:]):
            self.assertLessEqual(b, a + 1 + a / 6)

    def test_every_step_is_that_of_train(self):
        """α after k steps of each learner is that of a training that ends there."""
        points = self.made("moons", 40)
        body = {"points": points, "kernel": "rbf(2)"}
        for learner, words, more, steps in (
            ("perceptron", ("--learner", "perceptron", "--passes", "{}"), {}, (1, 2, 3)),
            ("gd", ("--learner", "gd", "--passes", "{}"), {}, (1, 2, 7, 60)),
            ("svm", ("-C", "5", "--moves", "{}"), {"C": 5}, (1, 2, 7, 20, 1000)),
        ):
            for k in steps:
                visits = k * len(points) if learner == "perceptron" else k
                at = self.step(learner, visits, **body, **more)
                said = self.alphas(points, "-k", "rbf(2)", *(w.format(k) for w in words))
                for a, b in zip(at["beta"][0], said):
                    self.assertAlmostEqual(a, b, delta=1e-6 * (1 + abs(b)), msg=(learner, k))
        said = self.alphas(points, "-k", "rbf(2)", "--learner", "ridge", "--lambda", "0.1")
        end = self.frames(learner="ridge", **{"lambda": 0.1}, **body)[-1]
        for a, b in zip(end["beta"][0], said):
            self.assertAlmostEqual(a, b, delta=1e-6)

    def test_time_runs_both_ways(self):
        """Steps of a schedule lead from nothing to the end, and the end is where it stops."""
        points = self.made("moons", 50)
        for learner, quantity in (("svm", "violation"), ("ridge", "residual")):
            body = {"points": points, "kernel": "rbf(1)", "C": 10, "lambda": 0.01}
            end = self.frames(learner=learner, **body)[-1]
            schedule = end["schedule"]
            self.assertEqual((schedule[0], schedule[-1]), (0, end["step"]))
            self.assertGreater(len(schedule), 5)
            self.assertEqual(set(self.step(learner, 0, **body)["beta"][0]), {0})
            last = self.step(learner, schedule[-1] + 100, **body)
            self.assertTrue(last["ended"])
            self.assertEqual(last["beta"], end["beta"])
            values = [self.step(learner, k, **body)[quantity] for k in schedule[1:]]
            self.assertLess(values[-1], 0.01 * values[0])

    def test_ridge(self):
        frames = self.frames(points=XOR, kernel="poly(2)", learner="ridge", **{"lambda": 0.5})
        self.assertEqual((frames[-1]["done"], frames[-1]["mistakes"]), (True, 0))

    def test_several_classes_are_those_of_train(self):
        points = self.made("blobs", 60, classes=3, noise=1.2)
        self.assertEqual({p[2] for p in points}, {1, 2, 3})
        self.csv(points)
        places = [(-3 + 2 * i, 3 - 2 * j) for j in range(4) for i in range(4)]
        self.file("q.csv", "x1,x2\n" + "".join(f"{x},{y}\n" for x, y in places))
        for learner, words in (("svm", ("-C", "2")), ("ridge", ("--lambda", "0.5")),
                               ("gd", ("--passes", "50")), ("perceptron", ("--passes", "4"))):
            body = {"points": points, "kernel": "rbf(0.5)", "cells": 4, "view": [-4, 4, -4, 4],
                    "C": 2, "lambda": 0.5}
            if learner == "perceptron":
                frame = self.step(learner, 4 * 60, **body)
            else:
                frame = self.frames(learner=learner, passes=50, **body)[-1]
            self.assertEqual(len(frame["beta"]), 3)
            self.ok("train", "p.csv", "-k", "rbf(0.5)", "--learner", learner, "--scale", "none",
                    "--force", *words)
            said = self.ok("predict", "p.mercer", "q.csv").splitlines()
            winner = base64.b64decode(frame["winner"])
            self.assertEqual([str(w + 1) for w in winner], said, learner)
            # The winner leads, where it beats all others.
            leads = struct.unpack("<48f", base64.b64decode(frame["field"]))
            for k, w in enumerate(winner):
                self.assertEqual(leads[16 * w + k], max(leads[k::16]))
            report = self.answer("evaluate", "p.mercer", "p.csv")
            self.assertAlmostEqual(1 - frame["mistakes"] / 60, report["accuracy"])
            self.assertEqual(len(frame["wrong"]), frame["mistakes"])

    def test_tiles(self):
        """What tiles say, put together again, is the kernel that was typed."""
        def together(t):
            parts = [("(" + together(c) + ")", c.get("inverse")) for c in t.get("children", [])]
            if t["kind"] == "sum":
                return "".join((" - " if minus else " + ") + p for p, minus in parts)
            if t["kind"] == "product":
                return "1" + "".join(("/" if over else "*") + p for p, over in parts)
            if t["kind"] == "power":
                return "^".join(p for p, _ in parts)
            if t["kind"] == "negate":
                return "-" + parts[0][0]
            if t["kind"] == "function":
                return t["name"] + "(" + ", ".join(p for p, _ in parts) + ")"
            if t["kind"] == "named":
                given = ", ".join(f"{p['name']}={p['value']}" for p in t["parameters"])
                return t["name"] + (f"({given})" if given else "")
            return t["text"]

        for kernel in ("rbf(1)", "linear", "2*rbf(0.5) + poly(2, 1)*linear", "exp(-|x-z|^2/2)",
                       "(1 + x.z)^2 - 3*x1*z1", "((rbf(sigma=2)))", "-(x.z)^3/4 + 1e-3",
                       "exp(-|x|^2/2)*exp(x.z)*exp(-|z|^2/2)", "normalize(1 + x.z)^2",
                       "min(1, x.z) + sum(i, min(x[i], z[i]))", "rbf(1)[1] * linear[2]",
                       "( 1+ x.z ) * ( 2 )", "x' . z + <x,z>", "matern(nu=2.5)*cosine"):
            tile = self.ask("tiles", kernel=kernel)
            again = self.ask("kernel", kernel=together(tile))["kernel"]
            self.assertEqual(again, self.ask("kernel", kernel=kernel)["kernel"], kernel)
            inside = kernel.encode()[tile["begin"]:tile["end"]].decode()
            self.assertIn(tile["text"], inside)
        tile = self.ask("tiles", kernel="2*rbf(0.5) + poly(3)")
        self.assertEqual((tile["kind"], [c["kind"] for c in tile["children"]]),
                         ("sum", ["product", "named"]))
        self.assertEqual(tile["children"][1]["parameters"], [{"name": "degree", "value": "3"}])
        # What makes no sense yet can be taken apart, too; what cannot be read is said.
        self.assertEqual(self.ask("tiles", kernel="rbf(-1)*poly(0.5)")["kind"], "product")
        self.assertEqual(self.refused("tiles", {"kernel": "rbf(1"})["begin"], 5)

    def test_mathml(self):
        """Well-formed, whatever the kernel, and the commands of TeX are all understood."""
        names = [k["name"] for k in json.loads(self.request("GET", "/api/about").read())["kernels"]]
        more = ["(x.z + 1)^3/7", "exp(-|x-z|^2/2)", "sqrt(2)*cos(x1 - z1)", "1e-9*tanh(x.z)^2",
                "|x-z|_1", "log(2 + x.z)", "asin(0.5*cosine)", "max(x1, z1)*min(x2, z2)",
                "rbf(1)[2]", "matern(nu=0.7)", "abs(x1)*abs(z1)", "exp(x.z)/(1 + |x|^2*|z|^2)"]
        for kernel in names + more:
            answer = self.ask("kernel", kernel=kernel)
            for text in [answer["mathml"], *answer["features"]["mathml"]]:
                self.assertEqual(ElementTree.fromstring(text).tag, "math")
                self.assertNotIn("\\", text)
                for words in ElementTree.fromstring(text).iter("mtext"):
                    self.assertNotRegex(words.text, "^(frac|sqrt|left|right|operatorname)")
        features = self.ask("kernel", kernel="(x.z)^2")["features"]["mathml"]
        plain = ["".join(ElementTree.fromstring(t).itertext()) for t in features]
        self.assertEqual(plain, ["x12", "2\u2062x1\u2062x2", "x22"])
        self.assertIn("<msqrt><mrow><mn>2</mn></mrow></msqrt>", features[1])

        def steps(d):
            yield d
            for p in d["premises"]:
                yield from steps(p)
        for step in steps(self.ask("proof", kernel="rbf(1)*poly(2) + 1")["proof"]):
            self.assertEqual(ElementTree.fromstring(step["mathml"]).tag, "math")

    def test_where(self):
        self.assertEqual(self.ask("proof", kernel="min(x1, z1)")["verdict"], "not a kernel")
        self.assertEqual(self.ask("proof", kernel="min(x1, z1)", over="R+")["verdict"], "kernel")

    def test_the_kernel_behind_a_map(self):
        answer = self.ask("map", map="[x1, x2, x1^2, sqrt(2)*x1*x2, x2^2]")
        self.assertEqual((answer["count"], answer["kernel"]),
                         (5, self.ask("kernel", kernel="x.z + (x.z)^2")["kernel"]))

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

    def test_a_lift_of_fewer_coordinates_is_flat(self):
        points = self.made("blobs", 30)
        lift = self.ask("lift", points=points, kernel="linear", map="[x1, x2]")
        self.assertEqual(lift["names"], ["x1", "x2", ""])
        self.assertEqual(lift["points"], [[a, b, 0] for a, b, _ in points])
        self.assertIn("the plane separates the classes", lift["note"])
        lift = self.ask("lift", points=points, kernel="linear", map="[x1 - x2]")
        self.assertEqual(lift["names"][1:], ["", ""])

    def test_large_powers_take_no_time(self):
        """Thousands of features are not written out to look at three components."""
        points = self.made("moons", 30)
        for kernel in ("((1 + x.z)^40)^40", "(" * 60 + "1 + x.z" + ")^2" * 60):
            self.ask("kernel", kernel=kernel)
            self.ask("proof", kernel=kernel)
            self.refused("lift", {"points": points, "kernel": kernel})  # values without bound

    def test_a_file(self):
        answer = self.ask("text", text="a,b,kind\n1,2,no\n3,4,yes\n")
        self.assertEqual(answer["points"], [[1, 2, -1], [3, 4, 1]])
        self.assertEqual(answer["classes"],
                         [{"label": -1, "name": "no"}, {"label": 1, "name": "yes"}])
        answer = self.ask("text", text="a,b,kind\n1,2,c\n3,4,a\n5,6,b\n")
        self.assertEqual([p[2] for p in answer["points"]], [2, -1, 1])
        said = self.refused("text", {"text": "a,b,kind\n1,2,c\n3,4e7,a\n"})
        self.assertIn("point 2: a coordinate is no number within ±1e6", said["message"])


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
            ("text", {"text": "a,b,kind\n1,2,x\n4,5,x\n"}, "one class only"),
            ("text", {"text": "a,b,kind\n" + "".join(f"{k},{k},c{k}\n" for k in range(7))},
             "at most 6 classes"),
            ("made", {"kind": "blobs", "classes": 9}, "classes is not a number from 2 to 6"),
            ("made", {"kind": "moons", "classes": 3}, "moons"),
            ("proof", {"kernel": "x.z", "over": "Q"}, "over Q"),
            ("tiles", {"kernel": ""}, "the expression is empty"),
            ("map", {"map": "[x1, x3]"}, ""),
            ("step", {**fine, "step": -1}, "step is not a number from 0"),
            ("step", {**fine, "step": 1.5}, "step is not a whole number"),
            ("step", {**fine, "learner": "ridge", "step": 10**9}, "step is not a number from 0"),
            ("learn", {**fine, "points": []}, "there are no points"),
            ("learn", {**fine, "points": [[0, 0, 1]] * 2001}, "at most 2000"),
            ("learn", {**fine, "points": [[0, 0, 6]]}, "the class one of -1, 1, 2, 3, 4, 5"),
            ("learn", {**fine, "points": [[0, 0, 1.5]]}, "point 1 is not"),
            ("learn", {**fine, "points": [[0, 0, 2**63]]}, "point 1 is not"),
            ("learn", {**fine, "points": [[0, "a", 1]]}, "point 1"),
            ("learn", {**fine, "points": [[0, 1e99, 1]]}, "point 1"),
            ("learn", {**fine, "points": [[0, 0, 1]]}, "one class only"),
            ("learn", {**fine, "points": 7}, "not a list"),
            ("learn", {**fine, "learner": "tree"}, "svm, ridge, gd or perceptron"),
            ("learn", {**fine, "C": -1}, "C is not a number"),
            ("learn", {**fine, "C": "x"}, "C is not a number"),
            ("learn", {**fine, "cells": 5000}, "cells is not a number from 0 to 160"),
            ("learn", {**fine, "view": [1, 0, 0, 1]}, "left < right"),
            ("learn", {**fine, "kernel": "precomputed"}, "precomputed"),
            ("learn", {**fine, "kernel": "log(x.z - 100)"}, "log"),
            ("learn", {**fine, "kernel": "rbf(1)["}, ""),
            ("gram", {**fine, "kernel": 'rbf(1)["age"]'}, "names columns"),
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
                        {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
                        {"Sec-Fetch-Site": "same-site"}):
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
                return self.step("perceptron", 50, **body)["step"]
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


@unittest.skipUnless(os.environ.get("MERCER_LONG"), "MERCER_LONG=1 keeps it busy for a minute")
class ForAMinute(Studio):
    """200 clients with event streams and computations: no error, and no growth of memory."""

    CLIENTS = 200

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024

    def test_two_hundred_clients(self):
        points = self.made("moons", 60)
        stop = time.monotonic() + float(os.environ.get("MERCER_STUDIO_SECONDS", "60"))
        done = [0] * self.CLIENTS

        def client(number):
            k = number
            while time.monotonic() < stop or done[number] == 0:
                body = {"points": points, "kernel": f"rbf({k % 7 + 1})", "cells": 30}
                what = k % 5
                if what == 0:
                    last = self.frames(learner="gd", passes=200, **body)[-1]
                    assert last["done"], last
                elif what == 1:
                    assert self.step("svm", 20, C=10, **body)["step"] == 20
                elif what == 2:
                    assert self.ask("gram", points=points, kernel=body["kernel"])["n"] == 60
                elif what == 3:
                    assert self.ask("proof", kernel=body["kernel"])["verdict"] == "kernel"
                else:
                    # One that goes away in the middle of its stream.
                    response = self.post("/api/learn", {**body, "learner": "gd", "passes": 20000})
                    assert response.status == 200, response.status
                    response.read(1000)
                    response.close()
                done[number] += 1
                k += 1
            return done[number]

        # Streams that nobody reads, all the while: their connections are no hindrance.
        idle = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(100)]
        try:
            with concurrent.futures.ThreadPoolExecutor(self.CLIENTS) as pool:
                answers = [pool.submit(client, k) for k in range(self.CLIENTS)]
                time.sleep(15)
                early = self.memory()
                counts = [a.result() for a in answers]
        finally:
            for connection in idle:
                connection.close()
        late = self.memory()
        print(f"{sum(counts)} answers to {self.CLIENTS} clients, "
              f"{early:.0f} MiB after 15 s and {late:.0f} MiB at the end")
        self.assertGreater(min(counts), 0)
        self.assertLess(late, 1.25 * early + 20)
        # What is left over ends soon.
        before = ManyAtOnce.cpu(self)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            time.sleep(0.5)
            now = ManyAtOnce.cpu(self)
            if now - before < 0.05:
                return
            before = now
        self.fail("it goes on computing")


class Token(Studio):
    """Where others may ask: they have to know the token."""

    TOKEN = "correct-horse-battery-staple"

    @classmethod
    def setUpClass(cls):
        cls.start("--host", "0.0.0.0", "--token", cls.TOKEN)

    def kernel(self, **headers):
        return self.post("/api/kernel", {"kernel": "linear"}, **headers)

    def test_the_token_is_asked_for(self):
        for path in ("/", "/studio.js", "/api/about"):
            response = self.request("GET", path)
            self.assertEqual(response.status, 401)
            self.assertIn("token", json.loads(response.read())["error"]["message"])
        for wrong in ("", "x", self.TOKEN[:-1], self.TOKEN + "x", self.TOKEN.upper(),
                      self.TOKEN[:-1] + "f"):
            self.assertEqual(self.kernel(Authorization="Bearer " + wrong).status, 401)
            self.assertEqual(self.request("GET", "/?token=" + wrong).status, 403)
        self.assertEqual(self.kernel(Authorization="Bearer " + self.TOKEN).status, 200)

    def test_a_cookie_after_the_first_request(self):
        first = self.request("GET", "/?token=" + self.TOKEN)
        self.assertEqual((first.status, first.getheader("Location")), (303, "/"))
        cookie = first.getheader("Set-Cookie")
        self.assertNotIn(self.TOKEN, cookie)
        self.assertIn("HttpOnly", cookie)
        self.assertIn("SameSite", cookie)
        self.assertEqual(first.getheader("Referrer-Policy"), "no-referrer")
        cookie = cookie.split(";")[0]
        self.assertEqual(self.request("GET", "/", Cookie=cookie).status, 200)
        self.assertEqual(self.kernel(Cookie="other=1; " + cookie).status, 200)
        self.assertEqual(self.kernel(Cookie=cookie[:-1]).status, 401)
        # The cookie does not help a page from elsewhere.
        self.assertEqual(self.kernel(Cookie=cookie, Origin="http://evil.example").status, 403)
        self.assertEqual(self.kernel(Cookie=cookie, Host="evil.example").status, 403)
        self.assertEqual(self.kernel(Cookie=cookie, Host=f"evil.example:{self.port}").status, 403)

    def test_any_address_of_this_machine(self):
        for host in (f"127.0.0.1:{self.port}", f"localhost:{self.port}", f"192.0.2.7:{self.port}",
                     f"[::1]:{self.port}"):
            self.assertEqual(self.kernel(Authorization="Bearer " + self.TOKEN, Host=host).status,
                             200, host)


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
                            (("--port", "70000"), "--port"), (("--port", "x"), "--port"),
                            (("--host", "0.0.0.0"), "give a --token"),
                            (("--host", "::"), "give a --token"),
                            (("--token", "short"), "could be guessed"),
                            (("--token", "with a space in the middle"), "letters, digits"),
                            (("--host", "192.0.2.1", "--token", "random"), "192.0.2.1")):
            done = self.call("studio", "--no-open", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(part, done.stderr)



if __name__ == "__main__":
    unittest.main()
