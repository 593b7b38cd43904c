"""check_export.py FORMAT FILE: whether a file that pcomp export wrote is what the other tool's schema and reader ask for,
and what is in it. The numbers of protobuf fields are those of the public schemas, and are not read from ours."""
import gzip
import json
import struct
import sys

problems = 0


def require(holds, what):
    global problems
    if not holds:
        print("WRONG:", what)
        problems += 1


# --- protobuf ---------------------------------------------------------------------------------------------------------


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """The fields of a message: (number, wire type, value), in their order."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif wire == 2:
            size, at = varint(data, at)
            require(at + size <= len(data), "a field reaches behind its message")
            value, at = data[at : at + size], at + size
        else:
            raise ValueError("wire type %d" % wire)
        yield number, wire, value


def message(data, known):
    """By name: the value of each known field; of names that end in [], all of them."""
    result = {name[:-2]: [] for name in known.values() if name.endswith("[]")}
    for number, wire, value in fields(data):
        require(number in known, "field %d is not in the schema" % number)
        name = known.get(number, "?")
        if name.endswith("[]"):
            result[name[:-2]].append((wire, value))
        else:
            result[name] = value
    return result


def numbers(parts):
    """Of a repeated number, packed or not."""
    result = []
    for wire, value in parts:
        if wire == 2:
            at = 0
            while at < len(value):
                number, at = varint(value, at)
                result.append(number)
        else:
            result.append(value)
    return result


def check_pprof(path):
    data = gzip.open(path).read()
    p = message(data, {1: "types[]", 2: "samples[]", 3: "mappings[]", 4: "locations[]", 5: "functions[]", 6: "texts[]",
                       10: "duration_nanos", 13: "comments[]", 14: "default_type"})
    texts = [value.decode("utf-8") for _, value in p["texts"]]
    require(texts and texts[0] == "", "the first text is not empty")
    require(len(set(texts)) == len(texts), "a text is there twice")
    functions, locations, mappings = {}, {}, {}
    for _, data in p["functions"]:
        f = message(data, {1: "id", 2: "name", 3: "system", 4: "file", 5: "line"})
        require(f["id"] not in functions, "a function's id is there twice")
        functions[f["id"]] = texts[f["name"]], texts[f.get("file", 0)], f.get("line", 0)
    for _, data in p["mappings"]:
        m = message(data, {1: "id", 5: "filename", 7: "f", 8: "n", 9: "l"})
        mappings[m["id"]] = texts[m["filename"]]
    for _, data in p["locations"]:
        place = message(data, {1: "id", 2: "mapping", 4: "lines[]"})
        require(place["id"] not in locations, "a location's id is there twice")
        require(place.get("mapping", 0) in {0, *mappings}, "a location's mapping is not there")
        line = message(place["lines"][0][1], {1: "function", 2: "line"})
        locations[place["id"]] = functions[line["function"]][0]
    types = []
    for _, data in p["types"]:
        t = message(data, {1: "type", 2: "unit"})
        types.append("%s/%s" % (texts[t["type"]], texts[t["unit"]]))
    print(*types, "default", texts[p["default_type"]])
    for _, data in p["samples"]:
        s = message(data, {1: "locations[]", 2: "values[]", 3: "labels[]"})
        values, labels = numbers(s["values"]), []
        require(len(values) == len(types), "a sample has other values than there are types")
        for _, label in s["labels"]:
            pair = message(label, {1: "key", 2: "str"})
            labels.append(texts[pair["key"]] + "=" + texts[pair["str"]])
        stack = [locations[n] for n in reversed(numbers(s["locations"]))]
        print(*labels, " > ".join(stack[:6]) + (" ... %d" % len(stack) if len(stack) > 6 else ""), *values)
    for i in numbers(p["comments"]):
        print("comment:", texts[i])


def check_perfetto(path):
    data = open(path, "rb").read()
    sequences, names, tracks, flows, events = {}, {}, {}, {}, 0
    for number, _, packet in fields(data):
        require(number == 1, "what is no packet")
        p = message(packet, {6: "clock", 8: "timestamp", 10: "sequence", 11: "event", 12: "interned", 13: "flag",
                             58: "clock_id", 59: "default", 60: "track"})
        sequence = p["sequence"]
        if p.get("flag") == 1:
            require(sequence not in sequences, "a sequence begins twice")
            clocks = [message(value, {1: "id", 2: "time", 3: "incremental"})
                      for _, value in message(p["clock"], {1: "clocks[]"})["clocks"]]
            require([c["id"] for c in clocks] == [6, 64] and clocks[1]["incremental"], "the clocks are not two")
            defaults = message(p["default"], {11: "event", 58: "clock_id"})
            require(defaults["clock_id"] == 64, "the default clock is not the sequence's own")
            track = message(defaults["event"], {11: "track"})["track"]
            sequences[sequence] = {"track": track, "now": clocks[1]["time"], "open": [], "slices": 0, "last": 0}
            continue
        if "track" in p:
            t = message(p["track"], {1: "uuid", 2: "name", 3: "process", 4: "thread"})
            require(t["uuid"] not in tracks, "a track is told of twice")
            about = message(t["process"], {1: "pid", 6: "name"}) if "process" in t else message(
                t["thread"], {1: "pid", 2: "tid", 5: "name"})
            tracks[t["uuid"]] = "thread" in t, about["pid"], about["name"].decode("utf-8")
            continue
        events += 1
        state = sequences[sequence]
        require(p["flag"] == 2, "an event says that it needs no state")
        event = message(p["event"], {3: "categories[]", 9: "type", 10: "name", 47: "flows[]", 48: "ends[]"})
        for _, interned in message(p.get("interned", b""), {1: "categories[]", 2: "names[]"})["names"]:
            n = message(interned, {1: "iid", 2: "name"})
            require((sequence, n["iid"]) not in names, "a name is interned twice")
            names[sequence, n["iid"]] = n["name"].decode("utf-8")
        if p.get("clock_id") == 6:
            time = p["timestamp"]
        else:
            time = state["now"] = state["now"] + p["timestamp"]
        if event["type"] == 1:
            state["open"].append((names[sequence, event["name"]], time))
        elif event["type"] == 2:
            require(state["open"], "a slice ends that has not begun")
            name, begin = state["open"].pop()
            state["slices"] += 1
            state["last"] = time
            if len(sys.argv) > 3:
                print("%s%s %d %d" % ("  " * len(state["open"]), name, begin, time - begin))
        else:
            require(event["type"] == 3 and event["name"], "an event of another type")
            for wire, flow in event["flows"] + event["ends"]:
                require(wire == 1, "a flow's id is not of fixed size")
                flows.setdefault(flow, []).append((time, names[sequence, event["name"]]))
    for sequence in sorted(sequences):
        state = sequences[sequence]
        thread, pid, name = tracks[state["track"]]
        process = [t[2] for t in tracks.values() if not t[0] and t[1] == pid]
        require(thread and len(process) == 1, "a sequence without its process and thread")
        require(not state["open"], "a slice has no end")
        print("%s, %s: %d slices, until %d ns" % (process[0], name, state["slices"], state["last"]))
    for flow in flows.values():
        require(len(flow) == 2 and flow[0][0] <= flow[1][0], "a flow has not two ends")
    print(len(flows), "flows")
    if events > 1000:  # heads and names no longer matter
        print("at most 15 bytes an event" if len(data) <= 15 * events else "more than 15 bytes an event")


# --- JSON -------------------------------------------------------------------------------------------------------------


def check_speedscope(path):
    p = json.load(open(path, encoding="utf-8"))
    require(p["$schema"] == "https://www.speedscope.app/file-format-schema.json", "its schema is not named")
    frames = p["shared"]["frames"]
    for frame in frames:
        require(isinstance(frame["name"], str) and set(frame) <= {"name", "file", "line", "col"}, "a frame is wrong")
    require(0 <= p["activeProfileIndex"] < len(p["profiles"]), "the active profile is not there")
    for profile in p["profiles"]:
        require(profile["type"] == "evented" and profile["unit"] == "nanoseconds", "the profile's type or unit")
        open_frames, now, paths = [], profile["startValue"], []
        for event in profile["events"]:
            require(event["at"] >= now, "time steps back")
            if open_frames and event["at"] > now:
                paths.append((" > ".join(frames[f]["name"] for f in open_frames), event["at"] - now))
            now = event["at"]
            if event["type"] == "O":
                require(0 <= event["frame"] < len(frames), "a frame is not there")
                open_frames.append(event["frame"])
            else:
                require(open_frames and open_frames.pop() == event["frame"], "frames do not nest")
        require(not open_frames and profile["endValue"] >= now, "a frame stays open, or the end is too early")
        print(profile["name"], profile["endValue"])
        for stack, time in paths:
            print(" ", stack, time)


def check_cpuprofile(path):
    p = json.load(open(path, encoding="utf-8"))
    nodes = {node["id"]: node for node in p["nodes"]}
    require(len(nodes) == len(p["nodes"]), "an id is there twice")
    parents = {}
    for node in p["nodes"]:
        frame = node["callFrame"]
        require(set(frame) == {"functionName", "scriptId", "url", "lineNumber", "columnNumber"}, "a call frame is wrong")
        require(isinstance(node["hitCount"], int), "a hit count is no number")
        for child in node["children"]:
            require(child in nodes and child not in parents, "a child is not there, or has two parents")
            parents[child] = node["id"]
    require([n for n in nodes if n not in parents] == [p["nodes"][0]["id"]], "there is not one root")
    require(len(p["samples"]) == len(p["timeDeltas"]), "samples and times differ in number")
    require(min(p["timeDeltas"]) >= 0 and sum(p["timeDeltas"]) == p["endTime"] - p["startTime"], "times do not add up")
    lengths = p["timeDeltas"][1:] + [0]
    for sample, length in zip(p["samples"], lengths):
        path = []
        while sample in parents:
            path.append(nodes[sample]["callFrame"]["functionName"])
            sample = parents[sample]
        if path:
            print(" > ".join(reversed(path)), length)


def check_firefox(path):
    p = json.load(open(path, encoding="utf-8"))
    meta, shared = p["meta"], p["shared"]
    require(meta["preprocessedProfileVersion"] == 61 and meta["symbolicated"], "its version, or it asks for symbols")
    require(any(c["color"] == "grey" for c in meta["categories"]), "there is no default category")
    texts = shared["stringArray"]
    tables = {name: shared[name] for name in
              ("funcTable", "frameTable", "stackTable", "sources", "resourceTable", "nativeSymbols")}
    for thread in p["threads"]:
        tables["samples of " + thread["name"]] = thread["samples"]
        tables["markers of " + thread["name"]] = thread["markers"]
    for name, table in tables.items():
        for key, values in table.items():
            if isinstance(values, list):
                require(len(values) == table["length"], "%s.%s has another length" % (name, key))
    functions, frames, stacks = shared["funcTable"], shared["frameTable"], shared["stackTable"]

    def refers(values, count, least=0):
        return all(v is None or least <= v < count for v in values)

    require(refers(functions["name"], len(texts)), "a function's name is not there")
    require(refers(functions["source"], shared["sources"]["length"]), "a function's source is not there")
    require(refers(functions["resource"], shared["resourceTable"]["length"], -1), "a function's resource is not there")
    require(refers(shared["sources"]["filename"], len(texts)), "a source's name is not there")
    require(refers(shared["resourceTable"]["lib"], len(p["libs"])), "a library is not there")
    require(refers(frames["func"], functions["length"]), "a frame's function is not there")
    require(refers(frames["category"], len(meta["categories"])), "a frame's category is not there")
    require(refers(stacks["frame"], frames["length"]), "a stack's frame is not there")
    for i, prefix in enumerate(stacks["prefix"]):
        require(prefix is None or 0 <= prefix < i, "a stack comes before what is around it")
    for thread in p["threads"]:
        samples = thread["samples"]
        require(isinstance(thread["pid"], str) and samples["weightType"] == "tracing-ms", "a thread's pid, or weights")
        require(refers(samples["stack"], stacks["length"]), "a sample's stack is not there")
        require(samples["time"] == sorted(samples["time"]), "samples are not in order of time")
        print(thread["processName"], thread["name"] + (", main" if thread["isMainThread"] else ""))
        for stack, weight in zip(samples["stack"], samples["weight"]):
            category = meta["categories"][frames["category"][stacks["frame"][stack]] or 0]["name"]
            path = []
            while stack is not None:
                path.append(texts[functions["name"][frames["func"][stacks["frame"][stack]]]])
                stack = stacks["prefix"][stack]
            path = path[::-1]
            print(" ", " > ".join(path[:6]) + (" ... %d" % len(path) if len(path) > 6 else ""), category, weight)


{"pprof": check_pprof, "perfetto": check_perfetto, "speedscope": check_speedscope, "cpuprofile": check_cpuprofile,
 "firefox": check_firefox}[sys.argv[1]](sys.argv[2])
sys.exit(problems != 0)
