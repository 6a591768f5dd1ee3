# character level name generator
import json
import random
import torch
import torch.nn.functional as F
from vocab import read_words, build_vocab, PAD
from net import CharRNN

random.seed(1)
torch.manual_seed(1)
P = json.load(open('params.json'))

words = read_words(P['corpus'])
stoi, itos = build_vocab(words)
print('words', len(words), 'vocab', len(stoi))


def encode(w, max_len):
    ids = [stoi[PAD]] + [stoi[c] for c in w]
    ids = ids + [stoi[PAD]] * (max_len - len(ids))
    return ids


def get_batch(n):
    ws = random.sample(words, n)
    t = torch.tensor([encode(w, P['max_len']) for w in ws])
    return t[:, :-1], t[:, 1:]


model = CharRNN(len(stoi), P['emb'], P['hidden'], P['layers'])
opt = torch.optim.Adam(model.parameters(), lr=P['lr'])

h = model.start(P['batch'])
for step in range(1, P['steps'] + 1):
    x, y = get_batch(P['batch'])
    h = h.detach()
    logits, h = model(x, h)
    loss = F.cross_entropy(logits.reshape(-1, len(stoi)), y.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        print('step', step, 'loss %.4f' % loss.item())


def sample():
    h = model.start(1)
    x = torch.zeros(1, 1, dtype=torch.long)
    s = ''
    for _ in range(P['max_len']):
        logits, h = model(x, h)
        p = F.softmax(logits[0, -1], dim=0)
        x = torch.multinomial(p, 1).view(1, 1)
        if x.item() == 0:
            break
        s += itos[x.item()]
    return s


with torch.no_grad():
    print('samples:', [sample() for _ in range(5)])
torch.save({'model': model.state_dict(), 'stoi': stoi}, 'model.pt')
print('saved')
