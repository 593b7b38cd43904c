# At 80 and 100 columns what is not compensated goes first; names are cut in their middle.
make_profile data command="./shop --fast" <<"END"
main 1 1000000
  parse_all_the_orders_of_the_file_that_was_given_on_the_command_line 1000 4000000
    next 2000000 6000000
END
for columns in 60 80 100 140; do
    COLUMNS=$columns script -qec 'PCOMP_PAGER=cat TERM=xterm NO_COLOR=1 pcomp report -q data' /dev/null | tr -d '\r' |
        sed -n '/calls/,$p' | sed -n '/function/,/^$/p'
done
# Notes break between words.
make_profile noted command="./shop" <<"END"
main 1 1000000
  tiny 1000000 1000
END
COLUMNS=60 script -qec 'PCOMP_PAGER=cat TERM=xterm NO_COLOR=1 pcomp report noted' /dev/null | tr -d '\r' | tail -n 4
# N that is not exact keeps its ±.
make_profile counted flags=512 price=0.5 falls=2 command="./tool in" <<"END"
main 1 10000000
  step 400 40000
count step 99600 live counted
count step 7 common counted
END
COLUMNS=60 script -qec 'PCOMP_PAGER=cat TERM=xterm NO_COLOR=1 pcomp report -q counted' /dev/null | tr -d '\r' |
    sed -n '/calls.*function/,/^$/p'
