"""Finding every fault of a graph and saying it in one line: file, line, component, key, and what is accepted."""
