// Recognises products that are scattered, or whose operands are gathered, and splits them.
#include <map>

#include "algebra/contraction.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/variants.h"
#include "lower/lower_parts.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The size that is extent number `at` of the result of all statements; "" where they differ.
std::string common_extent(const Kernel& k, size_t at) {
  std::string size;
  for (const KernelStatement& s : k.body) {
    const Tensor& t = k.tensor(s.target);
    const auto* extent = at >= t.dims.size() ? nullptr : std::get_if<SizeRef>(&t.dims[at]->node);
    if (!extent || (!size.empty() && size != extent->name)) return "";
    size = extent->name;
  }
  return size;
}

bool is_size(const Expr& e, const std::string& size) {
  const auto* s = std::get_if<SizeRef>(&e->node);
  return s && s->name == size;
}

/// Whether every value of the variable that a size is the extent of has elements of its own of all tensors that have
/// this extent, and nothing else depends on the variable or the size.
class OneByOne {
 public:
  /// `around`: sizes that the statements are repeated over already.
  OneByOne(const Kernel& k, std::string size, const std::vector<std::string>& around)
      : k_(k), size_(std::move(size)), around_(around) {}

  bool holds() const {
    const auto apart = [&](const Tensor& t) { return is_apart(t); };
    const auto done = [&](const KernelStatement& s) { return holds(s); };
    return !size_.empty() && all_of(k_.tensors, apart) && all_of(k_.body, done);
  }

 private:
  /// No stride that is still walked along depends on the extent.
  bool is_apart(const Tensor& t) const {
    for (size_t d = 0; d < t.dims.size(); ++d) {
      const bool walked = none_of(around_, [&](const std::string& s) { return is_size(t.dims[d], s); });
      if (walked && mentions_size(t.strides[d], size_)) return false;
    }
    const auto at = find_if(t.dims, [&](const Expr& e) { return is_size(e, size_); });
    const auto mentions = [&](const Expr& e) { return mentions_size(e, size_); };
    return std::none_of(t.dims.begin(), at, mentions) &&
           (at == t.dims.end() || std::none_of(at + 1, t.dims.end(), mentions));
  }

  bool holds(const KernelStatement& s) const {
    const auto loop = find_if(s.loops, [&](const LoopVar& l) { return is_size(l.extent, size_); });
    if (loop == s.loops.end()) return false;
    for (const LoopVar& l : s.loops)
      if (l.name != loop->name && mentions_size(l.extent, size_)) return false;
    return places(s.target, s.index, loop->name) && is_plain(s.value, loop->name) &&
           (!s.where || is_plain(s.where, loop->name));
  }

  bool places(int tensor, const std::vector<Expr>& index, const std::string& var) const {
    const Tensor& t = k_.tensor(tensor);
    for (size_t d = 0; d < index.size(); ++d)
      if (is_size(t.dims[d], size_) ? !is_variable(index[d], var) : !is_plain(index[d], var)) return false;
    return true;
  }

  /// The variable occurs in indices of reads alone.
  bool is_plain(const Expr& e, const std::string& var) const {
    bool plain = true;
    walk(e, [&](const Expr& x) {
      if (const auto* v = std::get_if<VarRef>(&x->node)) plain = plain && v->name != var;
      plain = plain && !is_size(x, size_);
      if (const auto* sum = std::get_if<Reduce>(&x->node))
        for (const LoopVar& v : sum->vars) plain = plain && is_plain(v.extent, var);
      const auto* r = std::get_if<Read>(&x->node);
      if (!r) return plain;
      plain = plain && places(r->tensor, r->index, var) && (!r->fill || is_plain(r->fill, var));
      return false;
    });
    return plain;
  }

  const Kernel& k_;
  const std::string size_;
  const std::vector<std::string>& around_;
};

/// The sizes over which the statements may be repeated, outermost first: images, then groups of channels.
std::vector<std::string> sizes_apart(const Kernel& k) {
  std::vector<std::string> out;
  for (size_t at = 0;; ++at) {
    const std::string size = common_extent(k, at);
    if (contains(out, size) || !OneByOne(k, size, out).holds()) return out;
    out.push_back(size);
  }
}

