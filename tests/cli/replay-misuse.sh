pcomp replay data; echo $?
pcomp replay -o out; echo $?
pcomp replay data -o out --model both; echo $?
pcomp replay data -o out --comm medium; echo $?
pcomp replay data -o out --actual soon; echo $?
pcomp replay data -o out --on-violation ignore; echo $?
pcomp replay data -o out --jobs 0; echo $?
pcomp replay a b -o out; echo $?
