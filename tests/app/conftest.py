from tests.light_graph import admin, store  # noqa: F401
