pcomp replay data; echo $?
pcomp replay -o out; echo $?
pcomp replay data -o out --model both; echo $?
pcomp replay data -o out --comm medium; echo $?
pcomp replay data -o out --actual soon; echo $?
pcomp replay data -o out --on-violation ignore; echo $?
pcomp replay data -o out --jobs 0; echo $?
pcomp replay data -o out --cores 65537; echo $?
pcomp replay data -o out --cores 2 --model time; echo $?
pcomp replay data -o out --cores 2 --liberal f=static; echo $?
pcomp replay data -o out --what-if f=fast; echo $?
pcomp replay data -o out --what-if all; echo $?
pcomp replay data -o out --what-if f=2x --model time; echo $?
pcomp replay a b -o out; echo $?
