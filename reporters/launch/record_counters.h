/* --counters, checked before the program starts: that each can be had on this machine, and all of them together.
 * PAPI is loaded for this (dlopen), never linked with. */
#ifndef PCOMP_RECORD_COUNTERS_H
#define PCOMP_RECORD_COUNTERS_H

/* 0, or the exit status after a message that says what this machine offers. */
int record_counters_check(const char *list);

/* For `pcomp info --build`: the version of PAPI that can be loaded, into buffer; NULL: none. */
const char *record_counters_papi(char *buffer, unsigned long size);

#endif
