// Evaluator of recipes.
#include "frontend/recipe/run_recipe.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "frontend/recipe/recipe_call.h"
#include "ir/graph/size_bounds.h"
#include "support/diagnostics.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using Kind = RecipeExpr::Kind;

constexpr int kMaxInlined = 64;
constexpr int kMaxCalls = 20000;
constexpr size_t kMaxListed = 1 << 20;

class RecipeRun {
 public:
  RecipeRun(RecipeContext& context, RecipeScope& scope) : context_(context), scope_(scope) {}

  RecipeValue evaluate(const RecipeExpr& e, size_t wanted = 1) {
    switch (e.kind) {
      case Kind::nothing: return {};
      case Kind::integer: return SizeExpr(e.integer);
      case Kind::real: return e.real;
      case Kind::text: return e.text;
      case Kind::name: return name(e);
      case Kind::call: return call(e, wanted);
      case Kind::unary: return unary(e);
      case Kind::binary: return binary(e);
      case Kind::conditional: return evaluate(e.args[condition(e.args[0]) ? 1 : 2], wanted);
      case Kind::list: return elements(e.args);
      case Kind::comprehension: return comprehension(e);
      case Kind::index: return index(e);
      case Kind::slice: return slice(e);
      case Kind::splat: fail(e, "'*' is before an argument or an element");
      case Kind::keyword: fail(e, "a named argument is in a call");
    }
    return {};
  }

 private:
  [[noreturn]] static void fail(const RecipeExpr& e, const std::string& message) {
    throw RecipeError(e.offset, message);
  }

  bool condition(const RecipeExpr& e) {
    const RecipeValue v = evaluate(e);
    const bool* b = v.get<bool>();
    if (!b) fail(e, "a condition is expected here, not " + to_text(v));
    return *b;
  }

