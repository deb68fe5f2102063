// Are the answers right? On every data set that is small or medium (of larger ones a sample),
// beside svm-train, whatever the time:
//
//     tolerance 1e-6, both    our dual value is no more than 1e-6 below, relative, and no more
//                             above than our gap; decision values 1e-3 apart at most
//     tolerance 1e-3, both    the same accuracy on the test data, to 0.1 % or one example
//     C = 1e6                 a gap of ours below 1e-6, and our dual value is no smaller
//
// svm-train keeps kernel values in floats, and with a large C the value that it prints is off by
// more than that: the dual value of its α is computed here, in doubles. Of a regression that needs
// the labels, which its file has not: they are those of the rows that its points are. Of classes
// with as many votes it takes the one that came first in the file, we the first in their order:
// accuracies are compared by our rule, and its own is printed, too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mercer/data.hpp>
#include <mercer/encoding.hpp>
#include <mercer/error.hpp>
#include <mercer/libsvm.hpp>
#include <mercer/model.hpp>
#include <mercer/train.hpp>

#include "base/random.hpp"
#include "svm_workshop.hpp"

namespace mercer::bench {

double dual_of(const Model& m) {
  const std::size_t n = m.support.rows();
  const std::size_t scores = m.scores();
  std::vector<double> alpha(n * scores);
  if (m.scheme == Model::Scheme::pairs) {
    std::vector<std::size_t> class_of;
    for (std::size_t a = 0; a < m.support_counts.size(); ++a)
      class_of.insert(class_of.end(), m.support_counts[a], a);
    std::size_t pair = 0;
    for (std::size_t a = 0; a < m.classes.size(); ++a)
      for (std::size_t b = a + 1; b < m.classes.size(); ++b, ++pair)
        for (std::size_t i = 0; i < n; ++i) {
          if (class_of[i] == a) alpha[i * scores + pair] = m.coefficients(i, b - 1);
          if (class_of[i] == b) alpha[i * scores + pair] = m.coefficients(i, a);
        }
  } else {
    alpha = m.coefficients.values;
  }
  GramOptions how;
  how.precision = GramOptions::Precision::float64;
  how.storage = GramOptions::Storage::recomputed;
  std::vector<double> f(n * scores);
  Gram(*m.kernel, m.support, how).apply(alpha, scores, f);
  double dual = 0;
  for (std::size_t i = 0; i < alpha.size(); ++i) dual += std::abs(alpha[i]) - 0.5 * alpha[i] * f[i];
  return dual;
}

namespace {

constexpr double epsilon = 0.1;

// Σ y β - ε Σ|β| - ½ βᵀ K β of a model of LIBSVM, whose points are rows of `train` in their order,
// with eight digits.
double regression_dual(const Model& m, const Table& train) {
  const Points x = train.points.with_columns(m.dimension());
  std::vector<std::size_t> rows;
  std::vector<double> point(m.dimension());
  std::vector<double> support(m.dimension());
  double sum = 0;
  std::size_t row = 0;
  for (std::size_t i = 0; i < m.support.rows(); ++i, ++row) {
    m.support.row(i, std::span(support));
    const auto same = [&] {
      x.row(row, std::span(point));
      return std::ranges::equal(point, support, [](double a, double b) {
        return std::abs(a - b) <= 1e-7 * std::max(std::abs(a), std::abs(b));
      });
    };
    while (row < x.rows() && !same()) ++row;
    if (row == x.rows()) throw Error("LIBSVM's model has a point that is no row of the data");
    rows.push_back(row);
    const double beta = m.coefficients(i, 0);
    sum += train.labels.numbers[row] * beta - epsilon * std::abs(beta);
  }
  GramOptions how;
  how.precision = GramOptions::Precision::float64;
  how.storage = GramOptions::Storage::recomputed;
  std::vector<double> f(rows.size());
  Gram(*m.kernel, x.select(rows), how).apply(m.coefficients.values, 1, f);
  for (std::size_t i = 0; i < f.size(); ++i) sum -= 0.5 * m.coefficients(i, 0) * f[i];
  return sum;
}

struct Set {
  const char* name;
  bool regression = false;
  const char* csv = nullptr;  // how many of its rows are for training
};

constexpr std::size_t most_rows = 4000;
constexpr double limit = 120;  // seconds for each training

struct Files {
  std::string train;
  std::string test;
  double gamma = 1;
  std::size_t rows = 0;
};

// Numbers to mean 0 and deviation 1 where they were not scaled; at most so many rows.
std::optional<Files> prepared(const Workshop& shop, const Set& set) {
  const std::string name = set.name;
  Table train;
  Table test;
  if (set.csv != nullptr) {
    const auto path = Workshop::given(name + ".csv.gz");
    if (!path) return std::nullopt;
    EncodingOptions how;
    how.missing = Missing::mean;
    how.scaling = Scaling::standard;
    ReadOptions read;
    read.missing = Missing::mean;
    const Table all = read_training(*path, read, how).table;
    const std::size_t split = std::stoul(set.csv);
    std::vector<std::size_t> first(split);
    std::vector<std::size_t> rest(all.rows() - split);
    for (std::size_t i = 0; i < all.rows(); ++i) (i < split ? first[i] : rest[i - split]) = i;
    train = all.select(first);
    test = all.select(rest);
  } else {
    const auto a = Workshop::given(name + ".train.libsvm.gz");
    const auto b = Workshop::given(name + ".test.libsvm.gz");
    if (!a || !b) return std::nullopt;
    EncodingOptions how;
    // Those that the folder's README calls not scaled.
    const bool raw = name == "cod-rna" || name == "cadata";
    how.scaling = raw ? Scaling::standard : Scaling::none;
    how.scale_sparse = raw ? ScaleSparse::yes : ScaleSparse::no;
    const EncodedTable encoded = read_training(*a, {}, how);
    train = encoded.table;
    ReadOptions read;
    read.columns = train.columns();
    test = encoded.encoding.apply(read_table(*b, read));
  }
  if (set.regression) {
    double largest = 0;
    for (const double y : train.labels.numbers) largest = std::max(largest, std::abs(y));
    for (double& y : train.labels.numbers) y *= 10 / largest;
    for (double& y : test.labels.numbers) y *= 10 / largest;
  }
  if (train.rows() > most_rows)
    train = train.select(RandomNumbers(1).sample(train.rows(), most_rows));
  if (test.rows() > most_rows) test = test.select(RandomNumbers(2).sample(test.rows(), most_rows));
  Files files{shop.file(name + ".exact"), shop.file(name + ".exact.test"), 1, train.rows()};
  write_table(files.train, train, {.format = FileFormat::libsvm});
  write_table(files.test, test, {.format = FileFormat::libsvm});
  const std::string kernel = rbf_from_data(train.points).text();  // "rbf(0.37)"
  files.gamma = std::stod(kernel.substr(4));
  return files;
}

// The scores of our model for which another has these, in its order of classes.
struct Place {
  std::size_t score;
  double sign;
};
std::vector<Place> places(const Model& ours, const Model& theirs) {
  if (ours.task == Model::Task::regression) return {{0, 1}};
  std::vector<std::size_t> number;  // of each class of ours, among theirs
  for (const auto& name : ours.classes) {
    const auto at = std::ranges::find(theirs.classes, name);
    if (at == theirs.classes.end()) throw Error("there is no class " + name + " in LIBSVM's model");
    number.push_back(static_cast<std::size_t>(at - theirs.classes.begin()));
  }
  if (ours.classes.size() == 2) return {{0, number[1] == 1 ? 1.0 : -1.0}};
  const std::size_t k = ours.classes.size();
  const auto pair = [k](std::size_t a, std::size_t b) {
    return a * k - a * (a + 1) / 2 + (b - a - 1);
  };
  std::vector<Place> all;
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = a + 1; b < k; ++b) {
      const std::size_t s = std::min(number[a], number[b]);
      const std::size_t t = std::max(number[a], number[b]);
      all.push_back({pair(s, t), number[a] < number[b] ? 1.0 : -1.0});
    }
  return all;
}

// Both models on the test data.
struct Scores {
  Model ours;
  Model theirs;
  Prediction a;
  Prediction b;
  Matrix their_scores;  // in the order of ours
  double apart = 0;     // the largest difference

