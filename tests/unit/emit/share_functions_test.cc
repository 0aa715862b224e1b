// Which functions become one, and how they are called then.
#include "emit/share_functions.h"

#include "catch.h"
#include "ir/text/print_c99.h"

namespace share_functions_test {

using namespace tenon;

namespace {

CExpr call_with(CExpr n) { return c_call("work", {c_text("X"), std::move(n)}); }

CFunction function(std::string name, CBlock body) {
  CFunction f;
  f.comment = name;
  f.specifiers = "static";
  f.result = "void";
  f.name = std::move(name);
  f.params = {"float *X"};
  f.body = std::move(body);
  return f;
}

CStmt loop(CExpr end, CStmt body) {
  return {CFor{"int64_t", "i", c_number(0), c_binary(c_text("i"), "<", std::move(end)), "++i", {std::move(body)}}};
}
CStmt store(CExpr at) { return c_assign(c_index(c_text("X"), std::move(at)), c_text("0")); }

std::string bodies(const SharedFunctions& shared) {
  std::string out;
  for (CFunction f : shared.functions) {
    f.comment.clear();
    out += print_c99(f);
  }
  return out;
}

}  // namespace

TEST_CASE("functions that differ in a number are told it, by the name of what it stands for") {
  const auto of = [](const char* name, int64_t depth) {
    return function(name, {loop(c_number(depth, "depth"),
                                c_evaluate(call_with(c_binary(c_text("i"), "*", c_number(depth, "depth")))))});
  };
  const SharedFunctions shared = share_functions({of("a", 64), of("b", 96), of("c", 64)});
  CHECK(bodies(shared) ==
        "static void a(float *X, int64_t depth) {\n  for (int64_t i = 0; i < depth; ++i) {\n    work(X, i * depth);\n  "
        "}\n}\n");
  CHECK(shared.functions[0].comment == "a\nserves 3 kernels, of which this is the first; the call says depth");
  CHECK(shared.calls.at("a").numbers == std::vector<int64_t>{64});
  CHECK(shared.calls.at("b").name == "a");
  CHECK(shared.calls.at("b").numbers == std::vector<int64_t>{96});
  CHECK(shared.calls.at("c").numbers == std::vector<int64_t>{64});
}

TEST_CASE("equal functions are one, and a function alone stays as it is") {
  const SharedFunctions shared =
      share_functions({function("a", {store(c_number(20))}), function("b", {store(c_number(20))}),
                       function("c", {store(c_text("i"))})});
  REQUIRE(shared.functions.size() == 2);
  CHECK(shared.functions[1].comment == "c");
  CHECK(shared.calls.at("b").name == "a");
  CHECK(shared.calls.at("b").numbers.empty());
  CHECK(shared.calls.at("c").name == "c");
}

TEST_CASE("numbers that decide how a compiler writes a loop or a division are not shared") {
  const auto size = [](const auto& of) { return share_functions({of("a", 64), of("b", 96)}).functions.size(); };
  CHECK(size([](const char* n, int64_t v) { return function(n, {store(c_binary(c_text("i"), "*", c_number(v)))}); }) ==
        1);
  CHECK(size([](const char* n, int64_t v) { return function(n, {store(c_binary(c_text("i"), "/", c_number(v)))}); }) ==
        2);
  CHECK(size([](const char* n, int64_t v) { return function(n, {loop(c_number(v), store(c_text("i")))}); }) == 2);
  CHECK(size([](const char* n, int64_t v) { return function(n, {store(c_number(v / 16))}); }) == 2);
  CHECK(size([](const char* n, int64_t v) { return function(n, {c_evaluate(c_row("row($0)", {c_number(v)}))}); }) == 2);
  CHECK(size([](const char* n, int64_t v) { return function(n, {store(c_text(std::to_string(v)))}); }) == 2);
}

TEST_CASE("numbers that always go together are one parameter, and its name is free") {
  const auto of = [](const char* name, int64_t n) {
    return function(name, {c_declare("int", "n", c_number(n)), store(c_number(n)), store(c_number(2 * n))});
  };
  const SharedFunctions shared = share_functions({of("a", 20), of("b", 30)});
  REQUIRE(shared.functions.size() == 1);
  CHECK(shared.functions[0].params == std::vector<std::string>{"float *X", "int64_t n_2", "int64_t n_3"});
  CHECK(shared.calls.at("b").numbers == std::vector<int64_t>{30, 60});
}

TEST_CASE("functions that would have to be told much stay apart") {
  const auto of = [](const char* name, int64_t n) {
    CBlock body;
    for (int64_t k = 1; k <= 5; ++k) body.push_back(store(c_number(n * n + k * n)));
    return function(name, body);
  };
  const SharedFunctions shared = share_functions({of("a", 20), of("b", 30), of("c", 20)});
  CHECK(shared.functions.size() == 2);
  CHECK(shared.calls.at("c").name == "a");
  CHECK(shared.calls.at("b").name == "b");
}

}  // namespace share_functions_test
