// The sources of the program around a model.
#include "harness/model/model_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/library_names.h"
#include "harness/model/model_code.h"
#include "harness/model/model_extents.h"
#include "harness/model/model_state.h"
#include "ir/kernel/kernel_cost.h"
#include "ir/text/print_c99.h"
#include "support/quoted.h"
#include "support/text_template.h"
#include "support/version.h"

namespace tenon {
namespace {

class ProgramWriter {
 public:
  ProgramWriter(const ExecutionPlan& plan, const ModelFrame& frame, const std::vector<ModelLevel>& levels)
      : plan_(plan),
        frame_(frame),
        levels_(levels),
        name_(frame.name),
        upper_(upper_case(frame.name)),
        arena_(plan, frame.name) {
    for (const GraphSize& s : plan.sizes)
      if (!s.written) given_.push_back(s);
  }

  std::vector<ModelFile> files() const {
    std::vector<ModelFile> out;
    const auto add = [&](const char* suffix, std::vector<HoleValue> holes) {
      const std::string path = fmt::format("c/model_{}.in", suffix);
      const TextTemplate frame(path, frame_.templates.at(path));
      const std::vector<std::string> names = frame.hole_names();
      holes.push_back({"name", name_});
      if (std::find(names.begin(), names.end(), "upper") != names.end()) holes.push_back({"upper", upper_});
      out.push_back({fmt::format("{}_{}", name_, suffix), frame.fill(holes), path.ends_with(".c.in")});
    };
    add("program.h", {{"readers", reader_declarations()}});
    add("npy.c", {{"other_files", other_files(frame_)}});
    if (frame_.images) add("image.c", {});
    if (frame_.sounds) add("sound.c", {});
    add("main.c", main_holes());
    if (loads()) {
      add("load.c", {});
      add("load.h", {});
    }
    return out;
  }

 private:
  const PlanBuffer& buffer(int i) const { return plan_.buffers[static_cast<size_t>(i)]; }
  bool loads() const { return frame_.weights == WeightsForm::bin; }
  bool shares() const { return frame_.workers > 1; }

  std::vector<HoleValue> main_holes() const {
    return {
        {"inputs", border_rows(plan_.inputs)},
        {"outputs", border_rows(plan_.outputs)},
        {"run", entry_of(frame_)},
        {"arena_arrays", arena_arrays({arena_})},
        {"arena_field", arena_.field("arena")},
        {"arena_memory",
         arena_.divided() ? "" : fmt::format("static unsigned char memory[{}_ARENA_BYTES + 64];", upper_)},
        {"arena_at",
         arena_.divided() ? set_arena({arena_}, "m.arena") : "m.arena = memory + (64 - (uintptr_t)memory % 64) % 64;"},
        {"large_pages", large_pages()},
        {"of_model", state_text(plan_, "m->state, ") + arena_.of("m->arena")},
        {"of_m", state_text(plan_, "m.state, ") + arena_.of("m.arena")},
        {"state_field", state_text(plan_, "unsigned char *state;")},
        {"state_memory", state_memory()},
        {"state_init", state_text(plan_, fmt::format("if ({0}_state_init(m.state, &m.context) != 0) {{\n"
                                                     "  return {0}_fail(\"state\", \"it cannot be written\");\n}}",
                                                     name_))},
        {"sizes", size_rows()},
        {"steps", step_rows()},
        {"call", print_c99(call())},
        {"shapes", print_c99(output_shapes())},
        {"input_shapes", print_c99(input_shapes())},
        {"n_inputs", fmt::format("{}", plan_.inputs.size())},
        {"n_outputs", fmt::format("{}", plan_.outputs.size())},
        {"n_sizes", fmt::format("{}", given_.size())},
        {"n_steps", fmt::format("{}", plan_.steps.size())},
        {"help", help()},
        {"version", std::string(kVersion)},
        {"options", options()},
        {"defaults", defaults()},
        {"flags", flags()},
        {"options_with_value", options_with_value()},
        {"selftest", selftest_call()},
        {"check_levels", check_levels()},
        {"readers", readers()},
        {"weights_include", loads() ? fmt::format("#include \"{}_load.h\"", name_) : ""},
        {"load_weights",
         loads() ? fmt::format(
                       "if ({}_load_weights(argv[0], args.weights_file, &m.context.weights) != 0) {{\n  return 1;\n}}",
                       name_)
                 : ""},
        {"threads_include", shares() ? fmt::format("#include \"{}_threads.h\"", name_) : ""},
        {"start_threads", start_threads()},
        {"stop_threads", shares() ? fmt::format("{}_stop_threads(&m.context);", name_) : ""}};
  }

