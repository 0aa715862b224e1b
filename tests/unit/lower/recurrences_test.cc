// Lowering of recurrences: values handed on in variables, rows side by side and in blocks, followers in their loops;
// and sums that are taken along one variable after the other.
#include "unit/lower/hand_made.h"

using namespace tenon;
using namespace tenon_test;

namespace {

Expr f32(double x) { return constant_of(x, DType::F32); }

Kernel recurrence_of(std::vector<Tensor> tensors, std::vector<KernelStatement> body) {
  Kernel k;
  k.name = "f";
  k.sizes = {{"N"}, {"M"}};
  k.tensors = std::move(tensors);
  k.body = std::move(body);
  REQUIRE(verify(k) == std::vector<std::string>{});
  return k;
}

Expr one_before(int tensor, const std::string& row, const std::string& step) {
  return read_of(tensor, DType::F32, {v(row), v(step) - constant_int(1)}, f32(0));
}

}  // namespace

TEST_CASE("recurrences: an iteration finds the one before it in a variable, and rows go side by side") {
  const Expr N = size_ref("N"), M = size_ref("M");
  const LoopVar i{"i", N}, j{"j", M, Direction::Up};
  const Kernel k = recurrence_of({tensor("X", Role::Input, {N, M}), tensor("Y", Role::Output, {N, M})},
                                 {{1,
                                   {v("i"), v("j")},
                                   Update::Assign,
                                   at(0, {v("i"), v("j")}) - f32(0.5) * one_before(1, "i", "j"),
                                   {i, j},
                                   ""}});
  const std::string text = to_text(lowered(k, "portable"));
  INFO(text);
  CHECK(count(text, "for j = 1 .. M") == 3);       // eight rows, four, one
  CHECK(count(text, "load:f32(b1") == 8 + 4 + 1);  // before the loops
  CHECK(count(text, "y_1_7 = y8") == 1);
  CHECK(count(text, "ge(") == 0);  // nothing asks whether it is the first iteration
}

TEST_CASE("recurrences: values of the same age that are handed on crosswise do not meet") {
  const Expr N = size_ref("N"), M = size_ref("M");
  const LoopVar i{"i", N}, j{"j", M, Direction::Up};
  const Kernel k = recurrence_of(
      {tensor("X", Role::Input, {N, M}), tensor("Y", Role::Output, {N, M}), tensor("a", Role::Temp, {N, M}),
       tensor("b", Role::Temp, {N, M})},
      {{2, {v("i"), v("j")}, Update::Assign, one_before(3, "i", "j"), {i, j}, ""},
       {3, {v("i"), v("j")}, Update::Assign, one_before(2, "i", "j") + at(0, {v("i"), v("j")}), {i, j}, "", nullptr, 2},
       {1, {v("i"), v("j")}, Update::Assign, at(2, {v("i"), v("j")}), {i, j}, "", nullptr, 2}});
  const std::string text = to_text(lowered(k, "portable"));
  INFO(text);
  CHECK(count(text, "let b_1_0_now: f32 = b_1_0") == 2);
  CHECK(count(text, "a_1_0 = b_1_0_now") == 2);
}

TEST_CASE("recurrences: what reads the element just made is computed in their loops") {
  const Expr N = size_ref("N"), M = size_ref("M");
  const LoopVar up{"i", N, Direction::Up}, i{"i", N}, j{"j", M};
  const Expr state = read_of(2, DType::F32, {v("i") - constant_int(1), v("j")}, f32(0));
  const Kernel k =
      recurrence_of({tensor("X", Role::Input, {N, M}), tensor("Y", Role::Output, {N}), tensor("h", Role::Temp, {N, M})},
                    {{2, {v("i"), v("j")}, Update::Assign, f32(0.5) * state + at(0, {v("i"), v("j")}), {up, j}, ""},
                     {1,
                      {v("i")},
                      Update::Assign,
                      reduce(Reducer::Sum, {{"k", M}}, nullptr, at(2, {v("i"), v("k")}), DType::F32),
                      {i},
                      ""}});
  const std::string text = to_text(lowered(k, "portable"));
  INFO(text);
  CHECK(count(text, "h: workspace f32 x M\n") + count(text, "h: workspace f32 x M writable") == 1);
  CHECK(count(text, "for i = 0 .. N") == 1);
}

