// Updates other than sums get a value of their own to update.

#include "differentiate/gradient_steps.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool is_read(const Expr& e) { return std::holds_alternative<Read>(e->node); }

class UpdateSplitter {
 public:
  UpdateSplitter(Kernel& kernel, BodySteps& steps, FreshNames& names)
      : kernel_(kernel), checked_at_(steps.checked_at), names_(names) {}

  void run(const std::function<bool(const KernelStatement&)>& applies) {
    for (size_t i = 0; i < kernel_.body.size(); ++i) {
      if (kernel_.body[i].update == Update::Assign || !applies(kernel_.body[i])) continue;
      i = split(i);
    }
  }

 private:
  std::vector<KernelStatement>& body() { return kernel_.body; }
  std::string text(const KernelStatement& s) const {
    return fmt::format("{} = {}", kernel_.tensor(s.target).name, to_text(s.value, tensor_names(kernel_)));
  }

  /// The position of the update afterwards.
  size_t split(size_t at) {
    const int target = body()[at].target;
    const Tensor t = kernel_.tensor(target);
    const int before = kernel_.add_temp(names_(t.name + "_before"), t.dtype, t.dims);
    for (size_t i = 0; i < at; ++i) rename_tensor(body()[i], target, before);
    for (size_t c = 0; c < checked_at_.size(); ++c)
      if (checked_at_[c] <= at) kernel_.checks[c].holds = with_tensor(kernel_.checks[c].holds, target, before);
    KernelStatement copy;
    copy.target = target;
    for (size_t d = 0; d < t.dims.size(); ++d) {
      copy.loops.push_back({names_(fmt::format("b{}", d)), t.dims[d]});
      copy.index.push_back(var_ref(copy.loops.back().name));
    }
    copy.value = read_of(before, t.dtype, copy.index);
    copy.formula = text(copy);
    insert(at, std::move(copy));
    if (is_read(body()[at + 1].value)) return at + 1;
    name_value(at);
    return at + 2;
  }

  /// The combined value is compared with the result as it is stored, not as it would be recomputed. Where the
  /// update is not done nothing is computed.
  void name_value(size_t at) {
    KernelStatement value = body()[at + 1];
    value.update = Update::Assign;
    value.index = var_refs(value.loops);
    value.target = kernel_.add_temp(names_("update"), value.value->type, mapped(value.loops, &LoopVar::extent));
    body()[at + 1].value = read_of(value.target, value.value->type, value.index);
    if (value.where) value.value = select(value.where, value.value, identity_of(Reducer::Sum, value.value->type));
    value.where = nullptr;
    value.formula = text(value);
    insert(at, std::move(value));
  }

  void insert(size_t at, KernelStatement s) {
    body().insert(body().begin() + static_cast<ptrdiff_t>(at), std::move(s));
    for (size_t& place : checked_at_) place += place > at ? 1 : 0;
  }

  Kernel& kernel_;
  std::vector<size_t>& checked_at_;
  FreshNames& names_;
};

}  // namespace

void rename_tensor(KernelStatement& s, int from, int to) {
  if (s.target == from) s.target = to;
  map_exprs(s, [&](const Expr& e) { return with_tensor(e, from, to); });
}

void split_updates(Kernel& kernel, BodySteps& steps, const std::function<bool(const KernelStatement&)>& applies,
                   FreshNames& names) {
  UpdateSplitter(kernel, steps, names).run(applies);
}

}  // namespace tenon
