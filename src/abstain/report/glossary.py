"""What do the terms of the page mean? Each is defined here, once."""

from __future__ import annotations  # signatures then show the names of types

from typing import Any

_CELLS = {
    "prototype": "the samples that one prototype is the closest to",
    "predicted class": "the samples with the same answer",
    "leaf": "the samples in one leaf of the tree",
    "cell": "as the classifier was told to form it",
}


def glossary_of(content: dict[str, Any]) -> dict[str, str]:
    """Return the terms of a page with this content and their definitions, in their order."""
    cells, details = content["cells"], content["details"]
    several = cells["several"]
    made = {
        "reject rate": "The share of the samples that are rejected, outliers included.",
        "accuracy of the answers": "The share of the answers that are right. Rejected samples do "
        "not count.",
        "right answers given up": "Rejected samples whose withheld answer is right.",
        "errors caught": "Rejected samples whose withheld answer is wrong.",
        "withheld answer": "The answer that a rejected sample would have got.",
        "calibration": "The samples that the thresholds were set on.",
    }
    if content["certificates"]:
        made["certificate"] = (
            "What a test on held-out samples supports: an accuracy on new samples like those of "
            "the fit, with a confidence. It is void at other thresholds than those tested, and "
            "contradicted if the samples given speak against it."
        )
    made |= {
        "certainty": "How sure the classifier is of its answer to a sample; higher is surer.",
        "threshold": "A sample is rejected if its certainty is below the threshold of its cell. "
        "−∞ rejects none, ∞ all.",
        "cell": f"A part of the samples with a threshold of its own: {_CELLS[cells['kind']]}."
        if several
        else "A part of the samples with a threshold of its own: here, all samples are one cell.",
    }
    scatter = content["scatter"]
    if (several and cells["kind"] == "prototype") or (scatter and scatter["prototypes"]):
        made["prototype"] = (
            "A typical point of a class, learned by the model. A sample gets the class of the "
            "prototype that it is closest to."
        )
    if content["samples"]["outliers"]:
        made["outlier"] = (
            "A sample unlike those that the classifier knows, rejected at every point."
        )
    made |= {
        "recall": "Of the answered samples of a class, the share that are answered by it. A "
        "rejected sample goes to a person, so it does not count.",
        "precision": "Of the answers naming a class, the share that are right.",
        "share answered": "Of all samples of a class, the share that are answered.",
        "recall, rejects missed": "Of all samples of a class, the share that are answered by it: "
        "the recall if a person misses every rejected one.",
        "recall with rejects": "Of all samples of a class, the share that are not answered "
        "wrongly: the recall if a person finds every rejected one.",
    }
    if content["groups"]:
        confidence = content["groups"]["confidence"]
        made["bound"] = (
            "The lower limit of the accuracy of the answers in one group, with "
            f"{100 * confidence:g}% confidence (Clopper and Pearson)."
        )
    made |= {
        "rival": "The class that comes second, after the answer.",
        "reason": "Why a sample is rejected, or would be: it lies between its answer and the rival"
        + (", or it is an outlier." if details["unusual"] else "."),
    }
    if details["correct_proba"]:
        made["probability right"] = (
            "The estimated probability that the answer is right, given its certainty and its cell."
        )
    made["to acceptance"] = "What a rejected sample lacks to be answered: threshold − certainty."
    if details["features"]:
        made["features"] = (
            "Those that separate answer and rival most. A positive share supports the answer, a "
            "negative one the rival."
        )
    if content["relevances"]:
        made["relevance"] = "The weight of a feature in the metric of the model; they sum to 100%."
    return made
