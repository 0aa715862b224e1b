// Loops in recipes.
#include <fmt/format.h>

#include "frontend/recipe/recipe_call.h"
#include "frontend/recipe/recipe_parts.h"

namespace tenon {
namespace {

const RecipeList& list_of(const RecipeValue& v, size_t offset) {
  const RecipeList* list = v.get<RecipeList>();
  if (!list) throw RecipeError(offset, "a list is expected here, not " + kind_of(v));
  return *list;
}

struct ScanCall {
  const std::string& name;
  const RecipeFunction& body;
  const RecipeList &carried, &slices, &fixed;
  bool reversed = false;
};

RecipeList run_body(RecipeContext& context, RegionId loop, const SizeExpr& trip, const ScanCall& call, size_t offset) {
  const SizeExpr t = context.builder.counter(loop);
  RecipeList args;
  args.emplace_back(call.reversed ? trip - SizeExpr(1) - t : t);
  for (const RecipeValue& v : call.carried)
    args.emplace_back(TensorRef{context.builder.carry(loop, tensor_of(v, offset))});
  for (const RecipeValue& v : call.slices)
    args.emplace_back(TensorRef{context.builder.read_slice(loop, tensor_of(v, offset), call.reversed)});
  args.insert(args.end(), call.fixed.begin(), call.fixed.end());
  if (args.size() != call.body.parameters.size())
    throw RecipeError(offset,
                      fmt::format("the body takes {} arguments, not {}", call.body.parameters.size(), args.size()));
  RecipeScope inner;
  for (size_t i = 0; i < args.size(); ++i) inner[call.body.parameters[i]] = std::move(args[i]);
  return list_of(run_function(context, {call.name, call.body, offset}, inner), offset);
}

RecipeValue run_scan(RecipeContext& context, const ScanCall& call, size_t offset) {
  GraphBuilder& builder = context.builder;
  const std::vector<SizeExpr>& dims = builder.value(tensor_of(call.slices[0], offset)).dims;
  if (dims.empty()) throw RecipeError(offset, "a scalar has no axis to go along");
  const SizeExpr trip = dims[0];
  const RegionId loop = builder.begin_loop(trip);
  try {
    const RecipeList made = run_body(context, loop, trip, call, offset);
    if (made.size() < call.carried.size()) throw RecipeError(offset, "the body returns fewer values than are carried");
    GraphBuilder::LoopEnd end;
    for (size_t i = 0; i < made.size(); ++i) {
      if (i < call.carried.size()) end.next.push_back(tensor_of(made[i], offset));
      else end.parts.emplace_back(tensor_of(made[i], offset), call.reversed);
    }
    RecipeList results;
    for (const ValueId id : builder.end_loop(loop, end)) results.push_back(TensorRef{id});
    return results;
  } catch (const GraphError& error) {
    builder.abandon(loop);
    throw RecipeError(offset, error.what());
  } catch (const RecipeError&) {
    builder.abandon(loop);
    throw;
  }
}

}  // namespace

RecipeValue scan_recipe(RecipeContext& context, const RecipeList& args, size_t offset) {
  const std::string* name = args[0].get<std::string>();
  const auto f = name ? context.functions.find(*name) : context.functions.end();
  if (f == context.functions.end()) throw RecipeError(offset, "the name of a function is expected first");
  const bool* reversed = args[4].get<bool>();
  if (!reversed) throw RecipeError(offset, "a condition is expected last");
  const ScanCall call{*name,    f->second, list_of(args[1], offset), list_of(args[2], offset), list_of(args[3], offset),
                      *reversed};
  if (call.slices.empty()) throw RecipeError(offset, "there is no tensor to go along");
  return run_scan(context, call, offset);
}

namespace {

int64_t number_of(const RecipeValue& v, int64_t most, size_t offset) {
  const SizeExpr* n = v.get<SizeExpr>();
  if (!n || !n->is_constant() || n->value < 0 || n->value > most)
    throw RecipeError(offset, fmt::format("a number from 0 to {} is expected here, not {}", most, to_text(v)));
  return n->value;
}

/// Elements `from` … `from + count - 1` of axis 0.
struct Stretch {
  int64_t from = 0, count = 1;
};

/// A part of a tensor, brought to `dims`.
RecipeValue taken_part(RecipeContext& context, const RecipeValue& tensor, Stretch stretch,
                       const std::vector<SizeExpr>& dims, size_t offset) {
  const auto [from, count] = stretch;
  const Value& v = context.builder.value(tensor_of(tensor, offset));
  const bool whole = v.dims[0].is(count);
  if (v.constant && !v.trainable && v.dims[0].value > 0) {
    TensorData part{v.dtype, {}, {}};
    for (const SizeExpr& d : dims) part.dims.push_back(d.value);
    const size_t one = v.constant->bytes.size() / static_cast<size_t>(v.dims[0].value),
                 begin = static_cast<size_t>(from) * one;
    const auto at = v.constant->bytes.begin() + static_cast<std::ptrdiff_t>(begin);
    part.bytes.assign(at, at + static_cast<std::ptrdiff_t>(static_cast<size_t>(count) * one));
    return TensorRef{
        context.builder.add_constant(whole ? v.original : fmt::format("{}_{}", v.original, from), std::move(part))};
  }
  std::vector<SizeExpr> begin(v.dims.size(), SizeExpr(0)), size = v.dims, step(v.dims.size(), SizeExpr(1));
  begin[0] = from;
  size[0] = count;
  const auto list = [](const std::vector<SizeExpr>& sizes) { return RecipeList(sizes.begin(), sizes.end()); };
  RecipeValue part = tensor;
  if (!whole)
    part =
        call_op(context, {"slice",
                          {part},
                          {{"begin", list(begin), offset}, {"step", list(step), offset}, {"size", list(size), offset}},
                          1,
                          offset});
  return call_op(context, {"reshape", {part}, {{"shape", list(dims), offset}}, 1, offset});
}

/// The extents of a tensor whose first extent must be constant.
std::vector<SizeExpr> fixed_first(RecipeContext& context, const RecipeValue& tensor, size_t offset) {
  std::vector<SizeExpr> dims = context.builder.value(tensor_of(tensor, offset)).dims;
  if (dims.empty() || !dims[0].is_constant())
    throw RecipeError(offset, "a tensor is expected whose first extent is fixed");
  return dims;
}

}  // namespace

RecipeValue item_of(RecipeContext& context, const RecipeList& args, size_t offset) {
  std::vector<SizeExpr> dims = fixed_first(context, args[0], offset);
  const int64_t i = number_of(args[1], dims[0].value - 1, offset);
  dims.erase(dims.begin());
  return taken_part(context, args[0], {i, 1}, dims, offset);
}

RecipeValue stretch_of(RecipeContext& context, const RecipeList& args, size_t offset) {
  std::vector<SizeExpr> dims = fixed_first(context, args[0], offset);
  const int64_t from = number_of(args[1], dims[0].value, offset),
                count = number_of(args[2], dims[0].value - from, offset);
  dims[0] = count;
  return taken_part(context, args[0], {from, count}, dims, offset);
}

}  // namespace tenon
