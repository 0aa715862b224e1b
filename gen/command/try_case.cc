// Shapes, values and answers of a test of one op.
#include "command/try_case.h"

#include <fmt/format.h>

#include <random>

#include "algebra/simplify.h"
#include "command/test_values.h"
#include "ir/kernel/kernel_cost.h"
#include "ir/kernel/library.h"
#include "ir/op/type_function.h"
#include "library/bind_shapes.h"
#include "library/expand_body.h"
#include "library/expr_builder.h"
#include "library/shape_binder.h"
#include "library/storage_order.h"
#include "oracle/run_kernel.h"
#include "semantics/fold_node.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool has_class(const OpDef& def, const TensorDef& t, std::string_view name) {
  const TypeVar* v = def.type(t.dtype);
  return v && any_of(v->classes, [&](const Word& w) { return w.text == name; });
}

constexpr int64_t kMostTestBytes = int64_t{1} << 26;   // of a test: its tensors are written out as C
constexpr int64_t kMostTimedBytes = int64_t{1} << 30;  // of one that is timed

/// What a test is made for: to be compared with the answers, or to be timed.
enum class TestUse : uint8_t { compared, timed };

class CaseMaker {
 public:
  CaseMaker(const TypedTest& of, TestUse use, Diagnostics& diagnostics)
      : use_(use),
        defs_(of.defs),
        def_(of.def),
        types_(of.types),
        test_(of.test),
        diagnostics_(diagnostics),
        expr_(of.defs, scope_, scratch_kernel_, scratch_) {
    place_ = test_.span.known() ? test_.span : def_.span;
  }

  std::optional<TryCase> make() {
    if (!read_attrs()) return std::nullopt;
    bind_names();
    for (const TensorDef& t : def_.inputs)
      for (const Dim& d : t.dims) least_ = std::min(least_, element_count(extents_of(d)));
    for (const TensorDef& t : def_.inputs)
      for (int operand = 0; operand < (t.variadic ? 2 : 1); ++operand)
        if (!add_input(t)) return std::nullopt;
    auto call = bind_call({defs_, def_, given_, attrs_, types_, place_}, diagnostics_);
    if (!call || !sizes_hold(*call) || !extents_exist(*call)) return std::nullopt;
    expand_body(defs_, call->scope, call->kernel, diagnostics_);
    if (use_ == TestUse::timed) return diagnostics_.has_errors() ? std::nullopt : std::optional(timed(*call));
    if (diagnostics_.has_errors() || !answer(*call) || !take_known_answers(*call->scope.def)) return std::nullopt;
    out_.limits = error_limits(call->kernel);
    return std::move(out_);
  }

 private:
  bool fail(Code code, const SourceSpan& at, std::string message, std::vector<std::string> notes = {}) {
    diagnostics_.error(code, at.known() ? at : place_, std::move(message), std::move(notes));
    return false;
  }

  /// Adds to the number of elements; false, with a message, where the test has too many, or their number (-1) is beyond
  /// counting.
  bool spend_memory(int64_t elements, DType d) {
    const int64_t most = use_ == TestUse::timed ? kMostTimedBytes : kMostTestBytes;
    if (elements >= 0 && elements <= (most - bytes_) / bytes_of(d)) return bytes_ += elements * bytes_of(d), true;
    return fail(Code::E0227, place_,
                fmt::format("{}: the tensors of this test take more than {} MiB", def_.name, most >> 20),
                {"give smaller sizes"});
  }

  bool read_attrs() {
    for (const AttrDef& a : def_.attrs)
      if (a.required() && !bound_to(test_.attrs, a.name))
        return fail(Code::E0425, place_,
                    fmt::format("{}: attribute '{}' has no default and is not given", def_.name, a.name),
                    {fmt::format("give it by --test \"{}=…\", or by `tests:` of the definition", a.name)});
    for (const auto& [word, value] : test_.attrs) {
      const AttrDef& a = *def_.attr(word.text);
      const std::vector<Syntax> elements = value.is(SyntaxKind::list) ? value.children : std::vector<Syntax>{value};
      const size_t count =
          a.count == AttrCount::fixed && elements.size() == 1 ? static_cast<size_t>(a.length) : elements.size();
      TryAttr given{a.name, is_real(a), {}, {}};
      BoundAttr bound;
      bound.list = a.count != AttrCount::one;
      for (size_t k = 0; k < count; ++k) add_element(a, elements[elements.size() == 1 ? 0 : k], given, bound);
      out_.attrs.push_back(std::move(given));
      attrs_[a.name] = std::move(bound);
    }
    return true;
  }

