import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.metrics import classification_report
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

df = pd.read_csv("bank.csv", sep=";")
X = df.drop(columns="y")
y = (df["y"] == "yes").astype(int)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=0, stratify=y)

numeric = ["age", "balance", "duration", "campaign"]
categorical = ["job", "marital"]

preprocess = ColumnTransformer([
    ("num", Pipeline([("imputer", SimpleImputer()), ("scaler", StandardScaler())]), numeric),
    ("cat", OneHotEncoder(handle_unknown="ignore"), categorical),
])

pipe = Pipeline([
    ("prep", preprocess),
    ("clf", SVC(class_weight="balanced")),
])

param_grid = {
    "prep__num__imputer__strategy": ["mean", "median"],
    "svc__C": [0.1, 1, 10],
    "svc__gamma": ["scale", 0.1],
}

# baseline without tuning
pipe.fit(X_train, y_train)
print("baseline accuracy:", round(pipe.score(X_test, y_test), 3))

cv = StratifiedKFold(n_splits=3, shuffle=True, random_state=0)
search = GridSearchCV(pipe, param_grid, cv=cv, scoring="f1")
search.fit(X_train, y_train)

print("best parameters:", search.best_params_)
print("best f1 (cv):", round(search.best_score_, 3))
print(classification_report(y_test, search.predict(X_test)))
