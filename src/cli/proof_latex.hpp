// Proofs and refutations for TeX.
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/proof.hpp>
#include <string>

namespace mercer::cli {

// Paragraphs that can be pasted into a document with amsmath and amssymb. `where` is the scope in
// words: " on R in every dimension".
std::string as_latex(const Verdict& verdict, const Kernel& k, const ProofOptions& options);

// Words with a few mathematical characters, as TeX.
std::string latex_text(std::string_view text);

}  // namespace mercer::cli
