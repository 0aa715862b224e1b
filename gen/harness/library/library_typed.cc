// The typed functions of an op.
#include <fmt/format.h>

#include <iterator>

#include "harness/library/library_attributes.h"
#include "harness/library/library_dims.h"
#include "harness/library/runtime_calls.h"
#include "harness/library/typed_prototypes.h"
#include "harness/library_names.h"
#include "ir/op/type_function.h"
#include "ir/text/print_c99.h"
#include "support/joined.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {
namespace {

std::string headline(const OpDef& def) {
  std::vector<std::string> in, out;
  for (const TensorDef* t : tensors_of(def))
    (def.output(t->name) == t ? out : in)
        .push_back(fmt::format("{}{} [{}]", t->name, t->optional ? "?" : "", dims_text(*t, false)));
  return verbatim(comment_inside(fmt::format("({}) -> {}", joined(in, ", "), joined(out, ", "))));
}

CStruct dims_struct(const LibraryOp& op) {
  CStruct out{"", fmt::format("tn_{}_dims", op.def->name), {}};
  for (const DimsField& f : dims_fields(op))
    out.fields.push_back({fmt::format("{} {}", f.several ? "tn_dims" : "int64_t", f.name), f.comment});
  return out;
}

bool has_listed_axes(const OpDef& def) {
  for (const TensorDef& t : def.inputs)
    for (const Dim& d : t.dims)
      if (!d.at.empty() && def.attr(d.at)->count != AttrCount::one) return true;
  return false;
}

CExpr constant(DType d) { return c_text(dtype_constant(d)); }
/// `call.frame`
CExpr call_frame() { return c_member(c_text("call"), "frame"); }

class TypedFunctions {
 public:
  TypedFunctions(const LibraryOp& op, bool threads)
      : op_(op), threads_(threads), def_(*op.def), name_(op.def->name), prototypes_(op, threads) {}

  void add(std::vector<CItem>& out) const {
    out.push_back(record());
    out.push_back(begin());
    out.push_back(workspace_of_types());
    out.push_back(shape());
    for (const LibraryKernel* k : prototypes_.variants())
      for (const bool context : prototypes_.contexts()) {
        const bool forwards = threads_ && !context;
        out.push_back(forwards ? forwarded_call(*k) : call(*k));
        out.push_back(forwards ? forwarded_workspace(*k) : workspace(*k));
      }
  }

 private:
  CStruct record() const {
    CStruct out{fmt::format("A typed call of {} as a uniform one.", name_), name_ + "_call", {{"tn_frame frame"}}};
    if (!def_.attrs.empty()) out.fields.push_back({fmt::format("tn_{}_attrs attrs", name_)});
    if (has_listed_axes(def_)) out.fields.push_back({"int64_t axes[TN_MAX_NDIM]"});
    return out;
  }

  // ---- what all of them begin with

  CFunction begin() const {
    const CExpr dims = c_text("dims"), frame = c_arrow(c_text("c"), "frame");
    CBlock body;
    if (prototypes_.has_dims())
      body.push_back(c_if(c_binary(dims, "==", c_text("NULL")), {c_return(c_text("TN_E_NULL"))}));
    body.push_back(
        c_evaluate(runtime_value("begin_typed", {address_of(frame), address_of(c_text("tn_rt_op_" + name_)),
                                                 c_text("want"), c_text("variable"), c_text("type"), c_text("data")})));
    body.push_back(c_assign(c_member(frame, "dims"), dims));
    attributes(body);
    if (!op_.counted.empty()) add_operand_count(op_, body);
    body.push_back(c_return(c_member(frame, "status")));
    return {
        "data: inputs, then outputs; NULL while only shapes or the workspace are asked for. type: dtype of each "
        "tensor.",
        "static",
        "int",
        name_ + "_begin",
        {name_ + "_call *c", "tn_want want", dims_parameter(), attributes_parameter(), "const int32_t *variable",
         "const int32_t *type", "const void *const *data"},
        std::move(body),
        ""};
  }

