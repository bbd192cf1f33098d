"""Random changes of model files: does any of them do harm?

    python -m fuzz.models --runs 10000 --seed 0

Valid files of many estimators are changed at random: bits, values of the description swapped,
replaced, repeated or removed, arrays resized. A third keeps the checksums that it had, a third gets
a true checksum of the whole, and a third true checksums of all arrays as well, as a forger would
give them. Each file is loaded, and asked for answers, in a process that watches itself. It is harm
if a file

- is refused by anything but one line,
- answers other than before, unless it is forged: then it is another model, and these are counted,
- makes `load` open a file for writing, start a process, connect, or import or compile code,
- takes more than 5 seconds or 500 MB,
- ends the process, be it in `load` or in `predict`.
"""

import argparse
import multiprocessing
import random
import signal
import sys
import tempfile
import warnings
from collections import Counter
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

import abstain
from abstain import (
    Accuracy,
    AllOf,
    ExpectedCost,
    InputError,
    Precision,
    Recall,
    RejectOptionClassifier,
    RejectRate,
)
from tests.saving.forging import file_of, parts_of, size_of

SECONDS, MEGABYTES = 5, 500
RARE: dict[str, Any] = {"handle_unknown": "infrequent_if_exist"}
SAMPLES, LABELS = make_classification(
    150, 5, n_informative=4, n_redundant=0, n_classes=3, flip_y=0.2, random_state=0
)
SAMPLES = SAMPLES.round()  # so that they are categories as well
CLASSES = np.array(["ash", "beech", "cedar"])[LABELS]


def estimators() -> list[Any]:
    """Return classifiers of all families."""
    encoder = ColumnTransformer(
        [
            ("kinds", OneHotEncoder(min_frequency=5, sparse_output=False, **RARE), [0, 1]),
            ("numbers", SimpleImputer(), [2, 3, 4]),
        ]
    )
    return [
        abstain.GMLVQ(),
        abstain.LGMLVQ(),
        abstain.RSLVQ(),
        abstain.GRLVQ(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        SVC(),
        RandomForestClassifier(5, max_depth=4),
        GradientBoostingClassifier(n_estimators=3),
        HistGradientBoostingClassifier(max_iter=3),
        KNeighborsClassifier(),
        MLPClassifier(4, max_iter=20),
        LinearDiscriminantAnalysis(),
        GaussianNB(),
        CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=2),
        make_pipeline(encoder, LinearDiscriminantAnalysis()),
    ]


def targets() -> list[Any]:
    """Return targets of all kinds."""
    names = ("ash", "beech", "cedar")
    costs = {(true, answer): 3 for true in names for answer in names if true != answer}
    groups = np.arange(len(SAMPLES)) % 2
    certain: dict[str, Any] = {"confidence": 0.6}
    return [
        RejectRate(0.2),
        ExpectedCost(costs, reject={"ash": 1.5, "beech": 1, "cedar": 1}),
        ExpectedCost(1 - np.eye(3), reject=0.3),
        Recall("ash", 0.5),
        Precision("beech", 0.3, **certain),
        AllOf(Accuracy(0.4, **certain), Recall("cedar", 0.4, **certain)),
        Accuracy(0.4, groups=groups),
    ]


def valid_files(folder: Path) -> list[Path]:
    """Write a file for each classifier, and return where; the targets take turns."""
    paths = []
    for number, (estimator, target) in enumerate(zip(estimators(), cycle(targets()), strict=False)):
        cells = KMeans(3, n_init=1, random_state=0) if number == 4 else "auto"
        clf = RejectOptionClassifier(estimator, target=target, cells=cells, random_state=0)
        clf.fit(SAMPLES, CLASSES)
        paths.append(folder / f"{number:02}.abstain")
        abstain.save(clf, paths[-1])
    return paths


# --- changes --------------------------------------------------------------------------------------


def places(node: Any) -> list[tuple[Any, Any]]:
    """Return where values stand in a description: (container, key)."""
    held = list(node.items()) if isinstance(node, dict) else list(enumerate(node))
    pairs = [(node, key) for key, _ in held]
    for _, value in held:
        if isinstance(value, dict | list):
            pairs += places(value)
    return pairs


ODD_VALUES: list[Any] = [
    None, True, 0, -1, 1, 2, 7, 10**6, 2**31, 2**63, -(2**63), 0.5, 1e308, "", "x", "nan", [], {},
    {"float": "nan"}, {"float": "inf"}, {"array": 0}, {"array": 10**6}, {"tuple": []}, {"dict": []},
    {"function": "f"}, {"type": "float64"}, {"dtype": "<f8"}, [[[]]], "sklearn.svm.SVC",
]  # fmt: skip


