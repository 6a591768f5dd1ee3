"""Trainings that are hard to record, one after the other in one process; prints a digest of each."""

import copy
import hashlib
import io
import sys

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def digest(*modules):
    total = hashlib.sha256()
    for module in modules:
        for value in module.state_dict().values():
            total.update(value.detach().contiguous().float().numpy().tobytes())
    total.update(torch.get_rng_state().numpy().tobytes())
    return total.hexdigest()[:16]


def net():
    return nn.Sequential(nn.Linear(6, 8), nn.ReLU(inplace=True), nn.Linear(8, 3))


def steps(model, optimizer, loss_of, count=6):
    for at in range(count):
        optimizer.zero_grad()
        loss = loss_of(at)
        loss.backward()
        optimizer.step()


x, y = torch.randn(12, 6), torch.randint(0, 3, (12,))


def amp():
    model = net()
    scaler = torch.amp.GradScaler("cpu")
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(5):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16):
            loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    return digest(model)


def checkpointed():
    from torch.utils.checkpoint import checkpoint

    model, head = net(), nn.Linear(3, 3)
    optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], 0.1)
    for reentrant in (False, True):
        steps(
            model,
            optimizer,
            lambda at: F.cross_entropy(
                head(checkpoint(model, x.clone().requires_grad_(), use_reentrant=reentrant)), y
            ),
        )
    return digest(model, head)


class Scripted(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 3)

    def forward(self, x, y):
        return F.cross_entropy(F.relu(self.a(x)), y)


def scripted():
    model = torch.jit.script(Scripted())
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    steps(model, optimizer, lambda at: model(x, y))
    return digest(model)


def compiled():
    model = net()
    fast = torch.compile(model, backend="eager", fullgraph=True)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    steps(model, optimizer, lambda at: F.cross_entropy(fast(x), y))
    return digest(model)


def adversarial():
    generator, critic = (
        nn.Linear(4, 6),
        nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1)),
    )
    first = torch.optim.Adam(generator.parameters(), 1e-3)
    second = torch.optim.Adam(critic.parameters(), 1e-3)
    for _ in range(5):
        fake = generator(torch.randn(12, 4))
        second.zero_grad()
        loss = F.binary_cross_entropy_with_logits(
            critic(x), torch.ones(12, 1)
        ) + F.binary_cross_entropy_with_logits(critic(fake.detach()), torch.zeros(12, 1))
        loss.backward()
        second.step()
        first.zero_grad()
        F.binary_cross_entropy_with_logits(critic(fake), torch.ones(12, 1)).backward()
        first.step()
    return digest(generator, critic)


def closures():
    model = net()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.step(closure)
    return digest(model)


def recurrent():
    model, head = nn.LSTM(6, 5, batch_first=True), nn.Linear(5, 3)
    tied = nn.Linear(6, 6)
    tied.weight = nn.Parameter(torch.eye(6))
    optimizer = torch.optim.RMSprop([*model.parameters(), *head.parameters()], 1e-2)
    steps(
        model,
        optimizer,
        lambda at: F.cross_entropy(head(model(tied(x.view(2, 6, 6)))[0][:, -1]), y[:2]),
    )
    return digest(model, head, tied)


def mapped():
    from torch.func import functional_call, grad, vmap

    model = nn.Linear(6, 3)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def loss_of(parameters, a, b):
        return F.cross_entropy(functional_call(model, parameters, (a[None],)), b[None])

    for _ in range(3):
        values = {name: p.detach() for name, p in model.named_parameters()}
        gradients = vmap(grad(loss_of), in_dims=(None, 0, 0))(values, x, y)
        for name, p in model.named_parameters():
            p.grad = gradients[name].mean(0)
        optimizer.step()
    return digest(model)


def encoder():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = nn.TransformerEncoder(layer, 2)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    data = torch.randn(4, 5, 8)
    steps(model, optimizer, lambda at: model(data).pow(2).mean())
    model.eval()
    with torch.no_grad():
        value = model(data)
    return digest(model) + hashlib.sha256(value.numpy().tobytes()).hexdigest()[:8]


def saved():
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    steps(model, optimizer, lambda at: F.cross_entropy(model(x), y))
    buffer = io.BytesIO()
    torch.save(model, buffer)
    torch.save(optimizer.state_dict(), buffer)
    twin = copy.deepcopy(model)
    return digest(model, twin) + hashlib.sha256(buffer.getvalue()).hexdigest()[:8]


def sparse():
    table, head = nn.Embedding(20, 6, sparse=True), nn.Linear(6, 3)
    optimizers = [torch.optim.SparseAdam(table.parameters()), torch.optim.Adam(head.parameters())]
    for _ in range(4):
        for optimizer in optimizers:
            optimizer.zero_grad()
        F.cross_entropy(head(table(torch.randint(0, 20, (12,)))), y).backward()
        for optimizer in optimizers:
            optimizer.step()
    return digest(table, head)


def many():
    parameters = nn.ParameterList([nn.Parameter(torch.ones(2) * at) for at in range(int(COUNT))])
    optimizer = torch.optim.SGD(parameters, 0.01)
    for _ in range(3):
        optimizer.zero_grad()
        sum((p * p).sum() for p in parameters).backward()
        optimizer.step()
    return digest(parameters)


def retained():
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    total = 0.0
    for _ in range(6):
        optimizer.zero_grad()
        total = total + F.mse_loss(model(x), torch.zeros(12, 3)) * 0 + model(x).sum()
        total.backward(retain_graph=True)
        total = total.detach()
        optimizer.step()
    return digest(model)


def threaded():
    import threading

    model = net()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    thread = threading.Thread(
        target=steps, args=(model, optimizer, lambda at: F.cross_entropy(model(x), y))
    )
    thread.start()
    thread.join()
    return digest(model)


def exploding():
    model = net()
    optimizer = torch.optim.SGD(model.parameters(), 1e12)
    steps(model, optimizer, lambda at: F.mse_loss(model(x), torch.ones(12, 3)), 8)
    return digest(model)


COUNT = sys.argv[1] if len(sys.argv) > 1 else "3000"
for case in (
    amp,
    checkpointed,
    scripted,
    adversarial,
    closures,
    recurrent,
    mapped,
    encoder,
    saved,
    sparse,
    many,
    retained,
    threaded,
    exploding,
    compiled,
):
    try:
        print(case.__name__, case(), flush=True)
    except Exception as error:
        print(case.__name__, type(error).__name__, str(error)[:200], flush=True)
