// The loops at the root of a nest before they are phases: inlined, joined or divided into parts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/nest/loop_nest.h"

namespace tenon {

/// Constant lets by their names.
using KnownLets = std::map<std::string, int64_t>;

std::optional<int64_t> known_value(const Operand& v, const KnownLets& known);

/// The root of a nest with loops of one iteration inlined, and the constant lets.
Block inline_single_loops(const Block& from, KnownLets& known);

/// A loop over all combinations of the levels' iterations, from 0 in steps of 1.
SFor join_loops(const SFor& outer, const KnownLets& known);

/// Whether no other loop's iterations are shared with those of the loop.
bool stays_alone(const SFor& loop, const KnownLets& known);

/// A loop of few iterations, or as many as run time says, perhaps one, is shared out with parts of the loop inside of
/// it. Each worker executes the preparation of an iteration once, before its first part. Empty where the loop is not of
/// this kind. `nest`: with the known owners of its buffers.
Block divide_loop(const SFor& outer, const KnownLets& known, const LoopNest& nest);

}  // namespace tenon
