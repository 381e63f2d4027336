"""The doors of Sakshya: the command line, the server, and what they need to load, check and draw graphs."""

import os

# Before Haystack, Hayhooks, transformers or unstructured are imported anywhere: they read these once. Nothing phones home.
# A variable that the user has set is left as it is.
for _name, _value in {
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "HAYHOOKS_TELEMETRY_ENABLED": "False",
    "DO_NOT_TRACK": "1",
    "UNSTRUCTURED_DISABLE_NOTICE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_VERBOSITY": "error",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TQDM_DISABLE": "1",
}.items():
    os.environ.setdefault(_name, _value)
