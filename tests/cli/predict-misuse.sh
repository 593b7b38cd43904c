exec 2>&1
pcomp predict nowhere; echo $?
pcomp predict --from profile nowhere; echo $?
pcomp predict --from static; echo $?
pcomp predict --from profile a b; echo $?
pcomp predict --data d -- sample; echo $?
pcomp predict --from start --mode trace -- sample; echo $?
pcomp predict --from start --format json -- sample; echo $?
pcomp predict --from start -- ./nowhere; echo $?
pcomp predict -- true; echo $?
pcomp predict --mode sampled data; echo $?
