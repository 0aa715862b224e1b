// Execution plan × C texts of its steps → the files of a generated model.
#include "harness/model/model_output.h"

#include <fmt/format.h>

#include "harness/common_text.h"
#include "harness/model/model_code.h"
#include "harness/model/model_files.h"
#include "harness/model/model_program.h"
#include "harness/model/model_selftest.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class ModelWriter {
 public:
  ModelWriter(const ExecutionPlan& plan, const std::vector<ModelLevel>& levels, const ModelFrame& frame,
              OutputTree& out)
      : code_(model_code(plan, levels, frame)), out_(out) {}

  /// Headers and sources. Returns the names of the sources.
  std::vector<std::string> write_code() {
    add(fmt::format("include/{}.h", code_.name), public_header(code_));
    add(fmt::format("src/{}_internal.h", code_.name), internal_header(code_));
    source("src/" + code_.name + ".c", entry_source(code_));
    source("src/" + code_.name + "_level.c", level_choice_source(code_));
    for (const ModelLevel& l : code_.levels)
      source(fmt::format("src/{}_{}.c", code_.name, l.isa->suffix), level_source(code_, l));
    write_weights();
    return sources_;
  }

  void write() {
    write_code();
    if (code_.frame.forward) write_forward();
    if (code_.frame.selftest)
      source("src/" + code_.name + "_selftest.c", selftest_source(code_.plan, code_.frame, *code_.frame.selftest));
    if (code_.frame.main_program) {
      for (const ModelFile& f : code_.frame.forward ? training_files(code_.plan, code_.frame)
                                                    : program_files(code_.plan, code_.frame, code_.levels))
        f.is_source ? source("src/" + f.name, f.text) : add("src/" + f.name, f.text);
    }
    if (has_pool(code_.frame)) {
      write_adapter("threads");
      add(fmt::format("runtime/{}_threads_openmp.c", code_.name), code_.fill("runtime/model_threads_openmp.c.in"));
    }
    if (code_.frame.mpi) write_adapter("mpi");
    std::string list;
    for (const std::string& s : sources_) list += s + "\n";
    out_.add("sources.txt", list);
    out_.add("MANIFEST.json", model_manifest(code_, sources_));
    out_.add("Makefile", code_.fill("c/model_Makefile.in",
                                    {{"libm", code_.frame.libm ? " -lm" : ""},
                                     {"linker", code_.frame.mpi ? "MPICC" : "CC"},
                                     {"install", code_.fill("c/package_Makefile.in", {{"package", code_.name}})}}));
    out_.add("CMakeLists.txt",
             code_.fill("c/model_CMakeLists.txt.in",
                        {{"sources", list},
                         {"install", code_.fill("c/package_CMakeLists.txt.in", {{"package", code_.name}})}}));
    for (const std::vector<HoleValue>& holes :
         package_holes({code_.name, "a model", code_.frame.libm, has_pool(code_.frame), code_.frame.mpi}))
      out_.add(holes[0].text + ".pc.in", code_.fill("c/package.pc.in", holes));
    out_.seal("MANIFEST.json", "model " + code_.name);
  }

 private:
  /// The network that validation calls, a separate model.
  void write_forward() {
    ModelFrame frame = code_.frame;
    frame.name = code_.frame.forward->name;
    frame.training = frame.main_program = frame.mpi = false;
    frame.forward = nullptr;
    append(sources_, ModelWriter(code_.frame.forward->plan, code_.frame.forward->levels, frame, out_).write_code());
  }

  /// A C file; its first line states the version and the source.
  void add(const std::string& path, const std::string& text) {
    out_.add(path, provenance_line(code_.frame.source) + text);
  }
  /// A C file that the build compiles.
  void source(const std::string& path, const std::string& text) {
    sources_.push_back(path);
    add(path, text);
  }

  /// The adapter that gives a context threads or processes; the program is compiled with each that it has.
  void write_adapter(const std::string& name) {
    const std::string path = fmt::format("runtime/{}_{}.c", code_.name, name);
    add(fmt::format("include/{}_{}.h", code_.name, name), code_.fill(fmt::format("runtime/model_{}.h.in", name)));
    add(path, code_.fill(fmt::format("runtime/model_{}.c.in", name)));
    if (code_.frame.main_program) sources_.push_back(path);
  }

  /// The constants' source and, unless they are C text, their file: next to the headers, where the assembler finds it,
  /// or next to the program.
  void write_weights() {
    const std::string path = fmt::format("src/{}_weights.c", code_.name), blob = code_.name + "_weights.bin";
    if (code_.frame.weights == WeightsForm::c) {
      std::string text = provenance_line(code_.frame.source) + code_.fill("c/model_weights.c.in");
      append_definitions(code_.weights.definitions, text);
      sources_.push_back(path);
      return out_.add(path, std::move(text));
    }
    const bool caller = code_.frame.weights == WeightsForm::bin;
    source(path, code_.fill(caller ? "c/model_weights_bin.c.in" : "c/model_weights_incbin.c.in"));
    out_.add(caller ? blob : "include/" + blob, std::move(code_.weights.blob));
  }

  ModelCode code_;
  OutputTree& out_;
  std::vector<std::string> sources_;
};

}  // namespace

std::string entry_of(const ModelFrame& frame) { return frame.name + (frame.training ? "_step" : "_run"); }

std::vector<std::string> model_template_names() {
  std::vector<std::string> names = training_template_names();
  for (const char* file :
       {"model.c", "model.h", "model_CMakeLists.txt", "model_Makefile", "model_image.c", "model_internal.h",
        "model_load.c", "model_load.h", "model_main.c", "model_npy.c", "model_program.h", "model_selftest.c",
        "model_sound.c", "model_weights.c", "model_weights_bin.c", "model_weights_incbin.c", "package.pc",
        "package_CMakeLists.txt", "package_Makefile"})
    names.push_back(fmt::format("c/{}.in", file));
  for (const char* file : {"library_level.c", "memory_functions.h", "model_mpi.c", "model_mpi.h", "model_threads.c",
                           "model_threads.h", "model_threads_openmp.c"})
    names.push_back(fmt::format("runtime/{}.in", file));
  return names;
}

void write_model(const ExecutionPlan& plan, const std::vector<ModelLevel>& levels, const ModelFrame& frame,
                 OutputTree& out) {
  ModelWriter(plan, levels, frame, out).write();
}

}  // namespace tenon
