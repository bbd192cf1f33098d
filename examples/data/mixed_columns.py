"""
Text, categories and numbers in one pipeline
============================================

A frame with mixed columns goes through a ``ColumnTransformer``. The reject option wraps the whole
pipeline: it needs no array, and the transformers are fitted in the folds.
"""

# %%
# 1,500 messages to a help desk, from a generator: a line of text, the product, and how long the
# writer has been a customer. Which team is to answer?

import numpy as np
import polars as pl
from matplotlib import pyplot as plt
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from abstain import Accuracy, RejectOptionClassifier
from abstain.plotting import RejectConfusionDisplay

WORDS = {
    "billing": ["invoice", "refund", "charged", "twice", "price", "card"],
    "technical": ["crash", "error", "slow", "update", "screen", "login"],
    "shipping": ["parcel", "late", "address", "lost", "courier", "box"],
}
COMMON = ["please", "help", "my", "order", "since", "yesterday", "again", "problem", "account"]


def make_messages(n_messages: int, seed: int) -> tuple[pl.DataFrame, np.ndarray]:
    """Return messages, and the team that each is for."""
    generator = np.random.default_rng(seed)
    team = generator.choice(list(WORDS), size=n_messages, p=[0.4, 0.35, 0.25])
    texts = []
    for name in team:
        n_words, n_telling = 8, generator.integers(0, 4)
        telling = generator.choice(WORDS[name], size=n_telling)
        texts.append(" ".join([*telling, *generator.choice(COMMON, size=n_words - n_telling)]))
    has_app = generator.random(n_messages) < np.where(team == "technical", 0.7, 0.3)
    months = generator.exponential(np.where(team == "shipping", 8, 20))
    columns = {"text": texts, "product": np.where(has_app, "app", "goods"), "months": months}
    return pl.DataFrame(columns), team


messages, team = make_messages(1_500, seed=0)
new_messages, new_team = make_messages(1_500, seed=1)
print(messages.head(3))

# %%
# Each column has its own transformer. The accuracy of the answers is certified; what is not
# answered goes to a person, who forwards it.

columns = ColumnTransformer(
    [
        ("text", TfidfVectorizer(), "text"),
        ("category", OneHotEncoder(handle_unknown="ignore"), ["product"]),
        ("number", StandardScaler(), ["months"]),
    ]
)
pipeline = make_pipeline(columns, LogisticRegression())
clf = RejectOptionClassifier(pipeline, target=Accuracy(0.95, confidence=0.9), random_state=0)
clf.fit(messages, team)
answered = ~clf.reject(new_messages)
right = clf.predict(new_messages) == new_team
print(f"right on all new messages: {right.mean():.1%}")
print(f"right on the {answered.mean():.1%} that are answered: {right[answered].mean():.1%}")

# %%
# What is rejected? Messages without a word that tells the team.

probability = clf.predict_correct_proba(new_messages)
for index in np.argsort(probability)[:3]:
    print(f"{probability[index]:.0%}: {new_messages['text'][int(index)]}")

# %%
# Where the messages of each team go.

display = RejectConfusionDisplay.from_estimator(clf, new_messages, new_team, normalize="true")
display.ax_.set_title("Where new messages go")
plt.show()
