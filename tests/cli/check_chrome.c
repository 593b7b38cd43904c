/* check_chrome FILE: whether a file of Chrome's Trace Event Format holds what its readers need, and how much of what.
 *
 * Every B has its E in its thread, times do not step back in a thread, flows have one start and one end, which lie in
 * slices of threads that have names; says how many there are of what. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 1000, DEPTH_MAX = 100 };

struct thread {
    json_int_t pid, tid;
    double last;
    unsigned depth, slices;
    char name[80];
};

static struct thread threads[THREADS_MAX];
static unsigned thread_count, bad;

static struct thread *thread_of(json_t *event)
{
    json_int_t pid = json_integer_value(json_object_get(event, "pid")),
               tid = json_integer_value(json_object_get(event, "tid"));
    for (unsigned i = 0; i < thread_count; i++)
        if (threads[i].pid == pid && threads[i].tid == tid)
            return &threads[i];
    if (thread_count == THREADS_MAX)
        exit(1);
    threads[thread_count] = (struct thread){.pid = pid, .tid = tid};
    return &threads[thread_count++];
}

static void require(bool holds, size_t event, const char *what)
{
    if (!holds)
        printf("event %zu: %s\n", event, what);
    bad += !holds;
}

static void check_slice(json_t *event, size_t index, char type)
{
    struct thread *thread = thread_of(event);
    double time = json_number_value(json_object_get(event, "ts"));
    require(time >= thread->last, index, "time steps back");
    thread->last = time;
    if (type == 'B') {
        thread->depth++;
        thread->slices++;
        require(json_is_string(json_object_get(event, "name")), index, "B without a name");
    } else {
        require(thread->depth > 0, index, "E without its B");
        thread->depth -= thread->depth > 0;
    }
}

static void check_flow(json_t *flows, json_t *event, size_t index, char type)
{
    char id[40];
    snprintf(id, sizeof id, "%lld", (long long)json_integer_value(json_object_get(event, "id")));
    json_t *started = json_object_get(flows, id);
    require(type == 's' ? !started : json_is_true(started), index, "a flow without its other end");
    json_object_set_new(flows, id, type == 's' ? json_true() : json_false());
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *whole = json_load_file(argc == 2 ? argv[1] : "", 0, &error), *flows = json_object(), *event;
    if (!whole) {
        printf("no JSON: line %d: %s\n", error.line, error.text);
        return 1;
    }
    size_t index, flow_count;
    const char *id;
    json_t *state;
    json_array_foreach(json_object_get(whole, "traceEvents"), index, event)
    {
        const char *type = json_string_value(json_object_get(event, "ph"));
        const char *name = json_string_value(json_object_get(event, "name"));
        if (!type) {
            require(false, index, "no type");
        } else if (*type == 'B' || *type == 'E') {
            check_slice(event, index, *type);
        } else if (*type == 's' || *type == 'f') {
            check_flow(flows, event, index, *type);
        } else if (*type == 'M' && name && !strcmp(name, "thread_name")) {
            const char *thread = json_string_value(json_object_get(json_object_get(event, "args"), "name"));
            snprintf(thread_of(event)->name, sizeof threads->name, "%s", thread ? thread : "");
        } else {
            require(*type == 'M', index, "an unknown type");
        }
    }
    flow_count = json_object_size(flows);
    json_object_foreach(flows, id, state) require(json_is_false(state), 0, "a flow does not end");
    for (unsigned i = 0; i < thread_count; i++) {
        if (!threads[i].tid) /* of a process' name */
            continue;
        require(threads[i].depth == 0, 0, "a B without its E");
        require(*threads[i].name, 0, "a thread without a name");
        printf("process %lld %s: %u slices, until %.3f us\n", (long long)threads[i].pid, threads[i].name,
               threads[i].slices, threads[i].last);
    }
    printf("%zu flows\n", flow_count);
    json_decref(whole);
    json_decref(flows);
    return bad > 0;
}
