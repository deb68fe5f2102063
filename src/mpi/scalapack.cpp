// A DenseSystem by ScaLAPACK, for a program that loads this module by name: see cli/ranks.hpp.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <string>
#include <vector>

#include "comm/dense_system.hpp"

// There is no header of it.
extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* me, const int* first, const int* ranks);
void descinit_(int* descriptor, const int* m, const int* n, const int* row_block,
               const int* column_block, const int* first_row, const int* first_column,
               const int* context, const int* stride, int* info);
void pdpotrf_(const char* part, const int* n, double* a, const int* i, const int* j,
              const int* descriptor, int* info);
void pdpotrs_(const char* part, const int* n, const int* columns, const double* a, const int* i,
              const int* j, const int* descriptor, double* b, const int* b_i, const int* b_j,
              const int* b_descriptor, int* info);
}

namespace {

using Descriptor = std::array<int, 9>;
constexpr int zero = 0;
constexpr int one = 1;

// Those of n that a rank of so many has.
std::vector<std::size_t> dealt(int n, int block, int me, int ranks) {
  std::vector<std::size_t> mine;
  for (int begin = me * block; begin < n; begin += ranks * block)
    for (int i = begin; i < std::min(n, begin + block); ++i)
      mine.push_back(static_cast<std::size_t>(i));
  return mine;
}

class Scalapack final : public mercer::comm::DenseSystem {
 public:
  explicit Scalapack(std::size_t n) {
    if (n > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw mercer::Error("a matrix of " + std::to_string(n) + " rows is too large for ScaLAPACK");
    n_ = static_cast<int>(n);
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    // As square as it can be.
    grid_rows_ = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
    while (ranks % grid_rows_ != 0) --grid_rows_;
    grid_columns_ = ranks / grid_rows_;
    Cblacs_get(-1, 0, &context_);
    Cblacs_gridinit(&context_, "Row", grid_rows_, grid_columns_);
    int unused_rows = 0;
    int unused_columns = 0;
    Cblacs_gridinfo(context_, &unused_rows, &unused_columns, &row_, &column_);
    rows_ = dealt(n_, block, row_, grid_rows_);
    columns_ = dealt(n_, block, column_, grid_columns_);
    if (rows_.size() * columns_.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw mercer::Error(
          "the part of a rank has more numbers than ScaLAPACK can count (2^31): use "
          "more ranks");
    part_.resize(rows_.size() * columns_.size());
    stride_ = std::max(1, static_cast<int>(rows_.size()));
    descriptor_ = described(n_, stride_);
  }
  Scalapack(const Scalapack&) = delete;
  Scalapack& operator=(const Scalapack&) = delete;
  ~Scalapack() override { Cblacs_gridexit(context_); }

  [[nodiscard]] const std::vector<std::size_t>& rows() const override { return rows_; }
  [[nodiscard]] const std::vector<std::size_t>& columns() const override { return columns_; }
  [[nodiscard]] double* part() override { return part_.data(); }

  bool factor() override {
    int info = 0;
    pdpotrf_("L", &n_, part_.data(), &one, &one, descriptor_.data(), &info);
    if (info < 0) throw mercer::Error("ScaLAPACK refuses argument " + std::to_string(-info));
    return info == 0;
  }

  void solve(std::span<double> B, std::size_t width) override {
    const int w = static_cast<int>(width);
    const auto here = dealt(w, block, column_, grid_columns_);
    std::vector<double> b(std::max<std::size_t>(1, rows_.size() * here.size()));
    for (std::size_t c = 0; c < here.size(); ++c)
      for (std::size_t r = 0; r < rows_.size(); ++r)
        b[c * rows_.size() + r] = B[rows_[r] * width + here[c]];
    const Descriptor right = described(w, stride_);
    int info = 0;
    pdpotrs_("L", &n_, &w, part_.data(), &one, &one, descriptor_.data(), b.data(), &one, &one,
             right.data(), &info);
    if (info != 0) throw mercer::Error("ScaLAPACK refuses argument " + std::to_string(-info));
    // Each number is at one rank, and 0 at the others.
    std::ranges::fill(B, 0.0);
    for (std::size_t c = 0; c < here.size(); ++c)
      for (std::size_t r = 0; r < rows_.size(); ++r)
        B[rows_[r] * width + here[c]] = b[c * rows_.size() + r];
    constexpr std::size_t piece = std::size_t{1} << 27U;
    for (std::size_t at = 0; at < B.size(); at += piece)
      MPI_Allreduce(MPI_IN_PLACE, B.data() + at, static_cast<int>(std::min(piece, B.size() - at)),
                    MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }

  [[nodiscard]] std::string name() const override {
    return "ScaLAPACK on " + std::to_string(grid_rows_) + " × " + std::to_string(grid_columns_) +
           " ranks";
  }

 private:
  static constexpr int block = 64;

  // A matrix with so many columns and the rows of this one.
  [[nodiscard]] Descriptor described(int columns, int stride) const {
    Descriptor d{};
    int info = 0;
    descinit_(d.data(), &n_, &columns, &block, &block, &zero, &zero, &context_, &stride, &info);
    if (info != 0) throw mercer::Error("ScaLAPACK refuses argument " + std::to_string(-info));
    return d;
  }

  int n_ = 0;
  int context_ = 0;
  int grid_rows_ = 1;
  int grid_columns_ = 1;
  int row_ = 0;
  int column_ = 0;
  int stride_ = 1;
  std::vector<std::size_t> rows_;
  std::vector<std::size_t> columns_;
  std::vector<double> part_;
  Descriptor descriptor_{};
};

}  // namespace

extern "C" mercer::comm::DenseSystem* mercer_dense_system(std::size_t n) {
  return new Scalapack(n);  // NOLINT(cppcoreguidelines-owning-memory): the caller's
}
