/* Turns calls in an executable file into no-ops: remove_calls FILE <ADDRESSES
 *
 * Standard input has a line "ADDRESS call|jmp" for each instruction of five bytes to change: a call becomes a no-op, a
 * jump a return. Prints how many were changed. */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned char *bytes_at(unsigned char *file, uint64_t address)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(file + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++, segment++)
        if (segment->p_type == PT_LOAD && address - segment->p_vaddr < segment->p_filesz)
            return file + segment->p_offset + (address - segment->p_vaddr);
    return NULL;
}

int main(int argc, char **argv)
{
    struct stat info;
    int fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
    if (fd < 0 || fstat(fd, &info)) {
        perror("remove_calls: FILE");
        return 1;
    }
    unsigned char *file = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED) {
        perror("remove_calls: mmap");
        return 1;
    }
    uint64_t address;
    char kind[8];
    unsigned changed = 0;
    while (scanf("%" SCNx64 " %7s", &address, kind) == 2) {
        unsigned char *at = bytes_at(file, address);
        if (!at || at[0] != (strcmp(kind, "jmp") ? 0xe8 : 0xe9)) {
            fprintf(stderr, "remove_calls: %" PRIx64 ": no %s of five bytes\n", address, kind);
            return 1;
        }
        memcpy(at, strcmp(kind, "jmp") ? "\x0f\x1f\x44\x00\x00" : "\xc3\x0f\x1f\x40\x00", 5);
        changed++;
    }
    printf("%u\n", changed);
    return 0;
}