  Scores(const Workshop& shop, const Table& test)
      : ours(Model::load(shop.file("ours"))),
        theirs(read_libsvm_model(shop.file("theirs"), ours.dimension())) {
    const Points x = test.points.with_columns(ours.dimension());
    PredictOptions how;
    how.float64 = true;
    a = predict(ours, x, how);
    b = predict(theirs, x, how);
    their_scores = a.scores;
    const auto map = places(ours, theirs);
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t c = 0; c < map.size(); ++c) {
        their_scores(i, c) = map[c].sign * b.scores(i, map[c].score);
        apart = std::max(apart, std::abs(a.scores(i, c) - their_scores(i, c)));
      }
  }
};

class Exact {
 public:
  Exact(const Workshop& shop, const Set& set, Files files)
      : shop_(shop), set_(set), files_(std::move(files)), test_(read_table(files_.test)) {}

  // Whether all was as it should be.
  bool run() {
    for (const double C : {1.0, 100.0}) fine(C);
    usual();
    large_price();
    return good_;
  }

 private:
  [[nodiscard]] std::string own_options(double C, double tolerance) const {
    return fmt::format("-k 'rbf({})' -C {} --tolerance {} --time-limit {} --task {}", files_.gamma,
                       C, tolerance, limit,
                       set_.regression ? "regression --epsilon 0.1" : "classification");
  }
  [[nodiscard]] std::string their_options(double C, double tolerance) const {
    return fmt::format("-s {} -p 0.1 -g {} -c {} -e {}", set_.regression ? 3 : 0, files_.gamma, C,
                       tolerance);
  }
  void line(const std::string& text, bool good) {
    fmt::print("{:<18} {}{}\n", set_.name, text, good ? "" : "   <-- NOT AS IT SHOULD BE");
    std::fflush(stdout);
    good_ = good_ && good;
  }

