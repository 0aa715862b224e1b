// The program's operator new: free blocks in lists, by size and thread. A run makes tens of millions of short-lived nodes, and the C library's
// malloc takes a quarter of its time for them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr size_t kStep = 16;        ///< blocks are multiples of this long
constexpr size_t kClasses = 32;     ///< longer ones come from malloc
constexpr size_t kChunk = 1 << 18;

/// A block begins one word before what callers see, which is aligned like malloc's memory.
struct Block {
  size_t size_class;   ///< 0: malloc
  Block* next;         ///< the caller's first word while the block is free
};
constexpr size_t kHeader = offsetof(Block, next);
static_assert(kHeader == 8 && alignof(std::max_align_t) == kStep);

struct Lists {
  Block* free[kClasses + 1];
  unsigned char *at, *end;   ///< what is left of the newest chunk; chunks stay until the program ends
};
constinit thread_local Lists lists{};

/// Memory whose second word is aligned; exits through std::bad_alloc.
unsigned char* from_malloc(size_t bytes) {
  void* p = std::malloc(bytes + kStep);
  if (!p) throw std::bad_alloc();
  return static_cast<unsigned char*>(p) + kHeader;
}

Block* carve(size_t bytes) {
  if (static_cast<size_t>(lists.end - lists.at) < bytes) {
    lists.at = from_malloc(kChunk);
    lists.end = lists.at + kChunk;
  }
  lists.at += bytes;
  return reinterpret_cast<Block*>(lists.at - bytes);
}

void* allocate(size_t bytes) {
  const size_t size_class = bytes <= kHeader ? 1 : (bytes + kHeader + kStep - 1) / kStep;
  Block* block;
  if (size_class > kClasses) {
    block = reinterpret_cast<Block*>(from_malloc(bytes + kHeader));
    block->size_class = 0;
  } else if ((block = lists.free[size_class])) {
    lists.free[size_class] = block->next;
  } else {
    block = carve(size_class * kStep);
    block->size_class = size_class;
  }
  return &block->next;
}

void release(void* p) {
  if (!p) return;
  unsigned char* start = static_cast<unsigned char*>(p) - kHeader;
  Block* block = reinterpret_cast<Block*>(start);
  if (block->size_class == 0) return std::free(start - kHeader);
  block->next = lists.free[block->size_class];
  lists.free[block->size_class] = block;
}

}  // namespace

void* operator new(size_t bytes) { return allocate(bytes); }
void* operator new[](size_t bytes) { return allocate(bytes); }
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, size_t) noexcept { release(p); }
void operator delete[](void* p, size_t) noexcept { release(p); }
