// Files into a library: the top-level keys, who replaces whom, and the checks over the whole.
#include "opdef/read_ops.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "ir/op/deferred_op.h"
#include "opdef/check/check_op.h"
#include "opdef/read/read_frame.h"
#include "opdef/read/read_op.h"
#include "opdef/read/yaml_shape.h"
#include "support/parallel.h"
#include "support/ranges.h"

namespace tenon {

namespace {

using Documents = std::vector<Result<std::vector<YamlNode>>>;

/// Where an op is written: the map of its own, or of a family and one of its members.
struct OpSource {
  const YamlNode& name;
  const YamlNode& map;
  const YamlEntry* member = nullptr;  ///< `map` is its family

  /// False where its tensors did not read whole.
  bool read(OpDef& op, Diagnostics& diagnostics) const {
    op.name = name.text;
    op.span = name.span;
    if (member == nullptr) return read_op(map, op, diagnostics);
    if (const YamlNode* family = map.find("family")) op.family = family->text;
    const bool whole = read_op(expand_member(map, *member, diagnostics), op, diagnostics);
    const SourceSpan& own = member->value.span;
    for (IndexRange& r : op.index) r.of_family = r.span.begin < own.begin || r.span.begin >= own.end;
    return whole;
  }
};

/// What the checks of a shipped op find out.
OpDef checked_alone(OpDef op, const OpLibrary& library) {
  Diagnostics diagnostics;
  check_op(op, library, diagnostics);
  const auto frame = diagnostics.has_errors() ? nullptr : library.frame_of(op);
  if (frame) op.body = frame_values(*frame, diagnostics);
  if (diagnostics.has_errors()) throw BrokenDefinition{diagnostics};
  return op;
}

/// The origin of the files, and when their ops are read.
enum class Origin { user, shipped, shipped_later };

/// Reads the files of one origin.
class FileReader {
 public:
  FileReader(OpLibrary& library, Origin origin, Diagnostics& diagnostics)
      : library_(library), origin_(origin), diagnostics_(diagnostics) {}

  std::set<std::string> broken;  ///< ops whose tensors did not read whole

  void read(const std::vector<SourceFileRef>& files) {
    documents_ = std::make_shared<const Documents>(read_yaml(files));
    for (std::size_t i = 0; i < files.size(); ++i) read(files[i], (*documents_)[i]);
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
    for (const YamlEntry* member : family_members(family, diagnostics_)) add({member->key, family, member});
  }

  void read_single(const YamlNode& map) {
    if (!need_map(map, "an op", "- op: name", diagnostics_)) return;
    const YamlNode* name = map.find("op");
    if (name == nullptr) {
      SourceSpan place = map.span;
      place.end = place.begin + 1;
      diagnostics_.error(Code::E0203, place, "an op needs the key `op`, its name", {"write - op: name"});
    } else if (want_text(*name, "op", "- op: name", diagnostics_)) {
      add({*name, map});
    }
  }

  void add(const OpSource& source) {
    const std::string& name = source.name.text;
    if (!want_name(source.name, name, "an op", diagnostics_)) return;
    if (origin_ == Origin::shipped_later) {
      if (is_new("op", ops_, name, source.name.span)) library_.deferred[name] = later(source);
      return;
    }
    OpDef op;
    if (!source.read(op, diagnostics_)) broken.insert(op.name);
    define("op", ops_, library_.ops, std::move(op));
  }

  /// The op, read from documents that stay for it.
  std::shared_ptr<DeferredOp> later(const OpSource& source) const {
    const auto read = [source, documents = documents_] {
      OpDef op;
      Diagnostics diagnostics;
      source.read(op, diagnostics);
      op.shipped = true;
      if (diagnostics.has_errors()) throw BrokenDefinition{diagnostics};
      return op;
    };
    return std::make_shared<DeferredOp>(read, checked_alone);
  }

