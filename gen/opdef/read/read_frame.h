// Reads the C templates that definitions name under `impl`.
#pragma once

#include "ir/op/frame.h"
#include "ir/op/op_def.h"
#include "support/diagnostics.h"

namespace tenon {

/// Whether the text has the head of a frame: the folder of templates holds files of other kinds too.
bool is_frame(const SourceFile& file);

/// Reads a frame; false (and reports) if its head or its holes are not what they should be.
bool read_frame(const SourceFileRef& file, Frame& out, Diagnostics& diagnostics);

/// The statements of a frame's head, `//= value Y[i] = X[I[i]]`: which elements its values are, given its other
/// results.
std::vector<Statement> frame_values(const Frame& frame, Diagnostics& diagnostics);

/// A definition with `impl` against its frame: there is one, and the definition has what it takes, under its names.
void check_frame_use(const OpDef& op, const OpLibrary& library, Diagnostics& diagnostics);

}  // namespace tenon
