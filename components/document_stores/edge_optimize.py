"""Build the graph index of a shard that nobody serves: `python edge_optimize.py FOLDER`.

The engine holds the interpreter while it optimises, so this runs in a process of its own, on a copy. It imports nothing of Sakshya.
"""

from __future__ import annotations

import sys

import qdrant_edge


def main(folder: str) -> int:
    """Optimise the shard in `folder` until nothing is left to do."""
    shard = qdrant_edge.EdgeShard.load(folder)
    shard.optimize()
    shard.flush()
    shard.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
