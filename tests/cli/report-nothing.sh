# A profile without a call says so, and where the reason is.
pcomp record --only nosuch -o data -- sample > /dev/null 2> /dev/null
pcomp report data
