#include "numeric/eigen.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>

#include "base/parallel.hpp"
#include "numeric/lapack.hpp"

namespace mercer::numeric {

namespace {

constexpr std::size_t block = 48;  // reflections together

// A ← Qᵀ A Q tridiagonal, Q = H_0 H_1 …, H_i = I - τ_i v_i v_iᵀ. Row i of A keeps v_i right of its
// diagonal (v_i is zero up to i, and 1 at i + 1, which is kept, too). Householder's method in
// blocks as in LAPACK's dsytrd: with V and W of the reflections so far, the matrix is A - V Wᵀ - W
// Vᵀ.
class Tridiagonal {
 public:
  Tridiagonal(double* A, std::size_t n, const How& how)
      : A_(A),
        n_(n),
        how_(how),
        micro_(micro<double>(how.instructions)),
        diagonal(n),
        beside(n),
        tau(n) {
    for (std::size_t begin = 0; begin + 1 < n; begin += block) reduce(begin);
    if (n > 0) diagonal[n - 1] = at(n - 1, n - 1);
  }

 private:
  double* A_;
  std::size_t n_;
  How how_;
  const Micro<double>& micro_;
  std::vector<double> W_;  // rows: w of each reflection of the block

  double& at(std::size_t i, std::size_t j) { return A_[i * n_ + j]; }

  void reduce(std::size_t begin) {
    const std::size_t end = std::min(n_ - 1, begin + block);
    W_.assign((end - begin) * n_, 0.0);
    for (std::size_t i = begin; i < end; ++i) {
      bring_up_to_date(begin, i);
      diagonal[i] = at(i, i);
      reflect(i);
      if (tau[i] != 0) make_w(begin, i);
    }
    // The rest: A -= V Wᵀ + W Vᵀ, in the upper triangle.
    const std::size_t rest = n_ - end;
    const std::size_t count = end - begin;
    Aligned<double> both(2 * count * rest);   // V | W
    Aligned<double> other(2 * count * rest);  // W | V
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t j = 0; j < rest; ++j) {
        both[r * rest + j] = at(begin + r, end + j);
        both[(count + r) * rest + j] = W_[r * n_ + end + j];
        other[r * rest + j] = W_[r * n_ + end + j];
        other[(count + r) * rest + j] = at(begin + r, end + j);
      }
    multiply_add(View<double>{both.data(), 2 * count, rest, rest, 1}.transposed(),
                 View<double>{other.data(), 2 * count, rest, rest, 1}, -1.0, &at(end, end), n_,
                 Part::upper, how_);
  }

  // Row i from its diagonal on, less what the reflections of the block take off.
  void bring_up_to_date(std::size_t begin, std::size_t i) {
    for (std::size_t r = begin; r < i; ++r) {
      const double v = at(r, i);
      const double w = W_[(r - begin) * n_ + i];
      for (std::size_t j = i; j < n_; ++j) at(i, j) -= v * W_[(r - begin) * n_ + j] + w * at(r, j);
    }
  }

  // The reflection that leaves of row i only the diagonal and its neighbour.
  void reflect(std::size_t i) {
    double largest = 0;
    for (std::size_t j = i + 1; j < n_; ++j) largest = std::max(largest, std::abs(at(i, j)));
    double rest = 0;  // relative to the largest: nothing over- or underflows
    for (std::size_t j = i + 2; j < n_; ++j) rest += (at(i, j) / largest) * (at(i, j) / largest);
    if (largest == 0 || rest == 0) {
      beside[i] = at(i, i + 1);
      tau[i] = 0;
      std::fill(&at(i, i + 1), &at(i, 0) + n_, 0.0);
      return;
    }
    const double first = at(i, i + 1) / largest;
    const double norm = std::sqrt(first * first + rest);
    const double beta = first > 0 ? -norm : norm;
    beside[i] = beta * largest;
    tau[i] = (beta - first) / beta;
    const double scale = 1 / (largest * (first - beta));
    for (std::size_t j = i + 2; j < n_; ++j) at(i, j) *= scale;
    at(i, i + 1) = 1;
  }

  // w = τ (A v - V Wᵀ v - W Vᵀ v), less its part along v.
  void make_w(std::size_t begin, std::size_t i) {
    double* w = W_.data() + (i - begin) * n_;
    const double* v = A_ + i * n_;
    symmetric_product(i + 1, v, w);
    for (std::size_t r = begin; r < i; ++r) {
      const double* V = A_ + r * n_;
      const double* W = W_.data() + (r - begin) * n_;
      double wv = 0;
      double vv = 0;
      for (std::size_t j = i + 1; j < n_; ++j) {
        wv += W[j] * v[j];
        vv += V[j] * v[j];
      }
      for (std::size_t j = i + 1; j < n_; ++j) w[j] -= V[j] * wv + W[j] * vv;
    }
    double along = 0;
    for (std::size_t j = i + 1; j < n_; ++j) along += w[j] * v[j];
    const double half = tau[i] * along / 2;
    for (std::size_t j = i + 1; j < n_; ++j) w[j] = tau[i] * (w[j] - half * v[j]);
  }

