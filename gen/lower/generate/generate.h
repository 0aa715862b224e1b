// Loop tree → statements over scalars and vectors: the last step of lowering.
#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "algebra/linear.h"
#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"
#include "lower/generate/nest_target.h"
#include "lower/generate/value_memo.h"
#include "lower/kernel/check_guards.h"
#include "lower/tree/carry_values.h"
#include "lower/tree/loop_tree.h"
#include "lower/tree/place_temps.h"
#include "lower/tree/random_run.h"
#include "support/pointer_map.h"
#include "support/ranges.h"

namespace tenon {

/// Names in use, with the number of scopes that use each.
class NamesInScope {
 public:
  /// `base`, or with the first number after it that makes it new; in use until released.
  std::string take(const std::string& base) {
    std::string name = base;
    for (int n = 2; used_.count(name) != 0; ++n) name = base + std::to_string(n);
    used_.insert(name);
    return name;
  }
  void release(const std::string& name) { used_.erase(name); }

 private:
  std::unordered_set<std::string> used_;
};

/// Writes the body of one loop tree.
class Generator {
 public:
  /// `to`: those of the loop nest; temps that need memory are added or grow.
  /// `taken`: names that the body must not declare.
  Generator(const Kernel& kernel, const LoopTree& tree, const Isa& isa, NestTarget to,
            const std::vector<std::string>& taken = {});

  Block run();
  /// The statements that leave with a status where a check does not hold.
  Block run_checks();

 private:
  /// Vectors of room behind the last line of a temp: its elements are read up to two apart.
  static constexpr int64_t kRoom = 4;

  /// The iterations that are being written together: lane l of part u is `var` = base + u·lanes + l.
  struct Lanes {
    std::string var;
    Operand base;
    int lanes = 1;
    int parts = 1;
    Operand active;
    int prefetch_bytes = 0;
    std::vector<int> cached;
    bool rows = false;  ///< parts are the same elements of several rows

    /// The distance between the same lanes of two parts.
    int64_t step() const { return rows ? 0 : lanes; }
    /// How far ahead a tensor is fetched, if at all.
    std::optional<int> prefetch_of(int tensor) const {
      const bool wanted = prefetch_bytes > 0 && !contains(cached, tensor);
      return wanted ? std::optional(prefetch_bytes) : std::nullopt;
    }
  };
  /// Results of earlier iterations of a recurrence in variables, by distance in iterations.
  struct CarriedValue {
    int tensor = 0;
    int64_t ago = 0;
    std::vector<Expr> index;
    Bundle value;
  };
  struct AccumulatorState {
    std::vector<std::string> names;  ///< one a part
    std::vector<std::string> positions;
    std::vector<std::string> lost;  ///< of a compensated sum: what its rounding has lost
    OperandType type;
    OperandType position_type;
  };

  /// Words of Philox in an array: `groups` times `lanes` blocks, and as many again where iterations may begin inside of
  /// a block.
  struct WordBlocks {
    Expr seed;
    int buffer = 0;
    int lanes = 1, groups = 1;
    bool and_next = false;
    Operand first;  ///< which iteration of the first block comes first
  };

  // ---- random numbers (generate_random.cc)
  Bundle random_words(const Expr& e, const Apply& philox, const RandomRun& run);
  WordBlocks words_of_blocks(const Apply& philox, const RandomRun& run, DType type, int part, int iterations);
  int words_in_turn(const WordBlocks& b, const RandomRun& run);
  int words_buffer(DType type, int64_t elements);
  void for_groups(const WordBlocks& b, FunctionRef<void(int)> f);
  Bundle compared_number(ScalarOp op, const ComparedNumber& c);

  // ---- values (generate_values.cc)
  Bundle value(const Expr& e);
  Bundle value_of(const Expr& e);
  Bundle apply_value(const Expr& e, const Apply& a);
  Bundle select_value(const Expr& e, const Select& s);
  Bundle guarded_select(const Operand& cond, const Expr& yes, const Expr& no);
  Bundle read_value(const Expr& e, const Read& r);
  Bundle variable_value(const Expr& e, const VarRef& v);
  Bundle load(const Expr& e, const Read& r);
  void prefetch(int buffer, const Operand& offset, int part, std::optional<int> ahead);
  Operand backwards(int buffer, DType type, const Operand& offset);
  Operand every_other(int buffer, DType type, const Operand& offset) const;
  Operand active_of_every(int64_t count, int64_t first) const;
  Operand in_turns(const VGather& runs, DType type, int64_t count) const;
  Operand each_repeated(int buffer, DType type, const Operand& offset, int64_t count) const;
  Operand scalar(const Expr& e, int part);
  Operand scalar_of(const Expr& e, int part);
  Operand scalar_reduce(const Expr& e, const Reduce& r);
  Operand scalar_read(const Expr& e, const Read& r, int part);
  bool has_room(int tensor) const;
  Operand offset_of(int tensor, const std::vector<Expr>& index, int part);
  std::optional<Operand> table_element(int tensor, const Operand& offset) const;
  Expr stride_over_lanes(int tensor, const std::vector<Expr>& index) const;
  bool varies(const Expr& e);
  Bundle spread(Bundle b, int parts) const;
  bool differs_between_rows(const Read& r) const;
  Operand mask_as(const Operand& mask, int bits) const;
  Operand lane_mask(int bits) const;
  std::pair<Expr, Expr> padded_read(const Expr& e, const Read& r, int part);
  void name_conversions(const Expr& e, int part);
  Expr inside(const Read& r) const;
  void count_uses(const Expr& e);
  bool deserves_name(const Expr& e) const;
  Operand named(const std::string& base, Operand v);
  int function_of(InnerFunction f);
  static std::string base_name(const Expr& e, const Kernel& k);