def change_description(description: Any, draw: random.Random) -> Any:
    """Return a description with values swapped, replaced, copied or removed."""
    for _ in range(draw.choice([1, 1, 1, 2, 5])):
        changed = copied(description)
        at = places(changed)
        (one, key), (other, other_key) = draw.choice(at), draw.choice(at)
        what = draw.randrange(5)
        if what == 0:
            one[key], other[other_key] = other[other_key], one[key]
        elif what == 1:
            one[key] = draw.choice(ODD_VALUES)
        elif what == 2:
            one[key] = other[other_key]
        elif what == 3:
            del one[key]
        elif isinstance(one, dict) and isinstance(other_key, str):
            one[other_key] = one.pop(key)
        else:
            one[key] = [one[key], one[key]]
        with suppress(RecursionError):  # a value was put into itself
            description = copied(changed)
    return description


def copied(node: Any, depth: int = 0) -> Any:
    """Return a copy in which nothing is shared: a swap may have made a loop."""
    if depth > 200:
        raise RecursionError
    if isinstance(node, dict):
        return {key: copied(value, depth + 1) for key, value in node.items()}
    if isinstance(node, list):
        return [copied(value, depth + 1) for value in node]
    return node


def change_arrays(description: Any, content: bytes, draw: random.Random) -> bytes:
    """Resize an array, give it another type, or change what it holds."""
    headers = description["arrays"]
    index = draw.randrange(len(headers))
    start = sum(map(size_of, headers[:index]))
    header = headers[index]
    old = content[start : start + size_of(header)]
    what = draw.randrange(5)
    if what == 0:
        header[1] = [max(0, length + draw.choice([-1, 0, 1, 5])) for length in header[1]]
    elif what == 1:
        header[0] = draw.choice(["<f8", "<f4", "<i8", "<i4", "|b1", "<u4", "<U3", "|u1", "|S2"])
    elif what == 2:
        header[1] = header[1][::-1] if len(header[1]) > 1 else [1, *header[1]]
    elif what == 3 and np.dtype(header[0]).kind in "iuf" and len(old):
        values = np.frombuffer(old, header[0]).copy()
        at, other = draw.randrange(len(values)), values[draw.randrange(len(values))]
        values[at] = draw.choice([other, values[at] + 1, values[at] - 1, -other, 0])
        old = values.tobytes()
    else:
        changed = bytearray(old)
        for _ in range(min(len(changed), draw.choice([1, 8, 64]))):
            changed[draw.randrange(len(changed))] = draw.choice([0, 1, 127, 128, 255, 0x7F, 0xF8])
        old = bytes(changed)
    new = (old * 3)[: size_of(header)].ljust(size_of(header), b"\x01")
    return content[:start] + new + content[start + len(old) :]


