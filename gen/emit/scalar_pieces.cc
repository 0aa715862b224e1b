// Fills the holes of the table of small scalar functions.
#include <fmt/format.h>

#include "emit/emitter.h"
#include "emit/scalar_piece_rows.h"
#include "support/check.h"

namespace tenon::emit {
namespace {

char letter_of(DType d) {
  if (is_complex(d)) return d == DType::C64 ? 'c' : 'z';
  if (d == DType::F32) return 'f';
  if (d == DType::F64) return 'd';
  return is_signed_int(d) ? 's' : 'u';
}

const ScalarPieceRow& find_row(std::string_view op, DType d) {
  const char letter = letter_of(d);
  for (const auto& rows :
       {integer_piece_rows(), float_piece_rows(), complex_piece_rows(), conversion_piece_rows(), small_piece_rows()})
    for (const ScalarPieceRow& r : rows)
      if (r.op == op && r.types.find(letter) != std::string_view::npos) return r;
  TENON_UNREACHABLE("no small function {} for {}", op, name_of(d));
}

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

std::string ensure_piece(Emitter& e, std::string_view op, DType d) {
  std::string name = e.piece_name(op, {d, 1, 0});
  if (e.needs.has(name)) return name;
  const ScalarPieceRow& row = find_row(op, d);
  Holes holes(e, d);
  CFunction f;
  f.specifiers = e.piece_specifiers();
  f.name = name;
  f.result = holes.fill(row.result);
  for (const std::string_view p : row.params)
    if (!p.empty()) f.params.push_back(holes.fill(p));
  f.body.push_back({CBodyLines{holes.fill(row.body)}});
  e.needs.add_function(std::move(f));
  return name;
}

}  // namespace

CExpr call_scalar_piece(Emitter& e, std::string_view op, DType d, std::vector<CExpr> args) {
  return c_call(ensure_piece(e, op, d), std::move(args));
}

}  // namespace tenon::emit
