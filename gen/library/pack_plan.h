// How the packs of a definition reach library kernels: collapsed, walked by an odometer, or as a fixed number of dimensions.
#pragma once

#include "ir/library.h"

namespace tenon {

/// One plan per pack of the signature, by what the body does with it.
std::map<std::string, PackPlan> plan_packs(const OpDef& def);

}  // namespace tenon
