// `tenon quantize`: runs a float model on examples, chooses steps by what its values are between, and writes the model
// in 8-bit integers.
#include <fmt/format.h>

#include "command/commands.h"
#include "command/drawn_inputs.h"
#include "command/quantization_error.h"
#include "command/select.h"
#include "command/timed_program.h"
#include "command/written_files.h"
#include "frontend/tensors/tensor_files.h"
#include "pipeline/make.h"
#include "support/print_to.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using Tensors = std::vector<TensorData>;

class Quantization {
 public:
  Quantization(Run& run, const QuantizeOptions& o, const std::string& folder)
      : run_(run), o_(o), folder_(folder), defs_(all_definitions(run, {})) {}

  int quantize() {
    const Graph graph = read_model_source(run_, options_of(o_.graph), GraphMode::network, defs_.ops).graph;
    refuse_overwriting(run_, {{"-o", o_.output, FileForm::onnx}}, run_.files_read());
    const std::vector<uint8_t> bytes = run_.open(read_bytes(o_.graph, o_.graph));
    const auto model = run_.open(QuantizableModel::read({o_.graph, bytes}, o_.kept));
    for (const std::string& name : model.unknown())
      stop_run(exit_bad_command_line,
               fmt::format("--keep: {} has no node '{}' and none that makes such a value", o_.graph, name));
    if (model.values().empty())
      stop_run(exit_bad_input, fmt::format("{}: it has no Conv, MatMul or Gemm (with alpha 1, without transA) whose "
                                           "weights are constants of f32 and that is not kept",
                                           o_.graph));
    outputs_ = graph.outputs.size();
    for (const ValueId v : graph.outputs) names_.push_back(graph.value(v).original);
    for (const ValueId v : graph.inputs) inputs_.push_back(graph.value(v).original);
    calls_ = calibration_calls(run_, graph, o_.data, folder_);
    if (o_.labels) read_labels();
    calibrate(model);
    const QuantizedModel made = run_.open(model.quantized(ranges_of(model.values())));
    compare(made.bytes);
    report(made, bytes.size());
    return run_.deliver_file(made.bytes, o_.output);
  }

 private:
  ModelOptions options_of(const std::string& graph) const {
    ModelOptions m(o_);
    m.graph = graph;
    m.weights = WeightsForm::incbin;
    m.main_program = true;
    return m;
  }

  /// The folder of a compiled program of the model.
  std::string program(const std::string& bytes, const std::string& name) {
    const std::string file = fmt::format("{}/{}.onnx", folder_, name), folder = folder_ + "/" + name;
    write_for_program(file, bytes);
    // Runs that write nothing need it too.
    const OutputTree tree = make_model(run_, defs_, options_of(file));
    if (const WriteOutcome out = tree.write(folder, false); out.error) stop_run(exit_run_failed, *out.error);
    if (compile_folder(folder, o_.compiler + " -w", "net") != 0) throw Stop{exit_run_failed};
    return folder;
  }

  Tensors outputs_on(const std::string& program, const CallFiles& files, size_t count) const {
    const ProgramRun how{o_.compiler, files, count};
    auto out = TimedModel(program, how).outputs();
    if (!out) stop_run(exit_run_failed, fmt::format("the program failed on {}", files.empty() ? "nothing" : files[0]));
    return std::move(*out);
  }

  /// Runs the float model on all examples: what its values are between, and its outputs.
  void calibrate(const QuantizableModel& model) {
    const std::string folder = program(run_.open(model.with_values()), "float");
    std::vector<std::string> inside;  // outputs after those of the model, in order
    for (const std::string& v : model.values())
      if (!contains(names_, v) && !contains(inputs_, v)) inside.push_back(v);
    for (const CallFiles& files : calls_) {
      Tensors all = outputs_on(folder, files, outputs_ + inside.size());
      for (size_t k = 0; k < inside.size(); ++k) histograms_[inside[k]].add(all[outputs_ + k]);
      for (size_t k = 0; k < outputs_; ++k) histograms_[names_[k]].add(all[k]);
      for (size_t k = 0; k < files.size(); ++k)
        histograms_[inputs_[k]].add(run_.open(read_npy(run_.open(read_bytes(files[k], files[k])), files[k])));
      all.resize(outputs_);
      exact_.push_back(std::move(all));
    }
  }

