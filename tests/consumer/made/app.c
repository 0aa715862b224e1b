/* Prints what the network makes of 1 and 2, with weights in a file that the assembler includes and in C; status 1 where a library does not have its op. */
#include <mine.h>
#include <net.h>
#include <other.h>
#include <plain.h>
#include <stdio.h>

int main(void)
{
    static unsigned char memory[NET_ARENA_BYTES + 64];
    unsigned char *const arena = memory + (64 - (uintptr_t)memory % 64) % 64;
    const float x[2] = {1, 2};
    float y[2] = {0, 0}, z[2] = {0, 0};
    const net_inputs in = {.x = x};
    net_outputs out = {.y = y};
    const plain_inputs plain_in = {.x = x};
    plain_outputs plain_out = {.y = z};
    if (plain_run(&plain_in, &plain_out, arena, NULL) != 0)
        return 1;
    if (net_run(&in, &out, arena, NULL) != 0 || !mine_find("twice", MINE_F32, 1) || !other_find("relu", OTHER_F32, 1))
        return 1;
    printf("%g %g %g %g\n", (double)y[0], (double)y[1], (double)z[0], (double)z[1]);
    return 0;
}
