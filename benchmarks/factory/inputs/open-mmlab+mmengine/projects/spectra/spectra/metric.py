from mmengine.evaluator import BaseMetric
from mmengine.registry import METRICS


@METRICS.register_module()
class MeanAbsoluteError(BaseMetric):

    def process(self, data_batch, data_samples):
        for sample in data_samples:
            error = (sample['pred'] - sample['label']).abs().mean()
            self.results.append(error.item())

    def compute_metrics(self, results):
        return dict(mae=sum(results) / len(results))
