// Execution plan × C texts of its steps → the files of a generated model.
#include "harness/model/model_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/library_names.h"
#include "harness/link_libm.h"
#include "harness/memory_functions.h"
#include "harness/model/model_arena.h"
#include "harness/model/model_processes.h"
#include "harness/model/model_program.h"
#include "harness/model/model_selftest.h"
#include "harness/model/model_state.h"
#include "harness/model/model_steps.h"
#include "harness/model/train_program.h"
#include "harness/provenance.h"
#include "ir/kernel/kernel_cost.h"
#include "support/check.h"
#include "support/quoted.h"
#include "support/text_template.h"
#include "support/version.h"

namespace tenon {
namespace {

class ModelWriter {
 public:
  ModelWriter(const ExecutionPlan& plan, const std::vector<ModelLevel>& levels, const ModelFrame& frame)
      : plan_(plan),
        levels_(levels),
        frame_(frame),
        name_(frame.name),
        upper_(upper_case(frame.name)),
        arena_(plan, frame.name),
        weights_(model_weights(plan, frame.name, {frame.weights, frame.byte_order, has_vectors(levels)})) {
    for (const GraphSize& s : plan.sizes) (s.written ? written_ : given_).push_back(s);
  }

  /// Header and sources, whose names go to `sources`.
  void write_code(OutputTree& out, std::vector<std::string>& sources) {
    const auto source = [&](const std::string& file, const std::string& text) {
      sources.push_back("src/" + file);
      add(out, "src/" + file, text);
    };
    add(out, fmt::format("include/{}.h", name_), header());
    add(out, fmt::format("src/{}_internal.h", name_), internal());
    source(name_ + ".c",
           fill("c/model.c.in", {{"name", name_},
                                 {"upper", upper_},
                                 {"run", entry_of(frame_)},
                                 {"arena_parameter", arena_.parameter()},
                                 {"const_arena_parameter", arena_.const_parameter()},
                                 {"arena_checks", arena_.checks()},
                                 {"call_arena", arena_.set_call()},
                                 {"state_parameter", state_text(plan_, "void *state, ")},
                                 {"const_state_parameter", state_text(plan_, "const void *state, ")},
                                 {"state_argument", state_text(plan_, "state, ")},
                                 {"call_state", state_text(plan_, "call.state = (unsigned char *)state;")},
                                 {"state_init", state_init_function(plan_, frame_, weights_)},
                                 {"exchange", frame_.mpi ? exchange_function(name_) : ""},
                                 {"checks", checks()},
                                 {"runs", runs()},
                                 {"shapes", shapes()},
                                 {"info", info()},
                                 {"written", fmt::format("{}", std::max<size_t>(written_.size(), 1))},
                                 {"call_weights", call_weights()}}));
    source(name_ + "_level.c", level());
    for (const ModelLevel& l : levels_) source(fmt::format("{}_{}.c", name_, l.isa->suffix), level_source(l));
    write_weights(sources, out);
  }

  void write(OutputTree& out) {
    std::vector<std::string> sources;
    const auto source = [&](const std::string& file, const std::string& text) {
      sources.push_back("src/" + file);
      add(out, "src/" + file, text);
    };
    write_code(out, sources);
    if (frame_.forward) write_forward(out, sources);
    if (frame_.selftest) source(name_ + "_selftest.c", selftest_source(plan_, frame_, *frame_.selftest));
    if (frame_.main_program) {
      for (const ModelFile& f : frame_.forward ? training_files(plan_, frame_) : program_files(plan_, frame_, levels_))
        f.is_source ? source(f.name, f.text) : add(out, "src/" + f.name, f.text);
    }
    if (shares() && !frame_.freestanding) write_adapters(sources, out);
    if (frame_.mpi) write_processes(sources, out);
    std::string list;
    for (const std::string& s : sources) list += s + "\n";
    out.add("sources.txt", list);
    out.add("MANIFEST.json", manifest(sources));
    out.add("Makefile", fill("c/model_Makefile.in", makefile_holes()));
    out.add("CMakeLists.txt",
            fill("c/model_CMakeLists.txt.in", {{"name", name_},
                                               {"upper", upper_},
                                               {"version", std::string(kVersion)},
                                               {"sources", list},
                                               {"weights", weights_dependency()},
                                               {"mpi", frame_.mpi ? cmake_of_processes(name_) : ""},
                                               {"libm", frame_.libm ? fmt::format(kLinkLibm, name_) : ""}}));
    out.add(name_ + ".pc.in", fill("c/package.pc.in", {{"package", name_},
                                                       {"description", "a model generated by Tenon"},
                                                       {"version", std::string(kVersion)},
                                                       {"libraries", libm()}}));
    out.seal("MANIFEST.json", "model " + name_);
  }