  std::string large_pages() const {
    const auto line = [&](const std::string& array) {
      return fmt::format("{}_in_large_pages({}, (long long)sizeof {});\n", name_, array, array);
    };
    if (!arena_.divided()) return line("memory");
    std::string out;
    for (const MemoryRegion& m : plan_.memories)
      if (m.bytes > 0) out += line("memory_" + m.name);
    return out;
  }

  std::string selftest_call() const {
    if (!frame_.selftest) return {};
    return fmt::format("if (args.selftest) {{\n  return check_levels({}&m.context);\n}}",
                       arena_.divided() ? "&m.arena, " : "");
  }

  std::string state_memory() const {
    return state_text(plan_, fmt::format("static unsigned char kept[{}_STATE_BYTES + 64];\nm.state = kept + (64 - "
                                         "(uintptr_t)kept % 64) % 64;",
                                         upper_));
  }

  std::string start_threads() const {
    if (!shares())
      return fmt::format(
          "if (args.threads > 1) {{\n"
          "  return {}_fail(\"--threads\", \"this model has room for one worker: generate it with tenon model "
          "--max-threads N\");\n"
          "}}",
          name_);
    return fmt::format(
        "if (args.threads > {1}_MAX_THREADS) {{\n"
        "  return {0}_fail(\"--threads\", \"this model has room for %d workers: generate it with tenon model "
        "--max-threads N\", {1}_MAX_THREADS);\n"
        "}}\nif (args.threads > 1 && {0}_start_threads(&m.context, (int)args.threads) != 0) {{\n"
        "  return {0}_fail(\"--threads\", \"the threads cannot be started\");\n}}",
        name_, upper_);
  }

  /// Lines of --help for the options that not every program has.
  std::string help() const {
    std::string out;
    const auto line = [&](const char* text) { out += fmt::format("\"  {}\\n\"\n", text); };
    if (loads()) line("--weights FILE  read the weights from FILE, not from next to the program");
    if (frame_.selftest) line("--selftest     check the model on this machine at every level; takes no inputs");
    if (frame_.images)
      line(
          "pictures (.ppm, .pgm, .png): [--scale S] [--mean M[,M,M]] [--std S[,S,S]] [--resize HxW]\\n"
          "    [--filter bilinear|nearest] [--layout nchw|nhwc] [--colors rgb|bgr]");
    if (frame_.sounds) line("sounds (.wav): [--rate HZ] [--skip SAMPLES]");
    return out;
  }

  std::string options() const {
    std::string out = frame_.images ? fmt::format("{}_image_options image;\n", name_) : "";
    if (frame_.sounds) out += fmt::format("{}_sound_options sound;\n", name_);
    return out;
  }

  std::string defaults() const {
    return frame_.images
               ? fmt::format("args->image = (const {}_image_options){{1, {{0}}, {{1, 1, 1}}, 1, 1, 0, 0, 0, 0, 0}};",
                             name_)
               : "";
  }

  /// Options of one word that not every program has.
  std::string flags() const {
    if (!frame_.selftest) return {};
    return "if (strcmp(a, \"--selftest\") == 0) {\n  args->selftest = 1;\n  continue;\n}\n";
  }

