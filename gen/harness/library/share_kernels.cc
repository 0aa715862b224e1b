// The code of each kernel, without its names and blanks, is looked up among those before it.
#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "harness/library/library_output.h"
#include "harness/library_names.h"
#include "support/parallel.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Appends a text without blanks, since lines are broken by the lengths of names, and with `@` for the kernel's name.
void append_code(std::string& out, std::string_view text, std::string_view kernel) {
  const auto append = [&out](std::string_view part) {
    const size_t before = out.size();
    out.resize(before + part.size());
    const auto at = out.begin() + static_cast<std::ptrdiff_t>(before);
    out.erase(std::copy_if(part.begin(), part.end(), at, [](char c) { return c != ' ' && c != '\n'; }), out.end());
  };
  size_t at;
  while ((at = text.find(kernel)) != std::string_view::npos) {
    append(text.substr(0, at));
    out += '@';
    text.remove_prefix(at + kernel.size());
  }
  append(text);
}

/// The kernel's functions, and those of its loops that workers share, which are named after it.
std::string code_of(const KernelText& k) {
  std::string out;
  out.reserve(k.code.size());
  append_code(out, k.code, k.run);
  for (const NamedText& f : k.functions)
    if (f.name.starts_with(k.run)) append_code(out, f.text, k.run);
  return out;
}

void share(const std::vector<KernelText*>& kernels) {
  std::unordered_map<std::string, std::vector<KernelText*>> alike;  // only looked up
  std::vector<std::vector<KernelText*>*> groups;
  for (KernelText* k : kernels) {
    const auto [at, fresh] = alike.try_emplace(code_of(*k));
    at->second.push_back(k);
    if (fresh) groups.push_back(&at->second);
  }
  for (const std::vector<KernelText*>* group : groups) {
    KernelText& first = *group->front();
    for (size_t i = 1; i < group->size(); ++i) {
      KernelText& k = *(*group)[i];
      k.shared = true;
      k.run = first.run;
      k.workspace = first.workspace;
    }
    if (group->size() > 1)
      first.comment += fmt::format("\nserves {} kernels, of which this is the first", group->size());
  }
}

}  // namespace

LibraryTexts share_kernels(const Library& library, LibraryTexts texts) {
  std::map<std::string, std::vector<const LibraryOp*>> families;
  for (const LibraryOp& op : library.ops) families[family_of(*op.def)].push_back(&op);
  const std::vector<std::pair<std::string, std::vector<const LibraryOp*>>> all(families.begin(), families.end());
  for_each_index(all.size() * texts.levels.size(), [&](size_t i) {
    LevelTexts& level = texts.levels[i % texts.levels.size()];
    std::vector<KernelText*> kernels;
    for (const LibraryOp* op : all[i / texts.levels.size()].second)
      for (const LibraryKernel& k : op->kernels) {
        const auto text = level.kernels.find(k.kernel.name);
        const bool known = text == level.kernels.end() || contains(kernels, &text->second);
        if (!known) kernels.push_back(&text->second);
      }
    share(kernels);
  });
  return texts;
}

}  // namespace tenon
