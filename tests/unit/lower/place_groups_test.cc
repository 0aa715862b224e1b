// build_loops: a group goes into loops that stand already only where all of its statements find what they read.
#include "lower/tree/build_loops.h"
#include "unit/lower/hand_made.h"

namespace place_groups_test {

using namespace tenon;
using namespace tenon_test;

namespace {

bool defines(const TreeNode& node, int tensor) {
  if (const auto* d = std::get_if<TreeDefine>(&node.node)) return d->tensor == tensor;
  const auto* l = std::get_if<TreeLoop>(&node.node);
  return l && std::any_of(l->body.begin(), l->body.end(), [&](const TreeNode& n) { return defines(n, tensor); });
}

size_t place_of(const LoopTree& tree, int tensor) {
  size_t at = 0;
  while (at < tree.body.size() && !defines(tree.body[at], tensor)) ++at;
  return at;
}

}  // namespace

TEST_CASE("build_loops: a group comes behind what any of its statements reads") {
  const Expr N = size_ref("N"), M = size_ref("M");
  Kernel k;
  k.name = "f";
  k.sizes = {{"N"}, {"M"}};
  k.tensors = {tensor("X", Role::Input, {N, M}), tensor("Y", Role::Output, {N, M}), tensor("m", Role::Temp, {N, M}),
               tensor("s", Role::Temp, {N}), tensor("a", Role::Temp, {N, M})};
  const LoopVar i{"i", N}, j{"j", M}, up{"j", M, Direction::Up};
  const Expr here = at(0, {v("i"), v("j")});
  const Expr before = read_of(1, DType::F32, {v("i"), v("j") - constant_int(1)}, constant_of(0, DType::F32));
  k.body = {{2, {v("i"), v("j")}, Update::Assign, here + here, {i, j}, ""},
            {3,
             {v("i")},
             Update::Assign,
             reduce(Reducer::Sum, {{"k", N}}, nullptr, at(0, {v("k"), v("i")}), DType::F32),
             {i},
             ""},
            {4, {v("i"), v("j")}, Update::Assign, before + at(2, {v("i"), v("j")}), {i, up}, ""},
            {1, {v("i"), v("j")}, Update::Assign, at(4, {v("i"), v("j")}) + at(3, {constant_int(0)}), {i, up}, ""}};
  k.body[3].joined = 2;
  const LoopTree tree = build_loops(k);
  CHECK(place_of(tree, 3) < place_of(tree, 1));
  CHECK(place_of(tree, 4) == place_of(tree, 1));
}

}  // namespace place_groups_test