TEST_CASE("recurrences: a step goes over the elements that it changes") {
  const Expr N = size_ref("N"), M = size_ref("M");
  const LoopVar j{"j", M}, c{"c", M};
  const Expr state = read_of(3, DType::F32, {v("i") - constant_int(1), v("j")}, f32(0));
  const Expr place = read_of(1, DType::I64, {v("i")}), next = place + constant_int(1);
  const auto here = [](const Expr& e) { return apply(ScalarOp::Eq, {v("j"), e}); };
  const auto text_of = [&](const Expr& value, Direction direction = Direction::Up) {
    const bool down = direction == Direction::Down;
    Tensor at = tensor("At", Role::Input, {N});
    at.dtype = DType::I64;
    const Kernel k = recurrence_of(
        {tensor("X", Role::Input, {N}), at, tensor("Y", Role::Output, {M}), tensor("g", Role::Temp, {N, M})},
        {{3, {v("i"), v("j")}, Update::Assign, value, {{"i", N, direction}, j}, ""},
         {2,
          {v("c")},
          Update::Assign,
          read_of(3, DType::F32, {down ? constant_int(0) : N - constant_int(1), v("c")}),
          {c},
          ""}});
    return to_text(lowered(k, "portable"));
  };
  const Expr x = at(0, {v("i")});
  const std::string one = text_of(select(here(place), x + state, state));
  INFO(one);
  CHECK(count(one, "g: workspace f32 x M writable") == 1);
  CHECK(count(one, "for j = j_begin .. ") == 1);
  const std::string two = text_of(select(here(place), x, select(here(next), f32(0), state)));
  INFO(two);
  CHECK(count(two, "for j = j_begin") == 2);
  const Expr after = read_of(3, DType::F32, {v("i") + constant_int(1), v("j")}, f32(0));
  const std::string down = text_of(select(here(place), x, after), Direction::Down);
  INFO(down);
  CHECK(count(down, "g: workspace f32 x M writable") == 1);
  CHECK(count(down, "for j = j_begin .. ") == 1);
  // Where both are one element, it would be added to twice.
  const std::string twice = text_of(select(here(place), x + state, select(here(next), f32(0), state)));
  INFO(twice);
  CHECK(count(twice, "j_begin") == 0);
  CHECK(count(twice, "g: workspace f32 x M writable") == 1);
  // The element next to the one that is replaced is still needed.
  const Expr neighbour = read_of(3, DType::F32, {v("i") - constant_int(1), v("j") - constant_int(1)}, f32(0));
  CHECK(count(text_of(select(here(place), x, neighbour)), "g: workspace f32 x mul(2, M) writable") == 1);
}

TEST_CASE("recurrences: of two that do not need each other, each is computed with what reads it") {
  const Expr N = size_ref("N"), M = size_ref("M");
  const LoopVar up{"i", N, Direction::Up}, i{"i", N}, j{"j", M};
  const Expr x = at(0, {v("i"), v("j")});
  const auto state = [](int g) { return read_of(g, DType::F32, {v("i") - constant_int(1), v("j")}, f32(0)); };
  const auto sum = [&](int g) {
    return reduce(Reducer::Sum, {{"k", M}}, nullptr, at(g, {v("i"), v("k")}), DType::F32);
  };
  const Kernel k = recurrence_of({tensor("X", Role::Input, {N, M}), tensor("Y", Role::Output, {N}),
                                  tensor("g", Role::Temp, {N, M}), tensor("h", Role::Temp, {N, M})},
                                 {{2, {v("i"), v("j")}, Update::Assign, f32(0.5) * state(2) + x, {up, j}, ""},
                                  {3, {v("i"), v("j")}, Update::Assign, f32(0.25) * state(3) + x, {up, j}, ""},
                                  {1, {v("i")}, Update::Assign, sum(2) * sum(3), {i}, ""}});
  const std::string text = to_text(lowered(k, "portable"));
  INFO(text);
  CHECK(count(text, "g: workspace f32 x M writable") == 1);
  CHECK(count(text, "h: workspace f32 x M writable") == 1);
}