  RecipeValue name(const RecipeExpr& e) {
    if (const auto* it = find_value(scope_, e.text)) return *it;
    if (context_.common)
      if (const auto it = context_.common->find(e.text); it != context_.common->end()) return it->second;
    if (e.text == "true") return true;
    if (e.text == "false") return false;
    if (e.text == "none") return {};
    if (e.text == "inf") return std::numeric_limits<double>::infinity();
    if (e.text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (const auto dtype = dtype_from_name(e.text)) return *dtype;
    const auto known = mapped(scope_, [](const auto& named) { return named.first; });
    fail(e, fmt::format("nothing has the name '{}'{}", e.text, or_did_you_mean(e.text, known)));
  }

  RecipeList elements(const std::vector<RecipeExpr>& exprs) {
    RecipeList list;
    for (const RecipeExpr& e : exprs) {
      if (e.kind != Kind::splat) {
        list.push_back(evaluate(e));
        continue;
      }
      const RecipeValue v = evaluate(e.args[0]);
      const RecipeList* more = v.get<RecipeList>();
      if (!more) fail(e, "'*' spreads a list, not " + kind_of(v));
      append(list, *more);
    }
    return list;
  }

  RecipeValue comprehension(const RecipeExpr& e) {
    const RecipeValue over = evaluate(e.args[1]);
    const RecipeList* list = over.get<RecipeList>();
    if (!list) fail(e.args[1], "a list is expected after 'in', not " + kind_of(over));
    const std::optional<RecipeValue> hidden = lookup(scope_, e.text);
    RecipeList result;
    for (const RecipeValue& v : *list) {
      scope_[e.text] = v;
      result.push_back(evaluate(e.args[0]));
    }
    if (hidden) scope_[e.text] = *hidden;
    else scope_.erase(e.text);
    return result;
  }

  static int64_t position(const RecipeExpr& e, const RecipeValue& v, size_t length, bool end) {
    const SizeExpr* n = v.get<SizeExpr>();
    if (!n || !n->is_constant()) fail(e, "an integer is expected here, not " + to_text(v));
    const int64_t size = static_cast<int64_t>(length);
    const int64_t i = n->value < 0 ? n->value + size : n->value;
    if (end) return std::clamp<int64_t>(i, 0, size);
    if (i < 0 || i >= size) fail(e, fmt::format("element {} of a list of {} elements", n->value, length));
    return i;
  }

  // The value of a name without a copy, so that an element of a long list costs the same as one of a short list;
  // otherwise a value stored in `own`. Nothing may be evaluated while the result is in use.
  const RecipeValue& looked_up(const RecipeExpr& e, RecipeValue& own) {
    if (e.kind == Kind::name)
      if (const auto* it = find_value(scope_, e.text)) return *it;
    return own = evaluate(e);
  }

  RecipeValue index(const RecipeExpr& e) {
    const RecipeValue at = evaluate(e.args[1]);
    RecipeValue own;
    const RecipeValue& v = looked_up(e.args[0], own);
    const RecipeList* list = v.get<RecipeList>();
    if (!list) fail(e, "only lists have elements, not " + kind_of(v));
    return (*list)[static_cast<size_t>(position(e.args[1], at, list->size(), false))];
  }

  RecipeValue slice(const RecipeExpr& e) {
    const bool starts = e.args[1].kind != Kind::nothing, ends = e.args[2].kind != Kind::nothing;
    const RecipeValue begin = starts ? evaluate(e.args[1]) : RecipeValue(),
                      end = ends ? evaluate(e.args[2]) : RecipeValue();
    RecipeValue own;
    const RecipeValue& v = looked_up(e.args[0], own);
    const RecipeList* list = v.get<RecipeList>();
    if (!list) fail(e, "only lists have parts, not " + kind_of(v));
    const size_t n = list->size();
    const int64_t from = starts ? position(e.args[1], begin, n, true) : 0;
    const int64_t to = ends ? position(e.args[2], end, n, true) : static_cast<int64_t>(n);
    return from >= to ? RecipeList{} : RecipeList(list->begin() + from, list->begin() + to);
  }

  RecipeValue unary(const RecipeExpr& e) {
    if (e.text == "not") return !condition(e.args[0]);
    const RecipeValue v = evaluate(e.args[0]);
    if (const SizeExpr* n = v.get<SizeExpr>()) return SizeExpr(-1) * *n;
    if (const double* d = v.get<double>()) return -*d;
    if (v.get<TensorRef>()) return op_call(e, "neg", {v});
    fail(e, "a number is expected after '-', not " + kind_of(v));
  }

  RecipeValue binary(const RecipeExpr& e) {
    if (e.text == "and") return condition(e.args[0]) && condition(e.args[1]);
    if (e.text == "or") return condition(e.args[0]) || condition(e.args[1]);
    const RecipeValue a = evaluate(e.args[0]), b = evaluate(e.args[1]);
    if (e.text == "==" && !a.get<TensorRef>()) return equal(a, b);
    if (e.text == "!=" && !a.get<TensorRef>()) return !equal(a, b);
    if (e.text == "in") {
      const RecipeList* list = b.get<RecipeList>();
      if (!list) fail(e, "'in' takes a list, not " + kind_of(b));
      return any_of(*list, [&](const RecipeValue& v) { return equal(a, v); });
    }
    if (a.get<TensorRef>() || b.get<TensorRef>()) return tensor_binary(e, a, b);
    if (a.get<RecipeList>() || b.get<RecipeList>()) return list_binary(e, a, b);
    if (const std::string* x = a.get<std::string>(), *y = b.get<std::string>(); x && y && e.text == "+") return *x + *y;
    if (a.get<double>() || b.get<double>() || e.text == "/") return real_binary(e, number(e, a), number(e, b));
    return size_binary(e, a, b);
  }

  static bool equal(const RecipeValue& a, const RecipeValue& b) {
    const auto as_real = [](const RecipeValue& v, double& d) {
      if (const double* r = v.get<double>()) return d = *r, true;
      const SizeExpr* n = v.get<SizeExpr>();
      return n && n->is_constant() ? (d = static_cast<double>(n->value), true) : false;
    };
    double x = 0, y = 0;
    if ((a.get<double>() || b.get<double>()) && as_real(a, x) && as_real(b, y)) return x == y;
    return a == b;
  }

  static double number(const RecipeExpr& e, const RecipeValue& v) {
    if (const double* d = v.get<double>()) return *d;
    const SizeExpr* n = v.get<SizeExpr>();
    if (n && n->is_constant()) return static_cast<double>(n->value);
    fail(e, fmt::format("'{}' takes numbers known before run time, not {}", e.text, to_text(v)));
  }

  static RecipeValue real_binary(const RecipeExpr& e, double a, double b) {
    if (e.text == "+") return a + b;
    if (e.text == "-") return a - b;
    if (e.text == "*") return a * b;
    if (e.text == "/") return a / b;
    if (e.text == "**") return std::pow(a, b);
    if (e.text == "<") return a < b;
    if (e.text == "<=") return a <= b;
    if (e.text == ">") return a > b;
    if (e.text == ">=") return a >= b;
    fail(e, fmt::format("'{}' takes integers", e.text));
  }

  // The ranges of sizes may decide what their values would.
  RecipeValue ordered(const RecipeExpr& e, const SizeExpr& a, const SizeExpr& b) const {
    const bool less = e.text == "<" || e.text == "<=", strict = e.text == "<" || e.text == ">";
    const Interval d = bounds_of(less ? b - a : a - b, context_.builder.sizes());
    const int64_t least = strict ? 1 : 0;
    if (d.lo >= least) return true;
    if (d.hi < least) return false;
    fail(e, fmt::format("{} {} {} depends on run-time sizes; fix them with --size", to_text(a), e.text, to_text(b)));
  }

  RecipeValue size_binary(const RecipeExpr& e, const RecipeValue& left, const RecipeValue& right) const {
    const auto size = [&](const RecipeValue& v) -> SizeExpr {
      if (const bool* t = v.get<bool>()) return int64_t{*t};
      if (!v.get<SizeExpr>()) fail(e, fmt::format("'{}' takes numbers, not {}", e.text, kind_of(v)));
      return *v.get<SizeExpr>();
    };
    const SizeExpr a = size(left), b = size(right);
    if (e.text == "+") return a + b;
    if (e.text == "-") return a - b;
    if (e.text == "*") return a * b;
    if ((e.text == "//" || e.text == "%") && b.is(0)) fail(e, "division by 0");
    if (e.text == "//") return floor_div(a, b);
    if (e.text == "%") return floor_mod(a, b);
    if (e.text == "**") return power(e, a, b);
    if (e.text == "@") fail(e, "'@' takes tensors, not numbers");
    return ordered(e, a, b);
  }

  static RecipeValue power(const RecipeExpr& e, const SizeExpr& a, const SizeExpr& b) {
    if (!b.is_constant() || b.value < 0 || b.value > 63) fail(e, "the power of an integer is a number from 0 to 63");
    SizeExpr result = 1;
    for (int64_t i = 0; i < b.value; ++i) result = result * a;
    return result;
  }

  static RecipeValue list_binary(const RecipeExpr& e, const RecipeValue& a, const RecipeValue& b) {
    const RecipeList *x = a.get<RecipeList>(), *y = b.get<RecipeList>();
    if (e.text == "+" && x && y) return concat(*x, *y);
    const SizeExpr* n = x ? b.get<SizeExpr>() : a.get<SizeExpr>();
    if (e.text == "*" && n && n->is_constant() && n->value >= 0) {
      const RecipeList& once = x ? *x : *y;
      if (static_cast<uint64_t>(n->value) > kMaxListed / std::max<size_t>(once.size(), 1))
        fail(e, "this list is too long");
      RecipeList many;
      for (int64_t i = 0; i < n->value; ++i) append(many, once);
      return many;
    }
    fail(e, fmt::format("'{}' does not go with {} and {}", e.text, kind_of(a), kind_of(b)));
  }

  RecipeValue tensor_binary(const RecipeExpr& e, const RecipeValue& a, const RecipeValue& b) {
    static constexpr std::pair<const char*, const char*> ops[] = {
        {"+", "add"},        {"-", "sub"},         {"*", "mul"},     {"/", "div"},
        {"//", "floor_div"}, {"%", "mod"},         {"**", "pow"},    {"@", "matmul"},
        {"<", "less"},       {"<=", "less_equal"}, {">", "greater"}, {">=", "greater_equal"},
        {"==", "equal"},     {"!=", "not_equal"}};
    for (const auto& [sign, op] : ops)
      if (e.text == sign) return op_call(e, op, {a, b});
    fail(e, fmt::format("'{}' does not go with tensors", e.text));
  }

  RecipeValue op_call(const RecipeExpr& e, const std::string& op, RecipeList inputs) {
    return call_op(context_, {op, std::move(inputs), {}, 1, e.offset});
  }

  // A word of an enum attribute means itself, whatever else has its name.
  RecipeValue keyword_value(const std::string& callee, const RecipeExpr& keyword) {
    const RecipeExpr& given = keyword.args[0];
    const OpSignature* signature = given.kind == Kind::name ? context_.builder.semantics().find(callee) : nullptr;
    const AttrSignature* attr = signature ? signature->attr(keyword.text) : nullptr;
    return attr && contains(attr->words, given.text) ? RecipeValue(given.text) : evaluate(given);
  }

  RecipeValue call(const RecipeExpr& e, size_t wanted) {
    std::vector<RecipeExpr> plain;
    std::vector<RecipeKeyword> keywords;
    for (const RecipeExpr& a : e.args) {
      if (a.kind == Kind::splat && a.text == "**") fail(a, "'**' is in rewrite rules alone");
      if (a.kind == Kind::keyword) keywords.push_back({a.text, keyword_value(e.text, a), a.offset});
      else if (!keywords.empty()) fail(a, "arguments by place are before those by name");
      else plain.push_back(a);
    }
    RecipeList args = elements(plain);
    std::string callee = e.text;
    if (callee == "apply") {
      callee = named_callee(e, args);
      args.erase(args.begin());
      if (callee.starts_with(kGraphCallee)) return graph_call(e, callee, args);
    }
    if (const auto f = context_.functions.find(callee); f != context_.functions.end()) {
      if (!keywords.empty())
        throw RecipeError(keywords[0].offset, fmt::format("'{}' takes its arguments by place", callee));
      return inlined(e, callee, f->second, std::move(args), wanted);
    }
    RecipeValue result;
    if (call_host_function(context_, callee, {args, keywords, wanted}, e.offset, result)) return result;
    return call_op(context_, {callee, std::move(args), std::move(keywords), wanted, e.offset});
  }

  RecipeValue graph_call(const RecipeExpr& e, const std::string& callee, const RecipeList& args) {
    if (!context_.call_graph) fail(e, "no attribute holds a graph here");
    const RecipeList results = context_.call_graph(callee, args);
    return results.size() == 1 ? results[0] : RecipeValue(results);
  }

  // apply('name', …) calls what the text names.
  static std::string named_callee(const RecipeExpr& e, const RecipeList& args) {
    const std::string* name = args.empty() ? nullptr : args[0].get<std::string>();
    if (!name) fail(e, "apply takes the name of what it calls first, as text");
    return *name;
  }

  RecipeValue inlined(const RecipeExpr& e, const std::string& callee, const RecipeFunction& f, RecipeList args,
                      size_t wanted) {
    if (args.size() != f.parameters.size())
      fail(e, fmt::format("'{}' takes {} argument{}, not {}", callee, f.parameters.size(),
                          f.parameters.size() == 1 ? "" : "s", args.size()));
    RecipeScope inner;
    for (size_t i = 0; i < args.size(); ++i) inner[f.parameters[i]] = std::move(args[i]);
    return run_function(context_, {callee, f, e.offset, wanted}, inner);
  }

  RecipeContext& context_;
  RecipeScope& scope_;
};

void set_name(RecipeContext& context, RecipeScope& scope, const std::string& name, const RecipeValue& value) {
  scope[name] = value;
  const TensorRef* t = value.get<TensorRef>();
  if (t && context.names_values && context.depth == 0) context.builder.name_value(t->id, name);
}

// Counts the calls that are inlined into one another.
struct DeeperCall {
  DeeperCall(RecipeContext& c, size_t offset) : context(c) {
    if (context.depth++ == 0) context.outermost = offset;
  }
  ~DeeperCall() { --context.depth; }
  RecipeContext& context;
};

}  // namespace

