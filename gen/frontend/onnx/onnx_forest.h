// The tables of a TreeEnsemble of ai.onnx.ml 5.
#pragma once

#include "frontend/onnx/onnx_trees.h"

namespace tenon {

TreeTables forest_tables(const tenon_onnx::NodeProto& node, const std::filesystem::path& folder,
                         const TreeTableOptions& options);

}  // namespace tenon