  void fine(double C) {
    const Ours ours = shop_.ours(files_.train, own_options(C, 1e-6));
    const bool converged = ours.said["converged"].get<bool>();
    const Theirs theirs = shop_.theirs(files_.train, their_options(C, 1e-6), limit);
    const std::string at =
        fmt::format("n {}, C {:g}, γ {:g}, both 1e-6: gap {:.1e}{}", files_.rows, C, files_.gamma,
                    ours.number("gap"), converged ? "" : ", not converged");
    if (!theirs.ended) {
      line(at + fmt::format("; LIBSVM > {:g} s", limit), converged);
      return;
    }
    const Scores scores(shop_, test_);
    const double above = ours.number("dual") / true_dual(scores.theirs) - 1;
    const bool near =
        above >= -1e-6 && above <= std::max(1e-6, 1.1 * ours.number("gap")) && scores.apart <= 1e-3;
    line(at + fmt::format("; our dual value {:.1e} above, decision values {:.1e} apart{}", above,
                          scores.apart, theirs.gave_up ? " (LIBSVM gave up)" : ""),
         converged && (near || theirs.gave_up));
  }

  [[nodiscard]] double true_dual(const Model& theirs) const {
    return set_.regression ? regression_dual(theirs, read_table(files_.train)) : dual_of(theirs);
  }

