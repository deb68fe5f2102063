#include "cli/proof_latex.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "cli/statement.hpp"

namespace mercer::cli {

namespace {

struct Symbol {
  std::string_view from;
  std::string_view to;
};

constexpr std::array<Symbol, 37> symbols{{
    {">=", R"($\ge$)"},
    {"<=", R"($\le$)"},
    {"!=", R"($\ne$)"},
    {"Σ", R"($\sum$)"},
    {"Π", R"($\prod$)"},
    {"∫", R"($\int$)"},
    {"√", R"($\surd$)"},
    {"φ", R"($\varphi$)"},
    {"ψ", R"($\psi$)"},
    {"κ", R"($\kappa$)"},
    {"θ", R"($\theta$)"},
    {"π", R"($\pi$)"},
    {"ν", R"($\nu$)"},
    {"Γ", R"($\Gamma$)"},
    {"²", R"($^2$)"},
    {"³", R"($^3$)"},
    {"ᵀ", R"($^{\mathsf T}$)"},
    {"·", R"($\cdot$)"},
    {"×", R"($\times$)"},
    {"∞", R"($\infty$)"},
    {"½", R"($\tfrac12$)"},
    {"±", R"($\pm$)"},
    {"…", R"(\ldots{})"},
    {"≥", R"($\ge$)"},
    {"≤", R"($\le$)"},
    {"_", R"(\_)"},
    {"^", R"(\^{})"},
    {"&", R"(\&)"},
    {"%", R"(\%)"},
    {"#", R"(\#)"},
    {"$", R"(\$)"},
    {"{", R"(\{)"},
    {"}", R"(\})"},
    {"~", R"(\~{})"},
    {"\\", R"(\textbackslash{})"},
    {"|", R"($|$)"},
    {"<", R"($<$)"},
}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_index(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

// The end of what stands raised or lowered from `at`: (…), or letters and digits.
std::size_t end_of_script(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] == '(') {
    const auto close = text.find(')', at);
    return close == std::string_view::npos ? at : close + 1;
  }
  while (at < text.size() && is_index(text[at])) ++at;
  return at;
}

std::string script(std::string_view mark, std::string_view inner) {
  if (inner.size() > 2 && inner.front() == '(') inner = inner.substr(1, inner.size() - 2);
  return "$" + std::string(mark) + "{" + std::string(inner) + "}$";
}

std::string domain_latex(const Domain& domain) {
  std::string text = domain.text();
  static const std::map<std::string, std::string> known{
      {"R", R"(\mathbb{R})"}, {"R+", R"([0,\infty))"}, {"R++", R"((0,\infty))"},
      {"Z", R"(\mathbb{Z})"}, {"N", R"(\mathbb{N})"},  {"sphere", R"(\text{the unit sphere})"}};
  if (const auto found = known.find(text); found != known.end()) return found->second;
  if (domain.kind() == Domain::Kind::ball)
    return R"(\text{the ball of radius })" + text.substr(5, text.size() - 6);
  if (domain.kind() == Domain::Kind::finite)
    return R"(\{)" + text.substr(1, text.size() - 2) + R"(\})";
  return text;
}

std::string scope(const Kernel& k, const ProofOptions& options) {
  std::string text = " on $" + domain_latex(options.domain) + "$";
  if (options.dimension) return text + " in dimension " + std::to_string(*options.dimension);
  if (k.only_dimension_one()) return text;
  return text + " in every dimension" +
         (k.least_dimension() > 1 ? " from " + std::to_string(k.least_dimension()) : "");
}

// c1 is c_1, words stay upright.
std::string name(const std::string& given) {
  const auto digits = given.find_first_of("0123456789");
  if (digits != std::string::npos && digits > 0 && given.find('(') == std::string::npos)
    return given.substr(0, digits) + "_{" + given.substr(digits) + "}";
  const bool word = given.size() > 1 && std::ranges::all_of(given, is_letter);
  return word ? R"(\text{)" + given + "}" : given;
}

class Steps {
 public:
  std::size_t add(const Derivation& step) {
    const std::string key = step.subject.text + "\n" + step.claim;
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    std::string rests;
    for (std::size_t i = 0; i < step.premises.size(); ++i) {
      const std::size_t n = add(step.premises[i]);
      const char* joint = i == 0 ? " from " : i + 1 == step.premises.size() ? " and " : ", ";
      rests += joint + ("(" + std::to_string(n) + ")");
    }
    std::string text = "  \\item[(" + std::to_string(known_.size() + 1) + ")] $" +
                       step.subject.latex + "$ " + step.claim + R"(, by \emph{)" +
                       latex_text(step.rule) + "}" + rests;
    std::string with;
    for (const auto& p : step.with)
      with += (with.empty() ? "" : ", ") + ("$" + name(p.name) + " = " + p.value.latex + "$");
    if (!with.empty()) text += " with " + with;
    if (!step.note.empty()) text += " (" + latex_text(step.note) + ")";
    items_ += text + ".\n";
    if (std::ranges::find(rules_, step.rule) == rules_.end()) rules_.push_back(step.rule);
    return known_[key] = known_.size() + 1;
  }

