/* Runs the fuzz target without a fuzzer: on all seeds, on simple damage of them, and on the files given (the inputs
 * that once crashed). `fuzz_regression --seeds DIR` writes the seeds there instead, for libFuzzer to start from. */
#include "tests/fuzz/fuzz_seeds.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* Of libFuzzer; the custom mutator refers to it. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
    (void)data, (void)max;
    return size;
}

static unsigned runs;

static void run(const uint8_t *data, size_t size)
{
    runs++;
    LLVMFuzzerTestOneInput(data, size);
}

static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    static uint8_t data[1 << 20];
    size_t size = f ? fread(data, 1, sizeof data, f) : 0;
    if (!f || ferror(f)) {
        perror(path);
        return 1;
    }
    fclose(f);
    run(data, size);
    return 0;
}

static int run_folder(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return 0; /* nothing has crashed yet */
    int failed = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        char name[4096];
        if (e->d_name[0] != '.' && (size_t)snprintf(name, sizeof name, "%s/%s", path, e->d_name) < sizeof name)
            failed |= run_file(name);
    }
    closedir(dir);
    return failed;
}

static void damage(unsigned i)
{
    size_t size;
    uint8_t *data = fuzz_seed(i, &size);
    if (!data)
        abort();
    run(data, size);
    for (size_t cut = 0; cut < size; cut += cut < 4096 ? 61 : 509)
        run(data, cut);
    for (size_t at = 0; at + 4 <= size; at += 4) {
        uint32_t word, changed[3];
        memcpy(&word, data + at, sizeof word);
        if (!word && at % 256)
            continue;
        changed[0] = ~word, changed[1] = word + 1, changed[2] = 0;
        for (int k = 0; k < 3; k++) {
            memcpy(data + at, &changed[k], sizeof word);
            run(data, size);
        }
        memcpy(data + at, &word, sizeof word);
    }
    free(data);
}

static int write_seeds(const char *folder)
{
    for (unsigned i = 0; i < FUZZ_SEEDS; i++) {
        char path[4096];
        size_t size;
        uint8_t *data = fuzz_seed(i, &size);
        snprintf(path, sizeof path, "%s/seed-%u", folder, i);
        FILE *f = fopen(path, "wb");
        if (!data || !f || fwrite(data, 1, size, f) != size || fclose(f)) {
            perror(path);
            return 1;
        }
        free(data);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--seeds"))
        return write_seeds(argv[2]);
    for (unsigned i = 0; i < FUZZ_SEEDS; i++)
        damage(i);
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= run_folder(argv[i]);
    printf("%u inputs\n", runs);
    return failed;
}
