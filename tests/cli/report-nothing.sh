# A profile without a call says so, and where the reason is.
make_profile data command="./shop" < /dev/null
pcomp report data