 private:
  /// The network that validation calls, a model of its own.
  void write_forward(OutputTree& out, std::vector<std::string>& sources) const {
    ModelFrame frame = frame_;
    frame.name = frame_.forward->name;
    frame.training = frame.main_program = frame.mpi = false;
    frame.forward = nullptr;
    ModelWriter(frame_.forward->plan, frame_.forward->levels, frame).write_code(out, sources);
  }

  /// A file of C.
  void add(OutputTree& out, const std::string& path, const std::string& text) const {
    out.add(path, provenance_line(frame_.source) + text);
  }

  std::string fill(const std::string& path, const std::vector<HoleValue>& values) const {
    return TextTemplate(path, frame_.templates.at(path)).fill(values);
  }
  static bool has_vectors(const std::vector<ModelLevel>& levels) {
    return std::any_of(levels.begin(), levels.end(), [](const ModelLevel& l) { return l.isa->vector_bits > 0; });
  }

  std::vector<HoleValue> makefile_holes() const {
    return {{"name", name_},
            {"upper", upper_},
            {"libm", libm()},
            {"mpi", frame_.mpi ? make_of_processes(name_) : ""},
            {"mpi_object", frame_.mpi ? fmt::format(" runtime/{}_mpi.o", name_) : ""},
            {"linker", frame_.mpi ? "MPICC" : "CC"}};
  }

  std::string libm() const { return frame_.libm ? " -lm" : ""; }

  /// Whether kernels can take work in parts.
  bool shares() const { return frame_.workers > 1; }

  /// Pools for the context, of which the program takes the one over POSIX threads.
  void write_adapters(std::vector<std::string>& sources, OutputTree& out) const {
    const auto text = [&](const char* path) { return fill(path, {{"name", name_}, {"upper", upper_}}); };
    add(out, fmt::format("include/{}_threads.h", name_), text("runtime/model_threads.h.in"));
    add(out, fmt::format("runtime/{}_threads.c", name_), text("runtime/model_threads_pthread.c.in"));
    add(out, fmt::format("runtime/{}_threads_openmp.c", name_), text("runtime/model_threads_openmp.c.in"));
    if (frame_.main_program) sources.push_back(fmt::format("runtime/{}_threads.c", name_));
  }

  /// The processes over MPI that the context's all_reduce stands for.
  void write_processes(std::vector<std::string>& sources, OutputTree& out) const {
    const auto text = [&](const char* path) { return fill(path, {{"name", name_}, {"upper", upper_}}); };
    add(out, fmt::format("include/{}_mpi.h", name_), text("runtime/model_mpi.h.in"));
    add(out, fmt::format("runtime/{}_mpi.c", name_), text("runtime/model_mpi.c.in"));
    if (frame_.main_program) sources.push_back(fmt::format("runtime/{}_mpi.c", name_));
  }

  /// The constants' source and, where they are no C text, their file: next to the headers, where the assembler finds
  /// it, or next to the program.
  void write_weights(std::vector<std::string>& sources, OutputTree& out) {
    const std::string file = name_ + "_weights.c", blob = name_ + "_weights.bin";
    if (frame_.weights == WeightsForm::c) {
      std::string text = provenance_line(frame_.source) + fill("c/model_weights.c.in", {{"name", name_}});
      append_definitions(weights_.definitions, text);
      sources.push_back("src/" + file);
      return out.add("src/" + file, std::move(text));
    }
    const bool caller = frame_.weights == WeightsForm::bin;
    std::vector<HoleValue> holes = {{"name", name_}};
    if (caller) holes.push_back({"upper", upper_});
    sources.push_back("src/" + file);
    add(out, "src/" + file, fill(caller ? "c/model_weights_bin.c.in" : "c/model_weights_incbin.c.in", holes));
    out.add(caller ? blob : "include/" + blob, std::move(weights_.blob));
  }

