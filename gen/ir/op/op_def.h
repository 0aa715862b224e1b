// The contents of definition files: scalar rows, functions and ops, polymorphic over types, packs and sizes, with their
// source locations.
//
//   OpLibrary := (scalar row | function | op)*
//   OpDef     := name doc types attrs in out storage let require index tables body grad save numerics expand tests kind
//                impl
//   TensorDef := name['?'|'...'] ':' dtype '[' dim,* ']'
//   dim       := ['~'] (size | '*' pack) ['@' attribute] ['...'] | '(' dim dim+ ')' | integer
//   statement := name '[' sub,* ']' combine expr | extent '=' expr | name,+ '=' op '(' argument,* ')'
// Names of types and dtypes are words here; the library stage binds them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/op/direction.h"
#include "ir/op/frame.h"
#include "ir/op/syntax.h"
#include "ir/op/update.h"
#include "support/source_span.h"

namespace tenon {

/// A word with its place.
struct Word {
  std::string text;
  SourceSpan span;
};

/// `T: float` or `T: [f32, i32]`: the type variable's name and the classes or dtypes that it ranges over. A type that
/// follows from another, `wide(T)`, is a variable of that name: it ranges over the results of the function for those of
/// T.
struct TypeVar {
  std::string name;
  std::vector<Word> classes;
  SourceSpan span;
  bool derived = false;
};

enum class AttrKind { boolean, integer, real, u64, dtype, enumeration, type_variable };

/// How many values an attribute has: one, n of them (`int[2]`), any number (`int[]`), or one per dim of a pack
/// (`int[*S]`).
enum class AttrCount { one, fixed, any, per_dim };

/// `stride: int[2] = 1`
struct AttrDef {
  std::string name;
  AttrKind kind = AttrKind::integer;
  std::string type;  ///< the word as written: bool int float u64 enum, a dtype, or a type variable
  SourceSpan type_span = {};
  std::vector<std::string> words;  ///< of an enumeration; the value is the position
  AttrCount count = AttrCount::one;
  int length = 1;               ///< of `fixed`
  std::string pack;             ///< of `per_dim`
  std::optional<Syntax> value;  ///< default; a single value stands for all elements; absent = the attribute is required
  SourceSpan span;

