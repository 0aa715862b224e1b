// The sources of the program around a model.
#include "harness/model/model_program.h"

#include <fmt/format.h>

#include "harness/model/model_code.h"
#include "harness/model/model_extents.h"
#include "harness/model/model_state.h"
#include "ir/kernel/kernel_cost.h"
#include "ir/text/print_c99.h"
#include "support/joined.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class ProgramWriter {
 public:
  ProgramWriter(const ExecutionPlan& plan, const ModelFrame& frame, const std::vector<ModelLevel>& levels)
      : plan_(plan), frame_(frame), levels_(levels), arena_(plan, frame.name) {
    for (const GraphSize& s : plan.sizes)
      if (!s.written) given_.push_back(s);
  }

  std::vector<ModelFile> files() const {
    std::vector<ModelFile> out;
    const auto add = [&](const char* suffix, std::vector<HoleValue> holes) {
      const std::string path = fmt::format("c/model_{}.in", suffix);
      out.push_back(
          {fmt::format("{}_{}", frame_.name, suffix),
           fill_template(plan_, frame_, path, std::move(holes), {{"inputs", !plan_.inputs.empty() || !given_.empty()}}),
           path.ends_with(".c.in")});
    };
    add("program.h", {});
    add("npy.c", file_advice(frame_));
    if (frame_.images) add("image.c", {});
    if (frame_.sounds) add("sound.c", {});
    add("main.c", main_holes());
    if (frame_.weights == WeightsForm::bin) {
      add("load.c", {});
      add("load.h", {});
    }
    return out;
  }

 private:
  const PlanBuffer& buffer(int i) const { return plan_.buffer(i); }

  std::vector<HoleValue> main_holes() const {
    return {{"inputs", border_rows(plan_.inputs)},
            {"outputs", border_rows(plan_.outputs)},
            {"arena_arrays", arena_arrays({arena_})},
            {"arena_field", arena_.field("arena")},
            {"set_regions", arena_.divided() ? set_arena({arena_}, "m.arena") : ""},
            {"large_pages", large_pages()},
            {"of_model", state_text(plan_, "m->state, ") + arena_.of("m->arena")},
            {"of_m", state_text(plan_, "m.state, ") + arena_.of("m.arena")},
            {"arena_parameter", of_regions(arena_.parameter() + ", ")},
            {"arena_argument", of_regions("arena, ")},
            {"m_arena_argument", of_regions("&m.arena, ")},
            {"levels", level_names()},
            {"sizes", size_rows()},
            {"steps", step_rows()},
            {"call", print_c99(call())},
            {"shapes", print_c99(output_shapes())},
            {"input_shapes", print_c99(input_shapes())},
            {"n_inputs", fmt::format("{}", plan_.inputs.size())},
            {"n_outputs", fmt::format("{}", plan_.outputs.size())},
            {"n_sizes", fmt::format("{}", given_.size())},
            {"n_steps", fmt::format("{}", plan_.steps.size())}};
  }

  /// Text needed only by a self-test that allocates the memory regions of the arena.
  std::string of_regions(std::string text) const { return arena_.divided() ? std::move(text) : std::string(); }

  std::string large_pages() const {
    std::string out;
    for (const MemoryRegion& m : plan_.memories)
      if (m.bytes > 0)
        out += fmt::format("{0}_in_large_pages(memory_{1}, (long long)sizeof memory_{1});\n", frame_.name, m.name);
    return out;
  }

  std::string level_names() const {
    return joined(levels_, ", ", [](const ModelLevel& l) { return fmt::format("\"{}\"", l.isa->name); });
  }

  std::string border_rows(const std::vector<int>& list) const {
    std::string out;
    for (const int i : list) {
      const PlanBuffer& b = buffer(i);
      std::string dims;
      for (const SizeExpr& d : b.dims) {
        const auto at = find_if(given_, [&](const GraphSize& s) { return d.is_name() && s.name == d.name; });
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
        if (!b.dims[k].is_constant() && !b.dims[k].is_name()) out.push_back(check_extent(i, k));
    }
    return out;
  }

  /// A message where axis k of an input has another extent than the graph computes for it.
  CStmt check_extent(size_t i, size_t k) const {
    const CExpr expected = extent_value(plan_, buffer(plan_.inputs[i]).dims[k]);
    const CExpr actual = c_index(c_member(array("in_arrays", i), "dims"), c_number(static_cast<int64_t>(k)));
    const std::string message = fmt::format("\"axis {} has %lld elements; input '%s' takes %lld\"", k);
    const CExpr fail = c_call(frame_.name + "_fail",
                              {c_index(c_text("args.in_paths"), c_number(static_cast<int64_t>(i))), c_text(message),
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
  ModelArena arena_;
  std::vector<GraphSize> given_;  ///< run-time sizes of the caller
};

bool is_one_of(DType type, std::initializer_list<DType> list) { return contains(list, type); }

}  // namespace

std::vector<HoleValue> file_advice(const ModelFrame& frame) {
  return {{"pictures", frame.images && frame.forward ? "a folder of pictures is read"
                       : frame.images                ? ".png, .ppm and .pgm are read"
                                                     : "`tenon model --images` reads .png and .ppm"},
          {"sounds", frame.sounds ? ".wav is read" : "`tenon model --sounds` reads .wav"}};
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
  const auto longer = count_if(input.dims, [](const SizeExpr& d) { return !d.is(1); });
  return longer == 1 && is_one_of(input.dtype, {DType::F32, DType::F64, DType::I16});
}

}  // namespace tenon
