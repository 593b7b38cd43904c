# Waits that no rule covers are named, with their time, in the summary and in the waiting.
make_trace data command=./waits <<"END"
location main pid=1000
1000 enter main
1100 enter look
1150 external_begin 2
1650 external_end 2
1700 external_begin 10
1800 external_end 10
1900 exit look
2000 exit main
END
pcomp replay data -o out | sed 's/; bookkeeping.*//'
echo
pcomp report out --view waiting | sed 's,/.*/,,'
pcomp replay data -o out --format json | grep -A 4 '"external_waits"'
