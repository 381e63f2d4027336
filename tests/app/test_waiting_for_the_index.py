"""A command that needs an index which another one holds says so and waits."""

import threading

import pytest

from app.remote import wait_for_index
from components.document_stores.index_lock import IndexLock, is_held
from config.settings import settings


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SAKSHYA_DATA_DIR", str(tmp_path))
    settings.cache_clear()
    yield tmp_path
    settings.cache_clear()


def test_a_free_index_is_not_waited_for(folder):
    wait_for_index(lambda: pytest.fail("nobody holds it"), patience_s=0)
    assert not is_held(folder)


def test_a_held_index_is_waited_for_and_told_once(folder):
    lock, told = IndexLock(folder), []
    lock.acquire()
    assert is_held(folder)
    release = threading.Timer(0.3, lock.release)
    release.start()
    wait_for_index(lambda: told.append(lock.held), patience_s=0.05, poll_s=0.05)
    release.join()
    assert told == [True]
    assert not lock.held


def test_a_server_that_holds_it_takes_the_work(folder):
    lock = IndexLock(folder)
    lock.acquire()
    lock.declare("http://127.0.0.1:1")
    wait_for_index(lambda: pytest.fail("the server indexes"), patience_s=0)
    lock.release()
