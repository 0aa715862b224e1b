// The typed functions of an op.
#include "harness/library/library_typed.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/library/library_arithmetic.h"
#include "harness/library/library_attributes.h"
#include "harness/library/library_dims.h"
#include "harness/library_names.h"
#include "ir/op/type_function.h"
#include "ir/text/print_c99.h"
#include "support/joined.h"
#include "support/quoted.h"

namespace tenon {
namespace {

class TypedWriter {
 public:
  TypedWriter(const LibraryOp& op, bool threads, TextWriter& writer)
      : op_(op), threads_(threads), def_(*op.def), name_(op.def->name), out(writer), fields_(dims_fields(op)) {}

  /// `note`: which calls with a context workers share.
  void declarations(const std::string& note) {
    out.print_line("/* {}", verbatim(comment_inside(name_ + (def_.doc.empty() ? "" : ": " + def_.doc))));
    if (threads_) out.print_line("   {}", headline()).print_line("   {} */", note);
    else out.print_line("   {} */", headline());
    if (!fields_.empty()) {
      out.line("typedef struct {");
      for (const DimsField& f : fields_)
        out.print_line("    {} {};{}", f.several ? "tn_dims" : "int64_t", f.name,
                       f.comment.empty() ? "" : fmt::format(" /* {} */", f.comment));
      out.print_line("}} tn_{}_dims;", name_);
    }
    write_attribute_struct(def_, out);
    if (!def_.attrs.empty()) out.print_line("void tn_{}_defaults{};", name_, defaults_parameters(def_));
    out.print_line("{};", shape_prototype());
    for (const LibraryKernel* k : variants()) {
      for (const bool on : calls()) {
        out.print_line("{};", call_prototype(*k, on));
        out.print_line("{};", workspace_prototype(*k, on));
      }
    }
    out.line();
  }

  void functions() {
    record();
    begin();
    shape_function();
    for (const LibraryKernel* k : variants()) {
      for (const bool on : calls()) {
        if (threads_ && !on) {
          plain_functions(*k);
          continue;
        }
        call_function(*k);
        workspace_function(*k);
      }
    }
  }

 private:
  std::string headline() const {
    std::vector<std::string> in, outs;
    for (const TensorDef* t : tensors_of(def_)) (def_.output(t->name) == t ? outs : in).push_back(tensor_text(*t));
    return verbatim(comment_inside(fmt::format("({}) -> {}", joined(in, ", "), joined(outs, ", "))));
  }

  static std::string tensor_text(const TensorDef& t) {
    return fmt::format("{}{} [{}]", t.name, t.optional ? "?" : "", dims_text(t, false));
  }

  // ---- prototypes

  /// One registration for each choice of dtypes.
  std::vector<const LibraryKernel*> variants() const {
    std::vector<const LibraryKernel*> out_list;
    for (const LibraryKernel& k : op_.kernels)
      if (std::none_of(out_list.begin(), out_list.end(),
                       [&](const LibraryKernel* o) { return o->call_types == k.call_types; }))
        out_list.push_back(&k);
    return out_list;
  }

  std::string function(const LibraryKernel& k) const {
    std::string text = "tn_" + (def_.types.empty() ? unreserved(name_, NamesOf::function) : name_);
    for (const TypeVar& v : def_.types)
      if (!v.derived) text += fmt::format("_{}", name_of(k.call_types.at(v.name)));
    return text;
  }

  /// With a context or without: where there are both, the first one does the work.
  std::vector<bool> calls() const { return threads_ ? std::vector<bool>{true, false} : std::vector<bool>{false}; }

  std::string leading_parameters(bool on = false) const {
    std::string text = on ? "const tn_context *context" : "";
    if (!text.empty() && !fields_.empty()) text += ", ";
    if (!fields_.empty()) text += fmt::format("const tn_{}_dims *dims", name_);
    if (!def_.attrs.empty()) text += fmt::format("{}const tn_{}_attrs *attrs", text.empty() ? "" : ", ", name_);
    return text;
  }

