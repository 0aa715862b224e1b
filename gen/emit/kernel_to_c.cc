// LoopNest to C: the function's head, what it unpacks from its arguments, the banner, and the text around the functions
// of a level.
#include "emit/kernel_to_c.h"

#include <fmt/format.h>

#include <algorithm>

#include "emit/banner.h"
#include "emit/emitter.h"
#include "support/c_names.h"
#include "support/check.h"

namespace tenon {
namespace {

using emit::Emitter;

/// A temp of 0 elements lives in registers alone: it has no place in the workspace.
bool in_workspace(const Buffer& b) { return b.storage == Storage::Workspace && constant_value(b.elements) != 0; }
bool has_workspace(const LoopNest& n, bool per_worker = false) {
  return std::any_of(n.buffers.begin(), n.buffers.end(),
                     [=](const Buffer& b) { return in_workspace(b) && b.per_worker == per_worker; });
}

/// Random numbers are the same on every level.
bool draws_random(const Kernel& k) {
  bool found = false;
  for_each_statement(k, [&](const KernelStatement& s) {
    walk(s.value, [&](const Expr& e) {
      const auto* apply = std::get_if<Apply>(&e->node);
      found = found || (apply && apply->op == ScalarOp::Philox);
      return !found;
    });
  });
  return found;
}

/// Entry of `in` or `out` that a tensor comes from.
int argument_of(const Kernel& k, int tensor) {
  const bool output = k.tensors[static_cast<size_t>(tensor)].role == Role::Output;
  int n = 0;
  for (int i = 0; i < tensor; ++i) {
    const Role r = k.tensors[static_cast<size_t>(i)].role;
    if (output ? r == Role::Output : r == Role::Input || r == Role::Constant) ++n;
  }
  return n;
}

/// Entry of `attr` that an element of an attribute comes from: lists and complex numbers take several.
int attr_position(const Kernel& k, const std::string& name, int element) {
  int n = 0;
  for (const Attr& a : k.attrs) {
    const int width = is_complex(a.dtype) ? 2 : 1;
    if (a.name == name) return n + element * width;
    n += a.count * width;
  }
  TENON_UNREACHABLE("attribute {} of {}", name, k.name);
}

const Attr& attr_named(const Kernel& k, const std::string& name) {
  for (const Attr& a : k.attrs)
    if (a.name == name) return a;
  TENON_UNREACHABLE("attribute {} of {}", name, k.name);
}

std::string pointer_type(const Emitter& e, const Tensor& t) {
  return (t.role == Role::Output ? "" : "const ") + e.storage_type(t.dtype) + (t.shared ? " *" : " *restrict");
}

class FunctionBuilder {
 public:
  FunctionBuilder(const LoopNest& n, const Isa& isa, const EmitOptions& o, EmitNeeds& needs)
      : nest(n), kernel(*n.kernel), options(o), e(isa, o, needs, &n) {}

