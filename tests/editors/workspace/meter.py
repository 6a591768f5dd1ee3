class Meter:
    def __init__(self, window):
        self.window = window
        self.running_mean = 0.0

    def update(self, value):
        self.running_mean += (value - self.running_mean) / self.window

    def show(self):
        return self.runing_mean