  std::string leading_arguments() const {
    return fmt::format("{}, {}", fields_.empty() ? "NULL" : "dims", def_.attrs.empty() ? "NULL" : "attrs");
  }

  DType dtype_of(const LibraryKernel& k, const TensorDef& t) const { return *dtype_of_word(t.dtype, k.call_types); }

  std::string call_prototype(const LibraryKernel& k, bool on) const {
    std::vector<std::string> parameters;
    if (!leading_parameters(on).empty()) parameters.push_back(leading_parameters(on));
    for (const TensorDef& t : def_.inputs)
      parameters.push_back(fmt::format("const {} *{}{}", dtype_row(dtype_of(k, t)).c_type, c_identifier(t.name),
                                       t.optional ? " /* or NULL */" : ""));
    for (const TensorDef& t : def_.outputs)
      parameters.push_back(fmt::format("{} *{}{}", dtype_row(dtype_of(k, t)).c_type, c_identifier(t.name),
                                       t.optional ? " /* or NULL */" : ""));
    for (const std::string& e : written_extents(def_))
      parameters.push_back(fmt::format("int64_t *{}", c_identifier(e)));
    return fmt::format("int {}{}({}, void *workspace, size_t workspace_bytes)", function(k), on ? "_on" : "",
                       joined(parameters, ", "));
  }

  std::string workspace_prototype(const LibraryKernel& k, bool on) const {
    const std::string parameters = leading_parameters(on);
    return fmt::format("size_t {}{}_workspace({})", function(k), on ? "_on" : "",
                       parameters.empty() ? "void" : parameters);
  }

  bool fixed_rank(const TensorDef& t) const {
    return std::none_of(t.dims.begin(), t.dims.end(), [](const Dim& d) { return d.kind == DimKind::pack; });
  }

  /// Attributes of the element type decide sizes of some ops, so the shape function takes the types.
  std::string shape_prototype() const {
    std::vector<std::string> parameters;
    if (!leading_parameters().empty()) parameters.push_back(leading_parameters());
    for (const std::string& v : types_of_attributes(def_)) parameters.push_back("tn_dtype " + c_identifier(v));
    for (const TensorDef& t : def_.outputs)
      parameters.push_back(
          fixed_rank(t) && !t.dims.empty()
              ? fmt::format("int64_t {}_shape[{}]", c_identifier(t.name), t.dims.size())
              : fmt::format("tn_dims *{}_shape{}", c_identifier(t.name), t.optional ? " /* or NULL */" : ""));
    return fmt::format("int tn_{}_shape({})", name_, joined(parameters, ", "));
  }

  // ---- functions

  void record() {
    out.print_line("/* A typed call of {} as a uniform one. */", name_);
    out.line("typedef struct {").line("    tn_frame frame;");
    if (!def_.attrs.empty()) out.print_line("    tn_{}_attrs attrs;", name_);
    if (has_listed_axes()) out.line("    int64_t axes[TN_MAX_NDIM];");
    out.print_line("}} {}_call;", name_).line();
  }

  bool has_listed_axes() const {
    for (const TensorDef& t : def_.inputs)
      for (const Dim& d : t.dims)
        if (!d.at.empty() && def_.attr(d.at)->count != AttrCount::one) return true;
    return false;
  }

  std::string extent_text(const Dim& d) const {
    if (d.kind == DimKind::integer) return fmt::format("{}", d.value);
    if (def_.attr(d.name)) return "a->" + c_identifier(d.name);
    return dims_field(d);
  }

  void append(const Dim& d) {
    if (d.kind == DimKind::pack) return void(out.print_line("tn_rt_extents(f, &{});", dims_field(d)));
    if (d.kind != DimKind::split) return void(out.print_line("tn_rt_extent(f, {});", extent_text(d)));
    std::string product = extent_text(d.parts[0]);
    for (size_t k = 1; k < d.parts.size(); ++k)
      product = fmt::format("tn_rt_mul(f, {}, {})", product, extent_text(d.parts[k]));
    out.print_line("tn_rt_extent(f, {});", product);
  }

