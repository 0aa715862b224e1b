// Binds the arguments of a call to the inputs and attributes of an op.
#include "frontend/recipe/recipe_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "support/diagnostics.h"
#include "support/joined.h"

namespace tenon {
namespace {

class OpCall {
 public:
  OpCall(RecipeContext& context, const RecipeCall& call) : context_(context), call_(call) {}

  RecipeValue run() {
    signature_ = context_.builder.semantics().find(call_.op);
    if (!signature_) unknown_op();
    bind_places();
    for (const RecipeKeyword& k : call_.keywords) bind_keyword(k);
    take_all_axes();
    check_complete();
    if (context_.origin)
      context_.builder.set_origin(context_.origin(context_.depth > 0 ? context_.outermost : call_.offset));
    std::vector<ValueId> ids = mapped(inputs_, [&](const RecipeValue& v) { return tensor(v); });
    stretch_open_extents(context_.builder, *signature_, ids);
    const size_t outputs = call_.wanted == 1 ? std::max<size_t>(1, signature_->outputs.size()) : call_.wanted;
    std::vector<ValueId> results;
    try {
      results = context_.builder.add_node(call_.op, ids, attrs_, outputs);
    } catch (const GraphError& error) {
      throw RecipeError(call_.offset, error.what() + input_types(ids));
    }
    // An ONNX node may name outputs that the definition lacks; it is in error only where they are read.
    if (results.size() < call_.wanted && context_.names_values)
      fail(fmt::format("{} has {} result{}, not {}", call_.op, results.size(), results.size() == 1 ? "" : "s",
                       call_.wanted));
    if (call_.wanted == 1) return TensorRef{results[0]};
    RecipeList list;
    for (size_t i = 0; i < std::min(call_.wanted, results.size()); ++i) list.push_back(TensorRef{results[i]});
    return list;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw RecipeError(call_.offset, message); }

  [[noreturn]] void unknown_op() const {
    const auto& names = context_.builder.semantics().names;
    std::vector<std::string> known = names ? names() : std::vector<std::string>{};
    for (const std::string& n : host_functions()) known.push_back(n);
    fail(fmt::format("the library has no op '{}'{}", call_.op, or_did_you_mean(call_.op, known)));
  }

  void bind_places() {
    const auto& in = signature_->inputs;
    const bool variadic = !in.empty() && in.back().variadic;
    size_t next = 0;
    for (; next < call_.args.size() && (variadic || next < in.size()); ++next) {
      // A list as an argument is expanded where any number of tensors is taken: concat([a, b]).
      const RecipeList* list = call_.args[next].get<RecipeList>();
      if (list && variadic) inputs_.insert(inputs_.end(), list->begin(), list->end());
      else inputs_.push_back(call_.args[next]);
    }
    for (size_t k = 0; next < call_.args.size(); ++next, ++k) {
      if (k >= signature_->attrs.size())
        fail(fmt::format("{} is given {} arguments by place, and has {}", call_.op, call_.args.size(),
                         in.size() + signature_->attrs.size()));
      set_attribute(signature_->attrs[k], call_.args[next], call_.offset);
    }
  }

  void bind_keyword(const RecipeKeyword& k) {
    if (const AttrSignature* a = signature_->attr(k.name)) return set_attribute(*a, k.value, k.offset);
    for (size_t i = 0; i < signature_->inputs.size(); ++i) {
      if (signature_->inputs[i].name != k.name) continue;
      if (inputs_.size() <= i) inputs_.resize(i + 1);
      if (!inputs_[i].is_none()) throw RecipeError(k.offset, fmt::format("'{}' is given twice", k.name));
      inputs_[i] = k.value;
      return;
    }
    std::vector<std::string> known = mapped(signature_->attrs, &AttrSignature::name);
    for (const InputSignature& i : signature_->inputs) known.push_back(i.name);
    std::string hint = or_did_you_mean(k.name, known);
    if (hint.empty() && !signature_->attrs.empty())
      hint = "; it has " + joined(signature_->attrs, ", ", &AttrSignature::name);
    throw RecipeError(k.offset, fmt::format("{} has no attribute '{}'{}", call_.op, k.name, hint));
  }

