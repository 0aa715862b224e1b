// Files into a library: the top-level keys, who replaces whom, and the checks over the whole.
#include "opdef/read_ops.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "opdef/check/check_declarations.h"
#include "opdef/check/check_op.h"
#include "opdef/read/read_family.h"
#include "opdef/read/read_frame.h"
#include "opdef/read/read_functions.h"
#include "opdef/read/read_op.h"
#include "opdef/read/yaml_shape.h"
#include "support/parallel.h"

namespace tenon {

namespace {

/// Reads the files of one origin: shipped, or the user's.
class FileReader {
 public:
  FileReader(OpLibrary& library, bool shipped, Diagnostics& diagnostics)
      : library_(library), shipped_(shipped), diagnostics_(diagnostics) {}

  std::set<std::string> broken;  ///< ops whose tensors did not read whole

  void read(const std::vector<SourceFileRef>& files) {
    const auto all = read_yaml(files);
    for (std::size_t i = 0; i < files.size(); ++i) read(files[i], all[i]);
  }

 private:
  void read(const SourceFileRef& file, const Result<std::vector<YamlNode>>& documents) {
    diagnostics_.append(documents.diagnostics());
    if (!documents) return;
    bool any = false;
    for (const YamlNode& document : *documents) {
      if (document.is_null()) continue;
      any = true;
      if (want_map(document, "a definition file", "the keys scalar, fn, families, ops", diagnostics_))
        read_document(document);
    }
    if (any) return;
    diagnostics_.error(Code::E0109, {file, 0, 0}, "this file defines nothing",
                       {"write at least one of the keys scalar, fn, families, ops"});
  }

  void read_document(const YamlNode& document) {
    if (const YamlNode* op = document.find("op"); op && !document.find("ops"))
      return diagnostics_.error(
          Code::E0201, document.span, "an op is in the list `ops`",
          {"write `ops:` above it, and `- op:` in front of its name, which the keys below it line up with"});
    if (const YamlNode* graph = document.find("graph"); graph && !document.find("ops"))
      return diagnostics_.error(
          Code::E0201, document.span, "this file is a graph, not definitions of ops",
          {"`tenon model` and `tenon run` read graphs; definitions have the keys scalar, fn, families, ops"});
    refuse_unknown_keys(document, {"scalar", "fn", "families", "ops"}, "a definition file", diagnostics_);
    if (const YamlNode* node = document.find("scalar")) {
      for (ScalarRow& row : read_scalar_rows(*node, diagnostics_))
        define("scalar row", rows_, library_.scalars, std::move(row));
    }
    if (const YamlNode* node = document.find("fn")) {
      for (ScalarFn& function : read_functions(*node, diagnostics_))
        define("function", functions_, library_.fns, std::move(function));
    }
    if (const YamlNode* node = document.find("families");
        node != nullptr && want_list(*node, "families", "- family: unary", diagnostics_)) {
      for (const YamlNode& family : node->items) read_family(family);
    }
    if (const YamlNode* node = document.find("ops");
        node != nullptr && want_list(*node, "ops", "- op: name", diagnostics_)) {
      for (const YamlNode& op : node->items) read_single(op);
    }
  }

  void read_family(const YamlNode& family) {
    for (const NamedNode& member : expand_family(family, diagnostics_)) {
      OpDef op;
      if (const YamlNode* name = family.find("family")) op.family = name->text;
      add(member.name, member.map, std::move(op));
    }
  }

  void read_single(const YamlNode& map) {
    if (!need_map(map, "an op", "- op: name", diagnostics_)) return;
    const YamlNode* name = map.find("op");
    if (name == nullptr) {
      SourceSpan place = map.span;
      place.end = place.begin + 1;
      diagnostics_.error(Code::E0203, place, "an op needs the key `op`, its name", {"write - op: name"});
    } else if (want_text(*name, "op", "- op: name", diagnostics_)) {
      add(*name, map, OpDef());
    }
  }

  void add(const YamlNode& name, const YamlNode& map, OpDef op) {
    if (!want_name(name, name.text, "an op", diagnostics_)) return;
    op.name = name.text;
    op.span = name.span;
    if (!read_op(map, op, diagnostics_)) broken.insert(op.name);
    define("op", ops_, library_.ops, std::move(op));
  }

