"""Which quadrant of a volume is bright? A 3-D DenseNet on arrays."""
import numpy as np
import torch
from monai.data import DataLoader, Dataset
from monai.metrics import ROCAUCMetric
from monai.networks.nets import DenseNet
from monai.transforms import Compose, EnsureChannelFirst, RandGaussianNoise, Resize, ToTensor
from monai.utils import set_determinism


class Volumes(Dataset):
    def __init__(self, count, transform, seed):
        rng = np.random.default_rng(seed)
        self.labels = rng.integers(0, 2, count)
        self.volumes = rng.normal(0, 0.5, (count, 12, 12, 12)).astype(np.float32)
        for volume, label in zip(self.volumes, self.labels):
            volume[:6] += label
        super().__init__(data=self.volumes, transform=transform)

    def __getitem__(self, index):
        return super().__getitem__(index), int(self.labels[index])


set_determinism(seed=None)
resize = [EnsureChannelFirst(channel_dim="no_channel"), Resize((16, 16, 16))]
train_set = Volumes(32, Compose([*resize, RandGaussianNoise(prob=0.5, std=0.1), ToTensor()]), seed=0)
test_set = Volumes(16, Compose([*resize, ToTensor()]), seed=1)
train_loader = DataLoader(train_set, batch_size=8, shuffle=True)
test_loader = DataLoader(test_set, batch_size=8)

model = DenseNet(
    spatial_dims=3, in_channels=1, out_channels=2, init_features=4, growth_rate=4, block_config=(1, 1), bn_size=2
)
loss_function = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
auc = ROCAUCMetric()
for epoch in range(2):
    model.train()
    for volumes, labels in train_loader:
        optimizer.zero_grad()
        loss = loss_function(model(volumes), labels)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        for volumes, labels in test_loader:
            auc(model(volumes).softmax(dim=1)[:, 1], labels)
    print(f"epoch {epoch}: loss {loss.item():.4f} auc {auc.aggregate():.3f}")
    auc.reset()
