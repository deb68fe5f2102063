// All ranks together, each with its examples: what a solver at rank 0 asks of them.
//
// Rank 0 holds what the solver knows, of size m; the others serve: they wait for an order, compute
// with their own rows, and send back sums of size m. No rows travel but the few that are asked for
// by number, and those of a sample, which are spread anew: what they know is of size m², and
// travels once. A mistake of any rank becomes the exception of rank 0, the one of the lowest row.
//
//     Crew crew(comm, mine);
//     if (comm.rank() != 0) return crew.serve();
//     …
//     crew.dismiss();          // or the destructor
#pragma once

#include <cstddef>
#include <mercer/gram.hpp>
#include <mercer/kernel.hpp>
#include <mercer/matrix.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "scale/basis.hpp"
#include "scale/examples.hpp"
#include "scale/journal.hpp"
#include "scale/sample.hpp"

namespace mercer::scale {

// Of passes over the hinge, see Crew::Pass.
struct PassOptions {
  std::vector<std::size_t> columns = {};  // of y, which V is about
  std::vector<double> widths = {};        // of the corner, for each of these columns
  std::vector<double> offsets = {};       // for each column of V; empty: none
  std::size_t sample = 0;                 // so many rows in the corner are named, at most
};

class Crew {
 public:
  Crew(const comm::Comm& comm, const Examples& mine);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  // ---- rank 0

  [[nodiscard]] std::size_t rows() const { return mine_.all; }
  [[nodiscard]] const Examples& mine() const { return mine_; }
  [[nodiscard]] std::size_t width() const { return mine_.columns; }
  [[nodiscard]] double entries_per_row() const { return entries_; }  // that are not zero

  struct Chosen {
    Points points;
    Matrix y;
    std::vector<double> weights;
  };
  // These rows, ascending, of all ranks together.
  Chosen fetch(const std::vector<std::size_t>& rows);

  // K are the values of this basis at the rows from now on.
  void set_basis(const Basis& basis, const GramOptions& gram);
  // These rows, ascending, do not count from now on.
  void leave_out(const std::vector<std::size_t>& rows);

  enum class Pass {
    residual,  // Kᵀ C (y - K V), and Σ c (y - K V)²
    normal,    // Kᵀ C K V
    start,     // Kᵀ C (y - K V), then Kᵀ C y; Σ c (y - K V)² and Σ c y²
    gradient,  // Kᵀ C y/(1 + exp(y K V)), and Σ c log(1 + exp(-y K V))
    hessian,   // Kᵀ C H K P for V = [α, P], H_i = s(1 - s), s = 1/(1 + exp(-(K α)_i))
    // Of the hinge whose corner has this width, t = 1 - y (K V + b), a = c h'(t): Kᵀ a y, and with
    // offsets first of y = 1 for all columns, then of y = -1. Tallies: see HingeTally.
    hinge,
    corner,  // Kᵀ C H (K P + p) for V = [α, P], offsets [b, p]; tallies: 1ᵀ C H (K P + p)
  };
  // What `hinge` sums up for each column: Σ c h(t), Σ c max(0, t), Σ c max(0, t) - a t, Σ a over
  // y = 1 and over y = -1, and Σ c of rows in the corner.
  enum HingeTally : std::size_t { rounded, exact, rounding, plus, minus, in_corner, tally_count };
  struct Sums {
    Matrix product;  // m × columns; of `start`, or `hinge` with offsets, twice that
    double loss = 0;
    std::vector<double> tallies;  // the loss first
    // Of `hinge`, for each column: rows in the corner, ascending. All of them where they are fewer
    // than `sample`, else as if drawn by lot, whoever has them.
    std::vector<std::vector<std::size_t>> corner;
  };
  Sums pass(Pass kind, const Matrix& V, const PassOptions& options = {});
  [[nodiscard]] std::size_t passes() const { return passes_; }
  // Passes are answered from there as far as it goes, and kept there.
  void use(Journal& journal) { journal_ = &journal; }

  // All blocks of the sample but the first are added, by all ranks. After set_basis.
  void add_sample(const SampleRows& rows, Triangle& to, Matrix& right);

  // Of all rows, what is to be learned of them and their weights; the same for any number of ranks.
  std::uint64_t checksum();

  void dismiss();

  // ---- the others

  void serve();

 private:
  enum class Order : std::int32_t {
    fetch,
    centres,
    leave_out,
    pass,
    sample,
    checksum,
    complain,
    end
  };
  struct Failure {
    std::size_t row = 0;
    std::string what;
    bool evaluation = false;
  };

  // What this rank has to say to an order; sums go to rank 0.
  std::string obey(const std::string& order, comm::WideSums& sums);
  std::string carry_out(const std::string& order, comm::WideSums& sums);
  std::vector<double> ask(const std::string& order, std::size_t count,
                          std::vector<std::string>* answers = nullptr);
  [[noreturn]] void complain();
  // The share of this rank in a sample; and the sums of all triangles, to rank 0's.
  void add_share(const SampleRows& rows, Triangle& to, Matrix& right) const;
  void add_up();

  [[nodiscard]] std::size_t columns(const PassOptions& options) const;
  [[nodiscard]] std::size_t back_columns(Pass kind, const PassOptions& options) const;
  [[nodiscard]] std::size_t tallies(Pass kind, const PassOptions& options) const;
  // Returns the rows in the corner, of each column those that are drawn first.
  std::vector<std::vector<std::size_t>> pass_over(Pass kind, const Matrix& V,
                                                  const PassOptions& options,
                                                  comm::WideSums& sums) const;
  [[nodiscard]] BasisValues values_of(std::size_t block, bool keep) const;
  void keep_values();
  [[nodiscard]] Chosen rows_here(std::span<const std::size_t> rows) const;
  [[nodiscard]] std::string checksums_of_blocks() const;
  [[nodiscard]] bool left_out(std::size_t row) const;

  const comm::Comm& comm_;
  const Examples& mine_;
  double entries_ = 0;
  std::vector<std::size_t> borders_;  // of the blocks of rows here: where each begins, and the end
  Basis basis_;
  GramOptions gram_;
  std::vector<BasisValues> kept_;  // of each block, where there is memory for them
  std::vector<std::size_t> out_;
  std::optional<Failure> failure_;
  std::optional<Triangle> own_triangle_;
  Triangle* triangle_ = nullptr;  // while a sample is added
  Matrix own_right_;
  Matrix* right_ = nullptr;  // likewise
  std::size_t passes_ = 0;
  Journal* journal_ = nullptr;
  bool dismissed_ = false;
};

}  // namespace mercer::scale
