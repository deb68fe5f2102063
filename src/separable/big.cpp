#include "separable/big.hpp"

#include <arb.h>

#include "proof/flint_thread.hpp"
#include "proof/fraction.hpp"

namespace mercer::separability {

Big::Big(const Rational& value) {
  fmpq_init(value_);
  proof::set(value_, value);
}

Big Big::exactly(double value) {
  proof::flint_gives_back();
  Big result;
  arf_t exact;
  arf_init(exact);
  arf_set_d(exact, value);
  arf_get_fmpq(result.value_, exact);
  arf_clear(exact);
  return result;
}

double Big::to_double() const {
  arf_t near;
  arf_init(near);
  arf_set_fmpq(near, value_, 64, ARF_RND_NEAR);
  const double result = arf_get_d(near, ARF_RND_NEAR);
  arf_clear(near);
  return result;
}

std::string Big::text() const {
  char* text = fmpq_get_str(nullptr, 10, value_);
  std::string result(text);
  flint_free(text);
  return result;
}

Rational Big::rounded(int digits) const {
  arb_t ball;
  arb_init(ball);
  arb_set_fmpq(ball, value_, 4 * digits + 64);
  char* text = arb_get_str(ball, digits, ARB_STR_NO_RADIUS);
  const auto result = Rational::from_decimal(text);
  flint_free(text);
  arb_clear(ball);
  return result.value_or(Rational(0));
}

BigVector::BigVector(const std::vector<Big>& values)
    : size_(values.size()), up_(_fmpz_vec_init(static_cast<slong>(values.size()))) {
  fmpz_init(down_);
  fmpz_one(down_);
  for (const auto& v : values) fmpz_lcm(down_, down_, fmpq_denref(v.get()));
  for (std::size_t i = 0; i < size_; ++i) {
    fmpz_divexact(up_ + i, down_, fmpq_denref(values[i].get()));
    fmpz_mul(up_ + i, up_ + i, fmpq_numref(values[i].get()));
  }
}

BigVector::BigVector(BigVector&& other) noexcept : size_(other.size_), up_(other.up_) {
  fmpz_init(down_);
  fmpz_swap(down_, other.down_);
  other.size_ = 0;
  other.up_ = nullptr;
}

BigVector::~BigVector() {
  if (up_ != nullptr) _fmpz_vec_clear(up_, static_cast<slong>(size_));
  fmpz_clear(down_);
}

Big BigVector::at(std::size_t i) const {
  Big result;
  fmpq_set_fmpz_frac(result.get(), up_ + i, down_);
  return result;
}

std::vector<Big> combination(const std::vector<const BigVector*>& vectors,
                             const std::vector<Big>& weights) {
  std::vector<Big> scaled;
  for (std::size_t j = 0; j < vectors.size(); ++j) {
    scaled.push_back(weights[j]);
    fmpq_div_fmpz(scaled.back().get(), scaled.back().get(), vectors[j]->down_);
  }
  const BigVector factors(scaled);
  const std::size_t n = vectors.empty() ? 0 : vectors[0]->size_;
  std::vector<Big> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    fmpz* total = fmpq_numref(result[i].get());
    for (std::size_t j = 0; j < vectors.size(); ++j)
      fmpz_addmul(total, factors.up_ + j, vectors[j]->up_ + i);
    fmpz_set(fmpq_denref(result[i].get()), factors.down_);
    fmpq_canonicalise(result[i].get());
  }
  return result;
}

std::optional<std::vector<Big>> BigMatrix::solve(const std::vector<Big>& right) const {
  const slong n = fmpq_mat_nrows(value_);
  fmpq_mat_t b;
  fmpq_mat_t x;
  fmpq_mat_init(b, n, 1);
  fmpq_mat_init(x, n, 1);
  for (slong i = 0; i < n; ++i)
    fmpq_set(fmpq_mat_entry(b, i, 0), right[static_cast<std::size_t>(i)].get());
  const bool solved = fmpq_mat_solve(x, value_, b) != 0;
  std::vector<Big> result(static_cast<std::size_t>(n));
  for (slong i = 0; i < n; ++i)
    fmpq_set(result[static_cast<std::size_t>(i)].get(), fmpq_mat_entry(x, i, 0));
  fmpq_mat_clear(b);
  fmpq_mat_clear(x);
  if (!solved) return std::nullopt;
  return result;
}

std::optional<std::vector<Big>> BigMatrix::null_vector() const {
  const slong rows = fmpq_mat_nrows(value_);
  const slong columns = fmpq_mat_ncols(value_);
  fmpq_mat_t reduced;
  fmpq_mat_init(reduced, rows, columns);
  const slong rank = fmpq_mat_rref(reduced, value_);
  std::optional<std::vector<Big>> result;
  if (rank < columns) {
    // The first column without a pivot is a combination of the pivots' columns before it.
    std::vector<slong> pivots;
    slong open = 0;
    while (static_cast<slong>(pivots.size()) < rank &&
           fmpq_is_zero(fmpq_mat_entry(reduced, static_cast<slong>(pivots.size()), open)) == 0) {
      pivots.push_back(open);
      ++open;
    }
    result.emplace(static_cast<std::size_t>(columns));
    (*result)[static_cast<std::size_t>(open)] = Big(1);
    for (std::size_t r = 0; r < pivots.size(); ++r)
      fmpq_neg((*result)[static_cast<std::size_t>(pivots[r])].get(),
               fmpq_mat_entry(reduced, static_cast<slong>(r), open));
  }
  fmpq_mat_clear(reduced);
  return result;
}

IntegerMatrix::IntegerMatrix(std::size_t rows,
                             const std::vector<const std::vector<Rational>*>& columns) {
  fmpz_mat_init(value_, static_cast<slong>(rows), static_cast<slong>(columns.size()));
  std::vector<Big> all;
  for (const auto* column : columns)
    for (const auto& r : *column) all.emplace_back(r);
  fmpz_t common;
  fmpz_init_set_ui(common, 1);
  for (const auto& b : all) fmpz_lcm(common, common, fmpq_denref(b.get()));
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::size_t i = 0; i < rows; ++i) {
      fmpz* entry = fmpz_mat_entry(value_, static_cast<slong>(i), static_cast<slong>(j));
      const Big& b = all[j * rows + i];
      fmpz_divexact(entry, common, fmpq_denref(b.get()));
      fmpz_mul(entry, entry, fmpq_numref(b.get()));
    }
  fmpz_clear(common);
}

std::vector<Big> IntegerMatrix::products(std::size_t i) const {
  const slong rows = fmpz_mat_nrows(value_);
  const slong columns = fmpz_mat_ncols(value_);
  std::vector<Big> result(static_cast<std::size_t>(rows));
  for (slong k = 0; k < rows; ++k) {
    fmpz* total = fmpq_numref(result[static_cast<std::size_t>(k)].get());
    for (slong j = 0; j < columns; ++j)
      fmpz_addmul(total, fmpz_mat_entry(value_, static_cast<slong>(i), j),
                  fmpz_mat_entry(value_, k, j));
  }
  return result;
}

}  // namespace mercer::separability