  std::string dims_parameter() const {
    return prototypes_.has_dims() ? fmt::format("const tn_{}_dims *dims", name_) : "const void *dims";
  }
  std::string attributes_parameter() const {
    return def_.attrs.empty() ? "const void *attrs" : fmt::format("const tn_{}_attrs *attrs", name_);
  }
  /// What fills these parameters in a typed function.
  std::vector<CExpr> dims_and_attributes() const {
    return {c_text(prototypes_.has_dims() ? "dims" : "NULL"), c_text(def_.attrs.empty() ? "NULL" : "attrs")};
  }

  /// The maximum that calls with and without the optional inputs need.
  CFunction workspace_of_types() const {
    unsigned without = 0;
    for (size_t i = 0; i < def_.inputs.size(); ++i)
      if (def_.inputs[i].optional) without |= 1u << i;
    const CExpr with = c_text("with"), most = c_text("most");
    CBlock one = {
        c_if(c_nonzero(begun("TN_WANT_WORKSPACE", {c_text("dims"), c_text("attrs")}, "variable", "type", "NULL")),
             {c_return(c_number(0))})};
    if (threads_) one.push_back(take_context());
    const auto at_least = [&](CExpr bytes) {
      return runtime_value("max", {std::move(bytes), runtime_value("workspace", {address_of(call_frame())})});
    };
    CFunction f{
        "Bytes of workspace; 0 where the call is invalid.", "static", "size_t", name_ + "_workspace", {}, {}, ""};
    if (threads_) f.params.push_back("const tn_context *context");
    for (std::string p : {dims_parameter(), attributes_parameter()}) f.params.push_back(std::move(p));
    for (const char* p : {"const int32_t *variable", "const int32_t *type"}) f.params.push_back(p);
    f.body = {declare_call()};
    if (without == 0) {
      std::move(one.begin(), one.end(), std::back_inserter(f.body));
      f.body.push_back(c_return(c_cast("size_t", at_least(c_number(0)))));
      return f;
    }
    one.push_back(c_if(c_unary("!", with), {c_assign(c_member(call_frame(), "without"), c_mask(without), "|=")}));
    one.push_back(c_assign(most, at_least(most)));
    f.body.push_back(c_declare("int64_t", "most", c_number(0)));
    f.body.push_back(c_comment("without and with the optional inputs"));
    f.body.push_back({CFor{"int", "with", c_number(0), c_binary(with, "<", c_number(2)), "++with", std::move(one)}});
    f.body.push_back(c_return(c_cast("size_t", most)));
    return f;
  }

  /// The caller's, or the defaults.
  void attributes(CBlock& body) const {
    const CExpr given = c_text("attrs"), own = c_arrow(c_text("c"), "attrs");
    if (def_.attrs.empty()) return body.push_back(c_evaluate(c_cast("void", given)));
    std::vector<CExpr> defaults = {address_of(own)};
    for (const std::string& v : types_of_attributes(def_))
      defaults.push_back(c_cast("tn_dtype", c_index(c_text("variable"), c_number(type_variable(def_, v)))));
    const bool required =
        any_of(def_.attrs, [&](const AttrDef& a) { return a.required() && !is_placed_axis(def_, a.name); });
    const CStmt otherwise = required ? c_return(c_text("TN_E_NULL"))
                                     : c_evaluate(c_call(fmt::format("tn_{}_defaults", name_), std::move(defaults)));
    body.push_back(c_if(c_binary(given, "!=", c_text("NULL")), {c_assign(own, c_unary("*", given))}, {otherwise}));
    add_placed_axes(def_, body);
    body.push_back(c_assign(c_member(c_arrow(c_text("c"), "frame"), "typed"), address_of(own)));
  }

  /// `NAME_begin(&call, want, dims, attrs, variable, type, data)`
  CExpr begun(const char* want, const std::vector<CExpr>& given, const char* variable, const char* type,
              const char* data) const {
    return c_call(name_ + "_begin", {address_of(c_text("call")), c_text(want), given[0], given[1], c_text(variable),
                                     c_text(type), c_text(data)});
  }