/// The kernel as two parts, of which the first has so many statements and the second reads the temp `between`, for one
/// of each of the `repeated`.
PartsPerImage in_two_parts(const Kernel& k, const std::vector<std::string>& repeated, size_t statements, int between) {
  std::map<std::string, int64_t> ones;
  for (const std::string& size : repeated) ones[size] = 1;
  Kernel one = with_sizes(k, ones);
  Kernel first = one, rest = std::move(one);
  const auto cut = static_cast<std::ptrdiff_t>(statements);
  first.name += "_first";
  first.body.erase(first.body.begin() + cut, first.body.end());
  first.tensors[static_cast<size_t>(between)].role = Role::Output;
  rest.body.erase(rest.body.begin(), rest.body.begin() + cut);
  rest.tensors[static_cast<size_t>(between)].role = Role::Input;
  PartsPerImage out{k, repeated};
  out.kernel.body.clear();
  for (Tensor& t : out.kernel.tensors)
    if (t.role == Role::Temp)
      for (Expr& extent : t.dims)
        if (const auto* s = std::get_if<SizeRef>(&extent->node); s && ones.count(s->name)) extent = constant_int(1);
  out.kernel.parts = {std::move(first), std::move(rest)};
  return out;
}

/// Part number `product` is to be a contraction, and the other one checks.
std::optional<PartsPerImage> with_product(PartsPerImage parts, size_t product) {
  Kernel& contraction = parts.kernel.parts[product];
  contraction.checks.clear();
  contraction = simplify_kernel(contraction);
  return find_contraction(contraction) ? std::optional(std::move(parts)) : std::nullopt;
}

bool is_temp(const Kernel& k, int tensor) { return k.tensor(tensor).role == Role::Temp; }

/// The one temp that the last statement reads, where all the others make temps; -1 where there is none.
int temp_of_product(const Kernel& k) {
  int found = -1;
  bool one = true;
  each_read(k.body.back().value, [&](const Read& r) {
    if (!is_temp(k, r.tensor)) return;
    one = one && (found < 0 || found == r.tensor);
    found = r.tensor;
  });
  for (size_t i = 0; i + 1 < k.body.size(); ++i) one = one && is_temp(k, k.body[i].target);
  return one ? found : -1;
}

/// Whether a statement before the last reads at indices that data give.
bool looks_up(const Kernel& k) {
  return std::any_of(k.body.begin(), k.body.end() - 1, [](const KernelStatement& s) {
    return any_read(s.value, [](const Read& r) { return any_of(r.index, has_node<Read>); });
  });
}

/// Nothing that depends on the order of images or has to hold for all of them.
bool takes_images_apart(const Kernel& k) {
  return k.body.size() >= 2 && !k.call && k.found.empty() && !has_recurrence(k) && !checks_data(k);
}

}  // namespace

bool checks_data(const Kernel& k) {
  return any_of(k.checks, [](const Check& c) { return has_node<Read>(c.holds); });
}

std::optional<PartsPerImage> scattered_products(const Kernel& k) {
  if (!takes_images_apart(k) || !scatters_into_temps(k)) return std::nullopt;
  const std::vector<std::string> repeated = sizes_apart(k);
  if (repeated.empty()) return std::nullopt;
  return with_product(in_two_parts(k, repeated, 1, k.body[0].target), 0);
}

std::optional<PartsPerImage> gathered_products(const Kernel& k) {
  return takes_images_apart(k) && looks_up(k) ? products_of_temps(k) : std::nullopt;
}

std::optional<PartsPerImage> products_of_temps(const Kernel& k) {
  const int between = takes_images_apart(k) && !scatters_into_temps(k) ? temp_of_product(k) : -1;
  const std::vector<std::string> repeated = between < 0 ? std::vector<std::string>() : sizes_apart(k);
  if (repeated.empty()) return std::nullopt;
  return with_product(in_two_parts(k, repeated, k.body.size() - 1, between), 1);
}

}  // namespace tenon