  /// The stored order of an input, rule by rule.
  void input_shape(size_t i) {
    const TensorDef& t = def_.inputs[i];
    if (has_broadcast(t)) return void(out.print_line("tn_rt_extents(f, &dims->{}_shape);", c_identifier(t.name)));
    bool otherwise = true, open = false;
    for (const StorageRule& r : t.storage) {
      if (r.condition) {
        ArithmeticScope scope;
        scope.def = &def_;
        out.print_line("{}if ({}) {{", open ? "} else " : "", print_c99(condition_value(*r.condition, scope)));
      } else if (open) {
        out.line("} else {");
      }
      {
        if (open || r.condition) out.indent();
        for (const Dim& d : r.dims)
          for (const Dim& mine : t.dims)
            if (print(mine) == print(d)) append(mine);
        if (open || r.condition) out.dedent();
      }
      open = open || r.condition.has_value();
      otherwise = r.condition.has_value();
      if (!otherwise) break;
    }
    if (!otherwise) {
      if (open) out.line("}");
      return;
    }
    if (open) out.line("} else {").indent();
    for (const Dim& d : t.dims) append(d);
    if (open) out.dedent(), out.line("}");
  }

  /// Inputs whose shapes are returned by the same lines share them.
  void cases() {
    std::vector<std::string> texts;
    for (size_t i = 0; i < def_.inputs.size(); ++i) {
      TextWriter inner(4);
      std::swap(inner, out);
      input_shape(i);
      std::swap(inner, out);
      texts.push_back(inner.take());
    }
    std::vector<bool> done(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      if (done[i]) continue;
      for (size_t j = i; j < texts.size(); ++j)
        if (texts[j] == texts[i]) {
          out.print_line("case {}:", j);
          done[j] = true;
        }
      const auto in = out.indented();
      out.write(texts[i]).line("break;");
    }
  }

 public:
  /// What typed calls say of the shapes of their inputs.
  void shapes() {
    if (def_.inputs.empty()) return;
    out.print_line("static void {}_shapes(tn_frame *f, int k)", name_).line("{");
    {
      const auto in = out.indented();
      TextWriter inner(4);
      std::swap(inner, out);
      cases();
      std::swap(inner, out);
      const std::string text = inner.take();
      if (text.find("dims->") != std::string::npos) out.print_line("const tn_{}_dims *dims = f->dims;", name_);
      if (text.find("a->") != std::string::npos) out.print_line("const tn_{}_attrs *a = f->typed;", name_);
      if (text.find("tn_rt_") == std::string::npos) {  // all inputs are numbers
        out.line("(void)f, (void)k;");
      } else {
        out.line("switch (k) {").write(text).line("default:").line("    break;").line("}");
      }
    }
    out.line("}").line();
  }

 private:
  void begin() {
    const std::string dims = fields_.empty() ? "void" : fmt::format("tn_{}_dims", name_),
                      attrs = def_.attrs.empty() ? "void" : fmt::format("tn_{}_attrs", name_);
    out.print_line(
        "/* data: inputs, then outputs; NULL while only shapes or the workspace are asked for. type: dtype of each "
        "tensor. */");
    out.print_line(
           "static int {0}_begin({0}_call *c, tn_want want, const {1} *dims, const {2} *attrs, const int32_t "
           "*variable, const int32_t *type, const void *const *data)",
           name_, dims, attrs)
        .line("{");
    {
      const auto in = out.indented();
      if (!fields_.empty()) out.line("if (dims == NULL)").line("    return TN_E_NULL;");
      out.print_line("tn_rt_begin_typed(&c->frame, &tn_rt_op_{}, want, variable, type, data);", name_);
      out.line("c->frame.dims = dims;");
      attributes();
      if (!op_.counted.empty()) write_operand_count(op_, out);
      out.line("return c->frame.status;");
    }
    out.line("}").line();
  }

