// Every stage once, in order: the program's table of contents.
#include "pipeline.h"

#include <cstdio>

namespace tenon {
namespace {

struct CommandName {
  const char *operator()(const LibOptions &) const { return "lib"; }
  const char *operator()(const ModelOptions &) const { return "model"; }
  const char *operator()(const RunOptions &) const { return "run"; }
  const char *operator()(const TryOptions &) const { return "try"; }
  const char *operator()(const DumpOptions &) const { return "dump"; }
  const char *operator()(const ExplainOptions &) const { return "explain"; }
  const char *operator()(const ListOptions &) const { return "list"; }
};

}  // namespace

int run_pipeline(const Options &options) {
  std::fprintf(stderr, "tenon %s: error: no stage answers this command\n", std::visit(CommandName(), options.command));
  return exit_bad_command_line;
}

}  // namespace tenon