TEST_CASE("recurrences: what a fact says of the extents spares the question whether a read is inside") {
  const Expr N = size_ref("N"), M = size_ref("M");
  const LoopVar j{"j", M, Direction::Up};
  const Expr index = v("j") - constant_int(1);
  const Expr last = read_of(1, DType::F32, {index}, f32(0)), x = read_of(0, DType::F32, {index}, f32(0));
  Kernel k = recurrence_of({tensor("X", Role::Input, {N}), tensor("Y", Role::Output, {M})},
                           {{1, {v("j")}, Update::Assign, f32(0.5) * last + x, {j}, ""}});
  CHECK(count(to_text(lowered(k, "portable")), "lt(") == 1);
  k.facts = {apply(ScalarOp::Eq, {M, N + constant_int(1)})};
  CHECK(count(to_text(lowered(k, "portable")), "lt(") == 0);
}

TEST_CASE("recurrences: a sum over the rows before is taken for four rows at once") {
  const Expr N = size_ref("N"), M = size_ref("M");
  const LoopVar up{"i", N, Direction::Up}, column{"j", M};
  const Expr earlier = apply(ScalarOp::Lt, {v("k"), v("i")});
  const Expr sum =
      reduce(Reducer::Sum, {{"k", N}}, earlier, at(0, {v("i"), v("k")}) * at(2, {v("k"), v("j")}), DType::F32);
  const Kernel k = recurrence_of(
      {tensor("L", Role::Input, {N, N}), tensor("B", Role::Input, {N, M}), tensor("X", Role::Output, {N, M})},
      {{2, {v("i"), v("j")}, Update::Assign, at(1, {v("i"), v("j")}) - sum, {up, column}, ""}});
  const LoopNest nest = lowered(k, "x86-64-v3");
  const std::string text = to_text(nest);
  INFO(text);
  CHECK(count(text, "X_sum_block: workspace f32 x mul(4, M)") == 1);
  CHECK(count(text, "for i_block = 0 .. ") >= 1);
  // Columns are taken in strips of 64, whose rows stay in a copy with a cache line between them.
  CHECK(count(text, "for k_strip") + count(text, "for j_strip") == 1);
  CHECK(count(text, "X_strip: workspace f32 x mul(80, N)") + count(text, "X_strip: workspace f32 x mul(N, 80)") == 1);
  CHECK(count(text, "fma") > 0);
}

TEST_CASE("recurrences: columns that need each other are not taken in strips") {
  const Expr N = size_ref("N"), M = size_ref("M");
  const LoopVar up{"i", N, Direction::Up}, column{"j", M};
  const Expr earlier = apply(ScalarOp::Lt, {v("k"), v("i")});
  const Expr transposed = at(2, {v("k"), M - constant_int(1) - v("j")});
  const Expr sum = reduce(Reducer::Sum, {{"k", N}}, earlier, at(0, {v("i"), v("k")}) * transposed, DType::F32);
  const Kernel k = recurrence_of(
      {tensor("L", Role::Input, {N, N}), tensor("B", Role::Input, {N, M}), tensor("X", Role::Output, {N, M})},
      {{2, {v("i"), v("j")}, Update::Assign, at(1, {v("i"), v("j")}) - sum, {up, column}, ""}});
  CHECK(count(to_text(lowered(k, "x86-64-v3")), "_strip") == 0);
}

