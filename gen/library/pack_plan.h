// How the packs of a definition are passed to library kernels: collapsed, iterated by an odometer, or as a fixed number
// of dimensions.
#pragma once

#include "ir/kernel/library.h"

namespace tenon {

/// One plan per pack of the signature, by what the body does with it.
/// `frame`: the C template that stands for a body; a pack is whole there unless the template takes its extents.
std::map<std::string, PackPlan> plan_packs(const OpDef& def, const Frame* frame = nullptr);

/// Whether the dims of a pack have to be known individually: the op does not treat all of them as one.
bool takes_dims_apart(const OpDef& def, const Frame* frame, const std::string& pack);

/// The body says rank(P) or dim(P).
bool asks_for_rank(const OpDef& def, const std::string& pack);

}  // namespace tenon