  // ---- statements (generate_loops.cc)
  void tree(const Tree& t);
  Operand in_any_lane(const Expr& condition, bool active = false);
  void loop(const TreeLoop& l);
  Operand bound(const Expr& e, const TreeLoop& l, const char* suffix);
  void plain_loop(const TreeLoop& l, const Operand& from);
  bool ends_early(const TreeLoop& l) const;
  void settle(Reducer op, const std::string& name, const Operand& total, const Operand& v);
  void searching_loop(const TreeLoop& l, const Operand& from, const Operand& extent, const std::string& var);
  void vector_loop(const TreeLoop& l);
  void vector_part(const TreeLoop& l, Operand begin, Operand end, int parts, bool partial);
  void fetch_next_row(const TreeLoop& l);
  Block body_of(const TreeLoop& l);
  void define(const TreeDefine& d);
  void name_positions(const TreeDefine& d);
  Operand position(const Expr& e);
  void start_leaf(std::initializer_list<Expr> roots);
  Bundle combined(const TreeDefine& d, const Bundle& v);
  Bundle joined(const Bundle& v, DType storage) const;

  // ---- copies (generate_copies.cc)
  Expr copied_stride(const TreeLoop& l);
  int run_bytes(const TreeLoop& l);
  bool padded_loop(const TreeLoop& l);
  bool single_copy(const TreeLoop& l);
  bool short_runs_side_by_side(const TreeLoop& l);
  bool short_runs(const TreeLoop& l);
  void move(const TreeLoop& l, const Operand& base, LoopShape shape, const Operand& active);
  bool copy_loop(const TreeLoop& l, const Operand& from, const Operand& extent);

  // ---- powers with one exponent (generate_powers.cc)
  bool is_common_exponent(const Expr& e, const TreeLoop& l);
  Expr common_power(const TreeLoop& l);
  bool simple_powers_apart(const TreeLoop& l);

  // ---- what is named before a loop (generate_outside.cc)
  void name_positions_outside(const TreeLoop& l);
  void name_lookups_outside(const TreeLoop& l);
  bool is_lookup_outside(const Expr& e, const std::vector<const TreeLoop*>& nest) const;
  void name_values_outside(const TreeLoop& l);
  void name_conditions_outside(const TreeLoop& l);
  bool is_common(const Expr& e, const std::set<std::string>& changing, const std::set<int>& written) const;

  // ---- recurrences (generate_carried.cc)
  void carried_loop(const TreeLoop& l);
  void first_part(const TreeLoop& l);
  void later_part(const TreeLoop& l);
  void declare_carried(const TreeLoop& l, const HandedOn& h);
  Bundle made_here(const HandedOn& h);
  void hand_on(const std::vector<HandedOn>& values);
  const Bundle* known_value(int tensor, const std::vector<Expr>& index) const;

  // ---- rows taken together (generate_rows.cc)
  void rows_loop(const TreeLoop& l);
  void rows_together(const TreeLoop& l, const Operand& first);
  void part_of_rows(const TreeNode& n, const std::string& var, const Operand& first);
  void blocks_of_rows(const TreeLoop& blocks, const std::string& var, const Operand& first);
  void over_rows(const TreeLoop& inner, const std::string& var, const Operand& first);
  template <class F>
  void with_rows_as_lanes(const std::string& var, const Operand& first, F write);
  void rows_part(const TreeLoop& inner, const Operand& begin, const Operand& end, bool partial);
  void fold_rows(const TreeEnd& e);
  Operand fold_together(Reducer op, std::vector<Operand> rows);
  void define_rows(const TreeDefine& d, const std::string& var, const Operand& first);

  // ---- checks (generate_checks.cc)
  void fail_where(const Expr& condition, CheckStatus status);
  void ask(const CheckGroup& group, size_t depth);
  void ask_along(CheckGroup group, size_t depth);
  void check_runs(CheckGroup& group, size_t depth);

