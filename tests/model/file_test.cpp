// Model files: what is written is what is read, and nothing else is.
#include "model/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <mercer/error.hpp>
#include <mercer/matrix.hpp>
#include <mercer/model.hpp>

#include "base/checksum.hpp"
#include "support/folder.hpp"
#include "support/random_model.hpp"

namespace {

using mercer::Model;
using mercer::Points;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ModelFile : public FolderTest {};

std::string mistake_in_file(const std::string& bytes) {
  try {
    static_cast<void>(Model::parse(bytes, "m.mercer"));
  } catch (const mercer::Error& error) {
    return error.what();
  }
  return {};
}

// With the checksum that belongs to it.
std::string repaired(std::string bytes) {
  const std::uint64_t sum = mercer::checksum(bytes.substr(0, 24) + bytes.substr(32));
  std::memcpy(bytes.data() + 24, &sum, sizeof sum);
  return bytes;
}

void expect_same(const Model& a, const Model& b) {
  EXPECT_EQ(a.task, b.task);
  EXPECT_EQ(a.scheme, b.scheme);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.numeric_classes, b.numeric_classes);
  EXPECT_EQ(a.kernel, b.kernel);
  EXPECT_EQ(a.map.has_value(), b.map.has_value());
  if (a.map) {
    EXPECT_EQ(a.map->coordinates, b.map->coordinates);
    EXPECT_EQ(a.map->dimension, b.map->dimension);
  }
  EXPECT_EQ(a.support.rows(), b.support.rows());
  EXPECT_EQ(a.support.columns(), b.support.columns());
  EXPECT_EQ(a.support.is_sparse(), b.support.is_sparse());
  EXPECT_EQ(a.support.scalar(), b.support.scalar());
  EXPECT_EQ(dense(a.support).values, dense(b.support).values);
  EXPECT_EQ(a.coefficients.values, b.coefficients.values);
  EXPECT_EQ(a.support_counts, b.support_counts);
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.calibration, b.calibration);
  EXPECT_EQ(a.encoding, b.encoding);
  EXPECT_EQ(a.label, b.label);
  EXPECT_EQ(a.training, b.training);
}

TEST_F(ModelFile, SavedAndLoadedPredictsTheSameBits) {
  Random random(1);
  int number = 0;
  for (const ModelShape& shape : model_shapes())
    for (int round = 0; round < 3; ++round) {
      const Model m = random_model(random, shape);
      const std::string name = path("m" + std::to_string(++number));
      m.save(name);
      Model::FileFacts facts;
      const Model loaded = Model::load(name, &facts);
      EXPECT_EQ(facts.format, 1U);
      EXPECT_EQ(facts.size, std::filesystem::file_size(name));
      EXPECT_EQ(facts.size % 64, 0U);
      expect_same(loaded, m.compacted());
      expect_same(Model::parse(m.bytes(), "memory"), loaded);
      EXPECT_EQ(bytes(name), m.bytes());
      EXPECT_EQ(loaded.bytes(), m.bytes());
      const Points x = random_points(random, 30, m.dimension(), shape.sparse, shape.single);
      const auto p = predict(m, x);
      const auto q = predict(loaded, x);
      EXPECT_EQ(p.scores.values, q.scores.values);
      EXPECT_EQ(p.classes, q.classes);
      EXPECT_EQ(p.probabilities.values, q.probabilities.values);
    }
  EXPECT_EQ(files(), static_cast<std::size_t>(number));
}

TEST_F(ModelFile, SupportStaysInTheFileAndOutlivesItsName) {
  Random random(2);
  const Model m = random_model(random, {.single = true});
  m.save(path("m"));
  const Model loaded = Model::load(path("m"));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(loaded.support.raw()) % 64, 0U);
  std::filesystem::remove(path("m"));
  EXPECT_EQ(dense(loaded.support).values, dense(m.compacted().support).values);
}

TEST_F(ModelFile, OnlyPointsThatMatterAreKept) {
  Random random(3);
  for (const ModelShape& shape : model_shapes()) {
    Model m = random_model(random, shape);
    const Model c = m.compacted();
    for (std::size_t i = 0; c.kernel && i < c.coefficients.rows; ++i) {
      const auto row = c.coefficients.row(i);
      EXPECT_TRUE(std::any_of(row.begin(), row.end(), [](double a) { return a != 0; }));
    }
    // A part of a larger matrix, with a distance between its rows.
    if (!m.kernel || shape.sparse || shape.single || m.support.rows() == 0) continue;
    const auto all = dense(m.support).values;
    const std::size_t d = m.dimension();
    std::vector<double> wide(m.support.rows() * (d + 3), 7);
    for (std::size_t i = 0; i < m.support.rows(); ++i)
      std::copy_n(all.data() + i * d, d, wide.data() + i * (d + 3));
    const std::string before = m.bytes();
    m.support = Points::dense(wide.data(), m.support.rows(), d, d + 3);
    EXPECT_EQ(m.bytes(), before);
  }
}

TEST_F(ModelFile, EveryFlippedBitIsSeen) {
  Random random(4);
  for (const ModelShape& shape : {ModelShape{.sparse = true}, ModelShape{.kernel_form = false}}) {
    const std::string good = random_model(random, shape).bytes();
    ASSERT_EQ(mistake_in_file(good), "");
    for (std::size_t at = 0; at < good.size(); ++at)
      for (int bit = 0; bit < 8; ++bit) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
        ASSERT_NE(mistake_in_file(bad), "") << at << " " << bit;
      }
  }
}

