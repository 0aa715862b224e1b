// The C around the arena of a model.
#include "harness/model/model_arena.h"

#include <fmt/format.h>

#include "harness/model/call_checks.h"
#include "harness/model/model_code.h"
#include "ir/text/print_c99.h"
#include "support/c_names.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The maximum number of bytes that one of the models needs in a region, as an expression.
std::string most_bytes(const std::vector<ModelArena>& arenas, size_t region) {
  std::string out;
  for (const ModelArena& a : arenas) {
    const std::string bytes = a.bytes(a.regions()[region]);
    out = out.empty() ? bytes : fmt::format("({0} > {1} ? {0} : {1})", out, bytes);
  }
  return out;
}

/// Whether none of the models has anything in a region.
bool is_empty(const std::vector<ModelArena>& arenas, size_t region) {
  return all_of(arenas, [&](const ModelArena& a) { return a.regions()[region].bytes == 0; });
}

}  // namespace

ModelArena::ModelArena(const ExecutionPlan& plan, std::string name)
    : plan_(plan), name_(std::move(name)), upper_(upper_case(name_)) {}

std::string ModelArena::bytes(const MemoryRegion& region) const {
  return fmt::format("{}_ARENA_{}_BYTES", upper_, upper_case(region.name));
}

std::string ModelArena::constants() const {
  if (!divided())
    return fmt::format(
        "/* Bytes that `arena` has, aligned to 64 bytes by the caller; it holds nothing between two calls. */\n"
        "#define {}_ARENA_BYTES {}\n",
        upper_, std::max<int64_t>(plan_.arena_bytes, 0));
  std::string out =
      "/* Bytes that each memory region of the arena has, aligned to 64 bytes by the caller; they hold nothing between "
      "two calls. */\n";
  for (const MemoryRegion& m : plan_.memories)
    out += fmt::format("#define {} {}{}\n", bytes(m), m.bytes, m.budget ? fmt::format(" /* of {} */", *m.budget) : "");
  return out;
}

std::string ModelArena::type() const {
  if (!divided()) return {};
  CStruct type{"The arena: where its memory regions begin. One that needs 0 bytes may be NULL.", name_ + "_arena", {}};
  for (const MemoryRegion& m : plan_.memories) type.fields.push_back({"void *" + m.name, bytes(m)});
  return print_c99(type) + "\n";
}

std::string ModelArena::parameter() const {
  return divided() ? fmt::format("const {}_arena *arena", name_) : "void *arena";
}
std::string ModelArena::const_parameter() const { return divided() ? parameter() : "const void *arena"; }

std::string ModelArena::info() const {
  if (!divided()) return fmt::format("arena {} bytes", plan_.arena_bytes);
  std::string out = "arena";
  for (const MemoryRegion& m : plan_.memories)
    out += fmt::format("{} {} {} bytes", &m == &plan_.memories.front() ? "" : " +", m.name, m.bytes);
  return out;
}

CBlock ModelArena::checks() const {
  const CExpr arena = c_text("arena");
  const CExpr missing = c_or(is_null(c_text("in")), is_null(c_text("out")));
  CBlock out;
  const auto refuse = [&](CExpr cond, const char* status) {
    out.push_back(refuse_if(std::move(cond), upper_ + status));
  };
  if (!divided()) {
    refuse(c_or(missing, c_and(is_null(arena), has_bytes(upper_ + "_ARENA_BYTES"))), "_E_NULL");
    refuse(is_unaligned(arena), "_E_ALIGN");
    return out;
  }
  refuse(c_or(missing, is_null(arena)), "_E_NULL");
  const auto field = [&](const MemoryRegion& m) { return c_arrow(arena, m.name); };
  for (const MemoryRegion& m : plan_.memories) {
    refuse(c_and(is_null(field(m)), has_bytes(bytes(m))), "_E_NULL");
    refuse(is_unaligned(field(m)), "_E_ALIGN");
  }
  // Whether x begins before the end of y.
  const auto begins_before = [&](const MemoryRegion& x, const MemoryRegion& y) {
    return c_less(as_number(field(x)), c_binary(as_number(field(y)), "+", c_text(bytes(y))));
  };
  for (size_t a = 0; a < plan_.memories.size(); ++a)
    for (size_t b = a + 1; b < plan_.memories.size(); ++b) {
      const MemoryRegion &x = plan_.memories[a], &y = plan_.memories[b];
      if (x.bytes > 0 && y.bytes > 0) refuse(c_and(begins_before(x, y), begins_before(y, x)), "_E_OVERLAP");
    }
  return out;
}

