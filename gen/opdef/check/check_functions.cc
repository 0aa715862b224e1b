// Checks of functions and scalar rows, and that neither they nor ops reach themselves.
#include <fmt/format.h>

#include <map>

#include "opdef/check/check_op.h"
#include "opdef/notation/call_table.h"
#include "opdef/read/yaml_shape.h"
#include "support/ranges.h"

namespace tenon {

namespace {

/// Checks the expression of a function: its names are parameters, its calls are scalar.
class FunctionChecker {
 public:
  FunctionChecker(const std::vector<std::string>& params, const OpLibrary& library, Diagnostics& diagnostics)
      : params_(params), library_(library), diagnostics_(diagnostics) {}

  void check(const Syntax& s) {
    if (s.is(SyntaxKind::name)) name(s);
    if (s.is(SyntaxKind::call)) call(s);
    const bool tensor = s.is(SyntaxKind::subscript) || s.is(SyntaxKind::reduce) || s.is(SyntaxKind::pack) ||
                        s.is(SyntaxKind::each) || s.is(SyntaxKind::group);
    if (tensor) {
      diagnostics_.error(Code::E0437, s.span, "a function has no tensors, packs or reductions",
                         {"functions are over numbers; pass what is read as an argument"});
      return;
    }
    for (size_t i = 0; i < s.children.size(); ++i)
      if (i == 0 || !s.calls(Builtin::cast, Builtin::bits) || !dtype_from_name(s.children[i].text))
        check(s.children[i]);
  }

 private:
  void name(const Syntax& s) {
    if (contains(params_, s.text)) return;
    diagnostics_.error(Code::E0401, s.span, fmt::format("nothing is called '{}' here", s.text),
                       {meant_note(s.text, params_)});
  }

  void call(const Syntax& s) {
    const auto arity = expression_function(s.text, library_);
    if (!arity) {
      diagnostics_.error(
          Code::E0402, s.span, fmt::format("there is no function '{}'", s.text),
          {did_you_mean(s.text, callable_names(library_), "define it under `fn`, or as a row of `scalar`")});
    } else if (static_cast<int>(s.children.size()) < arity->least ||
               (arity->most >= 0 && static_cast<int>(s.children.size()) > arity->most)) {
      diagnostics_.error(
          Code::E0403, s.span,
          fmt::format("'{}' does not take {} argument{}", s.text, s.children.size(), s.children.size() == 1 ? "" : "s"),
          {fmt::format("write {}", arity->form)});
    }
  }

  const std::vector<std::string>& params_;
  const OpLibrary& library_;
  Diagnostics& diagnostics_;
};

using Graph = std::map<std::string, std::vector<std::pair<std::string, SourceSpan>>>;

void collect_calls(const Syntax& s, std::vector<std::pair<std::string, SourceSpan>>& out) {
  each_within(s, [&](const Syntax& n) {
    if (n.is(SyntaxKind::call)) out.emplace_back(n.text, n.span);
  });
}

/// Reports each call that closes a circle, once.
void refuse_circles(const Graph& graph, Code code, std::string_view what, Diagnostics& diagnostics) {
  std::map<std::string, int> state;  // 1 = on the way, 2 = done
  // An explicit stack: a chain of calls may be as long as the library.
  struct Frame {
    std::string name;
    std::size_t next = 0;
  };
  for (const auto& [root, calls] : graph) {
    if (state[root] != 0) continue;
    std::vector<Frame> stack = {{root}};
    state[root] = 1;
    while (!stack.empty()) {
      Frame& top = stack.back();
      const auto& edges = graph.at(top.name);
      if (top.next == edges.size()) {
        state[top.name] = 2;
        stack.pop_back();
        continue;
      }
      const auto& [callee, span] = edges[top.next++];
      if (graph.count(callee) == 0) continue;
      if (state[callee] == 1) {
        diagnostics.error(code, span, fmt::format("the {} '{}' reaches itself through this call", what, callee),
                          {"it is expanded in place, which would never end"});
      } else if (state[callee] == 0) {
        state[callee] = 1;
        stack.push_back({callee});
      }
    }
  }
}

}  // namespace

void check_functions(const OpLibrary& library, Diagnostics& diagnostics) {
  Graph graph;
  for (const auto& [name, function] : library.fns) {
    FunctionChecker(function.params, library, diagnostics).check(function.value);
    collect_calls(function.value, graph[name]);
  }
  for (const auto& [name, row] : library.scalars) {
    std::vector<std::string> names = row.args;
    if (row.as) {
      FunctionChecker(names, library, diagnostics).check(*row.as);
      collect_calls(*row.as, graph[name]);
    }
    names.push_back("Y");
    for (const Syntax& derivative : row.derivatives) FunctionChecker(names, library, diagnostics).check(derivative);
  }
  refuse_circles(graph, Code::E0427, "function", diagnostics);
}

void check_recursion(const OpLibrary& library, Diagnostics& diagnostics) {
  Graph graph;
  for (const auto& [name, op] : library.ops) {
    auto& calls = graph[name];
    for (const Statement& statement : op.body) {
      if (statement.is_call && statement.value.is(SyntaxKind::call))
        calls.emplace_back(statement.value.text, statement.value.span);
    }
  }
  refuse_circles(graph, Code::E0428, "op", diagnostics);
}

}  // namespace tenon
