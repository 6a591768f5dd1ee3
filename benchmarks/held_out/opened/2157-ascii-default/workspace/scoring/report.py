from collections import Counter


def recall_by_team(pairs, teams):
    """pairs: (wanted, predicted) names of teams."""
    support = Counter(want for want, _ in pairs)
    right = Counter(want for want, got in pairs if want == got)
    return {team: right[team] / support[team] for team in teams}


def print_report(pairs, teams):
    for team, recall in recall_by_team(pairs, teams).items():
        print(f"{team:10s} recall {recall:.2f}")
    print(f"accuracy   {sum(w == g for w, g in pairs) / len(pairs):.2f}")
