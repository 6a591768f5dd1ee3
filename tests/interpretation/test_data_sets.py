"""Data sets that are fetched, fitted attributes that are no methods, and what has no library here.

The sizes are those that the libraries' references give, as the data sets are not there.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from followed_programs import followed, shown

from dl_bug_lsp.interpretation.values import Method

HEAD = """
import joblib
import numpy as np
import seaborn as sns
from sklearn.cluster import KMeans
from sklearn.datasets import fetch_20newsgroups, fetch_california_housing, fetch_covtype
from sklearn.datasets import fetch_olivetti_faces, fetch_openml, load_iris
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
X = np.random.rand(30, 4)
y = X[:, 0]
"""
EXPRESSIONS: dict[str, object] = {
    "fetch_openml('mnist_784', as_frame=False).data.shape": (70000, 784),
    "fetch_openml('mnist_784', as_frame=False, version=1)['target'].shape": (70000,),
    "fetch_openml('mnist_784').data.shape": (70000, 784),
    "fetch_california_housing().data.shape": (20640, 8),
    "fetch_california_housing(as_frame=True).frame.columns[-1]": "MedHouseVal",
    "fetch_olivetti_faces().images.shape": (400, 64, 64),
    "fetch_20newsgroups(subset='train').target.shape": (11314,),
    "len(fetch_20newsgroups(subset='test').data)": 7532,
    "fetch_20newsgroups(categories=['sci.space', 'sci.med']).target_names": [
        "sci.med",
        "sci.space",
    ],
    "fetch_covtype().target.shape": (581012,),
    "sns.load_dataset('tips').shape": (244, 7),
    "sns.load_dataset('titanic')['age'].shape": (891,),
    "sns.load_dataset('penguins').columns[0]": "species",
    "joblib.dump(1, 'm.pkl')": ["m.pkl"],
    "int(np.sort(np.random.permutation(20))[-1])": 19,
    "np.random.permutation(50).tolist() == list(range(50))": False,
    "len(np.unique(load_iris().target[np.random.permutation(150)[:60]]))": 3,
    "GridSearchCV(Ridge(1.0), {'alpha': [2.0]}, cv=3).fit(X, y).best_estimator_.alpha": 2.0,
}
NO_METHODS = ("KMeans(3).labels_", "SVC().C", "Ridge().fit(X, y).gone_", "load_iris().filename")


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    texts = (*EXPRESSIONS, *NO_METHODS)
    lines = [f"v{i} = {text}" for i, text in enumerate(texts)]
    interpreter, names = followed(tmp_path_factory.mktemp("p"), HEAD + "\n".join(lines), {})
    assert not interpreter.elsewhere
    return {text: names[f"v{i}"] for i, text in enumerate(texts)}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_comes_to(values: dict[str, object], text: str) -> None:
    assert shown(values[text]) == EXPRESSIONS[text]  # type: ignore[arg-type]


@pytest.mark.parametrize("text", NO_METHODS)
def test_what_is_no_method_acts_like_none(values: dict[str, object], text: str) -> None:
    assert not isinstance(values[text].data, Method)  # type: ignore[attr-defined]


def test_an_estimator_that_is_searched_stays_as_it_was_made(tmp_path: Path) -> None:
    program = (
        f"{HEAD}\nr = Ridge(1.0)\nGridSearchCV(r, {{'alpha': [2.0]}}).fit(X, y)\na = r.alpha\n"
    )
    _, names = followed(tmp_path, program, {})
    assert shown(names["a"]) == 1.0