  bool is_new(std::string_view what, std::map<std::string, SourceSpan>& seen, const std::string& name,
              const SourceSpan& span) {
    const auto [earlier, fresh] = seen.emplace(name, span);
    if (!fresh)
      diagnostics_.error(Code::E0205, span, fmt::format("the {} '{}' is defined twice", what, name),
                         {fmt::format("the other is at {}:{}", earlier->second.file->name(), earlier->second.line())});
    return fresh;
  }

  template <typename T>
  void define(std::string_view what, std::map<std::string, SourceSpan>& seen,
              std::map<std::string, T, std::less<>>& into, T value) {
    value.shipped = origin_ != Origin::user;
    if (!is_new(what, seen, value.name, value.span)) return;
    std::string name = value.name;
    into.insert_or_assign(std::move(name), std::move(value));
  }

  OpLibrary& library_;
  Origin origin_;
  Diagnostics& diagnostics_;
  std::shared_ptr<const Documents> documents_;
  std::map<std::string, SourceSpan> rows_, functions_, ops_;
};

using Names = std::set<std::string>;

void check_one(OpDef& op, const OpLibrary& library, const Names& broken, Diagnostics& diagnostics) {
  if (broken.count(op.name) == 0) {
    check_op(op, library, diagnostics);
  } else {
    check_declarations(op, diagnostics);  // checking its shapes and body would only repeat the errors
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

/// Whether definitions of the user take the place of shipped ones, or may: functions are called by name.
bool may_replace(const OpLibrary& library) {
  const auto own = [](const auto& entry) { return !entry.second.shipped; };
  return any_of(library.fns, own) || any_of(library.scalars, own) ||
         any_of(library.ops, [&](const auto& entry) { return library.deferred.count(entry.first) != 0; });
}

/// The files of one library.
struct LibraryFiles {
  const std::vector<SourceFileRef>&shipped, &user, &frames;
};

/// Nothing where shipped ops that are read later would have to be read now.
std::optional<Result<OpLibrary>> read_library(const LibraryFiles& files, Origin ship) {
  OpLibrary library;
  Diagnostics diagnostics;
  for (const SourceFileRef& file : files.frames) {
    if (!is_frame(*file)) continue;
    Frame frame;
    if (read_frame(file, frame, diagnostics)) library.frames[frame.name] = std::make_shared<const Frame>(frame);
  }
  const std::vector<SourceFileRef>& user = files.user;
  FileReader ours(library, ship, diagnostics), theirs(library, Origin::user, diagnostics);
  ours.read(files.shipped);
  theirs.read(user);
  if (ship == Origin::shipped_later && may_replace(library)) return std::nullopt;
  check_functions(library, diagnostics);
  if (!user.empty() && ours.broken.empty()) leave_out_misfits(library, diagnostics);
  std::vector<OpDef*> open;
  for (auto& [name, op] : library.ops) {
    if (!op.shipped || user.empty() || !ours.broken.empty()) open.push_back(&op);
  }
  const auto check = [&](OpDef& op, Diagnostics& d) { check_one(op, library, (op.shipped ? ours : theirs).broken, d); };
  for (const Diagnostics& found : checked(open, check)) diagnostics.append(found);
  check_recursion(library, diagnostics);
  if (diagnostics.has_errors()) return Result<OpLibrary>(diagnostics);
  for (auto& [name, op] : library.ops)
    if (const auto frame = library.frame_of(op)) op.body = frame_values(*frame, diagnostics);
  return Result<OpLibrary>(std::move(library), std::move(diagnostics));
}

}  // namespace

Result<OpLibrary> read_ops(const std::vector<SourceFileRef>& shipped, const std::vector<SourceFileRef>& user,
                           const std::vector<SourceFileRef>& frames) {
  return *read_library({shipped, user, frames}, Origin::shipped);
}

Result<OpLibrary> read_ops_as_needed(const std::vector<SourceFileRef>& shipped, const std::vector<SourceFileRef>& user,
                                     const std::vector<SourceFileRef>& frames) {
  if (auto library = read_library({shipped, user, frames}, Origin::shipped_later)) return std::move(*library);
  return read_ops(shipped, user, frames);
}

}  // namespace tenon
