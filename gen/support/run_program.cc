// Runs a line of the shell and passes signals on.
#include "support/run_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

namespace tenon {
namespace {

volatile sig_atomic_t child = 0;

void pass_on(int number) {
  if (child > 0) kill(static_cast<pid_t>(child), number);
}

/// Signal handlers while a child runs; the previous ones are restored at the end.
class Passing {
 public:
  Passing() {
    struct sigaction action = {};
    action.sa_handler = pass_on;
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
  }
  ~Passing() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
  }
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;

  /// In the child: restores the previous handlers.
  void undo() const {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
  }

 private:
  struct sigaction interrupt_ = {}, terminate_ = {};
};

}  // namespace

int run_shell_line(const std::string& line) {
  constexpr int not_started = 127, by_signal = 128;
  std::fflush(nullptr);
  const Passing passing;
  const pid_t pid = fork();
  if (pid < 0) return not_started;
  if (pid == 0) {
    passing.undo();
    execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
    _exit(not_started);
  }
  child = static_cast<sig_atomic_t>(pid);
  int ended = 0;
  while (waitpid(pid, &ended, 0) < 0)
    if (errno != EINTR) return not_started;
  child = 0;
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : by_signal + WTERMSIG(ended);
}

bool is_interruption(int status) {
  constexpr int by_signal = 128;
  return status == by_signal + SIGINT || status == by_signal + SIGTERM;
}

}  // namespace tenon
