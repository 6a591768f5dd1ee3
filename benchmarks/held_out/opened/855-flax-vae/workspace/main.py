from configs import default
from vae import train


def main():
    config = default.get_config()
    print(config)
    train.train_and_evaluate(config)


if __name__ == "__main__":
    main()
