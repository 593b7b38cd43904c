# A program that calms down is counted exactly again, and the report says so.
pcomp record --budget 2% -- calming_load 2>/dev/null
pcomp report --format json 2>/dev/null | grep -o '"mode": "burst"'
pcomp report --format json 2>/dev/null | grep -o '"returns": [1-9]'
pcomp report 2>/dev/null | grep -o 'every call was counted again 1 time'
