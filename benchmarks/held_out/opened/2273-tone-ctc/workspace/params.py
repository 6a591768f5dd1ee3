from types import SimpleNamespace

hp = SimpleNamespace(
    alphabet="abcdefgh",
    n_mels=16,
    frames_per_symbol=(14, 20),
    symbols=(3, 7),
    n_train=160,
    n_valid=32,
    channels=32,
    rnn=32,
    batch_size=16,
    epochs=3,
    lr=3e-3,
    seed=17,
)
