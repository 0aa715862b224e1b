// Calls of ops in a body: their arguments, the callee's statements in place or its C template, and the results.
#include <fmt/format.h>

#include "ir/op/type_function.h"
#include "library/bind_shapes.h"
#include "library/bind_steps.h"
#include "library/body_expander.h"
#include "library/expand_body.h"
#include "library/unroll_variadic.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr size_t kMaxStatements = 4096;

}  // namespace

/// Whether the kernel has reached its maximum length; the first call that is not expanded is reported.
bool BodyExpander::too_long(const Statement& s) {
  if (kernel_.body.size() <= kMaxStatements) return false;
  if (!diagnostics_.has_errors())
    expr_.error(Code::E0232, s.value,
                fmt::format("with '{}' in the place of its calls the op has more than {} statements", s.value.text,
                            kMaxStatements),
                {"give what is computed several times a name, and use it again"});
  return true;
}

/// Whether each output has a name. False after an error.
bool BodyExpander::outputs_are_named(const Statement& s, const OpDef& callee) {
  if (callee.outputs.size() == s.targets.size()) return true;
  expr_.error(Code::E0426, s.value,
              fmt::format("'{}' has {} output{} here, not {}", callee.name, callee.outputs.size(),
                          callee.outputs.size() == 1 ? "" : "s", s.targets.size()),
              {"give each output a name: a, b = op(x)"});
  return false;
}

/// The value of a callee's attribute: a word is the one of the callee, whatever else has its name here.
BoundAttr BodyExpander::passed_attribute(const AttrDef& a, const Syntax& given) {
  BoundAttr b;
  b.list = a.count != AttrCount::one;
  const auto word = std::find(a.words.begin(), a.words.end(), given.text);
  if (given.kind == SyntaxKind::name && word != a.words.end())
    b.elements.push_back({constant_int(word - a.words.begin()), true});
  else if (given.kind == SyntaxKind::list)
    for (const Syntax& e : given.children) b.elements.push_back(expr_.value(e));
  else if (b.list && given.kind == SyntaxKind::name && scope_.binding.attrs.count(given.text))
    b = scope_.binding.attrs.at(given.text);
  else b.elements.push_back(expr_.value(given));
  return b;
}

/// `a, b = op(x, y, axis=1)`: binds the callee's signature to the tensors given and expands its body in place.
/// Tensors and attributes that a call passes. False after an error.
bool BodyExpander::call_arguments(const Statement& s, const OpDef& callee, std::vector<BoundTensor>& inputs,
                                  std::map<std::string, BoundAttr>& attrs) {
  for (const Syntax& arg : s.value.children) {
    const bool keyword = arg.kind == SyntaxKind::keyword;
    const Syntax& given = keyword ? arg.children[0] : arg;
    if (const AttrDef* a = keyword ? callee.attr(arg.text) : nullptr) {
      attrs[arg.text] = passed_attribute(*a, given);
      continue;
    }
    size_t at = inputs.size();
    if (keyword) {
      at = static_cast<size_t>(callee.input(arg.text) - callee.inputs.data());
      inputs.resize(std::max(inputs.size(), at + 1));
    } else {
      inputs.emplace_back();
    }
    const auto t = given.kind == SyntaxKind::name ? scope_.tensors.find(given.text) : scope_.tensors.end();
    const auto made = t != scope_.tensors.end() ? argument_tensor(t->first, t->second) : computed_argument(given);
    if (!made) return no_argument(given), false;
    inputs[at] = *made;
  }
  return true;
}

/// The numbers of the dims that D@axis or *R@axes of this op are in an argument that has the dims of such a tensor.
std::vector<Typed> BodyExpander::places_of_axes(const std::string& attr, const std::vector<BoundTensor>& inputs) const {
  if (inputs.empty() || inputs[0].tensor < 0) return {};
  const std::vector<Expr>& dims = kernel_.tensor(inputs[0].tensor).dims;
  for (const TensorDef& t : def_.inputs) {
    const auto bound = scope_.tensors.find(t.name);
    const auto at = find_if(t.dims, [&](const Dim& d) { return d.at == attr && d.kind != DimKind::split; });
    if (bound == scope_.tensors.end() || bound->second.tensor < 0 || at == t.dims.end()) continue;
    const std::vector<Expr>& own = kernel_.tensor(bound->second.tensor).dims;
    if (!std::equal(own.begin(), own.end(), dims.begin(), dims.end(),
                    [](const Expr& a, const Expr& b) { return same(a, b); }))
      continue;
    const auto entry = bound->second.entries.begin() + (at - t.dims.begin());
    int64_t place = 0;
    for (auto before = bound->second.entries.begin(); before != entry; ++before)
      place += static_cast<int64_t>(before->size());
    std::vector<Typed> places;
    for (size_t k = 0; k < entry->size(); ++k) places.push_back({constant_int(place + static_cast<int64_t>(k)), true});
    return places;
  }
  return {};
}