namespace {

/// h[t,b,j] = sum over d of X[t,b,d] W[d,j] + sum over k of padded(h[t - 1,b,k], 0) R[k,j], of a batch of `rows`; the
/// last step's is the output.
Kernel cell(int64_t rows) {
  const Expr steps = constant_int(6), b = constant_int(rows), n = constant_int(32), d = constant_int(24);
  const Expr before = read_of(3, DType::F32, {v("t") - constant_int(1), v("b"), v("k")}, f32(0));
  const Expr input =
      reduce(Reducer::Sum, {{"d", d}}, nullptr, at(0, {v("t"), v("b"), v("d")}) * at(1, {v("d"), v("j")}), DType::F32);
  const Expr state = reduce(Reducer::Sum, {{"k", n}}, nullptr, before * at(2, {v("k"), v("j")}), DType::F32);
  return recurrence_of(
      {tensor("X", Role::Input, {steps, b, d}), tensor("W", Role::Input, {d, n}), tensor("R", Role::Input, {n, n}),
       tensor("h", Role::Temp, {steps, b, n}), tensor("Y", Role::Output, {b, n})},
      {{3,
        {v("t"), v("b"), v("j")},
        Update::Assign,
        input + state,
        {{"t", steps, Direction::Up}, {"b", b}, {"j", n}},
        ""},
       {4,
        {v("b"), v("j")},
        Update::Assign,
        at(3, {steps - constant_int(1), v("b"), v("j")}),
        {{"b", b}, {"j", n}},
        ""}});
}

LoopNest tiled_cell(int64_t rows) {
  Blueprints blueprints;
  blueprints.rows.resize(1);
  Blueprint& tiles = blueprints.rows[0];
  tiles.name = tiles.kind = "contraction";
  tiles.tile_rows = 4, tiles.tile_vectors = 2, tiles.leftover_rows = 2, tiles.cache_m = 51200, tiles.cache_n = 524288;
  LoopNest nest = lower_kernel(cell(rows), blueprints, *isa_from_name("x86-64-v3"));
  REQUIRE(verify(nest) == std::vector<std::string>{});
  return nest;
}

}  // namespace

TEST_CASE("recurrences: their products with matrices are tiles, over panels that are packed before the first step") {
  const LoopNest nest = tiled_cell(8);
  const std::string text = to_text(nest);
  INFO(text);
  CHECK(nest.blueprint == "contraction");
  CHECK(count(text, "for t = 0 .. 6") == 1);
  CHECK(text.find("packed") < text.find("for t = 0 .. 6"));
  CHECK(count(text, "h_sum: workspace f32 x 1536") == 1);    // of all steps
  CHECK(count(text, "h_sum2: workspace f32 x 256") == 1);    // of one step
  CHECK(count(to_text(tiled_cell(1)), "h_sum2_rows") == 0);  // of one row alone the steps are plain loops
}

TEST_CASE("sums: boxes from the corner are running sums along rows, then along columns") {
  const Expr N = size_ref("N"), M = size_ref("M");
  const LoopVar i{"i", N}, j{"j", M}, k1{"k", N}, k2{"l", M};
  const Expr inside =
      apply(ScalarOp::And, {apply(ScalarOp::Le, {v("k"), v("i")}), apply(ScalarOp::Le, {v("l"), v("j")})});
  const Kernel k = recurrence_of({tensor("X", Role::Input, {N, M}), tensor("Y", Role::Output, {N, M})},
                                 {{1,
                                   {v("i"), v("j")},
                                   Update::Assign,
                                   reduce(Reducer::Sum, {k1, k2}, inside, at(0, {v("k"), v("l")}), DType::F32),
                                   {i, j},
                                   ""}});
  const std::string text = to_text(lowered(k, "portable"));
  INFO(text);
  CHECK(count(text, "for ") == 4);
  CHECK(count(text, "load:f32(b0") == 1);
}

TEST_CASE("sums: a product of matrices on both sides is two products") {
  const Expr n = constant_int(8);
  const LoopVar i{"i", n}, j{"j", n}, k1{"k", n}, k2{"l", n};
  const Expr value = at(0, {v("k"), v("l")}) * at(1, {v("i"), v("k")}) * at(1, {v("j"), v("l")});
  const Kernel k = recurrence_of(
      {tensor("X", Role::Input, {n, n}), tensor("C", Role::Input, {n, n}), tensor("Y", Role::Output, {n, n})},
      {{2, {v("i"), v("j")}, Update::Assign, reduce(Reducer::Sum, {k1, k2}, nullptr, value, DType::F32), {i, j}, ""}});
  const LoopNest nest = lowered(k, "portable");
  INFO(to_text(nest));
  CHECK(nest.blueprint == "loops");
  CHECK(count(to_text(nest), "Y_part: workspace f32 x 64") == 1);
}
