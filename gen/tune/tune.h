// Candidates for the blueprints of kernels, and the choice between them by measured times.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "support/result.h"

namespace tenon {

/// Rows of the kind and level of `base` with other parameters: tiles that fit into the registers, halves and doubles of
/// cache tiles, numbers of accumulators, distances of prefetches. Those that differ in one parameter are first. Without
/// `base`, which none of them equals.
std::vector<Blueprint> candidates_of(const Blueprint& base, const Isa& isa);

/// Microseconds by kernel, in the rounds of one program; rounds of several programs are taken in turns, so that the
/// same round of two saw the same machine.
using KernelTimes = std::map<std::string, std::vector<double>>;

/// Adds the round of one program to the measurements: the text that the program prints under --profile=json. False
/// where it is not such a text.
bool add_profile(const std::string& json, KernelTimes& times);

double median(std::vector<double> values);

/// A program that is faster than the first beyond noise.
struct Win {
  size_t program = 0;
  double gain = 1;  ///< the first one's time, divided by its own
};

/// The fastest of the programs in `us`, of which the first is the baseline: its median is at least 3 % faster than the
/// baseline's, and it is faster in three of four rounds. Nothing if there is none.
std::optional<Win> find_win(const std::vector<std::vector<double>>& us);

}  // namespace tenon
