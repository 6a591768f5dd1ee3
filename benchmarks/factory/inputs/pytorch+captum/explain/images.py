"""Saliency, occlusion and Grad-CAM of a small image model, checked with infidelity."""
import torch
import torch.nn.functional as F
from captum.attr import LayerGradCam, LayerAttribution, NoiseTunnel, Occlusion, Saliency
from captum.metrics import infidelity
from model import Patches

SIZE = 12


def make_images(count):
    images = 0.1 * torch.randn(count, 1, SIZE, SIZE)
    labels = torch.randint(4, (count,))
    for image, label in zip(images, labels.tolist()):
        top, left = divmod(label, 2)
        half = SIZE // 2
        image[:, top * half + 1 : top * half + 5, left * half + 1 : left * half + 5] += 1
    return images, labels


def perturb(inputs):
    noise = 0.05 * torch.randn_like(inputs)
    return noise, inputs - noise


model = Patches(size=SIZE)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(14):
    images, labels = make_images(32)
    loss = F.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")

model.eval()
images, labels = make_images(4)
saliency = NoiseTunnel(Saliency(model)).attribute(
    images, nt_type="smoothgrad", nt_samples=4, stdevs=0.1, target=labels
)
occlusion = Occlusion(model).attribute(
    images, target=labels, sliding_window_shapes=(1, 4, 4), strides=(1, 2, 2), baselines=0
)
cam = LayerGradCam(model, model.conv2).attribute(images, target=labels)
cam = LayerAttribution.interpolate(cam, (SIZE, SIZE))
score = infidelity(model, perturb, images, saliency, target=labels, n_perturb_samples=4)
peak = occlusion.flatten(1).argmax(dim=1)
quadrant = 2 * (peak // SIZE >= SIZE // 2) + (peak % SIZE >= SIZE // 2)
print("cam", tuple(cam.shape), f"infidelity {score.mean().item():.4f}")
print(f"share in the right quadrant {(quadrant == labels).float().mean().item():.2f}")
