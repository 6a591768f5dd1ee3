import sys

from omegaconf import OmegaConf

from distill.engine import Engine


def main():
    cfg = OmegaConf.merge(OmegaConf.load("distill.yaml"), OmegaConf.from_cli(sys.argv[1:]))
    engine = Engine(cfg)
    engine.fit_teacher()
    engine.distill()
    engine.finish()


if __name__ == "__main__":
    main()
