// Names from outside as C identifiers: one mangler, and the one table of reserved words.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace tenon {

/// The scope of a name: the fields of a model, the functions of a library, those of kernels. Each has reserved names in
/// addition to those of C and C++. `function` and `step` are names after the prefix of a library and of a model, where
/// nothing but our own names are in the way.
enum class NamesOf { model, library, kernel, function, step };

/// A character of identifiers.
bool is_word(char c);
/// Latin letters as capitals, whatever the locale.
std::string upper_case(std::string_view text);

/// Whether a keyword of C23 or C++23, a macro of a standard or POSIX header, or a name of ours is in the way.
bool is_reserved(std::string_view word, NamesOf where);

/// An identifier that is not reserved: a reserved word gets an underscore, and so does such a word that ends in
/// underscores already, so that two names never become one.
std::string unreserved(std::string name, NamesOf where);

/// The same where the macros of the program `program` are reserved as well: NET_H, NET_E_SHAPE of a program `net`.
std::string unreserved(std::string name, NamesOf where, std::string_view program);

/// The identifiers of one scope.
class CNames {
 public:
  explicit CNames(NamesOf where = NamesOf::model, std::string program = "")
      : where_(where), program_(std::move(program)) {}

  void take(const std::string& name) { taken_.insert(name); }
  /// Turns `original`, which may be any text, into an identifier that is neither reserved nor taken.
  std::string fresh(const std::string& original);

 private:
  static std::string cleaned(const std::string& original);

  NamesOf where_;
  std::string program_;
  std::set<std::string> taken_;
  std::map<std::string, int> last_;  ///< the number that was last added to a name: thousands of nodes may share one
};

}  // namespace tenon
