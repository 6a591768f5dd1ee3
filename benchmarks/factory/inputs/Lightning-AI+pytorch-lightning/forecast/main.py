"""python forecast/main.py fit --config forecast/config.yaml"""
from lightning.pytorch.cli import LightningCLI

if __name__ == "__main__":
    cli = LightningCLI(save_config_kwargs={"overwrite": True})
    print("best", cli.trainer.checkpoint_callback.best_model_path)
    print(f"validation error {cli.trainer.checkpoint_callback.best_model_score:.4f}")