  /// For CMake, which does not see what the assembler takes in.
  std::string weights_dependency() const {
    if (frame_.weights != WeightsForm::incbin) return {};
    return fmt::format(
        "set_source_files_properties(src/{0}_weights.c PROPERTIES OBJECT_DEPENDS "
        "${{CMAKE_CURRENT_SOURCE_DIR}}/include/{0}_weights.bin)\n",
        name_);
  }

  const PlanBuffer& buffer(int i) const { return plan_.buffers[static_cast<size_t>(i)]; }

  /// Storage type; complex types carry the model's prefix.
  std::string c_type(DType d) const { return with_prefix(std::string(dtype_row(d).c_type), name_); }
  static bool open(const PlanBuffer& b) {
    return std::any_of(b.dims.begin(), b.dims.end(), [](const SizeExpr& d) { return !d.is_constant(); });
  }

  static std::string shape_text(const PlanBuffer& b) {
    std::string out;
    for (const SizeExpr& d : b.dims) out += (out.empty() ? "" : ", ") + to_text(d);
    return fmt::format("{}[{}]", name_of(b.dtype), out);
  }

  std::string header() const {
    std::string inputs, outputs;
    for (const int i : plan_.inputs)
      inputs += fmt::format("const {} *{}; /* {} */\n", c_type(buffer(i).dtype), buffer(i).name, shape_text(buffer(i)));
    for (const GraphSize& s : given_) inputs += fmt::format("int64_t {}; /* {}..{} */\n", s.name, s.lo, s.hi);
    for (const int o : plan_.outputs)
      outputs += fmt::format("{} *{}; /* {} */\n", c_type(buffer(o).dtype), buffer(o).name, shape_text(buffer(o)));
    for (const int o : plan_.outputs)
      if (open(buffer(o)))
        outputs += fmt::format("int64_t {}_shape[{}]; /* written by {}_run */\n", buffer(o).name,
                               std::max<size_t>(1, buffer(o).dims.size()), name_);
    if (plan_.inputs.empty() && given_.empty()) inputs = "char none; /* this model has no inputs */\n";
    return fill("c/model.h.in", {{"name", name_},
                                 {"upper", upper_},
                                 {"doc", comment_inside(plan_.doc.empty() ? plan_.name : plan_.doc)},
                                 {"arena_bytes", arena_.constants()},
                                 {"arena_type", arena_.type()},
                                 {"arena_parameter", arena_.parameter()},
                                 {"run", entry_of(frame_)},
                                 {"all_reduce", frame_.mpi ? exchange_fields() : ""},
                                 {"state_bytes", state_constants(plan_, frame_)},
                                 {"state_api", state_api(plan_, frame_)},
                                 {"own_state", state_text(plan_, " and state")},
                                 {"state_parameter", state_text(plan_, "void *state, ")},
                                 {"weights", fmt::format("{}", weights_.bytes)},
                                 {"inputs", inputs},
                                 {"outputs", outputs},
                                 {"complex_types", complex_types()},
                                 {"version", std::string(kVersion)},
                                 {"version_number", version_number()},
                                 {"weights_api", weights_api()},
                                 {"selftest_api", selftest_api()},
                                 {"workers", fmt::format("{}", frame_.workers)}});
  }

  std::string weights_api() const {
    if (frame_.weights != WeightsForm::bin) return {};
    return fmt::format(
        "\n/* The weights are in {0}_weights.bin: {1}_WEIGHTS_BYTES bytes that the caller loads to an address aligned "
        "to "
        "64 bytes and\n"
        "   names in context->weights; they are read only. FNV-1a of their 64-bit words: */\n"
        "#define {1}_WEIGHTS_CHECKSUM UINT64_C(0x{2:016x})\n\n"
        "/* 0 where these are the bytes of the file, {1}_E_SHAPE where there are more or fewer, {1}_E_RANGE where they "
        "differ. */\n"
        "int {0}_check_weights(const void *weights, size_t bytes);\n",
        name_, upper_, checksum(weights_.blob, frame_.byte_order));
  }

