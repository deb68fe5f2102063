// LIBSVM's files: decision values by LIBSVM's definition, both ways; and what is wrong with others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/libsvm.hpp>
#include <mercer/matrix.hpp>
#include <sstream>

#include "base/text.hpp"
#include "support/folder.hpp"
#include "support/random_model.hpp"

namespace {

using mercer::Kernel;
using mercer::Model;
using mercer::parse_libsvm_model;
using mercer::Points;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Scheme = Model::Scheme;

// What LIBSVM keeps in memory, read by the words of its format.
struct Plain {
  std::string type;
  std::string kernel;
  int degree = 0;
  double gamma = 0;
  double coef0 = 0;
  std::size_t classes = 0;
  std::size_t total = 0;
  std::vector<double> rho;
  std::vector<int> label;
  std::vector<double> a;
  std::vector<double> b;
  std::vector<std::size_t> counts;
  std::vector<std::vector<double>> coefficients;  // of each vector
  std::vector<std::map<int, double>> vectors;
};

template <class T>
std::vector<T> words_of(std::istringstream& in) {
  std::vector<T> all;
  for (T v; in >> v;) all.push_back(v);
  return all;
}

Plain plain_model(const std::string& text) {
  Plain m;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line) && line != "SV") {
    std::istringstream in(line);
    std::string key;
    in >> key;
    if (key == "svm_type") in >> m.type;
    if (key == "kernel_type") in >> m.kernel;
    if (key == "degree") in >> m.degree;
    if (key == "gamma") in >> m.gamma;
    if (key == "coef0") in >> m.coef0;
    if (key == "nr_class") in >> m.classes;
    if (key == "total_sv") in >> m.total;
    if (key == "rho") m.rho = words_of<double>(in);
    if (key == "label") m.label = words_of<int>(in);
    if (key == "probA") m.a = words_of<double>(in);
    if (key == "probB") m.b = words_of<double>(in);
    if (key == "nr_sv") m.counts = words_of<std::size_t>(in);
  }
  while (std::getline(lines, line)) {
    std::istringstream in(line);
    auto& alpha = m.coefficients.emplace_back();
    auto& entries = m.vectors.emplace_back();
    std::string word;
    while (in >> word) {
      const auto colon = word.find(':');
      if (colon == std::string::npos) {
        alpha.push_back(std::stod(word));
      } else {
        entries[std::stoi(word.substr(0, colon))] = std::stod(word.substr(colon + 1));
      }
    }
  }
  return m;
}

double plain_kernel(const Plain& m, const std::map<int, double>& x,
                    const std::map<int, double>& z) {
  double dot = 0;
  double distance = 0;
  for (const auto& [i, v] : x) {
    const auto at = z.find(i);
    const double w = at == z.end() ? 0 : at->second;
    dot += v * w;
    distance += (v - w) * (v - w);
  }
  for (const auto& [i, v] : z)
    if (!x.contains(i)) distance += v * v;
  if (m.kernel == "linear") return dot;
  if (m.kernel == "polynomial") return std::pow(m.gamma * dot + m.coef0, m.degree);
  return m.kernel == "rbf" ? std::exp(-m.gamma * distance) : std::tanh(m.gamma * dot + m.coef0);
}

std::vector<double> plain_values(const Plain& m, const std::map<int, double>& x) {
  std::vector<double> k;
  for (const auto& s : m.vectors) k.push_back(plain_kernel(m, x, s));
  std::vector<double> values;
  if (m.counts.empty()) {
    values.push_back(-m.rho[0]);
    for (std::size_t i = 0; i < k.size(); ++i) values[0] += m.coefficients[i][0] * k[i];
    return values;
  }
  std::vector<std::size_t> start{0};
  for (const std::size_t n : m.counts) start.push_back(start.back() + n);
  for (std::size_t a = 0; a < m.classes; ++a)
    for (std::size_t b = a + 1; b < m.classes; ++b) {
      double f = -m.rho[values.size()];
      for (std::size_t i = start[a]; i < start[a + 1]; ++i) f += m.coefficients[i][b - 1] * k[i];
      for (std::size_t i = start[b]; i < start[b + 1]; ++i) f += m.coefficients[i][a] * k[i];
      values.push_back(f);
    }
  return values;
}

