import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.metrics import accuracy_score
from sklearn.preprocessing import StandardScaler

train = pd.read_csv('train.csv')
test = pd.read_csv('test.csv')


def prepare(df):
    df = df.copy()
    df['Sex'] = df['Sex'].map({'male': 0, 'female': 1})
    df['Age'].fillna(df['Age'].median())
    df['Embarked'] = df['Embarked'].fillna('S')
    df = pd.get_dummies(df, columns=['Embarked'])
    return df


train = prepare(train)
test = prepare(test)

X = train.drop(['PassengerId', 'Survived'], axis=1)
y = train['Survived']
X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.2, random_state=0)

scaler = StandardScaler()
X_train_s = scaler.fit_transform(X_train)
X_val_s = scaler.transform(X_val)

lr = LogisticRegression()
lr.fit(X_train_s, y_train)
print('logreg', accuracy_score(y_val, lr.predict(X_val_s)))

rf = RandomForestClassifier(n_estimators=50, random_state=0)
rf.fit(X_train, y_train)
print('forest', accuracy_score(y_val, rf.predict(X_val)))

X_test = test.drop('PassengerId', axis=1)
test['Survived'] = lr.predict(scaler.transform(X_test))
test[['PassengerId', 'Survived']].to_csv('submission.csv', index=False)
print('wrote submission.csv', test['Survived'].mean())
