// Calls of kernels, loops and branches as C.
#include "harness/model/model_steps.h"

#include <fmt/format.h>

#include <iterator>

#include "harness/model/model_extents.h"
#include "ir/graph/graph_passes.h"
#include "ir/nest/c_ast.h"
#include "support/check.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class StepWriter {
 public:
  StepWriter(const ExecutionPlan& plan, const ModelLevel& level, const StepFrame& frame)
      : plan_(plan), level_(level), frame_(frame) {}

  CBlock run() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      move_to(plan_.steps[s].region);
      step(s);
      for (const EqualExtents& e : plan_.equal)
        if (last_writer(plan_, e) == s) check_equal(e);
    }
    move_to(kTopLevel);
    return std::move(blocks_.back());
  }

  std::vector<CFunction> tasks() const {
    std::vector<CFunction> out;
    for (size_t s = 0; s < plan_.steps.size(); ++s)
      for (size_t k = 0; k < level_.steps[s].phases.size(); ++k)
        if (level_.steps[s].phases[k].parallel) out.push_back(task(s, k));
    return out;
  }

 private:
  const PlanRegion& region(RegionId r) const { return plan_.region(r); }
  CExpr extent(const SizeExpr& e) const { return extent_value(plan_, e); }
  void add(CStmt s) { blocks_.back().push_back(std::move(s)); }
  /// The block of the region that ends.
  CBlock close() {
    CBlock body = std::move(blocks_.back());
    blocks_.pop_back();
    return body;
  }

  void copy(const PlanCopy& c) {
    const PlanBuffer& to = plan_.buffer(c.to);
    const SizeExpr bytes = product(to.dims) * SizeExpr(bytes_of(to.dtype));
    if (bytes.is(0)) return;
    add(c_evaluate(c_call("memcpy", {frame_.buffers.pointer(c.to, true), frame_.buffers.pointer(c.from, false),
                                     c_cast("size_t", extent(bytes))})));
  }

  void move_to(RegionId to) {
    const RegionChange change = region_change(plan_.regions, at_, to);
    for (const RegionId r : change.left) leave(region(r));
    for (const RegionId r : change.entered) enter(region(r));
    at_ = to;
  }

  static CExpr counter_in_call(size_t i) {
    return c_index(c_arrow(c_text("call"), "counters"), c_number(static_cast<int64_t>(i)));
  }

  void enter(const PlanRegion& r) {
    if (r.kind == Region::Kind::loop)
      for (const PlanCopy& c : r.before) copy(c);
    if (r.kind != Region::Kind::branch || r.holds) add(c_comment(comment_inside(r.origin)));
    if (is_checked(r)) add(c_declare("int64_t", r.counter, c_number(0)));
    blocks_.emplace_back();
    for (size_t i = 0; i < frame_.counters.size(); ++i)
      if (r.kind == Region::Kind::loop && r.counter == frame_.counters[i])
        add(c_assign(counter_in_call(i), c_text(r.counter)));
    for (const EqualExtents& e : r.equal) check_equal(e);
  }
  void check_equal(const EqualExtents& e) { add(c_if(extents_differ(plan_, e), {refuse()})); }
  CStmt refuse() const { return c_return(c_text(frame_.upper + "_E_SHAPE")); }

  void leave(const PlanRegion& r) {
    if (r.kind == Region::Kind::branch) return leave_branch(r);
    for (const PlanCopy& c : r.after) copy(c);
    if (r.continues >= 0) {
      CBlock end = {c_evaluate(c_text("break"))};
      if (r.complete) end.insert(end.begin(), c_evaluate(c_unary("++", c_text(r.counter))));
      add(c_if(c_unary("!", frame_.buffers.element(r.continues)), std::move(end)));
    }
    const bool declared = is_checked(r);
    CFor loop{"int64_t", r.counter, c_number(0), runs(r), "++" + r.counter, close()};
    if (declared) loop.type.clear();
    add({std::move(loop)});
    if (declared) add(c_if(wrong_iterations(r), {refuse()}));
  }

  /// The branch of a condition that does not hold follows the one that does.
  void leave_branch(const PlanRegion& r) {
    CBlock body = close();
    if (r.holds) return add(c_if(frame_.buffers.element(r.condition), std::move(body)));
    auto* const before = blocks_.back().empty() ? nullptr : std::get_if<CIf>(&blocks_.back().back().node);
    TENON_CHECK(before, "a branch of '{}' has no condition before it", r.origin);
    before->otherwise = std::move(body);
  }

  /// Whether the number of iterations is used after the loop.
  static bool is_checked(const PlanRegion& r) { return r.kind == Region::Kind::loop && (r.complete || r.partial); }

  /// The condition of the loop.
  CExpr runs(const PlanRegion& r) const {
    const CExpr i = c_text(r.counter);
    CExpr out = c_less(i, extent(r.trip));
    if (r.count >= 0) out = c_and(out, c_less(i, frame_.buffers.element(r.count)));
    if (r.starts >= 0) out = c_and(out, c_or(c_binary(i, ">", c_number(0)), frame_.buffers.element(r.starts)));
    return out;
  }

  CExpr wrong_iterations(const PlanRegion& r) const {
    const CExpr trip = extent(r.trip), i = c_text(r.counter);
    const auto too_many = [&] { return c_less(trip, frame_.buffers.element(r.count)); };
    if (r.partial) return c_and(c_equal(i, trip), too_many());
    const CExpr other = c_binary(i, "!=", trip);
    return r.complete && r.count >= 0 ? c_or(other, too_many()) : other;
  }

  /// Arguments of a step's function, or of one of its phases: tensors, sizes, workspace.
  std::vector<CExpr> arguments(size_t s, const std::vector<std::string>& sizes, bool workspace) const {
    const PlanStep& step = plan_.steps[s];
    std::vector<CExpr> out;
    for (const int tensor : level_.steps[s].tensors) {
      const Tensor& t = step.kernel.tensor(tensor);
      out.push_back(t.extent.empty()
                        ? frame_.buffers.pointer(step.buffers[static_cast<size_t>(tensor)], t.role == Role::Output)
                        : c_unary("&", extent(size_name(t.extent))));
    }
    for (const std::string& z : sizes) out.push_back(extent(size_name(z)));
    if (workspace) out.push_back(workspace_of(step));
    return out;
  }

  CExpr workspace_of(const PlanStep& s) const {
    return frame_.arena.address(s.scratch_memory, c_text(frame_.arena.workspace_of(s)));
  }

  static CExpr call(const std::string& function, std::vector<CExpr> args, const std::vector<int64_t>& numbers) {
    for (const int64_t n : numbers) args.push_back(c_number(n));
    return c_call(function, std::move(args));
  }

  CFunction task(size_t s, size_t phase) const {
    const PhaseText& p = level_.steps[s].phases[phase];
    const PlanStep& step = plan_.steps[s];
    std::vector<CExpr> args = arguments(s, p.sizes, p.workspace);
    if (p.worker_memory) {
      const int64_t shared = step.scratch - frame_.workers * step.worker_scratch;
      const CExpr of_worker = c_binary(c_number(step.worker_scratch), "*", c_text("worker"));
      const CExpr first = shared == 0 ? workspace_of(step) : c_binary(workspace_of(step), "+", c_number(shared));
      args.push_back(c_binary(first, "+", of_worker));
    }
    for (const char* bound : {"begin", "end"}) args.push_back(c_text(bound));
    CFunction f{"", "static", "void", task_name(s, phase), {}, {}, ""};
    f.params = {"void *arg", "int64_t begin", "int64_t end", "int worker"};
    CBlock locals = frame_.locals;
    for (size_t i = 0; i < frame_.counters.size(); ++i)
      locals.push_back(c_declare("const int64_t", frame_.counters[i], counter_in_call(i)));
    f.body = with_locals(locals, {c_evaluate(c_cast("void", call(p.function, std::move(args), p.numbers)))});
    const std::string type = frame_.name + "_call *";
    f.body.insert(f.body.begin(), c_declare(type + "const", "call", c_cast(type, c_text("arg"))));
    return with_unread(std::move(f), {"call", "worker"});
  }

  static CFunction with_unread(CFunction f, const std::vector<std::string>& names) {
    const std::set<std::string> read = variables_read(f.body);
    for (const std::string& name : names)
      if (!read.count(name)) f.body.insert(f.body.end() - 1, c_evaluate(c_cast("void", c_text(name))));
    return f;
  }

  std::string task_name(size_t s, size_t phase) const {
    const bool only = level_.steps[s].phases.size() == 1;
    return fmt::format("step_{}{}_{}", plan_.steps[s].kernel.name, only ? "" : fmt::format("_phase{}", phase + 1),
                       level_.isa->suffix);
  }

  void add_call(CExpr call) {
    const CExpr status = c_text("status");
    add(c_assign(status, std::move(call)));
    add(c_if(c_nonzero(status), {c_return(status)}));
  }

  void phase(size_t s, size_t k) {
    const PhaseText& p = level_.steps[s].phases[k];
    if (!p.parallel) return add_call(call(p.function, arguments(s, p.sizes, p.workspace), p.numbers));
    CExpr n;
    if (p.iterations) {
      n = c_number(*p.iterations);
    } else {
      std::vector<CExpr> sizes = mapped(p.count_sizes, [&](const std::string& z) { return extent(size_name(z)); });
      n = c_call(p.count_function, std::move(sizes));
    }
    add(c_evaluate(c_call(frame_.name + "_rt_share", {c_text("call"), n, c_number(p.grain), c_text(task_name(s, k))})));
  }

  /// The context replaces what the step has copied.
  void exchange(const PlanStep& s) {
    const int made = s.buffers.back();
    const PlanBuffer& b = plan_.buffer(made);
    add(c_evaluate(
        c_call(frame_.name + "_rt_all_reduce", {c_text("call"), frame_.buffers.pointer(made, true),
                                                extent(product(b.dims)), c_number(b.dtype == DType::F64 ? 1 : 0)})));
  }

  void step(size_t s) {
    const StepText& t = level_.steps[s];
    add(c_comment(comment_inside(plan_.steps[s].origin)));
    if (t.phases.empty()) add_call(call(t.function, arguments(s, t.sizes, t.workspace), t.numbers));
    for (size_t k = 0; k < t.phases.size(); ++k) phase(s, k);
    if (plan_.steps[s].kernel.op == kAllReduceOp) exchange(plan_.steps[s]);
    const CExpr watcher = c_arrow(c_text("call"), "watcher");
    add(c_if(c_binary(c_arrow(c_text("call"), "mark"), "!=", c_text("NULL")),
             {c_evaluate(c_call("call->mark", {watcher, c_number(static_cast<int64_t>(s))}))}));
  }

  const ExecutionPlan& plan_;
  const ModelLevel& level_;
  const StepFrame& frame_;
  std::vector<CBlock> blocks_ = {{}};  ///< statements of the regions around the step, the outermost first
  RegionId at_ = kTopLevel;
};

}  // namespace

