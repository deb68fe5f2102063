// Formulas as MathML, which browsers set by themselves: made of what the core prints for TeX.
#pragma once

#include <string>
#include <string_view>

namespace mercer::studio {

// "\frac{x_{1}}{2}" as <math>…</math>. Knows what Kernel::latex() and its kin write; anything
// else of TeX stands in it as text.
std::string mathml(std::string_view latex);

}  // namespace mercer::studio
