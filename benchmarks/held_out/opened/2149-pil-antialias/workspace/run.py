from kp.train import fit

if __name__ == "__main__":
    fit()
