// What the code of a step has for several processes that train together.
#pragma once

#include <string>

#include "ir/nest/c_ast.h"
#include "ir/plan/execution_plan.h"

namespace tenon {

/// Whether a step is a value that processes exchange.
bool is_exchange(const PlanStep& step);

/// The fields of the context, the declaration of the function that calls what they name, and the function.
std::string exchange_fields();
std::string exchange_declaration(const std::string& model);
CFunction exchange_function(const std::string& model);
/// How make and CMake build with MPI.
std::string make_of_processes(const std::string& model);
std::string cmake_of_processes(const std::string& model);

}  // namespace tenon
