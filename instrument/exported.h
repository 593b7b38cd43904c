/* Marks for what libpcomp.so exports (instrument/pcomp.map lists the names). */
#ifndef PCOMP_EXPORTED_H
#define PCOMP_EXPORTED_H

#define EXPORT __attribute__((visibility("default"), no_instrument_function))

#endif
