# A semaphore's case C: unmeasured, the second V would have come first.
make_trace data <<"END"
location main pid=1000
0900 sem_init 8 a=0
1000 enter wait
1010 sem_p_s 8
1020 sem_p_w 8
1310 sem_p_e 8
1400 sem_p_s 8
1410 sem_p_w 8
1470 sem_p_e 8
1500 exit wait
location first pid=1000
1000 enter post
1290 sem_v 8
1350 exit post
location second pid=1000
repeat 20 20
1000 enter post
1010 exit post
end
1450 sem_v 8
END
pcomp replay data -o out | sed -n 's/, blind.*//; /^violations/p; /^note: violation/p'
pcomp replay data -o stopped --on-violation stop; echo $?
ls
