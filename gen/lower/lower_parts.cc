// Concatenates the nests of parts, merging their buffers, functions and names.
#include "lower/lower_parts.h"

#include <fmt/format.h>

#include <set>

#include "algebra/nest_survey.h"
#include "lower/nest/rename_nest.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class PartsJoiner {
 public:
  PartsJoiner(const std::shared_ptr<const Kernel>& kernel, const Isa& isa) : kernel_(*kernel) {
    nest_.name = fmt::format("{}_{}", kernel->name, isa.suffix);
    nest_.isa = isa.name;
    nest_.kernel = kernel;
    for (const FoundSize& f : kernel_.found) bounds_[f.name] = renamed(size_number(f.bound), {{}, {}, bounds_, {}});
    for (size_t t = 0; t < kernel_.tensors.size(); ++t) {
      const Tensor& x = kernel_.tensors[t];
      if (x.role == Role::Temp) nest_.buffers.push_back({x.name, x.dtype, Storage::Workspace, -1, elements(t), true});
      else
        nest_.buffers.push_back(
            {x.name, x.dtype, Storage::Tensor, static_cast<int>(t), nullptr, x.role == Role::Output});
    }
  }

  LoopNest run(const std::vector<LoopNest>& parts, const std::vector<std::string>& repeated) {
    count_over(repeated, parts);
    for (size_t p = 0; p < parts.size(); ++p) {
      add(parts[p]);
      for (const FoundSize& f : kernel_.found)
        if (f.part == p) know(f);
    }
    drop_unread();
    for (size_t i = counters_.size(); i-- > 0;) {
      auto body = std::make_shared<const Block>(std::move(nest_.body));
      nest_.body = {{SFor{counters_[i].second, v_int(0), v_size(counters_[i].first), 1, LoopKind::Serial, body}}};
    }
    return std::move(nest_);
  }

 private:
  using Counter = std::pair<std::string, std::string>;  ///< a size and the variable that runs up to it

  /// A variable for each size, which no part has, and how far its elements are apart in each tensor.
  void count_over(const std::vector<std::string>& sizes, const std::vector<LoopNest>& parts) {
    std::set<std::string> names;
    for (const LoopNest& part : parts) add_declared_names(part.body, names);
    for (const std::string& size : sizes) {
      std::string counter = "at_" + size;
      for (int n = 2; !names.insert(counter).second; ++n) counter = fmt::format("at_{}_{}", size, n);
      counters_.emplace_back(size, counter);
      for (size_t t = 0; t < kernel_.tensors.size(); ++t)
        for (size_t d = 0; d < kernel_.tensors[t].dims.size(); ++d) shift(t, d, counters_.back());
    }
  }

  void shift(size_t tensor, size_t d, const Counter& by) {
    const Tensor& t = kernel_.tensors[tensor];
    const auto* extent = std::get_if<SizeRef>(&t.dims[d]->node);
    if (t.role == Role::Temp || !extent || extent->name != by.first) return;
    Operand& all = shifts_.try_emplace(static_cast<int>(tensor), v_int(0)).first->second;
    all = all + v_var(by.second) * size_number(t.strides[d]);
  }

  /// Elements of a temp that goes from part to part; none if only one part has it, which has its own space for it.
  Operand elements(size_t t) const {
    const bool shared = any_of(kernel_.parts, [&](const Kernel& part) { return part.tensors[t].role == Role::Output; });
    if (!shared) return v_int(0);
    Operand n = v_int(1);
    for (const Expr& e : kernel_.tensors[t].dims) n = n * maximum(size_number(e));
    return n;
  }

  /// The maximum value, with each found extent at its bound or at 0.
  Operand maximum(const Operand& v) const {
    std::map<std::string, Operand> none;
    for (const auto& [name, bound] : bounds_) none[name] = v_int(0);
    const Operand full = renamed(v, {{}, {}, bounds_, {}}), empty = renamed(v, {{}, {}, none, {}});
    const bool depends = any_of(bounds_, [&](const auto& b) { return names(v, b.first); });
    const auto* size = std::get_if<VSize>(&v->node);
    return !depends || size ? full : v_apply(ScalarOp::Max, {full, empty});
  }

  static bool names(const Operand& v, const std::string& size) {
    const auto* s = std::get_if<VSize>(&v->node);
    bool found = s && s->name == size;
    each_child(v, [&](const Operand& c) { found = found || names(c, size); });
    return found;
  }

  void add(const LoopNest& part) {
    NestRenaming by{{}, {}, known_, new_names(part.body), shifts_};
    for (size_t b = 0; b < part.buffers.size(); ++b) by.buffers.push_back(place(part.buffers[b], b));
    by.functions = merge_functions(part.functions, nest_.functions);
    if (!part.blueprint.empty() && part.blueprint != "loops")
      nest_.blueprint += (nest_.blueprint.empty() ? "" : ", ") + part.blueprint;
    Block body = renamed(part.body, by);
    for (std::string& name : declared_names(body)) taken_.insert(std::move(name));
    std::move(body.begin(), body.end(), std::back_inserter(nest_.body));
  }

  /// Where a buffer of a part is. A temp that is the part's own uses the space that the part gives it.
  int place(Buffer b, size_t number) {
    if (b.elements) b.elements = maximum(b.elements);
    if (number >= kernel_.tensors.size()) {
      nest_.buffers.push_back(std::move(b));
      return static_cast<int>(nest_.buffers.size()) - 1;
    }
    Buffer& known = nest_.buffers[number];
    if (b.storage != Storage::Tensor && constant_value(known.elements) == 0) known = std::move(b);
    return static_cast<int>(number);
  }

  /// Names of a part that those before have declared get a number.
  std::map<std::string, std::string> new_names(const Block& body) const {
    std::set<std::string> own;
    add_declared_names(body, own);
    std::map<std::string, std::string> out;
    for (const std::string& name : own) {
      if (taken_.count(name) == 0) continue;
      std::string fresh = name;
      for (int n = 2; taken_.count(fresh) != 0 || own.count(fresh) != 0; ++n) fresh = fmt::format("{}_{}", name, n);
      own.insert(fresh);
      out[name] = fresh;
    }
    return out;
  }

  /// Sets `M` to the value that the part stored in its tensor.
  void know(const FoundSize& f) {
    Stmt let = s_let(f.name, v_load(f.tensor, DType::I64, v_int(0)));
    nest_.body.push_back(std::move(let));
    taken_.insert(f.name);
    known_[f.name] = v_var(f.name);
  }

  /// An unused extent has no variable.
  void drop_unread() {
    NestSurvey survey;
    for (const Stmt& s : nest_.body) survey.add(s);
    std::erase_if(nest_.body, [&](const Stmt& s) {
      const auto* let = std::get_if<SLet>(&s.node);
      return let && known_.count(let->name) != 0 && survey.vars.count(let->name) == 0;
    });
  }

  const Kernel& kernel_;
  std::vector<Counter> counters_;
  std::map<int, Operand> shifts_;
  LoopNest nest_;
  std::map<std::string, Operand> bounds_, known_;
  std::set<std::string> taken_;
};

}  // namespace

LoopNest join_parts(const std::shared_ptr<const Kernel>& kernel, const std::vector<LoopNest>& parts, const Isa& isa,
                    const std::vector<std::string>& repeated) {
  return PartsJoiner(kernel, isa).run(parts, repeated);
}

}  // namespace tenon
