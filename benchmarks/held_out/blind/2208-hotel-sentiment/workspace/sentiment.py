import re

import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import classification_report, confusion_matrix
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import MultinomialNB


def clean(text):
    text = text.lower()
    text = re.sub(r"[^a-z ]", " ", text)
    return re.sub(r"\s+", " ", text).strip()


df = pd.read_csv("reviews.csv")
df["text"] = df["text"].apply(clean)
df["target"] = df["label"].map({"neg": 0, "pos": 1})
print(df.head())
print(df["label"].value_counts())

train_df, test_df = train_test_split(
    df, test_size=0.25, random_state=42, stratify=df["target"]
)

vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=2)


def get_features(frame, training=True):
    if training:
        X = vectorizer.fit_transform(frame["text"])
    else:
        X = vectorizer.transform(frame["text"])
    return X, frame["target"].values


X_train, y_train = get_features(train_df)
X_test, y_test = get_features(test_df)

models = {
    "nb": MultinomialNB(),
    "logreg": LogisticRegression(max_iter=500),
}

for name, model in models.items():
    model.fit(X_train, y_train)
    print(name, "train accuracy:", model.score(X_train, y_train))

for name, model in models.items():
    pred = model.predict(X_test)
    print(name)
    print(confusion_matrix(y_test, pred))
    print(classification_report(y_test, pred, target_names=["neg", "pos"]))

new = ["the room was lovely and the staff friendly", "dirty towel, rude manager"]
print(models["logreg"].predict(vectorizer.transform([clean(t) for t in new])))
