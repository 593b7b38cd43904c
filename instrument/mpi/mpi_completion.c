/* The end of requests: waiting, testing, cancelling, freeing.
 *
 * A handle is gone when its request is done, so handles are copied before. A test that finds nothing is not recorded;
 * one that finds something has not waited, so all of it is recorded behind it. */
#include "instrument/exported.h"
#include "instrument/mpi/mpi_muted.h"
#include "instrument/mpi/mpi_pages.h"
#include "instrument/mpi/mpi_request.h"

#define ON_STACK 64 /* requests of a call for which no memory is asked */

/* What a call is about, before it changes it. */
struct completion {
    int count;
    bool recorded; /* WAIT_ENTER was */
    bool outside;  /* EXTERNAL_BEGIN was: it waits for requests of which nothing is recorded alone */
    uint64_t *keys;
    MPI_Status *statuses; /* of the program, or ours */
    void *pages;
    size_t pages_size;
    uint64_t own_keys[ON_STACK];
    MPI_Status own_statuses[ON_STACK];
};

/* False: there is no memory; nothing is recorded. `statuses` NULL: the program wants none. */
static bool completion_begin(struct completion *call, int count, const MPI_Request *requests, MPI_Status *statuses)
{
    call->count = count > 0 ? count : 0;
    call->recorded = call->outside = false;
    call->pages = NULL;
    call->keys = call->own_keys;
    call->statuses = statuses ? statuses : call->own_statuses;
    if (count > ON_STACK) {
        call->pages_size = (size_t)count * (sizeof *call->keys + sizeof *call->statuses);
        call->pages = pages_new(call->pages_size);
        if (!call->pages)
            return false;
        call->keys = call->pages;
        call->statuses = statuses ? statuses : (MPI_Status *)(call->keys + count);
    }
    for (int i = 0; i < call->count; i++)
        call->keys[i] = requests[i] == MPI_REQUEST_NULL ? 0 : request_key(requests[i]);
    return true;
}

static void completion_enter(struct completion *call)
{
    if (!call->recorded)
        pcomp_trace_event(PCOMP_EVENT_WAIT_ENTER, 0);
    call->recorded = true;
}

/* Tests in a row that find nothing are one wait, until one finds something or the thread waits: recorded each, they
 * would be the most of a trace. */
static __thread bool testing;

static void test_found_nothing(void)
{
    if (!testing)
        pcomp_trace_event(PCOMP_EVENT_EXTERNAL_BEGIN, PCOMP_EXTERNAL_TEST);
    testing = true;
}

static void testing_ends(void)
{
    if (testing)
        pcomp_trace_event(PCOMP_EVENT_EXTERNAL_END, PCOMP_EXTERNAL_TEST);
    testing = false;
}

/* A call that waits begins. */
static void completion_wait(struct completion *call)
{
    bool any = false, known = false;
    testing_ends();
    for (int i = 0; i < call->count && !known; i++) {
        any |= call->keys[i] != 0;
        known = call->keys[i] && request_is_known(call->keys[i]);
    }
    call->outside = any && !known; /* of nonblocking collectives and one-sided communication */
    if (call->outside)
        pcomp_trace_event(PCOMP_EVENT_EXTERNAL_BEGIN, PCOMP_EXTERNAL_COLLECTIVE);
    else
        completion_enter(call);
}

static void completion_end(struct completion *call)
{
    if (call->outside)
        pcomp_trace_event(PCOMP_EVENT_EXTERNAL_END, PCOMP_EXTERNAL_COLLECTIVE);
    if (call->recorded)
        pcomp_trace_event(PCOMP_EVENT_WAIT_EXIT, 0);
    pages_free(call->pages, call->pages_size);
}

/* The request with the index is done. */
static void completion_of(struct completion *call, int index, int result, const MPI_Status *status)
{
    struct request_end end = {.goes_on = index >= 0 && index < call->count && call->keys[index]};
    while (end.goes_on && request_finish(call->keys[index], &end)) {
        int cancelled = 0;
        if (end.cancelled)
            MUTED(PMPI_Test_cancelled(status, &cancelled));
        completion_enter(call);
        if (cancelled)
            message_gone(&end.message);
        else
            message_done(&end.message, result, status);
        request_release(&end);
    }
}

static int error_class(int result)
{
    int class = MPI_SUCCESS;
    if (result != MPI_SUCCESS)
        MUTED(PMPI_Error_class(result, &class));
    return class;
}

/* One of the requests is done, `*index` says which where the call has got so far. */
static void completion_of_any(struct completion *call, int result, const int *index)
{
    int class = error_class(result);
    if (class == MPI_SUCCESS || class == MPI_ERR_TRUNCATE)
        completion_of(call, *index, result, call->statuses);
}

