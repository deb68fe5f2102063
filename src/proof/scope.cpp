#include "proof/scope.hpp"

#include "kernel/form.hpp"

namespace mercer::proof {

std::vector<std::uint32_t> dimensions(const Expr& e, std::optional<std::uint32_t> dimension) {
  if (e->as_number) return {1};
  if (dimension) return {*dimension};
  const std::uint32_t least = e->least_dimension;
  if (!algebra::depends_on_dimension(e)) return {least};
  return {least, least + 1, least + 2};
}

}  // namespace mercer::proof
