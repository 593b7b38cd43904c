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
pcomp annotate data --format json >json/annotate 2>/dev/null
pcomp info --build --format json >json/build
pcomp calibrate --runs 1 --format json >json/calibrate
pcomp verify -n 1 --plain sample_plain --instrumented sample --format json >json/verify 2>/dev/null
pcomp consult -o json/consult --format json -- spin >/dev/null 2>consult.err || cat consult.err
# shellcheck source=tests/cli/trace_cases.sh
. "$(dirname "$case")/trace_cases.sh"
barrier_trace traced
pcomp replay traced -o replayed --format json >json/replay
pcomp replay traced -o shared --cores 2 --format json >json/replay.cores
pcomp report replayed --format json >json/report.replayed
pcomp report replayed --view waiting --format json >json/report.waiting
pcomp replay traced --what-if all --format json >json/what-if
pcomp html data -o page.html
pcomp html data counted -o page.compared.html
pcomp html replayed -o page.timeline.html
cat >check.py <<'END'
import glob, json, jsonschema, os, re, sys
schemas = {os.path.basename(path): json.load(open(path)) for path in glob.glob(sys.argv[1] + "/*.schema.json")}
documents = {name: json.load(open("json/" + name)) for name in os.listdir("json")}
for page in glob.glob("page*.html"): # the data that its script reads
    text = re.search('<script type="application/json" id="data">(.*?)</script>', open(page).read(), re.S).group(1)
    document = documents[page[:-5]] = json.loads(text)
    if document.get("sources"):
        documents[page[:-5] + ".sources"] = document["sources"]
unused = set(schemas)
assert "pace" in documents["replay.cores"]
for name, document in sorted(documents.items()):
    schema = schemas[document["schema"].replace("/", "-") + ".schema.json"]
    unused.discard(schema["$id"])
    jsonschema.Draft202012Validator.check_schema(schema)
    unlisted = set(document) - set(schema["properties"]) if document["schema"] == "pcomp-replay/1" else None
    if unlisted:
        print(name, "has what no schema lists:", *sorted(unlisted))
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(document))
    print(name, document["schema"], "valid" if not errors else errors[0].message[:200] + " at " + errors[0].json_path)
print("not tried:", *sorted(unused))
END
python3 check.py "$(dirname "$case")/../../docs/schema"