std::string plain_class(const Plain& m, const std::vector<double>& values) {
  if (m.type == "one_class") return values[0] > 0 ? "1" : "-1";
  std::vector<int> votes(m.classes);
  std::size_t pair = 0;
  for (std::size_t a = 0; a < m.classes; ++a)
    for (std::size_t b = a + 1; b < m.classes; ++b) ++votes[values[pair++] > 0 ? a : b];
  return std::to_string(m.label[static_cast<std::size_t>(
      std::max_element(votes.begin(), votes.end()) - votes.begin())]);
}

// A file as svm-train could have written it.
std::string random_file(Random& random) {
  const auto number = [&] { return " " + mercer::shortest(random.uniform(-2, 2)); };
  const std::string type =
      random.pick<const char*>({"c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"});
  const bool classes = type == "c_svc" || type == "nu_svc";
  const std::size_t k = classes ? 2 + random.below(4) : 2;
  const std::string kernel = random.pick<const char*>({"linear", "polynomial", "rbf", "sigmoid"});
  std::string text = "svm_type " + type + "\nkernel_type " + kernel + "\n";
  if (kernel == "polynomial") text += "degree " + std::to_string(random.below(5)) + "\n";
  if (kernel != "linear") text += "gamma " + mercer::shortest(random.uniform(0.1, 1)) + "\n";
  if (kernel == "polynomial" || kernel == "sigmoid")
    text += "coef0" + (random.one_in(3) ? " 0" : number()) + "\n";
  std::vector<std::size_t> counts(k);
  std::size_t total = 0;
  for (auto& n : counts) total += n = random.below(7);
  text += "nr_class " + std::to_string(k) + "\ntotal_sv " + std::to_string(total) + "\nrho";
  const std::size_t pairs = classes ? k * (k - 1) / 2 : 1;
  for (std::size_t s = 0; s < pairs; ++s) text += number();
  if (classes) {
    text += "\nlabel";
    std::vector<int> labels{7, -1, 1, 0, 3, 12};
    for (std::size_t c = 0; c < k; ++c) {
      const std::size_t at = random.below(labels.size());
      text += " " + std::to_string(labels[at]);
      labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (random.one_in(2))
      for (const char* key : {"\nprobA", "\nprobB"}) {
        text += key;
        for (std::size_t s = 0; s < pairs; ++s) text += number();
      }
    text += "\nnr_sv";
    for (const auto n : counts) text += " " + std::to_string(n);
  } else if (random.one_in(2)) {
    text += "\nprobA 0.25";
  }
  text += "\nSV\n";
  for (std::size_t i = 0; i < total; ++i) {
    for (std::size_t c = 0; c + 1 < k; ++c) text += number().substr(1) + " ";
    for (int j = 1; j < 7; ++j)
      if (random.one_in(2)) text += std::to_string(j) + ":" + number().substr(1) + " ";
    text += "\n";
  }
  return text;
}

struct Sparse {
  Points points;
  std::vector<std::map<int, double>> rows;
};

// Of more columns than the support vectors have.
Sparse random_sparse(Random& random, std::size_t rows) {
  Sparse s;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  for (std::size_t i = 0; i < rows; ++i) {
    auto& row = s.rows.emplace_back();
    for (int j = 1; j < 9; ++j)
      if (random.one_in(2)) {
        row[j] = random.uniform(-2, 2);
        indices.push_back(j - 1);
        values.push_back(row[j]);
      }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  s.points = Points::own(offsets, indices, values, 8);
  return s;
}

void expect_same(const Plain& plain, const Model& m, const Sparse& x) {
  mercer::PredictOptions options;
  options.float64 = true;
  const auto p = predict(m, x.points, options);
  for (std::size_t i = 0; i < x.rows.size(); ++i) {
    const auto values = plain_values(plain, x.rows[i]);
    ASSERT_EQ(p.scores.columns, values.size());
    for (std::size_t s = 0; s < values.size(); ++s)
      EXPECT_NEAR(p.scores(i, s), values[s], 1e-9 * (1 + std::abs(values[s])));
    if (m.task == Model::Task::regression || !plain.a.empty()) continue;
    EXPECT_EQ(m.classes[static_cast<std::size_t>(p.classes[i])], plain_class(plain, values));
  }
  if (plain.a.empty() || plain.classes != 2 || plain.label.empty()) return;
  for (std::size_t i = 0; i < x.rows.size(); ++i) {  // P(their first label), our second class
    const double f = plain_values(plain, x.rows[i])[0];
    EXPECT_NEAR(p.probabilities(i, 1), 1 / (1 + std::exp(plain.a[0] * f + plain.b[0])), 1e-9);
    EXPECT_EQ(m.classes[1], std::to_string(plain.label[0]));
  }
}

TEST(Libsvm, WhatIsReadPredictsByItsDefinitionAndSoDoesWhatIsWritten) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const std::string text = random_file(random);
    const Plain plain = plain_model(text);
    const Model m = parse_libsvm_model(text, "m");
    EXPECT_TRUE(m.encoding.open);
    const Sparse x = random_sparse(random, 12);
    expect_same(plain, m, x);
    const std::string written = libsvm_model_text(m);
    expect_same(plain_model(written), parse_libsvm_model(written, "w"), x);
    expect_same(plain, parse_libsvm_model(written, "w"), x);
    EXPECT_EQ(libsvm_model_text(parse_libsvm_model(written, "w")), written);
    expect_same(plain, Model::parse(m.bytes(), "b"), x);
  }
}