  std::string options_with_value() const {
    std::string out;
    if (loads())
      out +=
          "if (strcmp(a, \"--weights\") == 0) {\n  args->weights_file = next;\n"
          "  return next != NULL ? 1 : wrong(a, \"the name of a file is expected after it\");\n}\n";
    for (const char* kind : kinds())
      out += fmt::format(
          "const int {1} = {0}_{1}_option(a, next, &args->{1});\nif ({1} != 0) {{\n"
          "  return {1} > 0 ? 1 : wrong(a, \"its value is missing or has another form\");\n}}\n",
          name_, kind);
    return out;
  }

  std::string readers() const {
    std::string out;
    if (frame_.images)
      out += fmt::format(
          "if (first == 'P' || first == 0x89) {{\n  status = {}_read_image(&from, &args->image, a);\n}}\n", name_);
    if (frame_.sounds)
      out += fmt::format("if (first == 'R') {{\n  status = {}_read_sound(&from, &args->sound, a);\n}}\n", name_);
    return out;
  }

  std::vector<const char*> kinds() const {
    std::vector<const char*> out;
    if (frame_.images) out.push_back("image");
    if (frame_.sounds) out.push_back("sound");
    return out;
  }

  std::string reader_declarations() const {
    std::string out;
    if (frame_.images)
      out +=
          "\n"
          "/* How pixels become elements: (value*scale - mean)/deviation for values 0 to 255, in the graph's height "
          "and width. */\n"
          "typedef struct {\n  double scale, mean[3], deviation[3];\n"
          "  int means, deviations; /* 1, or one a channel */\n"
          "  long height, width;    /* of open extents; 0: the picture's */\n"
          "  int nearest, layout, bgr; /* layout: 0 by the shape, 1 NCHW, 2 NHWC */\n} @_image_options;\n";
    if (frame_.sounds)
      out +=
          "\n"
          "/* The rate that a sound must have (0: any), and how many of its samples are left out at its start. */\n"
          "typedef struct {\n  long rate, skip;\n  int skips;\n} @_sound_options;\n";
    for (const char* kind : kinds())
      out += fmt::format(
          "\n/* 1: the flag and its value are read, 0: the flag is another one, -1: the value is wrong. */\nint "
          "@_{0}_option(const char *flag, const char *value, @_{0}_options *options);\n"
          "/* 0, or 1 after a message. */\nint @_read_{0}(const @_source *from, const @_{0}_options *options, @_array "
          "*a);\n",
          kind);
    return with_name(std::move(out));
  }

  /// The text with the model's name for each '@'.
  std::string with_name(std::string text) const {
    for (size_t at = 0; (at = text.find('@', at)) != std::string::npos; at += name_.size()) text.replace(at, 1, name_);
    return text;
  }

  std::string check_levels() const {
    if (!frame_.selftest) return {};
    std::string names;
    for (const ModelLevel& l : levels_) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", l.isa->name);
    return with_name(
        fmt::format("\n/* The self-test at every level that runs here: 0, or 1 where one fails. */\n"
                    "static int check_levels({1}const @_context *context) {{\n"
                    "  static const char *const levels[] = {{{0}}};\n  int failed = 0;\n"
                    "  for (size_t k = 0; k < sizeof levels / sizeof levels[0]; ++k) {{\n    double worst = 0;\n"
                    "    if (@_force_isa(levels[k]) != 0) {{\n      continue;\n    }}\n"
                    "    const int status = @_selftest({2}context, &worst);\n    if (status == 0) {{\n"
                    "      printf(\"selftest %s: passed, %.3f of the tolerance used\\n\", levels[k], worst);\n"
                    "    }} else if (status > 0) {{\n"
                    "      printf(\"selftest %s: output '%s' differs\\n\", levels[k], outputs[status - 1].name);\n"
                    "    }} else {{\n      printf(\"selftest %s: %s\\n\", levels[k], @_strerror(status));\n    }}\n"
                    "    failed |= status != 0;\n  }}\n  return failed;\n}}\n",
                    names, arena_.divided() ? arena_.parameter() + ", " : "", arena_.divided() ? "arena, " : ""));
  }

