// Which row of the schedules a contraction follows, and its tiles where extents are known.
#pragma once

#include "algebra/contraction.h"
#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"

namespace tenon {

/// The row for a contraction at a level; null where there is none.
const Blueprint* find_blueprint(const Kernel& kernel, const Contraction& c, const Isa& isa,
                                const Blueprints& blueprints);

/// The row with tiles that leave few rows over, or that one vector of columns fills.
Blueprint fit_tiles(const Blueprint& blueprint, const Kernel& kernel, const Contraction& c, const Isa& isa);

}  // namespace tenon
