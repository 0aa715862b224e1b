// A loop of a library's kernel that workers share, as a function of its own and the call that hands it out.
#include "algebra/nest_survey.h"
#include "emit/function_builder.h"
#include "support/ranges.h"

namespace tenon::emit {

FunctionBuilder::FunctionBuilder(FunctionBuilder& around, const SFor& of)
    : nest(around.nest),
      kernel(around.kernel),
      options(around.options),
      e(around.e.isa, around.options, around.e.needs, &around.nest),
      outer(&around),
      loop(&of) {
  e.share = [this](const SFor& inner) { return shared(inner); };
}

/// The names that the loop reads: constants are substituted, all others are passed as parameters.
std::vector<FunctionBuilder::Captured> FunctionBuilder::capture() {
  NestSurvey used;
  used.add_loop(*loop);
  std::vector<Captured> out;
  for (const std::string& name : used.vars) {
    Binding binding = outer->e.lookup(name);
    if (binding.constant) {
      e.declare(name, std::move(binding));
      continue;
    }
    Captured& c = out.emplace_back(Captured{binding.c_name, "", binding.type});
    binding.c_name.clear();
    c.there = e.declare(name, std::move(binding));
  }
  return out;
}

/// Buffers of the workspace that all iterations have.
std::vector<int> FunctionBuilder::memory_from_outside() const {
  std::vector<int> out;
  for (size_t i = 0; i < nest.buffers.size(); ++i) {
    const int b = static_cast<int>(i);
    if (in_workspace(nest.buffers[i]) && e.uses(b) && !is_own(b)) out.push_back(b);
  }
  return out;
}

void FunctionBuilder::declare_buffer(int buffer, const CExpr& at, CBlock& body) {
  const std::string type = e.storage_type(nest.buffers[static_cast<size_t>(buffer)].dtype) + " *";
  body.push_back(c_declare(type + "restrict", e.buffer_name(buffer), c_cast(type, c_cast("void *", at))));
}

/// Bytes of what each worker has for itself; null without any.
CExpr FunctionBuilder::own_bytes() {
  CExpr total;
  for (const Buffer& b : nest.buffers)
    if (in_workspace(b) && b.per_worker) total = total ? c_binary(total, "+", rounded_bytes(b)) : rounded_bytes(b);
  return total;
}

/// The shared part of the workspace, then one part per worker. The kernel's own function uses the part of worker 0.
void FunctionBuilder::carve_all(CBlock& body) {
  const CExpr place = c_text("free_memory");
  body.push_back(first_free(false, "free_memory"));
  const CExpr own = own_bytes();
  std::vector<size_t> order;
  for (const bool per_worker : {false, true})
    for (size_t i = 0; i < nest.buffers.size(); ++i)
      if (in_workspace(nest.buffers[i]) && nest.buffers[i].per_worker == per_worker) order.push_back(i);
  size_t last = 0, own_from = order.size();
  for (size_t k = order.size(); k-- > 0;)
    if (nest.buffers[order[k]].per_worker) own_from = k;
  for (size_t k = 0; k < order.size(); ++k)
    if (e.uses(static_cast<int>(order[k])) || (own && k == own_from)) last = k;
  for (size_t k = 0; k <= last && k < order.size(); ++k) {
    if (own && k == own_from) {
      body.push_back(c_declare("unsigned char *const", "own", place));
      body.push_back(c_declare("const int64_t", "own_bytes", own));
    }
    if (e.uses(static_cast<int>(order[k]))) declare_buffer(static_cast<int>(order[k]), place, body);
    if (k != last) body.push_back(c_assign(place, rounded_bytes(nest.buffers[order[k]]), "+="));
  }
}

/// The fields of the argument of a loop's function.
void FunctionBuilder::unpack_part(CBlock& body, const std::vector<Captured>& captured) {
  for (size_t i = 0; i < captured.size(); ++i) {
    const Captured& c = captured[i];
    const CExpr from = c_index(c_text("part->captured"), c_text(std::to_string(i)));
    const CExpr value = c_member(from, is_float(c.type.dtype) ? "f" : "i");
    const std::string type = e.c_type(c.type);
    const bool exact = c.type.dtype == DType::I64 || c.type.dtype == DType::F64;
    body.push_back(c_declare("const " + type, c.there,
                             c.type.dtype == DType::Bool ? c_binary(value, "!=", c_text("0"))
                             : exact                     ? value
                                                         : c_cast(type, value)));
  }
  const std::vector<int> memory = memory_from_outside();
  for (size_t i = 0; i < memory.size(); ++i)
    declare_buffer(memory[i], c_index(c_text("part->memory"), c_text(std::to_string(i))), body);
  for (size_t i = 0; i < nest.buffers.size(); ++i)
    if (nest.buffers[i].storage == Storage::Stack && e.uses(static_cast<int>(i)))
      body.push_back(stack_array(nest.buffers[i], e.buffer_name(static_cast<int>(i))));
  std::vector<size_t> own;
  for (size_t i = 0; i < nest.buffers.size(); ++i)
    if (in_workspace(nest.buffers[i]) && nest.buffers[i].per_worker) own.push_back(i);
  const auto mine = [&](size_t i) { return is_own(static_cast<int>(i)) && e.uses(static_cast<int>(i)); };
  while (!own.empty() && !mine(own.back())) own.pop_back();
  takes_own_memory = !own.empty();
  if (own.empty()) return;
  body.push_back(c_declare("unsigned char *", "own_memory", c_text("part->own + worker*part->own_bytes")));
  for (const size_t i : own) {
    if (mine(i)) declare_buffer(static_cast<int>(i), c_text("own_memory"), body);
    if (i != own.back()) body.push_back(c_assign(c_text("own_memory"), rounded_bytes(nest.buffers[i]), "+="));
  }
}

CFunction FunctionBuilder::loop_function(const std::string& name, const std::vector<Captured>& captured) {
  e.open_scope();
  const std::string var = e.declare(loop->var, Binding{"", {}, true, true, std::nullopt});
  CFor iterations{"int64_t", var, c_text("begin"), c_binary(c_text(var), "<", c_text("end")), "++" + var, {}};
  e.block(*loop->body, iterations.body);
  e.close_scope();
  CBlock inside;
  unpack_part(inside, captured);
  CBlock arguments;
  const Unpacked from = unpack(arguments);
  CFunction f;
  f.comment = fmt::format("Iterations begin to end-1 of {} in {}.", loop->var, function_name(nest, options));
  f.specifiers = "static";
  if (!e.isa.target.empty()) f.specifiers += " " + target_macro(e.isa, options);
  f.result = "void";
  f.name = name;
  f.params = {"void *arg", "int64_t begin", "int64_t end", "int worker"};
  const std::string type = fmt::format("const {}_part *const", options.prefix);
  f.body.push_back(c_declare(type, "part", c_cast(fmt::format("const {}_part *", options.prefix), c_text("arg"))));
  const auto array = [&](bool used, const char* its_type, const std::string& array_name) {
    if (used) f.body.push_back(c_declare(its_type, array_name, c_text("part->" + array_name)));
  };
  array(!e.used_sizes.empty(), "const int64_t *const", "size");
  array(!e.used_attrs.empty(), fmt::format("const {}_scalar *const", options.prefix).c_str(), "attr");
  array(from.reads, "const void *const *const", "in");
  array(from.writes, "void *const *const", "out");
  if (!takes_own_memory && parts == 0) f.body.push_back(c_evaluate(c_cast("void", c_text("worker"))));
  for (CBlock* block : {&arguments, &inside})
    f.body.insert(f.body.end(), std::make_move_iterator(block->begin()), std::make_move_iterator(block->end()));
  f.body.push_back({std::move(iterations)});
  return f;
}

/// The values passed to a loop's function.
CExpr FunctionBuilder::argument(const FunctionBuilder& part, const std::vector<Captured>& captured) {
  const std::string of = outer ? "part->" : "";
  std::vector<CExpr> numbers, memory;
  for (const Captured& c : captured) {
    const char* const cast = c.type.dtype == DType::U64 ? "(int64_t)" : c.type.dtype == DType::F32 ? "(double)" : "";
    numbers.push_back(
        c_braces("", {c_text(fmt::format(".{} = {}{}", is_float(c.type.dtype) ? "f" : "i", cast, c.here))}));
  }
  for (const int b : part.memory_from_outside()) memory.push_back(c_text(e.buffer_name(b)));
  const CExpr none = c_text("NULL");
  const bool any_own = has_workspace(nest, true);
  const CExpr own = any_own ? c_text(of + "own") : none, bytes = c_text(any_own ? of + "own_bytes" : "0");
  const CExpr share = c_text(
      outer ? fmt::format("({}_share){{part->share.context, part->share.bytes, worker}}", options.prefix) : "*share");
  return c_unary(
      "&", c_braces(options.prefix + "_part",
                    {c_text(of + "size"), c_text(of + "attr"),
                     numbers.empty() ? none : c_braces(fmt::format("const {}_scalar[]", options.prefix), numbers),
                     c_text(of + "in"), c_text(of + "out"), memory.empty() ? none : c_braces("void *const[]", memory),
                     own, bytes, share}));
}

namespace {

/// Iterations of the only loop in a shared one's body that workers may share, where that is known in front of it.
Operand iterations_inside(const SFor& of) {
  const SFor* inside = nullptr;
  std::set<std::string> within{of.var};
  for (const Stmt& s : *of.body) {
    NestSurvey used;
    used.add(s);
    const auto* loop = std::get_if<SFor>(&s.node);
    const bool shared = loop && loop->kind == LoopKind::Parallel;
    if (used.parallel && (!shared || inside)) return nullptr;
    if (shared) inside = loop;
  }
  if (!inside) return nullptr;
  NestSurvey end;
  end.add(inside->end);
  add_declared_names(*of.body, within);
  return end.loads || any_of(end.vars, [&](const auto& name) { return within.count(name) > 0; }) ? nullptr
                                                                                                 : inside->end;
}

}  // namespace

CStmt FunctionBuilder::shared(const SFor& of) {
  ++parts;
  FunctionBuilder* kernel_of_all = this;
  while (kernel_of_all->outer) kernel_of_all = kernel_of_all->outer;
  const std::string name = fmt::format("{}_loop{}", function_name(nest, options), ++kernel_of_all->loops);
  FunctionBuilder part(*this, of);
  const std::vector<Captured> captured = part.capture();
  CFunction function = part.loop_function(name, captured);
  const CExpr given = argument(part, captured);
  e.needs.add_function(std::move(function));
  const Operand known = part.parts == 0 ? v_int(0) : iterations_inside(of);
  return c_evaluate(c_call(options.prefix + "_rt_share",
                           {given, e.index(of.end), known ? e.index(known) : c_text("-1"), c_text(name)}));
}

}  // namespace tenon::emit
