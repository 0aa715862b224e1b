// Calls of kernels, loops and branches as C.
#include "harness/model/model_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/library_names.h"
#include "harness/model/model_processes.h"
#include "ir/nest/c_ast.h"
#include "support/check.h"
#include "support/quoted.h"

namespace tenon {
namespace {

class StepWriter {
 public:
  StepWriter(const ExecutionPlan& plan, const ModelLevel& level, const StepFrame& frame, const BufferSpelling& pointer)
      : plan_(plan), level_(level), frame_(frame), upper_(frame.upper), pointer_(pointer) {}

  std::string run() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      move_to(plan_.steps[s].region);
      step(s);
      for (const EqualExtents& e : plan_.equal)
        if (last_writer(plan_, e) == s) check_equal(e);
    }
    move_to(kTopLevel);
    return std::move(text_);
  }

  std::string tasks() const {
    std::string out;
    for (size_t s = 0; s < plan_.steps.size(); ++s)
      for (size_t k = 0; k < level_.steps[s].phases.size(); ++k)
        if (level_.steps[s].phases[k].parallel) out += task(s, k);
    return out;
  }

 private:
  const PlanBuffer& buffer(int b) const { return plan_.buffers[static_cast<size_t>(b)]; }
  const PlanRegion& region(RegionId r) const { return plan_.regions[static_cast<size_t>(r)]; }
  std::string extent(const SizeExpr& e) const { return extent_text(plan_, e); }
  void line(const std::string& text) { text_ += std::string(2 * (1 + depth_), ' ') + text + "\n"; }

  /// `if (condition) { statement… }`
  void line_if(const std::string& condition, const std::vector<std::string>& statements) {
    line(fmt::format("if ({}) {{", condition));
    ++depth_;
    for (const std::string& s : statements) line(s);
    --depth_;
    line("}");
  }

  std::string place(int b, bool writes) const {
    const PlanBuffer& p = buffer(b);
    if (p.kind != BufferKind::Slice) return pointer_(b, writes);
    const PlanRegion& loop = region(p.region);
    const std::string at = p.reversed ? fmt::format("({} - 1 - {})", extent(loop.trip), loop.counter) : loop.counter;
    return fmt::format("{} + {} * {}", place(p.whole, writes), at, extent(product(p.dims)));
  }

  std::string element(int b) const { return fmt::format("*({})", place(b, false)); }

  void copy(const PlanCopy& c) {
    const PlanBuffer& to = buffer(c.to);
    const SizeExpr bytes = product(to.dims) * SizeExpr(bytes_of(to.dtype));
    if (!bytes.is(0))
      line(fmt::format("memcpy({}, {}, (size_t){});", place(c.to, true), place(c.from, false), extent(bytes)));
  }

  void move_to(RegionId to) {
    const RegionChange change = region_change(plan_.regions, at_, to);
    for (const RegionId r : change.left) leave(r);
    for (const RegionId r : change.entered) enter(r);
    at_ = to;
  }

  void enter(RegionId id) {
    const PlanRegion& r = region(id);
    if (r.kind == Region::Kind::branch) {
      if (r.holds) {
        line(fmt::format("/* {} */", comment_inside(r.origin)));
        line(fmt::format("if ({}) {{", element(r.condition)));
      } else {
        text_.pop_back();  // the end of the line that closes the other branch
        text_ += " else {\n";
      }
      ++depth_;
      return check_equal(r);
    }
    for (const PlanCopy& c : r.before) copy(c);
    line(fmt::format("/* {} */", comment_inside(r.origin)));
    const std::string& i = r.counter;
    std::string condition = fmt::format("{} < {}", i, extent(r.trip));
    if (r.count >= 0) condition += fmt::format(" && {} < {}", i, element(r.count));
    if (r.starts >= 0) condition += fmt::format(" && ({} > 0 || {})", i, element(r.starts));
    // What a loop leaves incomplete is looked at after it.
    const bool looked_at = r.complete || r.partial;
    if (looked_at) line(fmt::format("int64_t {} = 0;", i));
    line(looked_at ? fmt::format("for (; {}; ++{}) {{", condition, i)
                   : fmt::format("for (int64_t {} = 0; {}; ++{}) {{", i, condition, i));
    ++depth_;
    check_equal(r);
  }