  void usual() {
    static_cast<void>(shop_.ours(files_.train, own_options(10, 1e-3)));
    const Theirs theirs = shop_.theirs(files_.train, their_options(10, 1e-3), limit);
    if (!theirs.ended) return;
    const Scores scores(shop_, test_);
    const Prediction& a = scores.a;
    const std::size_t n = test_.rows();
    if (set_.regression) {
      double own = 0;
      double their = 0;
      for (std::size_t i = 0; i < n; ++i) {
        own += std::pow(a.scores(i, 0) - test_.labels.numbers[i], 2);
        their += std::pow(scores.b.scores(i, 0) - test_.labels.numbers[i], 2);
      }
      line(fmt::format("tolerance 1e-3: squared errors {:.6g} and {:.6g}", own, their),
           std::abs(own - their) <= 1e-3 * their);
      return;
    }
    const Classes truth = classes_of(test_.labels);
    const auto same_rule = classes_by_score(scores.ours, scores.their_scores);
    std::size_t own = 0;
    std::size_t their = 0;
    std::size_t by_their_rule = 0;
    const auto number = [](std::int32_t c) { return static_cast<std::size_t>(c); };
    for (std::size_t i = 0; i < n; ++i) {
      const auto& name = truth.names[number(truth.codes[i])];
      own += scores.ours.classes[number(a.classes[i])] == name ? 1U : 0U;
      their += scores.ours.classes[number(same_rule[i])] == name ? 1U : 0U;
      by_their_rule += scores.theirs.classes[number(scores.b.classes[i])] == name ? 1U : 0U;
    }
    const double apart = std::abs(static_cast<double>(own) - static_cast<double>(their));
    line(fmt::format("tolerance 1e-3: {} and {} right of {}{}", own, their, n,
                     by_their_rule == their ? "" : fmt::format(" ({} by its rule)", by_their_rule)),
         apart <= std::max(1.0, 1e-3 * static_cast<double>(n)));
  }

  void large_price() {
    const Ours ours = shop_.ours(files_.train, own_options(1e6, 1e-6));
    const Theirs theirs = shop_.theirs(files_.train, their_options(1e6, 1e-3), limit / 4);
    const bool converged = ours.said["converged"].get<bool>();
    const double gap = ours.number("gap");
    const double dual = ours.number("dual");
    const std::string at =
        fmt::format("C 1e6: {:.3g} s, gap {:.1e}{}", ours.seconds, gap,
                    converged ? "" : ", " + ours.said["training"].value("message", "?"));
    if (!theirs.ended) {
      line(at + fmt::format("; LIBSVM > {:g} s", limit / 4), std::abs(gap) < 1e-6);
      return;
    }
    const double their_dual = true_dual(read_libsvm_model(shop_.file("theirs")));
    line(at + fmt::format("; LIBSVM {:.3g} s{}, our dual value {:.1e} above", theirs.seconds,
                          theirs.gave_up ? " (gave up)" : "", dual / their_dual - 1),
         std::abs(gap) < 1e-6 && their_dual <= dual * (1 + 1e-6));
  }

  const Workshop& shop_;
  const Set& set_;
  Files files_;
  Table test_;
  bool good_ = true;
};

}  // namespace

void svm_exact(const Workshop& shop, const std::string& only) {
  if (!shop.peer()) return;
  std::size_t bad = 0;
  for (const Set& set :
       {Set{"iris"}, Set{"heart"}, Set{"sonar"}, Set{"digits"}, Set{"dna"}, Set{"spam"},
        Set{"letter"}, Set{"usps"}, Set{"a9a"}, Set{"reuters-money-fx"}, Set{"ijcnn1"},
        Set{"shuttle"}, Set{"cod-rna"}, Set{"covtype"}, Set{"cadata", true}, Set{"kin40k", true},
        Set{"pima", false, "614"}, Set{"adult", false, "32561"}, Set{"abalone", true, "3341"}}) {
    if (!only.empty() && only != set.name) continue;
    auto files = prepared(shop, set);
    if (files && !Exact(shop, set, *std::move(files)).run()) ++bad;
  }
  fmt::print("{} of the sets with an answer that is not as it should be\n", bad);
}

}  // namespace mercer::bench
