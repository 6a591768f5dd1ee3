import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import accuracy_score, f1_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

train = pd.read_csv("train.csv")
test = pd.read_csv("test.csv")
print(train.shape, test.shape)
print(train.dtypes)

y_train = train["churn"]
y_test = test["churn"]
X_train = train.drop(columns=["churn"])
X_test = test.drop(columns=["churn"])

num_cols = X_train.select_dtypes("number").columns.tolist()
cat_cols = X_train.select_dtypes(exclude="number").columns.tolist()
print("numeric:", num_cols)
print("categorical:", cat_cols)

num_pipe = Pipeline([
    ("impute", SimpleImputer(strategy="median")),
    ("scale", StandardScaler()),
])
pre = ColumnTransformer([
    ("num", num_pipe, num_cols),
    ("cat", OneHotEncoder(handle_unknown="ignore"), cat_cols),
])
clf = Pipeline([
    ("pre", pre),
    ("rf", RandomForestClassifier(n_estimators=100, random_state=0)),
])
clf.fit(X_train, y_train)

pred = clf.predict(X_test)
print("accuracy", accuracy_score(y_test, pred))
print("f1", f1_score(y_test, pred, pos_label="yes"))

names = clf.named_steps["pre"].get_feature_names_out()
imp = clf.named_steps["rf"].feature_importances_
for n, v in sorted(zip(names, imp), key=lambda t: -t[1])[:5]:
    print(f"{n:30s} {v:.3f}")