  bool is_real(const AttrDef& a) const {
    if (a.kind == AttrKind::real) return true;
    const auto t = types_.find(a.type);
    const std::optional<DType> d = a.kind == AttrKind::type_variable && t != types_.end() ? std::optional(t->second)
                                   : a.kind == AttrKind::dtype                            ? dtype_from_name(a.type)
                                                                                          : std::nullopt;
    return d && (is_float(dtype_row(*d).compute) || is_complex(*d));
  }

  void add_element(const AttrDef& a, const Syntax& s, TryAttr& given, BoundAttr& bound) {
    const auto word = std::find(a.words.begin(), a.words.end(), s.text);
    const Number n = a.kind == AttrKind::enumeration ? Number{word - a.words.begin(), 0, 0} : literal_number(s);
    if (given.real) {
      given.f.push_back(static_cast<double>(n.f));
      bound.elements.push_back({constant_float(static_cast<double>(n.f), DType::F64), true});
    } else {
      given.i.push_back(n.i);
      bound.elements.push_back({constant_int(n.i, a.kind == AttrKind::boolean ? DType::Bool : DType::I64), true});
    }
  }

  /// Names that shapes may stand for: attributes, the test's sizes, and derived sizes that follow from these alone.
  void bind_names() {
    scope_.def = &def_;
    scope_.binding.types = types_;
    for (const AttrDef& a : def_.attrs) {
      BoundAttr& b = scope_.binding.attrs[a.name];
      if (const auto g = attrs_.find(a.name); g != attrs_.end()) b = g->second;
      else if (a.value->is(SyntaxKind::list))
        for (const Syntax& e : a.value->children) b.elements.push_back(expr_.value(e));
      else b.elements.assign(a.count == AttrCount::fixed ? static_cast<size_t>(a.length) : 1, expr_.value(*a.value));
      b.list = a.count != AttrCount::one;
    }
    take_shapes();
    for (const TensorDef& t : def_.inputs)
      for (const Dim& d : t.dims) bind_size(d);
    for (const LetDef& l : def_.lets)
      if (!l.pack && !l.written) scope_.binding.sizes[l.name] = expr_.value(l.value);
  }

  /// The extents that a test gives an input outright or by its values; nothing where it gives none.
  std::optional<std::vector<int64_t>> given_dims(const TensorDef& t) const {
    if (const Syntax* shape = bound_to(test_.shapes, t.name)) return mapped(shape->children, &Syntax::integer);
    const Syntax* written = bound_to(test_.inputs, t.name);
    return written ? std::optional(Nested(*written).dims) : std::nullopt;
  }

  /// Sizes and packs that the given extents of inputs determine. What does not fit is reported when all are bound.
  void take_shapes() {
    std::vector<std::optional<std::vector<Expr>>> dims;
    std::vector<std::vector<int>> orders;
    for (const TensorDef& t : def_.inputs) {
      if (t.variadic) return;
      orders.push_back(storage_order(t, expr_));
      dims.emplace_back();
      const auto given = given_dims(t);
      if (!given) continue;
      dims.back().emplace();
      for (const int64_t n : *given) dims.back()->push_back(constant_int(n));
    }
    Binding told = scope_.binding;
    if (ShapeBinder(def_, told, [](const std::string&) { return std::optional<Expr>(); }).bind_inputs(dims, orders))
      return;
    for (const auto& [name, size] : told.sizes)
      if (const auto n = constant_value(size.e)) told_[name] = {*n};
    for (const auto& [name, extents] : told.packs)
      for (const Expr& e : extents) told_[name].push_back(constant_value(e).value_or(1));
  }

  void bind_size(const Dim& d) {
    for (const Dim& part : d.parts) bind_size(part);
    if (d.kind != DimKind::size || def_.attr(d.name) || def_.let(d.name)) return;
    scope_.binding.sizes[d.name] = {constant_int(element_count(extents_of(d))), true};
  }

  /// Default extents of a size that no test names: the more dimensions, the smaller.
  int64_t default_extent() const {
    size_t most = 0;
    for (const TensorDef& t : def_.inputs) most = std::max(most, t.dims.size());
    return most <= 2 ? 37 : most == 3 ? 11 : most == 4 ? 7 : 3;
  }

  /// The extents that an entry of a shape stands for: several only if it is a pack.
  std::vector<int64_t> extents_of(const Dim& d) {
    if (d.kind == DimKind::integer) return {d.value};
    if (d.kind == DimKind::split) {
      int64_t n = 1;
      for (const Dim& part : d.parts) n *= element_count(extents_of(part));
      return {n};
    }
    if (const Syntax* s = bound_to(test_.sizes, d.name)) {
      return mapped(s->is(SyntaxKind::list) ? s->children : std::vector<Syntax>{*s}, &Syntax::integer);
    }
    if (const auto told = told_.find(d.name);
        told != told_.end() && (d.kind == DimKind::pack || told->second.size() == 1))
      return told->second;
    int64_t known = -1;
    if (const auto attr = scope_.binding.attrs.find(d.name);
        attr != scope_.binding.attrs.end() && !attr->second.elements.empty())
      known = constant_value(simplify(attr->second.elements[0].e)).value_or(-1);
    if (const auto size = scope_.binding.sizes.find(d.name); size != scope_.binding.sizes.end())
      known = constant_value(simplify(size->second.e)).value_or(-1);
    return {known >= 0 ? known : default_extent()};
  }

