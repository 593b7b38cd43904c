/* Room in a trace file: reserved, mapped, and overwritten without a system call that could raise a signal. */
#ifndef PCOMP_TRACE_ROOM_H
#define PCOMP_TRACE_ROOM_H

#include <stdbool.h>
#include <stdint.h>

/* RLIMIT_FSIZE in whole pages of 4 KiB; a great number: there is none. */
uint64_t trace_size_limit(void);

/* Lengthens the file. False: there is no room. */
bool trace_write_zeroes(int fd, uint64_t offset, uint64_t size);

/* Maps a part of the file whose pages are there, and can be written. NULL: no room. */
void *trace_map_part(int fd, uint64_t offset, uint64_t size);

/* Writes inside the file. False: it is too short, or cannot be mapped. */
bool trace_overwrite(int fd, const void *from, uint64_t size, uint64_t offset);

#endif
