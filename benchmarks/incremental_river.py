"""How well do trees of river follow a stream? Run in an environment of its own."""

import json
import sys
import time

import numpy as np
from river import tree


def main(path: str, block: int) -> None:
    """Print how many samples were right, in blocks that are answered and then learned."""
    with np.load(path, allow_pickle=False) as data:
        samples, labels = data["X"].tolist(), data["y"].tolist()
    rows = [dict(enumerate(sample)) for sample in samples]
    model = tree.HoeffdingTreeClassifier()
    start, n_right = time.process_time(), 0
    for first in range(0, len(rows), block):
        part = range(first, min(first + block, len(rows)))
        if first:
            n_right += sum(model.predict_one(rows[i]) == labels[i] for i in part)
        for i in part:
            model.learn_one(rows[i], labels[i])
    seconds = time.process_time() - start
    accuracy = n_right / (len(rows) - block)
    print(json.dumps({"accuracy": accuracy, "microseconds": seconds / len(rows) * 1e6}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
