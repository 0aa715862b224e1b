// Headers of a model.
#include <fmt/format.h>

#include "harness/library_names.h"
#include "harness/model/model_files.h"
#include "harness/model/model_state.h"
#include "ir/text/print_c99.h"
#include "support/quoted.h"
#include "support/ranges.h"
#include "support/version.h"

namespace tenon {
namespace {

class PublicHeader {
 public:
  explicit PublicHeader(const ModelCode& code) : code_(code) {}

  std::string text() const {
    std::string inputs, outputs;
    for (const int i : code_.plan.inputs)
      inputs += fmt::format("const {} *{}; /* {} */\n", element_type(buffer(i).dtype, code_.name), buffer(i).name,
                            type_text(buffer(i)));
    for (const GraphSize& s : code_.given) inputs += fmt::format("int64_t {}; /* {}..{} */\n", s.name, s.lo, s.hi);
    for (const int o : code_.plan.outputs)
      outputs += fmt::format("{} *{}; /* {} */\n", element_type(buffer(o).dtype, code_.name), buffer(o).name,
                             type_text(buffer(o)));
    for (const int o : code_.plan.outputs)
      if (has_open_extents(buffer(o)))
        outputs += fmt::format("int64_t {}_shape[{}]; /* written by {} */\n", buffer(o).name,
                               std::max<size_t>(1, buffer(o).dims.size()), entry_of(code_.frame));
    if (code_.plan.inputs.empty() && code_.given.empty()) inputs = "char none; /* this model has no inputs */\n";
    if (outputs.empty()) outputs = "char none; /* this model has no outputs */\n";
    return code_.fill("c/model.h.in",
                      {{"doc", comment_inside(code_.plan.doc.empty() ? code_.plan.name : code_.plan.doc)},
                       {"arena_bytes", code_.arena.constants()},
                       {"arena_type", code_.arena.type()},
                       {"arena_parameter", code_.arena.parameter()},
                       {"state_bytes", fmt::format("{}", code_.plan.state_bytes)},
                       {"state_offsets", state_offsets(code_.plan, code_.upper)},
                       {"own_state", state_text(code_.plan, " and state")},
                       {"state_parameter", state_text(code_.plan, "void *state, ")},
                       {"weights", fmt::format("{}", code_.weights.bytes)},
                       {"inputs", inputs},
                       {"outputs", outputs},
                       {"complex_types", complex_types()},
                       {"version_number", version_number()},
                       {"checksum", checksum_text()},
                       {"selftest_arena", code_.arena.divided() ? code_.arena.parameter() + ", " : ""},
                       {"workers", fmt::format("{}", code_.frame.workers)}});
  }

 private:
  const PlanBuffer& buffer(int i) const { return code_.plan.buffer(i); }

  std::string checksum_text() const {
    if (code_.frame.weights != WeightsForm::bin) return {};
    return fmt::format("{:016x}", checksum(code_.weights.blob, code_.frame.byte_order));
  }

  /// Whether a buffer or a kernel has it, even if only inside an expression.
  bool has_type(DType d) const {
    return any_of(code_.plan.buffers, [&](const PlanBuffer& b) { return b.dtype == d; }) ||
           any_of(code_.plan.steps, [&](const PlanStep& s) { return tenon::has_type(s.kernel, d); });
  }

  std::string complex_types() const {
    std::string out;
    for (const auto& [d, part] : {std::pair{DType::C64, "float"}, std::pair{DType::C128, "double"}})
      if (has_type(d))
        out += "\n" + print_c99(CStruct{"", element_type(d, code_.name), {{fmt::format("{} re, im", part)}}});
    return out;
  }

  const ModelCode& code_;
};

class InternalHeader {
 public:
  explicit InternalHeader(const ModelCode& code) : code_(code) {}

  std::string text() const {
    std::string has, runs;
    for (const ModelLevel& l : code_.levels) {
      const std::string flag = fmt::format("{}_HAS_{}", code_.upper, upper_case(l.isa->suffix));
      has += l.isa->guard.empty()
                 ? fmt::format("#define {} 1\n", flag)
                 : fmt::format("#if {}\n#define {} 1\n#else\n#define {} 0\n#endif\n", l.isa->guard, flag, flag);
      runs += fmt::format("int {0}_run_{1}({0}_call *call);\n", code_.name, l.isa->suffix);
    }
    return code_.fill("c/model_internal.h.in", {{"levels", fmt::format("{}", code_.levels.size())},
                                                {"memory", code_.fill("runtime/memory_functions.h.in")},
                                                {"byte_order", byte_order_check()},
                                                {"call_arena", code_.arena.call_field()},
                                                {"counters", counters()},
                                                {"offsets", code_.arena.offsets()},
                                                {"has", has},
                                                {"runs", runs},
                                                {"weights", declared_weights()}});
  }

 private:
  /// Refuses machines of the other byte order; compilers that do not define the byte order are trusted.
  std::string byte_order_check() const {
    if (!code_.weights.ordered) return {};
    const bool big = code_.frame.byte_order == ByteOrder::big;
    return fmt::format(
        "#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_{}_ENDIAN__\n#error \"the weights of this model are "
        "{}; generate it with --byte-order {} for this machine\"\n#endif\n\n",
        big ? "BIG" : "LITTLE", big ? "big-endian" : "little-endian", big ? "little" : "big");
  }

  std::string counters() const {
    if (code_.counters.empty()) return {};
    return fmt::format("int64_t counters[{}];   /* of loops, for the steps in them that workers share */\n",
                       code_.counters.size());
  }

  std::string declared_weights() const {
    return code_.weights.declarations.empty() ? "" : "\n" + code_.weights.declarations;
  }

  const ModelCode& code_;
};

}  // namespace

std::string public_header(const ModelCode& code) { return PublicHeader(code).text(); }

std::string internal_header(const ModelCode& code) { return InternalHeader(code).text(); }

}  // namespace tenon
