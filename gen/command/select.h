// Names on a command line → what they name: levels, ops, dtypes. Unknown names stop the run with a message.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel/library.h"
#include "ir/nest/isa.h"
#include "library/expand_library.h"
#include "pipeline/make.h"

namespace tenon {

/// Levels that `--isa` names, in the order of all_isas.
std::vector<const Isa*> chosen_levels(const std::vector<std::string>& words);

/// Whether ops were chosen by name.
bool names_ops(const KernelSelection& chosen);

/// The ops and dtypes that were chosen.
LibrarySelection selected(const OpLibrary& defs, const KernelSelection& chosen, bool has_user_files);

/// The chosen kernels, as stage library. `has_user_files`: without --ops, their ops alone.
Library chosen_kernels(Run& run, const OpLibrary& defs, const KernelSelection& chosen, bool has_user_files);

/// The definitions that a dump shows: the chosen ops and, with user definitions, only the user's own scalar rows and
/// functions.
OpLibraryText text_of_chosen(const KernelSelection& chosen, bool has_user_files);

/// The definitions of a command that chooses no ops: a dump shows all of them. `more` as in read_definitions.
Definitions all_definitions(Run& run, const std::vector<std::string>& user_files, const SourceFileRef& more = nullptr,
                            const MathChoice& math = {});

/// `there is no op 'x'`, with the nearest name, or how to list them.
std::string unknown_op(const OpLibrary& defs, const std::string& name);
/// A dtype's name, or a stop.
DType named_dtype(const std::string& name);

/// `softmax` of softmax_grad, softmax_grad_f32 and softmax_grad_f32_dX; empty for other names.
std::string differentiated_op(const OpLibrary& defs, const std::string& name);

/// What chosen_kernels gives, and the gradients of those ops. Under --ops a gradient can be named by itself, as in
/// `relu_grad`; the run stops where one that is named cannot be derived.
Library kernels_and_gradients(Run& run, const OpLibrary& defs, const LibOptions& o);

}  // namespace tenon
