"""How does prototorch fit?

Its documentation trains by Lightning's trainer. A plain loop of Adam over all samples at once is
the faster way to train the same modules, so that is tried too.
"""

import logging
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

if torch.version.cuda is None:
    # The published torchvision is built for CUDA; beside a torch without it, it misses two
    # operators as it is imported. prototorch imports it and calls neither.
    _operators = torch.library.Library("torchvision", "DEF")
    _operators.define("nms(Tensor boxes, Tensor scores, float threshold) -> Tensor")
    _operators.define("qnms(Tensor boxes, Tensor scores, float threshold) -> Tensor")

from prototorch import models
from prototorch.core import SMCI
from pytorch_lightning import Trainer
from torch.utils.data import DataLoader, TensorDataset

PACKAGES = ["prototorch", "prototorch-models", "torch", "pytorch-lightning", "numpy"]
MODELS = ["GLVQ", "GRLVQ", "GMLVQ", "LGMLVQ", "RSLVQ"]
SETTINGS: dict[str, dict[str, Any]] = {
    "trainer, 50 epochs": {"lr": 0.01, "epochs": 50},
    "loop, 100 steps": {"lr": 0.01, "steps": 100},
    "loop, 100 steps, rate 0.05": {"lr": 0.05, "steps": 100},
    "loop, 30 steps, rate 0.05": {"lr": 0.05, "steps": 30},
}
COMPILED = False
BATCH = 64

torch.set_num_threads(1)
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)


class Model:
    """A module of prototorch with the methods of a classifier."""

    def __init__(self, name: str, lr: float, epochs: int = 0, steps: int = 0) -> None:
        self.name, self.lr, self.epochs, self.steps = name, lr, epochs, steps

    def fit(self, X: NDArray[np.float64], y: NDArray[np.int64]) -> None:
        """Train a new module, whose prototypes start from the means of the classes."""
        torch.manual_seed(0)
        data = TensorDataset(torch.tensor(X, dtype=torch.float32), torch.tensor(y))
        n_features = X.shape[1]
        options = {
            "distribution": {"num_classes": len(np.unique(y)), "per_class": 1},
            "input_dim": n_features,
            "latent_dim": n_features,
            "lr": self.lr,
            # With its default of 1, RSLVQ loses every likelihood to underflow.
            "variance": float(n_features),
        }
        self.module = getattr(models, self.name)(options, prototypes_initializer=SMCI(data))
        if self.epochs:
            self._train(data)
        else:
            self._loop(data)

    def _train(self, data: Any) -> None:
        trainer = Trainer(
            max_epochs=self.epochs,
            accelerator="cpu",
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        )
        trainer.fit(self.module, DataLoader(data, batch_size=BATCH, shuffle=True))

    def _loop(self, data: Any) -> None:
        optimizer = torch.optim.Adam(self.module.parameters(), lr=self.lr)
        for _ in range(self.steps):
            optimizer.zero_grad()
            self._loss(data.tensors).backward()
            optimizer.step()

    def _loss(self, batch: Any) -> Any:
        # The step of RSLVQ needs no trainer; that of the others does, for its log.
        if self.name == "RSLVQ":
            return self.module.training_step(batch, 0) / len(batch[0])
        return self.module.shared_step(batch, 0)[1]

    def predict(self, X: NDArray[np.float64]) -> Any:
        """Return the class of the closest prototype."""
        return self.module.predict(torch.tensor(X, dtype=torch.float32)).numpy()


def make(model: str, setting: str) -> Model:
    return Model(model, **SETTINGS[setting])
