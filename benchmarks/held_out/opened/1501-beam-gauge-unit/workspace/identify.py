import argparse
import json
from pathlib import Path

import torch

from beam.gauges import read_gauges
from beam.model import BeamNet
from beam.physics import clamped, make_load, residual
from beam.sampling import Collocation, end_points


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("case", type=Path)
    ap.add_argument("--seed", type=int, default=3)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    case = json.loads(args.case.read_text())
    length = case["length_m"]

    s_obs, w_obs, trust = read_gauges(args.case.parent / case["sensors"], length)
    net = BeamNet(**case["net"], ei_guess=case["ei_guess"])
    load = make_load(case["load"])
    draw = Collocation(case["collocation"], seed=args.seed)
    ends = end_points()
    lam = case["weights"]
    opt = torch.optim.Adam(
        [{"params": net.body.parameters()}, {"params": [net.log_ei], "lr": 5 * case["lr"]}],
        lr=case["lr"],
    )
    sched = torch.optim.lr_scheduler.OneCycleLR(
        opt, max_lr=[g["lr"] for g in opt.param_groups], total_steps=case["iterations"]
    )
    print(f"{case['name']}: {len(s_obs)} gauges, {sum(p.numel() for p in net.parameters())} parameters")
    for it in range(1, case["iterations"] + 1):
        opt.zero_grad(set_to_none=True)
        pde = residual(net, draw(), load, length).square().mean()
        bc = clamped(net, ends).square().mean()
        data = (trust * (net(s_obs) - w_obs).square()).mean()
        loss = lam["pde"] * pde + lam["bc"] * bc + lam["data"] * data
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 10.0)
        opt.step()
        sched.step()
        if it % 80 == 0 or it == 1:
            print(f"it {it:4d}  pde {pde:.4e}  bc {bc:.3e}  data {data:.3e}  EI {net.ei:.4f}")
    with torch.no_grad():
        mid = net(torch.tensor([[0.5]])).item()
    print(f"identified EI = {net.ei.item():.3f}, midspan deflection = {mid:.4f}")


if __name__ == "__main__":
    main()