  /// A tensor's extents in stored order.
  std::vector<int64_t> dims_of(const TensorDef& t) {
    const std::vector<std::vector<int64_t>> entries = mapped(t.dims, [&](const Dim& d) { return extents_of(d); });
    std::vector<int64_t> dims;
    const std::vector<int> order = storage_order(t, expr_);
    for (size_t k = 0; k < entries.size(); ++k) {
      const auto& e = entries[order.empty() ? k : static_cast<size_t>(order[k])];
      append(dims, e);
    }
    return dims;
  }

  bool add_input(const TensorDef& t) {
    GivenTensor g;
    g.present = none_of(test_.absent, [&](const Word& w) { return w.text == t.name; });
    g.dtype = *dtype_of_word(t.dtype, types_);
    if (!g.present) {
      out_.inputs.emplace_back();
    } else {
      const auto given = given_dims(t);
      const std::vector<int64_t> dims = given ? *given : dims_of(t);
      for (const int64_t n : dims) g.dims.push_back(constant_int(n));
      if (dims.size() > static_cast<size_t>(kMaxRank))
        return fail(
            Code::E0227, place_,
            fmt::format("{}: {} has {} dimensions, at most {} are possible", def_.name, t.name, dims.size(), kMaxRank),
            {"give fewer"});
      if (!spend_memory(element_count(dims), g.dtype)) return false;
      TensorData data = random_tensor(g.dtype, dims, has_class(def_, t, "index"));
      if (const Syntax* written = bound_to(test_.inputs, t.name); written && !store(*written, data, t.name))
        return false;
      out_.inputs.push_back(std::move(data));
    }
    given_.push_back(std::move(g));
    return true;
  }

  bool store(const Syntax& written, TensorData& t, const std::string& name) {
    const std::vector<Number> values = Nested(written).values;
    const int64_t n = element_count(t.dims);
    if (n != static_cast<int64_t>(values.size()))
      return fail(Code::E0227, written.span,
                  fmt::format("{} values do not fill the {} elements of '{}'", values.size(), n, name),
                  {"write one value an element, row by row"});
    for (int64_t k = 0; k < n; ++k) store_number(t, k, values[static_cast<size_t>(k)]);
    return true;
  }

  TensorData random_tensor(DType d, std::vector<int64_t> dims, bool index) {
    TensorData t{d, std::move(dims), {}};
    const int64_t n = element_count(t.dims);
    t.bytes.resize(static_cast<size_t>(n) * static_cast<size_t>(bytes_of(d)));
    const auto unit = [&] { return static_cast<long double>(rng_() >> 11) * 0x1p-53L; };
    for (int64_t i = 0; i < n; ++i) {
      Number v;
      v.f = use_ == TestUse::timed ? unit() : unit() * 4 - 2;
      v.im = use_ == TestUse::timed ? unit() : unit() * 4 - 2;
      v.i = index ? static_cast<int64_t>(rng_() % static_cast<uint64_t>(std::max<int64_t>(least_, 1)))
                  : static_cast<int64_t>(rng_() % 7) - (is_signed_int(d) ? 3 : 0);
      if (d == DType::Bool) v.i &= 1;
      store_number(t, i, v);
    }
    return t;
  }

  /// Compares a size that the test gives with the one derived from the shapes: an axis may have chosen another
  /// dimension.
  bool sizes_hold(const BoundCall& call) {
    for (const auto& [word, value] : test_.sizes) {
      const auto it = call.scope.binding.sizes.find(word.text);
      const auto bound = it == call.scope.binding.sizes.end() ? std::nullopt : constant_value(it->second.e);
      if (bound && value.is(SyntaxKind::integer) && *bound != value.integer)
        return fail(
            Code::E0603, word.span, fmt::format("{} is {} in these shapes, not {}", word.text, *bound, value.integer),
            {"give every size and pack on which the shape depends, or the shapes themselves: {shapes: {X: [2, 3]}}"});
    }
    return true;
  }

