// Removes extents of one from the operands of an einsum, then calls the op of its subscripts.
#include <map>

#include "frontend/recipe/recipe_parts.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Subscripts in pieces: the letters of each operand and of the result, `...` as one dot.
struct Subscripts {
  std::vector<std::string> operands;
  std::string result;

  std::string text() const { return joined(operands, ",", spelled) + "->" + spelled(result); }

 private:
  static std::string spelled(const std::string& letters) {
    const size_t dot = letters.find('.');
    return dot == std::string::npos ? letters : letters.substr(0, dot) + "..." + letters.substr(dot + 1);
  }
};

/// The letters that occur once, in alphabetical order, after the dims of the ellipsis.
std::string implied_result(const std::vector<std::string>& operands) {
  std::map<char, int> times;
  bool dots = false;
  for (const std::string& o : operands)
    for (const char c : o) {
      dots = dots || c == '.';
      if (c != '.') ++times[c];
    }
  std::string result(dots ? 1 : 0, '.');
  for (const auto& [letter, n] : times)
    if (n == 1) result += letter;
  return result;
}

Subscripts parsed(const std::string& text) {
  Subscripts s;
  std::string now;
  bool arrow = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text.compare(i, 3, "...") == 0) i += 2;
    if (text.compare(i, 2, "->") == 0 || text[i] == ',') {
      s.operands.push_back(std::move(now));
      now.clear();
      arrow = arrow || text[i] == '-';
      i += text[i] == '-' ? 1 : 0;
    } else {
      now += text[i];
    }
  }
  if (!arrow) s.operands.push_back(std::move(now));
  s.result = arrow ? now : implied_result(s.operands);
  return s;
}

/// The axis of each letter, where the letters and the dims of the tensor go together; -1 for the dots.
std::vector<int> axes_of(const std::string& letters, size_t rank) {
  const size_t dot = letters.find('.');
  std::vector<int> axes;
  for (size_t i = 0; i < letters.size(); ++i)
    axes.push_back(static_cast<int>(i == dot ? static_cast<size_t>(-1) : i < dot ? i : rank - (letters.size() - i)));
  return axes;
}

class Operands {
 public:
  Operands(RecipeContext& context, Subscripts& subscripts, RecipeList& tensors, size_t offset)
      : builder_(context.builder), subscripts_(subscripts), tensors_(tensors), offset_(offset) {}

  void drop_ones() {
    for (size_t k = 0; k < tensors_.size(); ++k)
      for (const auto& [letter, n] : extents_of(k))
        if (n.is(1) && longer_elsewhere(letter, k)) drop(k, letter);
  }

  /// Removes the operands that have no axis left: they are factors of the result.
  RecipeList factors() {
    RecipeList taken;
    for (size_t k = tensors_.size(); k-- > 0;) {
      if (!subscripts_.operands[k].empty() || tensors_.size() == 1) continue;
      taken.push_back(tensors_[k]);
      tensors_.erase(tensors_.begin() + static_cast<std::ptrdiff_t>(k));
      subscripts_.operands.erase(subscripts_.operands.begin() + static_cast<std::ptrdiff_t>(k));
    }
    return taken;
  }

 private:
  /// The letters of the operand, each with its extent; letters of several axes are skipped.
  std::map<char, SizeExpr> extents_of(size_t k) const {
    const std::vector<SizeExpr>& dims = builder_.value(tensor_of(tensors_[k], offset_)).dims;
    const std::string& letters = subscripts_.operands[k];
    std::map<char, SizeExpr> extents;
    if (letters.size() > dims.size() + (letters.find('.') == std::string::npos ? 0 : 1)) return extents;
    const std::vector<int> axes = axes_of(letters, dims.size());
    for (size_t i = 0; i < letters.size(); ++i)
      if (axes[i] >= 0 && count_of(letters, letters[i]) == 1)
        extents.emplace(letters[i], dims[static_cast<size_t>(axes[i])]);
    return extents;
  }

  bool longer_elsewhere(char letter, size_t than) const {
    for (size_t k = 0; k < tensors_.size(); ++k) {
      if (k == than) continue;
      const std::map<char, SizeExpr> extents = extents_of(k);
      const auto it = extents.find(letter);
      if (it != extents.end() && !it->second.is(1)) return true;
    }
    return false;
  }

  void drop(size_t k, char letter) {
    std::string& letters = subscripts_.operands[k];
    const ValueId id = tensor_of(tensors_[k], offset_);
    std::vector<SizeExpr> dims = builder_.value(id).dims;
    const size_t at = letters.find(letter);
    dims.erase(dims.begin() + axes_of(letters, dims.size())[at]);
    letters.erase(at, 1);
    const bool fixed = all_of(dims, [](const SizeExpr& d) { return d.is_constant(); });
    const std::vector<int64_t> numbers = mapped(dims, &SizeExpr::value);
    tensors_[k] =
        TensorRef{builder_.add_node("reshape", {id}, {{"shape", fixed ? AttrValue(numbers) : AttrValue(dims)}}, 1)[0]};
  }

  GraphBuilder& builder_;
  Subscripts& subscripts_;
  RecipeList& tensors_;
  size_t offset_;
};

}  // namespace

RecipeValue einsum_of(RecipeContext& context, const std::string& subscripts, RecipeList operands, size_t offset) {
  if (!context.builder.semantics().einsum) throw RecipeError(offset, "einsum is not known here");
  std::string text = subscripts;
  RecipeList factors;
  Subscripts pieces = parsed(subscripts);
  if (pieces.operands.size() == operands.size()) {
    const std::string before = pieces.text();
    Operands rest(context, pieces, operands, offset);
    rest.drop_ones();
    factors = rest.factors();
    if (pieces.text() != before) text = pieces.text();
  }
  const MadeOp op = context.builder.semantics().einsum(text);
  if (!op.error.empty()) throw RecipeError(offset, "einsum: " + op.error);
  RecipeValue result = call_op(context, {op.name, std::move(operands), {}, 1, offset});
  for (const RecipeValue& f : factors) result = call_op(context, {"mul", {std::move(result), f}, {}, 1, offset});
  return result;
}

}  // namespace tenon