  std::string border_rows(const std::vector<int>& list) const {
    std::string out;
    for (const int i : list) {
      const PlanBuffer& b = buffer(i);
      std::string dims;
      for (const SizeExpr& d : b.dims) {
        const auto at = std::find_if(given_.begin(), given_.end(), [&](const GraphSize& s) {
          return d.kind == SizeExpr::Kind::name && s.name == d.name;
        });
        dims += fmt::format("{}{}", dims.empty() ? "" : ", ",
                            d.is_constant()      ? d.value
                            : at != given_.end() ? -1 - (at - given_.begin())
                                                 : INT64_C(-1000));
      }
      out += fmt::format("{{\"{}\", \"{}\", {}, {}, {{{}}}, {}}},\n",
                         c_string_inside(in_short(b.original.empty() ? b.name : b.original)), name_of(b.dtype),
                         bytes_of(b.dtype), b.dims.size(), dims.empty() ? "0" : dims, b.bytes);
    }
    return out;
  }

  std::string size_rows() const {
    std::string out;
    for (const GraphSize& s : given_) out += fmt::format("{{\"{}\", {}, {}, -1}},\n", s.name, s.lo, s.hi);
    return out;
  }

  std::string step_rows() const {
    std::string out;
    for (const PlanStep& s : plan_.steps) {
      const auto cost = cost_of(s.kernel);
      out += fmt::format("{{\"{}\", \"{}\", {:.0f}}},\n", c_string_inside(s.kernel.name),
                         c_string_inside(in_short(s.origin)), cost ? cost->flops : -1);
    }
    return out.empty() ? "{NULL, NULL, 0},\n" : out;
  }

  static CExpr array(const char* arrays, size_t k) {
    return c_index(c_text(arrays), c_number(static_cast<int64_t>(k)));
  }

  CBlock call() const {
    CBlock out;
    const CExpr in = c_text("in"), results = c_member(c_text("m"), "out");
    for (size_t i = 0; i < plan_.inputs.size(); ++i)
      out.push_back(c_assign(c_arrow(in, buffer(plan_.inputs[i]).name), c_member(array("in_arrays", i), "data")));
    for (size_t i = 0; i < given_.size(); ++i)
      out.push_back(c_assign(c_arrow(in, given_[i].name), c_member(array("sizes", i), "value")));
    for (size_t o = 0; o < plan_.outputs.size(); ++o)
      out.push_back(
          c_assign(c_member(results, buffer(plan_.outputs[o]).name), c_member(array("out_arrays", o), "data")));
    return out;
  }

  /// Extents of inputs that are expressions of sizes: the sizes are known now.
  CBlock input_shapes() const {
    CBlock out;
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      const PlanBuffer& b = buffer(plan_.inputs[i]);
      for (size_t k = 0; k < b.dims.size(); ++k)
        if (!b.dims[k].is_constant() && b.dims[k].kind != SizeExpr::Kind::name) out.push_back(check_extent(i, k));
    }
    return out;
  }

  /// A message where axis k of an input has another extent than the graph computes for it.
  CStmt check_extent(size_t i, size_t k) const {
    const CExpr expected = extent_value(plan_, buffer(plan_.inputs[i]).dims[k]);
    const CExpr actual = c_index(c_member(array("in_arrays", i), "dims"), c_number(static_cast<int64_t>(k)));
    const std::string message = fmt::format("\"axis {} has %lld elements; input '%s' takes %lld\"", k);
    const CExpr fail =
        c_call(name_ + "_fail", {c_index(c_text("args.in_paths"), c_number(static_cast<int64_t>(i))), c_text(message),
                                 actual, c_member(array("inputs", i), "name"), c_cast("long long", expected)});
    return c_if(c_binary(actual, "!=", expected), {c_return(fail)});
  }

