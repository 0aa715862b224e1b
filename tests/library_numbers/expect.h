/* What a test of this folder expects, by its line: printed with the level where it does not hold. */
#ifndef EXPECT_H
#define EXPECT_H
#include <stdio.h>

static const char* level;
static int wrong;

static void expect(const char* file, int line, int holds, double got) {
  if (holds) return;
  printf("%s:%d: %s: %.9g\n", file, line, level, got);
  wrong = 1;
}
#define EXPECT(holds, got) expect(__FILE__, __LINE__, (holds), (double)(got))
#define LENGTH(a) ((int)(sizeof(a) / sizeof(a)[0]))
#endif
