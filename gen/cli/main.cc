// The program `tenon`: reads argv, runs the pipeline, ends with its status.
#include <cstdio>

#include "cli/parse_options.h"
#include "pipeline.h"

int main(int argc, char** argv) {
  const auto parsed = tenon::parse_options(std::vector<std::string>(argv + 1, argv + argc));
  std::fputs(parsed.message.c_str(), parsed.status == tenon::exit_done ? stdout : stderr);
  const int status = parsed.options ? tenon::run_pipeline(*parsed.options) : parsed.status;
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    std::fputs("tenon: error: cannot write to standard output\n", stderr);
    return status == tenon::exit_done ? tenon::exit_bad_input : status;
  }
  return status;
}