  /// Shapes that the run has determined.
  CBlock output_shapes() const {
    CBlock out;
    const CExpr d = c_text("d");
    for (size_t o = 0; o < plan_.outputs.size(); ++o) {
      const PlanBuffer& b = buffer(plan_.outputs[o]);
      if (!has_open_extents(b)) continue;
      const CExpr shape = c_member(c_member(c_text("m"), "out"), b.name + "_shape");
      const CStmt copy = c_assign(c_index(c_member(array("out_arrays", o), "dims"), d), c_index(shape, d));
      out.push_back(
          {CFor{"int", "d", c_number(0), c_less(d, c_number(static_cast<int64_t>(b.dims.size()))), "++d", {copy}}});
    }
    return out;
  }

  const ExecutionPlan& plan_;
  const ModelFrame& frame_;
  const std::vector<ModelLevel>& levels_;
  std::string name_, upper_;
  ModelArena arena_;
  std::vector<GraphSize> given_;  ///< run-time sizes of the caller
};

bool is_one_of(DType type, std::initializer_list<DType> list) {
  return std::find(list.begin(), list.end(), type) != list.end();
}

}  // namespace

std::string other_files(const ModelFrame& frame) {
  const char* pictures = frame.images ? ".png, .ppm and .pgm are read" : "`tenon model --images` reads .png and .ppm";
  const char* sounds = frame.sounds ? ".wav is read" : "`tenon model --sounds` reads .wav";
  std::string out;
  const auto row = [&](const char* start, size_t bytes, const char* what, const char* advice) {
    out += fmt::format("{{\"{}\", {}, \"{}\", \"{}\"}},\n", start, bytes, what, advice);
  };
  row("\\xff\\xd8\\xff", 3, "a JPEG picture", pictures);
  row("GIF8", 4, "a GIF picture", pictures);
  row("BM", 2, "a BMP picture", pictures);
  row("\\x89PNG", 4, "a PNG picture", pictures);
  for (const char* kind : {"P1", "P2", "P3", "P4", "P5", "P6"}) row(kind, 2, "a PNM picture", pictures);
  row("RIFF", 4, "a RIFF file: a .wav sound or a WebP picture", sounds);
  row("fLaC", 4, "a FLAC sound", sounds);
  row("OggS", 4, "an Ogg sound", sounds);
  row("ID3", 3, "an MP3 sound", sounds);
  const char* npy = "save the array with numpy.save";
  row("PK\\3\\4", 4, "a ZIP archive, such as .npz", npy);
  row("\\x89HDF", 4, "an HDF5 file", npy);
  row("\\x80", 1, "a Python pickle", npy);
  row("%PDF", 4, "a PDF document", npy);
  return out;
}

std::vector<ModelFile> program_files(const ExecutionPlan& plan, const ModelFrame& frame,
                                     const std::vector<ModelLevel>& levels) {
  return ProgramWriter(plan, frame, levels).files();
}

bool takes_picture(const PlanBuffer& input) {
  const size_t n = input.dims.size();
  if (n < 2 || n > 4 || !is_one_of(input.dtype, {DType::F32, DType::F64, DType::U8, DType::I8})) return false;
  const auto channels = [&](size_t axis) { return input.dims[axis].is(1) || input.dims[axis].is(3); };
  return n == 2 || channels(n - 3) || channels(n - 1);
}

bool takes_sound(const PlanBuffer& input) {
  const auto longer = std::count_if(input.dims.begin(), input.dims.end(), [](const SizeExpr& d) { return !d.is(1); });
  return longer == 1 && is_one_of(input.dtype, {DType::F32, DType::F64, DType::I16});
}

}  // namespace tenon
