// The interpreter's answers on drawn inputs.
#include "semantics/make_selftest.h"

#include <fmt/format.h>

#include "oracle/run_graph.h"
#include "semantics/node_kernels.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Perturbed runs, which measure the effect of rounding on the results; fewer if they would take too long.
constexpr int most_disturbed_runs = 8;

const Value& value_of(const Graph& graph, ValueId v) { return graph.value(v); }

std::string type_fault(const Graph& graph) {
  for (const auto& [list, kind] : {std::pair{&graph.inputs, "input"}, std::pair{&graph.outputs, "output"}})
    for (const ValueId v : *list)
      if (const std::string fault = selftest_type_fault(value_of(graph, v).dtype); !fault.empty())
        return fmt::format("{} '{}': {}", kind, value_of(graph, v).original, fault);
  return {};
}

/// The floating type of the graph with the widest steps.
std::optional<DType> narrowest_float(const Graph& graph) {
  std::optional<DType> out;
  constexpr DType by_width[] = {DType::F64, DType::F32, DType::F16, DType::BF16};
  for (const DType d : by_width)
    for (const Value& v : graph.values)
      if (real_of(v.dtype) == d || (is_small(v.dtype) && is_float(dtype_row(v.dtype).compute) && d == DType::BF16))
        out = d;
  return out;
}

std::vector<TensorData> draw_inputs(const Graph& graph, const SizeValues& sizes, int pattern) {
  std::vector<TensorData> out;
  for (const ValueId v : graph.inputs) {
    std::vector<int64_t> dims;
    for (const SizeExpr& d : value_of(graph, v).dims) dims.push_back(evaluate(d, sizes).value_or(0));
    out.push_back(draw_input(value_of(graph, v).dtype, std::move(dims), static_cast<int>(out.size()), pattern));
  }
  return out;
}

/// Equalities between sizes given by the caller that every operator requires, including those in loops and branches.
std::vector<EqualExtents> all_equal(const Graph& graph) {
  std::vector<EqualExtents> all = graph.equal;
  for (const Region& r : graph.regions)
    for (const EqualExtents& e : r.equal) add_equal(all, e);
  const auto is_given = [&](const SizeExpr& e) {
    const std::vector<std::string> names = names_in(e);
    return all_of(names, [&](const std::string& n) {
      return any_of(graph.sizes, [&](const GraphSize& s) { return s.name == n && !s.written; });
    });
  };
  std::erase_if(all, [&](const EqualExtents& e) { return !is_given(e.a) || !is_given(e.b); });
  return all;
}

/// Sizes that have to be equal get the smallest value that all their ranges allow, or the required constant.
void make_equal(const Graph& graph, const std::vector<EqualExtents>& equal, SizeValues& sizes) {
  const auto low = [&](const std::string& name) {
    return find_if(graph.sizes, [&](const GraphSize& s) { return s.name == name; })->lo;
  };
  const auto named = [](const SizeExpr& e) { return e.is_name(); };
  for (size_t round = 0; round < equal.size(); ++round)
    for (const EqualExtents& e : equal)
      if (named(e.a) != named(e.b) && (e.a.is_constant() || e.b.is_constant()))
        sizes[named(e.a) ? e.a.name : e.b.name] = named(e.a) ? e.b.value : e.a.value;
      else if (named(e.a) && named(e.b))
        sizes[e.a.name] = sizes[e.b.name] =
            std::max({std::min(sizes[e.a.name], sizes[e.b.name]), low(e.a.name), low(e.b.name)});
}

std::optional<EqualExtents> unequal(const std::vector<EqualExtents>& equal, const SizeValues& sizes) {
  const auto at = find_if(equal, [&](const EqualExtents& e) { return evaluate(e.a, sizes) != evaluate(e.b, sizes); });
  return at == equal.end() ? std::nullopt : std::optional(*at);
}

/// Small sizes, larger ones where these do not fit. `given`: those of the inputs.
void choose_sizes(const Graph& graph, const std::vector<EqualExtents>& equal, SizeValues& given, SizeValues& sizes) {
  bool grows = true;
  for (int64_t above = 2; grows; above *= 2) {
    grows = false;
    for (const GraphSize& s : graph.sizes) {
      sizes[s.name] = s.written ? s.hi : std::min(s.hi, s.lo + above);
      if (!s.written) given[s.name] = sizes[s.name];
      grows = grows || sizes[s.name] < s.hi;
    }
    make_equal(graph, equal, given);
    for (const auto& [name, value] : given) sizes[name] = value;
    if (!unequal(equal, sizes)) return;
  }
}

}  // namespace

std::optional<Selftest> make_selftest(const OpLibrary& defs, const Graph& graph, double most_work, std::string& fault) {
  const auto kernels = node_kernels(defs, graph, graph.name);
  if (fault = type_fault(graph); !fault.empty()) return std::nullopt;
  if (!kernels) {
    fault = fmt::format("an operator does not fit its definition: {}", kernels.diagnostics().sorted().front().message);
    return std::nullopt;
  }
  Selftest test;
  SizeValues sizes;
  const std::vector<EqualExtents> equal = all_equal(graph);
  choose_sizes(graph, equal, test.sizes, sizes);
  if (const auto e = unequal(equal, sizes)) {
    fault = fmt::format("no sizes are known for which {} is {}", to_text(e->a), to_text(e->b));
    return std::nullopt;
  }
  const double work = graph_work(graph, *kernels, sizes);
  if (work > most_work) {
    fault = fmt::format(
        "the interpreter would compute {:.3g} numbers for the expected outputs, and {:.3g} are allowed; "
        "--selftest-limit {:.1e} allows them",
        work, most_work, work * 1.05);
    return std::nullopt;
  }
  GraphRun run;
  for (; test.pattern < kSelftestPatterns; ++test.pattern) {
    run = run_graph(graph, *kernels, sizes, draw_inputs(graph, sizes, test.pattern));
    if (run.status == OracleStatus::Done || run.status == OracleStatus::Unknown) break;
  }
  if (run.status == OracleStatus::Unknown) {
    fault = fmt::format("{} is a C template that the interpreter does not know", run.origin);
    return std::nullopt;
  }
  if (run.status != OracleStatus::Done) {
    fault =
        fmt::format("{} refuses every input that is drawn: {}", run.origin,
                    run.status == OracleStatus::Range ? "an index or divisor is out of range" : "a size does not fit");
    return std::nullopt;
  }
  const auto narrowest = narrowest_float(graph);
  std::vector<std::vector<TensorData>> off(run.outputs.size());
  const int runs =
      narrowest ? std::clamp(static_cast<int>(most_work / std::max(work, 1.0)), 1, most_disturbed_runs) : 0;
  for (int k = 1; k <= runs; ++k) {
    const GraphRun disturbed = run_graph(graph, *kernels, sizes, draw_inputs(graph, sizes, test.pattern),
                                         {unit_of(*narrowest), static_cast<uint64_t>(k)});
    for (size_t i = 0; i < disturbed.outputs.size(); ++i) off[i].push_back(disturbed.outputs[i]);
  }
  for (size_t i = 0; i < run.outputs.size(); ++i)
    test.outputs.push_back(keep_output(run.outputs[i], off[i], narrowest));
  return test;
}

}  // namespace tenon
