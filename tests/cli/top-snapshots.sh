# A run that has ended: totals, once.
make_profile data command="./shop --fast" flags=512 price=0 <<"END"
main 1 1000000
  wait 1 2000000 1500000 0
  計算 7 4000000
thread worker
work 1 5000000
END
clock() { sed 's/^[0-9:]*  /TIME  /'; }
pcomp top data | clock
pcomp top data --limit 1 --raw | clock
pcomp top data --inclusive --sort name | clock | cut -c 1-61
LC_ALL=C pcomp top data --limit 2 | clock
pcomp top data --format json | python3 -c '
import json, sys
for line in sys.stdin:
    d = json.loads(line)
    print(d["schema"], d["state"], d["unit"], d["seconds"], d["threads"], [f["name"] for f in d["functions"]])
    print(d["functions"][0]["exclusive"]["computing"], d["functions"][0]["calls"])'
