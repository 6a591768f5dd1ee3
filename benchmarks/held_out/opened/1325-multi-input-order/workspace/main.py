import numpy as np
from keras.layers import Input, Embedding, GlobalAveragePooling1D, Dense, concatenate
from keras.models import Model

maxlen = 30
vocab = 500
n_num = 6

x_text = np.random.randint(0, vocab, size=(200, maxlen))
x_num = np.random.normal(size=(200, n_num))
y = np.random.randint(0, 2, size=(200, 1))

# text branch
text_in = Input(shape=(maxlen,), name='text_in', dtype='int32')
t = Embedding(vocab, 16)(text_in)
t = GlobalAveragePooling1D()(t)
t = Dense(16, activation='relu')(t)

# numeric branch
num_in = Input(shape=(n_num,), name='num_in')
n = Dense(8, activation='relu')(num_in)

# merge
merged = concatenate([t, n])
merged = Dense(8, activation='relu')(merged)
out = Dense(1, activation='sigmoid')(merged)

model = Model(inputs=[text_in, num_in], outputs=out)
model.compile(optimizer='adam', loss='binary_crossentropy', metrics=['acc'])
model.fit([x_num, x_text], y, epochs=2, batch_size=32, verbose=2)
print(model.predict([x_text[:3], x_num[:3]], verbose=0))
