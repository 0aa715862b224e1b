// Reads the small scalar functions of templates/scalar and fills their holes.
#include "emit/scalar_functions.h"

#include <algorithm>

#include "emit/emitter.h"
#include "support/check.h"

namespace tenon {
namespace {

char letter_of(DType d) {
  if (is_complex(d)) return d == DType::C64 ? 'c' : 'z';
  if (d == DType::F32) return 'f';
  if (d == DType::F64) return 'd';
  return is_signed_int(d) ? 's' : 'u';
}

/// Takes the line at the front off `text`.
std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// `RESULT NAME(PARAMETER, …) {` and its body at the front of `text`.
ScalarFunction read_function(std::string_view types, std::string_view& text) {
  const std::string_view head = next_line(text);
  const size_t open = head.find('('), name = head.rfind(' ', open) + 1, close = head.rfind(") {");
  const size_t end = text.find("\n}");
  TENON_CHECK(open < close && close < head.size() && end < text.size(), "malformed scalar function: {}", head);
  ScalarFunction f{std::string(head.substr(name, open - name)),
                   std::string(types),
                   std::string(head.substr(0, name - 1)),
                   {},
                   std::string(text.substr(0, end + 1))};
  for (size_t at = open + 1; at < close;) {
    const size_t comma = std::min(head.find(", ", at), close);
    f.params.emplace_back(head.substr(at, comma - at));
    at = comma + 2;
  }
  text.remove_prefix(end + 2);
  return f;
}

}  // namespace

ScalarFunctions::ScalarFunctions(const std::vector<std::string>& texts) {
  for (std::string_view text : texts)
    while (!text.empty())
      if (const std::string_view line = next_line(text); line.starts_with("//= "))
        functions_.push_back(read_function(line.substr(4), text));
}

const ScalarFunction* ScalarFunctions::find(std::string_view name, DType d) const {
  const auto found = std::ranges::find_if(functions_, [&](const ScalarFunction& f) {
    return f.name == name && f.types.find(letter_of(d)) != std::string::npos;
  });
  return found == functions_.end() ? nullptr : &*found;
}

namespace emit {
namespace {

std::string ensure_piece(Emitter& e, std::string_view op, DType d);

class Holes {
 public:
  Holes(Emitter& emitter, DType dtype) : e(emitter), d(dtype) {}

  std::string fill(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '$') {
        out += text[i];
        continue;
      }
      if (text[++i] == '(') {
        const size_t end = text.find(')', i);
        out += call(text.substr(i + 1, end - i - 1));
        i = end;
      } else if (text.substr(i, 2) == "01") {
        out += d == DType::U32 ? "((float)(a >> 9) + 0.5f) * 1.1920928955078125e-07f"
                               : "((double)(a >> 12) + 0.5) * 2.220446049250313e-16";
        ++i;
      } else {
        out += hole(text[i]);
      }
    }
    return out;
  }

 private:
  Emitter& e;
  DType d;

  std::string hole(char c) {
    const int bits = bits_of(d);
    switch (c) {
      case 'T': return e.c_type(d);
      case 'U': return e.c_type(unsigned_of(bits));
      case 'W': return e.c_type(unsigned_of(bits < 32 ? 32 : bits));
      case 'B': return std::to_string(bits);
      case 'R': return is_complex(d) ? e.c_type(real_of(d)) : d == DType::U64 ? "double" : "float";
      case 'S': return d == DType::F32 ? "f" : "";
      default: TENON_UNREACHABLE("hole ${}", c);
    }
  }
  std::string call(std::string_view what) {
    const size_t colon = what.find(':');
    if (colon == std::string_view::npos) return ensure_piece(e, what, d);
    const std::string_view type = what.substr(colon + 1);
    const DType other = type == "real" ? real_of(d) : *dtype_from_name(type);
    return ensure_piece(e, what.substr(0, colon), other);
  }
};

/// The root that kernels take: the level's instruction in a function, or the elementary function.
std::string ensure_root(Emitter& e, std::string name, DType d) {
  const IsaRow* const row = e.isa.row("sqrt", d, 1);
  if (row == nullptr) {
    call_math(e, ScalarOp::Sqrt, {d, 1, 0}, {c_text("a")});
    return name;
  }
  CFunction f;
  f.specifiers = e.piece_specifiers();
  f.name = name;
  f.result = e.c_type(d);
  f.params.push_back(f.result + " a");
  f.body.push_back(c_return(c_row(row->spelling, {c_text("a")})));
  e.needs.add_function(std::move(f));
  return name;
}

std::string ensure_piece(Emitter& e, std::string_view op, DType d) {
  std::string name = e.piece_name(op, {d, 1, 0});
  if (e.needs.has(name)) return name;
  if (op == "sqrt" && is_float(d)) return ensure_root(e, std::move(name), d);
  const ScalarFunction* const row = e.options.scalars->find(op, d);
  TENON_CHECK(row != nullptr, "no small function {} for {}", op, name_of(d));
  Holes holes(e, d);
  CFunction f;
  f.specifiers = e.piece_specifiers();
  f.name = name;
  f.result = holes.fill(row->result);
  for (const std::string& p : row->params) f.params.push_back(holes.fill(p));
  f.body.push_back({CBodyLines{holes.fill(row->body)}});
  e.needs.add_function(std::move(f));
  return name;
}

}  // namespace

CExpr call_scalar_piece(Emitter& e, std::string_view op, DType d, std::vector<CExpr> args) {
  return c_call(ensure_piece(e, op, d), std::move(args));
}

}  // namespace emit

}  // namespace tenon