  CStmt types(const LibraryKernel& k) const {
    std::vector<CExpr> variables, tensors;
    for (const TypeVar& v : def_.types) variables.push_back(constant(k.call_types.at(v.name)));
    for (const TensorDef* t : tensors_of(def_)) tensors.push_back(constant(prototypes_.dtype_of(k, *t)));
    if (variables.empty()) variables.push_back(c_number(0));
    return {CDeclarations{"static const int32_t",
                          {{"variable[]", c_list(std::move(variables))}, {"type_of[]", c_list(std::move(tensors))}}}};
  }

  CStmt declare_call() const { return c_declare(name_ + "_call", "call"); }
  CStmt take_context() const { return c_assign(c_member(call_frame(), "context"), c_text("context")); }

  // ---- the public functions

  CFunction call(const LibraryKernel& k) const {
    CFunction f = prototypes_.call(k, threads_);
    std::vector<CExpr> data = mapped(tensors_of(def_), [&](const TensorDef* t) { return c_name(t->name); });
    const CExpr status = c_text("status"), done = c_text("done");
    f.body = {types(k), c_declare_array("const void *const", "pointers", "[]", c_list(std::move(data))), declare_call(),
              c_declare("const int", "status",
                        begun("TN_WANT_CALL", dims_and_attributes(), "variable", "type_of", "pointers"))};
    if (threads_) f.body.push_back(take_context());
    const CExpr result = c_conditional(
        c_nonzero(status), status,
        runtime_value("call", {address_of(call_frame()), c_text("workspace"), c_text("workspace_bytes")}));
    const std::vector<std::string> written = written_extents(def_);
    if (written.empty()) {
      f.body.push_back(c_return(result));
      return f;
    }
    f.body.push_back(c_declare("const int", "done", result));
    for (size_t i = 0; i < written.size(); ++i)
      f.body.push_back(
          c_if(c_binary(done, "==", c_number(0)),
               {c_assign(c_unary("*", c_name(written[i])), c_index(c_member(call_frame(), "extent"), c_count(i)))}));
    f.body.push_back(c_return(done));
    return f;
  }

  CFunction workspace(const LibraryKernel& k) const {
    CFunction f = prototypes_.workspace(k, threads_);
    std::vector<CExpr> arguments;
    if (threads_) arguments.push_back(c_text("context"));
    append(arguments, dims_and_attributes());
    for (const char* name : {"variable", "type_of"}) arguments.push_back(c_text(name));
    f.body = {types(k), c_return(c_call(name_ + "_workspace", std::move(arguments)))};
    return f;
  }

  /// The arguments that a call without a context passes on to the one with it.
  std::vector<CExpr> leading_arguments() const {
    std::vector<CExpr> out = {c_text("NULL")};
    if (prototypes_.has_dims()) out.push_back(c_text("dims"));
    if (!def_.attrs.empty()) out.push_back(c_text("attrs"));
    return out;
  }

  CFunction forwarded_call(const LibraryKernel& k) const {
    std::vector<CExpr> arguments = leading_arguments();
    for (const TensorDef* t : tensors_of(def_)) arguments.push_back(c_name(t->name));
    for (const std::string& e : written_extents(def_)) arguments.push_back(c_name(e));
    for (const char* name : {"workspace", "workspace_bytes"}) arguments.push_back(c_text(name));
    CFunction f = prototypes_.call(k, false);
    f.body = {c_return(c_call(prototypes_.call(k, true).name, std::move(arguments)))};
    return f;
  }

  CFunction forwarded_workspace(const LibraryKernel& k) const {
    CFunction f = prototypes_.workspace(k, false);
    f.body = {c_return(c_call(prototypes_.workspace(k, true).name, leading_arguments()))};
    return f;
  }