/// Axes known only in a call of this op and passed on to a callee are those dims of the kernel's tensors.
void BodyExpander::place_axes(const Statement& s, const std::vector<BoundTensor>& inputs,
                              std::map<std::string, BoundAttr>& attrs) const {
  for (const Syntax& arg : s.value.children) {
    if (arg.kind != SyntaxKind::keyword || arg.children[0].kind != SyntaxKind::name) continue;
    const auto given = attrs.find(arg.text);
    if (given == attrs.end()) continue;
    const bool list = given->second.list;
    if (list ? given->second.held.attr.empty() : constant_value(given->second.elements[0].e).has_value()) continue;
    std::vector<Typed> places = places_of_axes(arg.children[0].text, inputs);
    if (list ? places.empty() : places.size() != 1) continue;
    given->second = {std::move(places), list, true};
  }
}

/// `2*X + Y` as the argument of a call: a value of the shape that all its tensors have, element by element.
std::optional<BoundTensor> BodyExpander::computed_argument(const Syntax& arg) {
  const std::map<std::string, BoundTensor> outside = scope_.tensors;
  std::vector<std::string> names;
  Syntax value = arg, target;
  std::vector<Expr> dims;
  bool alike = true;
  const auto read_all = [&](const auto& self, Syntax& s) -> void {
    for (Syntax& child : s.children) self(self, child);
    const auto t = s.kind == SyntaxKind::name ? outside.find(s.text) : outside.end();
    if (t == outside.end() || t->second.tensor < 0) return;
    BoundTensor flat = argument_tensor(t->first, t->second);
    const std::vector<Expr>& own = kernel_.tensor(flat.tensor).dims;
    flat.entries.clear();
    for (const Expr& e : own) flat.entries.push_back({e});
    if (dims.empty() && names.empty()) dims = own;
    alike = alike && own.size() == dims.size() &&
            std::equal(own.begin(), own.end(), dims.begin(), [](const Expr& a, const Expr& b) { return same(a, b); });
    names.push_back(s.text);
    scope_.tensors[s.text] = flat;
    s.kind = SyntaxKind::subscript;
    s.children.clear();
    for (size_t k = 0; k < own.size(); ++k) s.children.push_back(element_name(k));
  };
  read_all(read_all, value);
  if (names.empty() || !alike) {
    scope_.tensors = outside;
    return std::nullopt;
  }
  Statement s;
  for (size_t k = 0; k < dims.size(); ++k) {
    s.subs.push_back(element_name(k));
    scope_.ranges[element_name(k).text] = dims[k];
  }
  s.targets = {{"argument", arg.span}};
  s.value = std::move(value);
  s.span = arg.span;
  scope_.tensors.erase("argument");
  assignment(s);
  std::optional<BoundTensor> made;
  if (const auto t = scope_.tensors.find("argument"); t != scope_.tensors.end()) made = t->second;
  scope_.tensors = outside;
  expr_.begin({real_of_statement(nullptr), DType::I8, {}});
  return made;
}

/// f16 and bf16 next to intermediates, which are f32, as arguments of one type: they become f32 too.
void BodyExpander::unify_types(const OpDef& callee, std::vector<BoundTensor>& inputs) {
  const size_t n = std::min(inputs.size(), callee.inputs.size());
  const auto type_of = [&](size_t i) {
    return inputs[i].tensor < 0 ? std::nullopt : std::optional(kernel_.tensor(inputs[i].tensor).dtype);
  };
  for (size_t i = 0; i < n; ++i) {
    const TensorDef& input = callee.inputs[i];
    if (!type_of(i) || !callee.type(input.dtype)) continue;
    const DType compute = dtype_row(*type_of(i)).compute;
    bool wider = false;
    for (size_t k = 0; k < n; ++k) wider = wider || (callee.inputs[k].dtype == input.dtype && type_of(k) == compute);
    if (!wider || type_of(i) == compute) continue;
    const std::string name = fmt::format("{}.{}", callee.name, input.name);  // no name of the definition
    scope_.tensors[name] = inputs[i];
    const Syntax type = name_node(std::string(name_of(compute)));
    if (auto made = computed_argument(call_node("cast", {name_node(name), type}))) inputs[i] = std::move(*made);
    scope_.tensors.erase(name);
  }
}

