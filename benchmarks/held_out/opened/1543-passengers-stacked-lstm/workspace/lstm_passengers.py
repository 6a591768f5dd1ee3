import numpy as np
import pandas as pd
from sklearn.preprocessing import MinMaxScaler
from sklearn.metrics import mean_squared_error
from keras.models import Sequential
from keras.layers import Dense, Dropout, Input, LSTM
from keras.utils import set_random_seed

set_random_seed(7)

# load the dataset
dataframe = pd.read_csv('passengers.csv', usecols=['Passengers'])
dataset = dataframe.values.astype('float32')

# normalize the dataset
scaler = MinMaxScaler(feature_range=(0, 1))
dataset = scaler.fit_transform(dataset)

# split into train and test sets
train_size = int(len(dataset) * 0.67)
train, test = dataset[:train_size, :], dataset[train_size:, :]
print(len(train), len(test))


def create_dataset(dataset, look_back=1):
    dataX, dataY = [], []
    for i in range(len(dataset) - look_back - 1):
        dataX.append(dataset[i:(i + look_back), 0])
        dataY.append(dataset[i + look_back, 0])
    return np.array(dataX), np.array(dataY)


look_back = 12
trainX, trainY = create_dataset(train, look_back)
testX, testY = create_dataset(test, look_back)

# reshape input to be [samples, time steps, features]
trainX = np.reshape(trainX, (trainX.shape[0], trainX.shape[1], 1))
testX = np.reshape(testX, (testX.shape[0], testX.shape[1], 1))

# create and fit the LSTM network
model = Sequential()
model.add(Input(shape=(look_back, 1)))
model.add(LSTM(32))
model.add(Dropout(0.2))
model.add(LSTM(16))
model.add(Dropout(0.2))
model.add(Dense(1))
model.compile(loss='mean_squared_error', optimizer='adam')
model.summary()
model.fit(trainX, trainY, epochs=3, batch_size=32, verbose=2)

# make predictions
trainPredict = scaler.inverse_transform(model.predict(trainX, verbose=0))
testPredict = scaler.inverse_transform(model.predict(testX, verbose=0))
trainY = scaler.inverse_transform([trainY])
testY = scaler.inverse_transform([testY])
print('Train Score: %.2f RMSE' % np.sqrt(mean_squared_error(trainY[0], trainPredict[:, 0])))
print('Test Score: %.2f RMSE' % np.sqrt(mean_squared_error(testY[0], testPredict[:, 0])))