  void attributes() {
    if (def_.attrs.empty()) return void(out.line("(void)attrs;"));
    std::string types;
    for (const std::string& v : types_of_attributes(def_))
      types += fmt::format(", (tn_dtype)variable[{}]", type_variable(def_, v));
    out.line("if (attrs != NULL)").line("    c->attrs = *attrs;").line("else");
    const bool required = std::any_of(def_.attrs.begin(), def_.attrs.end(),
                                      [&](const AttrDef& a) { return a.required() && !is_placed_axis(def_, a.name); });
    if (required) out.line("    return TN_E_NULL;");
    else out.print_line("    tn_{}_defaults(&c->attrs{});", name_, types);
    write_placed_axes(def_, out);
    out.line("c->frame.typed = &c->attrs;");
  }

  // ---- the public functions

  void types(const LibraryKernel& k) {
    std::vector<std::string> variables, tensors;
    for (const TypeVar& v : def_.types) variables.push_back(dtype_constant(k.call_types.at(v.name)));
    for (const TensorDef* t : tensors_of(def_)) tensors.push_back(dtype_constant(dtype_of(k, *t)));
    out.print_line("    static const int32_t variable[] = {{{}}}, type_of[] = {{{}}};",
                   variables.empty() ? "0" : joined(variables, ", "), joined(tensors, ", "));
  }

  void call_function(const LibraryKernel& k) {
    std::vector<std::string> data;
    for (const TensorDef* t : tensors_of(def_)) data.push_back(c_identifier(t->name));
    out.line(call_prototype(k, threads_)).line("{");
    types(k);
    out.print_line("    const void *const pointers[] = {{{}}};", joined(data, ", "));
    out.print_line("    {}_call call;", name_);
    out.print_line("    const int status = {}_begin(&call, TN_WANT_CALL, {}, variable, type_of, pointers);", name_,
                   leading_arguments());
    if (threads_) out.line("    call.frame.context = context;");
    const std::vector<std::string> written = written_extents(def_);
    out.print_line("    {}status != 0 ? status : tn_rt_call(&call.frame, workspace, workspace_bytes);",
                   written.empty() ? "return " : "const int done = ");
    for (size_t i = 0; i < written.size(); ++i)
      out.print_line("    if (done == 0)\n        *{} = call.frame.extent[{}];", c_identifier(written[i]), i);
    out.line(written.empty() ? "}" : "    return done;\n}").line();
  }

  void workspace_function(const LibraryKernel& k) {
    out.line(workspace_prototype(k, threads_)).line("{");
    types(k);
    out.print_line("    {}_call call;", name_);
    out.line("    int64_t most = 0;");
    const bool optional =
        std::any_of(def_.inputs.begin(), def_.inputs.end(), [](const TensorDef& t) { return t.optional; });
    out.print_line("    for (int with = 0; with < {}; ++with) {{{}", optional ? 2 : 1,
                   optional ? " /* without and with the optional inputs */" : "");
    out.print_line("        if ({}_begin(&call, TN_WANT_WORKSPACE, {}, variable, type_of, NULL) != 0)", name_,
                   leading_arguments());
    out.line("            return 0;");
    unsigned without = 0;
    for (size_t i = 0; i < def_.inputs.size(); ++i)
      if (def_.inputs[i].optional) without |= 1u << i;
    if (threads_) out.line("        call.frame.context = context;");
    if (without != 0) out.line("        if (!with)").print_line("            call.frame.without |= 0x{:x};", without);
    out.line("        most = tn_rt_max(most, tn_rt_workspace(&call.frame));")
        .line("    }")
        .line("    return (size_t)most;")
        .line("}")
        .line();
  }