/// A tensor as an op that is called sees it: in its stored dims.
BoundTensor BodyExpander::argument_tensor(const std::string& name, const BoundTensor& t) {
  const StoredDims dims = dims_in_calls(name, t);
  return t.tensor < 0 || is_plain(dims) ? t : stored_view(kernel_, t, dims);
}

/// How a tensor of this op is passed to ops that it calls.
StoredDims BodyExpander::dims_in_calls(const std::string& name, const BoundTensor& t) const {
  const TensorDef* declared = def_.input(name) ? def_.input(name) : def_.output(name);
  if (declared) return joined_dims(t, *declared);
  const auto defines = [&](const Statement& s) {
    return !s.is_call && !s.is_extent && any_of(s.targets, [&](const Word& w) { return w.text == name; });
  };
  const auto definition = find_if(def_.body, defines);
  return definition == def_.body.end() ? StoredDims() : joined_dims(t, definition->subs);
}

/// Types that the callee's results alone have are those of the outputs that receive them.
void BodyExpander::take_types_of_outputs(const Statement& s, Scope& inner) const {
  const OpDef& callee = *inner.def;
  for (size_t k = 0; k < std::min(callee.outputs.size(), s.targets.size()); ++k) {
    const std::string& type = callee.outputs[k].dtype;
    const TypeVar* variable = callee.type(type);
    const TensorDef* receives = def_.output(s.targets[k].text);
    const bool given = any_of(callee.inputs, [&](const TensorDef& t) { return t.dtype == type; });
    if (!variable || variable->derived || given || !receives) continue;
    if (const auto d = dtype_of_word(receives->dtype, scope_.binding.types)) inner.binding.types.emplace(type, *d);
  }
}

/// Ranges that the callee declares are not negative, which a call of an op of the library checks for its own.
void BodyExpander::require_ranges(Scope& inner) {
  ExprBuilder extents(library_, inner, kernel_, diagnostics_);
  const auto is_size = [&](const Expr& e) {  // not an extent that data decides
    return !any_node(e, [&](const Expr& n) {
      const auto* ref = std::get_if<SizeRef>(&n->node);
      return ref && none_of(kernel_.sizes, [&](const Size& s) { return s.name == ref->name; });
    });
  };
  for (const IndexRange& r : inner.def->index)
    for (const Expr& e : r.pack ? extents.list(r.extent, 1) : std::vector{extents.index(r.extent)})
      if (is_size(e))
        require_sizes(kernel_, apply(ScalarOp::Ge, {e, constant_int(0)}),
                      fmt::format("the range of {} in {}", r.name, inner.def->name));
}

void BodyExpander::call(const Statement& s) {
  if (too_long(s)) return;
  const OpDef* callee = library_.op(s.value.text);
  if (!callee) return expr_.error(Code::E0424, s.value, fmt::format("there is no op '{}'", s.value.text));
  std::vector<BoundTensor> inputs;
  std::map<std::string, BoundAttr> attrs;
  expr_.begin({real_of_statement(nullptr), DType::I8, {}});
  if (!call_arguments(s, *callee, inputs, attrs)) return;
  const auto unrolled = unroll_call(*callee, inputs.size(), attrs, s.value.span, diagnostics_);
  if (!unrolled) return;
  if (*unrolled) callee = unrolled->get();
  if (!outputs_are_named(s, *callee)) return;
  unify_types(*callee, inputs);
  place_axes(s, inputs, attrs);
  name_extents(s, *callee, attrs);
  Scope inner;
  inner.def = callee;
  inner.keeps_stops = scope_.keeps_stops;
  inner.any_rank = scope_.any_rank;
  take_types_of_outputs(s, inner);
  Diagnostics found;
  const bool fits = bind_composite({library_, *callee, inputs, attrs, s.value.span}, kernel_, inner, found);
  for (Diagnostic d : found.sorted()) {
    if (d.code == Code::E0603 || d.code == Code::E0429) note_arguments(s, *callee, d);
    diagnostics_.add(std::move(d));
  }
  if (!fits) return;
  for (size_t k = 0; k < callee->outputs.size(); ++k) {
    BoundTensor& made = inner.tensors[callee->outputs[k].name];
    if (k < s.targets.size() && !fits_output(s, *callee, s.targets[k], made)) return;
    name_result(k < s.targets.size() ? s.targets[k].text : callee->outputs[k].name, made, inputs);
  }
  require_ranges(inner);
  expand_callee(inner);
  copy_results(s, *callee, inner);
  know_parts(s);
  for (const Statement& later : def_.body) ranges_.find(later);
}

bool BodyExpander::is_contiguous(const Tensor& t) const {
  const std::vector<Expr> strides = contiguous_strides(t.dims);
  return std::equal(strides.begin(), strides.end(), t.strides.begin(), t.strides.end(),
                    [](const Expr& a, const Expr& b) { return same(a, b); });
}

