"""Share of predictions that lie within a tolerance of their reference."""
import datasets
import evaluate
import numpy as np

_DESCRIPTION = "Share of predictions within a tolerance of the reference."
_CITATION = ""
_KWARGS = "predictions, references: lists of floats; tolerance: a float."


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS)
class Within(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS,
            features=datasets.Features(
                {"predictions": datasets.Value("float32"), "references": datasets.Value("float32")}
            ),
        )

    def _compute(self, predictions, references, tolerance=0.5):
        error = np.abs(np.asarray(predictions) - np.asarray(references))
        return {"within": float(np.mean(error <= tolerance))}