  void set_attribute(const AttrSignature& a, const RecipeValue& value, size_t offset) {
    if (value.is_none()) return;
    if (attrs_.count(a.name)) throw RecipeError(offset, fmt::format("'{}' is given twice", a.name));
    AttrValue attr;
    std::string error;
    if (!to_attribute(value, a, attr, error)) throw RecipeError(offset, fmt::format("{}: {}", call_.op, error));
    attrs_[a.name] = std::move(attr);
  }

  /// A reduction that names no axes is over all of them.
  void take_all_axes() {
    const AttrSignature* axes = signature_->attr("axes");
    const TensorRef* x = inputs_.empty() ? nullptr : inputs_[0].get<TensorRef>();
    if (!axes || !axes->list || !axes->required || attrs_.count("axes") || !x) return;
    std::vector<int64_t> all(context_.builder.value(x->id).dims.size());
    std::iota(all.begin(), all.end(), 0);
    attrs_["axes"] = std::move(all);
  }

  void check_complete() const {
    const auto& in = signature_->inputs;
    for (size_t i = 0; i < in.size(); ++i)
      if (!in[i].optional && (i >= inputs_.size() || inputs_[i].is_none()) && !(in[i].variadic && i > 0))
        fail(fmt::format("{} needs its input {}", call_.op, in[i].name));
    for (const AttrSignature& a : signature_->attrs)
      if (a.required && !attrs_.count(a.name)) fail(fmt::format("{} needs its attribute {}", call_.op, a.name));
  }

  ValueId tensor(const RecipeValue& v) const {
    if (v.is_none()) return kNoValue;
    if (const TensorRef* t = v.get<TensorRef>()) return t->id;
    const SizeExpr* whole = v.get<SizeExpr>();
    const double* real = v.get<double>();
    if (!whole && !real) fail(fmt::format("{} takes tensors, not {}", call_.op, kind_of(v)));
    // Next to a condition, as in where(x > 0, x, 0), the number has the type of the chosen value.
    std::optional<DType> dtype;
    for (const RecipeValue& other : inputs_)
      if (const TensorRef* t = other.get<TensorRef>(); t && (!dtype || dtype == DType::Bool))
        dtype = context_.builder.value(t->id).dtype;
    if (dtype) return number(*dtype, whole, real);
    fail(fmt::format("{} takes tensors, not a number alone", call_.op));
  }

  ValueId number(DType dtype, const SizeExpr* whole, const double* real) const {
    if (whole && is_integral(dtype)) return context_.builder.add_numbers(dtype, {}, {*whole});
    if (is_small(dtype))
      fail(fmt::format("a number next to a {0} tensor: cast the tensor, or use a constant of {0}", name_of(dtype)));
    if (!is_float(dtype) && !is_complex(dtype))
      fail(fmt::format("{} is no {}, as the tensor next to it is", *real, name_of(dtype)));
    const auto as = [&](ValueId v) { return context_.builder.add_node("cast", {v}, {{"dtype", dtype}}, 1)[0]; };
    if (whole && !whole->is_constant()) return as(context_.builder.add_numbers(DType::I64, {}, {*whole}));
    const double d = real ? *real : static_cast<double>(whole->value);
    if (dtype != DType::F32 && dtype != DType::F64) return as(number(DType::F64, whole, real));
    TensorData data{dtype, {}, std::vector<uint8_t>(static_cast<size_t>(bytes_of(dtype)))};
    const float f = static_cast<float>(d);
    if (dtype == DType::F32) std::memcpy(data.bytes.data(), &f, sizeof f);
    else std::memcpy(data.bytes.data(), &d, sizeof d);
    return context_.builder.add_constant("", std::move(data));
  }

  std::string input_types(const std::vector<ValueId>& ids) const {
    std::string text;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == kNoValue) continue;
      text += (text.empty() ? " (inputs: " : ", ") + type_text(context_.builder.value(ids[i]));
    }
    return text.empty() ? text : text + ")";
  }

  RecipeContext& context_;
  const RecipeCall& call_;
  const OpSignature* signature_ = nullptr;
  RecipeList inputs_;
  Attributes attrs_;
};

}  // namespace

RecipeValue call_op(RecipeContext& context, const RecipeCall& call) {
  return context.form ? context.form(context, call) : call_named_op(context, call);
}
RecipeValue call_named_op(RecipeContext& context, const RecipeCall& call) { return OpCall(context, call).run(); }

}  // namespace tenon