// Models that were made here, read by the plain words of the format.
TEST(Libsvm, WhatIsWrittenHasTheScoresOfTheModel) {
  Random random(2);
  for (const char* kernel : {"linear", "rbf(0.3)", "2*rbf(1/3) + 0.5", "poly(3, c=2, gamma=0.3)",
                             "linear + 1", "5*linear^2", "0.25*linear^4", "-3*(0.5*x.z - 1)^3 + 2",
                             "sigmoid(0.2, c=-1)", "1", "(x.z + 1)^2/3", "tanh(1)"})
    for (const bool sparse : {false, true})
      for (const bool single : {false, true})
        for (const Scheme scheme : {Scheme::one, Scheme::pairs}) {
          Model m = random_model(random, {.sparse = sparse, .single = single, .scheme = scheme});
          m.kernel = Kernel::parse(kernel);
          for (std::size_t c = 0; c < m.classes.size(); ++c) m.classes[c] = std::to_string(10 - c);
          const Plain plain = plain_model(libsvm_model_text(m));
          const std::size_t d = m.dimension();
          for (int i = 0; i < 5; ++i) {
            std::map<int, double> entries;
            const auto x = random.point(d, -2, 2);
            for (std::size_t j = 0; j < d; ++j) entries[static_cast<int>(j) + 1] = x[j];
            const auto expected = plain_scores(m, x);
            const auto values = plain_values(plain, entries);
            ASSERT_EQ(values.size(), expected.size());
            for (std::size_t s = 0; s < values.size(); ++s)
              EXPECT_NEAR(values[s], expected[s], 1e-9 * (1 + std::abs(expected[s]))) << kernel;
            const std::string found = plain_class(plain, values);
            const mercer::Matrix row{1, expected.size(), expected, {}};
            EXPECT_EQ(found, m.classes[static_cast<std::size_t>(classes_by_score(m, row)[0])]);
          }
        }
}

TEST(Libsvm, KernelsOfNumbersAreThoseOfPointsInDimensionOne) {
  Model m;
  m.task = Model::Task::regression;
  m.support = Points::own(std::vector<double>{1, -2}, 2, 1);
  m.coefficients = {2, 1, {1, 0.5}, {}};
  m.offsets = {0};
  m.kernel = Kernel::parse("exp(-(x-z)^2/2)");
  EXPECT_THAT(libsvm_model_text(m), HasSubstr("kernel_type rbf\ngamma 0.5\n"));
  m.kernel = Kernel::parse("x*z");
  EXPECT_THAT(libsvm_model_text(m), HasSubstr("kernel_type linear\n"));
  m.kernel = Kernel::parse("(x*z + 1)^2");
  EXPECT_THAT(libsvm_model_text(m), HasSubstr("polynomial\ndegree 2\ngamma 1\ncoef0 1\n"));
}

