// Sources of levels.
#include <fmt/format.h>

#include <iterator>

#include "harness/common_text.h"
#include "harness/library_names.h"
#include "harness/model/model_files.h"
#include "harness/model/model_state.h"
#include "harness/model/model_steps.h"
#include "ir/text/print_c99.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Variables with the fields of `call`.
CBlock locals_of(const ModelCode& code) {
  const auto local = [](std::string type, const char* name) {
    return c_declare(std::move(type), name, c_arrow(c_text("call"), name));
  };
  CBlock out = {local(fmt::format("const {}_inputs *const", code.name), "in"),
                local(fmt::format("{}_outputs *const", code.name), "out")};
  if (!code.arena.divided()) out.push_back(local("unsigned char *const", "arena"));
  out.push_back(local("unsigned char *const", "state"));
  out.push_back(local("int64_t *const", "written"));
  out.push_back(local("const unsigned char *const", "weights"));
  return out;
}

/// C99 has no empty translation unit: an object where a guard may leave none of the functions.
std::string object_outside_guard(const std::string& name) {
  return "\n/* A translation unit is never empty. */\n" + print_c99(CObject{"extern const int " + name, nullptr}) +
         print_c99(CObject{"const int " + name, c_number(1)});
}

}  // namespace

std::string level_source(const ModelCode& code, const ModelLevel& level) {
  const ModelBuffers buffers(code.plan, code.arena, code.weights, code.name);
  const StepFrame frame = {code.name,       code.upper,    code.arena,        buffers,
                           locals_of(code), code.counters, code.frame.workers};
  CBlock body = step_statements(code.plan, level, frame);
  CBlock copies = state_copies(code.plan, buffers);
  std::move(copies.begin(), copies.end(), std::back_inserter(body));
  body.push_back(c_return(c_text("status")));
  body.insert(body.begin(), c_declare("int", "status", c_number(0)));
  CFunction run{"", "", "int", fmt::format("{}_run_{}", code.name, level.isa->suffix), {}, {}, ""};
  run.params = {code.name + "_call *call"};
  run.body = with_locals(frame.locals, std::move(body));

  std::string text = fmt::format("/* {}: the operators at level {}. */\n#include \"{}_internal.h\"\n\n",
                                 comment_inside(code.plan.name), level.isa->name, code.name);
  text += level.begin + "\n" + level.functions;
  for (const CFunction& task : task_functions(code.plan, level, frame)) text += print_c99(task) + "\n";
  text += print_c99(run) + level.end;
  if (!level.isa->guard.empty())
    text += object_outside_guard(fmt::format("{}_{}_is_here", code.name, level.isa->suffix));
  return text;
}

std::string level_choice_source(const ModelCode& code) {
  const std::vector<const Isa*> isas = mapped(code.levels, &ModelLevel::isa);
  std::vector<HoleValue> holes = level_choice_holes(isas);
  holes.push_back({"include", fmt::format("#include \"{}\"\n", verbatim(code.name + "_internal.h"))});
  return with_prefix(code.fill("runtime/library_level.c.in", holes), code.name);
}

}  // namespace tenon
