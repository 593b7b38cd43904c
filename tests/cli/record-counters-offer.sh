pcomp record --counters NO_SUCH_COUNTER -- sample 2>&1 | sed 's/\(machine\).* (this machine offers: .*/\1 (OFFER/'