constexpr const char* good =
    "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 3\nrho 0.1 0.2 0.3\n"
    "label 1 2 3\nnr_sv 1 1 1\nSV\n1 0.5 1:1 \n-1 1 2:1 \n-0.5 -1 3:1 \n";

TEST(Libsvm, TiesOfVotesAreWonByTheFirstLabel) {
  // One vote each: 1 beats 2, 2 beats 3, 3 beats 1.
  std::string text = good;
  text.replace(text.find("rho 0.1 0.2 0.3"), 15, "rho -9 9 -9");
  text.replace(text.find("label 1 2 3"), 11, "label 5 -4 2");
  const Model m = parse_libsvm_model(text, "m");
  const auto p = predict(m, Points::own({0, 1}, {0}, std::vector<double>{1.0}, 3));
  EXPECT_EQ(m.classes[static_cast<std::size_t>(p.classes[0])], "5");
  // A value of 0 is no vote for the first of two.
  const std::string zero =
      "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 0\nrho 0\nlabel 1 -1\nnr_sv 0 "
      "0\nSV\n";
  const Model two = parse_libsvm_model(zero, "m");
  EXPECT_EQ(two.classes[static_cast<std::size_t>(
                predict(two, Points::own({0, 1}, {0}, std::vector<double>{1.0}, 1)).classes[0])],
            "-1");
  EXPECT_EQ(libsvm_model_text(two), zero);
}

TEST(Libsvm, ColumnsThatAreKnownCloseTheModel) {
  const Model open = parse_libsvm_model(good, "m");
  EXPECT_EQ(open.dimension(), 3U);
  const Model closed = parse_libsvm_model(good, "m", 5);
  EXPECT_EQ(closed.dimension(), 5U);
  EXPECT_FALSE(closed.encoding.open);
  const Points wide = Points::own({0, 1}, {6}, std::vector<double>{2.0}, 7);
  EXPECT_NEAR(predict(open, wide).scores(0, 0), -0.1, 0.1);
  EXPECT_THROW(static_cast<void>(predict(closed, wide)), mercer::Error);
  EXPECT_THROW(static_cast<void>(parse_libsvm_model(good, "m", 2)), mercer::Error);
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse_libsvm_model(text, "m"));
  } catch (const mercer::Error& error) {
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error.what();
  }
  return {};
}

