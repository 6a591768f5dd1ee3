from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, StackingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, PowerTransformer


def preprocessing(columns: dict) -> ColumnTransformer:
    ordinal = columns["ordinal"]
    return ColumnTransformer(
        [
            ("num", make_pipeline(SimpleImputer(strategy="median"), PowerTransformer()), columns["numeric"]),
            ("cat", OneHotEncoder(drop="first", sparse_output=False), columns["categorical"]),
            ("ord", OrdinalEncoder(categories=list(ordinal.values())), list(ordinal)),
        ],
        verbose_feature_names_out=False,
    )


def churn_model(columns: dict, seed: int):
    stack = StackingClassifier(
        [
            ("linear", LogisticRegression(C=0.3, class_weight="balanced", max_iter=500)),
            ("trees", HistGradientBoostingClassifier(max_depth=3, max_iter=60, random_state=seed)),
        ],
        final_estimator=LogisticRegression(),
        cv=3,
    )
    return make_pipeline(preprocessing(columns), stack)
