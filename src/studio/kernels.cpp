#include <mercer/error.hpp>
#include <mercer/features.hpp>
#include <mercer/proof.hpp>
#include <mercer/properties.hpp>

#include "studio/answers.hpp"

namespace mercer::studio {

namespace {

Json to_json(const KernelTree& tree) {
  Json json{{"label", tree.label}, {"text", tree.text}, {"children", Json::array()}};
  for (const auto& c : tree.children) json["children"].push_back(to_json(c));
  return json;
}

Json to_json(const Derivation& d) {
  Json json{{"rule", d.rule}, {"subject", d.subject.text}, {"claim", d.claim}, {"note", d.note}};
  for (const auto& rule : rules())
    if (rule.name == d.rule) json["statement"] = rule.statement;
  json["premises"] = Json::array();
  for (const auto& p : d.premises) json["premises"].push_back(to_json(p));
  return json;
}

}  // namespace

Json parsed(const Json& request) {
  const Kernel k = kernel_of(request);
  constexpr std::size_t few = 12;
  const Features f = features(k, 2, {.terms = 3, .coordinates = few});
  Json json{{"kernel", k.text()}, {"formula", k.formula()}, {"tree", to_json(k.tree())}};
  json["features"] = {{"kind", name_of(f.kind)},
                      {"count", f.count},
                      {"complete", f.complete},
                      {"reason", f.reason},
                      {"map", Json::array()}};
  for (std::size_t i = 0; i < f.map.coordinates.size(); ++i)
    json["features"]["map"].push_back(f.map.text(i));
  return json;
}

Json proved(const Json& request) {
  const Kernel k = kernel_of(request);
  ProofOptions how;
  how.dimension = 2;
  how.timeout = 3;
  const Verdict v = prove(k, how);
  Json json{{"kernel", k.text()}};
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
