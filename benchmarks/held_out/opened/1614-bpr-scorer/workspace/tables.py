from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).parent / "data"


def read_products():
    products = pd.read_csv(ROOT / "products.csv", dtype={"sku": "string"})
    products["price_log"] = np.log1p(products["price"])
    return products


def read_orders():
    orders = pd.read_csv(ROOT / "orders.csv", parse_dates=["ordered_at"])
    orders["sku"] = orders["sku"].astype("string")
    return orders.drop_duplicates(["customer", "sku"])


@dataclass
class Prepared:
    train: pd.DataFrame
    valid: pd.DataFrame
    n_customers: int
    n_items: int
    categories: list


def prepare(valid_share=0.15):
    products, orders = read_products(), read_orders()
    categories = sorted(products["category"].unique())
    orders["customer_idx"], customers = pd.factorize(orders["customer"])
    orders["item_idx"], items = pd.factorize(orders["sku"])
    table = orders.merge(products, on="sku", how="left")
    table["category_idx"] = pd.Categorical(table["category"], categories=categories).codes
    table["price_log"] = table["price_log"].fillna(products["price_log"].median())
    table["weight"] = np.sqrt(table["quantity"])
    table = table.sort_values("ordered_at")
    cut = int(len(table) * (1 - valid_share))
    return Prepared(table.iloc[:cut], table.iloc[cut:], len(customers), len(items), categories)
