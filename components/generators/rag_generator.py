"""RAG-Sequence and RAG-Token over the logits of a local causal language model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from haystack import Document, component
from haystack.dataclasses import ChatMessage, StreamingChunk

from components.builders.neutralising import neutralised, without_instructions
from components.failure import Degradation
from components.generators.extractive_generator import question_and_evidence
from components.generators.rag_marginals import log_prior, log_sequence_marginal, log_sum_exp, log_token_marginal

if TYPE_CHECKING:
    import torch

MODES = ("sequence", "token")
DECODINGS = ("thorough", "fast")
PROMPT = "Context: {text}\nQuestion: {question}\nAnswer:"


@component
class RagGenerator:
    """Generates from all passages at once by marginalising over them (Lewis et al. 2020, arXiv 2005.11401), with a local causal model.

    Each passage is read in a prompt of its own; the retriever's prior is the softmax of the passages' scores, which are meant to be inner
    products. `token` decodes the mixture of the next-token distributions. `sequence` decodes each passage's texts by beam search and takes the
    one of the greatest marginal: `thorough` scores every text under every passage, `fast` takes it as impossible where its beam did not find it
    (section 2.5 of the paper). For experiments: a chat model reads all passages in one prompt and answers better. Haystack's generators give
    no logits, so none of them can do this.

    The reply ends with the marker of the passage of the greatest posterior p(z|x, y); meta: `log_probability`, `posteriors` (by label), `mode`.
    """

    def __init__(
        self,
        model: str | None = None,
        mode: str = "sequence",
        decoding: str = "thorough",
        beams: int = 4,
        max_new_tokens: int = 48,
        top_k: int = 5,
    ) -> None:
        """Create the generator.

        :param model: folder of a causal language model of transformers; nothing is downloaded. None: no reply, `skipped`.
        :param mode: `sequence` or `token`.
        :param decoding: of `sequence`: `thorough` or `fast`.
        :param beams: texts decoded for each passage, at least 1; `token` keeps as many.
        :param max_new_tokens: of a reply, at least 1.
        :param top_k: passages marginalised over, best first, at least 1.
        :raises ValueError: a value out of range.
        """
        if mode not in MODES:
            raise ValueError(f"RagGenerator.mode={mode!r}: accepted are {', '.join(MODES)}")
        if decoding not in DECODINGS:
            raise ValueError(f"RagGenerator.decoding={decoding!r}: accepted are {', '.join(DECODINGS)}")
        for name, value in (("beams", beams), ("max_new_tokens", max_new_tokens), ("top_k", top_k)):
            if value < 1:
                raise ValueError(f"RagGenerator.{name}={value}: accepted is 1 or more")
        self.model, self.mode, self.decoding = model, mode, decoding
        self.beams, self.max_new_tokens, self.top_k = beams, max_new_tokens, top_k
        self._model: Any = None
        self._tokenizer: Any = None

    def warm_up(self) -> None:
        """Load the model, where one is named.

        :raises OSError: the folder holds none.
        """
        if self.model is None or self._model is not None:
            return
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self._tokenizer = AutoTokenizer.from_pretrained(self.model, local_files_only=True)
        self._model = AutoModelForCausalLM.from_pretrained(self.model, local_files_only=True).eval()

    @component.output_types(replies=list[ChatMessage], degraded=list[Degradation], model=str, skipped=str)
    def run(
        self, messages: list[ChatMessage], generation_kwargs: dict[str, Any] | None = None, streaming_callback: Callable | None = None
    ) -> dict[str, Any]:
        """Answer the last user message from the evidence in its meta, as EvidencePromptBuilder puts it there.

        :param generation_kwargs: accepted as every chat generator does, and of no effect.
        :param streaming_callback: called once with the whole reply.
        :returns: `replies`, one or none; `degraded`: an entry where the model failed; `model`; `skipped` where there is no model.
        """
        if self.model is None:
            return {"replies": [], "degraded": [], "model": "", "skipped": "no model"}
        question, evidence = question_and_evidence(messages)
        evidence = evidence[: self.top_k]
        if not evidence:
            reply = ChatMessage.from_assistant("NOT_IN_EVIDENCE", meta={"mode": self.mode})
            return {"replies": [reply], "degraded": [], "model": self.model, "skipped": ""}
        try:
            self.warm_up()
            reply = self._answer(question, evidence)
        except (OSError, RuntimeError, ValueError, IndexError) as error:
            reason = f"model {self.model}: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
            return {"replies": [], "degraded": [Degradation(stage="generator", reason=reason)], "model": self.model, "skipped": ""}
        if streaming_callback is not None:
            streaming_callback(StreamingChunk(content=reply.text or ""))
        return {"replies": [reply], "degraded": [], "model": self.model, "skipped": ""}

    def _answer(self, question: str, evidence: Sequence[Document]) -> ChatMessage:
        prompts = [self._prompt(question, document) for document in evidence]
        priors = log_prior([document.score or 0.0 for document in evidence])
        decode = self._decode_tokens if self.mode == "token" else self._decode_sequences
        ids, log_probability, token_logs = decode(prompts, priors)
        text = self._tokenizer.decode(ids, skip_special_tokens=True).strip()
        joint = [p + math.fsum(logs) for p, logs in zip(priors, token_logs, strict=True)]
        total = log_sum_exp(joint)
        labels = [document.meta.get("label", position) for position, document in enumerate(evidence, start=1)]
        posteriors = {str(n): math.exp(value - total) if total > -math.inf else 0.0 for n, value in zip(labels, joint, strict=True)}
        best = max(posteriors, key=lambda n: posteriors[n])
        return ChatMessage.from_assistant(
            f"{text} [{best}]" if text else "NOT_IN_EVIDENCE",
            meta={"mode": self.mode, "log_probability": log_probability, "posteriors": posteriors, "model": self.model},
        )

    def _prompt(self, question: str, document: Document) -> list[int]:
        text = PROMPT.format(text=neutralised(without_instructions(document.content or "")), question=neutralised(question))
        return self._tokenizer(text)["input_ids"]

    def token_logs(self, prompts: Sequence[list[int]], texts: Sequence[list[int]]) -> list[list[list[float]]]:
        """log p(y_i | x, z, y_<i): for each text a list for each prompt.

        :param prompts: token ids of the prompts, one for each passage.
        :param texts: token ids of the texts, each at least one.
        """
        import torch

        found: list[list[list[float]]] = []
        with torch.inference_mode():
            for text in texts:
                rows = []
                for prompt in prompts:
                    logits = self._model(torch.tensor([prompt + text[:-1]])).logits[0, len(prompt) - 1 :]
                    rows.append(torch.log_softmax(logits.double(), -1).gather(-1, torch.tensor(text)[:, None])[:, 0].tolist())
                found.append(rows)
        return found

    def _next_logs(self, prompts: Sequence[list[int]], text: list[int]) -> torch.Tensor:
        """log p(next token | x, z, text), a row for each prompt."""
        import torch

        with torch.inference_mode():
            rows = [self._model(torch.tensor([prompt + text])).logits[0, -1].double() for prompt in prompts]
        return torch.log_softmax(torch.stack(rows), -1)

    def _end(self) -> int | None:
        return self._tokenizer.eos_token_id

    def _decode_tokens(self, prompts: Sequence[list[int]], priors: Sequence[float]) -> tuple[list[int], float, list[list[float]]]:
        """Beam search over the mixture Σ_z p(z|x) p(y_i | x, z, y_<i)."""
        import torch

        weights = torch.tensor(list(priors), dtype=torch.double)[:, None]
        beams: list[tuple[float, list[int]]] = [(0.0, [])]
        finished: list[tuple[float, list[int]]] = []
        for _ in range(self.max_new_tokens):
            grown: list[tuple[float, list[int]]] = []
            for score, ids in beams:
                mixed = torch.logsumexp(self._next_logs(prompts, ids) + weights, 0)
                values, tokens = mixed.topk(min(self.beams, mixed.numel()))
                grown += [(score + value, [*ids, token]) for value, token in zip(values.tolist(), tokens.tolist(), strict=True)]
            grown.sort(key=lambda beam: -beam[0])
            finished += [beam for beam in grown[: self.beams] if beam[1][-1] == self._end()]
            beams = [beam for beam in grown[: self.beams] if beam[1][-1] != self._end()]
            if not beams or len(finished) >= self.beams:
                break
        _, ids = max(finished or beams, key=lambda beam: beam[0] / len(beam[1]))
        logs = self.token_logs(prompts, [ids])[0]
        return ids, log_token_marginal(priors, logs), logs

    def _decode_sequences(self, prompts: Sequence[list[int]], priors: Sequence[float]) -> tuple[list[int], float, list[list[float]]]:
        """The text of the greatest marginal among the passages' beams."""
        import torch

        by_prompt: list[list[list[int]]] = []
        for prompt in prompts:
            given = torch.tensor([prompt])
            made = self._model.generate(
                given,
                attention_mask=torch.ones_like(given),
                num_beams=self.beams,
                num_return_sequences=self.beams,
                max_new_tokens=self.max_new_tokens,
                do_sample=False,
                pad_token_id=self._tokenizer.pad_token_id if self._tokenizer.pad_token_id is not None else self._end(),
            )
            by_prompt.append([self._until_end(row[len(prompt) :]) for row in made.tolist()])
        texts = [list(ids) for ids in dict.fromkeys(tuple(ids) for made in by_prompt for ids in made if ids)]
        best: tuple[float, list[int], list[list[float]]] | None = None
        for ids, logs in zip(texts, self.token_logs(prompts, texts), strict=True):
            heard = [p if self.decoding == "thorough" or ids in made else -math.inf for p, made in zip(priors, by_prompt, strict=True)]
            value = log_sequence_marginal(heard, logs)
            if best is None or value > best[0]:
                best = (value, ids, logs)
        if best is None:
            raise ValueError("the model wrote nothing")
        return best[1], best[0], best[2]

    def _until_end(self, ids: list[int]) -> list[int]:
        end = self._end()
        return ids[: ids.index(end) + 1] if end is not None and end in ids else ids
