// The entry point of a model.
#include <fmt/format.h>

#include <iterator>

#include "harness/model/call_checks.h"
#include "harness/model/model_extents.h"
#include "harness/model/model_files.h"
#include "harness/model/model_state.h"
#include "ir/nest/c_ast.h"
#include "ir/text/print_c99.h"
#include "support/c_names.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class EntryWriter {
 public:
  explicit EntryWriter(const ModelCode& code) : code_(code), plan_(code.plan) {}

  std::string text() const {
    const ModelFrame& frame = code_.frame;
    const CBlock shapes = output_shapes();
    const std::set<std::string> read = variables_read(shapes);
    const bool reads_in = read.count("in") != 0, reads_written = read.count("written") != 0;
    return fill_template(
        plan_, frame, "c/model.c.in",
        {{"arena_parameter", code_.arena.parameter()},
         {"const_arena_parameter", code_.arena.const_parameter()},
         {"arena_checks", print_c99(code_.arena.checks())},
         {"call_arena", print_c99(code_.arena.set_call())},
         {"state_parameter", state_text(plan_, "void *state, ")},
         {"const_state_parameter", state_text(plan_, "const void *state, ")},
         {"state_argument", state_text(plan_, "state, ")},
         {"state_init", plan_.state.empty() ? "" : "\n" + print_c99(state_init_function(plan_, frame, code_.weights))},
         {"checks", print_c99(checks())},
         {"runs", runs()},
         {"shapes", print_c99(shapes)},
         {"shape_parameters", (reads_in ? fmt::format("const {}_inputs *in, ", code_.name) : "") +
                                  (reads_written ? "const int64_t *written, " : "")},
         {"shape_arguments", std::string(reads_in ? "in, " : "") + (reads_written ? "written, " : "")},
         {"info", info()},
         {"written", fmt::format("{}", std::max<size_t>(code_.written.size(), 1))},
         {"call_weights", print_c99(call_weights())}},
        {{"shapes", !shapes.empty()}});
  }

 private:
  const PlanBuffer& buffer(int i) const { return plan_.buffer(i); }
  std::string status(const char* name) const { return code_.upper + name; }

  /// Whether the caller gives all sizes of an extent.
  bool is_given(const SizeExpr& extent) const {
    const std::vector<std::string> names = names_in(extent);
    return none_of(names, [&](const std::string& n) {
      return any_of(code_.written, [&](const GraphSize& s) { return s.name == n; });
    });
  }

  CBlock checks() const {
    const CExpr context = c_text("context"), in = c_text("in"), out = c_text("out");
    CBlock checks = {refuse_if(c_and(c_binary(context, "!=", c_text("NULL")),
                                     c_binary(c_arrow(context, "workers"), ">", c_text(status("_MAX_THREADS")))),
                               status("_E_WORKSPACE"))};
    if (code_.frame.weights == WeightsForm::bin) {
      const CExpr weights = c_arrow(context, "weights");
      checks.push_back(refuse_if(c_or(is_null(context), is_null(weights)), status("_E_NULL")));
      checks.push_back(refuse_if(is_unaligned(weights), status("_E_ALIGN")));
    }
    const CBlock of_state = state_checks(plan_, code_.upper);
    std::copy(of_state.begin(), of_state.end(), std::back_inserter(checks));
    for (const int i : plan_.inputs)
      checks.push_back(refuse_if(is_null(c_arrow(in, buffer(i).name)), status("_E_NULL")));
    for (const int o : plan_.outputs)
      checks.push_back(refuse_if(is_null(c_arrow(out, buffer(o).name)), status("_E_NULL")));
    for (const GraphSize& s : code_.given) {
      const CExpr size = c_arrow(in, s.name);
      checks.push_back(
          refuse_if(c_or(c_less(size, c_number(s.lo)), c_binary(size, ">", c_number(s.hi))), status("_E_SHAPE")));
    }
    for (const EqualExtents& e : plan_.equal)
      if (is_given(e.a) && is_given(e.b)) checks.push_back(refuse_if(extents_differ(plan_, e), status("_E_SHAPE")));
    return checks;
  }

  CBlock call_weights() const {
    const CExpr to = c_member(c_text("call"), "weights");
    switch (code_.frame.weights) {
      case WeightsForm::c: return {};
      case WeightsForm::incbin: return {c_assign(to, c_text(code_.name + "_weights_bytes"))};
      case WeightsForm::bin:
        return {c_assign(to, c_cast("const unsigned char *", c_arrow(c_text("context"), "weights")))};
    }
    return {};
  }

  /// The cases of the switch over levels: text, for directives are around them.
  std::string runs() const {
    std::string out;
    for (size_t k = 0; k < code_.levels.size(); ++k) {
      const Isa& isa = *code_.levels[k].isa;
      if (!isa.guard.empty()) out += fmt::format("#if {}_HAS_{}\n", code_.upper, upper_case(isa.suffix));
      out += fmt::format("  case {}:\n    status = {}_run_{}(&call);\n    break;\n", k, code_.name, isa.suffix);
      if (!isa.guard.empty()) out += "#endif\n";
    }
    return out;
  }

  CBlock output_shapes() const {
    CBlock out;
    for (const int o : plan_.outputs) {
      const PlanBuffer& b = buffer(o);
      const CExpr shape = c_arrow(c_text("out"), b.name + "_shape");
      if (!has_open_extents(b)) continue;
      for (size_t k = 0; k < b.dims.size(); ++k)
        out.push_back(c_assign(c_index(shape, c_number(static_cast<int64_t>(k))), extent_value(plan_, b.dims[k])));
    }
    return out;
  }

  std::string info() const {
    const std::string state = state_text(plan_, fmt::format(", state {} bytes", plan_.state_bytes));
    const std::string out =
        fmt::format("{}: {}, weights {} bytes{}; inputs{}; outputs{}", plan_.name, code_.arena.info(),
                    code_.weights.bytes, state, listed(plan_.inputs), listed(plan_.outputs));
    return "\"" + c_string_inside(out) + "\"";
  }

  /// Names and types. C99 compilers need not accept a string literal of more than 4095 characters: these have a third.
  std::string listed(const std::vector<int>& ids) const {
    std::string out;
    for (size_t k = 0; k < ids.size(); ++k) {
      const std::string next = fmt::format(" {} {}", in_short(buffer(ids[k]).original), type_text(buffer(ids[k])));
      if (out.size() + next.size() > 1365) return out + fmt::format(" and {} more", ids.size() - k);
      out += next;
    }
    return out;
  }

  const ModelCode& code_;
  const ExecutionPlan& plan_;
};

}  // namespace

std::string entry_source(const ModelCode& code) { return EntryWriter(code).text(); }

}  // namespace tenon