  /// The types of variables and tensors, where parameters of the shape function choose some.
  void chosen_types(CBlock& body) const {
    const std::vector<std::string> given = types_of_attributes(def_);
    std::vector<CExpr> chosen, tensors;
    for (const TypeVar& v : def_.types)
      chosen.push_back(count_of(given, variable_of_type(v.name))
                           ? type_from_parameters(def_, v.name)
                           : c_index(c_text("variable"), c_number(type_variable(def_, v.name))));
    for (const TensorDef* t : tensors_of(def_)) {
      const int v = type_variable(def_, t->dtype);
      tensors.push_back(v >= 0 ? c_index(c_text("chosen"), c_number(v)) : constant(*dtype_from_name(t->dtype)));
    }
    body.push_back(c_declare_array("const int32_t", "chosen", "[]", c_list(std::move(chosen))));
    body.push_back(c_declare_array("const int32_t", "types", "[]", c_list(std::move(tensors))));
  }

  CFunction shape() const {
    CFunction f = prototypes_.shape();
    CBlock& body = f.body;
    const bool chosen = !types_of_attributes(def_).empty();
    const CExpr status = c_text("status"), inferred = c_text("inferred");
    const CStmt stop = c_if(c_nonzero(status), {c_return(status)});
    body.push_back(types(*prototypes_.variants().at(0)));
    if (chosen) chosen_types(body);
    body.push_back(declare_call());
    body.push_back(c_declare_array("tn_dims", "inferred", fmt::format("[{}]", def_.outputs.size()),
                                   c_list({c_list({c_number(0), c_list({c_number(0)})})})));
    body.push_back(c_declare("int", "status",
                             begun("TN_WANT_SHAPES", dims_and_attributes(), chosen ? "chosen" : "variable",
                                   chosen ? "types" : "type_of", "NULL")));
    if (chosen)
      for (const char* unused : {"type_of", "variable"}) body.push_back(c_evaluate(c_cast("void", c_text(unused))));
    body.push_back(stop);
    body.push_back(c_assign(c_member(call_frame(), "inferred"), inferred));
    body.push_back(c_assign(status, runtime_value("infer", {address_of(call_frame())})));
    body.push_back(stop);
    for (size_t o = 0; o < def_.outputs.size(); ++o)
      body.push_back(copy_shape(def_.outputs[o], c_index(inferred, c_count(o))));
    body.push_back(c_return(c_number(0)));
    return f;
  }

  static CStmt copy_shape(const TensorDef& t, const CExpr& from) {
    const CExpr to = c_text(shape_parameter(t)), dim = c_member(from, "dim");
    const CExpr bytes = c_binary(c_count(t.dims.size()), "*", c_unary("sizeof ", c_index(dim, c_number(0))));
    const CStmt copy =
        has_shape_array(t) ? c_evaluate(c_call("memcpy", {to, dim, bytes})) : c_assign(c_unary("*", to), from);
    return t.optional ? c_if(c_binary(to, "!=", c_text("NULL")), {copy}) : copy;
  }

  const LibraryOp& op_;
  const bool threads_;
  const OpDef& def_;
  const std::string name_;
  const TypedPrototypes prototypes_;
};

}  // namespace

std::string typed_declarations(const LibraryOp& op, const std::string& note) {
  const OpDef& def = *op.def;
  const bool threads = !note.empty();
  std::string out = fmt::format(
      "/* {}\n   {}", verbatim(comment_inside(def.name + (def.doc.empty() ? "" : ": " + def.doc))), headline(def));
  out += threads ? fmt::format("\n   {} */\n", note) : " */\n";
  const TypedPrototypes prototypes(op, threads);
  if (prototypes.has_dims()) out += print_c99(dims_struct(op));
  if (!def.attrs.empty()) out += print_c99(attribute_struct(def)) + print_prototype(defaults_prototype(def));
  out += print_prototype(prototypes.shape());
  for (const LibraryKernel* k : prototypes.variants())
    for (const bool context : prototypes.contexts())
      out += print_prototype(prototypes.call(*k, context)) + print_prototype(prototypes.workspace(*k, context));
  return out + "\n";
}

void add_typed_functions(const LibraryOp& op, bool threads, std::vector<CItem>& out) {
  TypedFunctions(op, threads).add(out);
}

}  // namespace tenon
