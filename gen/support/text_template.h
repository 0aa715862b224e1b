// TextTemplate: a file frame with typed holes and sections, and no other logic; every hole is filled as its type
// demands.
//
//   hole  := '@' name [':' type] '@'        name: [a-z][a-z0-9_]*
//   type  := 'text'                         one line of any text; the default
//          | 'id'                           a C identifier
//          | 'int'                          a decimal integer
//          | 'block'                        any number of lines; the hole is alone on its line, whose indentation
//          is put in
//                                           front of each line that is not empty; an empty block takes the line away
// An '@' that opens no hole is text.
//
//   section := a line '//@ with' name or '//@ without' name, lines, a line '//@ end'
// Its lines are part of the frame where the feature of that name is on, or is off. Sections are not nested.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tenon {

/// A name and the text that takes the place of the hole of that name.
struct HoleValue {
  std::string name;
  std::string text;
};

/// A feature that sections depend on.
struct Feature {
  std::string name;
  bool on;
};

class TextTemplate {
 public:
  /// `name` is what error messages call the template: its path below templates/.
  TextTemplate(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}

  /// The text with every hole filled. A hole without a value, a value without a hole, a value that breaks its hole's
  /// type, or a section of an unknown feature is a bug of the caller and aborts.
  std::string fill(const std::vector<HoleValue>& values, const std::vector<Feature>& features = {}) const;

  /// Names of the holes in order of first appearance, those in sections included.
  std::vector<std::string> hole_names() const;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::string text_;
};

}  // namespace tenon
