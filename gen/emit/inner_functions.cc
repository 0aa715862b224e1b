// Inner functions of a nest: parts with an innermost loop that wants the registers to itself.
#include <fmt/format.h>

#include "algebra/nest_survey.h"
#include "emit/emitter.h"
#include "ir/op/frame.h"
#include "ir/text/print_c99.h"
#include "support/check.h"
#include "support/long_lines.h"
#include "support/ranges.h"
#include "support/text_template.h"

namespace tenon::emit {
namespace {

void add_inner(Emitter& e, const InnerFunction& f, const std::string& name) {
  LoopNest shell;
  shell.name = name;
  shell.isa = e.nest->isa;
  shell.kernel = std::make_shared<const Kernel>();
  shell.buffers = f.buffers;
  Emitter inner(e.isa, e.options, e.needs, &shell);
  CFunction c;
  c.specifiers = e.apart_specifiers();
  const bool fails = may_fail(f.body, e.nest->functions);  // the caller then leaves with its status
  c.result = fails ? "int" : "void";
  c.name = name;
  c.comment = f.comment;
  for (size_t i = 0; i < f.buffers.size(); ++i) {
    const Buffer& b = f.buffers[i];
    c.params.push_back((b.writable ? "" : "const ") + inner.storage_type(b.dtype) + " *restrict " +
                       inner.buffer_name(static_cast<int>(i)));
  }
  for (const std::string& p : f.params)
    c.params.push_back("int64_t " + inner.declare(p, Binding{"", {}, true, false, std::nullopt}));
  inner.block(f.body, c.body);
  if (fails) c.body.push_back(c_return(c_text("0")));
  e.needs.add_function(std::move(c));
}

/// What fills a hole that depends on the level. The workspace was counted by the same rule (lower/lower_frame).
std::string vector_text(Emitter& e, const VectorHole& hole) {
  const OperandType type{hole.dtype, e.isa.has_vectors_in_templates() ? e.isa.lanes(hole.dtype) : 1, 0};
  const Operand a = v_var("a", type), b = v_var("b", type);
  const auto text = [&](const Operand& value) {
    Emitter inner(e.isa, e.options, e.needs, nullptr);
    for (const char* name : {"a", "b"}) inner.declare(name, Binding{"", type, false, false, std::nullopt});
    return print_c99(inner.operand(value));
  };
  const auto zip = [&](int from) {
    std::vector<int> pick;
    for (int l = 0; l < type.lanes; ++l) pick.push_back(from + l / 2 + l % 2 * type.lanes);
    return text(type.lanes > 1 ? v_shuffle(a, b, pick) : from == 0 ? a : b);
  };
  const auto every_second = [&](int from) {
    std::vector<int> pick;
    for (int l = 0; l < type.lanes; ++l) pick.push_back(from + 2 * l);
    return text(type.lanes > 1 ? v_shuffle(a, b, pick) : from == 0 ? a : b);
  };
  switch (hole.kind) {
    case VectorHoleKind::vector: return e.c_type(type);
    case VectorHoleKind::memory: return type.lanes > 1 ? e.memory_type(type.dtype, type.lanes) : e.c_type(type);
    case VectorHoleKind::lanes: return std::to_string(type.lanes);
    case VectorHoleKind::min: return text(v_apply(ScalarOp::Min, {a, b}));
    case VectorHoleKind::max: return text(v_apply(ScalarOp::Max, {a, b}));
    case VectorHoleKind::zip_low: return zip(0);
    case VectorHoleKind::zip_high: return zip((type.lanes + 1) / 2);
    case VectorHoleKind::even: return every_second(0);
    case VectorHoleKind::odd: return every_second(1);
    case VectorHoleKind::any_less: {
      const Operand less = v_apply(ScalarOp::Lt, {a, b});
      return text(type.lanes > 1 ? v_fold(Reducer::Any, less) : less);
    }
  }
  TENON_UNREACHABLE("a hole of no kind");
}

/// What functions of a frame are called that do not depend on types.
std::string shared_name(const Emitter& e, const InnerFunction& f) {
  return fmt::format("{}_{}_{}", e.options.prefix, f.frame->name, e.isa.suffix);
}

/// A part of a frame with its holes filled, under the name of its function.
void add_text(Emitter& e, const InnerFunction& f, const std::string& part, const std::string& name) {
  const TextTemplate text("c/" + f.frame->name + ".c.in", part);
  const std::vector<std::string> wanted = text.hole_names();
  std::vector<HoleValue> values;
  const auto add = [&](const std::string& hole, std::string value) {
    if (contains(wanted, hole)) values.push_back({hole, std::move(value)});
  };
  add("name", name);
  add("shared", shared_name(e, f));
  add(std::string(kTargetHole), e.isa.target.empty() ? "" : target_macro(e.isa, e.options) + ' ');
  for (const std::string& hole : wanted)
    if (const auto vector = vector_hole(hole)) add(hole, vector_text(e, *vector));
  size_t pointer = 0;
  for (const FrameParameter& p : f.frame->parameters) {
    if (!p.is_pointer()) continue;
    const DType type = f.buffers[pointer++].dtype;
    for (const FrameHole& row : frame_holes())
      if (p.is_tensor())
        add(frame_hole_name(p.name, row), row.suffix == "type" ? e.storage_type(type) : row.text(type));
  }
  CFunction c;
  c.name = name;
  c.text = with_broken_lines(text.fill(values));
  e.needs.add_function(std::move(c));
}

/// The text of a frame; what precedes the line `//= each type` is printed once a file.
void add_frame(Emitter& e, const InnerFunction& f, const std::string& name) {
  constexpr std::string_view kEach = "\n//= each type\n";
  const std::string& text = f.frame->text;
  const std::size_t each = text.find(kEach);
  if (each == std::string::npos) return add_text(e, f, text, name);
  if (!e.needs.has(shared_name(e, f))) add_text(e, f, text.substr(0, each), shared_name(e, f));
  add_text(e, f, text.substr(each + kEach.size()), name);
}

void add_function(Emitter& e, const InnerFunction& f, const std::string& name) {
  f.frame ? add_frame(e, f, name) : add_inner(e, f, name);
}

/// A function of this name from another nest has to be identical.
void check_common(const Emitter& e, const InnerFunction& f, const std::string& name) {
  EmitNeeds needs;
  Emitter again(e.isa, e.options, needs, e.nest);
  add_function(again, f, name);
  TENON_CHECK(print_c99(*needs.function(name)) == print_c99(*e.needs.function(name)), "two functions are called {}",
              name);
}

}  // namespace

void call_inner(Emitter& e, const SCall& n, CBlock& out) {
  const InnerFunction& f = e.nest->functions[static_cast<size_t>(n.function)];
  const bool common = f.common && e.options.common_functions;
  std::string name = common ? fmt::format("{}_{}_{}", e.options.prefix, f.name, e.isa.suffix)
                            : fmt::format("{}_{}_{}", e.options.prefix, e.nest->name, f.name);
  const bool first_call = e.called_functions.insert(n.function).second;
  if (!e.needs.has(name)) add_function(e, f, name);
  else if (common && first_call) check_common(e, f, name);
  std::vector<CExpr> args;
  for (const BufferArgument& b : n.buffers) {
    if (b.buffer < 0) {
      args.push_back(c_text("NULL"));
      continue;
    }
    const CExpr base = c_text(e.buffer_name(b.buffer));
    args.push_back(e.known(b.offset) == 0 ? base : c_binary(base, "+", e.index(b.offset)));
  }
  for (const Operand& a : n.args) args.push_back(a->type.dtype == DType::I64 ? e.index(a) : e.operand(a));
  CExpr call = c_call(std::move(name), std::move(args));
  if (!may_fail(f.body, e.nest->functions)) return out.push_back(c_evaluate(std::move(call)));
  const CExpr status = c_text(e.declare("status", Binding{"", {DType::I32, 1, 0}, false, false, std::nullopt}));
  out.push_back(c_declare("const int", print_c99(status), std::move(call)));
  out.push_back(c_if(c_binary(status, "!=", c_text("0")), {c_return(status)}));
}

}  // namespace tenon::emit
