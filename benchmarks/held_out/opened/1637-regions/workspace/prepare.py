"""Reads the customer export and turns it into model inputs."""
import pandas as pd


def read_customers(path):
    customers = pd.read_csv(path, dtype={"customer_id": "string"})
    customers["region"] = customers["region"].str.strip().str.lower()
    customers = customers.drop_duplicates("customer_id")
    return customers.sample(frac=1.0, random_state=7).reset_index(drop=True)


def read_regions(path):
    regions = pd.read_csv(path)
    regions["region"] = regions["region"].str.strip().str.lower()
    return regions.sort_values(["region", "year"])


def add_region_statistics(customers, regions):
    columns = ["region", "median_income", "unemployment"]
    return customers.merge(regions[columns], on="region", how="left")


def encode(frame, numeric, categorical):
    numbers = frame[numeric].astype("float32")
    numbers = (numbers - numbers.mean()) / numbers.std()
    dummies = pd.get_dummies(frame[categorical], dtype="float32")
    return pd.concat([numbers, dummies], axis=1)


def build_dataset(settings):
    customers = read_customers(settings["customers"])
    target = customers.pop("churned").to_numpy("float32")
    regions = read_regions(settings["regions"])
    enriched = add_region_statistics(customers, regions)
    features = encode(enriched, settings["numeric"], settings["categorical"])
    if features.isna().any().any():
        raise ValueError("features contain missing values")
    return features.to_numpy("float32"), target