  std::string selftest_api() const {
    if (!frame_.selftest) return {};
    return fmt::format(
        "\n/* Runs the model on inputs of its own and compares with the answers that an interpreter gave at "
        "generation. 0: all agree; k above 0: output\n"
        "   number k does not; else a status of {0}_run. `worst`, if not NULL, gets the maximum difference as a share "
        "of what is allowed. Not re-entrant. */\n"
        "int {0}_selftest({1}const {0}_context *context, double *worst);\n",
        name_, arena_.divided() ? arena_.parameter() + ", " : "");
  }

  /// Whether a buffer or a kernel has it, be it inside of an expression alone.
  bool has_type(DType d) const {
    return std::any_of(plan_.buffers.begin(), plan_.buffers.end(), [&](const PlanBuffer& b) { return b.dtype == d; }) ||
           std::any_of(plan_.steps.begin(), plan_.steps.end(),
                       [&](const PlanStep& s) { return tenon::has_type(s.kernel, d); });
  }

  std::string complex_types() const {
    std::string out;
    for (const auto& [d, part] : {std::pair{DType::C64, "float"}, std::pair{DType::C128, "double"}})
      if (has_type(d)) out += fmt::format("\ntypedef struct {{\n  {} re, im;\n}} {};\n", part, c_type(d));
    return out;
  }

  std::string internal() const {
    std::string has, runs;
    for (const ModelLevel& l : levels_) {
      const std::string flag = fmt::format("{}_HAS_{}", upper_, upper_case(l.isa->suffix));
      has += l.isa->guard.empty()
                 ? fmt::format("#define {} 1\n", flag)
                 : fmt::format("#if {}\n#define {} 1\n#else\n#define {} 0\n#endif\n", l.isa->guard, flag, flag);
      runs += fmt::format("int {0}_run_{1}({0}_call *call);\n", name_, l.isa->suffix);
    }
    return fill("c/model_internal.h.in", {{"name", name_},
                                          {"upper", upper_},
                                          {"levels", fmt::format("{}", levels_.size())},
                                          {"memory", memory_functions(frame_.freestanding)},
                                          {"byte_order", byte_order_check()},
                                          {"call_arena", arena_.call_field()},
                                          {"call_state", state_text(plan_, "unsigned char *state;")},
                                          {"exchange", frame_.mpi ? exchange_declaration(name_) : ""},
                                          {"has", has},
                                          {"runs", runs},
                                          {"weights", declared_weights()}});
  }

  /// Refuses machines of the other byte order; compilers that do not tell are trusted.
  std::string byte_order_check() const {
    if (!weights_.ordered) return {};
    const bool big = frame_.byte_order == ByteOrder::big;
    return fmt::format(
        "#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_{}_ENDIAN__\n#error \"the weights of this model are "
        "{}; generate it with --byte-order {} for this machine\"\n#endif\n\n",
        big ? "BIG" : "LITTLE", big ? "big-endian" : "little-endian", big ? "little" : "big");
  }

  std::string declared_weights() const {
    if (frame_.weights == WeightsForm::incbin)
      return fmt::format("\n/* {} */\nextern const unsigned char {}_weights_bytes[];\n", name_ + "_weights.bin", name_);
    return weights_.declarations.empty() ? "" : "\n" + weights_.declarations;
  }

  std::string level() const {
    std::string checks, rows;
    for (const ModelLevel& l : levels_) {
      checks +=
          fmt::format("{}static int runs_{}(const features *cpu) {{\n  (void)cpu;\n  return TN_HAS_{} && ({});\n}}\n",
                      checks.empty() ? "" : "\n", l.isa->suffix, upper_case(l.isa->suffix), l.isa->host_check());
      rows += fmt::format("{}{{\"{}\", runs_{}}},", rows.empty() ? "" : "\n", l.isa->name, l.isa->suffix);
    }
    const std::string text = fill("runtime/library_level.c.in",
                                  {{"include", fmt::format("#include \"{}\"\n", verbatim(name_ + "_internal.h"))},
                                   {"level_checks", checks},
                                   {"level_rows", rows}});
    return with_prefix(text, name_);
  }

