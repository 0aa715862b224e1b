// The state that the parts of a contraction's lowering share: names, buffers, scopes and sizes of the loop nest that
// they build.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "algebra/contraction.h"
#include "algebra/pair_depth.h"
#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"
#include "support/ranges.h"

namespace tenon {

constexpr int64_t kPage = 4096;            ///< bytes of a page of memory
constexpr int kLineBits = 512;             ///< of a line of the cache
constexpr int64_t kSecondLevel = 1 << 20;  ///< bytes of weights that stay in the second-level cache
constexpr int64_t kPanelsTogether = 4;     ///< panels that are copied together, for runs of several lines of the cache

/// How the left side's elements are found: buffer[base(row) + step(depth)].
struct LeftAccess {
  int buffer = -1;
  std::map<std::string, Operand> row_coefficients;  ///< per row variable
  Operand base;                                     ///< part that rows and depth do not change
  std::vector<int64_t> taps;      ///< offset of each depth index, where all are known and the builder unrolls them
  Operand depth_step;             ///< elements from one depth index to the next; null: through the table
  int depth_table = -1;           ///< buffer of offsets, one per depth index or per run of them
  int64_t run = 1;                ///< depth indices that follow the first of a run at one step each
  DType table_type = DType::I64;  ///< i32 where all extents are known: half the cache
  Operand copied_pitch;           ///< elements from one row of the copy to the next
  int block_copy = -1;            ///< buffer for dense copies of row blocks, used where depth_step is not 1 at run time
};

/// The right side read in place: possible where its columns have unit stride and the depth one step.
struct RightAccess {
  int buffer = -1;
  Operand base, column_step, depth_step;
  int64_t halves = 1;  ///< elements of the tensor that make one of a panel: 2 where they are halves of words
  int64_t panel = 0;   ///< > 0: the tensor consists of panels of so many columns already, the last one padded

  bool whole_panels = false;            ///< tiles begin where panels do
  std::optional<BytePanel> bytes = {};  ///< words of four follow those of two in each panel

  /// Offset of a column that is a multiple of the tile's width.
  Operand at(const Operand& column, const Operand& depth) const;
};

/// The loop nest under construction. Functions that cannot express something clear `possible`; the kernel is then
/// lowered another way.
struct ContractionBuilder {
  const Kernel& kernel;
  const Isa& isa;
  const Blueprint& blueprint;
  Contraction c;
  std::vector<Buffer> buffers = {};
  std::vector<InnerFunction> functions = {};
  ValueScope scope = {};  ///< outer variables
  bool possible = true;
  DType right_type = DType::F32;      ///< of the right side's elements as the tiles load them
  int64_t right_panel = 0;            ///< > 0: columns of its panels, where a tile may take several
  int transposed_rows = 0;            ///< rows of a transposed tile that are stored as one vector
  bool pixels_along_columns = false;  ///< a stencil: the left side depends on the column too
  /// If set, only band_rows rows from here on are copied at a time; they are indices of the first of c.rows.
  Operand band_first = {};
  int band_rows = 0;
  int planes = 1;                    ///< of a stencil's strip; if several, the rows that band_first speaks of
  bool unrolls_taps = false;         ///< offsets of depth indices are wanted as numbers
  std::set<std::string> taken = {};  ///< names that the kernel or the nest already uses
  std::map<std::string, std::string> locals = {};
  std::optional<DType> staged_as = {};  ///< type of a copy of the left side, where it differs from that of the sum
  bool fetches_right = false;           ///< tiles ask for the panels' lines before they come to them
  bool right_is_far = false;            ///< they exceed the second-level cache
  int steps_a_line = 0;  ///< > 0: depth indices of a tile for each line of the next columns that it asks for
  int64_t requests = 0;  ///< tiles that ask for all of them
  Operand most_columns = {}, most_depth = {};  ///< set: so many count, although the panels have more
  Operand most_rows = {};                      ///< set: so many count, and no others may be looked at
  /// If set, the depth is processed in parts, and this condition holds for the first; later parts add to the stored
  /// sums.
  Operand first_part = {};
  bool repeats = false;  ///< many times over, with one right side: its panels are always worth a copy

