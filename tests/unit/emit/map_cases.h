// Every scalar operation on every element type that it is for, as maps.
#pragma once

#include "unit/emit/sample_nests.h"

namespace tenon_test {

inline bool applies(const tenon::ScalarOpRow& row, tenon::DType d) {
  using namespace tenon;
  if (d == DType::F16 || d == DType::BF16 || is_small(d)) return false;
  if (row.has('M') && (is_float(d) || is_complex(d))) return false;
  if (d == DType::Bool) return row.has('B');
  if (row.op == ScalarOp::And || row.op == ScalarOp::Or || row.op == ScalarOp::Not) return false;
  if (row.has('I')) return is_int(d);
  if (row.has('F')) return is_float(d) || (is_complex(d) && (row.op == ScalarOp::Sqrt || row.op == ScalarOp::IsNan));
  switch (row.op) {
    case ScalarOp::Cast:
    case ScalarOp::Bits:
    case ScalarOp::Arg: return false;
    case ScalarOp::Imag: return is_complex(d);
    case ScalarOp::Complex: return is_float(d);
    case ScalarOp::Philox: return d == DType::U64;
    case ScalarOp::U01: return d == DType::U32 || d == DType::U64;
    case ScalarOp::Div: return is_float(d) || is_complex(d);
    case ScalarOp::Mod: return is_int(d);
    case ScalarOp::FloorDiv:
    case ScalarOp::Sign:
    case ScalarOp::Min:
    case ScalarOp::Max:
    case ScalarOp::Lt:
    case ScalarOp::Le:
    case ScalarOp::Gt:
    case ScalarOp::Ge: return !is_complex(d);
    default: return true;
  }
}

inline tenon::DType result_of(const tenon::ScalarOpRow& row, tenon::DType d) {
  using namespace tenon;
  if (row.op == ScalarOp::Complex) return d == DType::F32 ? DType::C64 : DType::C128;
  if (row.op == ScalarOp::Philox) return DType::U32;
  if (row.op == ScalarOp::U01) return d == DType::U32 ? DType::F32 : DType::F64;
  return row.result == ResultRule::Bool ? DType::Bool : row.result == ResultRule::Real ? real_of(d) : d;
}

inline std::vector<MapCase> operation_cases() {
  using namespace tenon;
  std::vector<MapCase> cases;
  for (const ScalarOpRow& row : all_scalar_ops())
    for (const DTypeRow& d : all_dtypes()) {
      if (!applies(row, d.dtype)) continue;
      const DType out = result_of(row, d.dtype);
      cases.push_back({std::string(row.name) + "_" + std::string(d.name),
                       std::vector<DType>(static_cast<size_t>(row.arity), d.dtype), out,
                       [op = row.op, out](const Few<Operand>& v) {
                         const OperandType& t = v[0]->type;
                         if (scalar_op_row(op).result == ResultRule::Explicit)
                           return v_apply_as(op, v, {out, t.lanes, 0});
                         return v_apply(op, v);
                       }});
    }
  return cases;
}

/// Division of integers by constants that are powers of two.
inline std::vector<MapCase> division_cases() {
  using namespace tenon;
  std::vector<MapCase> cases;
  for (const DTypeRow& d : all_dtypes()) {
    if (!is_int(d.dtype)) continue;
    for (const ScalarOp op : {ScalarOp::FloorDiv, ScalarOp::Mod})
      cases.push_back({std::string(scalar_op_row(op).name) + "_by_4_" + std::string(d.name),
                       {d.dtype},
                       d.dtype,
                       [op](const Few<Operand>& v) {
                         return v_apply(op, {v[0], v_const(4, v[0]->type)});
                       }});
  }
  return cases;
}

inline std::vector<MapCase> cast_cases() {
  using namespace tenon;
  std::vector<MapCase> cases;
  for (const DTypeRow& from : all_dtypes())
    for (const DTypeRow& to : all_dtypes()) {
      if (from.dtype == to.dtype) continue;
      cases.push_back({"cast_" + std::string(from.name) + "_" + std::string(to.name),
                       {from.dtype},
                       to.dtype,
                       [d = to.dtype](const Few<Operand>& v) { return v_cast(v[0], d); }});
    }
  return cases;
}

/// Y = A < B ? A : C, masks of other widths than the arms.
inline std::vector<MapCase> select_cases() {
  using namespace tenon;
  std::vector<MapCase> cases;
  for (const DTypeRow& d : all_dtypes()) {
    if (d.dtype == DType::Bool) continue;
    const bool half = d.dtype == DType::F16 || d.dtype == DType::BF16 || is_small(d.dtype);
    if (!half && !is_complex(d.dtype))
      cases.push_back(
          {"choose_" + std::string(d.name), {d.dtype, d.dtype, d.dtype}, d.dtype, [](const Few<Operand>& v) {
             return v_select(v_apply(ScalarOp::Lt, {v[0], v[1]}), v[0], v[2]);
           }});
    cases.push_back(
        {"where_" + std::string(d.name), {DType::Bool, d.dtype, d.dtype}, d.dtype, [](const Few<Operand>& v) {
           return v_select(v[0], v[1], v[2]);
         }});
    cases.push_back(
        {"where_wide_" + std::string(d.name), {DType::F64, d.dtype, d.dtype}, d.dtype, [](const Few<Operand>& v) {
           const Operand positive = v_apply(ScalarOp::Gt, {v[0], v_const(0, v[0]->type)});
           return v_select(v_apply(ScalarOp::And, {positive, v_apply(ScalarOp::Lt, {v[0], v_const(9, v[0]->type)})}),
                           v[1], v[2]);
         }});
  }
  return cases;
}

}  // namespace tenon_test
