// Pointers to the buffers of a model.
#include "harness/model/model_buffers.h"

#include "harness/library_names.h"
#include "harness/model/model_extents.h"
#include "harness/model/model_state.h"
#include "support/check.h"

namespace tenon {
namespace {

bool is_in_memory(const PlanBuffer& b) { return b.kind == BufferKind::Arena || b.kind == BufferKind::State; }

}  // namespace

CExpr ModelBuffers::typed(DType dtype, bool writes, CExpr address) const {
  const std::string type = (writes ? "" : "const ") + element_type(dtype, name_);
  return c_cast(type + " *", std::move(address));
}

CExpr ModelBuffers::bytes(const PlanBuffer& b, int64_t offset) const {
  const bool in_arena = b.kind == BufferKind::Arena;
  CExpr at = c_text(in_arena ? arena_.offset_of(b) : state_offset(b, arena_.upper()));
  at = in_arena ? arena_.address(b.memory, std::move(at)) : c_binary(c_text("state"), "+", std::move(at));
  return c_cast("void *", offset == 0 ? at : c_binary(at, "+", c_number(offset)));
}

CExpr ModelBuffers::pointer(int b, bool writes) const {
  const PlanBuffer& p = plan_.buffer(b);
  switch (p.kind) {
    case BufferKind::Slice: return slice(p, writes);
    case BufferKind::View: return view(b, writes);
    case BufferKind::Input: return c_arrow(c_text("in"), p.name);
    case BufferKind::Output: return c_arrow(c_text("out"), p.name);
    case BufferKind::Constant: return weights_.values.at(b);
    case BufferKind::Arena:
    case BufferKind::State: return typed(p.dtype, writes, bytes(p, 0));
  }
  TENON_UNREACHABLE("a buffer of no kind");
}

CExpr ModelBuffers::slice(const PlanBuffer& part, bool writes) const {
  const PlanRegion& loop = plan_.region(part.region);
  CExpr at = c_text(loop.counter);
  if (part.reversed) {
    const CExpr runs = loop.count >= 0 ? element(loop.count) : extent_value(plan_, loop.trip);
    at = c_binary(c_binary(runs, "-", c_number(1)), "-", at);
  }
  const CExpr elements = extent_value(plan_, product(part.dims));
  return c_binary(pointer(part.whole, writes), "+", c_binary(at, "*", elements));
}

CExpr ModelBuffers::view(int b, bool writes) const {
  const BufferPlace place = place_of(plan_, b);
  const PlanBuffer& root = plan_.buffer(place.root);
  const DType dtype = plan_.buffer(b).dtype;
  if (is_in_memory(root)) return typed(dtype, writes, bytes(root, place.offset));
  CExpr from = pointer(place.root, writes);
  if (place.offset) from = c_binary(from, "+", c_number(place.offset / bytes_of(root.dtype)));
  return root.dtype == dtype ? from : typed(dtype, writes, c_cast(writes ? "void *" : "const void *", from));
}

}  // namespace tenon
