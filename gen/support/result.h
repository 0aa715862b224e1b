// The result of a reader: a value, or the diagnostics that explain why there is none.
#pragma once

#include <optional>
#include <utility>

#include "support/check.h"
#include "support/diagnostics.h"

namespace tenon {

/// Value or diagnostics. Warnings may accompany a value.
template <typename T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(T value, Diagnostics warnings) : value_(std::move(value)), diagnostics_(std::move(warnings)) {}
  Result(Diagnostics errors) : diagnostics_(std::move(errors)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const T& value() const& {
    TENON_CHECK(ok(), "value of a failed Result");
    return *value_;
  }
  T& value() & {
    TENON_CHECK(ok(), "value of a failed Result");
    return *value_;
  }
  T&& value() && {
    TENON_CHECK(ok(), "value of a failed Result");
    return std::move(*value_);
  }
  const T& operator*() const& { return value(); }
  const T* operator->() const { return &value(); }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  std::optional<T> value_;
  Diagnostics diagnostics_;
};

}  // namespace tenon
