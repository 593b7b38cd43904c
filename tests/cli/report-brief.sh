# For tools: one sentence, what matters, at most 6,000 bytes.
{
    echo "main 1 1000000"
    for i in $(seq 400); do echo "  a_function_with_a_rather_long_name_of_which_there_are_many_number_$i $i 1000000"; done
} | make_profile data command=./shop
pcomp report data --format brief >brief
[ "$(wc -c <brief)" -le 6000 ] || wc -c brief
head -n 5 brief; tail -n 1 brief
pcomp report data --format brief --limit 1 --sort calls
pcomp report data --format brief --view tree; echo $?
# A long command: its program's name alone is whole.
echo "main 1 1000000" | make_profile long command="./a/folder/that/nobody/has/seen/shop --with a --lot of --arguments"
pcomp report long --format brief | head -n 1
