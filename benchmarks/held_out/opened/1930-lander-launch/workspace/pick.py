import glob, json, sys

results = [json.load(open(f)) for f in glob.glob(sys.argv[1] + "/h*/result.json")]
print(max(results, key=lambda r: r["soft"])["history"])