  template <typename T>
  void define(std::string_view what, std::map<std::string, SourceSpan>& seen,
              std::map<std::string, T, std::less<>>& into, T value) {
    value.shipped = shipped_;
    const auto [earlier, fresh] = seen.emplace(value.name, value.span);
    if (!fresh) {
      diagnostics_.error(Code::E0205, value.span, fmt::format("the {} '{}' is defined twice", what, value.name),
                         {fmt::format("the other is at {}:{}", earlier->second.file->name(), earlier->second.line())});
      return;
    }
    std::string name = value.name;
    into.insert_or_assign(std::move(name), std::move(value));
  }

  OpLibrary& library_;
  bool shipped_;
  Diagnostics& diagnostics_;
  std::map<std::string, SourceSpan> rows_, functions_, ops_;
};

using Names = std::set<std::string>;

void check_one(OpDef& op, const OpLibrary& library, const Names& broken, Diagnostics& diagnostics) {
  if (broken.count(op.name) == 0) {
    check_op(op, library, diagnostics);
  } else {
    check_declarations(op, diagnostics);  // its shapes and body would only be reported for what did not read
  }
}

/// What `check` says of each of the ops, in their order; they do not change each other, so they are checked side by
/// side.
template <typename Check>
std::vector<Diagnostics> checked(const std::vector<OpDef*>& ops, const Check& check) {
  std::vector<Diagnostics> found(ops.size());
  for_each_index(ops.size(), [&](std::size_t i) { check(*ops[i], found[i]); });
  return found;
}

/// A shipped composite may call what a user replaced by something else of the same name. That is not a fault of the
/// user's file: the shipped op is left out, with a warning, and so is what calls it.
void leave_out_misfits(OpLibrary& library, Diagnostics& diagnostics) {
  for (bool again = true; again;) {
    Names misfits;
    std::vector<OpDef*> shipped;
    for (auto& [name, op] : library.ops) {
      if (op.shipped) shipped.push_back(&op);
    }
    const std::vector<Diagnostics> found =
        checked(shipped, [&](OpDef& op, Diagnostics& d) { check_op(op, library, d); });
    for (std::size_t i = 0; i < shipped.size(); ++i) {
      if (!found[i].has_errors()) continue;
      misfits.insert(shipped[i]->name);
      diagnostics.warning(
          Code::E0425, shipped[i]->span,
          fmt::format("the shipped op '{}' is left out: it does not fit the definitions of these files",
                      shipped[i]->name),
          {found[i].sorted()[0].message, "define it anew, or give the replaced definition another name"});
    }
    for (const std::string& name : misfits) library.ops.erase(name);
    again = !misfits.empty();
  }
}

}  // namespace

Result<OpLibrary> read_ops(const std::vector<SourceFileRef>& shipped, const std::vector<SourceFileRef>& user,
                           const std::vector<SourceFileRef>& frames) {
  OpLibrary library;
  Diagnostics diagnostics;
  for (const SourceFileRef& file : frames) {
    if (!is_frame(*file)) continue;
    Frame frame;
    if (read_frame(file, frame, diagnostics)) library.frames[frame.name] = std::make_shared<const Frame>(frame);
  }
  FileReader ours(library, true, diagnostics), theirs(library, false, diagnostics);
  ours.read(shipped);
  theirs.read(user);
  check_functions(library, diagnostics);
  if (!user.empty() && ours.broken.empty()) leave_out_misfits(library, diagnostics);
  std::vector<OpDef*> open;
  for (auto& [name, op] : library.ops) {
    if (!op.shipped || user.empty() || !ours.broken.empty()) open.push_back(&op);
  }
  const auto check = [&](OpDef& op, Diagnostics& d) { check_one(op, library, (op.shipped ? ours : theirs).broken, d); };
  for (const Diagnostics& found : checked(open, check)) diagnostics.append(found);
  check_recursion(library, diagnostics);
  if (diagnostics.has_errors()) return diagnostics;
  for (auto& [name, op] : library.ops)
    if (const auto frame = library.frame_of(op)) op.body = frame_values(*frame, diagnostics);
  return {std::move(library), std::move(diagnostics)};
}

}  // namespace tenon
