#!/usr/bin/env python3
"""Pictures: what is drawn is what is so."""

import base64
import json
import math
import os
import pty
import random
import re
import select
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

import png
from program import MERCER, Commands

SVG = "{http://www.w3.org/2000/svg}"


def rgb(text):
    return tuple(int(text[i:i + 2], 16) for i in (1, 3, 5))


def tint_of(pixel, colour):
    """How much of the colour is in a pixel that is it mixed with white; None where it is no tint."""
    lack = [255 - p for p in pixel]
    full = [255 - c for c in colour]
    share = sum(a * b for a, b in zip(lack, full)) / sum(b * b for b in full)
    if not 0.1 < share < 0.6:
        return None
    return share if all(abs(a - share * b) <= 2 for a, b in zip(lack, full)) else None


class Pictures(Commands):
    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def svg(self, name):
        return ElementTree.fromstring(self.read(name))

    def texts(self, name):
        return [t.text for t in self.svg(name).iter(SVG + "text")]

    def group(self, name, group):
        (found,) = [g for g in self.svg(name).iter(SVG + "g") if g.get("class") == group]
        return found

    def text_boxes(self, name):
        """What texts at axes cover, about: left, top, right, bottom, and the text."""
        boxes = []
        for t in self.group(name, "axes").iter(SVG + "text"):
            x, y, size = (float(t.get(k)) for k in ("x", "y", "font-size"))
            width = 0.58 * size * len(t.text)
            left = {"middle": -width / 2, "end": -width}.get(t.get("text-anchor"), 0)
            if "rotate(-90" in (t.get("transform") or ""):
                boxes.append((x - 0.75 * size, y - left - width, x, y - left, t.text))
            else:
                boxes.append((x + left, y - 0.75 * size, x + left + width, y, t.text))
        return boxes

    def moons(self, *train):
        self.ok("make", "moons", "--n", "80", "-o", "moons.csv")
        self.ok("train", "moons.csv", *train)


