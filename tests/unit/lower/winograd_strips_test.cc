// The strips in which Winograd convolutions walk their tiles: no more rows than the cache holds, few to fill up.
#include "catch.h"
#include "lower/contraction/winograd_strip.h"

namespace tenon::winograd_strips_test {
namespace {

constexpr int kLanes = 16, kPanel = 32;
constexpr int64_t kCached = 163840;

WinogradStrip strips_of(int64_t tiles, int64_t channels, int64_t filters) {
  WinogradParts w;
  w.outputs = 4, w.points = w.neighbours = 6, w.tiles_y = tiles, w.tiles_x = tiles, w.channels = channels,
  w.filters = filters;
  return plan_strip(w, kLanes, kPanel, kCached);
}

}  // namespace

TEST_CASE("winograd strips: rows that fill up the last strip are few, and two threads have as many strips each") {
  CHECK(strips_of(7, 32, 128).strips == 2);
  CHECK(strips_of(7, 32, 128).tile_rows == 4);
  CHECK(strips_of(14, 16, 64).strips == 7);
  CHECK(strips_of(14, 16, 64).tile_rows == 2);
}

TEST_CASE("winograd strips: one that fits fetches the weights once") {
  CHECK(strips_of(4, 256, 256).strips == 1);
  CHECK(strips_of(4, 256, 256).tile_rows == 4);
}

TEST_CASE("winograd strips: workers have strips of their own where tiles are more than the weights") {
  CHECK(strips_of(8, 16, 16).strips == 2);
  CHECK(strips_of(4, 32, 32).strips == 2);
  CHECK(strips_of(2, 16, 16).strips == 1);  // of four tiles
}

TEST_CASE("winograd strips: filters that one vector holds take no more") {
  CHECK(strips_of(4, 16, 12).filter_pitch == kLanes);
  CHECK(strips_of(4, 16, 16).filter_pitch == kLanes);
  CHECK(strips_of(4, 16, 17).filter_pitch == kPanel);
}

TEST_CASE("winograd strips: a row is the least") { CHECK(strips_of(56, 64, 64).strips == 56); }

}  // namespace tenon::winograd_strips_test