/// The sizes that the callee's extents from data are called in the kernel: that of the output that a result is given
/// to, or one of its own.
void BodyExpander::name_extents(const Statement& s, const OpDef& callee,
                                std::map<std::string, BoundAttr>& attrs) const {
  for (const LetDef& l : callee.lets) {
    if (!l.written) continue;
    std::string name = extent_given_to(s, callee, l.name);
    const auto own = scope_.binding.sizes.find(name);
    if (!name.empty()) name = std::get<SizeRef>(own->second.e->node).name;
    const auto taken = [&](const auto& all) { return any_of(all, [&](const auto& z) { return z.name == name; }); };
    for (int n = 0; own == scope_.binding.sizes.end() && (n == 0 || taken(kernel_.sizes) || taken(steps_.found)); ++n)
      name = fmt::format("{}_{}{}", callee.name, l.name, n == 0 ? "" : fmt::format("_{}", n + 1));
    attrs[l.name] = {{{size_ref(name), true}}};
  }
}

void BodyExpander::expand_callee(Scope& inner) {
  if (const auto frame = library_.frame_of(*inner.def)) return call_frame(frame, inner);
  BodyExpander(library_, inner, kernel_, steps_, diagnostics_).run();
}

/// A C template takes whole tensors, one element after the other.
void BodyExpander::call_frame(const std::shared_ptr<const Frame>& frame, Scope& inner) {
  for (const TensorDef& input : inner.def->inputs) {
    BoundTensor& b = inner.tensors[input.name];
    if (b.tensor < 0 || is_contiguous(kernel_.tensor(b.tensor))) continue;
    StoredDims plain;
    for (size_t k = 0; k < kernel_.tensor(b.tensor).dims.size(); ++k) plain.push_back(static_cast<int>(k));
    b.tensor = stored_view(kernel_, b, plain).tensor;
  }
  note_checks();
  Scope called = inner;
  BodyExpander values(library_, inner, kernel_, steps_, diagnostics_);
  const bool says_values = scope_.keeps_stops && !inner.def->body.empty();
  if (says_values) {
    values.name_chosen(*frame);
    called.tensors = inner.tensors;
    values.replace_values(*frame, called);
  }
  FrameCall call = bind_frame(frame, called, Role::Temp, kernel_);
  ExprBuilder bounds(library_, inner, kernel_, diagnostics_);
  for (const LetDef& l : inner.def->lets)
    for (size_t k = 0; l.written && k < call.tensors.size(); ++k)
      if (frame->parameters[k].kind == FrameParameterKind::extent && frame->parameters[k].name == l.name)
        steps_.found.push_back(
            {kernel_.tensor(call.tensors[k]).extent, call.tensors[k], next_step(), bounds.value(l.value).e});
  steps_.calls.push_back({kernel_.body.size(), std::move(call)});
  if (says_values) values.run();
}

/// The subscripts of the first read of a tensor in the body; nullptr if there is none.
const Syntax* BodyExpander::read_of_name(const std::string& name) const {
  const auto is_read = [&](const Syntax& s) { return s.is(SyntaxKind::subscript) && s.text == name; };
  const Syntax* found = nullptr;
  for (const Statement& s : def_.body)
    each_expression(s, [&](const Syntax& e) {
      if (!found) found = first_within(e, is_read);
    });
  return found;
}

/// Results that the definition lacks, but its values are read at.
void BodyExpander::name_chosen(const Frame& frame) {
  ranges_.declare();
  for (const FrameParameter& p : frame.parameters) {
    const Syntax* read = read_of_name(p.name);
    if (p.kind != FrameParameterKind::output || !read || scope_.tensors.contains(p.name)) continue;
    Statement s;
    s.subs = read->children;
    make_temp(p.name, s, {constant_int(0, *dtype_from_name(p.type)), false});
  }
}

/// A template need not compute what the body's statements compute; if it has to write it, it writes to a scratch
/// tensor.
void BodyExpander::replace_values(const Frame& frame, Scope& called) {
  for (const Statement& s : def_.body) {
    const FrameParameter* p = frame.parameter(s.targets[0].text);
    if (!p || p->kind != FrameParameterKind::output) continue;
    BoundTensor& b = called.tensors[p->name];
    if (p->optional) {
      b.tensor = -1;
      continue;
    }
    Tensor t = kernel_.tensor(b.tensor);
    t.name = unused_name(t.name + "_of_" + frame.name);
    t.role = Role::Temp;
    t.extent.clear();
    t.strides = contiguous_strides(t.dims);
    b.tensor = kernel_.add(std::move(t));
  }
}

}  // namespace tenon