  /// How a step reads or writes a buffer.
  std::string pointer(int b, bool writes) const {
    const PlanBuffer& p = buffer(b);
    const std::string type = c_type(p.dtype);
    switch (p.kind) {
      case BufferKind::View: return view_pointer(b, writes);
      case BufferKind::Input: return "in->" + p.name;
      case BufferKind::Output: return "out->" + p.name;
      case BufferKind::Constant: return weights_.names.at(b);
      case BufferKind::Arena:
        return fmt::format("({}{} *)(void *)({})", writes ? "" : "const ", type, arena_.place(p.memory, p.offset));
      case BufferKind::State:
        return fmt::format("({}{} *)(void *)(state + {})", writes ? "" : "const ", type, p.offset);
      case BufferKind::Slice: TENON_UNREACHABLE("a slice has no place of its own");
    }
    return {};
  }

  /// A view's address in the buffer that holds it, with the view's own type.
  std::string view_pointer(int b, bool writes) const {
    const BufferPlace place = place_of(plan_, b);
    const PlanBuffer& root = buffer(place.root);
    const std::string type = c_type(buffer(b).dtype);
    const int64_t offset = root.offset + place.offset;
    if (root.kind == BufferKind::Arena || root.kind == BufferKind::State)
      return fmt::format(
          "({}{} *)(void *)({})", writes ? "" : "const ", type,
          root.kind == BufferKind::Arena ? arena_.place(root.memory, offset) : fmt::format("state + {}", offset));
    const std::string whole = pointer(place.root, writes),
                      from = place.offset ? fmt::format(" + {}", place.offset / bytes_of(root.dtype)) : "";
    return root.dtype == buffer(b).dtype ? whole + from
                                         : fmt::format("({}{} *)({}void *)({}{})", writes ? "" : "const ", type,
                                                       writes ? "" : "const ", whole, from);
  }

  std::string level_source(const ModelLevel& l) const {
    const auto place = [&](int b, bool writes) { return pointer(b, writes); };
    const std::string body = steps_text(plan_, l, {name_, upper_, call_fields(), arena_, frame_.workers}, place);
    const std::string tasks = tasks_text(plan_, l, {name_, upper_, call_fields(), arena_, frame_.workers}, place);
    std::string text = fmt::format("/* {}: the operators at level {}. */\n#include \"{}_internal.h\"\n\n",
                                   comment_inside(plan_.name), l.isa->name, name_);
    text += l.begin + "\n" + l.functions + tasks;
    text +=
        fmt::format("int {0}_run_{1}({0}_call *call) {{\n{2}  int status = 0;\n", name_, l.isa->suffix, call_fields());
    text += body + state_copies(plan_, place) + "  return status;\n}\n" + l.end;
    if (!l.isa->guard.empty())
      text += fmt::format(
          "\n/* A translation unit is never empty. */\nextern const int {}_{}_is_here;\nconst int {}_{}_is_here = 1;\n",
          name_, l.isa->suffix, name_, l.isa->suffix);
    return text;
  }

  /// What the expressions of buffers name, taken out of `call`.
  std::string call_fields() const {
    std::string out = fmt::format(
        "  const {0}_inputs *const in = call->in;\n  {0}_outputs *const out = call->out;\n{1}", name_, arena_.local());
    std::string unused = "  (void)in;\n  (void)out;\n";
    if (!arena_.divided()) unused += "  (void)arena;\n";
    if (!plan_.state.empty()) {
      out += "  unsigned char *const state = call->state;\n";
      unused += "  (void)state;\n";
    }
    if (!written_.empty()) {
      out += "  int64_t *const written = call->written;\n";
      unused += "  (void)written;\n";
    }
    if (frame_.weights == WeightsForm::c) return out + unused;
    return out + "  const unsigned char *const weights = call->weights;\n" + unused + "  (void)weights;\n";
  }

