"""Months of rows that drift away from those of a fit."""

import numpy as np
import polars as pl

LABEL = "finding"


def make_month(n, shift, seed):
    """Return rows in which the features of both classes have moved by ``shift``."""
    rng = np.random.default_rng(seed)
    ill = rng.random(n) < 0.5
    features = rng.normal(size=(n, 3)).round(4)
    features[:, :2] += 2.5 * ill[:, np.newaxis] - shift
    frame = pl.DataFrame(features, schema=["size", "weight", "age"])
    return frame.with_columns(pl.Series(LABEL, np.where(ill, "ill", "=well")))


def write_months(folder, n_months=7, n=400):
    """Write the rows of a fit, and months that drift: from nothing to 2.1 standard deviations."""
    make_month(800, 0.0, 0).write_csv(folder / "fit.csv")
    for number in range(1, n_months + 1):
        frame = make_month(n, 2.1 * (number - 1) / (n_months - 1), number)
        frame.write_csv(folder / f"month{number}.csv")
