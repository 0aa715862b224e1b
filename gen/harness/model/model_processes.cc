// The context's all_reduce, and the function of the model that calls it.
#include "harness/model/model_processes.h"

#include <fmt/format.h>

#include "ir/graph/all_reduce.h"

namespace tenon {

bool is_exchange(const PlanStep& step) { return step.kernel.op == kAllReduceOp; }

std::string exchange_fields() {
  return "/* Replaces `count` numbers (double where wide, else float) by their means over the processes that train "
         "together, each of which\n"
         "   calls it with its own and gets the same. NULL: there are no others. */\n"
         "void (*all_reduce)(void *group, void *values, int64_t count, int wide);\n"
         "void *group;\n";
}

std::string exchange_declaration(const std::string& model) {
  return fmt::format(
      "\n/* Has the processes that train together make means of what each has. */\n"
      "void {0}_rt_all_reduce({0}_call *call, void *values, int64_t count, int wide);\n",
      model);
}

CFunction exchange_function(const std::string& model) {
  const CExpr context = c_text("context"), null = c_text("NULL");
  const CExpr group = c_arrow(context, "group"), all_reduce = c_arrow(context, "all_reduce");
  CFunction f{"", "", "void", model + "_rt_all_reduce", {model + "_call *call"}, {}, ""};
  for (const char* p : {"void *values", "int64_t count", "int wide"}) f.params.push_back(p);
  f.body = {
      c_declare(fmt::format("const {}_context *const", model), "context", c_arrow(c_text("call"), "context")),
      c_if(c_and(c_binary(context, "!=", null), c_binary(all_reduce, "!=", null)),
           {c_evaluate(c_call("context->all_reduce", {group, c_text("values"), c_text("count"), c_text("wide")}))})};
  return f;
}

std::string make_of_processes(const std::string& model) {
  return fmt::format("# compiles and links what calls MPI\nMPICC ?= mpicc\nruntime/{0}_mpi.o: CC = $(MPICC)\n", model);
}

std::string cmake_of_processes(const std::string& model) {
  return fmt::format("find_package(MPI REQUIRED COMPONENTS C)\ntarget_link_libraries({}_program PRIVATE MPI::MPI_C)\n",
                     model);
}

}  // namespace tenon
