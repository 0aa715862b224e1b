// `tenon list`: a row each, name first.
#include <fmt/format.h>

#include "command/commands.h"
#include "differentiate/gradient_ops.h"
#include "isa/all_isas.h"
#include "lower/pass_text.h"
#include "pipeline/make.h"
#include "support/print_to.h"

namespace tenon {
namespace {

void list_isas() {
  for (const Isa& isa : all_isas())
    print_to(stdout, "{:<15} {:<8} {:>4} bits{}\n", isa.name, isa.architecture.empty() ? "any" : isa.architecture,
             isa.vector_bits, runs_on_host(isa) ? "  host" : "");
}

void list_dtypes() {
  for (const DTypeRow& d : all_dtypes())
    print_to(stdout, "{:<5} {:>3} bits, computes in {}, sums in {}\n", d.name, d.bits, name_of(d.compute),
             name_of(d.accumulator));
}

void list_stages() {
  for (const StageName& s : all_stages()) {
    print_to(stdout, "{:<28} {}\n", s.name, s.result);
    if (s.name != "lower") continue;
    for (const std::string_view pass : lowering_passes())
      print_to(stdout, "{:<28} the kernels after this pass\n", fmt::format("lower/{}", pass));
  }
}

void list_ops(Run& run) {
  const OpLibrary defs = run.stage<OpLibrary>("opdefs", read_definitions(run, {}, nullptr, Wanted::all),
                                              [](const OpLibrary& all) { return print(all); });
  for (const auto& [name, def] : defs.ops) {
    std::string types;
    for (const TypeVar& t : def.types) {
      if (t.derived) continue;
      types += fmt::format("{}{}:", types.empty() ? "" : " ", t.name);
      for (size_t i = 0; i < t.classes.size(); ++i) types += fmt::format("{}{}", i ? "|" : "", t.classes[i].text);
    }
    print_to(stdout, "{:<20} {:<16} {:<4} {}\n", name, types, no_gradient(def).empty() ? "grad" : "", def.doc);
  }
}

}  // namespace

int run_command(Run& run, const ListOptions& o) {
  run.writes_nothing("tenon list");
  switch (o.subject) {
    case ListSubject::isas: list_isas(); break;
    case ListSubject::dtypes: list_dtypes(); break;
    case ListSubject::stages: list_stages(); break;
    case ListSubject::ops: list_ops(run); break;
  }
  return exit_done;
}

}  // namespace tenon
