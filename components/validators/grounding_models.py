"""What a grounding check decides with: a judge, the rule for it, and the reader of single words that the rule may weigh."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from components.embedders.embedding_encoder import EmbeddingError
from components.generators.extraction.language import Reader, packaged_language
from components.validators.chat_judge import ChatJudge
from components.validators.grounding_rule import GroundingRule, rule_for
from components.validators.nli_model import PACKAGED, Judge, packaged_folder, shared_nli_model
from config.model_folder import why_not_loaded
from config.settings import home, settings

logger = logging.getLogger(__name__)

CHAT, NONE = "chat", "none"
ACCEPTED = f"Accepted: {PACKAGED}, {CHAT}, {NONE}, a folder or hub name of an NLI or consistency model"


def model_name(given: str | None = None) -> str:
    """The model that a check uses: the one given, else that of the settings, else the packaged one where it lies in the clone, else `none`."""
    return given or settings().grounding_model or (PACKAGED if packaged_folder() else NONE)


@dataclass(frozen=True)
class GroundingModels:
    """What was loaded.

    :param judge: `None`: words and exact checks decide.
    :param rule: `None`: it could not be read, and nothing counts as supported.
    :param words: only where the rule weighs likeness of words.
    :param failure: what was not loaded and why, one line; empty where all was.
    """

    judge: Judge | None
    rule: GroundingRule | None
    words: Reader | None
    failure: str = ""


def load_grounding_models(
    model: str | None, device: str | None, file_name: str | None, timeout_s: float | None, supported_from: float | None
) -> GroundingModels:
    """Load judge, rule and reader; for the parameters see `GroundingChecker`. Nothing is raised: a failure is logged and told.

    A judge whose rule weighs words is of no use without their reader: then the rule without a model decides.
    """
    here = settings()
    name = model_name(model)
    judge: Judge | None = None
    words: Reader | None = None
    failures: list[str] = []
    try:
        if name == CHAT:
            judge = ChatJudge(timeout_s=timeout_s)
        elif name != NONE:
            judge = shared_nli_model(name, device or here.grounding_device, here.grounding_labels, file_name)
    except Exception as error:  # noqa: BLE001 - whatever the libraries raise, a question must still be answered
        setting = f"model={name!r}" if model else f"SAKSHYA_GROUNDING_MODEL={name!r}"
        failures.append(f"{setting} was not loaded: {why_not_loaded(name, error, home())}. {ACCEPTED}")
    try:
        rule = rule_for(judge.folder if judge else None)
    except (OSError, ValueError) as error:
        failures.append(f"the grounding rule was not loaded: {' '.join(str(error).split())}")
        rule = None
    try:
        words = packaged_language() if judge and rule and rule.reads_words else None
    except (EmbeddingError, OSError, ValueError) as error:
        judge = None
        failures.append(f"the model that reads single words was not loaded: {' '.join(str(error).split())}")
    for failure in failures:
        logger.error(failure)  # seen without --verbose too: `evaluate` and the server show no `degraded`
    return GroundingModels(judge, rule.with_threshold(supported_from) if rule and supported_from else rule, words, "; ".join(failures))
