// The reserved words, by where they are reserved.
#include "support/c_names.h"

#include <unordered_map>

namespace tenon {
namespace {

/// C23, and what compilers add.
constexpr std::string_view kKeywordsOfC =
    "auto break case char const continue default do double else enum extern float for goto if inline int long "
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile "
    "while alignas alignof bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual "
    "asm fortran";
/// C++23: headers are read by C++ too.
constexpr std::string_view kKeywordsOfCpp =
    "and and_eq bitand bitor catch char16_t char32_t char8_t class co_await co_return co_yield compl concept "
    "const_cast consteval constinit decltype delete dynamic_cast explicit export friend mutable namespace new "
    "noexcept not not_eq operator or or_eq private protected public reinterpret_cast requires static_cast "
    "template this throw try typeid typename using virtual wchar_t xor xor_eq";
/// Macros of the standard C headers that belong to no family of the table below.
constexpr std::string_view kStandardMacros =
    "BUFSIZ CHAR_BIT CLOCKS_PER_SEC EOF EXIT_FAILURE EXIT_SUCCESS FILENAME_MAX FOPEN_MAX FLT_EVAL_METHOD "
    "FLT_RADIX FLT_ROUNDS HUGE_VAL HUGE_VALF HUGE_VALL I INFINITY L_tmpnam MAXFLOAT MB_CUR_MAX MB_LEN_MAX NAN "
    "NDEBUG NULL ONCE_FLAG_INIT RAND_MAX TIME_UTC TMP_MAX TSS_DTOR_ITERATIONS assert complex errno imaginary "
    "kill_dependency linux math_errhandling noreturn offsetof setjmp stderr stdin stdout unix unreachable "
    "va_arg va_copy va_end va_list va_start";
/// Macros of <errno.h>.
constexpr std::string_view kErrors =
    "E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG EBADR "
    "EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK "
    "EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM "
    "EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR EISNAM EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT "
    "EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK "
    "EMSGSIZE EMULTIHOP ENAMETOOLONG ENAVAIL ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI "
    "ENODATA ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT "
    "ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK ENOTSUP "
    "ENOTTY ENOTUNIQ ENXIO EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT "
    "EPROTOTYPE ERANGE EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE "
    "ESRCH ESRMNT ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK "
    "EXDEV EXFULL";
/// Macros that POSIX and Windows define in headers which programs include before ours.
constexpr std::string_view kSystemMacros =
    "BIG_ENDIAN BYTE_ORDER LITTLE_ENDIAN PDP_ENDIAN NSIG NGROUPS_MAX PIPE_BUF STDERR_FILENO STDIN_FILENO "
    "STDOUT_FILENO R_OK W_OK X_OK F_OK major makedev minor s_addr sa_handler sa_sigaction sched_priority "
    "si_addr si_band si_fd si_int si_overrun si_pid si_ptr si_status si_timerid si_uid si_value st_atime "
    "st_ctime st_mtime h_addr i386 far near small interface IN OUT OPTIONAL DELETE ERROR";
/// Names that generated code uses itself.
constexpr std::string_view kTypesAndFunctions =
    "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t uintmax_t "
    "ptrdiff_t size_t ssize_t max_align_t memcmp memcpy memmove memset main";
/// Parameters and variables of the functions of a library.
constexpr std::string_view kOfLibraries =
    "a attrs c call chosen context d data dims done f given inferred k out parts pointers status t type type_of types "
    "variable workspace workspace_bytes";
/// Parameters and variables of kernels.
constexpr std::string_view kOfKernels = "attr begin end in out size workspace";
/// Names after the prefix of a library: an op of one dtype has a function with its own name.
constexpr std::string_view kOfFunctions =
    "active_isa argument attr bool box c c128 c64 call call_on context core cores describe dims dtype entry find "
    "force_isa form frame group infer ints isa_choice kernel op op_info operand part reals scalar share shaped source "
    "start_threads status step stop_threads stored strerror task tensor threads value want workspace workspace_on";
/// Kernels of a model before the name of a level.
constexpr std::string_view kOfSteps = "run";

/// Families of macros, by prefix and suffix; an empty suffix matches any name.
struct Family {
  std::string_view begin, end;
};
constexpr Family kFamilies[] = {
    {"ATOMIC_", ""},     {"CLOCK_", ""},     {"DBL_", ""},      {"FE_", ""},     {"FLT_", ""},   {"FP_", ""},
    {"INT", "_MAX"},     {"INT", "_MIN"},    {"INT", "_WIDTH"}, {"INT", "_C"},   {"LC_", ""},    {"LDBL_", ""},
    {"CHAR_", ""},       {"LLONG_", ""},     {"LONG_", ""},     {"M_", ""},      {"O_", ""},     {"POSIX_", ""},
    {"PTHREAD_", ""},    {"PTRDIFF_", ""},   {"SA_", ""},       {"SCHAR_", ""},  {"SEEK_", ""},  {"SHRT_", ""},
    {"SIG_ATOMIC_", ""}, {"SIG", ""},        {"SIZE_", ""},     {"SSIZE_", ""},  {"S_I", ""},    {"UCHAR_", ""},
    {"UINT", "_MAX"},    {"UINT", "_WIDTH"}, {"UINT", "_C"},    {"ULLONG_", ""}, {"ULONG_", ""}, {"USHRT_", ""},
    {"WCHAR_", ""},      {"WINT_", ""}};

/// PRId64, SCNxPTR: the macros of <inttypes.h>.
bool is_format(std::string_view word) {
  if (word.size() < 5 || !(word.starts_with("PRI") || word.starts_with("SCN"))) return false;
  const std::string_view bits = word.substr(4);
  for (const std::string_view start : {"8", "16", "32", "64", "LEAST", "FAST", "MAX", "PTR"})
    if (bits.starts_with(start)) return std::string_view("dioxuX").find(word[3]) != std::string_view::npos;
  return false;
}

bool is_of_family(std::string_view word) {
  if (word.ends_with('_')) return false;
  if (is_format(word)) return true;
  for (const char c : word)
    if (c >= 'a' && c <= 'z') return false;
  for (const Family& f : kFamilies)
    if (word.size() > f.begin.size() && word.starts_with(f.begin) && word.ends_with(f.end)) return true;
  return false;
}

using Words = std::unordered_map<std::string_view, unsigned>;

void add(Words& words, std::string_view list, unsigned where) {
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(' ', at), list.size());
    words[list.substr(at, end - at)] |= where;
    at = end + 1;
  }
}