  [[nodiscard]] const std::string& items() const { return items_; }

  [[nodiscard]] std::string rules_used() const {
    std::string text;
    for (const auto& rule : rules())
      if (std::ranges::find(rules_, rule.name) != rules_.end())
        text += "  \\item[" + latex_text(rule.name) + ".] " + latex_text(rule.statement) + " (" +
                latex_text(rule.source) + ".)\n";
    return text;
  }

 private:
  std::map<std::string, std::size_t> known_;
  std::string items_;
  std::vector<std::string> rules_;
};

std::string fraction(const std::string& text) {
  const auto bar = text.find('/');
  if (bar == std::string::npos) return text;
  const bool negative = text[0] == '-';
  return (negative ? "-" : "") +
         (R"(\tfrac{)" + text.substr(negative ? 1 : 0, bar - (negative ? 1 : 0))) + "}{" +
         text.substr(bar + 1) + "}";
}

std::string point(std::vector<std::string> coordinates) {
  for (auto& c : coordinates) c = fraction(c);
  return point_text(coordinates);
}

std::string number(const Witness& w, const std::string& value) {
  if (w.exact) return "= " + fraction(value);
  // "[-0.25 +/- 3e-40]"
  std::string middle = value.substr(1, value.find(' ') - 1);
  if (const auto e = middle.find('e'); e != std::string::npos)
    middle = middle.substr(0, e) + R"( \cdot 10^{)" + middle.substr(e + 1) + "}";
  return R"(\approx )" + middle;
}

std::string refutation(const Witness& w) {
  if (w.coefficients.empty())
    return "It is not symmetric: at $x = " + point(w.points[0]) + "$, $z = " + point(w.points[1]) +
           "$ we have $k(x,z) " + number(w, w.value_xz) + "$ but $k(z,x) " + number(w, w.value_zx) +
           "$.";
  std::string rows;
  for (std::size_t i = 0; i < w.points.size(); ++i)
    rows += "  " + std::to_string(i + 1) + " & $" + point(w.points[i]) + "$ & $" +
            fraction(w.coefficients[i]) + "$ \\\\\n";
  return "For the points and coefficients\n\\begin{center}\n\\begin{tabular}{rrr}\n  $i$ & $x_i$ & "
         "$a_i$ \\\\ \\hline\n" +
         rows + "\\end{tabular}\n\\end{center}\nwe have\n\\[\n  \\sum_{i,j} a_i a_j k(x_i,x_j) " +
         number(w, w.value) + " < 0 .\n\\]" +
         (w.exact ? "" : "\nThe value is certified in ball arithmetic.");
}

constexpr const char* end_mark = " \\hfill$\\square$";

}  // namespace

std::string latex_text(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if ((text[i] == '_' || text[i] == '^') && i > 0 && i + 1 < text.size()) {
      const std::size_t end = end_of_script(text, i + 1);
      if (end > i + 1) {
        result += script(text.substr(i, 1), text.substr(i + 1, end - i - 1));
        i = end;
        continue;
      }
    }
    const auto found = std::ranges::find_if(
        symbols, [&](const Symbol& s) { return text.substr(i).starts_with(s.from); });
    if (found == symbols.end()) {
      result += text[i++];
    } else {
      result += found->to;
      i += found->from.size();
    }
  }
  return result;
}

std::string as_latex(const Verdict& verdict, const Kernel& k, const ProofOptions& options) {
  const std::string head = "\\paragraph{Claim.} $k(x,z) = " + k.latex() + "$ ";
  switch (verdict.kind) {
    case Verdict::Kind::kernel: {
      Steps steps;
      steps.add(*verdict.derivation);
      return head + "is a kernel" + scope(k, options) + ".\n\n\\paragraph{Proof.}\n" +
             "\\begin{itemize}\n" + steps.items() + "\\end{itemize}\n" +
             "The last step is the claim." + end_mark + "\n\n\\paragraph{Rules.}\n" +
             "\\begin{description}\n" + steps.rules_used() + "\\end{description}";
    }
    case Verdict::Kind::not_a_kernel:
      return head + "is not a kernel on $" + domain_latex(options.domain) + "$ in dimension " +
             std::to_string(verdict.witness->dimension) + ".\n\n\\paragraph{Proof.} " +
             refutation(*verdict.witness) + end_mark;
    case Verdict::Kind::unknown:
      break;
  }
  return "% Whether $k(x,z) = " + k.latex() + "$ is a kernel" + scope(k, options) + " is unknown.";
}

}  // namespace mercer::cli