  void check_equal(const PlanRegion& r) {
    for (const EqualExtents& e : r.equal) check_equal(e);
  }
  void check_equal(const EqualExtents& e) { line_if(differ_text(plan_, e), {refusal()}); }

  void leave(RegionId id) {
    const PlanRegion& r = region(id);
    for (const PlanCopy& c : r.after) copy(c);
    if (r.continues >= 0) {
      const std::string ends = fmt::format("!{}", element(r.continues));
      if (r.complete) line_if(ends, {fmt::format("++{};", r.counter), "break;"});
      else line_if(ends, {"break;"});
    }
    --depth_;
    line("}");
    if (r.complete || r.partial) refuse_number_of_iterations(r);
  }

  void refuse_number_of_iterations(const PlanRegion& r) {
    const std::string trip = extent(r.trip);
    std::string wrong = r.partial ? fmt::format("{} == {} && {} > {}", r.counter, trip, element(r.count), trip)
                                  : fmt::format("{} != {}", r.counter, trip);
    if (r.complete && r.count >= 0) wrong += fmt::format(" || {} > {}", element(r.count), trip);
    line_if(wrong, {refusal()});
  }

  std::string refusal() const { return fmt::format("return {}_E_SHAPE;", upper_); }

  /// Arguments of a step's function, or of one of its phases: tensors, sizes, workspace.
  std::string arguments(size_t s, const std::vector<std::string>& sizes, bool workspace) const {
    const PlanStep& step = plan_.steps[s];
    std::string args;
    for (const int tensor : level_.steps[s].tensors) {
      const Tensor& t = step.kernel.tensors[static_cast<size_t>(tensor)];
      args += (args.empty() ? "" : ", ") +
              (t.extent.empty() ? place(step.buffers[static_cast<size_t>(tensor)], t.role == Role::Output)
                                : "&" + extent(size_name(t.extent)));
    }
    for (const std::string& z : sizes) args += (args.empty() ? "" : ", ") + extent(size_name(z));
    if (workspace) args += (args.empty() ? "" : ", ") + frame_.arena.place(step.scratch_memory, step.scratch_offset);
    return args;
  }

  static std::string with_numbers(std::string args, const std::vector<int64_t>& numbers) {
    for (const int64_t n : numbers) args += (args.empty() ? "" : ", ") + index_literal(n);
    return args;
  }

  std::string task(size_t s, size_t phase) const {
    const PhaseText& p = level_.steps[s].phases[phase];
    const PlanStep& step = plan_.steps[s];
    std::string args = arguments(s, p.sizes, p.workspace);
    const int64_t shared = step.scratch - frame_.workers * step.worker_scratch;
    if (p.worker_memory)
      args += fmt::format("{}{} + {}*worker", args.empty() ? "" : ", ",
                          frame_.arena.place(step.scratch_memory, step.scratch_offset + shared), step.worker_scratch);
    return fmt::format(
        "static void step_{0}_{1}(void *arg, int64_t begin, int64_t end, int worker) {{\n"
        "  {2}_call *const call = ({2}_call *)arg;\n{3}  (void)worker;\n  (void){4}({5});\n}}\n\n",
        s, phase + 1, frame_.name, frame_.fields, p.function, with_numbers(args + ", begin, end", p.numbers));
  }

  void call(const std::string& function, const std::string& args) {
    line(fmt::format("status = {}({});", function, args));
    line_if("status != 0", {"return status;"});
  }

