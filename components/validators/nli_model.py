"""Any model that judges whether a premise carries a claim, behind one function: `probabilities(pairs)`.

Three-way NLI cross-encoders (DeBERTa-v3 NLI, the packaged MiniLM), two-way consistency models (MiniCheck-DeBERTa, MiniCheck-RoBERTa), single-logit
ones (HHEM-1.0) and MiniCheck-Flan-T5. What its outputs mean is read from the model's config; the order of labels differs from model to model.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from components.answer import Verdict
from components.rankers.relevance import batches
from config.settings import home

PACKAGED = "packaged"
PACKAGED_FOLDER = Path("models/grounding-minilm-l6")
ORDER = (Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.UNSUPPORTED)
"""Columns of `NliModel.probabilities`."""
THREADS = 2

_MEANINGS = {
    Verdict.SUPPORTED: "entailment entail entails entailed supported supports support consistent factual grounded faithful attributable true",
    Verdict.CONTRADICTED: "contradiction contradict contradicts contradicted refuted refutes refute",
    Verdict.UNSUPPORTED: "neutral unsupported not_entailment not_entailed non_entailment not_supported notenoughinfo not_enough_info nei "
    "inconsistent hallucinated hallucination ungrounded unfaithful unattributable not_attributable false unknown",
}
_MEANING = {name: verdict for verdict, names in _MEANINGS.items() for name in names.split()}
_NAMELESS = re.compile(r"label_?\d+|\d+")
_KNOWN_BY_NAME = {"minicheck": "unsupported supported"}
"""Families whose configs name no label, with the order that their authors publish (Tang, Laban and Durrett, "MiniCheck", EMNLP 2024)."""


class Judge(Protocol):
    """What reads pairs of premise and claim: an `NliModel`, or a chat model."""

    name: str
    folder: Path | None

    def probabilities(self, pairs: Sequence[tuple[str, str]], batch_size: int = ..., deadline: float | None = ...) -> np.ndarray:
        """See `NliModel.probabilities`."""
        ...


Logits = Callable[[list[tuple[str, str]]], np.ndarray]
"""Pairs of premise and claim in, an array [pairs, labels] out."""


def label_order(config: Mapping[str, Any], given: str = "", name: str = "") -> list[Verdict]:
    """What each output of a model means.

    :param config: the model's `config.json`.
    :param given: labels in order, with spaces, where the config names none.
    :param name: of the model, for families whose order is published and not in the config.
    :returns: a verdict for each output; a single `supported` for a model with one logit.
    :raises ValueError: the labels cannot be read; the message is one line.

    >>> [v.value for v in label_order({"id2label": {"0": "contradiction", "1": "entailment", "2": "neutral"}})]
    ['contradicted', 'supported', 'unsupported']
    """
    named = config.get("id2label")
    count = len(named) if isinstance(named, Mapping) and named else int(config.get("num_labels") or 2)
    if count == 1 and not given:
        return [Verdict.SUPPORTED]
    words = given.split()
    if not words and isinstance(named, Mapping):
        words = [str(named[key]) for key in sorted(named, key=int)]
    if not given and (not words or all(_NAMELESS.fullmatch(word.casefold()) for word in words)):
        words = next((order.split() for family, order in _KNOWN_BY_NAME.items() if family in name.casefold()), words)
    order = [_MEANING.get(re.sub(r"[\s-]+", "_", word.strip().casefold())) for word in words]
    known = [verdict for verdict in order if verdict is not None]
    if len(known) != len(words) or len(words) != count or known.count(Verdict.SUPPORTED) != 1 or len(words) not in (1, 2, 3):
        said = ", ".join(words) or "none"
        raise ValueError(
            f"its labels cannot be read ({count} outputs, names: {said}); accepted: entailment, contradiction, neutral, or supported, unsupported, "
            f"in the model's config.json or in SAKSHYA_GROUNDING_LABELS"
        )
    return known


def verdict_probabilities(logits: Any, order: Sequence[Verdict]) -> np.ndarray:
    """Logits of shape [n, labels] as probabilities [n, 3]: supported, contradicted, unsupported. One logit: its sigmoid is `supported`.

    :raises ValueError: a shape that does not fit the labels, or a logit that is no number.

    >>> verdict_probabilities([[0.0]], [Verdict.SUPPORTED]).tolist()
    [[0.5, 0.0, 0.5]]
    """
    values = np.asarray(logits, dtype=np.float64)
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or values.shape[1] != len(order):
        raise ValueError(f"the model gives {values.shape[-1]} outputs a pair, and {len(order)} labels are known")
    if not np.isfinite(values).all():
        raise ValueError("the model gave a score that is no number")
    result = np.zeros((len(values), len(ORDER)))
    if len(order) == 1:
        result[:, 0] = 0.5 * (1.0 + np.tanh(0.5 * values[:, 0]))
        result[:, 2] = 1.0 - result[:, 0]
        return result
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    for column, verdict in enumerate(order):
        result[:, ORDER.index(verdict)] += (powers / powers.sum(axis=1, keepdims=True))[:, column]
    return result


class NliModel:
    """A loaded model.

    :param name: what it is called in traces and messages.
    :param logits: its outputs for pairs.
    :param order: what each output means.
    :param folder: where it lies, if on this machine; a `rule.json` may stand there.
    """

    def __init__(self, name: str, logits: Logits, order: Sequence[Verdict], folder: Path | None = None) -> None:
        self.name, self.folder = name, folder
        self.order = list(order)
        self._logits = logits
        self._running = threading.Lock()  # one batch at a time: more threads than cores only slow each other

    @property
    def tells_contradiction(self) -> bool:
        """Whether one of its outputs means contradicted."""
        return Verdict.CONTRADICTED in self.order

    def probabilities(self, pairs: Sequence[tuple[str, str]], batch_size: int = 16, deadline: float | None = None) -> np.ndarray:
        """Probabilities of the pairs.

        :param pairs: (premise, claim) each.
        :param batch_size: pairs at once, >= 1; pairs of like length go together.
        :param deadline: `time.monotonic()` at which no further batch begins; `None`: no limit. The first always runs.
        :returns: array [pairs, 3] in the order of `ORDER`; rows of pairs that the time did not allow are NaN.
        """
        result = np.full((len(pairs), len(ORDER)), np.nan)
        slowest = 0.0
        for batch in batches([premise + claim for premise, claim in pairs], batch_size, by_length=True):
            started = time.monotonic()
            if deadline is not None and slowest and started + slowest > deadline:
                break
            with self._running:
                logits = self._logits([pairs[i] for i in batch])
            result[batch] = verdict_probabilities(logits, self.order)
            slowest = max(slowest, time.monotonic() - started)
        return result


def packaged_folder() -> Path | None:
    """Folder of the grounding model that the clone carries; None where it is not there."""
    folder = home() / PACKAGED_FOLDER
    return folder if (folder / "config.json").is_file() else None


def load_nli_model(name: str, device: str = "cpu", labels: str = "", file_name: str | None = None, threads: int | None = THREADS) -> NliModel:
    """Load a model by `packaged`, a folder (relative to the clone) or a hub name, with `@REVISION` behind it where one is meant.

    A folder with an ONNX file and no other weights runs on ONNX Runtime without torch; anything else through sentence-transformers'
    `CrossEncoder`, or transformers' T5 for MiniCheck-Flan-T5. Code that a model brings along is never run.

    :param device: cpu, cuda or mps.
    :param labels: see `label_order`.
    :param file_name: which ONNX file of the folder; it also chooses ONNX where other weights lie beside it.
    :param threads: of ONNX Runtime.
    :raises ValueError: no such folder, or labels that cannot be read. The libraries raise errors of their own.
    """
    given = Path(PACKAGED_FOLDER) if name == PACKAGED else Path(name).expanduser()
    folder = given if given.is_absolute() else home() / given
    if not folder.is_dir():
        if name == PACKAGED or given.is_absolute() or name.startswith((".", "~")):
            raise ValueError(f"no such folder: {given}")
        return _from_library(name, None, device, labels)
    if not (folder / "config.json").is_file():
        raise ValueError(f"{given} has no config.json")
    weights = [*folder.glob("*.safetensors"), *folder.glob("pytorch_model*.bin")]
    has_onnx = any(folder.glob("*.onnx")) or any(folder.glob("onnx/*.onnx"))
    if file_name is None and (weights or not has_onnx):
        return _from_library(name, folder, device, labels)
    from components.rankers.onnx_cross_encoder import OnnxCrossEncoder

    order = label_order(json.loads((folder / "config.json").read_text("utf-8")), labels, name)
    encoder = OnnxCrossEncoder(folder, file_name, device, threads=threads)
    return NliModel(name, encoder.logits, order, folder)


_shared: dict[tuple[Any, ...], NliModel] = {}
_loading = threading.Lock()


def shared_nli_model(name: str, device: str, labels: str, file_name: str | None) -> NliModel:
    """`load_nli_model`, once for all nodes of this process; a failed load is not kept."""
    key = (name, str(home()), device, labels, file_name)
    with _loading:
        if key not in _shared:
            _shared[key] = load_nli_model(name, device, labels, file_name)
        return _shared[key]


def _from_library(name: str, folder: Path | None, device: str, labels: str) -> NliModel:
    from transformers import AutoConfig

    source, _, revision = (str(folder), "", "") if folder else name.partition("@")
    config = AutoConfig.from_pretrained(source, revision=revision or "main", trust_remote_code=False)
    plain = config.to_dict()
    if plain.get("auto_map"):
        raise ValueError("it brings code of its own, which is not run here; for HHEM name vectara/hallucination_evaluation_model@hhem-1.0-open")
    if any("ForConditionalGeneration" in architecture for architecture in plain.get("architectures") or []):
        return NliModel(name, _seq2seq_logits(source, revision, device), [Verdict.UNSUPPORTED, Verdict.SUPPORTED], folder)
    order = label_order({"id2label": config.id2label}, labels, name)

    if "minicheck" in name.casefold():
        return NliModel(name, _joined_logits(source, revision, device), order, folder)

    from sentence_transformers import CrossEncoder
    from torch.nn import Identity

    encoder = CrossEncoder(source, device=device, revision=revision or None, trust_remote_code=False)
    raw = Identity()  # whatever activation the checkpoint names: its logits are wanted

    def logits(pairs: list[tuple[str, str]]) -> np.ndarray:
        values = encoder.predict(pairs, batch_size=len(pairs), activation_fn=raw, show_progress_bar=False)
        return np.asarray(values).reshape(len(pairs), -1)

    return NliModel(name, logits, order, folder)


def _joined_logits(source: str, revision: str, device: str) -> Logits:
    """MiniCheck-RoBERTa and -DeBERTa: premise and claim are one text with the end token between them, as they were trained."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    at: dict[str, Any] = {"revision": revision} if revision else {}
    tokenizer = AutoTokenizer.from_pretrained(source, **at)
    model: Any = AutoModelForSequenceClassification.from_pretrained(source, **at).to(device).eval()
    end = tokenizer.eos_token or tokenizer.sep_token

    def logits(pairs: list[tuple[str, str]]) -> np.ndarray:
        encoded = tokenizer([end.join(pair) for pair in pairs], padding=True, truncation=True, return_tensors="pt").to(device)
        with torch.no_grad():
            return model(**encoded).logits.cpu().numpy()

    return logits


def _seq2seq_logits(source: str, revision: str, device: str) -> Logits:
    """MiniCheck-Flan-T5: `predict: premise</s>claim` in; the logits of the tokens `0` and `1`, first of the reply, out."""
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    at: dict[str, Any] = {"revision": revision} if revision else {}
    tokenizer = AutoTokenizer.from_pretrained(source, **at)
    model: Any = AutoModelForSeq2SeqLM.from_pretrained(source, **at).to(device).eval()
    answers = [tokenizer(digit, add_special_tokens=False)["input_ids"][-1] for digit in "01"]
    end = tokenizer.eos_token or "</s>"

    def logits(pairs: list[tuple[str, str]]) -> np.ndarray:
        texts = [f"predict: {premise}{end}{claim}" for premise, claim in pairs]
        encoded = tokenizer(texts, padding=True, truncation=True, max_length=2048, return_tensors="pt").to(device)
        start = torch.full((len(pairs), 1), int(model.config.decoder_start_token_id or 0), device=device)
        with torch.no_grad():
            scores = model(input_ids=encoded["input_ids"], attention_mask=encoded["attention_mask"], decoder_input_ids=start).logits
        return scores[:, 0, answers].cpu().numpy()

    return logits