class Boundary(Pictures):
    def compare(self, model, facts, picture, columns, others):
        """Places of the picture against `mercer predict` there."""
        rows = png.pixels(self.read(picture))
        random.seed(1)
        x, y = facts["x"], facts["y"]
        wide, tall = facts["cells"]
        colours = {c["name"]: rgb(c["colour"]) for c in facts["classes"]}
        places, lines = [], [",".join(columns + list(others))]
        for _ in range(400):
            i, j = random.randrange(wide), random.randrange(tall)
            across, down = (i + 0.5) / wide, (j + 0.5) / tall
            a = x["low"] + across * (x["high"] - x["low"])
            b = y["high"] - down * (y["high"] - y["low"])
            pixel = rows[int(y["to"] + down * (y["from"] - y["to"]))][
                int(x["from"] + across * (x["to"] - x["from"]))]
            places.append(pixel)
            lines.append(",".join([repr(a), repr(b)] + list(others.values())))
        self.file("places.csv", "\n".join(lines) + "\n")
        said = self.ok("predict", model, "places.csv", "--scores").splitlines()
        names = said[0].split(",")
        checked, seen = 0, set()
        for pixel, line in zip(places, said[1:]):
            cells = dict(zip(names, line.split(",")))
            tints = [name for name, c in colours.items() if tint_of(pixel, c)]
            if len(tints) != 1:  # a point, a line, or the edge of one
                continue
            score = [float(v) for k, v in cells.items() if k.startswith("score")]
            if len(score) == 1 and abs(score[0]) < 0.02:
                continue
            self.assertEqual(tints[0], cells["prediction"], (pixel, line))
            checked += 1
            seen.add(tints[0])
        self.assertGreater(checked, 200)
        return seen

    def test_colours_are_predictions(self):
        self.moons("-k", "rbf(3)", "-C", "10")
        facts = self.answer("plot", "boundary", "moons.mercer", "moons.csv")
        self.assertEqual(facts["picture"], "moons-boundary.png")
        self.assertEqual((facts["points"], facts["held"]), (80, {}))
        seen = self.compare("moons.mercer", facts, "moons-boundary.png", ["x1", "x2"], {})
        self.assertEqual(seen, {"-1", "1"})

    def test_nothing_is_held_at_what_scaling_left(self):
        """A median of 0 is 0, whatever the column was divided by in between."""
        rows = [(i % 7, i % 5, 3103.9 * i if i % 3 == 0 else 0, i % 2) for i in range(60)]
        self.file("g.csv", "a,b,gain,label\n" + "".join(
            ",".join(map(repr, r)) + "\n" for r in rows))
        self.ok("train", "g.csv", "-k", "rbf(1)", "-C", "1")
        facts = self.answer("plot", "boundary", "g.mercer", "g.csv", "--columns", "a,b")
        self.assertEqual(facts["held"], {"gain": "0"})

    def test_other_columns_are_held(self):
        random.seed(3)
        lines = ["height,colour,weight,age,kind"]
        for i in range(120):
            h, w, a = random.gauss(170, 10), random.gauss(70, 9), random.gauss(40, 5)
            colour = random.choice(["red", "green", "green", "blue"])
            kind = "c" if h > 180 else "b" if h + w + (5 if colour == "red" else 0) > 240 else "a"
            lines.append(f"{h:.3f},{colour},{w:.3f},{a:.3f},{kind}")
        self.file("people.csv", "\n".join(lines) + "\n")
        self.ok("train", "people.csv", "-k", "rbf(0.5)", "-C", "10")
        facts = self.answer("plot", "boundary", "people.mercer", "people.csv", "--columns",
                            "height,weight")
        ages = sorted(float(line.split(",")[3]) for line in lines[1:])
        self.assertEqual(facts["held"]["colour"], "green")
        self.assertAlmostEqual(float(facts["held"]["age"]), ages[60], delta=0.01)
        seen = self.compare("people.mercer", facts, "people-boundary.png", ["height", "weight"],
                            {"colour": "green", "age": repr(ages[60])})
        self.assertEqual(seen, {"a", "b", "c"})
        # By number, and without a choice by components.
        self.assertEqual(self.answer("plot", "boundary", "people.mercer", "people.csv", "--columns",
                                     "1,5", "--force")["y"]["name"], "weight")
        facts = self.answer("plot", "boundary", "people.mercer", "people.csv", "-o", "pc.svg")
        self.assertIn("first principal component", facts["x"]["name"])
        self.assertIn("principal components of 6 columns", " ".join(self.texts("pc.svg")))

    def test_what_the_svg_tells(self):
        self.moons("-k", "rbf(3)", "-C", "10")
        support = self.answer("inspect", "moons.mercer")["support"]["points"]
        self.ok("plot", "boundary", "moons.mercer", "moons.csv", "-o", "b.svg")
        texts = self.texts("b.svg")
        for text in ("x1", "x2", "-1", "1", "boundary", "margin", f"support vector ({support})",
                     "What moons.mercer says"):
            self.assertIn(text, texts)
        circles = list(self.group("b.svg", "points").iter(SVG + "circle"))
        squares = [p for p in self.group("b.svg", "points").iter(SVG + "path")
                   if p.get("fill") != "none"]
        self.assertEqual((len(circles), len(squares)), (40, 40))
        self.assertEqual({c.get("fill") for c in circles}, {"#0072b2"})
        self.assertEqual({c.get("fill") for c in squares}, {"#d55e00"})
        rings = list(self.group("b.svg", "support").iter(SVG + "circle"))
        self.assertEqual(len(rings), support)
        # A ring is around a point.
        middles = {(c.get("cx"), c.get("cy")) for c in circles}
        self.assertTrue(any((r.get("cx"), r.get("cy")) in middles for r in rings))

    def test_mistakes_are_crossed(self):
        self.ok("make", "xor", "--n", "60", "-o", "xor.csv")
        self.ok("train", "xor.csv", "-k", "linear", "-C", "1")
        right = self.answer("evaluate", "xor.mercer", "xor.csv")["accuracy"]
        facts = self.answer("plot", "boundary", "xor.mercer", "xor.csv", "-o", "x.svg")
        self.assertEqual(facts["mistaken"], round(60 * (1 - right)))
        crosses = list(self.group("x.svg", "mistakes").iter(SVG + "path"))
        self.assertEqual(len(crosses), 2 * facts["mistaken"])

    def test_without_labels(self):
        self.moons()
        self.file("bare.csv", "x1,x2\n0,0\n1,0.5\n")
        facts = self.answer("plot", "boundary", "moons.mercer", "bare.csv", "-o", "bare.svg")
        self.assertIsNone(facts["mistaken"])
        self.assertIn("class not known", self.texts("bare.svg"))

    def test_regression(self):
        lines = ["a,b,y"] + [f"{i % 9},{i // 9},{(i % 9) * 2 + (i // 9)}" for i in range(81)]
        self.file("r.csv", "\n".join(lines) + "\n")
        self.ok("train", "r.csv", "--task", "regression")
        facts = self.answer("plot", "boundary", "r.mercer", "r.csv")
        rows = png.pixels(self.read("r-boundary.png"))
        x, y = facts["x"], facts["y"]
        # The function grows to the right and upwards, and so does the lightness of the colours.
        def light(across, down):
            p = rows[int(y["to"] + down * (y["from"] - y["to"]))][
                int(x["from"] + across * (x["to"] - x["from"]))]
            return sum(p)
        self.assertGreater(light(0.96, 0.03), light(0.03, 0.97) + 100)
        self.assertNotIn("classes", facts)

    def test_the_same_bytes(self):
        self.moons()
        for name in ("a.png", "a.svg", "a.pdf"):
            self.ok("plot", "boundary", "moons.mercer", "moons.csv", "-o", name)
            first = self.read(name)
            self.ok("plot", "boundary", "moons.mercer", "moons.csv", "-o", name, "--force",
                    "--threads", "1")
            self.assertEqual(self.read(name), first)
        self.assertTrue(self.read("a.pdf").startswith(b"%PDF"))
        self.assertEqual(len(png.pixels(self.read("a.png"))), 600)
        self.ok("plot", "boundary", "moons.mercer", "moons.csv", "-o", "s.png", "--size", "400x300")
        self.assertEqual(len(png.pixels(self.read("s.png"))[0]), 400)


