// Counted and Few: how long nodes live, and lists inside of their owner.
#include "support/counted.h"

#include <string>

#include "catch.h"
#include "support/few.h"

namespace counted_test {

namespace {
struct Leaf : tenon::CountedNode {
  std::string name;
  int* gone = nullptr;
  Leaf(tenon::CountedNode, std::string n, int* g) : name(std::move(n)), gone(g) {}
  ~Leaf() { ++*gone; }
};
using LeafRef = tenon::Counted<Leaf>;
}  // namespace

TEST_CASE("a counted node goes with its last owner") {
  int gone = 0;
  {
    LeafRef a = LeafRef::made("a", &gone), same = a, none;
    CHECK(a == same);
    CHECK(a->name == "a");
    CHECK(none == nullptr);
    a = LeafRef::made("b", &gone);
    CHECK(gone == 0);
    LeafRef& self = same;
    same = self;
    CHECK(gone == 0);
    none = std::move(same);
    CHECK_FALSE(same);
    none = nullptr;
    CHECK(gone == 1);
  }
  CHECK(gone == 2);
}

TEST_CASE("few elements are in order") {
  tenon::Few<std::string> list{"a", "b"};
  list.push_back("c");
  std::string all;
  for (const std::string& s : list) all += s;
  CHECK(all == "abc");
  CHECK(list.size() == 3);
  CHECK(list.back() == "c");
  CHECK(tenon::Few<std::string>().empty());
}

}  // namespace counted_test
