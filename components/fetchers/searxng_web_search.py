"""Web search by a SearXNG instance of one's own."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import httpx
from haystack import Document, component

MOST_BYTES = 2_000_000


@component
class SearxngWebSearch:
    """Asks a SearXNG instance, and gives what Haystack's web search integrations give: `documents` (snippets) and `links`.

    No Haystack integration exists for SearXNG. The instance must allow the format json (`search.formats` in its settings.yml). Only its operator
    sees the question, and the engines that it asks.

    ```python
    SearxngWebSearch(url="https://searx.example.org").run(query="opening hours of the town pool")["links"]
    ```
    """

    def __init__(self, url: str, top_k: int = 5, timeout_s: float = 5.0, language: str = "auto", categories: str = "general") -> None:
        """Create the search.

        :param url: of the instance, http or https.
        :param top_k: results, >= 1.
        :param timeout_s: seconds, above 0.
        :param language: as SearXNG has it: `auto`, `en`, `de`.
        :param categories: as SearXNG has them, with commas between.
        :raises ValueError: a value that is not accepted.
        """
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise ValueError(f"SearxngWebSearch.url={url!r} is not accepted: a URL that begins with http:// or https://")
        if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 1:
            raise ValueError(f"SearxngWebSearch.top_k={top_k!r} is not accepted: a whole number >= 1")
        if not timeout_s > 0:
            raise ValueError(f"SearxngWebSearch.timeout_s={timeout_s!r} is not accepted: seconds > 0")
        self.url, self.top_k, self.timeout_s, self.language, self.categories = url, top_k, timeout_s, language, categories

    @component.output_types(documents=list[Document], links=list[str])
    def run(self, query: str) -> dict[str, Any]:
        """Search.

        :returns: `documents`, a snippet each, with `title` and `url`; `links`, in the same order.
        :raises httpx.HTTPError: the instance cannot be reached, or answers with an error.
        :raises ValueError: it answers with something else than JSON results.
        """
        values = {"q": query, "format": "json", "language": self.language, "categories": self.categories}
        response = httpx.get(f"{self.url.rstrip('/')}/search", params=values, timeout=self.timeout_s, follow_redirects=False, trust_env=False)
        response.raise_for_status()
        if len(response.content) > MOST_BYTES:
            raise ValueError("the reply is too long")
        data = response.json()
        results = data.get("results") if isinstance(data, dict) else None
        if not isinstance(results, list):
            raise ValueError("the reply holds no results")
        found = [r for r in results if isinstance(r, dict) and isinstance(r.get("url"), str)][: self.top_k]
        documents = [Document(content=str(r.get("content") or ""), meta={"title": str(r.get("title") or ""), "url": r["url"]}) for r in found]
        return {"documents": documents, "links": [r["url"] for r in found]}