constexpr unsigned bit(NamesOf where) { return 1U << static_cast<unsigned>(where); }

const Words& reserved_words() {
  static const Words words = [] {
    Words all;
    constexpr unsigned everywhere = bit(NamesOf::model) | bit(NamesOf::library) | bit(NamesOf::kernel);
    for (const std::string_view list :
         {kKeywordsOfC, kKeywordsOfCpp, kStandardMacros, kErrors, kSystemMacros, kTypesAndFunctions})
      add(all, list, everywhere);
    add(all, kOfLibraries, bit(NamesOf::library));
    add(all, kOfKernels, bit(NamesOf::kernel));
    add(all, kOfFunctions, bit(NamesOf::function));
    add(all, kOfSteps, bit(NamesOf::step));
    return all;
  }();
  return words;
}

}  // namespace

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

bool is_reserved(std::string_view word, NamesOf where) {
  const auto at = reserved_words().find(word);
  if (at != reserved_words().end() && (at->second & bit(where)) != 0) return true;
  if (where == NamesOf::function || where == NamesOf::step) return false;
  // C reserves these for the compiler; our own runtime and the constants of the headers begin with the others.
  if (word.starts_with("__") || (word.size() > 1 && word[0] == '_' && word[1] >= 'A' && word[1] <= 'Z')) return true;
  if (word.starts_with("tn_rt_") || word.starts_with("TN_") || is_of_family(word)) return true;
  return word.starts_with("tn_") && is_reserved(word.substr(3), NamesOf::function);
}

std::string unreserved(std::string name, NamesOf where) {
  const size_t last = name.find_last_not_of('_');
  const std::string_view stem = std::string_view(name).substr(0, last == std::string::npos ? 0 : last + 1);
  if (is_reserved(stem, where) || is_reserved(name, where)) name += '_';
  return name;
}

std::string unreserved(std::string name, NamesOf where, std::string_view program) {
  if (!program.empty() && name.starts_with(upper_case(program) + "_")) name += '_';
  return unreserved(std::move(name), where);
}

std::string CNames::fresh(const std::string& original) {
  const std::string base = unreserved(cleaned(original), where_, program_);
  if (taken_.insert(base).second) return base;
  std::string name;
  int& last = last_.try_emplace(base, 1).first->second;
  do name = base + "_" + std::to_string(++last);
  while (!taken_.insert(name).second);
  return name;
}

std::string CNames::cleaned(const std::string& original) {
  std::string name;
  for (const char c : original) {
    if (is_word(c) && c != '_') name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  // Compilers need to distinguish only the first 63 characters, and long names do not help a reader.
  constexpr size_t longest = 48;
  if (name.size() > longest) name = name.substr(name.size() - longest);
  if (name.empty()) return "t";
  return name[0] >= '0' && name[0] <= '9' ? "t" + name : name;
}

}  // namespace tenon
