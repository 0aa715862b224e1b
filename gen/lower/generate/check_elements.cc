// Checks that the elements of a run of memory are between two numbers: a function, with vectors.
#include <fmt/format.h>

#include <array>

#include "algebra/simplify.h"
#include "lower/generate/generate.h"
#include "lower/kernel/fork_parts.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Vectors that are compared before one branch.
constexpr int kVectors = 4;

/// Elements from `from` to below `to` are fine, where from <= 0 <= to.
struct ElementRange {
  const Read* elements = nullptr;
  Expr from, to;
};

/// The element and the limit that `e` compares it with; no element where `e` is something else.
std::pair<const Read*, Expr> compared(const Expr& e, ScalarOp op) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || a->op != op) return {};
  Expr element = a->args[0];
  if (const auto* cast = std::get_if<Apply>(&element->node); cast && cast->op == ScalarOp::Cast)
    element = cast->args[0];
  return {std::get_if<Read>(&element->node), a->args[1]};
}

/// The range that the condition `fails` is the opposite of: element < from or element >= to.
std::optional<ElementRange> range_of(const Expr& fails, const Ranges& ranges) {
  const auto* either = std::get_if<Apply>(&fails->node);
  if (!either || either->op != ScalarOp::Or) return std::nullopt;
  const auto [low, from] = compared(either->args[0], ScalarOp::Lt);
  const auto [high, to] = compared(either->args[1], ScalarOp::Ge);
  const auto is_number = [](const Expr& e) {
    return e->type == DType::I64 && !has_node<Read>(e) && !has_node<Reduce>(e);
  };
  if (!low || !high || low->tensor != high->tensor || !same(low->index, high->index) || low->fill) return std::nullopt;
  if (!is_number(from) || !is_number(to)) return std::nullopt;
  const Expr zero = constant_int(0);
  if (!proves_le(from, zero, ranges) || !proves_le(zero, to, ranges)) return std::nullopt;
  return ElementRange{low, from, to};
}

/// Whether the elements that a loop over `v` reads follow each other.
bool is_run_along(const Tensor& t, const Read& r, const std::string& v) {
  int found = 0;
  for (size_t d = 0; d < r.index.size(); ++d) {
    if (!mentions(r.index[d], v)) continue;
    const auto along = affine_in(r.index[d], v);
    if (!along || !is_one(along->coefficient) || !is_one(t.strides[d])) return false;
    ++found;
  }
  return found == 1 && t.role != Role::Temp;
}

/// The function. Buffer: the elements; parameters: their number, the least and the largest that are fine.
InnerFunction range_function(DType type, int lanes, CheckStatus status) {
  InnerFunction f;
  f.name = fmt::format("check_{}_{}", name_of(status), name_of(type));
  f.comment = "Fails unless all elements are at least `least` and at most `most`.";
  f.common = true;
  f.buffers.push_back({"x", type, Storage::Workspace, -1, nullptr, false});
  f.params = {"n", "least", "most"};
  const Operand n = v_var("n"), least = v_var("least"), most = v_var("most");
  const OperandType vector{type, lanes, 0};
  const auto limit = [&](const char* name, ScalarOp op, const Operand& value, int64_t end) {
    const Operand number = type == DType::I64 ? value : v_cast(v_apply(op, {value, v_int(end)}), type);
    f.body.push_back(s_let(name, v_splat(number, lanes)));
    return v_var(name, vector);
  };
  const int64_t largest = INT64_MAX >> (64 - 8 * bytes_of(type));
  const Operand low = limit("low", ScalarOp::Max, least, -largest - 1),
                high = limit("high", ScalarOp::Min, most, largest);
  const auto outside = [](const Operand& x, const Operand& from, const Operand& to) {
    return v_apply(ScalarOp::Or, {v_apply(ScalarOp::Lt, {x, from}), v_apply(ScalarOp::Gt, {x, to})});
  };
  const Block fail{Stmt{SFail{status}}};
  Operand begin = v_int(0);
  for (const int vectors : {kVectors, 1}) {
    Block body;
    Operand any;
    for (int u = 0; u < vectors; ++u) {
      const std::string name = fmt::format("x{}", u);
      body.push_back(s_let(name, v_load(0, type, v_var("i") + v_int(u * lanes), lanes)));
      const Operand one = outside(v_var(name, vector), low, high);
      any = any ? v_apply(ScalarOp::Or, {any, one}) : one;
    }
    body.push_back(s_if(v_fold(Reducer::Any, any), fail));
    const std::string name = vectors == 1 ? "vectors" : "groups";
    f.body.push_back(s_let(name, v_apply(ScalarOp::BitAnd, {n, v_int(-int64_t{vectors} * lanes)})));
    f.body.push_back(s_for("i", begin, v_var(name), vectors * lanes, std::move(body)));
    begin = v_var(name);
  }
  Block rest{s_let("element", v_cast(v_load(0, type, v_var("i")), DType::I64)),
             s_if(outside(v_var("element"), least, most), fail)};
  f.body.push_back(s_for("i", begin, n, 1, std::move(rest)));
  return f;
}

}  // namespace

/// Takes those conditions out of the group's that a function can ask with vectors, and calls it; `depth` is the
/// innermost loop.
void Generator::check_runs(CheckGroup& group, size_t depth) {
  const LoopVar& v = group.loops[depth];
  const auto call = [&](const Expr& fails) {
    const auto range = range_of(fails, ranges_);
    if (!range || !is_run_along(k_.tensor(range->elements->tensor), *range->elements, v.name)) return false;
    const DType type = k_.tensor(range->elements->tensor).dtype;
    const int lanes = isa_.lanes(type);
    const auto count = constant_value(v.extent);
    if (lanes == 1 || !is_signed_int(type) || (count && *count < kVectors * lanes)) return false;
    start_leaf({});
    vars_[v.name] = {v_int(0)};
    const int buffer = buffer_of_[static_cast<size_t>(range->elements->tensor)];
    SCall run{function_of(range_function(type, lanes, group.status)), {}, {}};
    run.buffers = {{buffer, offset_of(range->elements->tensor, range->elements->index, 0)}};
    for (const Expr& e : {v.extent, range->from, range->to - constant_int(1)})
      run.args.push_back(scalar(simplify(e), 0));
    out_->push_back({std::move(run)});
    return true;
  };
  std::erase_if(group.fails, call);
}

}  // namespace tenon
