#include "tests/instrument/gcc/sled_patcher.h"

#include "tests/instrument/gcc/sled_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

enum { STUB_SIZE = 32, PAGE = 4096 };

/* A stub, written as bytes: the counter of its sled, then the code that the sled calls or jumps to. */
struct stub {
    uint64_t count;
    unsigned char code[STUB_SIZE - sizeof(uint64_t)];
};

static struct sled_map map;
static struct stub *stubs; // one a sled, in the map's order, and some more
static size_t stub_count;
static uint64_t bias; // from the file's addresses to the program's
static int failures;

static void stop(const char *what)
{
    perror(what);
    exit(2);
}

/* Memory within reach of a jump of 32 bits from the program. */
static void *near_memory(uint64_t place, size_t size)
{
    for (uint64_t distance = 0x1000000; distance < 0x60000000; distance += 0x1000000)
        for (int sign = -1; sign <= 1; sign += 2) {
            uint64_t wish = (place & ~(uint64_t)(PAGE - 1)) + (uint64_t)sign * distance;
            void *memory = mmap((void *)wish, size, PROT_READ | PROT_WRITE | PROT_EXEC,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            if (memory == (void *)wish)
                return memory;
            if (memory != MAP_FAILED)
                munmap(memory, size);
        }
    stop("memory near the program");
    return NULL;
}

static void make_writable(uint64_t place, size_t size)
{
    uint64_t start = place & ~(uint64_t)(PAGE - 1);
    if (mprotect((void *)start, place + size - start, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        stop("mprotect");
}

static void write_stub(struct stub *stub, bool destroy_r11)
{
    static const unsigned char code[] = {
        0x48, 0xff, 0x05, 0xf1, 0xff, 0xff, 0xff,                               // incq count(%rip)
        0x49, 0xbb, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xad, 0xde, 0xf9, 0xc3, // movabs, %r11; stc; ret
    };
    memcpy(stub->code, code, sizeof code);
    if (!destroy_r11) {
        stub->code[7] = 0xf9;
        stub->code[8] = 0xc3;
    }
}

/* `operation`: call (e8) or jump (e9), five bytes; no-ops of one byte fill the rest. */
static void patch(uint64_t place, size_t size, unsigned char operation, const struct stub *stub)
{
    unsigned char *bytes = (unsigned char *)place;
    int32_t distance = (int32_t)((int64_t)(uint64_t)stub->code - (int64_t)(place + 5));
    make_writable(place, size);
    bytes[0] = operation;
    memcpy(bytes + 1, &distance, sizeof distance);
    memset(bytes + 5, 0x90, size - 5);
}

void sleds_patch(void)
{
    if (!sled_map_read("/proc/self/exe", &map))
        exit(2);
    bias = getauxval(AT_ENTRY) - map.entry_point;
    stubs = near_memory((uint64_t)getauxval(AT_ENTRY), (map.sled_count + 16) * sizeof *stubs);
    for (size_t i = 0; i < map.sled_count; i++) {
        const struct sled *sled = &map.sleds[i];
        write_stub(&stubs[i], sled->kind != SLED_TAIL);
        patch(sled->address + bias, SLED_SIZE, sled->kind == SLED_RETURN ? 0xe9 : 0xe8, &stubs[i]);
    }
    stub_count = map.sled_count;
}

void sleds_patch_place(void *place, unsigned long size)
{
    write_stub(&stubs[stub_count], true);
    patch((uint64_t)place, size, 0xe8, &stubs[stub_count++]);
}

static unsigned long total(const char *name, bool entries, bool calls)
{
    unsigned long sum = 0;
    for (size_t i = 0; i < map.sled_count; i++)
        for (size_t j = 0; j < map.function_count && (map.sleds[i].kind == SLED_ENTRY) == entries; j++)
            if (map.functions[j].address == map.sleds[i].function && sled_map_is_called(&map.functions[j], name)) {
                sum += calls ? stubs[i].count : 1;
                break;
            }
    return sum;
}

unsigned long sleds_entries(const char *name)
{
    return total(name, true, true);
}

unsigned long sleds_exits(const char *name)
{
    return total(name, false, true);
}

unsigned long sleds_functions(const char *name)
{
    return total(name, true, false);
}

void sleds_expect(const char *name, unsigned long expected, unsigned long exits)
{
    if (sleds_functions(name) == 0 || sleds_entries(name) != expected || sleds_exits(name) != exits) {
        printf("%s: %lu entries, %lu exits at sleds of %lu functions; expected %lu, %lu\n", name, sleds_entries(name),
               sleds_exits(name), sleds_functions(name), expected, exits);
        failures++;
    }
}

int sleds_failures(void)
{
    return failures;
}
