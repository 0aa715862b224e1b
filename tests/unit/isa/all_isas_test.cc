// The list of levels: order, lookups, rows.
#include "isa/all_isas.h"

#include <algorithm>
#include <tuple>

#include "catch.h"

namespace all_isas_test {

using namespace tenon;

TEST_CASE("levels are found by both names") {
  REQUIRE(all_isas().front().name == "portable");
  for (const Isa& isa : all_isas()) {
    REQUIRE(isa_from_name(isa.name) == &isa);
    REQUIRE(isa_from_name(isa.suffix) == &isa);
  }
  REQUIRE(isa_from_name("x86-64-v9") == nullptr);
}

TEST_CASE("rows are sorted, unique, and found") {
  for (const Isa& isa : all_isas()) {
    const auto key = [](const IsaRow& r) { return std::tuple(r.key, r.dtype, r.lanes); };
    for (size_t i = 1; i < isa.rows.size(); ++i) {
      INFO(isa.name << ' ' << isa.rows[i].key);
      REQUIRE(key(isa.rows[i - 1]) < key(isa.rows[i]));
    }
    for (const IsaRow& r : isa.rows) REQUIRE(isa.row(r.key, r.dtype, r.lanes) == &r);
  }
}

TEST_CASE("an operation's rows use each argument once") {
  for (const Isa& isa : all_isas())
    for (const IsaRow& r : isa.rows)
      for (char k = '0'; k < '4'; ++k) {
        const std::string hole = {'$', k};
        const size_t first = r.spelling.find(hole);
        INFO(isa.name << ' ' << r.key << ' ' << r.spelling);
        REQUIRE((first == std::string_view::npos || r.spelling.find(hole, first + 1) == std::string_view::npos));
      }
}

TEST_CASE("portable runs everywhere and has no vectors") {
  const Isa& portable = all_isas().front();
  REQUIRE(runs_on_host(portable));
  REQUIRE(portable.lanes(DType::F32) == 1);
  REQUIRE(portable.rows.empty());
  REQUIRE(runs_on_host(native_isa()));
}

TEST_CASE("a level for products of bytes is behind the one that it extends") {
  const auto isas = all_isas();
  for (size_t i = 0; i < isas.size(); ++i) {
    if (isas[i].base.empty()) continue;
    INFO(isas[i].name);
    const Isa* base = isa_from_name(isas[i].base);
    REQUIRE(base == &isas[i - 1]);
    CHECK(isas[i].vector_bits == base->vector_bits);
    CHECK(isas[i].needs.size() == base->needs.size() + 1);
    const int lanes = isas[i].lanes(DType::I32);
    CHECK((isas[i].row("dot4", DType::I32, lanes) || isas[i].row("dot4_unsigned", DType::I32, lanes)));
  }
}

}  // namespace all_isas_test