def changed_file(path: Path, draw: random.Random) -> tuple[bytes, bool]:
    """Return a file that was changed at random, and whether all its checksums are true."""
    if draw.random() < 1 / 3:
        whole = bytearray(path.read_bytes())
        for _ in range(draw.choice([1, 3, 20])):
            whole[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        end = draw.randrange(len(whole)) if draw.random() < 0.3 else len(whole)
        return bytes(whole[:end]), False
    description, content = parts_of(path)
    if draw.random() < 0.5:
        content = change_arrays(description, content, draw)
    else:
        description = change_description(description, draw)
    is_forged = draw.random() < 0.5
    return file_of(description, content, is_forged=is_forged), is_forged


# --- outcomes -------------------------------------------------------------------------------------

WRITES = ("w", "a", "+", "x")
FORBIDDEN = ("os.", "subprocess.", "socket.", "shutil.", "ctypes.", "pickle.", "exec", "compile")
ALLOWED = ("os.listdir", "os.scandir", "os.getxattr", "os.walk", "os.putenv")


class Watch:
    """Notes what a process does while it is watched."""

    def __init__(self) -> None:
        self.is_on = False
        self.seen: list[str] = []
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        if event == "open":
            mode, flags = arguments[1], arguments[2]
            if any(letter in (mode or "") for letter in WRITES) or (flags or 0) & 3:
                self.seen.append(f"open {arguments[0]}")
        elif event.startswith(FORBIDDEN) and event not in ALLOWED:
            self.seen.append(event)


def peak() -> float:
    """Return the most memory that this process has had since `forget_peak`, in megabytes."""
    status = Path("/proc/self/status").read_text().split("VmHWM:")[1]
    return int(status.split()[0]) / 1024


def forget_peak() -> None:
    """Have the most memory be what this process has now."""
    Path("/proc/self/clear_refs").write_text("5")


class TooLong(BaseException):
    """A file has taken more than its time."""


def _end(number: int, frame: Any) -> None:
    raise TooLong


def try_file(path: Path, is_forged: bool, expected: Any, watch: Watch) -> str:
    """Return the outcome of loading a file in a few words; those of harm begin with "HARM"."""
    signal.signal(signal.SIGALRM, _end)
    forget_peak()
    before, watch.seen = peak(), []
    signal.alarm(SECONDS)
    try:
        watch.is_on = True
        try:
            clf = abstain.load(path)
        except InputError as error:
            if "\n" in str(error) or len(str(error)) > 1000:
                return f"HARM: not one line: {str(error)[:80]!r}"
            return "refused"
        finally:
            watch.is_on = False
        try:
            answers = answers_of(clf)
        except Exception as error:
            return f"error at predict: {type(error).__name__}"
        if answers == expected:
            return "same answers"
        return "another model" if is_forged else "HARM: other answers"
    except TooLong:
        return f"HARM: more than {SECONDS} s"
    except Exception as error:
        return f"HARM: load raised {type(error).__name__}: {str(error)[:80]}"
    finally:
        signal.alarm(0)
        if watch.seen:
            return f"HARM: {watch.seen[0]}"  # noqa: B012  # worse than anything else
        if peak() - before > MEGABYTES:
            return f"HARM: {peak() - before:.0f} MB"  # noqa: B012


def answers_of(clf: Any) -> Any:
    """Return what a classifier answers, in a form that can be compared."""
    return (
        clf.predict(SAMPLES).tolist(),
        clf.certainties(SAMPLES).tobytes(),
        clf.reject(SAMPLES).tolist(),
    )


def work(folder: Path, seeds: list[int], results: Any) -> None:
    """Try changed files, one for each seed, and report before and after each."""
    warnings.simplefilter("ignore")
    paths = sorted(folder.glob("*.abstain"))
    watch, expected = Watch(), [answers_of(abstain.load(path)) for path in paths]
    target = folder / f"changed-{seeds[0]}"
    for seed in seeds:
        draw = random.Random(seed)
        index = draw.randrange(len(paths))
        content, is_forged = changed_file(paths[index], draw)
        target.write_bytes(content)
        results.put((seed, paths[index].name, "begun"))
        results.put((seed, paths[index].name, try_file(target, is_forged, expected[index], watch)))
    results.put(None)


def run(runs: int, seed: int) -> Counter[str]:
    """Try as many changed files, in processes that may die, and count the outcomes."""
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            valid_files(folder)
        seeds = list(range(seed * runs, (seed + 1) * runs))
        while seeds:
            # A process that was forked after OpenMP had run would stand still.
            spawned = multiprocessing.get_context("spawn")
            results: Any = spawned.Queue()
            worker = spawned.Process(target=work, args=(folder, seeds, results))
            worker.start()
            seeds = _collect(worker, results, seeds, outcomes)
            worker.join(10)
            if worker.is_alive():
                worker.kill()
    return outcomes


def _collect(worker: Any, results: Any, seeds: list[int], outcomes: Counter[str]) -> list[int]:
    """Count the results of a process until it ends; return the seeds that are left."""
    import queue

    begun = None
    while True:
        try:
            result = results.get(timeout=8 * SECONDS)
        except queue.Empty:
            result = ("dead",)
        if result is None:
            return []
        if result == ("dead",):
            outcomes["HARM: the process ended or stood still"] += 1
            print(f"seed {begun}: HARM: exit code {worker.exitcode}", flush=True)
            return [] if begun is None else [seed for seed in seeds if seed > begun]
        seed, name, outcome = result
        if outcome == "begun":
            begun = seed
            continue
        outcomes[outcome.split(":")[0] if outcome.startswith("error") else outcome] += 1
        if outcome.startswith("HARM"):
            print(f"seed {seed}, {name}: {outcome}", flush=True)


def main() -> None:
    """Read the options, try the files, and print the outcomes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    outcomes = run(options.runs, options.seed)
    for outcome, count in outcomes.most_common():
        print(f"{count:7,}  {outcome}")
    if any(outcome.startswith("HARM") for outcome in outcomes):
        sys.exit(1)


if __name__ == "__main__":
    main()
