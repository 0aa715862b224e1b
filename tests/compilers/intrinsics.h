// What `precompiled` compiles ahead: the intrinsics alone. Their allocator would bring <stdlib.h>, before a source says
// which POSIX it wants.
#define _MM_MALLOC_H_INCLUDED
#define __MM_MALLOC_H
#include <immintrin.h>
