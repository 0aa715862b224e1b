// Commands that write C or describe it.
#include <cmath>
#include <cstdlib>
#include <map>

#include "cli/command_flags.h"
#include "cli/flags.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// A parser of one of a few words.
template <class T>
auto one_of(std::map<std::string, T> words) {
  return [words = std::move(words)](const std::string& text) { return lookup(words, text); };
}

/// Two flags; the help names the second in the line of the first.
void add_gradients(CLI::App& app, std::optional<AskedGradients>& asked) {
  const auto of = [&asked](const std::string& name) {
    asked = {name, asked ? asked->wrt : std::vector<std::string>{}};
  };
  const auto wrt = [&asked](const std::vector<std::string>& names) { asked = {asked ? asked->of : "", names}; };
  app.add_option_function<std::string>("--grad-of", of, "return its gradients too, with respect to --wrt A,B")
      ->type_name("VALUE");
  app.add_option_function<std::vector<std::string>>("--wrt", wrt, "")->delimiter(',')->group("");
}

void add_states(CLI::App& app, std::vector<NamedValue>& states) {
  const Flag flag = {"--state", "IN=OUT", "an input and an output such as h0=hn",
                     "keep output OUT as the next input IN"};
  add_repeated(app, flag, states, parse_named);
}

std::optional<double> parse_work(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && value >= 1 && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Flags of commands that look at definitions or at a graph.
void add_graph_form(CLI::App& app, GraphForm& form) {
  add_sizes(app, form.sizes);
  app.add_flag("--train", form.training, "of a graph: the step that its section `train` describes");
  add_train_with(app, form.train_with);
  add_recompute(app, form.recompute);
  add_arena(app, form.arena);
}

}  // namespace

void add_lib(CLI::App& app, LibOptions& lib) {
  app.description("Writes a library of C kernels: the shipped ops, or those of DEFS.yaml.");
  app.footer("example: tenon lib --ops gemm,softmax --dtypes f32 -o kernels");
  add_files(app, "DEFS.yaml", lib.definitions, "definitions added to the shipped ones, or einsum:SUBSCRIPTS");
  add_selection(app, lib.selection);
  add_c_name(app, "--prefix", lib.prefix, "what every C name begins with [tn]");
  app.add_flag_callback(
      "--no-registry", [&lib] { lib.registry = false; }, "leave out tn_find and the uniform entry");
  app.add_flag("--amalgamate", lib.amalgamate, "one C file and one header");
  app.add_flag("--grad", lib.gradients, "add f_grad, the gradient of f, for each op f that has a derivative");
  app.add_flag("--threads", lib.threads, "add f_on(context, ...), calls of f whose loops the context's workers share");
  app.add_flag("--freestanding", lib.freestanding, "include no header of a C library");
  add_fix(app, lib.fix);
  add_math(app, lib.math);
  add_schedules(app, lib.schedules);
  app.add_option("-o", lib.output_dir, "where the library goes")->type_name("DIR")->required();
}

void add_model(CLI::App& app, ModelOptions& model) {
  app.description("Writes a model as C.");
  app.footer("example: tenon model net.onnx --size N=1..64 --main -o net && make -C net");
  app.add_option("NET", model.graph, "NET.yaml or NET.onnx")->type_name("")->required();
  add_c_name(app, "--name", model.name, "what every C name begins with [net]");
  add_sizes(app, model.sizes);
  add_isa(app, model.isas);
  add_parsed(app, {"--weights", "c|incbin|bin", "c, incbin or bin", "how the weights are stored [c]"}, model.weights,
             one_of<WeightsForm>({{"c", WeightsForm::c}, {"incbin", WeightsForm::incbin}, {"bin", WeightsForm::bin}}));
  add_parsed(app, {"--byte-order", "little|big", "little or big", "of the machine that the C is for [little]"},
             model.byte_order, one_of<ByteOrder>({{"little", ByteOrder::little}, {"big", ByteOrder::big}}));
  const Flag max_threads = {"--max-threads", "N", "a number from 1 to 1024",
                            "the maximum number of workers [8; 1 for portable C without --main]"};
  add_parsed(app, max_threads, model.max_threads, parse_threads);
  add_arena(app, model.arena);
  add_user_definitions(app, model.definitions);
  add_until(app, model.until);
  add_states(app, model.states);
  add_gradients(app, model.gradients);
  add_schedules(app, model.schedules);
  app.add_flag("--train", model.training, "the graph's section `train`: a step that trains, not the network");
  app.add_flag("--mpi", model.mpi,
               "processes train together, each on a part of every batch: mpirun -n 4 net/net_train");
  add_train_with(app, model.train_with);
  add_recompute(app, model.recompute);
  add_winograd(app, model.winograd);
  add_math(app, model.math);
  app.add_flag("--main", model.main_program, "add a program that reads and writes .npy");
  app.add_flag("--images", model.images, "its program reads .ppm, .pgm and .png too");
  app.add_flag("--sounds", model.sounds, "its program reads .wav too");
  app.add_flag("--selftest", model.selftest, "add a function that checks the model on the machine it runs on");
  app.add_flag("--freestanding", model.freestanding, "include no header of a C library, add no threads");
  add_parsed(app, {"--selftest-limit", "N", "a number such as 1e9", "what its interpreter may compute [2e7]"},
             model.selftest_limit, parse_work);
  app.add_option("-o", model.output_dir, "where the model goes")->type_name("DIR")->required();
}

void add_dump(CLI::App& app, DumpOptions& dump) {
  app.description("Prints what a stage makes of definitions or of a graph.");
  app.footer("example: tenon dump lower --ops relu --dtypes f32 --isa portable");
  app.add_option("STAGE", dump.stage, "a row of `tenon list stages`")->type_name("")->required();
  add_files(app, "FILE", dump.inputs, "definitions or one graph; left out: the shipped ones");
  add_selection(app, dump.selection);
  app.add_flag("--grad", dump.gradients, "add f_grad for each op f that has a derivative");
  add_graph_form(app, dump);
  add_fix(app, dump.fix);
  add_math(app, dump.math);
}

void add_explain(CLI::App& app, ExplainOptions& explain) {
  app.description("Describes how a kernel or a graph is compiled and why, or explains a diagnostic code.");
  app.footer("example: tenon explain softmax_f32\n         tenon explain net.onnx --memory --svg memory.svg");
  app.add_option(
         "OP|KERNEL|CODE|GRAPH", explain.subject,
         "the name of a kernel or an op, a diagnostic code, a graph (.yaml or .onnx), or scalar-loops: kernels that "
         "have some")
      ->type_name("")
      ->required();
  add_files(app, "FILE", explain.inputs, "definitions or the graph that the kernel is from");
  app.add_flag("--memory", explain.memory, "of a graph: a table of its buffers");
  app.add_option("--svg", explain.svg, "of a graph: write a picture of its memory to this file")->type_name("FILE");
  add_selection(app, explain.selection);
  add_schedules(app, explain.schedules);
  add_graph_form(app, explain);
  add_fix(app, explain.fix);
  add_math(app, explain.math);
}

void add_list(CLI::App& app, ListOptions& list) {
  app.description("Lists them, one per row; `host` marks the isas that this machine runs.");
  app.footer("example: tenon list isas");
  const char* what = "ops, dtypes, isas or stages";
  const auto parse = one_of<ListSubject>({{"ops", ListSubject::ops},
                                          {"dtypes", ListSubject::dtypes},
                                          {"isas", ListSubject::isas},
                                          {"stages", ListSubject::stages}});
  add_parsed(app, {"WHAT", "", what, what}, list.subject, parse)->required();
}

}  // namespace tenon
