// The two fillings of the training program: alone, and as one of several processes over MPI.
#include "harness/model/train_processes.h"

#include <fmt/format.h>

namespace tenon {
namespace {

/// `@` stands for the model's prefix.
std::string of_model(std::string text, const std::string& name) {
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + name.size()))
    text.replace(at, 1, name);
  return text;
}

constexpr const char* kFields =
    "@_processes group;\n"
    "int shared;                    /* all processes end for the same reason */\n"
    "double whole;                  /* loss of the first batch in one process */";

constexpr const char* kStart =
    "if (@_start_processes(&r.group, &r.context) != 0) {\n"
    "  return @_fail(\"train\", \"MPI cannot be started\");\n}\n"
    "if (r.group.rank != 0 && freopen(\"/dev/null\", \"w\", stdout) == NULL) {\n"
    "  return @_fail(\"/dev/null\", \"it cannot be opened\");\n}\nargs.processes = r.group.size;";

constexpr const char* kReadArguments =
    "/* The first process says what is wrong with them, and writes the files. */\n"
    "int status = r.group.rank == 0 ? @_read_arguments(argc, argv, data, &args) : INT_MIN;\n"
    "status = @_highest(status);\nif (status == 0 && r.group.rank != 0) {\n"
    "  status = @_read_arguments(argc, argv, data, &args);\n"
    "  args.log = args.gradients = args.out = args.checkpoint = NULL;\n  args.every = 0;\n}\n"
    "r.shared = status != 0;";

constexpr const char* kCheckSharing =
    "if (@_sharing(&r->group, r->batch, LOWEST_BATCH, HIGHEST_BATCH) < r->group.size) {\n"
    "  return @_fail(\"--batch\", \"%lld examples cannot be shared by %d processes, of which each takes %lld to "
    "%lld\", r->batch, r->group.size, LOWEST_BATCH, HIGHEST_BATCH);\n"
    "}";

constexpr const char* kPassToOthers =
    "if (seen / most % r->group.size != r->group.rank) {\n  seen += count;\n  continue;\n}";

constexpr const char* kAddUp =
    "double sums[2] = {*loss, (double)right};\n"
    "@_add_up(&r->group, sums, 2);\n"
    "*loss = sums[0];\n"
    "right = (long long)sums[1];";

constexpr const char* kLookAtWhole =
    "r->whole = 0;\n"
    "if (r->done == r->first && r->group.size > 1 && r->group.rank == 0 && count <= HIGHEST_BATCH && look_at_whole(r, "
    "first, count) != 0) {\n"
    "  return 1;\n}";

/// What a program does whose steps draw random numbers: each process has a seed of its own, which no checkpoint
/// replaces.
std::vector<HoleValue> seed_holes(const TrainingTexts& t) {
  if (t.set_seed.empty()) return {{"seed_function", ""}, {"set_seed", ""}, {"seed_again", ""}};
  const std::string function =
      "\n/* Random numbers are those of this process. */\nstatic void draw_by_seed(run *r) {\n";
  std::string body = "  " + t.set_seed;
  for (size_t at = body.find('\n'); at != std::string::npos; at = body.find('\n', at + 1)) body.insert(at + 1, 2, ' ');
  return {{"seed_function", function + body + "\n}\n"},
          {"set_seed", "draw_by_seed(r);"},
          {"seed_again", "if (status == 0) {\n  draw_by_seed(r);\n}"}};
}

}  // namespace

std::vector<HoleValue> holes_of_one_process(const TrainingTexts& t) {
  return {{"processes_include", ""},
          {"processes", ""},
          {"most_examples", "HIGHEST_BATCH"},
          {"rest_is_a_batch", "rest >= LOWEST_BATCH"},
          {"check_sharing", ""},
          {"pass_to_others", ""},
          {"add_up_validation", ""},
          {"parts", ""},
          {"check_parts", ""},
          {"compare_parts", ""},
          {"share_batch", ""},
          {"agree", ""},
          {"agree_to_stop", ""},
          {"asked", "stopped"},
          {"seed_function", ""},
          {"set_seed", t.set_seed},
          {"seed_again", ""},
          {"start_processes", ""},
          {"read_arguments", fmt::format("int status = {}_read_arguments(argc, argv, data, &args);", t.name)},
          {"stop_processes", ""}};
}

std::vector<HoleValue> holes_of_processes(const TrainingTexts& t) {
  // With random numbers the parts of a batch are not what the whole is.
  const bool compares = t.set_seed.empty();
  std::vector<HoleValue> holes = {{"processes_include", "#include \"@_mpi.h\""},
                                  {"processes", kFields},
                                  {"most_examples", "HIGHEST_BATCH * r->group.size"},
                                  {"rest_is_a_batch", "@_sharing(&r->group, rest, LOWEST_BATCH, HIGHEST_BATCH) > 0"},
                                  {"check_sharing", kCheckSharing},
                                  {"pass_to_others", kPassToOthers},
                                  {"add_up_validation", kAddUp},
                                  {"check_parts", compares ? kLookAtWhole : ""},
                                  {"compare_parts", compares ? "if (r->whole != 0) {\n  compare_parts(r);\n}" : ""},
                                  {"share_batch", "@_share(&r->group, LOWEST_BATCH, HIGHEST_BATCH, &first, &count);"},
                                  {"agree", "r->shared = 1;\nif (r->group.rank != 0) {\n  return 1;\n}"},
                                  {"agree_to_stop", "r->shared = 1;\nif (r->group.rank != 0) {\n  return status;\n}"},
                                  {"asked", "@_highest((int)stopped)"},
                                  {"start_processes", kStart},
                                  {"read_arguments", kReadArguments},
                                  {"stop_processes", "@_stop_processes(&r.group, status, r.shared);"}};
  for (HoleValue& h : holes) h.text = of_model(std::move(h.text), t.name);
  holes.push_back({"parts", compares ? "\n" + t.look_at_whole : ""});
  for (HoleValue& h : seed_holes(t)) holes.push_back(std::move(h));
  return holes;
}

}  // namespace tenon
