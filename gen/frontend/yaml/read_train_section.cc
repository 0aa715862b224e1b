// Reads the section `train` of a graph.
#include <fmt/format.h>

#include <cmath>

#include "frontend/yaml/add_training.h"
#include "frontend/yaml/check_key_rows.h"
#include "support/c_names.h"
#include "support/parse_number.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr KeyRow kTrainKeys[] = {
    {"targets", YamlKind::map, false, "targets: {t: \"i64[N]\"}"},
    {"loss", YamlKind::scalar, true, "loss: mean(sq(y - t))"},
    {"optimizer", YamlKind::scalar, true, "optimizer: sgd(lr=0.1, momentum=0.9)"},
    {"schedule", YamlKind::scalar, false, "schedule: cosine(steps=1000)"},
    {"clip_norm", YamlKind::scalar, false, "clip_norm: 1.0"},
    {"clip_value", YamlKind::scalar, false, "clip_value: 0.5"},
    {"groups", YamlKind::sequence, false, "groups: [{parameters: [b1, b2], weight_decay: 0}]"},
    {"accumulate", YamlKind::scalar, false, "accumulate: 4"},
    {"average", YamlKind::scalar, false, "average: 0.999"},
    {"loss_scale", YamlKind::scalar, false, "loss_scale: dynamic"},
};

class SectionReader {
 public:
  SectionReader(const YamlNode& train, const std::vector<TrainedParameter>& trained, const OpSemantics& semantics,
                Diagnostics& diagnostics)
      : train_(train), semantics_(semantics), diagnostics_(diagnostics) {
    for (const TrainedParameter& p : trained) trained_.push_back(p.name);
  }

  Optimizer read() {
    Optimizer out;
    call("optimizer", read_optimizer, out.step);
    call("schedule", read_schedule, out.schedule);
    limit("clip_norm", out.clip_norm);
    limit("clip_value", out.clip_value);
    limit("average", out.average);
    if (out.average && *out.average >= 1) error(*train_.find("average"), "average is a number between 0 and 1");
    scale(out);
    if (const YamlNode* steps = train_.find("accumulate")) {
      out.accumulate = parse_number<int64_t>(steps->text).value_or(0);
      if (out.accumulate < 1) error(*steps, "accumulate is a number of steps, 1 or more");
    }
    const YamlNode* groups = train_.find("groups");
    for (const YamlNode& g : groups && !diagnostics_.has_errors() ? groups->items : std::vector<YamlNode>{})
      group(g, out);
    return out;
  }

 private:
  void error(const YamlNode& at, const std::string& message) { diagnostics_.error(Code::E0710, at.span, message); }

  template <class Reader, class To>
  void call(const char* key, const Reader& reader, To& to) {
    const YamlNode* n = train_.find(key);
    if (!n) return;
    const PlacedText text = placed_text(*n);
    try {
      to = reader(text.text, semantics_);
    } catch (const RecipeError& e) {
      const size_t at = std::min(e.offset, text.text.size());
      size_t end = at;
      while (end < text.text.size() && is_word(text.text[end])) ++end;
      diagnostics_.error(Code::E0710, text.span(at, std::max(end, std::min(at + 1, text.text.size()))), e.what());
    }
  }

  void limit(const char* key, std::optional<double>& limit) {
    const YamlNode* n = train_.find(key);
    if (!n) return;
    limit = parse_number<double>(n->text);
    if (!limit || !(*limit > 0)) error(*n, fmt::format("{} is a number above 0", key));
  }

  void scale(Optimizer& to) {
    constexpr double kFirst = 65536;
    const YamlNode* n = train_.find("loss_scale");
    if (!n) return;
    const double value = parse_number<double>(n->text).value_or(0);
    to.scale_follows = n->text == "dynamic";
    if (to.scale_follows) to.loss_scale = kFirst;
    else if (!(value > 0) || !std::isfinite(value)) error(*n, "loss_scale is dynamic, or a number above 0");
    else if (value == 1) error(*n, "a loss_scale of 1 has no effect; leave it out");
    else to.loss_scale = value;
  }

  /// Parameters for which the optimizer has other attributes.
  void group(const YamlNode& group, Optimizer& to) {
    const YamlNode* parameters = group.is_map() ? group.find("parameters") : nullptr;
    if (!parameters || !parameters->is_sequence())
      return error(group, "a group is written {parameters: [b1, b2], weight_decay: 0}");
    TrainingCall call = to.step;
    for (const YamlEntry& e : group.entries) {
      if (e.key.text == "parameters") continue;
      try {
        change_attribute(call, e.key.text, placed_text(e.value).text, semantics_);
      } catch (const RecipeError& problem) {
        error(e.key, problem.what());
      }
    }
    for (const YamlNode& name : parameters->items) add_to_group(name, call, to);
  }

  void add_to_group(const YamlNode& name, const TrainingCall& call, Optimizer& to) {
    if (!contains(trained_, name.text)) {
      error(name, fmt::format("no parameter '{}' is trained{}", name.text, or_did_you_mean(name.text, trained_)));
    } else if (!to.groups.emplace(name.text, call).second) {
      error(name, fmt::format("'{}' is in two groups", name.text));
    }
  }

  const YamlNode& train_;
  const OpSemantics& semantics_;
  Diagnostics& diagnostics_;
  std::vector<std::string> trained_;
};

}  // namespace

void check_train_keys(const YamlNode& train, Diagnostics& diagnostics) {
  check_key_rows(train, kTrainKeys, "train", Code::E0710, diagnostics);
}

Optimizer read_train_section(const YamlNode& train, const std::vector<TrainedParameter>& trained,
                             const OpSemantics& semantics, Diagnostics& diagnostics) {
  return SectionReader(train, trained, semantics, diagnostics).read();
}

}  // namespace tenon
