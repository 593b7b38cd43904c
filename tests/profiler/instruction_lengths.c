/* instruction_lengths < objdump -dw: holds instruction_length to what the disassembler says of each instruction. Prints
 * where they differ; exit status 1 if they do, or if there is nothing to compare. */
#include "profiler/code/arch/x86_64/instruction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of a line "address:\tbytes\ttext". Returns how many; 0: another line. */
static unsigned bytes_of(const char *line, uint8_t bytes[16])
{
    const char *at = strstr(line, ":\t");
    unsigned count = 0;
    if (!at)
        return 0;
    for (at += 2; count < 16 && *at != '\t' && *at != ' ' && *at != '\n'; at += 3)
        bytes[count++] = (uint8_t)strtoul(at, NULL, 16);
    return count;
}

int main(void)
{
    char line[4096];
    unsigned long compared = 0, different = 0;
    while (fgets(line, sizeof(line), stdin)) {
        uint8_t bytes[32];
        unsigned opcode, length = bytes_of(line, bytes), found;
        if (!length || strstr(line, "(bad)") || bytes[0] == 0x9b) /* fwait is shown with what it waits for */
            continue;
        memset(bytes + length, 0x90, sizeof(bytes) - length);
        found = instruction_length(bytes, sizeof(bytes), &opcode);
        compared++;
        if (found != length && ++different <= 20)
            printf("%u bytes instead of %u: %s", found, length, line);
        if (instruction_length(bytes, length - 1, &opcode) >= length) {
            printf("reads past the end: %s", line);
            different++;
        }
    }
    printf("%lu instructions, %lu differ\n", compared, different);
    return different || compared < 1000;
}