/* `count` requests are done: those with the indices, or the first ones. */
static void completion_of_some(struct completion *call, int result, int count, const int *indices)
{
    bool each = error_class(result) == MPI_ERR_IN_STATUS;
    if (result != MPI_SUCCESS && !each)
        return;
    for (int i = 0; i < count; i++) {
        int own = each ? call->statuses[i].MPI_ERROR : MPI_SUCCESS;
        if (error_class(own) != MPI_ERR_PENDING)
            completion_of(call, indices ? indices[i] : i, own, &call->statuses[i]);
    }
}

static MPI_Status *wanted(MPI_Status *statuses)
{
    return statuses == MPI_STATUSES_IGNORE ? NULL : statuses;
}

static MPI_Status *wanted_one(MPI_Status *status)
{
    return status == MPI_STATUS_IGNORE ? NULL : status;
}

EXPORT int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct completion call;
    if (!mpi_traced || !completion_begin(&call, 1, request, wanted_one(status)))
        return WAITS(PCOMP_WAITING_MESSAGE, 0, PMPI_Wait(request, status));
    completion_wait(&call);
    int result = MUTED(PMPI_Wait(request, call.statuses));
    completion_of(&call, 0, result, call.statuses);
    completion_end(&call);
    return result;
}

EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct completion call;
    if (!mpi_traced || !completion_begin(&call, count, requests, wanted(statuses)))
        return WAITS(PCOMP_WAITING_MESSAGE, 0, PMPI_Waitall(count, requests, statuses));
    completion_wait(&call);
    int result = MUTED(PMPI_Waitall(count, requests, call.statuses));
    completion_of_some(&call, result, call.count, NULL);
    completion_end(&call);
    return result;
}

EXPORT int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct completion call;
    if (!mpi_traced || !completion_begin(&call, count, requests, wanted_one(status)))
        return WAITS(PCOMP_WAITING_MESSAGE, 0, PMPI_Waitany(count, requests, index, status));
    completion_wait(&call);
    int result = MUTED(PMPI_Waitany(count, requests, index, call.statuses));
    completion_of_any(&call, result, index);
    completion_end(&call);
    return result;
}

EXPORT int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    struct completion call;
    if (!mpi_traced || !completion_begin(&call, count, requests, wanted(statuses)))
        return WAITS(PCOMP_WAITING_MESSAGE, 0, PMPI_Waitsome(count, requests, done, indices, statuses));
    completion_wait(&call);
    int result = MUTED(PMPI_Waitsome(count, requests, done, indices, call.statuses));
    completion_of_some(&call, result, *done, indices);
    completion_end(&call);
    return result;
}

/* After a test: whether it failed, or found a request that has ended. */
static bool test_found(int result, bool found)
{
    if (result == MPI_SUCCESS && !found) {
        test_found_nothing();
        return false;
    }
    testing_ends();
    return true;
}

EXPORT int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct completion call;
    if (!mpi_traced || !completion_begin(&call, 1, request, wanted_one(status)))
        return PMPI_Test(request, flag, status);
    int result = MUTED(PMPI_Test(request, flag, call.statuses));
    if (test_found(result, *flag))
        completion_of(&call, 0, result, call.statuses);
    completion_end(&call);
    return result;
}

EXPORT int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct completion call;
    if (!mpi_traced || !completion_begin(&call, count, requests, wanted(statuses)))
        return PMPI_Testall(count, requests, flag, statuses);
    int result = MUTED(PMPI_Testall(count, requests, flag, call.statuses));
    if (test_found(result, *flag))
        completion_of_some(&call, result, call.count, NULL);
    completion_end(&call);
    return result;
}

EXPORT int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    struct completion call;
    if (!mpi_traced || !completion_begin(&call, count, requests, wanted_one(status)))
        return PMPI_Testany(count, requests, index, flag, status);
    int result = MUTED(PMPI_Testany(count, requests, index, flag, call.statuses));
    if (test_found(result, *flag))
        completion_of_any(&call, result, index);
    completion_end(&call);
    return result;
}

EXPORT int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    struct completion call;
    if (!mpi_traced || !completion_begin(&call, count, requests, wanted(statuses)))
        return PMPI_Testsome(count, requests, done, indices, statuses);
    int result = MUTED(PMPI_Testsome(count, requests, done, indices, call.statuses));
    test_found(result, *done);
    completion_of_some(&call, result, *done, indices);
    completion_end(&call);
    return result;
}

EXPORT int MPI_Cancel(MPI_Request *request)
{
    if (!mpi_traced)
        return PMPI_Cancel(request);
    request_cancel(request_key(*request));
    return MUTED(PMPI_Cancel(request));
}

EXPORT int MPI_Request_free(MPI_Request *request)
{
    struct request_end end = {.goes_on = true};
    if (!mpi_traced)
        return PMPI_Request_free(request);
    while (end.goes_on && *request != MPI_REQUEST_NULL && request_forget(request_key(*request), &end)) {
        message_gone(&end.message);
        request_release(&end);
    }
    return MUTED(PMPI_Request_free(request));
}
