/* What of a page is the same for all profiles, put together by embed.cmake when pcomp is built: HTML, style and script
 * before the data, and what follows it. */
#ifndef PCOMP_PAGE_ASSETS_H
#define PCOMP_PAGE_ASSETS_H

#include <stddef.h>

extern const unsigned char page_head[], page_tail[];
extern const size_t page_head_size, page_tail_size;

#endif