class Gram(Pictures):
    def image(self, name):
        image = next(self.group(name, "matrix").iter(SVG + "image"))
        return png.pixels(base64.b64decode(image.get("href").split(",")[1]))

    def test_values_by_class(self):
        points = [(0, "b"), (3, "a"), (0.1, "b"), (3.2, "a"), (5, "c")]
        self.file("p.csv", "x,kind\n" + "".join(f"{x},{k}\n" for x, k in points))
        facts = self.answer("plot", "gram", "exp(-|x-z|)", "p.csv", "-o", "g.svg")
        self.assertEqual([(c["name"], c["rows"]) for c in facts["classes"]],
                         [("a", 2), ("b", 2), ("c", 1)])
        order = [3, 3.2, 0, 0.1, 5]
        values = [[math.exp(-abs(x - z)) for z in order] for x in order]
        image = self.image("g.svg")
        # Equal values have equal colours, larger ones lighter ones.
        flat = sorted((v, sum(image[i][j])) for i, row in enumerate(values)
                      for j, v in enumerate(row))
        self.assertEqual([s for _, s in flat], sorted(s for _, s in flat))
        self.assertEqual(image[0][0], rgb("#fde725"))
        self.assertAlmostEqual(sum(facts["eigenvalues"]), 5, places=9)
        self.assertAlmostEqual(sum(v * v for v in facts["eigenvalues"]),
                               sum(v * v for row in values for v in row), places=9)
        for text in ("a", "b", "c", "eigenvalue", "all ≥ 0"):
            self.assertIn(text, self.texts("g.svg"))
        self.assertEqual(len(list(self.group("g.svg", "spectrum").iter(SVG + "circle"))), 5)

    def test_no_kernel(self):
        self.file("p.csv", "x\n0.5\n1\n2\n3\n")
        done = self.call("plot", "gram", "tanh(x*z)", "p.csv", "--no-labels", "-o", "g.svg")
        self.assertEqual(done.returncode, 0)
        self.assertIn("not a kernel on these points", done.stderr)
        self.assertTrue(any("below 0 (▼)" in t for t in self.texts("g.svg")))

    def test_rounding_errors_are_no_eigenvalues(self):
        self.ok("make", "moons", "--n", "40", "-o", "m.csv")
        said = self.ok("plot", "gram", "linear", "m.csv")
        self.assertRegex(said, r"eigenvalues from \d[\d.]* to 0 \(38 of them ≈ 0\)$")

    def test_many_rows(self):
        self.ok("make", "moons", "--n", "700", "-o", "m.csv")
        facts = self.answer("plot", "gram", "rbf(1)", "m.csv", "--rows", "100")
        self.assertEqual((facts["drawn"], [c["rows"] for c in facts["classes"]]), (100, [50, 50]))
        self.assertIn("100 of 700 rows",
                      self.ok("plot", "gram", "rbf(1)", "m.csv", "--rows", "100", "--force"))


