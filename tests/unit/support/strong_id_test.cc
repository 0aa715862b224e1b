// StrongId: ordered, none by default, distinct per tag.
#include "support/strong_id.h"

#include <type_traits>

#include "catch.h"

namespace strong_id_test {

namespace {
struct ValueTag;
struct NodeTag;
using ValueId = tenon::StrongId<ValueTag>;
using NodeId = tenon::StrongId<NodeTag>;
}  // namespace

static_assert(!std::is_convertible_v<ValueId, NodeId>);
static_assert(!std::is_convertible_v<int32_t, ValueId>);

TEST_CASE("strong id is none by default and orders by position") {
  CHECK_FALSE(ValueId().valid());
  CHECK(ValueId(1) < ValueId(2));
  CHECK(ValueId(size_t{3}).index() == 3);
}

}  // namespace strong_id_test