  RealRanges ranges_of(const std::vector<std::string>& values) const {
    RealRanges out;
    for (const std::string& v : values) {
      const ValueHistogram& h = histograms_.at(v);
      out[v] = o_.percentile ? h.range_of(*o_.percentile) : h.range();
    }
    return out;
  }

  void compare(const std::string& bytes) {
    const std::string folder = program(bytes, "integers");
    differences_.resize(outputs_);
    for (size_t c = 0; c < calls_.size(); ++c) {
      const Tensors rounded = outputs_on(folder, calls_[c], outputs_);
      for (size_t k = 0; k < outputs_; ++k) differences_[k].add(exact_[c][k], rounded[k]);
      if (!o_.labels) continue;
      count_right(largest_places(exact_[c][0]), right_before_);
      count_right(largest_places(rounded[0]), right_after_);
    }
  }

  void read_labels() {
    const TensorData data = run_.open(read_npy(run_.open(read_bytes(*o_.labels, *o_.labels)), *o_.labels));
    if (is_float(data.dtype) || is_complex(data.dtype))
      stop_run(exit_bad_input, fmt::format("--labels: {} holds {}, not integers", *o_.labels, name_of(data.dtype)));
    for (int64_t k = 0; k < element_count(data.dims); ++k) labels_.push_back(int_element(data, k));
  }

  struct Right {
    size_t seen = 0, right = 0;
  };
  void count_right(const std::vector<int64_t>& places, Right& r) const {
    for (const int64_t place : places) {
      if (r.seen >= labels_.size())
        stop_run(exit_bad_input,
                 fmt::format("--labels: {} has {} labels, and there are more examples", *o_.labels, labels_.size()));
      if (labels_[r.seen++] == place) ++r.right;
    }
  }

  void report(const QuantizedModel& made, size_t before) const {
    if (run_.control().quiet) return;
    print_to(stdout, "{} of {} convolutions and products in 8-bit integers; {} -> {} bytes; {} calls on examples\n",
             made.quantized, made.quantized + made.left, before, made.bytes.size(), calls_.size());
    for (size_t k = 0; k < outputs_; ++k) print_to(stdout, "{}: {}\n", names_[k], differences_[k].text());
    if (!o_.labels) return;
    const auto percent = [](const Right& r) {
      return 100.0 * static_cast<double>(r.right) / static_cast<double>(std::max<size_t>(r.seen, 1));
    };
    print_to(stdout, "{}: {:.2f} % of {} labels right before, {:.2f} % after\n", names_[0], percent(right_before_),
             right_before_.seen, percent(right_after_));
  }

  Run& run_;
  const QuantizeOptions& o_;
  const std::string folder_;
  const Definitions defs_;
  size_t outputs_ = 0;
  std::vector<std::string> names_, inputs_;
  std::vector<CallFiles> calls_;
  std::vector<int64_t> labels_;
  std::map<std::string, ValueHistogram> histograms_;
  std::vector<Tensors> exact_;  ///< outputs of the float model, call by call
  std::vector<QuantizationError> differences_;
  Right right_before_, right_after_;
};

}  // namespace

int run_command(Run& run, const QuantizeOptions& o) {
  if (!o.graph.ends_with(".onnx"))
    stop_run(exit_bad_input, fmt::format("{}: models in ONNX are quantised, files that end in .onnx", o.graph));
  std::vector<std::string> read = {o.graph};
  if (o.labels) read.push_back(*o.labels);
  refuse_overwriting(run, {{"-o", o.output, FileForm::onnx}}, read);
  const TemporaryFolder folder("tenon_quantize");
  return Quantization(run, o, folder.path()).quantize();
}

}  // namespace tenon