class Lift(Pictures):
    def test_the_plane_separates(self):
        self.ok("make", "rings", "--n", "60", "-o", "r.csv")
        facts = self.answer("plot", "lift", "r.csv", "--map", "[x1, x2, x1^2 + x2^2]", "-o", "l.svg")
        self.assertEqual(facts["coordinates"], ["x1", "x2", "x1^2 + x2^2"])
        self.assertEqual(facts["wrong"], 0)
        w, b = facts["plane"]["w"], facts["plane"]["b"]
        with open(self.path("r.csv")) as file:
            for line in list(file)[1:]:
                x1, x2, label = map(float, line.split(","))
                side = w[0] * x1 + w[1] * x2 + w[2] * (x1 * x1 + x2 * x2) + b
                self.assertGreater(side * label, 0)
        for text in ("x1", "x2", "x1^2 + x2^2", "the plane separates the classes"):
            self.assertIn(text, self.texts("l.svg"))
        drawn = sum(len([p for p in self.group("l.svg", g) if p.get("fill") != "none"])
                    for g in ("points", "points behind"))
        self.assertEqual(drawn, 60)

    def test_features_of_a_kernel(self):
        self.ok("make", "ellipse", "--n", "60", "-o", "e.csv")
        facts = self.answer("plot", "lift", "e.csv", "-k", "(x.z)^2")
        self.assertEqual(facts["coordinates"], ["x1^2", "sqrt(2)*x1*x2", "x2^2"])
        self.assertEqual(facts["wrong"], 0)
        facts = self.answer("plot", "lift", "e.csv", "-k", "poly(2)", "--features", "2,3,5",
                            "--force")
        self.assertEqual(facts["coordinates"], ["sqrt(2)*x1", "sqrt(2)*x2", "sqrt(2)*x1*x2"])
        facts = self.answer("plot", "lift", "e.csv", "-k", "rbf(1)", "--force")
        self.assertIn("first component", facts["coordinates"][0])

    def test_texts_keep_apart(self):
        """However the box is turned, and as it is turned where nobody says how."""
        self.ok("make", "ellipse", "--n", "60", "-o", "e.csv")
        turns = [(), *(("--turn", str(t)) for t in range(-180, 180, 15))]
        for kernel in ("(x.z)^2", "rbf(2)"):
            for turn in turns:
                self.ok("plot", "lift", "e.csv", "-k", kernel, "-o", "l.svg", "--force", *turn)
                boxes = self.text_boxes("l.svg")
                for k, (left, top, right, bottom, text) in enumerate(boxes):
                    self.assertTrue(0 <= left and right <= 800 and 0 <= top and bottom <= 597,
                                    (kernel, turn, boxes[k]))
                    for a, b, c, d, other in boxes[:k]:
                        self.assertFalse(left < c and a < right and top < d and b < bottom,
                                         (kernel, turn, text, other))

    def test_a_plane_that_is_elsewhere(self):
        """The best plane may leave all points on one side: then there is none to be seen."""
        self.file("p.csv", "a,b,label\n" + "".join(f"{i},{i * i % 7},{int(i % 9 == 0)}\n"
                                                   for i in range(60)))
        said = self.ok("plot", "lift", "p.csv", "-k", "rbf(100)")
        self.assertIn("no plane: the best one has all points on one side", said)

    def test_several_classes(self):
        self.ok("make", "blobs", "--classes", "3", "--n", "60", "-o", "b.csv")
        call = ("plot", "lift", "b.csv", "--map", "[x1, x2, x1*x2]", "--force")
        self.assertNotIn("plane", self.answer(*call))
        self.assertIn("plane", self.answer(*call, "--class", "2"))


