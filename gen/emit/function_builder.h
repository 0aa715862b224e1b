// One kernel as a C function: its head, what it unpacks from its arguments, and the places of its buffers. Private to
// emit.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "emit/emitter.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon::emit {

/// A temporary of 0 elements is kept in registers: it has no space in the workspace.
inline bool in_workspace(const Buffer& b) { return b.storage == Storage::Workspace && constant_value(b.elements) != 0; }
inline bool has_workspace(const LoopNest& n, bool per_worker = false) {
  return any_of(n.buffers, [=](const Buffer& b) { return in_workspace(b) && b.per_worker == per_worker; });
}

/// Entry of `in` or `out` that a tensor comes from.
inline int argument_of(const Kernel& k, int tensor) {
  const bool output = k.tensor(tensor).role == Role::Output;
  int n = 0;
  for (int i = 0; i < tensor; ++i) {
    const Role r = k.tensor(i).role;
    if (output ? r == Role::Output : r == Role::Input || r == Role::Constant) ++n;
  }
  return n;
}

/// Entry of `attr` that an element of an attribute comes from: lists and complex numbers take several.
inline int attr_position(const Kernel& k, const std::string& name, int element) {
  int n = 0;
  for (const Attr& a : k.attrs) {
    const int width = is_complex(a.dtype) ? 2 : 1;
    if (a.name == name) return n + element * width;
    n += a.count * width;
  }
  TENON_UNREACHABLE("attribute {} of {}", name, k.name);
}

inline const Attr& attr_named(const Kernel& k, const std::string& name) {
  for (const Attr& a : k.attrs)
    if (a.name == name) return a;
  TENON_UNREACHABLE("attribute {} of {}", name, k.name);
}

inline std::string pointer_type(const Emitter& e, const Tensor& t) {
  return (t.role == Role::Output ? "" : "const ") + e.storage_type(t.dtype) + (t.shared ? " *" : " *restrict");
}

class FunctionBuilder {
 public:
  FunctionBuilder(const LoopNest& n, const Isa& isa, const EmitOptions& o, EmitNeeds& needs)
      : nest(n), kernel(*n.kernel), options(o), e(isa, o, needs, &n) {
    if (o.shares_loops) e.share = [this](const SFor& inner) { return shared(inner); };
  }

  CFunction kernel_function() {
    e.split_parallel = options.split_parallel && parallel_iterations(nest);
    CBlock body;
    e.block(nest.body, body);
    CBlock carved = workspace();
    CFunction f = head();
    f.comment = emit::banner_text(options.banner ? *options.banner : banner_of(kernel), nest.blueprint);
    if (options.style == FunctionStyle::Library) library_prologue(f);
    append(f.body, carved);
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
    if (options.shares_loops) f.params.push_back("int64_t workers");
    for (const Buffer& b : nest.buffers)
      if (in_workspace(b) && !(options.shares_loops && b.per_worker))
        total = total ? c_binary(total, "+", rounded_bytes(b)) : rounded_bytes(b);
    const CExpr own = options.shares_loops ? own_bytes() : nullptr;
    if (own) {
      const CExpr all = c_call(options.prefix + "_rt_bytes_times", {own, c_text("workers")});
      total = total ? c_binary(total, "+", all) : all;
    }
    if (total && options.style == FunctionStyle::Library) total = c_binary(total, "+", c_text("63"));
    if (const auto known = constant_workspace_bytes(nest, options.style)) total = c_text(index_literal(*known));
    else sizes_and_attrs(f.body);
    CBlock unused;
    if (e.used_sizes.empty()) unused.push_back(c_evaluate(c_cast("void", c_text("size"))));
    if (e.used_attrs.empty()) unused.push_back(c_evaluate(c_cast("void", c_text("attr"))));
    if (options.shares_loops && !own) unused.push_back(c_evaluate(c_cast("void", c_text("workers"))));
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
    size_params(f, model_parameters(nest, options).sizes);
    f.body.insert(f.body.end(), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
    return f;
  }

 private:
  /// The function of a loop that workers share.
  FunctionBuilder(FunctionBuilder& around, const SFor& of);

  const LoopNest& nest;
  const Kernel& kernel;
  const EmitOptions& options;
  Emitter e;
  FunctionBuilder* outer = nullptr;  ///< of the function that the loop is in
  const SFor* loop = nullptr;
  int parts = 0;                  ///< loops of the function that workers share, so far
  int loops = 0;                  ///< the same with those inside of them
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
    if (options.shares_loops) f.params.push_back(fmt::format("const {}_share *share", options.prefix));
    return f;
  }

  void size_params(CFunction& f, const std::vector<std::string>& sizes) {
    for (const std::string& s : sizes) {
      f.params.push_back("int64_t " + e.size_name(s));
      if (!e.used_sizes.count(s)) f.body.push_back(c_evaluate(c_cast("void", c_text(e.size_name(s)))));
    }
  }

