# Functions that match are part of their callers; recursion is one call path.
make_profile data command=./shop <<"END"
main 1 1000000
  visit 10 1000000
    visit 10 2000000
      visit 10 3000000
        leaf 10 500000
    std::sort 5 4000000
      compare 100 600000
  std::copy 3 700000
END
columns() { awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    { print $at["depth"] $at["name"], $at["N"], $at["compensated_inclusive_ns"], $at["compensated_exclusive_ns"] }'; }
pcomp report data --view tree --format csv | columns
echo; pcomp report data --view tree --format csv --fold-recursion | columns
echo; pcomp report data --view tree --format csv --fold 'std::*' | columns
echo; pcomp report data --format csv --fold 'std::*' | cut -d, -f1,7,9,15
echo; pcomp report data --view tree -q | sed -n '/call path/,/^$/p'
pcomp report data --fold main --format csv | cut -d, -f1,7,9 | head -n 3 # nobody called it: it stays