class Records(Pictures):
    def test_trace(self):
        self.moons("--learner", "perceptron", "--trace", "t.jsonl", "-k", "rbf(1)")
        with open(self.path("t.jsonl")) as file:
            steps = [json.loads(line) for line in file]
        facts = self.answer("plot", "trace", "t.jsonl", "-o", "t.svg")
        self.assertEqual([s["name"] for s in facts["series"]], ["mistakes", "support"])
        self.assertEqual(facts["series"][0]["steps"], len(steps))
        # A mark for each step, in the order of the values.
        marks = [float(c.get("cy")) for c in self.group("t.svg", "mistakes").iter(SVG + "circle")]
        self.assertEqual(len(marks), len(steps))
        for a, b, p, q in zip(steps, steps[1:], marks, marks[1:]):
            self.assertEqual((a["mistakes"] > b["mistakes"]) - (a["mistakes"] < b["mistakes"]),
                             (p < q) - (p > q))
        for text in ("mistakes", "support", "pass"):
            self.assertIn(text, self.texts("t.svg"))

    def test_shrinking_values_are_logarithmic(self):
        self.file("t.jsonl", "".join(json.dumps({"iteration": k, "gap": 10.0 ** -k}) + "\n"
                                     for k in range(7)))
        self.ok("plot", "trace", "t.jsonl", "-o", "t.svg")
        marks = [float(c.get("cy")) for c in self.group("t.svg", "gap").iter(SVG + "circle")]
        steps = [b - a for a, b in zip(marks, marks[1:])]
        self.assertLess(max(steps) - min(steps), 0.05)
        self.assertIn("0.001", self.texts("t.svg"))

    def tune(self, candidates, **more):
        return self.file("s.json", json.dumps({"metric": "accuracy", "candidates": candidates,
                                               **more}))

    def test_tune(self):
        self.tune([{"parameters": {"C": C, "gamma": g, "kernel": "rbf"}, "score": C / 1000 - g,
                    "seconds": 3} for C in (1, 10, 100) for g in (0.1, 0.2)] +
                  [{"parameters": {"C": 10, "gamma": 0.1}, "score": None}], winner=3)
        facts = self.answer("plot", "tune", "s.json", "-o", "s.svg")
        self.assertEqual(facts["parameters"], ["C", "gamma"])
        self.assertEqual((facts["candidates"], facts["without_score"]), (6, 1))
        cells = [c.get("fill") for c in self.group("s.svg", "candidates").iter(SVG + "path")]
        self.assertEqual(len(cells), 6)
        self.assertEqual(len(set(cells)), 6)
        self.assertIn("#fde725", cells)
        texts = " ".join(self.texts("s.svg"))
        for text in ("C", "gamma", "100", "0.2", "best: C = 100, gamma = 0.1, accuracy 0"):
            self.assertIn(text, texts)

    def test_tune_of_several_kernels(self):
        """The record of a real search: kernels without gamma have a place, too."""
        self.ok("make", "moons", "--n", "120", "--noise", "0.3", "-o", "m.csv")
        self.ok("tune", "m.csv", "--kernels", "rbf(gamma=?), linear, poly(2)", "--search", "grid",
                "--grid", "C=1,10", "--grid", "gamma=0.1,1,10", "--record", "r.json", "-o",
                "t.mercer")
        with open(self.path("r.json")) as file:
            record = json.load(file)
        best = record["candidates"][record["chosen"]]
        facts = self.answer("plot", "tune", "r.json", "-o", "r.svg")
        self.assertEqual((facts["candidates"], facts["elsewhere"], facts["without_score"]),
                         (len(record["candidates"]), 0, 0))
        texts = self.texts("r.svg")
        for text in ("C", "gamma", "0.1", "10", "linear", "poly(2)"):
            self.assertIn(text, texts)
        said = next(t for t in texts if "chosen: " in t)
        self.assertIn(f"accuracy {best['score']:.6g}", " ".join(texts))
        self.assertIn(f"C = {best['parameters']['C']:.4g}", said)
        cells = list(self.group("r.svg", "candidates").iter(SVG + "path"))
        self.assertEqual(len(cells), len({(c["parameters"]["C"], c["kernel"])
                                          for c in record["candidates"]}))
        # Over C alone they cannot be told apart; over gamma alone they are not there.
        alone = self.answer("plot", "tune", "r.json", "--parameters", "gamma", "-o", "g.svg")
        self.assertEqual(alone["elsewhere"], sum("gamma" not in c["parameters"]
                                                 for c in record["candidates"]))
        self.assertEqual(alone["candidates"] + alone["elsewhere"], len(record["candidates"]))

    def test_traces_of_every_learner(self):
        self.ok("make", "moons", "--n", "60", "-o", "m.csv")
        self.ok("make", "blobs", "--classes", "3", "--n", "60", "-o", "b.csv")
        for data, learner, first in (("m.csv", "perceptron", "mistakes"), ("m.csv", "gd", "loss"),
                                     ("b.csv", "svm", "violation")):
            self.call("train", data, "--learner", learner, "-k", "rbf(1)", "--trace", "t.jsonl",
                      "--force", "-o", "x.mercer")
            facts = self.answer("plot", "trace", "t.jsonl", "-o", "t.svg", "--force")
            self.assertEqual(facts["series"][0]["name"], first)

    def test_tune_of_errors_and_of_texts(self):
        self.tune([{"parameters": {"kernel": k}, "score": s}
                   for k, s in (("rbf(1)", 0.3), ("linear", 0.2))], metric="rmse")
        self.ok("plot", "tune", "s.json", "-o", "s.svg")
        self.assertIn("best: kernel = linear, rmse 0.2", " ".join(self.texts("s.svg")))

    def test_roc(self):
        self.ok("make", "moons", "--noise", "0.5", "--n", "150", "-o", "m.csv")
        self.ok("train", "m.csv", "-k", "linear", "-C", "1")
        facts = self.answer("plot", "roc", "m.mercer", "m.csv", "-o", "r.svg")
        self.assertAlmostEqual(facts["curves"][0]["auc"],
                               self.answer("evaluate", "m.mercer", "m.csv")["auc"], places=12)
        self.assertEqual(facts["curves"][0]["class"], "1")
        self.assertIn(f"AUC {facts['curves'][0]['auc']:.4f}", self.texts("r.svg"))
        self.ok("make", "blobs", "--classes", "4", "--noise", "2", "--n", "90", "-o", "b.csv")
        self.ok("train", "b.csv", "-k", "rbf(1)", "-C", "1")
        facts = self.answer("plot", "roc", "b.mercer", "b.csv")
        aucs = [c["auc"] for c in facts["curves"]]
        self.assertAlmostEqual(sum(aucs) / 4, self.answer("evaluate", "b.mercer", "b.csv")["auc"])


