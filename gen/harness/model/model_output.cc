// Execution plan × C texts of its steps → the files of a generated model.
#include "harness/model/model_output.h"

#include <fmt/format.h>

#include "harness/common_text.h"
#include "harness/model/model_code.h"
#include "harness/model/model_files.h"
#include "harness/model/model_program.h"
#include "harness/model/model_selftest.h"

namespace tenon {
namespace {

class ModelWriter {
 public:
  ModelWriter(const ExecutionPlan& plan, const std::vector<ModelLevel>& levels, const ModelFrame& frame)
      : code_(model_code(plan, levels, frame)) {}

  /// Headers and sources, whose names go to `sources`.
  void write_code(OutputTree& out, std::vector<std::string>& sources) {
    const auto source = [&](const std::string& file, const std::string& text) {
      sources.push_back("src/" + file);
      add(out, "src/" + file, text);
    };
    add(out, fmt::format("include/{}.h", code_.name), public_header(code_));
    add(out, fmt::format("src/{}_internal.h", code_.name), internal_header(code_));
    source(code_.name + ".c", entry_source(code_));
    source(code_.name + "_level.c", level_choice_source(code_));
    for (const ModelLevel& l : code_.levels)
      source(fmt::format("{}_{}.c", code_.name, l.isa->suffix), level_source(code_, l));
    write_weights(sources, out);
  }

  void write(OutputTree& out) {
    std::vector<std::string> sources;
    const auto source = [&](const std::string& file, const std::string& text) {
      sources.push_back("src/" + file);
      add(out, "src/" + file, text);
    };
    write_code(out, sources);
    if (code_.frame.forward) write_forward(out, sources);
    if (code_.frame.selftest)
      source(code_.name + "_selftest.c", selftest_source(code_.plan, code_.frame, *code_.frame.selftest));
    if (code_.frame.main_program) {
      for (const ModelFile& f : code_.frame.forward ? training_files(code_.plan, code_.frame)
                                                    : program_files(code_.plan, code_.frame, code_.levels))
        f.is_source ? source(f.name, f.text) : add(out, "src/" + f.name, f.text);
    }
    if (has_pool(code_.frame)) {
      write_adapter("threads", sources, out);
      add(out, fmt::format("runtime/{}_threads_openmp.c", code_.name), code_.fill("runtime/model_threads_openmp.c.in"));
    }
    if (code_.frame.mpi) write_adapter("mpi", sources, out);
    std::string list;
    for (const std::string& s : sources) list += s + "\n";
    out.add("sources.txt", list);
    out.add("MANIFEST.json", model_manifest(code_, sources));
    out.add("Makefile", code_.fill("c/model_Makefile.in", makefile_holes()));
    out.add("CMakeLists.txt",
            code_.fill("c/model_CMakeLists.txt.in",
                       {{"sources", list},
                        {"install", code_.fill("c/package_CMakeLists.txt.in", {{"package", code_.name}})}}));
    for (const std::vector<HoleValue>& holes :
         package_holes({code_.name, "a model", code_.frame.libm, has_pool(code_.frame), code_.frame.mpi}))
      out.add(holes[0].text + ".pc.in", code_.fill("c/package.pc.in", holes));
    out.seal("MANIFEST.json", "model " + code_.name);
  }

 private:
  /// The network that validation calls, a model of its own.
  void write_forward(OutputTree& out, std::vector<std::string>& sources) const {
    ModelFrame frame = code_.frame;
    frame.name = code_.frame.forward->name;
    frame.training = frame.main_program = frame.mpi = false;
    frame.forward = nullptr;
    ModelWriter(code_.frame.forward->plan, code_.frame.forward->levels, frame).write_code(out, sources);
  }

  /// A file of C.
  void add(OutputTree& out, const std::string& path, const std::string& text) const {
    out.add(path, provenance_line(code_.frame.source) + text);
  }

  std::vector<HoleValue> makefile_holes() const {
    return {{"libm", libm()},
            {"linker", code_.frame.mpi ? "MPICC" : "CC"},
            {"install", code_.fill("c/package_Makefile.in", {{"package", code_.name}})}};
  }

  std::string libm() const { return code_.frame.libm ? " -lm" : ""; }

  /// What gives the context threads or processes; the program takes each.
  void write_adapter(const std::string& name, std::vector<std::string>& sources, OutputTree& out) const {
    const std::string source = fmt::format("runtime/{}_{}.c", code_.name, name);
    add(out, fmt::format("include/{}_{}.h", code_.name, name), code_.fill(fmt::format("runtime/model_{}.h.in", name)));
    add(out, source, code_.fill(fmt::format("runtime/model_{}.c.in", name)));
    if (code_.frame.main_program) sources.push_back(source);
  }

  /// The constants' source and, where they are no C text, their file: next to the headers, where the assembler finds
  /// it, or next to the program.
  void write_weights(std::vector<std::string>& sources, OutputTree& out) {
    const std::string file = code_.name + "_weights.c", blob = code_.name + "_weights.bin";
    if (code_.frame.weights == WeightsForm::c) {
      std::string text = provenance_line(code_.frame.source) + code_.fill("c/model_weights.c.in");
      append_definitions(code_.weights.definitions, text);
      sources.push_back("src/" + file);
      return out.add("src/" + file, std::move(text));
    }
    const bool caller = code_.frame.weights == WeightsForm::bin;
    sources.push_back("src/" + file);
    add(out, "src/" + file, code_.fill(caller ? "c/model_weights_bin.c.in" : "c/model_weights_incbin.c.in"));
    out.add(caller ? blob : "include/" + blob, std::move(code_.weights.blob));
  }

  ModelCode code_;
};

}  // namespace

std::string entry_of(const ModelFrame& frame) { return frame.name + (frame.training ? "_step" : "_run"); }

std::vector<std::string> model_template_names() {
  std::vector<std::string> names = {"c/model.c.in",
                                    "c/package.pc.in",
                                    "c/package_CMakeLists.txt.in",
                                    "c/package_Makefile.in",
                                    "c/model.h.in",
                                    "c/model_CMakeLists.txt.in",
                                    "c/model_Makefile.in",
                                    "c/model_internal.h.in",
                                    "c/model_weights.c.in",
                                    "c/model_weights_bin.c.in",
                                    "c/model_weights_incbin.c.in",
                                    "runtime/library_level.c.in",
                                    "runtime/memory_functions.h.in",
                                    "runtime/model_mpi.c.in",
                                    "runtime/model_mpi.h.in",
                                    "runtime/model_threads.c.in",
                                    "runtime/model_threads.h.in",
                                    "runtime/model_threads_openmp.c.in"};
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