TEST_F(ModelFile, EveryTruncationIsSeen) {
  Random random(5);
  const std::string good = random_model(random, {.sparse = true, .calibrated = true}).bytes();
  for (std::size_t length = 0; length < good.size(); ++length)
    ASSERT_NE(mistake_in_file(good.substr(0, length)), "") << length;
  EXPECT_THAT(mistake_in_file(good.substr(0, 100)), HasSubstr("truncated: 100 bytes of "));
  EXPECT_THAT(mistake_in_file(good + '\0'), HasSubstr("1 bytes too many"));
}

// With a right checksum, too, a changed byte is an Error or a model that holds together.
TEST_F(ModelFile, RepairedLiesDoNoHarm) {
  Random random(6);
  for (const ModelShape& shape : model_shapes()) {
    const std::string good = random_model(random, shape).bytes();
    for (int round = 0; round < 300; ++round) {
      std::string bad = good;
      const std::size_t changes = 1 + random.below(3);
      for (std::size_t c = 0; c < changes; ++c) {
        const std::size_t at = 8 + random.below(random.one_in(2) ? 500 : bad.size() - 8);
        bad[std::min(at, bad.size() - 1)] = static_cast<char>(
            random.pick({0, 1, 2, 127, 128, 255, static_cast<int>(random.below(256))}));
      }
      try {
        const Model m = Model::parse(repaired(bad), "bad");
        m.check();
        if (m.dimension() < 1000)
          static_cast<void>(predict(m, random_points(random, 3, m.dimension(), false, false)));
      } catch (const mercer::Error& error) {
        EXPECT_NE(std::string(error.what()), "");
      }
    }
  }
}

TEST_F(ModelFile, SaysWhatIsWrong) {
  Random random(7);
  const Model m = random_model(random, {});
  const std::string good = m.bytes();
  std::string newer = good;
  newer[8] = 3;
  EXPECT_EQ(mistake_in_file(newer),
            "m.mercer: was written by a newer mercer: format 3, this one reads up to 2");
  EXPECT_THAT(mistake_in_file(""), HasSubstr("empty"));
  EXPECT_THAT(mistake_in_file("a,b\n1,2\n"), HasSubstr("not a model of mercer: it is text"));
  EXPECT_THAT(mistake_in_file("svm_type c_svc\nkernel_type rbf\n"), HasSubstr("a model of LIBSVM"));
  EXPECT_THAT(mistake_in_file("\x93NUMPY\x01"), HasSubstr("an array of NumPy"));
  EXPECT_THAT(mistake_in_file(std::string(100, '\1')), HasSubstr("not a model of mercer"));
  std::string bad = good;
  bad.back() = 1;
  EXPECT_THAT(mistake_in_file(bad), HasSubstr("corrupted: its checksum"));

  // A kernel's text that no longer parses.
  const std::string kernel = m.kernel->text();
  std::string other = good;
  const auto at = other.find(kernel, 64);
  ASSERT_NE(at, std::string::npos);
  other.replace(at, kernel.size(), std::string(kernel.size(), '('));
  EXPECT_THAT(mistake_in_file(repaired(other)),
              AllOf(StartsWith("m.mercer: its kernel, '((("), HasSubstr("not understood: column"),
                    Not(HasSubstr("\n"))));
  try {
    static_cast<void>(Model::load(path(".")));
    FAIL();
  } catch (const mercer::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("folder"));
  }
}

TEST_F(ModelFile, NothingIsLeftBehindWhereItCannotBeWritten) {
  Random random(8);
  Model m = random_model(random, {});
  EXPECT_THROW(m.save(path("no/such/folder")), mercer::Error);
  m.offsets.clear();
  EXPECT_THROW(m.save(path("m")), mercer::Error);
  EXPECT_EQ(files(), 0U);
}

TEST_F(ModelFile, PartsThatDoNotFitAreRefused) {
  Random random(9);
  using Change = void (*)(Model&);
  const std::vector<std::pair<Change, const char*>> changes{
      {[](Model& m) { m.classes.pop_back(); }, "two classes or more"},
      {[](Model& m) { m.classes.emplace_back("c"); }, "one score tells two classes"},
      {[](Model& m) { m.classes[1] = m.classes[0]; }, "same name"},
      {[](Model& m) { m.kernel.reset(); }, "a kernel, a feature map or a sketch, one of them"},
      {[](Model& m) { m.kernel = mercer::Kernel::parse("x9*z9"); }, "makes no sense in dimension"},
      {[](Model& m) { m.kernel = mercer::Kernel::parse("rbf(gamma=?)"); }, "open parameter"},
      {[](Model& m) { m.kernel = mercer::Kernel::parse("linear[\"a\"]"); }, "names columns"},
      {[](Model& m) { m.coefficients.rows += 1; }, "rows of coefficients"},
      {[](Model& m) { m.coefficients.values.back() = NAN; }, "not finite"},
      {[](Model& m) { m.offsets.push_back(0); }, "2 offsets for 1 score"},
      {[](Model& m) { m.support_counts = {1}; }, "counts of support points"},
      {[](Model& m) { m.calibration.resize(2); }, "2 sigmoids for 1 score"},
      {[](Model& m) { m.encoding.dimension += 1; }, "encoding makes points"},
      {[](Model& m) { m.training = "[1]"; }, "no JSON object"},
      {[](Model& m) { m.training = "{"; }, "no JSON object"},
      {[](Model& m) { m.training = "{\"a\":" + std::string(99, '[') + std::string(99, ']') + "}"; },
       "too deeply"},
      {[](Model& m) { m.task = Model::Task::regression; }, "no classes"},
  };
  for (const auto& [change, part] : changes) {
    Model m = random_model(random, {});
    while (m.support.rows() == 0) m = random_model(random, {});
    EXPECT_NO_THROW(m.check());
    change(m);
    try {
      m.check();
      ADD_FAILURE() << part;
    } catch (const mercer::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(part));
    }
  }
}

}  // namespace
