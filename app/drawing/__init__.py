"""Pictures of graphs, made offline."""