  /// `word`, or `word` with a number that no other name has.
  std::string fresh(const std::string& word);
  /// The same fresh name at every call: for names in blocks that do not nest.
  const std::string& local(const std::string& word);
  int lanes() const { return isa.lanes(c.accumulator); }
  DType staged_type() const { return staged_as.value_or(c.accumulator); }
  int panel_columns() const { return blueprint.tile_vectors * lanes(); }
  /// The number of panels of the right side that contain this many vectors of a tile.
  int panels_of(int vectors) const {
    return right_panel == 0 ? 1 : static_cast<int>((vectors * lanes() + right_panel - 1) / right_panel);
  }
  int add_buffer(const std::string& name, DType dtype, Storage storage, Operand elements);
  /// The value of `e` under `scope`; clears `possible` if there is none.
  Operand scalar(const Expr& e, const ValueScope& in);
  Operand extent(const LoopVar& v) { return scalar(v.extent, scope); }
  Operand extent_of(const std::vector<LoopVar>& vars);
  /// The number of rows, where it is one at generation.
  std::optional<int64_t> known_rows() { return most_rows ? std::nullopt : constant_value(extent_of(c.rows)); }
};

/// A builder that knows the kernel's tensors and names, and the outer variables of `c`.
ContractionBuilder start_contraction(const Kernel& kernel, const Isa& isa, const Blueprint& blueprint,
                                     const Contraction& c);

/// Whether the output overwrites a tensor that the epilogue reads: then nothing may be computed twice.
bool in_place(const ContractionBuilder& b);

/// A contraction without outer loops in two parts, for nests that run it for one block of rows after the other.
struct ContractionParts {
  Block once;  ///< what does not depend on the rows: tables, panels of the right side
  Block each;
};
ContractionParts contraction_parts(ContractionBuilder& b);
/// All of it, in loops over the outer variables of `b.c`.
Block contraction_body(ContractionBuilder& b);

/// A name that no tensor, size or attribute of the kernel has: the word, or with endings after it.
std::string unused_name(const Kernel& k, std::string word);

Operand floor_div(const Operand& a, const Operand& b);
Operand smaller(const Operand& a, const Operand& b);
Operand larger(const Operand& a, const Operand& b);
Operand ceil_div(const Operand& a, int64_t b);
/// Blocks of b, which is not 0, that hold a.
Operand ceil_div(const Operand& a, const Operand& b);
/// The number of rows per strip, at most `tall`, such that equal strips cover all rows with the fewest strips.
int64_t even_height(int64_t rows, int64_t tall);
/// Rows of the left side that are reused from cache: a multiple of the tile's.
Operand rows_cached(const ContractionBuilder& b, const Operand& depth);
/// All of `steps` are 1; null without any.
Operand all_unit(const std::vector<Operand>& steps);

/// Binds each of `vars` in `scope` from a flat index, by lets added to `block`.
void bind_flat(ContractionBuilder& b, const std::vector<LoopVar>& vars, const Operand& flat, ValueScope& scope,
               Block& block);
/// Binds `vars`, which one flat index walks everywhere: the last is the index, the others are 0.
void bind_collapsed(const std::vector<LoopVar>& vars, const Operand& flat, ValueScope& scope);
/// Nested loops over `vars`, their names bound in `scope`. Parallel ones may give each worker its own workspace.
Block loops_over(ContractionBuilder& b, const std::vector<LoopVar>& vars, Block body, LoopKind kind = LoopKind::Serial);
/// Depth indices of a part, where panels come from memory and the sums are stored in parts, so that the panel of a part
/// stays in the second-level cache for many rows; all of `depth` where run time finds that it is short, null where it
/// is never divided.
Operand depth_of_a_part(ContractionBuilder& b, const Operand& depth);
/// Rows of a block: as many as the caches hold, or fewer if the rows are known and a small number of blocks would leave
/// workers idle.
Operand rows_a_block(ContractionBuilder& b, const Operand& depth, int64_t panel);
/// Whether the second-level cache holds the right side, where it is read in place, but not the result: tile after tile
/// along its rows, the hardware prefetcher follows the few rows of a tile.
bool writes_along_rows(ContractionBuilder& b);
/// An upper bound of the rows of a block, for memory: parts of the depth leave space for more rows than all of it.
Operand most_rows_a_block(ContractionBuilder& b, const Operand& depth);
/// Row-major flat index of `vars` under `scope`.
Operand flat_index(ContractionBuilder& b, const std::vector<LoopVar>& vars, const ValueScope& scope);

// ---- the parts (one file each)
/// Decides how the left side is read; statements that run once (offset tables) are added to `before`, statements per
/// outer iteration (copies) to `staging`.
LeftAccess access_left(ContractionBuilder& b, Block& before, Block& staging);
/// The left side of a stencil, always copied: vectors may read past the last pixel of a line.
LeftAccess stage_pixels(ContractionBuilder& b, Block& before, Block& staging);
/// The same in place where nothing surrounds the pixels.
LeftAccess access_pixels(ContractionBuilder& b, Block& before, Block& staging);
/// The offset of row `row` on the left side; statements that compute it are added to `out`.
Operand row_offset(ContractionBuilder& b, const LeftAccess& left, const Operand& row, Block& out);
/// Elements from each row of the left side to the next, where that is the same for all; or null.
Operand even_row_step(const ContractionBuilder& b, const LeftAccess& left);
/// The value of LeftAccess::copied_pitch for a depth. With vectors, one cache line more than the elements, so that rows
/// of 4096 bytes do not map to the same cache set.
Operand copied_pitch(const ContractionBuilder& b, const Operand& depth);
/// Copies rows first..first+count-1 of the left side into left.block_copy, one dense row after the other.
Block copy_row_block(ContractionBuilder& b, const LeftAccess& left, const Operand& first, const Operand& count,
                     const Operand& depth);

/// How the right side can be read in place; buffer -1 where it cannot.
RightAccess access_right(ContractionBuilder& b);
/// Whether a tile of all rows may compute the right side's elements on the fly: known extents, whole panels, and
/// tensors with adjacent lines. Copying a panel that only one tile reads would not pay off.
bool computes_right(ContractionBuilder& b);
/// Makes the tiles of `out` such tiles, with enough vectors that their sums keep the multipliers busy.
void fit_computed_tile(ContractionBuilder& b, Blueprint& out);
/// Copies the right side for columns first..first+count-1 into panels of panel_columns() columns; full panels only
/// where `full` holds.
Block pack_right(ContractionBuilder& b, int packed, const Operand& first, const Operand& count, const Operand& full);
/// Copies the last of these panels alone to the start of `packed`, where it is not a full one.
Block pack_last(ContractionBuilder& b, int packed, const Operand& first, const Operand& count);

// ---- request_columns.cc
/// Lets the tiles of each panel ask for the lines of the next one where columns come from beyond the second-level
/// cache. Only the first tile that reads a panel would wait for memory, while the others leave it idle; and where the
/// panel is read in place, its lines are in as many pages as the depth has indices, so that no hardware prefetcher
/// expects them. The requests are spread evenly, because a burst of them waits for free buffers.
void plan_requests(ContractionBuilder& b, const RightAccess& right, bool in_place, const Operand& rows_a_block);
/// From the columns at hand to the first line that tile `tile` of a block asks for; null where tiles ask for none.
Operand requested_line(const ContractionBuilder& b, const RightAccess& right, const Operand& tile,
                       const Operand& depth);

/// Where a tile stores its sums itself.
struct TileStore {
  int buffer = -1;
  Operand first;  ///< element of the first row and column
  Operand step;   ///< from each row to the next
  /// The stored value, as a suffix of the tile function's name: empty for plain sums.
  std::string finish = {};
  const ExprNode* sums = nullptr;  ///< what stands for the sums in the statement's value
  const ExprNode* bias = nullptr;  ///< what stands for the number of each row in it; null without such numbers
  BufferArgument biases = {};      ///< the number of the first row, before those of the others
};
/// The elements of the result from a row and a column on, where rows are stored at equal steps and columns side by
/// side: sums as they are or, in kernels of known extents at levels that can store parts of vectors, with a number for
/// each row added and then bounded.
std::optional<TileStore> stored_sums(const ContractionBuilder& b, const Operand& first_row,
                                     const Operand& first_column);
/// The value to store for a vector of sums whose row has the number `bias`, if any. Clears `possible` if it cannot be
/// expressed.
Operand finished(ContractionBuilder& b, const TileStore& store, const Operand& sums, const Operand& bias);

/// The position of a register tile: rows first_row…, clamped to row_end-1 unless that is null, and its place on the
/// right side.
struct TilePlace {
  Operand first_row, row_end, depth;
  Operand first_depth = {};  ///< set: the sums begin at this depth index, else at the first
  bool adds_up = false;      ///< from there on they are added to those that the tile has
  Operand sums_at = {};      ///< set: where the tile's sums begin, else at the start of its buffer
  BufferArgument right;
  Operand right_step;                     ///< elements from one depth index to the next
  std::vector<Operand> next_panels = {};  ///< offsets of the panels after the first, where a tile takes several
  int tile = 0;
  int tile_rows = -1;                         ///< buffer of a tile that is transposed afterwards, row by row
  Operand block_first;                        ///< set: the rows are read from the block copy, which starts at this row
  std::vector<Operand> row_starts;            ///< offsets of the rows on the left side, if they are known already
  std::vector<int64_t> rows_from_first = {};  ///< where they are numbers: from the first row of the tile to each
  Operand row_step;                           ///< set: elements from each row to the next, an argument of the tile
  Operand ahead;                              ///< from the right side to the first line that a tile asks for
  std::optional<TileStore> store = {};        ///< set: instead of `tile`
};
/// From the first row of a tile to each of its rows on the left side, if that is the same for every tile: rows that are
/// in lines of which a tile has whole ones, or a whole line several tiles. Empty else.
std::vector<int64_t> rows_from_first(ContractionBuilder& b, const LeftAccess& left, int height);
/// Offsets of the first `height` rows on the left side; statements that compute them are added to `out`.
std::vector<Operand> row_starts(ContractionBuilder& b, const LeftAccess& left, const TilePlace& place, int height,
                                Block& out);
/// Whether a tile is transposed by a call of its own: one of more than transposed_rows rows, or than have registers.
bool turns_afterwards(const ContractionBuilder& b, int height, int vectors);
/// Calls the tile function of this size: Σ over the depth for `height` rows and `vectors` vectors, stored to the tile
/// buffer. Tiles that are turned afterwards are as many calls as their sums need to stay in registers.
Block register_tile(ContractionBuilder& b, const LeftAccess& left, const TilePlace& place, int height, int vectors);
/// The same without a function, the right side computed from its tensors for the columns from `column` on.
Block computed_tile(ContractionBuilder& b, const LeftAccess& left, const TilePlace& place, const Operand& column,
                    int height);
/// The number of `f` in the builder; functions of one name are one.
int function_number(ContractionBuilder& b, InnerFunction f);

// Transposed tiles: [rows / transposed_rows][columns][transposed_rows], each column of transposed_rows rows one vector.
/// `rows` vectors as columns of transposed_rows elements; the rows that a vector lacks are 0. The steps are added to
/// `out`.
std::vector<Operand> transposed_columns(const ContractionBuilder& b, std::vector<Operand> rows, const std::string& name,
                                        Block& out);
/// The position of vector `i` of transposed_columns for vector `j` of the rows from `row` on.
int64_t transposed_place(const ContractionBuilder& b, int row, int j, int i);
/// The position of a square of `lanes` vectors: its first element, and elements from one row to the next.
struct SquarePlace {
  BufferArgument first;
  Operand step;
};
/// Calls the function that stores the columns of the square `from` as the rows of `to`. Elements of another type are
/// converted; `numbers` of them that are adjacent make a word.
Stmt transpose_square(ContractionBuilder& b, const SquarePlace& from, const SquarePlace& to, int numbers = 1);
/// Calls the function that turns a tile of `height` rows, which are stored one after another in the buffer `rows`.
Stmt transpose_tile(ContractionBuilder& b, int rows, int tile, int height, int vectors);

/// The value under `scope` as lower_lanes has it, whose repeated parts are lets added to `out`; nothing where it has
/// none.
std::optional<Operand> named_lanes(ContractionBuilder& b, const Expr& value, ValueScope scope, Block& out);

/// Applies the epilogue to rows × columns elements of the tile buffer and stores them.
struct TileExtent {
  Operand first_row, rows, first_column, columns;
  int tile = 0;
  int64_t pitch = 0;     ///< elements of the tile from one row to the next; 0: panel_columns()
  Operand sums_at = {};  ///< set: its first element, else the start of the buffer
};
Block epilogue(ContractionBuilder& b, const TileExtent& extent);
/// The same in a loop over the vectors of a row, whichever the number of columns: less text, for long sums.
Block epilogue_of_any_width(ContractionBuilder& b, const TileExtent& extent);
/// Requests the lines of memory that the epilogue of a tile reads and writes, so that they arrive while its sums are
/// computed: each row of a tile is elsewhere in memory, where no hardware prefetcher expects it. Empty where the
/// first-level cache may hold all of these tensors, and for transposed tiles, several of which share a line.
Block fetch_result(ContractionBuilder& b, const TileExtent& extent);
/// Applies the epilogue to rows first_row… of one vector of columns each, whose sums are `sums`, and stores them;
/// `active` columns of them are there, null: all. Clears `possible` where vectors cannot be stored.
Block epilogue_of_sums(ContractionBuilder& b, const Operand& first_row, const Operand& column,
                       const std::vector<Operand>& sums, const Operand& active);
/// The same for a transposed tile of `height` rows, whose rows are the output's unit stride.
Block transposed_epilogue(ContractionBuilder& b, const TileExtent& extent, int height);

/// All of a convolution of few channels, whose filters are in panels, by tiles of filters along its lines. Clears
/// `possible` where there are no such tiles.
Block filter_lines_body(ContractionBuilder& b);

/// All of a stencil: strips of rows by one vector, each a call of the strip function, from a padded copy of the pixels.
Block stencil_body(ContractionBuilder& b);

// ---- fit_tiles.cc
/// The row for a contraction at a level; null where there is none.
const Blueprint* find_blueprint(const Kernel& kernel, const Contraction& c, const Isa& isa,
                                const Blueprints& blueprints);

/// Lowers `tile` such that so many rows take the least time, with another tile for exactly the rows left over.
void fit_rows(Blueprint& tile, int64_t rows);

/// The row with tiles that leave few rows over, or that one vector of columns fills.
Blueprint fit_tiles(const Blueprint& blueprint, const Kernel& kernel, const Contraction& c, const Isa& isa);

}  // namespace tenon
