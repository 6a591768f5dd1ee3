import numpy as np

# age groups of the survey: 18-24, 25-34, 35-49, 50-64, 65-89
AGE_EDGES = [18, 25, 35, 50, 65, 90]
AGE_NAMES = ["18-24", "25-34", "35-49", "50-64", "65+"]

INCOME_EDGES = [15_000, 30_000, 60_000]


def age_to_bucket(age):
    """Index into AGE_NAMES for every age."""
    return np.digitize(age, AGE_EDGES)


def income_to_code(income):
    """0 = lowest bracket, 3 = highest."""
    return np.digitize(income, INCOME_EDGES)


def describe(buckets):
    counts = np.bincount(buckets, minlength=len(AGE_NAMES))
    return ", ".join(f"{n}: {c}" for n, c in zip(AGE_NAMES, counts))
