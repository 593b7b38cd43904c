# What the commands write in JSON has the form that the installed schemas tell.
python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
make_profile data spread=0.5 command="./shop --fast" <<"END"
main 1 1000000
  parse 1000 4000000
    next 2000000 6000000
thread worker
  work 1 5000000
END
make_profile counted flags=512 price=2 <<"END"
main 1 1000000
  wait 1 2000000 1500000 0
count tiny 100000 live counted
END
make_profile spread <<"END"
main 1 1000000
  serve 1000 40000000
times serve 40000 1000
END
mkdir json
for view in flat tree callers; do pcomp report data --view $view --format json >json/report.$view; done
pcomp report counted --format json >json/report.counted
pcomp report data --view cost --format json >json/cost
pcomp report spread --view spread --format json >json/report.spread
pcomp diff data counted --format json >json/diff
pcomp diff --before data data --after counted --format json >json/diff.sets
pcomp compare data --format json >json/compare
pcomp info data --format json >json/info
pcomp advise data --format json >json/advise
pcomp predict data --mode full --format json >json/predict
pcomp top counted --format json >json/top
cat >check.py <<'END'
import json, jsonschema, os, sys
schemas = sys.argv[1]
for name in sorted(os.listdir("json")):
    document = json.load(open("json/" + name))
    schema = json.load(open("%s/%s.schema.json" % (schemas, document["schema"].replace("/", "-"))))
    jsonschema.Draft202012Validator.check_schema(schema)
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
    print(name, document["schema"], "valid" if not errors else errors[0].message[:200] + " at " + errors[0].json_path)
END
python3 check.py "$(dirname "$case")/../../docs/schema"
