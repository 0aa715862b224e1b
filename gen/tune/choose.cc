// Reads profiles and finds winners.
#include <algorithm>
#include <memory>

#include "support/parse_number.h"
#include "support/yaml_document.h"
#include "tune/tune.h"

namespace tenon {
namespace {

constexpr double kLeastGain = 1.03, kLeastShare = 0.75;

std::optional<double> number_of(const YamlNode* node) { return node ? parse_number<double>(node->text) : std::nullopt; }

}  // namespace

bool add_profile(const std::string& json, KernelTimes& times) {
  const auto documents = read_yaml(std::make_shared<const SourceFile>("profile", json));  // JSON is YAML
  if (!documents.ok() || documents.value().empty() || !documents.value()[0].is_map()) return false;
  const YamlNode* kernels = documents.value()[0].find("kernels");
  if (kernels == nullptr || !kernels->is_sequence()) return false;
  std::map<std::string, double> round;
  for (const YamlNode& k : kernels->items) {
    const auto us = k.is_map() ? number_of(k.find("us")) : std::nullopt;
    if (!us) return false;
    round[k.find("kernel")->text] += *us;
  }
  for (const auto& [name, us] : round) times[name].push_back(us);
  return true;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::optional<Win> find_win(const std::vector<std::vector<double>>& us) {
  if (us.empty() || us[0].empty()) return std::nullopt;
  const double before = median(us[0]);
  std::optional<Win> best;
  for (size_t p = 1; p < us.size(); ++p) {
    const size_t rounds = std::min(us[p].size(), us[0].size());
    const double now = median(us[p]);
    if (rounds == 0 || now <= 0 || before / now < kLeastGain) continue;
    size_t faster = 0;
    for (size_t r = 0; r < rounds; ++r) faster += us[p][r] < us[0][r];
    if (static_cast<double>(faster) < kLeastShare * static_cast<double>(rounds)) continue;
    if (!best || before / now > best->gain) best = Win{p, before / now};
  }
  return best;
}

}  // namespace tenon