  bool required() const { return !value.has_value(); }
};

enum class DimKind { size, pack, integer, split };

/// One entry of a tensor's shape.
struct Dim {
  DimKind kind = DimKind::size;
  std::string name;        ///< of a size (a size symbol, a let or an attribute) or a pack
  std::int64_t value = 0;  ///< of an integer
  bool broadcast = false;  ///< `~`: also an extent of 1; a pack may lack leading dims
  std::string at;  ///< attribute after `@`: D@axis the dim chosen; *Q@axis all dims from axis; *R@axes those listed
  bool per_operand = false;  ///< `D...`: differs from tensor to tensor of a variadic input or output
  std::vector<Dim> parts;    ///< of a split, outermost first: sizes, integers
  SourceSpan span;
};

/// `{if: transA, as: [K, M]}`: stored order of the dims, given by their names; `condition` absent = always.
struct StorageRule {
  std::optional<Syntax> condition;
  std::vector<Dim> dims;
  SourceSpan span;
};

/// An input or an output.
struct TensorDef {
  std::string name;
  bool optional = false;  ///< `B?`
  bool variadic = false;  ///< `X...`: one or more tensors; of an output, one for each element of its list `D...`
  std::string dtype;      ///< a type variable or a dtype
  SourceSpan dtype_span;
  std::vector<Dim> dims;
  std::vector<StorageRule> storage;
  SourceSpan span;        ///< of the name
  bool follows = false;   ///< of an input: its shape is that of an output, which the other inputs determine
  std::string like = {};  ///< of an output: the input whose shape it has
};

/// `Ho: (H - R)//stride[0] + 1`; `pack` if the value is a list of sizes (`{O: "S*reps"}`).
struct LetDef {
  std::string name;
  Syntax value;
  bool pack = false;
  bool written = false;  ///< `N: upto(D)`: an extent that depends on data; the body or the C template determines it
  SourceSpan span;
};

/// `r: "kernel[0]"`: index variable r runs over 0 … extent-1; `pack`: `*k: K`, one variable per dim of a pack.
struct IndexRange {
  std::string name;
  bool pack = false;
  Syntax extent;
  SourceSpan span;
  bool of_family = false;  ///< written for all members of a family, of which some may not use it
};

/// The order in which a recurrence, one statement or several that read each other, computes its elements.
struct RunOrder {
  std::size_t joined =
      0;  ///< the number of outermost variables that it shares, value by value, with the previous statement
  std::vector<std::pair<std::string, Direction>> variables;  ///< outermost first; those of a pack adjacent
};

/// `W: {type: "f32[3]", values: [1, 2, 1]}`: constants that statements read like a tensor. With `of: [k]` the values
/// are a formula over these variables.
struct TableDef {
  TensorDef tensor;  ///< its dims are integers
  bool formula = false;
  std::vector<Word> of;                ///< of a formula: one index variable a dim
  Syntax values;                       ///< the formula, or nested lists of numbers
  std::optional<RunOrder> order = {};  ///< of a formula that reads the table itself: found by the checks
};

/// `Y[i, j] = e`, a scatter `Y[f] += e`, `M = e` of an extent, or, when `is_call`, `a, b = op(args)`.
struct Statement {
  bool is_call = false;
  bool is_extent = false;     ///< `M = e`: determines the extent `M: upto(D)`
  std::vector<Word> targets;  ///< one, unless is_call
  std::vector<Syntax> subs;   ///< of the target; empty when is_call
  Update update = Update::Assign;
  Syntax value;                        ///< expression; when is_call a `call` node whose text is the op's name
  std::vector<Syntax> ranges = {};     ///< of an update: `where e in a .. b`, each a name with children {a, b}
  std::optional<Syntax> where = {};    ///< of an update: `where condition`
  std::optional<RunOrder> order = {};  ///< of a recurrence: found by the checks
  /// Of an intermediate that the tensors of a variadic input make together: the extents that no range tells.
  std::vector<std::optional<Syntax>> extents = {};
  /// For a call: the extents of each index that reads its results, target by target; none for an unsplit index.
  std::vector<std::vector<std::vector<Syntax>>> parts = {};
  SourceSpan span;
};

/// A dim along which the tensors of a variadic input are put, `offset(D) + d` or `operand(X)`: its extent, sum_of(D) or
/// count(X). *variable is d, or NULL.
std::optional<Syntax> collected_extent(const Syntax& sub, const Syntax** variable);

/// Calls `visit` for each expression of a statement, in the order of the text.
void each_expression(const Statement& s, FunctionRef<void(const Syntax&)> visit);
/// Whether `holds` for a node of one of them.
bool any_within(const Statement& s, FunctionRef<bool(const Syntax&)> holds);
/// Whether one of them reads the value or tensor of this name.
bool reads(const Statement& s, const std::string& name);

enum class GradKind { derived, none, closed };

/// Closed form of one input's gradient: the right side, over the body's names, `dY` for the gradient of output Y.
struct ClosedGrad {
  std::string input;
  std::vector<Syntax> subs;  ///< of `dX[subs] = …`; empty with `implied` when only the right side was written
  bool implied = true;
  Syntax value;
  SourceSpan span;
};

/// `numerics`: what may be computed how.
struct Numerics {
  std::vector<std::pair<Word, Word>> accumulate;       ///< dtype → accumulator dtype
  std::optional<bool> reassociate_all;                 ///< `reassociate: true|false`
  std::vector<Word> reassociate;                       ///< or the names of values whose reductions may be reassociated
  std::vector<std::pair<Word, double>> tolerance_ulp;  ///< dtype → units in the last place
};

/// `expand`: the kernels generated by default.
struct Expand {
  std::vector<std::pair<Word, std::vector<Word>>> dtypes;  ///< type variable → dtypes; key "" = the first type variable
  std::vector<int> ranks;                                  ///< empty = all
  std::vector<std::pair<Word, std::vector<Syntax>>> attrs;  ///< attribute → values that get a variant of their own
};

/// One entry of `tests`: names bound to values. A size or attribute has a number or a list, a pack a list.
struct TestCase {
  std::vector<std::pair<Word, Syntax>> sizes;  ///< sizes and packs
  std::vector<std::pair<Word, Syntax>> attrs;
  std::vector<std::pair<Word, Syntax>> shapes;   ///< input → list of extents
  std::vector<std::pair<Word, Syntax>> inputs;   ///< input → nested list of values (known answer)
  std::vector<std::pair<Word, Syntax>> outputs;  ///< output → nested list of values
  std::vector<std::pair<Word, Word>> dtypes;     ///< type variable → dtype
  std::vector<Word> absent;                      ///< optional inputs left out
  SourceSpan span;
};

/// One op. Plain value; spans point at the source text (a family member's into the member).
struct OpDef {
  std::string name;
  std::string doc;
  std::string kind;  ///< "" or "composite"
  std::string impl;  ///< template of an op that the notation cannot say; body is empty then
  SourceSpan impl_span;
  std::vector<TypeVar> types;
  std::vector<AttrDef> attrs;
  std::vector<TensorDef> inputs;
  std::vector<TensorDef> outputs;
  std::vector<LetDef> lets;  ///< in order: each may use those before it
  std::vector<Syntax> requires_;
  std::vector<IndexRange> index;
  std::vector<TableDef> tables;  ///< in order: a formula may read those before it
  std::vector<Statement> body;
  GradKind grad = GradKind::derived;
  std::vector<ClosedGrad> closed_grads;
  std::vector<Word> save;
  Numerics numerics;
  Expand expand;
  std::vector<TestCase> tests;
  std::string family;    ///< name of the family that it came from, or ""
  bool shipped = false;  ///< from the generator's own opdefs (otherwise from a file of the user)
  SourceSpan span;       ///< of the name