  // to = A v for the square from `from` on, of which the upper triangle is right. Each share of the
  // rows sums into memory of its own; the shares do not depend on the threads.
  void symmetric_product(std::size_t from, const double* v, double* to) {
    const std::size_t size = n_ - from;
    const std::size_t shares = std::clamp<std::size_t>(size / 128, 1, 16);
    sums_.assign(shares * size, 0.0);
    const auto first_row = [&](std::size_t s) {
      // equal areas of the triangle
      const double left = std::sqrt(1 - static_cast<double>(s) / static_cast<double>(shares));
      const auto row = static_cast<std::size_t>(static_cast<double>(size) * (1 - left));
      return s == shares ? size : row;
    };
    parallel_for(shares, how_.threads, [&](std::size_t s) {
      double* sum = sums_.data() + s * size;
      for (std::size_t i = first_row(s); i < first_row(s + 1); ++i) {
        const double* row = A_ + (from + i) * n_ + from;
        const double x = v[from + i];
        sum[i] += row[i] * x;
        if (i + 1 < size)
          sum[i] += micro_.dot_and_add(size - i - 1, row + i + 1, v + from + i + 1, x, sum + i + 1);
      }
    });
    for (std::size_t j = 0; j < size; ++j) {
      double total = 0;
      for (std::size_t s = 0; s < shares; ++s) total += sums_[s * size + j];
      to[from + j] = total;
    }
  }

  std::vector<double> sums_;

 public:
  std::vector<double> diagonal;
  std::vector<double> beside;  // the entries next to the diagonal
  std::vector<double> tau;
};

// Rows of E are eigenvectors of the tridiagonal matrix: E ← E Qᵀ. A block of reflections is
// I - V T Vᵀ with T upper triangular (Schreiber and Van Loan, 1989).
void back(const double* A, std::size_t n, const std::vector<double>& tau, double* E,
          const How& how) {
  if (n < 2) return;
  for (std::size_t begin = (n - 2) / block * block;; begin -= block) {
    const std::size_t end = std::min(n - 1, begin + block);
    const std::size_t count = end - begin;
    const std::size_t size = n - begin - 1;  // columns that it touches
    Aligned<double> V(count * size);
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t j = 0; j < size; ++j)
        V[r * size + j] = j < r ? 0.0 : A[(begin + r) * n + begin + 1 + j];
    std::vector<double> T(count * count);
    for (std::size_t r = 0; r < count; ++r) {
      T[r * count + r] = tau[begin + r];
      std::vector<double> dots(r);
      for (std::size_t k = 0; k < r; ++k)
        for (std::size_t j = r; j < size; ++j) dots[k] += V[k * size + j] * V[r * size + j];
      for (std::size_t i = 0; i < r; ++i) {
        double sum = 0;
        for (std::size_t k = i; k < r; ++k) sum += T[i * count + k] * dots[k];
        T[i * count + r] = -tau[begin + r] * sum;
      }
    }
    // E (I - V T Vᵀ)ᵀ = E - (E V) Tᵀ Vᵀ
    Aligned<double> EV(n * count);
    std::fill_n(EV.data(), EV.size(), 0.0);
    const View<double> rows{V.data(), count, size, size, 1};
    multiply_add(View<double>{E + begin + 1, n, size, n, 1}, rows.transposed(), 1.0, EV.data(),
                 count, Part::all, how);
    Aligned<double> EVT(n * count);
    std::fill_n(EVT.data(), EVT.size(), 0.0);
    multiply_add(View<double>{EV.data(), n, count, count, 1},
                 View<double>{T.data(), count, count, count, 1}.transposed(), 1.0, EVT.data(),
                 count, Part::all, how);
    multiply_add(View<double>{EVT.data(), n, count, count, 1}, rows, -1.0, E + begin + 1, n,
                 Part::all, how);
    if (begin == 0) break;
  }
}

}  // namespace

Eigen eigen(double* A, std::size_t n, const How& how) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j)
      if (!std::isfinite(A[i * n + j]))
        throw Error("a matrix with an entry that is not finite has no eigenvalues");
  Eigen result;
  result.values.resize(n);
  result.vectors = Aligned<double>(n * n);
  if (n == 0) return result;
  Tridiagonal t(A, n, how);
  tridiagonal_eigenvectors(t.diagonal, t.beside, result.values.data(), result.vectors.data());
  back(A, n, t.tau, result.vectors.data(), how);
  return result;
}

}  // namespace mercer::numeric
