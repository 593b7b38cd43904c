#!/bin/bash
# lone_locks_code.sh LIBRARY: the functions that take and release mutexes of the only thread lie where samples look for them
# (LONE_LOCKS_CODE of instrument/sync/lone_locks.h): else what they take would be the price of events. Those that are not
# exported may be a part of these.
set -u
nm "$1" | awk -v library="$1" '
    { at[$3] = $1 "" }
    function look(name) {
        if (at[name] >= at["__start_pcomp_locks"] && at[name] < at["__stop_pcomp_locks"]) return
        print library ": " name " is not in pcomp_locks"
        bad = 1
    }
    END {
        count = split("pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock", exported, " ")
        for (i = 1; i <= count; i++) look(exported[i])
        count = split("mutex_lock mutex_taken_alone mutex_is_locked_again mutex_unlock_releases mutex_object mutex_is_shared",
                      others, " ")
        for (i = 1; i <= count; i++) if (others[i] in at) look(others[i])
        exit bad
    }'