  /// The calls without a context.
  void plain_functions(const LibraryKernel& k) {
    std::vector<std::string> leading{"NULL"}, arguments;
    if (!fields_.empty()) leading.push_back("dims");
    if (!def_.attrs.empty()) leading.push_back("attrs");
    for (const TensorDef* t : tensors_of(def_)) arguments.push_back(c_identifier(t->name));
    for (const std::string& e : written_extents(def_)) arguments.push_back(c_identifier(e));
    out.line(call_prototype(k, false)).line("{");
    out.print_line("    return {}_on({}, {}, workspace, workspace_bytes);", function(k), joined(leading, ", "),
                   joined(arguments, ", "));
    out.line("}").line().line(workspace_prototype(k, false)).line("{");
    out.print_line("    return {}_on_workspace({});", function(k), joined(leading, ", ")).line("}").line();
  }

  void shape_function() {
    const LibraryKernel& k = *variants().at(0);
    out.line(shape_prototype()).line("{");
    types(k);
    std::string variables = "variable";
    const std::vector<std::string> given = types_of_attributes(def_);
    if (!given.empty()) {
      std::vector<std::string> chosen;
      for (const TypeVar& v : def_.types)
        chosen.push_back(std::count(given.begin(), given.end(), variable_of_type(v.name))
                             ? type_from_parameters(def_, v.name)
                             : fmt::format("variable[{}]", type_variable(def_, v.name)));
      variables = "chosen";
      out.print_line("    const int32_t chosen[] = {{{}}};", joined(chosen, ", "));
      std::vector<std::string> tensors;
      for (const TensorDef* t : tensors_of(def_)) {
        const int v = type_variable(def_, t->dtype);
        tensors.push_back(v >= 0 ? fmt::format("chosen[{}]", v) : dtype_constant(*dtype_from_name(t->dtype)));
      }
      out.print_line("    const int32_t types[] = {{{}}};", joined(tensors, ", "));
    }
    out.print_line("    {}_call call;", name_);
    out.print_line("    tn_dims told[{}] = {{{{0, {{0}}}}}};", def_.outputs.size());
    out.print_line("    int status = {}_begin(&call, TN_WANT_SHAPES, {}, {}, {}, NULL);", name_, leading_arguments(),
                   variables, variables == "chosen" ? "types" : "type_of");
    if (variables == "chosen") out.line("    (void)type_of, (void)variable;");
    out.line("    if (status != 0)").line("        return status;");
    out.line("    call.frame.told = told;").line("    status = tn_rt_infer(&call.frame);");
    out.line("    if (status != 0)").line("        return status;");
    for (size_t o = 0; o < def_.outputs.size(); ++o) {
      const TensorDef& t = def_.outputs[o];
      const std::string name = c_identifier(t.name) + "_shape", from = fmt::format("told[{}]", o);
      if (t.optional) {
        out.print_line("    if ({} != NULL) {{", name);
        out.indent();
      }
      if (fixed_rank(t) && !t.dims.empty()) {
        out.print_line("    memcpy({}, {}.dim, {} * sizeof {}.dim[0]);", name, from, t.dims.size(), from);
      } else {
        out.print_line("    *{} = {};", name, from);
      }
      if (t.optional) {
        out.dedent();
        out.line("    }");
      }
    }
    out.line("    return 0;").line("}").line();
  }

  const LibraryOp& op_;
  const bool threads_;
  const OpDef& def_;
  const std::string name_;
  TextWriter& out;
  std::vector<DimsField> fields_;
};

}  // namespace

void write_typed_declarations(const LibraryOp& op, const std::string& note, TextWriter& out) {
  TypedWriter(op, !note.empty(), out).declarations(note);
}
void write_typed_shapes(const LibraryOp& op, TextWriter& out) { TypedWriter(op, false, out).shapes(); }
void write_typed_functions(const LibraryOp& op, bool threads, TextWriter& out) {
  TypedWriter(op, threads, out).functions();
}

}  // namespace tenon
