// Kind checks for YAML nodes in definition files: map, text, name; a mismatch is reported.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/op/op_def.h"
#include "support/diagnostics.h"
#include "support/yaml_document.h"

namespace tenon {

/// True for a map; null counts as an empty one (false, without a report). `what` names the node in the message,
/// `example` goes in the note.
bool want_map(const YamlNode& node, std::string_view what, std::string_view example, Diagnostics& diagnostics);
/// True for a map; an empty value is an error too, because nobody writes such a key without a value.
bool need_map(const YamlNode& node, std::string_view what, std::string_view example, Diagnostics& diagnostics);
/// True for a scalar.
bool want_text(const YamlNode& node, std::string_view what, std::string_view example, Diagnostics& diagnostics);
/// True for a sequence.
bool want_list(const YamlNode& node, std::string_view what, std::string_view example, Diagnostics& diagnostics);
/// True for a name that a definition may introduce.
bool want_name(const YamlNode& node, std::string_view text, std::string_view what, Diagnostics& diagnostics);

/// Reports every key of a map that is not in `known`.
void refuse_unknown_keys(const YamlNode& map, const std::vector<std::string>& known, std::string_view what,
                         Diagnostics& diagnostics);

/// The dtype with this name in other languages; empty for other words.
std::string dtype_called(std::string_view word);
/// The note that asks whether another name was meant, or else lists the known ones.
std::string meant_note(std::string_view wrong, const std::vector<std::string>& known);

/// Words of a list of scalars; a single scalar counts as a list of one.
std::vector<Word> words(const YamlNode& node, std::string_view what, Diagnostics& diagnostics);

/// A value: number, word or text as notation; a YAML sequence as a list of values.
bool read_value(const YamlNode& node, Syntax& out, Diagnostics& diagnostics);

}  // namespace tenon
