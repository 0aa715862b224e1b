// Heads and holes of frames.
#include "opdef/read/read_frame.h"

#include <fmt/format.h>

#include <numeric>

#include "ir/op/frame.h"
#include "opdef/notation/parse_body.h"
#include "support/function_ref.h"
#include "support/joined.h"
#include "support/ranges.h"
#include "support/text_template.h"
#include "support/tokens.h"

namespace tenon {
namespace {

constexpr std::string_view kMark = "//= ";

constexpr std::string_view kValue = "value ";

/// Calls f for every line of the head, without its mark; returns where the head ends.
std::size_t each_head_line(const SourceFileRef& file, FunctionRef<void(PlacedText)> f) {
  std::size_t at = 0;
  const std::string& text = file->text();
  while (at < text.size() && text.compare(at, 2, "//") == 0) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, kMark.size(), kMark) == 0) {
      PlacedText line{text.substr(at + kMark.size(), end - at - kMark.size()), {}, file};
      line.offsets.resize(line.text.size() + 1);
      std::iota(line.offsets.begin(), line.offsets.end(), static_cast<std::uint32_t>(at + kMark.size()));
      f(std::move(line));
    }
    at = end + 1;
  }
  return at;
}

struct KindRow {
  std::string_view word;
  FrameParameterKind kind;
};
constexpr KindRow kKinds[] = {{"in", FrameParameterKind::input},      {"out", FrameParameterKind::output},
                              {"extent", FrameParameterKind::extent}, {"size", FrameParameterKind::size},
                              {"real", FrameParameterKind::real},     {"pack", FrameParameterKind::pack},
                              {"work", FrameParameterKind::work}};

/// One line of a head: its words, and how far they have been read.
class HeadLine {
 public:
  HeadLine(PlacedText text, Frame& frame, Diagnostics& diagnostics)
      : text_(std::move(text)), frame_(frame), diagnostics_(diagnostics) {
    tokens_ = tokenize(text_, diagnostics_);
  }

  void read() {
    const auto row = find_if(kKinds, [&](const KindRow& r) { return r.word == token().text; });
    if (row == std::end(kKinds)) return wrong("a parameter begins with in, out, extent, size, real, pack or work");
    FrameParameter p;
    p.kind = row->kind;
    ++at_;
    if (token().text == "optional") p.optional = true, ++at_;
    std::vector<Token> names;
    for (; token().kind == TokenKind::name; ++at_) names.push_back(token());
    if (names.empty()) return wrong("a parameter needs a name");
    if ((p.is_tensor() || p.kind == FrameParameterKind::work) && !type(p)) return;
    if (token().is("=") && !value(p)) return;
    if (p.kind == FrameParameterKind::work && !elements(p)) return;
    if (token().kind != TokenKind::end && token().kind != TokenKind::line_end) return wrong("the line should end here");
    for (const Token& name : names) add(p, name);
  }

 private:
  const Token& token() const { return tokens_[std::min(at_, tokens_.size() - 1)]; }

  void wrong(std::string what) {
    diagnostics_.error(Code::E0234, text_.span(token().begin, std::max(token().end, token().begin + 1)),
                       std::move(what), {"gen/ir/op/frame.h has the grammar of heads"});
  }

  bool type(FrameParameter& p) {
    if (!token().is(":")) return wrong("a ':' and a type are expected here"), false;
    ++at_;
    p.type = token().text;
    ++at_;
    if (p.kind == FrameParameterKind::work && p.type == "key" && token().is("(")) {
      ++at_;
      p.keys = true;
      p.type = token().text;
      at_ += 2;
    }
    const FrameParameter* above = frame_.parameter(p.type);
    if (above || dtype_from_name(p.type) || (p.is_tensor() && is_type_class(p.type))) return true;
    --at_;
    return wrong("a dtype, a class of types or a tensor above is expected here"), false;
  }

  bool value(FrameParameter& p) {
    ++at_;
    const bool minus = token().is("-");
    if (minus) ++at_;
    if (token().kind != TokenKind::integer && token().kind != TokenKind::real)
      return wrong("a number is expected here"), false;
    p.optional = true;
    p.value = token().kind == TokenKind::integer ? static_cast<double>(token().integer) : token().real;
    if (minus) p.value = -*p.value;
    ++at_;
    return true;
  }

  bool elements(FrameParameter& p) {
    if (!token().is("[")) return wrong("the number of elements in brackets is expected here"), false;
    const std::size_t begin = token().end, end = text_.text.rfind(']');
    if (end == std::string::npos || end < begin) return wrong("']' is missing"), false;
    const auto from = static_cast<std::ptrdiff_t>(begin), to = static_cast<std::ptrdiff_t>(end);
    const PlacedText inside{text_.text.substr(begin, end - begin),
                            {text_.offsets.begin() + from, text_.offsets.begin() + to + 1},
                            text_.file};
    if (!parse_expression(inside, p.elements, diagnostics_) || !known(p.elements)) return false;
    at_ = tokens_.size() - 1;
    return true;
  }

