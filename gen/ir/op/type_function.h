// Types that follow from types: complex(T), real(T), unsigned(T), signed(T), wide(T), one inside the other.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/number/dtype.h"

namespace tenon {

struct TypeVar;

/// complex, real, unsigned, signed, wide.
bool is_type_function(std::string_view name);

/// The result type of the function for a dtype; nothing if there is none, as for the wide type of a bool.
std::optional<DType> apply_type_function(std::string_view function, DType d);

/// Whether a word is a function of types, `wide(T)`, and not a type variable or a dtype.
bool is_derived_type(std::string_view word);
/// The innermost argument of a word: T of `complex(wide(T))`, T of `T`.
std::string_view variable_of_type(std::string_view word);
/// The word with its variable replaced by `d`; nothing where a function has no type for it.
std::optional<DType> derived_dtype(std::string_view word, DType d);

/// The dtype of a word: a type variable of `types`, a dtype, or a function of one of them.
std::optional<DType> dtype_of_word(const std::string& word, const std::map<std::string, DType>& types);

/// The dtypes that a type variable ranges over, in the order of dtype.def.
std::vector<DType> dtypes_of(const TypeVar& v);

}  // namespace tenon