  // ---- transposes (generate_transpose.cc)
  void transpose(const TreeTranspose& t);
  void transposed_tile(const TreeTranspose& t, const Operand& down, const Operand& across);
  void call_transposed_tile(const TreeTranspose& t);
  void transposed_tiles(const TreeTranspose& t, const std::array<Operand, 4>& range);
  void transposed_edge(const TreeTranspose& t, const std::array<Operand, 4>& range);
  void overlapping_tiles(const TreeTranspose& t, const Operand& down, const Operand& across, bool largest);
  Block tile_loops(const TreeTranspose& t, const Operand& down, const Operand& across, bool rows_first);
  void few_planes(const TreeTranspose& t, const Operand& down, const Operand& across, int count);
  void join_or_part(const TreeTranspose& t, const Operand& at, bool join, OperandType vector, int count);

  // ---- reductions (generate_reductions.cc)
  void begin(const TreeBegin& b);
  void accumulate(const TreeAccumulate& a);
  void accumulate_lanes(const TreeAccumulate& a);
  bool add_products(const TreeAccumulate& a, const AccumulatorState& state);
  void accumulate_position(const TreeAccumulate& a);
  void add_compensated(const TreeAccumulate& a);
  void end_compensated(const TreeEnd& e);
  static Operand beats(Reducer op, const Operand& v, const Operand& best, bool backwards = false);
  void end(const TreeEnd& e);
  void end_position(const TreeEnd& e);
  bool zero_when_inactive(const Expr& e);
  Operand masked(const Operand& v, const Operand& mask, Reducer op) const;
  Operand identity(Reducer op, OperandType type) const;
  Operand combine(Reducer op, const Operand& a, const Operand& b) const;

  /// Statements written by `write` in a block of its own.
  template <class F>
  Block block(F write) {
    Block inner;
    Block* outer = out_;
    std::vector<std::string> outer_names = std::move(names_here_);
    names_here_.clear();
    out_ = &inner;
    memo_.enter();
    forwarded_.enter();
    write();
    forwarded_.leave();
    memo_.leave();
    out_ = outer;
    for (const std::string& n : names_here_) names_.release(n);
    names_here_ = std::move(outer_names);
    return inner;
  }
  std::string take_name(const std::string& base) {
    names_here_.push_back(names_.take(base));
    return names_here_.back();
  }

  const Kernel& k_;
  const LoopTree& tree_;
  const Isa& isa_;
  std::vector<Buffer>& buffers_;
  std::vector<InnerFunction>& functions_;
  const bool may_call_;
  std::vector<TempPlace> places_;
  std::vector<int> buffer_of_;
  NamesInScope names_;
  std::vector<std::string> names_here_;
  std::map<std::string, Bundle> vars_;
  std::vector<AccumulatorState> accumulators_;
  Forwarding<Bundle> forwarded_;
  std::vector<CarriedValue> carried_;
  Lanes lanes_;
  int rows_ = 0;                   ///< > 0: so many rows go together
  std::map<int, Operand> folded_;  ///< of these, a vector of the results of each accumulator
  struct RowTemp {
    std::vector<Expr> index;
    Operand value;
  };
  std::map<int, RowTemp> row_temps_;  ///< and the temps made of them
  Ranges ranges_;
  bool ends_early_ = false;          ///< nothing is left to do in the loop at hand once its accumulator is settled
  std::vector<Operand> settled_;     ///< whether a step of the loop at hand has left its accumulator as it was
  std::map<Expr, Operand> outside_;  ///< what was named before the loop at hand
  std::map<const ExprNode*, Operand> inside_;  ///< the same: whether padded reads are inside, in all iterations
  std::vector<std::string> interior_;          ///< variables for which padded reads are known to be inside
  Block* out_ = nullptr;
  int lazy_ = 0;  ///< > 0 in the arm of a scalar selection: nothing may be computed ahead
  std::set<std::pair<int, std::string>> fetched_;  ///< lines fetched ahead in the loop body at hand
  PointerMap<int> uses_;
  PointerMap<std::pair<Expr, bool>> varies_;  ///< with the node itself: its address must not become another one's
  ValueMemo memo_;
  std::vector<WordBlocks> word_blocks_;
  int part_of_run_ = 0;        ///< > 0: runs at hand are two parts of so many elements; < 0: their length was looked at
  bool powers_asked_ = false;  ///< whether the exponent of the loop at hand is a simple one was asked before it
  bool all_short_ = false;     ///< none of the runs at hand is longer than two parts
};

/// `rows` are as many vectors as each has lanes, a power of two: lane c of row r becomes lane r of row c, by rounds of
/// two-input shuffles. `named` gives each result a name.
std::vector<Operand> transpose_vectors(std::vector<Operand> rows, const std::function<Operand(Operand)>& named);
/// Lane l of plane p of n becomes lane l * n + p of all results in a row, and the other way around.
std::vector<Operand> join_planes(std::vector<Operand> planes, const std::function<Operand(Operand)>& named);
std::vector<Operand> part_pixels(std::vector<Operand> pixels, const std::function<Operand(Operand)>& named);

}  // namespace tenon
