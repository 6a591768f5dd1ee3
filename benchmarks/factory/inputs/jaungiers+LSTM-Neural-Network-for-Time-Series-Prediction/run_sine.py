import argparse
import json
import os

import numpy as np

from core.data_processor import DataLoader
from core.model import Model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--config', default='config_sine.json')
    args = parser.parse_args()
    configs = json.load(open(args.config, 'r'))
    if not os.path.exists(configs['model']['save_dir']):
        os.makedirs(configs['model']['save_dir'])
    data = DataLoader(
        os.path.join('data', configs['data']['filename']),
        configs['data']['train_test_split'],
        configs['data']['columns'],
    )
    model = Model()
    model.build_model(configs)
    x, y = data.get_train_data(
        seq_len=configs['data']['sequence_length'],
        normalise=configs['data']['normalise'],
    )
    x, y = x[:configs['training']['windows']], y[:configs['training']['windows']]
    model.model.fit(x, y, epochs=configs['training']['epochs'], batch_size=configs['training']['batch_size'], verbose=2)
    x_test, y_test = data.get_test_data(
        seq_len=configs['data']['sequence_length'],
        normalise=configs['data']['normalise'],
    )
    predictions = model.predict_point_by_point(x_test[:64])
    error = np.mean((predictions - y_test[:64, 0]) ** 2)
    print('test error: %.5f' % error)


if __name__ == '__main__':
    main()
