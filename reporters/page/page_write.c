#include "reporters/page/page_write.h"

#include "reporters/base/message.h"
#include "reporters/base/output_file.h"
#include "reporters/page/page_assets.h"
#include "reporters/page/page_json.h"
#include "reporters/page/page_text.h"

#include <stdlib.h>

#define PATHS_MIN     500
#define FUNCTIONS_MAX 3000
#define NAME_MAX      400
#define NAME_MIN      60

/* The data of a page with at most so many call paths. NULL: out of memory. */
static char *page_data(const struct page_subject *subject, size_t paths, size_t name)
{
    struct page_tree tree;
    struct page_pruned pruned;
    char *text = NULL;
    if (!page_tree_make(&tree, subject->before, subject->after))
        return NULL;
    if (page_prune(&tree, paths, &pruned)) {
        const struct page_request request = {.tree = &tree,
                                             .pruned = &pruned,
                                             .dirs = {subject->dirs[0], subject->dirs[1]},
                                             .functions_max = FUNCTIONS_MAX < paths ? FUNCTIONS_MAX : paths,
                                             .name_max = name};
        json_t *json = page_json(&request);
        bool ok = json && (!subject->sources || !json_object_set(json, "sources", subject->sources)) &&
                  (!subject->timeline || !json_object_set(json, "timeline", subject->timeline));
        text = ok ? json_dumps(json, JSON_COMPACT) : NULL;
        json_decref(json);
    }
    page_tree_free(&tree);
    return text;
}

/* Fewer paths, and shorter names, until it fits. */
static char *page_data_fitting(const struct page_subject *subject)
{
    size_t room = PAGE_BYTES_MAX - page_head_size - page_tail_size, name = NAME_MAX;
    for (size_t paths = PAGE_PATHS_MAX + 1;;) {
        char *data = page_data(subject, paths, name);
        size_t size = data ? page_embedded_size(data) : 0;
        if (!data || size <= room || (paths <= PATHS_MIN && name <= NAME_MIN))
            return data;
        free(data);
        double fits = (double)room / (double)size;
        paths = (size_t)((double)paths * (fits < 0.9 ? fits : 0.9));
        paths = paths < PATHS_MIN ? PATHS_MIN : paths;
        name = name / 2 < NAME_MIN ? NAME_MIN : name / 2;
    }
}

int page_write(const struct page_subject *subject, const char *path)
{
    struct output_file file;
    char *data = page_data_fitting(subject);
    if (!data)
        return message_no_memory("html");
    if (!output_file_open(&file, path)) {
        free(data);
        return STATUS_BAD;
    }
    fwrite(page_head, 1, page_head_size, file.stream);
    page_embed_json(data, file.stream);
    fwrite(page_tail, 1, page_tail_size, file.stream);
    free(data);
    return output_file_close(&file, true) ? STATUS_DONE : STATUS_BAD;
}