  bool known(const Syntax& s) {
    if (s.is(SyntaxKind::integer)) return true;
    if (s.is(SyntaxKind::name)) {
      const FrameParameter* p = frame_.parameter(s.text);
      const auto hole = vector_hole(s.text);
      if ((p && p->kind == FrameParameterKind::size) || (hole && hole->kind == VectorHoleKind::lanes)) return true;
    } else if (s.is(SyntaxKind::call) && s.text == "min" && s.children.size() == 2) {
      return known(s.children[0]) && known(s.children[1]);
    } else if (s.is(SyntaxKind::binary) && (s.text == "+" || s.text == "-" || s.text == "*")) {
      return known(s.children[0]) && known(s.children[1]);
    }
    diagnostics_.error(Code::E0234, s.span,
                       "the workspace is counted with sizes above, integers, i64_lanes, min(a, b), + - *",
                       {"gen/ir/op/frame.h has the grammar of heads"});
    return false;
  }

  void add(FrameParameter p, const Token& name) {
    p.name = name.text;
    p.span = text_.span(name.begin, name.end);
    frame_.parameters.push_back(std::move(p));
  }

  PlacedText text_;
  Frame& frame_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

/// Every hole is the name or describes a tensor's type.
void check_holes(const Frame& frame, const SourceFileRef& file, Diagnostics& diagnostics) {
  std::vector<std::string> known = {"name", "shared"};
  for (const FrameParameter& p : frame.parameters)
    if (p.is_tensor())
      for (const FrameHole& row : frame_holes()) known.push_back(frame_hole_name(p.name, row));
  for (const std::string& hole : TextTemplate(frame.name, frame.text).hole_names()) {
    if (hole == kTargetHole || vector_hole(hole) || contains(known, hole)) continue;
    const std::size_t at = file->text().find("@" + hole);
    const std::string near = nearest_name(hole, known);
    diagnostics.error(
        Code::E0234, {file, at, at + hole.size() + 2}, fmt::format("nothing fills the hole '{}'", hole),
        {near.empty() ? "holes are @name@ and @x_type@, @x_key@, @x_bits@, @x_sign@, @x_infinity@ for a tensor X"
                      : fmt::format("did you mean '@{}@'?", near)});
  }
}

std::string file_stem(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return path.substr(slash == std::string::npos ? 0 : slash + 1,
                     path.size() - (slash == std::string::npos ? 0 : slash + 1) - 5);
}

/// The kind of a single-valued extent in a definition: a size, an attribute, a let, a pack.
bool has_size(const OpDef& op, const std::string& name) {
  const auto named = [&](const Dim& d) {
    return d.name == name || any_of(d.parts, [&](const Dim& part) { return part.name == name; });
  };
  const auto has = [&](const TensorDef& t) { return any_of(t.dims, named); };
  const AttrDef* a = op.attr(name);
  return (a && a->count == AttrCount::one) || op.let(name) || any_of(op.inputs, has);
}

bool has_pack(const OpDef& op, const std::string& name) {
  const auto has = [&](const TensorDef& t) {
    return any_of(t.dims, [&](const Dim& d) { return d.kind == DimKind::pack && d.name == name; });
  };
  return any_of(op.inputs, has);
}

class UseChecker {
 public:
  UseChecker(const OpDef& op, const Frame& frame, Diagnostics& diagnostics)
      : op_(op), frame_(frame), diagnostics_(diagnostics) {}

  void run() {
    for (const FrameParameter& p : frame_.parameters) {
      if (p.is_tensor()) tensor(p);
      const bool number = p.kind == FrameParameterKind::size || p.kind == FrameParameterKind::real;
      if (number && !p.optional && !has_size(op_, p.name)) missing(p, "a size, an attribute or a let");
      if (p.kind == FrameParameterKind::pack && !has_pack(op_, p.name)) missing(p, "a pack");
      if (p.kind == FrameParameterKind::extent && !(op_.let(p.name) && op_.let(p.name)->written) &&
          !(p.optional && !op_.let(p.name)))
        missing(p, "a let of the form `" + p.name + ": upto(…)`");
    }
    for (const auto* list : {&op_.inputs, &op_.outputs})
      for (const TensorDef& t : *list) stray(t);
    for (const LetDef& l : op_.lets)
      if (l.written && !of_kind(l.name, FrameParameterKind::extent))
        wrong(l.span, fmt::format("templates/c/{}.c.in does not write the extent '{}'", frame_.name, l.name));
  }

