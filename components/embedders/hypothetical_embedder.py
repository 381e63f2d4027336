"""Embeds the passage that would answer a question, in the place of the question."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from haystack import component

from components.embedders.dense_document_embedder import check_model
from components.embedders.embedding_encoder import EmbeddingError
from components.embedders.embedding_model import embedding_model
from components.failure import Degradation
from components.generators.chat_model import ChatText
from components.query.prompted_chat import PromptedChat

STAGE = "hyde"
REPLY_TOKENS = 180
LONGEST = 2000
"""Characters of a passage that are embedded; the packaged model reads about half of it."""


def mean_direction(vectors: Sequence[Sequence[float]]) -> list[float]:
    """The mean of vectors at length 1; empty where they cancel out.

    >>> mean_direction([[1.0, 0.0], [0.0, 1.0]])
    [0.7071067811865475, 0.7071067811865475]
    >>> mean_direction([[1.0, 0.0], [-1.0, 0.0]])
    []
    """
    mean = np.mean(np.asarray(vectors, dtype=np.float64), axis=0)
    length = float(np.linalg.norm(mean))
    return (mean / length).tolist() if length > 1e-9 else []


@component
class HypotheticalEmbedder:
    """HyDE: a chat model writes passages that would answer the question; their vectors, and the question's own, are averaged.

    v = (Σ f(passage) + f(question)) / (n + 1), at length 1: Gao et al., "Precise zero-shot dense retrieval without relevance labels", 2022. The
    passages go through the model and prefix for passages, the question through those for questions. They are made up, so they leave this node
    in no form but the vector; not even the trace shows them. Haystack has a recipe of several nodes for it, whose passages are documents that
    may go on, and which embeds them as questions.
    """

    def __init__(
        self,
        n_passages: int = 1,
        with_question: bool = True,
        model: str | None = None,
        chat_model: str | None = None,
        prompt: str = "hyde",
        timeout_s: float | None = None,
        max_concurrent: int = 2,
    ) -> None:
        """Create the node.

        :param n_passages: passages, a call each, 1 to 8. More than one pay only where the chat model draws (temperature above 0).
        :param with_question: whether the question's own vector is averaged in.
        :param model: embedding model; None: from settings. It must be the one that built the index.
        :param chat_model: None: from settings.
        :param prompt: name of a file in `pipelines/prompts` with the variables `question` and `mark`.
        :param timeout_s: seconds for a call, above 0; None: from settings, and at most a quarter of what is left of the deadline.
        :param max_concurrent: calls at once, 1 to 8.
        :raises ValueError: a value out of range, or no such prompt.
        """
        check_model(model)
        if not 1 <= n_passages <= 8:
            raise ValueError(f"HypotheticalEmbedder.n_passages={n_passages!r}: accepted is 1 to 8")
        if not 1 <= max_concurrent <= 8:
            raise ValueError(f"HypotheticalEmbedder.max_concurrent={max_concurrent!r}: accepted is 1 to 8")
        self.n_passages, self.with_question, self.model, self.chat_model = n_passages, with_question, model, chat_model
        self.prompt, self.timeout_s, self.max_concurrent = prompt, timeout_s, max_concurrent
        self._chat = PromptedChat(type(self).__name__, prompt, ("question",), chat_model, timeout_s, REPLY_TOKENS)

    def required_setting(self) -> str:
        """The setting without which it cannot run, in words; empty where there is a chat model."""
        return self._chat.chat.required_setting()

    def missing_setting(self) -> str:
        """A setting that cannot be used, in words."""
        return self._chat.missing_setting()

    @component.output_types(embedding=list[float], note=str, degraded=list[Degradation], model=str)
    def run(self, question: str) -> dict[str, Any]:
        """Embed.

        :param question: self-contained.
        :returns: `embedding`, of length 1; empty where the chat model or the embedding model failed, and `degraded` says why; `note`: how many
            passages; `model`: the chat model.
        """
        with ThreadPoolExecutor(min(self.max_concurrent, self.n_passages)) as pool:
            waiting = [pool.submit(contextvars.copy_context().run, lambda: self._chat.ask(question=question)) for _ in range(self.n_passages)]
            replies = [job.result() for job in waiting]
        return self._embedded(question, replies)

    @component.output_types(embedding=list[float], note=str, degraded=list[Degradation], model=str)
    async def run_async(self, question: str) -> dict[str, Any]:
        """As `run`, with the endpoint awaited."""
        places = asyncio.Semaphore(self.max_concurrent)

        async def one() -> ChatText:
            async with places:
                return await self._chat.ask_async(question=question)

        replies = await asyncio.gather(*(one() for _ in range(self.n_passages)))
        return await asyncio.to_thread(self._embedded, question, replies)

    def _embedded(self, question: str, replies: Sequence[ChatText]) -> dict[str, Any]:
        passages = list(dict.fromkeys(reply.text[:LONGEST].strip() for reply in replies if reply.text))
        reasons = list(dict.fromkeys(reply.reason for reply in replies if reply.text is None))
        result: dict[str, Any] = {"embedding": [], "note": "", "degraded": [], "model": ""}
        if passages:
            try:
                embedder = embedding_model(self.model)
                passages = [text for text in passages if not embedder.reading(text).other_script]
                vectors = [*embedder.encode_passages(passages)]
                if self.with_question and not embedder.reading(question).other_script:
                    vectors.append(embedder.encode_queries([question])[0])
                found = mean_direction(vectors) if passages else []
                reasons += [] if passages else [f"{embedder.name} does not read what the chat model wrote"]
            except EmbeddingError as error:
                found, reasons = [], [str(error)]
            if found:
                counted = f"{len(passages)} passage{'s' * (len(passages) > 1)}{' and the question' * (len(vectors) > len(passages))}"
                result |= {"embedding": found, "note": counted, "model": next(reply.model for reply in replies if reply.text)}
        if reasons or not result["embedding"]:
            what = "retrieved by the question alone" if not result["embedding"] else "fewer passages than asked for"
            result["degraded"] = [Degradation(stage=STAGE, reason=f"{'; '.join(reasons) or 'no vector'}; {what}")]
        return result
