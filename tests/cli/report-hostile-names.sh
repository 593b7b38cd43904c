make_profile data command='./x\x1b]0;owned\x07' <<'END'
main 1 1000000
  \x1b[31mred\x1b[0m 1 2000000
  line\x0abreak 1 3000000
  bad\xff\xc3utf8 1 4000000
  "quo,ted" 1 5000000
  right\xe2\x80\xaeleft 1 6000000
END
pcomp report data | cat -v
pcomp report data --view tree --format csv | cut -d, -f4 | cat -v
pcomp report data --format json | grep -c '[[:cntrl:]]\[31m'
pcomp export data --format folded -o - | cat -v
# What a spreadsheet would take for a formula is quoted.
make_profile formulas <<'END'
main 1 1000000
  =HYPERLINK("x") 1 2000000
  \x2d[View.draw] 1 3000000
  +1 1 4000000
  @SUM(A1) 1 5000000
END
pcomp report formulas --format csv | cut -d, -f1 | sort
pcomp report formulas --view tree --format csv 2>/dev/null | grep -c "^[^,]*,[^,]*,[^,]*,[-=+@]"
exit 0