TEST(Libsvm, BadFilesAreToldWithTheirLine) {
  const std::string text = good;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const auto at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return changed.replace(at, from.size(), to);
  };
  ASSERT_EQ(error_of(text), "");
  ASSERT_EQ(error_of(with("\nSV", "\r\nSV \r")), "");
  ASSERT_EQ(error_of(with("label", "\nlabel\t ")), "");
  const std::vector<std::pair<std::string, std::string>> bad{
      {"", "m:1: a model of LIBSVM begins with svm_type"},
      {"1 1:2\n", "m:1: a model of LIBSVM begins with svm_type"},
      {with("svm_type", "svm_types"), "m:1: 'svm_types' is no keyword"},
      {with("c_svc", "c_svm"), "m:1: svm_type 'c_svm' is not known; expected c_svc, nu_svc, "},
      {with(" c_svc", ""), "m:1: the value of svm_type is missing"},
      {with("c_svc", "c_svc x"), "m:1: 'x' is too much in a line of svm_type"},
      {with("rbf", "gauss"), "m:2: kernel_type 'gauss' is not known; expected linear, "},
      {with("rbf", "precomputed"), "m:2: a precomputed kernel"},
      {with("kernel_type rbf", "kernel_type polynomial\ndegree -1\ncoef0 0"), "m:3: degree: '-1'"},
      {with("kernel_type rbf", "kernel_type polynomial\ndegree 2"), "no coef0"},
      {with("gamma 0.5\n", ""), "m:8: the lines above have no gamma"},
      {with("gamma 0.5", "gamma nan"), "m:3: gamma: 'nan' is not a finite number"},
      {with("gamma 0.5", "gamma 1e999"), "m:3: gamma: '1e999' is not a finite number"},
      {with("gamma 0.5", "gamma x"), "m:3: gamma: 'x' is not a number"},
      {with("gamma 0.5", "gamma 0.5\ngamma 0.5"), "m:4: gamma was there already, in line 3"},
      {with("gamma", "gama"), "m:3: 'gama' is no keyword of a LIBSVM model; did you mean 'gamma'?"},
      {with("nr_class 3", "nr_class 0"), "m:4: nr_class: '0' found, expected a whole number"},
      {with("nr_class 3", "nr_class 1"), "m:4: trained on a single class"},
      {with("nr_class 3", "nr_class 99999999999999999999"), "m:4: nr_class: '99999"},
      {with("nr_class 3", "nr_class 16000000"), "m:6: rho has 3 values, expected 127999992000000"},
      {with("nr_class 3", "nr_class 3.5"), "m:4: nr_class: '3.5'"},
      {with("total_sv 3", "total_sv -3"), "m:5: total_sv: '-3'"},
      {with("total_sv 3", "total_sv 4"), "m:8: the counts of nr_sv add up to 3, and total_sv is 4"},
      {with("rho 0.1 0.2 0.3", "rho 0.1 0.2"), "m:6: rho has 2 values, expected 3"},
      {with("rho 0.1 0.2 0.3\n", ""), "no rho"},
      {with("label 1 2 3", "label 1 2"), "m:7: label has 2 values, expected 3"},
      {with("label 1 2 3", "label 1 2 1"), "m:7: two classes have the same label"},
      {with("label 1 2 3", "label 1 2 a"), "m:7: label: 'a' found, expected a whole number"},
      {with("label 1 2 3", "label 1 2 3\nprobA 1 2 3"), "no probB"},
      {with("label 1 2 3", "label 1 2 3\nprobA 1 2 3\nprobB 1 2"), "m:9: probB has 2 values"},
      {with("nr_sv 1 1 1", "nr_sv 1 1 -1"), "m:8: nr_sv: '-1'"},
      {with("nr_sv 1 1 1", "nr_sv 2 1 1"), "m:8: the counts of nr_sv add up to 4"},
      {with("nr_sv 1 1 1\n", ""), "no nr_sv"},
      {with("SV\n", ""), "m:9: '1' is no keyword"},
      {"svm_type c_svc\nkernel_type rbf\n", "m:2: the file ends before its support vectors"},
      {with("1 0.5 1:1", "1 1:1"), "m:10: the line has 1 coefficients, expected 2"},
      {with("1 0.5 1:1", "1"), "m:10: the line has 1 coefficients, expected 2"},
      {with("1 0.5 1:1", "1 x 1:1"), "m:10: 'x' found, expected a number"},
      {with("1 0.5 1:1", "1 0.5 3 1:1"), "m:10: '3' found, expected index:value"},
      {with("1 0.5 1:1", "1 inf 1:1"), "m:10: 'inf' is not a finite number"},
      {with("1 0.5 1:1", "1 0.5 0:1"), "m:10: '0:1': indices begin at 1"},
      {with("1 0.5 1:1", "1 0.5 -1:1"), "m:10: '-1:1' found, expected index:value"},
      {with("1 0.5 1:1", "1 0.5 2:1 1:1"), "m:10: '1:1': indices ascend within a line; 2 stands"},
      {with("1 0.5 1:1", "1 0.5 2:1 2:1"), "m:10: '2:1': indices ascend"},
      {with("1 0.5 1:1", "1 0.5 2147483648:1"), "m:10: '2147483648:1': the index is beyond"},
      {with("1 0.5 1:1", "1 0.5 99999999999999999999:1"), "expected index:value"},
      {with("1 0.5 1:1", "1 0.5 1:nan"), "m:10: 'nan' is not a finite number"},
      {with("1 0.5 1:1", "1 0.5 1:"), "m:10: a number is missing"},
      {with("1 0.5 1:1", "1 0.5 1:1x"), "m:10: '1x' found, expected a number"},
      {with("3:1 \n", "3:1 \n1 1 1:1\n"), "m:13: there are more support vectors than the 3"},
      {with("-0.5 -1 3:1 \n", ""), "m:11: the file ends after 2 of 3 support vectors"},
      {with("3:1 \n", "3:1"), "m:12: the last line has no end: the file is truncated"},
      {"svm_type one_class\nkernel_type linear\nnr_class 3\ntotal_sv 0\nrho 1\nSV\n",
       "m:3: nr_class is 2"},
      {"svm_type nu_svr\nkernel_type linear\nnr_class 2\ntotal_sv 0\nrho 1 2\nSV\n",
       "m:5: rho has 2 values"},
  };
  for (const auto& [file, part] : bad) EXPECT_THAT(error_of(file), HasSubstr(part)) << file;
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_NE(error_of(text.substr(0, length)), "") << length;
}

