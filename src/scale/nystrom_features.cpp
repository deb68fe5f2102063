// Nyström's features, written out.
#include <algorithm>
#include <mercer/error.hpp>
#include <mercer/nystrom.hpp>

#include "numeric/cholesky.hpp"
#include "scale/centres.hpp"
#include "scale/crew.hpp"
#include "scale/factor.hpp"
#include "scale/solve.hpp"

namespace mercer {

NystromFeatures nystrom_features(const Kernel& k, const Points& x, const NystromOptions& options) {
  const std::size_t n = x.rows();
  if (n == 0) throw Error("there are no points to take centres from");
  const std::vector<double> nothing(n);  // the choice of centres does not look at labels
  scale::Examples mine{.points = x, .first = 0, .all = n, .columns = 1};
  mine.numbers = nothing;
  scale::Crew crew(comm::alone(), mine);
  const scale::Centres centres = scale::choose_centres(crew, k, options);
  const scale::Factor factor(k, centres.points, scale::dependence(options.gram),
                             {options.gram.threads, options.gram.instructions});
  if (factor.size() == 0) throw Error("the kernel is 0 at every centre: there are no features");
  NystromFeatures f;
  f.kernel = k;
  f.left_out = centres.points.rows() - factor.size();
  f.centres = f.left_out == 0 ? centres.points : centres.points.select(factor.kept());
  if (!centres.rows.empty())
    for (const std::size_t j : factor.kept()) f.rows.push_back(centres.rows[j]);
  f.L = factor.matrix();
  return f;
}

Points NystromFeatures::map(const Points& x, const GramOptions& gram) const {
  const std::size_t m = size();
  GramOptions how = gram;
  how.storage = GramOptions::Storage::recomputed;
  const numeric::How threads{gram.threads, gram.instructions};
  std::vector<double> phi(x.rows() * m);
  if (phi.empty()) return Points::own(std::move(phi), x.rows(), m);
  const Gram K(kernel, centres, x, how);
  constexpr std::size_t together = 1024;
  std::vector<double> B(m * std::min(together, x.rows()));
  for (std::size_t begin = 0; begin < x.rows(); begin += together) {
    const std::size_t now = std::min(together, x.rows() - begin);
    K.block(Rows::all(), Rows(begin, begin + now), B.data(), now);
    numeric::solve_lower(L.values.data(), m, m, B.data(), now, now, threads);
    for (std::size_t i = 0; i < now; ++i)
      for (std::size_t j = 0; j < m; ++j) phi[(begin + i) * m + j] = B[j * now + i];
  }
  return Points::own(std::move(phi), x.rows(), m);
}

}  // namespace mercer