  CFunction kernel_function() {
    e.split_parallel = options.split_parallel && parallel_iterations(nest);
    CBlock body;
    e.block(nest.body, body);
    CBlock carved = workspace();
    CFunction f = head();
    f.comment = emit::banner_text(options.banner ? *options.banner : banner_of(kernel), nest.blueprint);
    if (options.style == FunctionStyle::Library) library_prologue(f);
    f.body.insert(f.body.end(), carved.begin(), carved.end());
    f.body.insert(f.body.end(), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
    f.body.push_back(c_return(c_text("0")));
    return f;
  }

  CFunction workspace_function() {
    CFunction f;
    f.comment = fmt::format("Bytes of workspace that {} takes.", function_name(nest, options));
    f.specifiers = options.exported ? "" : "static";
    f.result = "int64_t";
    f.name = function_name(nest, options) + "_workspace";
    f.params = {"const int64_t *size", fmt::format("const {}_scalar *attr", options.prefix)};
    CExpr total;
    e.is_measuring = options.style == FunctionStyle::Library;
    for (const Buffer& b : nest.buffers)
      if (in_workspace(b)) total = total ? c_binary(total, "+", rounded_bytes(b)) : rounded_bytes(b);
    if (total && options.style == FunctionStyle::Library) total = c_binary(total, "+", c_text("63"));
    if (const auto known = constant_workspace_bytes(nest, options.style)) total = c_text(index_literal(*known));
    else sizes_and_attrs(f.body);
    CBlock unused;
    if (e.used_sizes.empty()) unused.push_back(c_evaluate(c_cast("void", c_text("size"))));
    if (e.used_attrs.empty()) unused.push_back(c_evaluate(c_cast("void", c_text("attr"))));
    f.body.insert(f.body.begin(), unused.begin(), unused.end());
    f.body.push_back(c_return(total));
    return f;
  }

  CFunction iterations_function() {
    const Operand n = parallel_iterations(nest);
    Block lets(nest.body.begin(), nest.body.end() - 1);
    CFunction f;
    CBlock body;
    e.block(lets, body);
    body.push_back(c_return(e.index(n)));
    f.comment = fmt::format("How many iterations {} shares out.", function_name(nest, options));
    f.specifiers = "static";
    f.result = "int64_t";
    f.name = function_name(nest, options) + "_iterations";
    for (const std::string& s : model_parameters(nest, options).sizes) {
      f.params.push_back("int64_t " + e.size_name(s));
      if (!e.used_sizes.count(s)) f.body.push_back(c_evaluate(c_cast("void", c_text(e.size_name(s)))));
    }
    f.body.insert(f.body.end(), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
    return f;
  }

 private:
  const LoopNest& nest;
  const Kernel& kernel;
  const EmitOptions& options;
  Emitter e;
  bool takes_memory = false;      ///< something is in the workspace
  bool takes_own_memory = false;  ///< something is in the memory of the worker

  CFunction head() {
    CFunction f;
    f.specifiers = options.exported ? "" : "static";
    if (!e.isa.target.empty()) f.specifiers += (f.specifiers.empty() ? "" : " ") + emit::target_macro(e.isa, options);
    f.result = "int";
    f.name = function_name(nest, options);
    if (options.style == FunctionStyle::Library)
      f.params = {"const int64_t *size", fmt::format("const {}_scalar *attr", options.prefix), "const void *const *in",
                  "void *const *out", "void *workspace"};
    else model_params(f);
    return f;
  }

  void model_params(CFunction& f) {
    const ModelParameters p = model_parameters(nest, options);
    for (const int t : p.tensors) {
      const Tensor& tensor = kernel.tensors[static_cast<size_t>(t)];
      f.params.push_back(pointer_type(e, tensor) + (tensor.shared ? "" : " ") + e.tensor_name(t));
      if (!used(t)) f.body.push_back(c_evaluate(c_cast("void", c_text(e.tensor_name(t)))));
    }
    for (const std::string& s : p.sizes) {
      f.params.push_back("int64_t " + e.size_name(s));
      if (!e.used_sizes.count(s)) f.body.push_back(c_evaluate(c_cast("void", c_text(e.size_name(s)))));
    }
    for (const auto& [name, element] : p.attrs) {
      f.params.push_back(e.c_type(attr_named(kernel, name).dtype) + ' ' + e.attr_name(name, element));
      if (!e.used_attrs.count({name, element}))
        f.body.push_back(c_evaluate(c_cast("void", c_text(e.attr_name(name, element)))));
    }
    if (p.workspace) f.params.push_back("void *workspace");
    if (p.workspace && !takes_memory) f.body.push_back(c_evaluate(c_cast("void", c_text("workspace"))));
    if (p.worker_memory) f.params.push_back("void *worker_memory");
    if (p.worker_memory && !takes_own_memory) f.body.push_back(c_evaluate(c_cast("void", c_text("worker_memory"))));
    if (p.split) f.params.insert(f.params.end(), {"int64_t begin", "int64_t end"});
  }

  bool used(int tensor) const {
    for (const int b : e.used_buffers) {
      const Buffer& buffer = nest.buffers[static_cast<size_t>(b)];
      if (buffer.storage == Storage::Tensor && buffer.tensor == tensor) return true;
    }
    return false;
  }

  void library_prologue(CFunction& f) {
    sizes_and_attrs(f.body);
    bool reads = false, writes = false;
    for (size_t t = 0; t < kernel.tensors.size(); ++t) {
      const int i = static_cast<int>(t);
      if (!used(i)) continue;
      const bool output = kernel.tensors[t].role == Role::Output;
      (output ? writes : reads) = true;
      const std::string type = pointer_type(e, kernel.tensors[t]);
      const CExpr from = c_index(c_text(output ? "out" : "in"), c_text(std::to_string(argument_of(kernel, i))));
      f.body.push_back(c_declare(type, e.tensor_name(i), c_cast(type.substr(0, type.size() - 8), from)));
    }
    CBlock unused;
    const auto unused_when = [&](bool cond, const char* name) {
      if (cond) unused.push_back(c_evaluate(c_cast("void", c_text(name))));
    };
    unused_when(e.used_sizes.empty(), "size");
    unused_when(e.used_attrs.empty(), "attr");
    unused_when(!reads, "in");
    unused_when(!writes, "out");
    unused_when(!takes_memory, "workspace");
    f.body.insert(f.body.begin(), unused.begin(), unused.end());
  }

  void sizes_and_attrs(CBlock& body) {
    for (size_t i = 0; i < kernel.sizes.size(); ++i)
      if (e.used_sizes.count(kernel.sizes[i].name))
        body.push_back(c_declare("const int64_t", e.size_name(kernel.sizes[i].name),
                                 c_index(c_text("size"), c_text(std::to_string(i)))));
    for (const Attr& a : kernel.attrs)
      for (int k = 0; k < a.count; ++k)
        if (e.used_attrs.count({a.name, k}))
          body.push_back(c_declare("const " + e.c_type(a.dtype), e.attr_name(a.name, k),
                                   attr_value(a, attr_position(kernel, a.name, k))));
  }

  CExpr attr_value(const Attr& a, int position) {
    const auto part = [&](int at, std::string_view field) {
      return c_member(c_index(c_text("attr"), c_text(std::to_string(at))), field);
    };
    if (a.dtype == DType::Bool) return c_binary(part(position, "i"), "!=", c_text("0"));
    if (is_complex(a.dtype)) {
      const std::string real = e.c_type(real_of(a.dtype));
      return c_braces("", {c_cast(real, part(position, "f")), c_cast(real, part(position + 1, "f"))});
    }
    const bool exact = a.dtype == DType::I64 || a.dtype == DType::F64;
    const CExpr v = part(position, is_float(a.dtype) ? "f" : "i");
    return exact ? v : c_cast(e.c_type(a.dtype), v);
  }

  /// Bytes of a buffer in the workspace, a multiple of 64.
  CExpr rounded_bytes(const Buffer& b) {
    if (const auto n = e.known(b.elements)) return c_text(index_literal((*n * bytes_of(b.dtype) + 63) / 64 * 64));
    CExpr n = e.index(b.elements);
    const CExpr bytes = c_text(std::to_string(bytes_of(b.dtype)));
    if (e.is_measuring && bytes_of(b.dtype) > 1) n = c_call(options.prefix + "_rt_bytes_times", {n, bytes});
    else if (bytes_of(b.dtype) > 1) n = c_binary(n, "*", bytes);
    return c_binary(c_binary(c_binary(n, "+", c_text("63")), "/", c_text("64")), "*", c_text("64"));
  }

  /// Declares the buffers that are no tensors. One that nothing touches keeps its place but has no name.
  CBlock workspace() {
    CBlock body;
    for (size_t i = 0; i < nest.buffers.size(); ++i) {
      const Buffer& b = nest.buffers[i];
      if (b.storage == Storage::Stack && e.uses(static_cast<int>(i)))
        body.push_back(stack_array(b, e.buffer_name(static_cast<int>(i))));
    }
    takes_memory = carve(false, body);
    takes_own_memory = carve(true, body);
    return body;
  }

  /// Declares the buffers of the workspace or of the worker's memory, one behind the other; true if there are any.
  bool carve(bool per_worker, CBlock& body) {
    std::vector<size_t> carved;
    for (size_t i = 0; i < nest.buffers.size(); ++i)
      if (in_workspace(nest.buffers[i]) && nest.buffers[i].per_worker == per_worker) carved.push_back(i);
    const std::string place = per_worker ? "own_memory" : "free_memory";
    while (!carved.empty() && !e.uses(static_cast<int>(carved.back()))) carved.pop_back();
    if (!carved.empty()) body.push_back(first_free(per_worker, place));
    for (const size_t i : carved) {
      const Buffer& b = nest.buffers[i];
      if (e.uses(static_cast<int>(i))) {
        const std::string type = e.storage_type(b.dtype) + " *";
        body.push_back(c_declare(type + "restrict", e.buffer_name(static_cast<int>(i)),
                                 c_cast(type, c_cast("void *", c_text(place)))));
      }
      if (i != carved.back()) body.push_back(c_assign(c_text(place), rounded_bytes(b), "+="));
    }
    return !carved.empty();
  }

  CStmt first_free(bool per_worker, const std::string& place) {
    if (options.style == FunctionStyle::Model)
      return c_declare("unsigned char *", place,
                       c_cast("unsigned char *", c_text(per_worker ? "worker_memory" : "workspace")));
    return c_declare("unsigned char *", place,
                     c_binary(c_cast("unsigned char *", c_text("workspace")), "+",
                              c_binary(c_unary("-", c_cast("uintptr_t", c_text("workspace"))), "&", c_text("63u"))));
  }

  CStmt stack_array(const Buffer& b, const std::string& name) {
    const auto n = e.known(b.elements);
    TENON_CHECK(n && *n > 0, "array {} has no constant size", b.name);
    return {CDeclaration{e.storage_type(b.dtype), name,
                         fmt::format("[{}]{}", *n, e.portable() ? "" : " __attribute__((aligned(64)))"), nullptr}};
  }
};

/// Collects names of sizes and attributes below an operand or block.
struct NamesUsed {
  std::set<std::string> sizes;
  std::set<std::pair<std::string, int>> attrs;

  void add(const Operand& v) {
    if (!v) return;
    if (const auto* s = std::get_if<VSize>(&v->node)) sizes.insert(s->name);
    if (const auto* a = std::get_if<VAttr>(&v->node)) attrs.emplace(a->name, a->element);
    map_children(v, [&](const Operand& c) {
      add(c);
      return c;
    });
  }
  void add(const Block& b) {
    for (const Stmt& s : b) std::visit([&](const auto& n) { add_statement(n); }, s.node);
  }

 private:
  void add_statement(const SLet& n) { add(n.value); }
  void add_statement(const SVar& n) { add(n.init); }
  void add_statement(const SAssign& n) { add(n.value); }
  void add_statement(const SStore& n) { add(n.offset), add(n.value), add(n.active); }
  void add_statement(const SFor& n) { add(n.begin), add(n.end), add(*n.body); }
  void add_statement(const SIf& n) {
    add(n.cond), add(*n.then);
    if (n.otherwise) add(*n.otherwise);
  }
  void add_statement(const SPrefetch& n) { add(n.offset); }
  void add_statement(const SFail&) {}
  void add_statement(const SComment&) {}
  void add_statement(const SCall& n) {
    for (const BufferArgument& b : n.buffers) add(b.offset);
    for (const Operand& a : n.args) add(a);
  }
};

}  // namespace

std::string function_name(const LoopNest& nest, const EmitOptions& options) {
  if (options.style != FunctionStyle::Model || !nest.kernel) return options.prefix + "_" + nest.name;
  // A model's own function of a level is PREFIX_run_LEVEL.
  const std::string& kernel = nest.kernel->name;
  const bool begins = nest.name.starts_with(kernel + "_");
  return options.prefix + "_" +
         (begins ? unreserved(kernel, NamesOf::step) + nest.name.substr(kernel.size()) : nest.name);
}

CFunction emit_kernel(const LoopNest& nest, const Isa& isa, const EmitOptions& options, EmitNeeds& needs) {
  if (isa.fma && nest.kernel && draws_random(*nest.kernel)) {
    EmitOptions own = options;
    own.common_functions = false;  // those of other kernels multiply and add at once
    return FunctionBuilder(nest, isa.without_fma(), own, needs).kernel_function();
  }
  return FunctionBuilder(nest, isa, options, needs).kernel_function();
}

CFunction emit_iterations_function(const LoopNest& nest, const Isa& isa, const EmitOptions& options, EmitNeeds& needs) {
  return FunctionBuilder(nest, isa, options, needs).iterations_function();
}

CFunction emit_workspace_function(const LoopNest& nest, const Isa& isa, const EmitOptions& options, EmitNeeds& needs) {
  return FunctionBuilder(nest, isa, options, needs).workspace_function();
}

std::optional<int64_t> constant_workspace_bytes(const LoopNest& nest, FunctionStyle style) {
  if (!has_workspace(nest)) return 0;
  const Isa none{};
  const EmitOptions options;
  EmitNeeds needs;
  Emitter e(none, options, needs, &nest);
  int64_t total = style == FunctionStyle::Library ? 63 : 0;
  for (const Buffer& b : nest.buffers) {
    if (!in_workspace(b)) continue;
    const auto n = e.known(b.elements);
    if (!n) return std::nullopt;
    total += (*n * bytes_of(b.dtype) + 63) / 64 * 64;
  }
  return total;
}

Operand parallel_iterations(const LoopNest& nest) {
  if (nest.body.empty()) return nullptr;
  const auto is_parallel = [](const Stmt& s) {
    const auto* loop = std::get_if<SFor>(&s.node);
    return loop && loop->kind == LoopKind::Parallel && loop->step > 0;
  };
  const auto* loop = std::get_if<SFor>(&nest.body.back().node);
  if (!is_parallel(nest.body.back()) || std::count_if(nest.body.begin(), nest.body.end(), is_parallel) > 1)
    return nullptr;
  const Operand span = loop->end - loop->begin;
  return loop->step == 1 ? span : v_apply(ScalarOp::FloorDiv, {span + v_int(loop->step - 1), v_int(loop->step)});
}

ModelParameters model_parameters(const LoopNest& nest, const EmitOptions& options) {
  const Kernel& k = *nest.kernel;
  ModelParameters p;
  for (const bool output : {false, true})
    for (size_t t = 0; t < k.tensors.size(); ++t)
      if (k.tensors[t].role != Role::Temp && (k.tensors[t].role == Role::Output) == output)
        p.tensors.push_back(static_cast<int>(t));
  NamesUsed names;
  names.add(nest.body);
  for (const Buffer& b : nest.buffers)
    if (in_workspace(b)) names.add(b.elements);
  for (const Size& s : k.sizes)
    if (s.lo != s.hi && names.sizes.count(s.name)) p.sizes.push_back(s.name);
  for (const Attr& a : k.attrs)
    for (int i = 0; i < a.count; ++i)
      if (names.attrs.count({a.name, i})) p.attrs.emplace_back(a.name, i);
  p.workspace = has_workspace(nest);
  p.worker_memory = has_workspace(nest, true);
  p.split = options.split_parallel && parallel_iterations(nest);
  return p;
}

}  // namespace tenon
