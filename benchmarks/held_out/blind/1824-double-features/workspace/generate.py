import json
import random

random.seed(2)
WEIGHT = {"C": -0.45, "N": 0.5, "O": 0.7, "F": -0.1, "Cl": -0.6, "S": -0.2}
mols = []
for i in range(160):
    n = random.randint(3, 11)
    atoms = random.choices(list(WEIGHT), weights=[8, 2, 3, 1, 1, 1], k=n)
    bonds = [[random.randrange(max(0, a - 2), a), a, random.choice([1, 1, 1, 2])] for a in range(1, n)]
    if n > 5 and random.random() < 0.5:
        bonds.append([0, n - 1, 1])
    logs = sum(WEIGHT[a] for a in atoms) + 0.25 * sum(b[2] == 2 for b in bonds) + random.gauss(0, 0.1)
    mols.append({"name": f"mol-{i:03d}", "atoms": atoms, "bonds": bonds, "logS": round(logs, 3)})
with open("data/molecules.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(m) for m in mols) + "\n]\n")