TEST(Libsvm, WhatItCannotExpressIsRefused) {
  Random random(3);
  using Change = void (*)(Model&);
  const std::vector<std::pair<Change, const char*>> changes{
      {[](Model& m) { m.kernel = Kernel::parse("laplacian(1)"); }, "laplacian(1), is none of"},
      {[](Model& m) { m.kernel = Kernel::parse("rbf(1) + linear"); }, "is none of"},
      {[](Model& m) { m.kernel = Kernel::parse("linear[1]"); }, "is none of"},
      {[](Model& m) { m.kernel = Kernel::parse("linear^0.5"); }, "is none of"},
      {[](Model& m) { m.classes[0] = "0.5", m.classes[1] = "1"; }, "'0.5' is no whole number"},
      {[](Model& m) { m.classes[0] = "1", m.classes[1] = "1.0"; }, "the same number"},
      {[](Model& m) { m.offsets.clear(); }, "0 offsets"},
      {[](Model& m) {
         m.encoding.options.scaling = mercer::Scaling::standard;
         m.encoding.centers.assign(m.encoding.dimension, 0);
         m.encoding.scales.assign(m.encoding.dimension, 2);
       },
       "mercer convert --scale standard"},
      {[](Model& m) {
         m.encoding.columns.resize(m.encoding.dimension);
         m.encoding.columns[0].name = "colour";
         m.encoding.columns[0].categorical = true;
         m.encoding.columns[0].levels = {"red"};
       },
       "'colour', for its categories"},
  };
  const auto refused = [](const Model& m) {
    try {
      static_cast<void>(libsvm_model_text(m));
    } catch (const mercer::Error& error) {
      EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
      return std::string(error.what());
    }
    return std::string();
  };
  for (const auto& [change, part] : changes) {
    Model m = random_model(random, {});
    m.kernel = Kernel::parse("rbf(1)");
    ASSERT_EQ(refused(m), "");
    change(m);
    EXPECT_THAT(refused(m), HasSubstr(part));
  }
  EXPECT_THAT(refused(random_model(random, {.kernel_form = false})), HasSubstr("feature map"));
  EXPECT_THAT(refused(random_model(random, {.scheme = Scheme::per_class})),
              HasSubstr("a score for each class"));
}

TEST(Libsvm, NamesOfClassesBecomeNumbersAsInTables) {
  Model m;
  m.classes = {"ham", "spam"};
  EXPECT_THAT(libsvm_labels(m), ElementsAre("-1", "1"));
  m.classes = {"a", "b", "c"};
  EXPECT_THAT(libsvm_labels(m), ElementsAre("1", "2", "3"));
  m.classes = {"-1", "2.0", "+7"};
  EXPECT_THAT(libsvm_labels(m), ElementsAre("-1", "2", "7"));
}

class LibsvmFile : public FolderTest {};

TEST_F(LibsvmFile, IsThereAsAWholeOrNotAtAll) {
  const Model m = parse_libsvm_model(good, "m");
  write_libsvm_model(path("a.model"), m);
  EXPECT_EQ(bytes(path("a.model")), libsvm_model_text(m));
  EXPECT_EQ(libsvm_model_text(mercer::read_libsvm_model(path("a.model"))), libsvm_model_text(m));
  Model bad = m;
  bad.kernel = Kernel::parse("laplacian(1)");
  EXPECT_THROW(write_libsvm_model(path("b.model"), bad), mercer::Error);
  EXPECT_THROW(write_libsvm_model(path("no/such.model"), m), mercer::Error);
  EXPECT_EQ(files(), 1U);
  EXPECT_THROW(static_cast<void>(mercer::read_libsvm_model(path("absent"))), mercer::Error);
}

}  // namespace
