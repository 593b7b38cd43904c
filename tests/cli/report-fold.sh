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
paths() { columns depth name N compensated_inclusive_ns compensated_exclusive_ns | tr , ' '; }
pcomp report data --view tree --format csv | paths
echo; pcomp report data --view tree --format csv --fold-recursion | paths
echo; pcomp report data --view tree --format csv --fold 'std::*' | paths
echo; pcomp report data --format csv --fold 'std::*' | columns name compensated_exclusive_ns compensated_inclusive_ns N
echo; pcomp report data --view tree -q | sed -n '/call path/,/^$/p'
pcomp report data --fold main --format csv | columns name compensated_exclusive_ns compensated_inclusive_ns | head -n 3 # nobody called it: it stays
