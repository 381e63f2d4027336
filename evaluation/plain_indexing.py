"""What a plain script does to index a folder: read, cut, embed and write, one file after the other. `bench_index` runs it beside ours.

It uses the same parser, the same packaged model and the same engine, on disk. It keeps no manifest, makes no BM25 vectors, has no access control
and no limits; it is what the time of `sakshya index` is compared with.
"""

from __future__ import annotations

import json
import sys
import time
import uuid
from pathlib import Path
from typing import Any

BATCH_SIZE = 32


def _stay_offline() -> None:
    """unstructured loads a spaCy model from the network at its first use; a blank one with a sentence splitter is as good here, and faster."""
    import spacy
    from unstructured.nlp import tokenize

    blank = spacy.blank("en")
    blank.add_pipe("sentencizer")
    tokenize._load_spacy_model = lambda *_, **__: blank  # pyright: ignore[reportPrivateUsage]


def index_plainly(folder: Path, target: Path) -> dict[str, Any]:
    """Index the files of a folder.

    :param target: an empty folder for the index.
    :returns: `files`, `failed` (names), `chunks`, `tokens` (of the model, as it reads them) and `seconds`, from the loading of the model on.
    """
    from qdrant_edge import Distance, EdgeConfig, EdgeShard, EdgeVectorParams, Point, UpdateOperation
    from sentence_transformers import SentenceTransformer
    from unstructured.chunking.title import chunk_by_title
    from unstructured.partition.auto import partition

    from components.embedders.sentence_transformer_encoder import packaged_folder

    started = time.monotonic()
    _stay_offline()
    model = SentenceTransformer(str(packaged_folder()), device="cpu")
    size = int(model.get_embedding_dimension() or 0)
    target.mkdir(parents=True, exist_ok=True)
    shard = EdgeShard.create(str(target), EdgeConfig(vectors={"dense": EdgeVectorParams(size=size, distance=Distance.Cosine)}, sparse_vectors={}))
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    failed: list[str] = []
    chunks = tokens = 0
    for file in files:
        try:
            texts = [str(chunk) for chunk in chunk_by_title(partition(filename=str(file))) if str(chunk).strip()]
        except Exception:  # noqa: BLE001  a script goes on with the next file
            failed.append(file.name)
            continue
        if not texts:
            failed.append(file.name)
            continue
        vectors = model.encode(texts, batch_size=BATCH_SIZE, show_progress_bar=False)
        points = [
            Point(str(uuid.uuid4()), {"dense": vector.tolist()}, {"text": text, "file": str(file)})
            for text, vector in zip(texts, vectors, strict=True)
        ]
        shard.update(UpdateOperation.upsert_points(points))
        chunks += len(texts)
        tokens += sum(min(len(ids), 256) for ids in model.tokenizer(texts)["input_ids"])
    shard.flush()
    seconds = time.monotonic() - started
    return {"files": len(files), "failed": failed, "chunks": chunks, "tokens": tokens, "seconds": round(seconds, 3)}


if __name__ == "__main__":
    print(json.dumps(index_plainly(Path(sys.argv[1]), Path(sys.argv[2]))))
