"""The server of `sakshya serve`: every graph of `pipelines/` on Hayhooks' application, behind one locked door."""
