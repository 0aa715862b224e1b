// Inner functions of a nest: parts with an innermost loop that wants the registers to itself.
#include "emit/emitter.h"

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
  c.specifiers = "static";
  if (!e.isa.target.empty()) c.specifiers += ' ' + target_macro(e.isa, e.options);
  // inlined into its callers, it would share their registers again
  if (!e.portable()) c.specifiers += " __attribute__((noinline))";
  c.result = "void";
  c.name = name;
  for (size_t i = 0; i < f.buffers.size(); ++i) {
    const Buffer& b = f.buffers[i];
    c.params.push_back((b.writable ? "" : "const ") + inner.storage_type(b.dtype) + " *restrict " + inner.buffer_name(static_cast<int>(i)));
  }
  for (const std::string& p : f.params) c.params.push_back("int64_t " + inner.declare(p, Binding{"", {}, true, false, std::nullopt}));
  inner.block(f.body, c.body);
  e.needs.add_function(std::move(c));
}

}  // namespace

CStmt call_inner(Emitter& e, const SCall& n) {
  const InnerFunction& f = e.nest->functions[static_cast<size_t>(n.function)];
  std::string name = e.options.prefix + '_' + e.nest->name + '_' + f.name;
  if (!e.needs.has(name)) add_inner(e, f, name);
  std::vector<CExpr> args;
  for (const BufferArgument& b : n.buffers) {
    const CExpr base = c_text(e.buffer_name(b.buffer));
    args.push_back(constant_value(b.offset) == 0 ? base : c_binary(base, "+", e.index(b.offset)));
  }
  for (const Operand& a : n.args) args.push_back(e.index(a));
  return c_evaluate(c_call(std::move(name), std::move(args)));
}

}  // namespace tenon::emit