  void model_params(CFunction& f) {
    const ModelParameters p = model_parameters(nest, options);
    for (const int t : p.tensors) {
      const Tensor& tensor = kernel.tensor(t);
      f.params.push_back(pointer_type(e, tensor) + (tensor.shared ? "" : " ") + e.tensor_name(t));
      if (!used(t)) f.body.push_back(c_evaluate(c_cast("void", c_text(e.tensor_name(t)))));
    }
    size_params(f, p.sizes);
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

  /// The values that a function reads from its argument arrays.
  struct Unpacked {
    bool reads = false, writes = false;
  };
  Unpacked unpack(CBlock& body) {
    sizes_and_attrs(body);
    Unpacked out;
    for (size_t t = 0; t < kernel.tensors.size(); ++t) {
      const int i = static_cast<int>(t);
      if (!used(i)) continue;
      const bool output = kernel.tensors[t].role == Role::Output;
      (output ? out.writes : out.reads) = true;
      const std::string plain = (output ? "" : "const ") + e.storage_type(kernel.tensors[t].dtype) + " *";
      // functions of loops write to outputs as well
      const std::string type = output && parts > 0 ? plain : pointer_type(e, kernel.tensors[t]);
      const CExpr from = c_index(c_text(output ? "out" : "in"), c_text(std::to_string(argument_of(kernel, i))));
      body.push_back(c_declare(type, e.tensor_name(i), c_cast(plain, from)));
    }
    return out;
  }

  void library_prologue(CFunction& f) {
    const Unpacked from = unpack(f.body);
    CBlock unused;
    const auto unused_when = [&](bool cond, const char* name) {
      if (cond) unused.push_back(c_evaluate(c_cast("void", c_text(name))));
    };
    unused_when(e.used_sizes.empty() && parts == 0, "size");
    unused_when(e.used_attrs.empty() && parts == 0, "attr");
    unused_when(!from.reads && parts == 0, "in");
    unused_when(!from.writes && parts == 0, "out");
    unused_when(!takes_memory, "workspace");
    unused_when(options.shares_loops && parts == 0, "share");
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
    const auto part = [&](int at, const char* field) {
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
    e.is_bounded = true;
    CExpr n = e.index(b.elements);
    e.is_bounded = false;
    const CExpr bytes = c_text(std::to_string(bytes_of(b.dtype)));
    if (e.is_measuring && bytes_of(b.dtype) > 1) n = c_call(options.prefix + "_rt_bytes_times", {n, bytes});
    else if (bytes_of(b.dtype) > 1) n = c_binary(n, "*", bytes);
    return c_binary(c_binary(c_binary(n, "+", c_text("63")), "/", c_text("64")), "*", c_text("64"));
  }

  /// Declares the buffers that are not tensors. An unused one keeps its offset but is not declared.
  CBlock workspace() {
    CBlock body;
    for (size_t i = 0; i < nest.buffers.size(); ++i) {
      const Buffer& b = nest.buffers[i];
      if (b.storage == Storage::Stack && e.uses(static_cast<int>(i)))
        body.push_back(stack_array(b, e.buffer_name(static_cast<int>(i))));
    }
    if (options.shares_loops) {
      takes_memory = has_workspace(nest) || has_workspace(nest, true);
      if (takes_memory) carve_all(body);
      return body;
    }
    takes_memory = carve(false, body);
    takes_own_memory = carve(true, body);
    return body;
  }

  // ---- loops that workers share: function_of_loop.cc

  struct Captured {
    std::string here, there;  ///< names in the function around the loop and in its own
    OperandType type;
  };
  CStmt shared(const SFor& of);
  std::vector<Captured> capture();
  std::vector<int> memory_from_outside() const;
  CFunction loop_function(const std::string& name, const std::vector<Captured>& captured);
  CExpr argument(const FunctionBuilder& part, const std::vector<Captured>& captured);
  void unpack_part(CBlock& body, const std::vector<Captured>& captured);
  void carve_all(CBlock& body);
  CExpr own_bytes();
  bool is_own(int buffer) const { return contains(loop->own, buffer); }
  void declare_buffer(int buffer, const CExpr& at, CBlock& body);

  /// Declares the buffers of the workspace or of the worker's memory, one after another; true if there are any.
  bool carve(bool per_worker, CBlock& body) {
    std::vector<size_t> carved;
    for (size_t i = 0; i < nest.buffers.size(); ++i)
      if (in_workspace(nest.buffers[i]) && nest.buffers[i].per_worker == per_worker) carved.push_back(i);
    const std::string place = per_worker ? "own_memory" : "free_memory";
    while (!carved.empty() && !e.uses(static_cast<int>(carved.back()))) carved.pop_back();
    if (!carved.empty()) body.push_back(first_free(per_worker, place));
    for (const size_t i : carved) {
      const Buffer& b = nest.buffers[i];
      if (e.uses(static_cast<int>(i))) declare_buffer(static_cast<int>(i), c_text(place), body);
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

}  // namespace tenon::emit