  bool extents_exist(const BoundCall& call) {
    for (size_t k = 0; k < call.output_dims.size(); ++k)
      for (const Expr& e : call.output_dims[k])
        if (const auto n = constant_value(simplify(e)); n && *n < 0)
          return fail(Code::E0603, place_,
                      fmt::format("{}: '{}' has an extent of {} in these shapes", def_.name,
                                  call.scope.def->outputs[k].name, *n),
                      {"give greater sizes, or write what has to hold under `require`"});
    return true;
  }

  /// Describes the outputs without values: an extent that depends on data is 0.
  TryCase timed(const BoundCall& call) {
    out_.work = work_of(call.kernel);
    for (size_t k = 0; k < call.output_dims.size(); ++k) {
      out_.outputs.push_back({call.output_types[k], {}, {}});
      for (const Expr& e : call.output_dims[k])
        out_.outputs.back().dims.push_back(constant_value(simplify(e)).value_or(0));
    }
    return std::move(out_);
  }

  bool answer(const BoundCall& call) {
    OracleCall oracle;
    for (const auto& t : out_.inputs)
      if (t) oracle.tensors.push_back(*t);
    for (const WrittenExtent& e : call.extents) oracle.sizes[e.size] = constant_value(e.bound).value_or(0);
    if (const auto made = bytes_made(call.kernel, oracle); !spend_memory(made.value_or(-1), DType::U8)) return false;
    const OracleStatus status = run_kernel(call.kernel, oracle);
    if (status == OracleStatus::Unknown) return answer_of_test(call);
    if (status != OracleStatus::Done)
      return fail(Code::E0604, place_, fmt::format("{}: the data of this test is out of the op's range", def_.name),
                  {"give values by `in`, or sizes that fit the data"});
    out_.outputs = results_of(call, oracle);
    return true;
  }

  /// For a C template that the interpreter does not know: the outputs that the test gives under `out`.
  bool answer_of_test(const BoundCall& call) {
    for (const Tensor& t : call.kernel.tensors) {
      if (t.role != Role::Output || !t.extent.empty()) continue;
      const std::string& name = call.scope.def->outputs[out_.outputs.size()].name;
      const Syntax* stated = bound_to(test_.outputs, name);
      if (!stated)
        return fail(
            Code::E0227, place_,
            fmt::format("{}: nothing computes its C template but the compiled code, so the test has to state "
                        "'{}'",
                        def_.name, name),
            {fmt::format("give inputs and outputs by `tests:` or --test \"{{in: …, out: {{{}: […]}}}}\"", name)});
      const Nested nested(*stated);
      TensorData data{t.dtype, nested.dims, {}};
      data.bytes.resize(nested.values.size() * static_cast<size_t>(bytes_of(t.dtype)));
      out_.outputs.push_back(std::move(data));
    }
    return true;
  }

  /// `def`: with an output for each tensor of a variadic one.
  bool take_known_answers(const OpDef& def) {
    for (size_t k = 0; k < def.outputs.size(); ++k) {
      const std::string& name = def.outputs[k].name;
      const Syntax* s = bound_to(test_.outputs, name);
      if (s && !store(*s, out_.outputs[k], name)) return false;
    }
    return true;
  }

  const TestUse use_;
  const OpLibrary& defs_;
  const OpDef& def_;
  const std::map<std::string, DType>& types_;
  const TestCase& test_;
  Diagnostics& diagnostics_;
  Diagnostics scratch_;  ///< derived sizes that need more than attributes and sizes are not known here
  Scope scope_;
  Kernel scratch_kernel_;
  ExprBuilder expr_;
  SourceSpan place_;
  std::map<std::string, BoundAttr> attrs_;
  std::vector<GivenTensor> given_;
  int64_t least_ = INT64_MAX;                         ///< the smallest extent of any input: indices stay below
  std::map<std::string, std::vector<int64_t>> told_;  ///< sizes and packs from inputs whose extents the test gives
  int64_t bytes_ = 0;                                 ///< that the tensors take
  std::mt19937_64 rng_{1};
  TryCase out_;
};

}  // namespace

std::optional<TryCase> make_try_case(const TypedTest& test, Diagnostics& diagnostics) {
  return CaseMaker(test, TestUse::compared, diagnostics).make();
}

std::optional<TryCase> make_timed_case(const TypedTest& test, Diagnostics& diagnostics) {
  return CaseMaker(test, TestUse::timed, diagnostics).make();
}

std::optional<TimedWork> work_of(const Kernel& kernel) {
  const auto cost = cost_of(kernel);
  if (!cost) return std::nullopt;
  double written = 0;
  for (const Tensor& t : kernel.tensors) {
    if (t.role != Role::Output) continue;
    double bytes = bytes_of(t.dtype);
    for (const Expr& extent : t.dims) bytes *= static_cast<double>(constant_value(extent).value_or(1));
    written += bytes;
  }
  return TimedWork{cost->flops, cost->bytes - written, written};
}

}  // namespace tenon
