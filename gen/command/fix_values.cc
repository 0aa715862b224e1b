// Maps the names of an entry to the op's definition, and words to numbers.
#include "command/fix_values.h"

#include <fmt/format.h>

#include "support/joined.h"
#include "support/parse_number.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int64_t kMostOfExtent = INT32_MAX;
constexpr double kMostElements = 1e12;  ///< of all extents of an entry: values computed from them stay far from 2^63

/// Names of the sizes in a shape, those of splits too.
void add_sizes(const OpDef& def, const std::vector<Dim>& dims, std::vector<std::string>& out) {
  for (const Dim& d : dims) {
    if (d.kind == DimKind::split) add_sizes(def, d.parts, out);
    if (d.kind != DimKind::size || def.attr(d.name)) continue;
    if (!contains(out, d.name)) out.push_back(d.name);
  }
}

std::vector<std::string> sizes_in(const OpDef& def, const std::vector<TensorDef>& tensors) {
  std::vector<std::string> out;
  for (const TensorDef& t : tensors) add_sizes(def, t.dims, out);
  return out;
}

/// The sizes that `kernel` stands for: the last ones of a filter, which neither the first input nor an output has.
std::vector<std::string> window_sizes(const OpDef& def) {
  if (def.inputs.empty()) return {};
  const std::vector<std::string> first = sizes_in(def, {def.inputs[0]}), result = sizes_in(def, def.outputs);
  for (size_t i = 1; i < def.inputs.size(); ++i) {
    std::vector<std::string> out;
    const std::vector<Dim>& dims = def.inputs[i].dims;
    for (size_t d = dims.size(); d-- > 0;) {
      const std::string& name = dims[d].name;
      if (dims[d].kind != DimKind::size || def.attr(name) || contains(first, name) || contains(result, name)) break;
      out.insert(out.begin(), name);
    }
    if (!out.empty()) return out;
  }
  return {};
}

std::optional<FixedNumber> number_of(const std::string& word) {
  const std::string text = word.starts_with('+') ? word.substr(1) : word;
  const auto real = parse_number<double>(text);
  return real ? std::optional(FixedNumber{*real, parse_number<int64_t>(text)}) : std::nullopt;
}

std::string type_text(const AttrDef& a) {
  switch (a.kind) {
    case AttrKind::boolean: return "true or false";
    case AttrKind::integer: return "an integer";
    case AttrKind::u64: return "an integer from 0";
    case AttrKind::enumeration: return "one of " + joined(a.words, ", ");
    default: return "a number";
  }
}

/// The value of an attribute's element; nothing for a word that is none.
std::optional<FixedNumber> element_of(const AttrDef& a, const std::string& word) {
  if (a.kind == AttrKind::enumeration) {
    const auto at = std::find(a.words.begin(), a.words.end(), word);
    if (at == a.words.end()) return std::nullopt;
    return FixedNumber{static_cast<double>(at - a.words.begin()), at - a.words.begin()};
  }
  if (a.kind == AttrKind::boolean && (word == "true" || word == "false"))
    return FixedNumber{word == "true" ? 1.0 : 0.0, word == "true"};
  const auto n = number_of(word);
  if (!n) return std::nullopt;
  const bool real = a.kind == AttrKind::real || a.kind == AttrKind::dtype || a.kind == AttrKind::type_variable;
  if (!real && !n->integer) return std::nullopt;
  if (a.kind == AttrKind::boolean && *n->integer != 0 && *n->integer != 1) return std::nullopt;
  if (a.kind == AttrKind::u64 && *n->integer < 0) return std::nullopt;
  return n;
}

class EntryReader {
 public:
  EntryReader(const LibraryOp& op, Diagnostics& diagnostics)
      : op_(op), def_(*op.def), diagnostics_(diagnostics), sizes_(sizes_in(def_, def_.inputs)) {
    for (const std::string& name : sizes_in(def_, def_.outputs))
      if (!contains(sizes_, name)) sizes_.push_back(name);
  }

