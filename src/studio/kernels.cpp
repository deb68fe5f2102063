#include <mercer/domain.hpp>
#include <mercer/error.hpp>
#include <mercer/features.hpp>
#include <mercer/proof.hpp>
#include <mercer/properties.hpp>

#include "feature/text.hpp"
#include "studio/answers.hpp"
#include "studio/mathml.hpp"

namespace mercer::studio {

namespace {

std::string feature_latex(const FeatureMap& map, std::size_t i) {
  return feature::coordinate_latex(map.coordinates[i].expression());
}

Json to_json(const Derivation& d) {
  Json json{{"rule", d.rule},
            {"subject", d.subject.text},
            {"mathml", mathml(d.subject.latex)},
            {"claim", d.claim},
            {"note", d.note}};
  for (const auto& rule : rules())
    if (rule.name == d.rule) json["statement"] = rule.statement;
  json["premises"] = Json::array();
  for (const auto& p : d.premises) json["premises"].push_back(to_json(p));
  return json;
}

// Where x and z may be; what is wrong with it is not about a place in the kernel.
Domain domain_of(const std::string& text) {
  try {
    return Domain::parse(text);
  } catch (const ParseError& error) {
    throw Error("over " + text + ": " + error.details().message);
  }
}

}  // namespace

Json parsed(const Json& request) {
  const Kernel k = kernel_of(request);
  constexpr std::size_t few = 15;
  const Features f = features(k, 2, {.terms = 3, .coordinates = few});
  Json json{{"kernel", k.text()}, {"formula", k.formula()}, {"mathml", mathml(k.latex())}};
  json["features"] = {{"kind", name_of(f.kind)}, {"count", f.count},     {"complete", f.complete},
                      {"reason", f.reason},      {"map", Json::array()}, {"mathml", Json::array()}};
  for (std::size_t i = 0; i < f.map.coordinates.size(); ++i) {
    json["features"]["map"].push_back(f.map.text(i));
    json["features"]["mathml"].push_back(mathml(feature_latex(f.map, i)));
  }
  return json;
}

Json kernel_behind(const Json& request) {
  const FeatureMap map = FeatureMap::parse(text_in(request, "map", longest_kernel), 2);
  const KernelOfMap k = kernel_of(map);
  Json json{{"count", map.coordinates.size()},
            {"kernel", k.kernel.text()},
            {"formula", k.kernel.formula()},
            {"mathml", mathml(k.kernel.latex())},
            {"map", Json::array()}};
  for (std::size_t i = 0; i < map.coordinates.size(); ++i)
    json["map"].push_back(mathml(feature_latex(map, i)));
  return json;
}

Json proved(const Json& request) {
  const Kernel k = kernel_of(request);
  ProofOptions how;
  how.dimension = 2;
  how.timeout = 3;
  if (request.contains("over")) how.domain = domain_of(text_in(request, "over", 40));
  const Verdict v = prove(k, how);
  Json json{{"kernel", k.text()}, {"over", how.domain.text()}};
  switch (v.kind) {
    case Verdict::Kind::kernel:
      json["verdict"] = "kernel";
      json["proof"] = to_json(*v.derivation);
      break;
    case Verdict::Kind::not_a_kernel: {
      json["verdict"] = "not a kernel";
      const Witness& w = *v.witness;
      json["witness"] = {{"points", w.points},
                         {"coefficients", w.coefficients},
                         {"value", w.coefficients.empty() ? "" : w.value},
                         {"values", Json::array()}};
      if (w.coefficients.empty()) json["witness"]["values"] = {w.value_xz, w.value_zx};
      break;
    }
    case Verdict::Kind::unknown:
      json["verdict"] = "unknown";
      json["tried"] = v.tried;
      break;
  }
  return json;
}

}  // namespace mercer::studio
