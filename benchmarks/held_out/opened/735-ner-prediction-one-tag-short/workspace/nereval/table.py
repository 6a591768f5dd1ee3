def render(rows):
    lines = [f"{'label':<10} {'P':>6} {'R':>6} {'F1':>6}"]
    for name, p, r, f in rows:
        lines.append(f"{name:<10} {p:6.3f} {r:6.3f} {f:6.3f}")
    return "\n".join(lines)