class Refused(Pictures):
    def refused(self, *words):
        done = self.call(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        return done.stderr

    def test_one_clear_line(self):
        self.moons()
        self.file("word.csv", "x1,x2,label\n1,2,yes\n")
        self.file("bad.jsonl", '{"pass": 1, "loss": 2}\nloss 3\n')
        self.file("empty.jsonl", "")
        self.file("no.json", '{"candidates": [{"parameters": {"C": 1}}]}')
        self.file("mixed.json", '{"candidates": [{"parameters": {"C": 1}, "score": 1},'
                                '{"parameters": {"C": "auto"}, "score": 1}]}')
        self.file("list.json", "[1]")
        model = ("moons.mercer", "moons.csv")
        before = sorted(os.listdir(self.folder))
        for words, part in (
            (("plot",), "plot what? One of boundary, gram, lift"),
            (("plot", "bundary"), "did you mean 'boundary'?"),
            (("plot", "boundary", *model, "--colums", "1,2"), "did you mean '--columns'?"),
            (("plot", "boundary", *model, "-o", "b.gif"), "written as .png, .svg or .pdf"),
            (("plot", "boundary", *model, "--size", "800"), "WIDTHxHEIGHT"),
            (("plot", "boundary", *model, "--size", "9x9"), "each from 240"),
            (("plot", "boundary", *model, "--size", "240x240"), "give it a larger --size"),
            (("plot", "boundary", *model, "--columns", "x1"), "write --columns A,B"),
            (("plot", "boundary", *model, "--columns", "x1,x1"), "different ones"),
            (("plot", "boundary", *model, "--columns", "x1,y"), "no column 'y'"),
            (("plot", "boundary", *model, "-o", "moons.csv"), ".png, .svg or .pdf"),
            (("plot", "boundary", *model, "-o", "no/b.png"), "there is no folder no"),
            (("plot", "boundary", "moons.csv", "moons.csv"), "moons.csv"),
            (("plot", "boundary", "moons.mercer", "none.csv"), "none.csv"),
            (("plot", "gram", "rfb(1)", "moons.csv"), "did you mean 'rbf'?"),
            (("plot", "gram", "rbf(gamma=?)", "moons.csv"), "open parameter"),
            (("plot", "gram", "rbf(1)", "moons.csv", "--rows", "1"), "--rows"),
            (("plot", "lift", "moons.csv"), "needs a map"),
            (("plot", "lift", "moons.csv", "--map", "[x1, x2]"), "three coordinates"),
            (("plot", "lift", "moons.csv", "-k", "linear", "--features", "1,2,3"), "three features"),
            (("plot", "lift", "moons.csv", "-k", "poly(2)", "--features", "1,2,9"), "9 is none of"),
            (("plot", "lift", "moons.csv", "-k", "linear"), "lie in a plane"),
            (("plot", "trace", "bad.jsonl"), "bad.jsonl: line 2: not a JSON object"),
            (("plot", "trace", "empty.jsonl"), "no step is written there"),
            (("plot", "trace", "moons.csv"), "line 1"),
            (("plot", "tune", "list.json"), "not the record of a search"),
            (("plot", "tune", "no.json"), "no candidate has a score"),
            (("plot", "tune", "mixed.json"), "a number here and a text there"),
            (("plot", "tune", "mixed.json", "--parameters", "c"), "there is no parameter c"),
            (("plot", "roc", "moons.mercer", "word.csv"), "no label is a class of the model"),
        ):
            with self.subTest(words=words):
                said = self.refused(*words)
                self.assertIn(part, said)
                if "rfb" not in " ".join(words):  # whose caret needs three
                    self.assertEqual(len(said.splitlines()), 1, said)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_nothing_is_overwritten(self):
        self.moons()
        self.file("b.png", "mine")
        self.assertIn("--force", self.refused("plot", "boundary", "moons.mercer", "moons.csv", "-o",
                                              "b.png"))
        self.assertEqual(self.read("b.png"), b"mine")
        self.file("t.svg", '{"pass": 1, "loss": 2}\n')
        self.assertIn("is read", self.refused("plot", "trace", "t.svg", "-o", "t.svg", "--force"))

    def test_strange_names(self):
        self.file("s.csv", "a<b&c,\"x \"\"q\"\"\",label\n" + "".join(
            f"{i % 5},{i // 5},{'<p>' if i % 5 > 2 else '&é'}\n" for i in range(25)))
        self.ok("train", "s.csv", "-k", "rbf(1)", "-C", "1")
        self.ok("plot", "boundary", "s.mercer", "s.csv", "-o", "s.svg")
        for text in ("a<b&c", 'x "q"', "<p>", "&é"):
            self.assertIn(text, self.texts("s.svg"))


class Documents(Pictures):
    def test_pictures_of_the_documents(self):
        """Those that are kept are what the program draws, but for the last bits of another Cairo."""
        self.ok("make", "moons", "-o", "moons.csv")
        self.ok("make", "rings", "-o", "rings.csv")
        self.ok("train", "moons.csv", "-k", "rbf(3)", "-C", "10")
        self.ok("plot", "boundary", "moons.mercer", "moons.csv")
        self.ok("plot", "gram", "rbf(2)", "moons.csv")
        self.ok("plot", "lift", "rings.csv", "--map", "[x1, x2, x1^2 + x2^2]")
        kept = os.path.join(os.environ["MERCER_SOURCE"], "docs", "pictures")
        for name in ("moons-boundary.png", "moons-gram.png", "rings-lift.png"):
            with open(os.path.join(kept, name), "rb") as file:
                before = file.read()
            if before == self.read(name):
                continue
            rows, others = png.pixels(before), png.pixels(self.read(name))
            far = sum(max(abs(a - b) for a, b in zip(p, q)) > 40
                      for row, other in zip(rows, others) for p, q in zip(row, other))
            self.assertLess(far, 2000, name + ": draw it again, see docs/pictures.md")


class InTheTerminal(Pictures):
    def shown(self, answer, *words, term="xterm-256color"):
        """What the program writes to a terminal that answers so."""
        leader, follower = pty.openpty()
        process = subprocess.Popen(
            [MERCER, *words], cwd=self.folder, stdin=follower, stdout=follower,
            stderr=subprocess.DEVNULL, env={**os.environ, "TERM": term})
        os.close(follower)
        said, asked = b"", False
        while select.select([leader], [], [], 30)[0]:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            said += piece
            if b"\x1b[c" in said and not asked:
                asked = True
                os.write(leader, answer)
        os.close(leader)
        self.assertEqual(process.wait(30), 0)
        return said, asked

    def test_what_the_terminal_can(self):
        self.moons()
        call = ("plot", "boundary", "moons.mercer", "moons.csv", "--force")
        said, _ = self.shown(b"\x1b_Gi=31;OK\x1b\\\x1b[?62;c", *call)
        pieces = re.findall(rb"\x1b_G[^;]*m=([01]);([^\x1b]*)\x1b\\", said)
        self.assertEqual([m for m, _ in pieces], [b"1"] * (len(pieces) - 1) + [b"0"])
        self.assertEqual(base64.b64decode(b"".join(p for _, p in pieces)),
                         self.read("moons-boundary.png"))
        said, _ = self.shown(b"\x1b[?62;4c", *call)
        self.assertRegex(said, rb"\x1bP0;1q\"1;1;800;600")
        for answer in (b"\x1b[?1;2c", b""):
            said, asked = self.shown(answer, *call)
            self.assertTrue(asked)
            self.assertNotIn(b"m=0;", said)
            self.assertNotIn(b"\x1bP", said)
            self.assertIn(b"moons-boundary.png: 80 points", said)
        for more, term in ((("--no-inline",), "xterm"), (("--json",), "xterm"), ((), "dumb")):
            said, asked = self.shown(b"", *call, *more, term=term)
            self.assertFalse(asked)


if __name__ == "__main__":
    unittest.main()
