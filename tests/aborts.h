// aborts(f): whether calling f ends its process by SIGABRT; f runs in a child, whose stderr is thrown away.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon_test {

template <class F>
bool aborts(F f) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGABRT, SIG_DFL);
    const int null = ::open("/dev/null", O_WRONLY);
    ::dup2(null, 2);
    f();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

}  // namespace tenon_test
