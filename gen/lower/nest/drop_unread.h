// Takes names out of a nest that nothing asks for.
#pragma once

#include "ir/nest/loop_nest.h"

namespace tenon {

/// The block without names that no statement after them reads: constants may have taken their places.
Block without_unread(const Block& block);

}  // namespace tenon