  bool is_given(const SizeExpr& extent) const {
    const std::vector<std::string> names = names_in(extent);
    return std::none_of(names.begin(), names.end(), [&](const std::string& n) {
      return std::any_of(written_.begin(), written_.end(), [&](const GraphSize& s) { return s.name == n; });
    });
  }

  std::string checks() const {
    std::string out = fmt::format(
        "if (context != NULL && context->workers > {0}_MAX_THREADS) {{\n  return {0}_E_WORKSPACE;\n}}\n", upper_);
    if (frame_.weights == WeightsForm::bin)
      out += fmt::format(
          "if (context == NULL || context->weights == NULL) {{\n  return {0}_E_NULL;\n}}\n"
          "if ((uintptr_t)context->weights % 64 != 0) {{\n  return {0}_E_ALIGN;\n}}\n",
          upper_);
    out += state_checks(plan_, upper_);
    for (const int i : plan_.inputs)
      out += fmt::format("if (in->{} == NULL) {{\n  return {}_E_NULL;\n}}\n", buffer(i).name, upper_);
    for (const int o : plan_.outputs)
      out += fmt::format("if (out->{} == NULL) {{\n  return {}_E_NULL;\n}}\n", buffer(o).name, upper_);
    for (const GraphSize& s : given_)
      out += fmt::format("if (in->{} < {} || in->{} > {}) {{\n  return {}_E_SHAPE;\n}}\n", s.name, s.lo, s.name, s.hi,
                         upper_);
    for (const EqualExtents& e : plan_.equal)
      if (is_given(e.a) && is_given(e.b))
        out += fmt::format("if ({}) {{\n  return {}_E_SHAPE;\n}}\n", differ_text(plan_, e), upper_);
    return out;
  }

  std::string call_weights() const {
    switch (frame_.weights) {
      case WeightsForm::c: return {};
      case WeightsForm::incbin: return fmt::format("call.weights = {}_weights_bytes;", name_);
      case WeightsForm::bin: return "call.weights = (const unsigned char *)context->weights;";
    }
    return {};
  }

  std::string runs() const {
    std::string out;
    for (size_t k = 0; k < levels_.size(); ++k) {
      const std::string call = fmt::format("status = {}_run_{}(&call);\n    break;", name_, levels_[k].isa->suffix);
      const bool guarded = !levels_[k].isa->guard.empty();
      if (guarded) out += fmt::format("#if {}_HAS_{}\n", upper_, upper_case(levels_[k].isa->suffix));
      out += fmt::format("  case {}:\n    {}\n", k, call);
      if (guarded) out += "#endif\n";
    }
    return out;
  }

  std::string shapes() const {
    std::string out;
    for (const int o : plan_.outputs)
      if (open(buffer(o)))
        for (size_t k = 0; k < buffer(o).dims.size(); ++k)
          out += fmt::format("out->{}_shape[{}] = {};\n", buffer(o).name, k, extent_text(plan_, buffer(o).dims[k]));
    return out;
  }

  std::string info() const {
    const std::string state = state_text(plan_, fmt::format(", state {} bytes", plan_.state_bytes));
    const std::string out = fmt::format("{}: {}, weights {} bytes{}; inputs{}; outputs{}", plan_.name, arena_.info(),
                                        weights_.bytes, state, listed(plan_.inputs), listed(plan_.outputs));
    return "\"" + c_string_inside(out) + "\"";
  }

  /// C99 compilers need not take a text of more than 4095 characters: names and types as far as a third of that goes.
  std::string listed(const std::vector<int>& ids) const {
    std::string out;
    for (size_t k = 0; k < ids.size(); ++k) {
      const std::string next = fmt::format(" {} {}", in_short(buffer(ids[k]).original), shape_text(buffer(ids[k])));
      if (out.size() + next.size() > 1365) return out + fmt::format(" and {} more", ids.size() - k);
      out += next;
    }
    return out;
  }

