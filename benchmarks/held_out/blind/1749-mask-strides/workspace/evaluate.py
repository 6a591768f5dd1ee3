import hydra

from waferseg.engine.session import Session
from waferseg.utils.io import load_weights


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    session = Session(cfg)
    load_weights(session.model, cfg.weights)
    for name, score in zip(cfg.class_names, session.validate().tolist()):
        print(f"{name:10s} IoU {score:.3f}")


if __name__ == "__main__":
    main()
