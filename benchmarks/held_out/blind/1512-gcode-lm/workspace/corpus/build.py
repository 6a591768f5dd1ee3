"""Small CNC programs, one JSON record a line."""
import json
import random

random.seed(4)
OPS = ["pocket", "contour", "drill", "face"]


def program(op):
    lines = [f"( {op} )", "G21 G90", f"M3 S{random.choice([4000, 6000, 8000])}"]
    x, y, z = random.randint(0, 40), random.randint(0, 40), -random.randint(1, 5)
    lines.append(f"G0 X{x} Y{y} Z5")
    for k in range(random.randint(3, 7)):
        if op == "drill":
            lines.append(f"G81 X{x + 10 * k} Y{y} Z{z} R2 F120")
        elif op == "face":
            lines.append(f"G1 X{x if k % 2 else x + 60} Y{y + 6 * k} F600")
        elif op == "pocket":
            lines.append(f"G2 X{x + k} Y{y} I{k + 1} J0 F300")
        else:
            lines.append(f"G1 X{x + random.randint(-20, 20)} Y{y + random.randint(-20, 20)} F450")
    lines += ["G0 Z5", "M5", "M30"]
    return "\n".join(lines)


with open("programs.jsonl", "w") as fh:
    for i in range(260):
        op = random.choice(OPS)
        fh.write(json.dumps({"id": f"O{1000 + i}", "operation": op, "text": program(op)}) + "\n")