  std::string manifest(const std::vector<std::string>& sources) const {
    const auto list = [&](const std::vector<int>& ids) {
      std::string out;
      for (const int i : ids) {
        std::string dims;
        for (const SizeExpr& d : buffer(i).dims)
          dims +=
              fmt::format("{}{}", dims.empty() ? "" : ", ", d.is_constant() ? to_text(d) : "\"" + to_text(d) + "\"");
        out += fmt::format("{}\n    {{\"name\": \"{}\", \"original\": {}, \"dtype\": \"{}\", \"shape\": [{}]}}",
                           out.empty() ? "" : ",", buffer(i).name, json_string(buffer(i).original),
                           name_of(buffer(i).dtype), dims);
      }
      return out + (ids.empty() ? "" : "\n  ");
    };
    std::string steps, files;
    for (const PlanStep& s : plan_.steps) {
      const auto cost = cost_of(s.kernel);
      steps += fmt::format(
          "{}\n    {{\"kernel\": \"{}\", \"operators\": {}, \"flops\": {:.0f}, \"bytes\": {:.0f}, \"scratch\": "
          "{}}}",
          steps.empty() ? "" : ",", s.kernel.name, json_string(s.origin), cost ? cost->flops : 0,
          cost ? cost->bytes : 0, s.scratch);
    }
    for (const std::string& s : sources) files += fmt::format("{}\"{}\"", files.empty() ? "" : ", ", s);
    std::string sizes;
    for (const GraphSize& s : plan_.sizes)
      sizes += fmt::format("{}{{\"name\": \"{}\", \"low\": {}, \"high\": {}}}", sizes.empty() ? "" : ", ", s.name, s.lo,
                           s.hi);
    return fmt::format(
        "{{\n  \"model\": {},\n  \"inputs\": [{}],\n  \"outputs\": [{}],\n  \"sizes\": [{}],\n  \"arena_bytes\": "
        "{},\n{}  \"weights_bytes\": {},\n  \"kernels\": [{}\n  ],\n  \"sources\": [{}]\n}}\n",
        json_string(plan_.name), list(plan_.inputs), list(plan_.outputs), sizes, plan_.arena_bytes, memory_rows(),
        weights_.bytes, steps, files);
  }

  /// For the manifest.
  std::string memory_rows() const {
    std::string out;
    for (const MemoryRegion& m : plan_.memories)
      out += fmt::format("{}{{\"region\": \"{}\", \"bytes\": {}, \"budget\": {}}}", out.empty() ? "" : ", ", m.name,
                         m.bytes, m.budget ? fmt::format("{}", *m.budget) : "null");
    return out.empty() ? out : fmt::format("  \"arena\": [{}],\n", out);
  }

  std::vector<GraphSize> given_, written_;  ///< run-time sizes: of the caller, and those that depend on data
  const ExecutionPlan& plan_;
  const std::vector<ModelLevel>& levels_;
  const ModelFrame& frame_;
  std::string name_, upper_;
  ModelArena arena_;
  ModelWeights weights_;
};

}  // namespace

std::string entry_of(const ModelFrame& frame) { return frame.name + (frame.training ? "_step" : "_run"); }

std::vector<std::string> model_template_names() {
  std::vector<std::string> names = {"c/model.c.in",
                                    "c/package.pc.in",
                                    "c/model.h.in",
                                    "c/model_CMakeLists.txt.in",
                                    "c/model_Makefile.in",
                                    "c/model_internal.h.in",
                                    "c/model_weights.c.in",
                                    "c/model_weights_bin.c.in",
                                    "c/model_weights_incbin.c.in",
                                    "runtime/library_level.c.in",
                                    "runtime/model_mpi.c.in",
                                    "runtime/model_mpi.h.in",
                                    "runtime/model_threads.h.in",
                                    "runtime/model_threads_openmp.c.in",
                                    "runtime/model_threads_pthread.c.in"};
  for (const char* name : {"load.c", "load.h", "main.c", "npy.c", "program.h", "image.c", "sound.c", "selftest.c"})
    names.push_back(fmt::format("c/model_{}.in", name));
  for (std::string& name : training_template_names()) names.push_back(std::move(name));
  return names;
}

void write_model(const ExecutionPlan& plan, const std::vector<ModelLevel>& levels, const ModelFrame& frame,
                 OutputTree& out) {
  ModelWriter(plan, levels, frame).write(out);
}

}  // namespace tenon