std::vector<std::string> shared_counters(const ExecutionPlan& plan, const std::vector<ModelLevel>& levels) {
  std::vector<std::string> out;
  for (const ModelLevel& level : levels)
    for (size_t s = 0; s < plan.steps.size(); ++s) {
      if (none_of(level.steps[s].phases, [](const PhaseText& p) { return p.parallel; })) continue;
      for (RegionId r = plan.steps[s].region; r != kTopLevel; r = plan.region(r).parent)
        if (plan.region(r).kind == Region::Kind::loop && !contains(out, plan.region(r).counter))
          out.push_back(plan.region(r).counter);
    }
  return out;
}

CBlock step_statements(const ExecutionPlan& plan, const ModelLevel& level, const StepFrame& frame) {
  return StepWriter(plan, level, frame).run();
}

std::vector<CFunction> task_functions(const ExecutionPlan& plan, const ModelLevel& level, const StepFrame& frame) {
  return StepWriter(plan, level, frame).tasks();
}

CBlock with_locals(const CBlock& locals, CBlock statements) {
  const std::set<std::string> read = variables_read(statements);
  CBlock out;
  std::copy_if(locals.begin(), locals.end(), std::back_inserter(out),
               [&](const CStmt& s) { return read.count(std::get<CDeclaration>(s.node).name) > 0; });
  std::move(statements.begin(), statements.end(), std::back_inserter(out));
  return out;
}

}  // namespace tenon