  const AttrDef* attr(std::string_view name) const;
  const TensorDef* input(std::string_view name) const;
  const TensorDef* output(std::string_view name) const;
  const TypeVar* type(std::string_view name) const;
  const LetDef* let(std::string_view name) const;
  const TableDef* table(std::string_view name) const;
};

/// `exp: {args: [X], d: [Y]}`; with `as`, a row of the user: an expression over known rows.
struct ScalarRow {
  std::string name;
  std::vector<std::string> args;
  std::vector<Syntax>
      derivatives;  ///< one per argument, over the arguments and `Y`, the result; empty = not differentiable
  std::optional<Syntax> as;
  bool shipped = false;
  SourceSpan span;
};

/// `gelu(x): …`, inlined wherever it is called.
struct ScalarFn {
  std::string name;
  std::vector<std::string> params;
  Syntax value;
  bool shipped = false;
  SourceSpan span;
};

/// An output's dim that an input lacks: `Y: T[*P, N@axis, *Q]` next to `X: T[*P, *Q]`. The axis refers to the output's
/// rank and separates the input's packs.
struct AddedDim {
  const Dim* dim;      ///< N@axis
  std::size_t before;  ///< entries of the input before it
};
std::optional<AddedDim> added_dim(const OpDef& op, const TensorDef& input);

/// The value of an attribute in a call, given or its default; nullptr if there is neither.
const Syntax* attr_value(const OpDef& callee, const Syntax& call, const std::string& name);

/// That of an int attribute, if it is a constant.
std::optional<std::int64_t> constant_attr(const OpDef& callee, const Syntax& call, const std::string& name);

/// One of the results of a call.
struct CallResult {
  const OpDef& callee;
  const Syntax& call;
  std::size_t number;
};

/// Which extent from data of `caller` a call determines that assigns a result with the callee's extent `name` to
/// `output`: the one that is in the same place of the shape. "" where none is.
std::string extent_told(const OpDef& caller, const TensorDef& output, const CallResult& result, std::string_view name);

class DeferredOp;

/// Everything that was defined, by name.
struct OpLibrary {
  std::map<std::string, ScalarRow, std::less<>> scalars;
  std::map<std::string, ScalarFn, std::less<>> fns;
  std::map<std::string, OpDef, std::less<>> ops;  ///< those that have been read
  std::map<std::string, std::shared_ptr<DeferredOp>, std::less<>>
      deferred;  ///< shipped ones that wait; none is in `ops`
  std::map<std::string, std::shared_ptr<const Frame>, std::less<>> frames;  ///< C templates that `impl` may name

  /// The frame of a definition with `impl`; nullptr for one with a body.
  std::shared_ptr<const Frame> frame_of(const OpDef& op) const;

  /// The definition, read and checked; nullptr if there is none.
  const OpDef* op(std::string_view name) const;
  /// The definition as written, without the results of checks.
  const OpDef* declared(std::string_view name) const;
  /// Of all ops, in order.
  std::vector<std::string> names() const;
};

/// The op without inputs whose output is a table and whose statement is the table's formula: what checks and evaluates
/// bodies does the same for it. It has the types of `op`, the tables before it that the formula needs, and the ranges
/// of `index` that these and the formula name.
OpDef table_op(const OpDef& op, const TableDef& table);

/// YAML text of one op in the definition language; reads back to the same definition.
std::string print(const OpDef& op);
/// YAML text of a whole library.
std::string print(const OpLibrary& library);
std::string print(const Dim& dim);
std::string print(const Statement& statement);

/// Same definition; places, `shipped` and `family` are not compared.
bool same(const OpDef& a, const OpDef& b);

}  // namespace tenon