  void phase(size_t s, size_t k) {
    const PhaseText& p = level_.steps[s].phases[k];
    if (!p.parallel) return call(p.function, with_numbers(arguments(s, p.sizes, p.workspace), p.numbers));
    std::string n = p.iterations ? fmt::format("{}", *p.iterations) : "";
    for (const std::string& z : p.count_sizes) n += (n.empty() ? "" : ", ") + extent(size_name(z));
    line(fmt::format("{}_rt_share(call, {}, {}, step_{}_{});", frame_.name,
                     p.iterations ? n : fmt::format("{}({})", p.count_function, n), p.grain, s, k + 1));
  }

  /// The context replaces what the step has copied.
  void exchange(const PlanStep& s) {
    const int made = s.buffers.back();
    const SizeExpr count = product(buffer(made).dims);
    line(fmt::format("{}_rt_all_reduce(call, {}, {}, {});", frame_.name, place(made, true), extent(count),
                     buffer(made).dtype == DType::F64 ? 1 : 0));
  }

  void step(size_t s) {
    const StepText& t = level_.steps[s];
    line(fmt::format("/* {} */", comment_inside(plan_.steps[s].origin)));
    if (t.phases.empty()) call(t.function, with_numbers(arguments(s, t.sizes, t.workspace), t.numbers));
    for (size_t k = 0; k < t.phases.size(); ++k) phase(s, k);
    if (is_exchange(plan_.steps[s])) exchange(plan_.steps[s]);
    line_if("call->mark != NULL", {fmt::format("call->mark(call->watcher, {});", s)});
  }

  const ExecutionPlan& plan_;
  const ModelLevel& level_;
  const StepFrame& frame_;
  const std::string& upper_;
  const BufferSpelling& pointer_;
  std::string text_;
  RegionId at_ = kTopLevel;
  size_t depth_ = 0;
};

}  // namespace

std::string steps_text(const ExecutionPlan& plan, const ModelLevel& level, const StepFrame& frame,
                       const BufferSpelling& pointer) {
  return StepWriter(plan, level, frame, pointer).run();
}

std::string tasks_text(const ExecutionPlan& plan, const ModelLevel& level, const StepFrame& frame,
                       const BufferSpelling& pointer) {
  return StepWriter(plan, level, frame, pointer).tasks();
}

std::string extent_text(const ExecutionPlan& plan, const SizeExpr& e) {
  if (e.is_constant()) return fmt::format("{}", e.value);
  if (e.kind == SizeExpr::Kind::name) {
    int place = 0;
    for (const GraphSize& s : plan.sizes) {
      if (s.name == e.name) return s.written ? fmt::format("written[{}]", place) : "in->" + e.name;
      place += s.written ? 1 : 0;
    }
    return e.name;
  }
  const char* op = e.kind == SizeExpr::Kind::add ? " + " : e.kind == SizeExpr::Kind::mul ? "*" : "";
  std::string out;
  if (*op) {
    for (const SizeExpr& a : e.args) out += (out.empty() ? "(" : op) + extent_text(plan, a);
    return out + ")";
  }
  const std::string a = extent_text(plan, e.args[0]), b = extent_text(plan, e.args[1]);
  switch (e.kind) {
    case SizeExpr::Kind::floordiv: return fmt::format("floor_div({}, {})", a, b);
    case SizeExpr::Kind::mod: return fmt::format("({} - floor_div({}, {})*{})", a, a, b, b);
    case SizeExpr::Kind::min: return fmt::format("({} < {} ? {} : {})", a, b, a, b);
    case SizeExpr::Kind::max: return fmt::format("({} > {} ? {} : {})", a, b, a, b);
    default: TENON_UNREACHABLE("an extent of no kind");
  }
}

std::string differ_text(const ExecutionPlan& plan, const EqualExtents& e) {
  for (const auto& [most, other] : {std::pair(&e.a, &e.b), std::pair(&e.b, &e.a)})
    if (const auto least = at_least(*most, *other))
      return fmt::format("{} < {}", extent_text(plan, *other), extent_text(plan, *least));
  return fmt::format("{} != {}", extent_text(plan, e.a), extent_text(plan, e.b));
}

}  // namespace tenon
