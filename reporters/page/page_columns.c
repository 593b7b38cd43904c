#include "reporters/page/page_columns.h"

#include <stdlib.h>

void page_column_add(struct page_column *column, int64_t value)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum { DIGITS_MAX = 13 };
    if (column->room - column->size < DIGITS_MAX) {
        size_t room = column->room ? 2 * column->room : 4096;
        char *grown = realloc(column->text, room);
        column->failed |= !grown;
        if (!grown)
            return;
        column->text = grown;
        column->room = room;
    }
    column->any |= value != 0;
    uint64_t rest = value < 0 ? (uint64_t)-value << 1 | 1 : (uint64_t)value << 1;
    do {
        unsigned digit = rest & 31;
        rest >>= 5;
        column->text[column->size++] = digits[digit | (rest ? 32 : 0)];
    } while (rest);
}

bool page_column_end(struct page_column *column, json_t *object, const char *key)
{
    bool ok = !column->failed;
    if (ok && column->any)
        ok = json_object_set_new(object, key, json_stringn_nocheck(column->text, column->size)) == 0;
    free(column->text);
    *column = (struct page_column){0};
    return ok;
}
