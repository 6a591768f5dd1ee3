"""Reads the export into one graph per zone and joins graphs into batches."""
from __future__ import annotations

from typing import NamedTuple

import pandas as pd
import torch

MATERIALS = {"PE": 0, "DI": 1, "CI": 2, "AC": 3}


class Zone(NamedTuple):
    x: torch.Tensor       # [junctions, 3]
    edge: torch.Tensor    # [2, pipes]
    attr: torch.Tensor    # [pipes, 2 + materials]
    leak: torch.Tensor    # [pipes]


class ZoneBatch(NamedTuple):
    x: torch.Tensor
    edge: torch.Tensor
    attr: torch.Tensor
    leak: torch.Tensor
    zone_of: torch.Tensor


def read_zones(folder):
    junctions = pd.read_csv(f"{folder}/junctions.csv").sort_values(["zone", "junction"])
    pipes = pd.read_csv(f"{folder}/pipes.csv")
    cols = ["elevation_m", "demand_lps", "pressure_bar"]
    junctions[cols] = (junctions[cols] - junctions[cols].mean()) / junctions[cols].std()
    zones = []
    for name, j in junctions.groupby("zone"):
        p = pipes[pipes.zone == name]
        size = torch.tensor(p[["length_m", "diameter_mm"]].to_numpy(), dtype=torch.float32) / 200
        mat = torch.nn.functional.one_hot(torch.tensor(p.material.map(MATERIALS).to_numpy()), len(MATERIALS))
        zones.append(
            Zone(
                torch.tensor(j[cols].to_numpy(), dtype=torch.float32),
                torch.tensor(p[["src", "dst"]].to_numpy().T.copy()),
                torch.cat([size, mat.float()], dim=1),
                torch.tensor(p.leak.to_numpy(), dtype=torch.float32),
            )
        )
    return zones


def join(zones):
    offset, edges, owner = 0, [], []
    for i, z in enumerate(zones):
        edges.append(z.edge + offset)
        owner.append(torch.full((len(z.x),), i))
        offset += len(z.x)
    return ZoneBatch(
        torch.cat([z.x for z in zones]),
        torch.cat(edges, dim=1),
        torch.cat([z.attr for z in zones]),
        torch.cat([z.leak for z in zones]),
        torch.cat(owner),
    )
