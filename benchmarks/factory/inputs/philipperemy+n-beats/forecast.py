"""Forecast a seasonal series with N-BEATS, in PyTorch or Keras."""
import argparse

import numpy as np


def windows(series, backcast, forecast):
    x, y = [], []
    for i in range(backcast, len(series) - forecast):
        x.append(series[i - backcast:i])
        y.append(series[i:i + forecast])
    return np.array(x)[:, :, None], np.array(y)[:, :, None]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--backend', choices=['pytorch', 'keras'], default='pytorch')
    parser.add_argument('--csv', default='data/passengers.csv')
    parser.add_argument('--backcast', type=int, default=12)
    parser.add_argument('--forecast', type=int, default=4)
    parser.add_argument('--epochs', type=int, default=3)
    args = parser.parse_args()

    series = np.genfromtxt(args.csv, delimiter=',', skip_header=1, usecols=1).astype(np.float32)
    series = series / series.max()
    x, y = windows(series, args.backcast, args.forecast)
    c = int(len(x) * 0.8)
    if args.backend == 'keras':
        from nbeats_keras.model import NBeatsNet
    else:
        from nbeats_pytorch.model import NBeatsNet
    model = NBeatsNet(
        backcast_length=args.backcast,
        forecast_length=args.forecast,
        stack_types=(NBeatsNet.TREND_BLOCK, NBeatsNet.SEASONALITY_BLOCK),
        nb_blocks_per_stack=2,
        thetas_dim=(4, 4),
        hidden_layer_units=16,
    )
    model.compile(loss='mae', optimizer='adam')
    model.fit(x[:c], y[:c], validation_data=(x[c:], y[c:]), epochs=args.epochs, batch_size=16)
    predicted = np.asarray(model.predict(x[c:]))
    print('test error: %.4f' % np.mean(np.abs(predicted.reshape(y[c:].shape) - y[c:])))


if __name__ == '__main__':
    main()