 private:
  bool of_kind(const std::string& name, FrameParameterKind kind) const {
    const FrameParameter* p = frame_.parameter(name);
    return p && p->kind == kind;
  }

  void wrong(const SourceSpan& place, std::string message) {
    diagnostics_.error(
        Code::E0235, place, std::move(message),
        {"the head of the template says what a definition needs: tensors, sizes and attributes under the same names"});
  }

  void missing(const FrameParameter& p, std::string_view what) {
    wrong(op_.impl_span, fmt::format("templates/c/{}.c.in needs '{}', {}, which '{}' does not have", frame_.name,
                                     p.name, what, op_.name));
  }

  void tensor(const FrameParameter& p) {
    const bool input = p.kind == FrameParameterKind::input;
    const TensorDef* t = input ? op_.input(p.name) : op_.output(p.name);
    if (!t) {
      if (!p.optional) missing(p, input ? "an input" : "an output");
      return;
    }
    if (t->optional && !p.optional)
      wrong(t->span, fmt::format("templates/c/{}.c.in needs '{}' at every call", frame_.name, p.name));
    if (t->variadic || !t->storage.empty() || any_of(t->dims, [](const Dim& d) { return d.broadcast; }))
      wrong(t->span, fmt::format("'{}' is handed to a C template, so it is one tensor without `~`, `storage` and `...`",
                                 p.name));
    if (!fits(*t, p))
      wrong(t->dtype_span,
            fmt::format("templates/c/{}.c.in takes {} {}, not {}", frame_.name, p.type, p.name, t->dtype));
  }

  bool fits(const TensorDef& t, const FrameParameter& p) const {
    if (const FrameParameter* other = frame_.parameter(p.type)) {
      const TensorDef* o = other->kind == FrameParameterKind::input ? op_.input(p.type) : op_.output(p.type);
      return !o || o->dtype == t.dtype;
    }
    const TypeVar* v = op_.type(t.dtype);
    if (!v)
      return t.dtype == p.type ||
             (dtype_from_name(t.dtype) && is_type_class(p.type) && in_type_class(*dtype_from_name(t.dtype), p.type));
    if (!is_type_class(p.type)) return false;
    for (const DTypeRow& row : all_dtypes()) {
      const bool ranges =
          any_of(v->classes, [&](const Word& w) { return in_type_class(row.dtype, w.text) || w.text == row.name; });
      if (ranges && !takes(row.dtype, p.type)) return false;
    }
    return true;
  }

  /// A frame for real numbers sorts booleans too.
  static bool takes(DType d, const std::string& type_class) {
    return in_type_class(d, type_class) || (type_class == "real" && d == DType::Bool);
  }

  void stray(const TensorDef& t) {
    if (!of_kind(t.name, FrameParameterKind::input) && !of_kind(t.name, FrameParameterKind::output))
      wrong(t.span, fmt::format("templates/c/{}.c.in knows no tensor '{}'", frame_.name, t.name));
  }

  const OpDef& op_;
  const Frame& frame_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::vector<Statement> frame_values(const Frame& frame, Diagnostics& diagnostics) {
  std::vector<Statement> out;
  each_head_line(frame.span.file, [&](PlacedText line) {
    if (!line.text.starts_with(kValue)) return;
    line.text.erase(0, kValue.size());
    line.offsets.erase(line.offsets.begin(), line.offsets.begin() + static_cast<std::ptrdiff_t>(kValue.size()));
    append(out, parse_body(line, diagnostics));
  });
  return out;
}

bool is_frame(const SourceFile& file) {
  return file.text().starts_with("// ") && file.text().find("\n//= ") != std::string::npos;
}

bool read_frame(const SourceFileRef& file, Frame& out, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  out.name = file_stem(file->name());
  out.span = {file, 0, 0};
  const std::string& text = file->text();
  const std::size_t at = each_head_line(file, [&](PlacedText line) {
    if (!line.text.starts_with(kValue)) HeadLine(std::move(line), out, diagnostics).read();
  });
  frame_values(out, diagnostics);
  out.text = text.substr(std::min(text.find_first_not_of('\n', at), text.size()));
  if (diagnostics.size() == before) check_holes(out, file, diagnostics);
  return diagnostics.size() == before;
}

void check_frame_use(const OpDef& op, const OpLibrary& library, Diagnostics& diagnostics) {
  if (const auto frame = library.frame_of(op)) return UseChecker(op, *frame, diagnostics).run();
  if (!op.impl.starts_with("templates/c/")) return;  // reported where it was read
  const auto known = mapped(library.frames, [](const auto& f) { return "templates/c/" + f.first + ".c.in"; });
  diagnostics.error(Code::E0230, op.impl_span, fmt::format("there is no C template '{}'", op.impl),
                    {did_you_mean(op.impl, known, "templates of ops: " + joined(known, ", "))});
}

}  // namespace tenon