  std::optional<FixedNames> run(const FixEntry& entry) {
    for (const FixBinding& b : entry.bindings) read(b);
    if (elements_ > kMostElements)
      fail(Code::E0903, entry.op.span, fmt::format("the extents of this entry are {:.0e} elements in all", elements_),
           "there may be 1e12");
    return sound_ ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  void read(const FixBinding& b) {
    const std::string& name = b.name.text;
    if (const AttrDef* a = def_.attr(name)) return read_attribute(b, *a);
    if (def_.let(name) && def_.let(name)->written)
      return fail(Code::E0902, b.name.span, fmt::format("the data of a call decide '{}'", name),
                  "sizes of the inputs can be fixed");
    if (contains(sizes_, name)) return read_extents(b, name, 1);
    if (op_.packs.count(name)) return read_pack(b);
    if (name == "kernel")
      if (const auto windows = window_sizes(def_); !windows.empty()) return read_window(b, windows);
    fail_unknown(b);
  }

  void read_attribute(const FixBinding& b, const AttrDef& a) {
    const std::string& name = b.name.text;
    if (a.count == AttrCount::any)
      return fail(Code::E0902, b.name.span,
                  fmt::format("'{}' has any number of values: kernels read them from memory", name),
                  "attributes with one value, or a number of them that the definition tells, can be fixed");
    const size_t most = a.count == AttrCount::fixed ? static_cast<size_t>(a.length)
                        : a.count == AttrCount::one ? 1
                                                    : kMaxRank;
    const bool any = a.count == AttrCount::per_dim;
    if (any ? b.items.size() > most : b.items.size() != 1 && b.items.size() != most)
      return fail(Code::E0903, b.name.span,
                  fmt::format("'{}' has {}, and {} are given", name, values_text(most, any), b.items.size()),
                  most == 1 ? "give one" : "write them with an x between them, 2x2");
    std::vector<FixedNumber> values;
    for (const Word& item : b.items) {
      const auto v = element_of(a, item.text);
      if (!v)
        return fail(Code::E0903, item.span, fmt::format("'{}' is {}, not '{}'", name, type_text(a), item.text),
                    fmt::format("the attribute is declared as {}", a.type));
      values.push_back(*v);
    }
    if (!any) values.resize(most, values[0]);
    keep(name, b, std::move(values));
  }

  static std::string values_text(size_t n, bool at_most) {
    return fmt::format("{}{} value{}", at_most ? "at most " : "", n, n == 1 ? "" : "s");
  }

  void read_pack(const FixBinding& b) {
    if (!op_.permuted.empty() && op_.packs.at(b.name.text) == PackPlan::Plane)
      return fail(Code::E0902, b.name.span,
                  fmt::format("'{}' merges the dimensions of '{}' as each call needs", def_.name, b.name.text),
                  "they are not known before");
    read_extents(b, b.name.text, kMaxRank);
  }

  /// `name`: a size, or a pack of up to `most` extents.
  void read_extents(const FixBinding& b, const std::string& name, size_t most) {
    if (b.items.size() > most)
      return fail(Code::E0903, b.items[most].span, fmt::format("'{}' has {}", name, values_text(most, most > 1)),
                  "give no more");
    std::vector<FixedNumber> values;
    for (const Word& item : b.items)
      if (const auto v = extent_of(item)) values.push_back(*v);
      else return;
    keep(name, b, std::move(values));
  }

  /// One value a size, or one for all of them.
  void read_window(const FixBinding& b, const std::vector<std::string>& windows) {
    if (b.items.size() != 1 && b.items.size() != windows.size())
      return fail(Code::E0903, b.name.span,
                  fmt::format("windows of '{}' have {}, {}, and {} are given", def_.name,
                              values_text(windows.size(), false), joined(windows, " and "), b.items.size()),
                  "write them with an x between them, 3x3");
    for (size_t k = 0; k < windows.size(); ++k) {
      const auto v = extent_of(b.items[b.items.size() == 1 ? 0 : k]);
      if (!v) return;
      keep(windows[k], b, {*v});
    }
  }

  std::optional<FixedNumber> extent_of(const Word& item) {
    const auto n = number_of(item.text);
    if (n && n->integer && *n->integer >= 1 && *n->integer <= kMostOfExtent) {
      elements_ *= n->real;
      return n;
    }
    fail(Code::E0903, item.span,
         fmt::format("an extent is an integer from 1 to {}, not '{}'", kMostOfExtent, item.text),
         "other extents take the body for all sizes");
    return std::nullopt;
  }

  void keep(const std::string& name, const FixBinding& b, std::vector<FixedNumber> values) {
    const auto [at, fresh] = out_.try_emplace(name, FixedName{&b, std::move(values)});
    if (fresh) return;
    const std::string by =
        at->second.binding->name.text == name ? "" : fmt::format(", by '{}' first", at->second.binding->name.text);
    fail(Code::E0902, b.name.span, fmt::format("'{}' is fixed twice{}", name, by),
         "an entry fixes a size or an attribute once; several entries of an op are several bodies");
  }

  void fail_unknown(const FixBinding& b) {
    std::vector<std::string> known = sizes_;
    for (const auto& [name, plan] : op_.packs) known.push_back(name);
    for (const AttrDef& a : def_.attrs) known.push_back(a.name);
    fail(Code::E0902, b.name.span, fmt::format("'{}' has no size or attribute '{}'", def_.name, b.name.text),
         did_you_mean(b.name.text, known, "it has " + joined(known, ", ")));
  }

  void fail(Code code, const SourceSpan& span, const std::string& what, const std::string& advice) {
    diagnostics_.error(code, span, what, {advice});
    sound_ = false;
  }

  const LibraryOp& op_;
  const OpDef& def_;
  Diagnostics& diagnostics_;
  std::vector<std::string> sizes_;
  FixedNames out_;
  double elements_ = 1;
  bool sound_ = true;
};

}  // namespace

std::optional<FixedNames> fixed_names(const LibraryOp& op, const FixEntry& entry, Diagnostics& diagnostics) {
  return EntryReader(op, diagnostics).run(entry);
}

}  // namespace tenon
