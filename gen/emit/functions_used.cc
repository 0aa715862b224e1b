// Walks a kernel's expressions for rows with math entries.
#include <map>
#include <string>

#include "emit/math_body.h"

namespace tenon {
namespace {

class Used {
 public:
  explicit Used(const MathLibrary& library) : library_(library) {}

  void add(const std::string& name, DType dtype) {
    const MathFunction* f = library_.find(name, dtype);
    if (!f || !known_.emplace(std::pair{name, dtype}, f).second) return;
    for (const MathStep& s : f->steps) {
      if (const auto* x = std::get_if<MathLet>(&s)) add_calls({x->value}, dtype);
      if (const auto* x = std::get_if<MathUnpack>(&s)) {
        add(x->call.function, dtype);
        add_calls(x->call.args, dtype);
      }
      if (const auto* x = std::get_if<MathRare>(&s)) add_calls({x->when, x->unlikely, x->usual}, dtype);
    }
    add_calls(f->results, dtype);
  }

  void add_of(const Expr& e) {
    walk(e, [&](const Expr& n) {
      if (const auto* a = std::get_if<Apply>(&n->node); a && scalar_op_row(a->op).has('M') && is_float(n->type))
        add(std::string(scalar_op_row(a->op).name), n->type);
      return true;
    });
  }

  /// Skips the functions that take parts, which are in no table of rows.
  std::vector<const MathFunction*> rows() const {
    std::vector<const MathFunction*> out;
    for (const auto& [key, f] : known_)
      if (const auto op = scalar_op_from_name(key.first); op && !scalar_op_row(*op).has('P')) out.push_back(f);
    return out;
  }

 private:
  void add_calls(const std::vector<MathExpr>& all, DType dtype) {
    for (const MathExpr& e : all) {
      if (const auto* n = std::get_if<MathApply>(&e.node)) add_calls(n->args, dtype);
      if (const auto* n = std::get_if<MathCall>(&e.node)) {
        add(n->function, dtype);
        add_calls(n->args, dtype);
      }
    }
  }

  const MathLibrary& library_;
  std::map<std::pair<std::string, DType>, const MathFunction*> known_;
};

}  // namespace

std::vector<const MathFunction*> functions_used(const MathLibrary& library, const Kernel& kernel) {
  Used used(library);
  for_each_statement(kernel, [&](const KernelStatement& s) {
    used.add_of(s.value);
    if (s.where) used.add_of(s.where);
    for (const Expr& i : s.index) used.add_of(i);
  });
  return used.rows();
}

}  // namespace tenon
