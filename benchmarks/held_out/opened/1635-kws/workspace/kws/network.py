from torch import nn

from .features import LogMel


class KeywordNet(nn.Module):
    def __init__(self, audio, n_words, channels=16):
        super().__init__()
        self.features = LogMel(audio)
        self.conv = nn.Sequential(
            nn.Conv2d(1, channels, 3, padding=1),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        flat = channels * (audio.n_mels // 4) * (audio.n_frames // 4)
        self.classifier = nn.Sequential(
            nn.Flatten(),
            nn.Dropout(0.3),
            nn.Linear(flat, 64),
            nn.ReLU(),
            nn.Linear(64, n_words),
        )

    def forward(self, wave):
        mel = self.features(wave)[:, None]
        return self.classifier(self.conv(mel))