std::string ModelArena::call_field() const {
  if (!divided()) return "unsigned char *arena;";
  std::string out = "struct {\n";
  for (const MemoryRegion& m : plan_.memories) out += fmt::format("  unsigned char *{};\n", m.name);
  return out + "} arena;";
}

CBlock ModelArena::set_call() const {
  const CExpr to = c_member(c_text("call"), "arena"), from = c_text("arena");
  if (!divided()) return {c_assign(to, c_cast("unsigned char *", from))};
  CBlock out;
  for (const MemoryRegion& m : plan_.memories)
    out.push_back(c_assign(c_member(to, m.name), c_cast("unsigned char *", c_arrow(from, m.name))));
  return out;
}

CExpr ModelArena::address(int memory, CExpr offset) const {
  const CExpr arena = divided()
                          ? c_member(c_arrow(c_text("call"), "arena"), plan_.memories[static_cast<size_t>(memory)].name)
                          : c_text("arena");
  return c_binary(arena, "+", std::move(offset));
}

std::string ModelArena::offset_of(const PlanBuffer& b) const { return fmt::format("{}_AT_{}", upper_, b.name); }

std::string ModelArena::workspace_of(const PlanStep& s) const {
  return fmt::format("{}_WORKSPACE_{}", upper_, s.kernel.name);
}

std::string ModelArena::offsets() const {
  std::string out;
  const auto define = [&](const std::string& name, int64_t offset, const std::string& note) {
    out += fmt::format("#define {} {} /* {} */\n", name, print_c99(c_number(offset)), note);
  };
  for (const PlanBuffer& b : plan_.buffers)
    if (b.kind == BufferKind::Arena) define(offset_of(b), b.offset, type_text(b));
  for (const PlanStep& s : plan_.steps)
    if (s.scratch > 0) define(workspace_of(s), s.scratch_offset, fmt::format("{} bytes", s.scratch));
  return out.empty() ? out : "/* Where tensors and workspaces begin in the arena, in bytes. */\n" + out + "\n";
}

std::string ModelArena::field(const std::string& variable) const {
  return divided() ? fmt::format("{}_arena {};\n", name_, variable) : fmt::format("unsigned char *{};\n", variable);
}

std::string ModelArena::of(const std::string& field) const { return divided() ? "&" + field : field; }

std::string ModelArena::total() const {
  if (!divided()) return upper_ + "_ARENA_BYTES";
  std::string out;
  for (const MemoryRegion& m : plan_.memories) out += (out.empty() ? "(" : " + ") + bytes(m);
  return out + ")";
}

std::string arena_arrays(const std::vector<ModelArena>& arenas) {
  const ModelArena& first = arenas.front();
  if (!first.divided()) return {};
  std::string out = fmt::format(
      "/* The memory regions of the arena, in the sections that -D{0}_ARENA_..._SECTION=... names, such as\n"
      "   '__attribute__((section(\".bss.fast\")))'. Compilers that cannot align them get 64 bytes more. */\n"
      "#if defined(__GNUC__)\nenum {{ ARENA_SLACK = 0 }};\n#else\nenum {{ ARENA_SLACK = 64 }};\n#endif\n",
      first.upper());
  for (size_t r = 0; r < first.regions().size(); ++r) {
    if (is_empty(arenas, r)) continue;
    const std::string& name = first.regions()[r].name;
    const std::string section = fmt::format("{}_ARENA_{}_SECTION", first.upper(), upper_case(name));
    out += fmt::format(
        "#if !defined({0})\n#define {0}\n#endif\nstatic {0} {1}_ALIGNED unsigned char memory_{2}[{3} + "
        "ARENA_SLACK];\n",
        section, first.upper(), name, most_bytes(arenas, r));
  }
  return out;
}

std::string set_arena(const std::vector<ModelArena>& arenas, const std::string& field) {
  std::string out;
  for (size_t r = 0; r < arenas.front().regions().size(); ++r) {
    const std::string& name = arenas.front().regions()[r].name;
    if (is_empty(arenas, r)) out += fmt::format("{}.{} = NULL;\n", field, name);
    else out += fmt::format("{0}.{1} = memory_{1} + (64 - (uintptr_t)memory_{1} % 64) % 64;\n", field, name);
  }
  return out;
}

}  // namespace tenon