RecipeValue evaluate_recipe(RecipeContext& context, const RecipeExpr& expr, RecipeScope& scope, size_t wanted) {
  return RecipeRun(context, scope).evaluate(expr, wanted);
}

RecipeValue run_function(RecipeContext& context, const FunctionCall& call, RecipeScope& scope) {
  const auto& [name, function, offset, wanted] = call;
  if (context.depth >= kMaxInlined)
    throw RecipeError(offset, fmt::format("'{}' is inlined into itself, or calls are nested too deeply", name));
  if (context.depth == 0) context.calls = 0;
  if (++context.calls > kMaxCalls)
    throw RecipeError(offset,
                      fmt::format("with '{}' and what it calls in the place of calls this is more than {} calls long; "
                                  "a function of a list is one call where one of its elements is many",
                                  name, kMaxCalls));
  const DeeperCall deeper(context, offset);
  try {
    return run_recipe(context, function.body, scope, wanted);
  } catch (RecipeError& error) {
    if (function.text) {
      error.inlined.push_back({name, function.text, offset});
      throw;
    }
    // The location of the call is what the author of the recipe can change.
    const std::string inside = fmt::format("in '{}': ", name), what = error.what();
    throw RecipeError(offset, what.starts_with(inside) ? what : inside + what);  // of what calls itself once
  }
}

RecipeValue run_recipe(RecipeContext& context, const std::vector<RecipeStatement>& recipe, RecipeScope& scope,
                       size_t wanted) {
  RecipeValue last;
  for (const RecipeStatement& s : recipe) {
    if (&s == &recipe.back() && s.targets.empty()) return evaluate_recipe(context, s.value, scope, wanted);
    last = evaluate_recipe(context, s.value, scope, std::max<size_t>(1, s.targets.size()));
    if (s.targets.size() == 1) set_name(context, scope, s.targets[0], last);
    if (s.targets.size() <= 1) continue;
    const RecipeList* list = last.get<RecipeList>();
    if (!list || list->size() != s.targets.size())
      throw RecipeError(s.offset, fmt::format("{} names on the left, but {} on the right", s.targets.size(),
                                              list ? fmt::format("{} results", list->size()) : "one result"));
    for (size_t i = 0; i < s.targets.size(); ++i) set_name(context, scope, s.targets[i], (*list)[i]);
  }
  return last;
}

}  // namespace tenon
