from omegaconf import OmegaConf


def read_conf(experiment, overrides=()):
    defaults = OmegaConf.load("experiments/defaults.yaml")
    exp = OmegaConf.load(f"experiments/{experiment}.yaml")
    conf = OmegaConf.merge(defaults, exp, OmegaConf.from_dotlist(list(overrides)))
    OmegaConf.resolve(conf)
    return conf
